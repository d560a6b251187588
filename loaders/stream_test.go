package loaders

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"agentlint/internal/model"
)

// TestStreamIsLoad reads more configs than keep their trees: the stacks are the same whether they are built one by one or
// all at once.
func TestStreamIsLoad(t *testing.T) {
	fsys := fstest.MapFS{"inc.yaml": &fstest.MapFile{Data: []byte("router_settings:\n  num_retries: 7\n")}}
	entry := "- model_name: m\n  litellm_params: {model: openai/gpt-4o, api_key: os.environ/OPENAI_API_KEY, mock_response: " + strings.Repeat("long ", 2000) + "}\n"
	for size, n := 0, 0; size <= maxHeld+maxHeld/4; n++ {
		text := "model_list:\n" + strings.Repeat(entry, 40)
		if n%5 == 0 {
			text = "include: [inc.yaml]\n" + text
		}
		fsys[fmt.Sprintf("config-%02d.yaml", n)] = &fstest.MapFile{Data: []byte(text)}
		size += len(text)
	}
	set, err := Load(context.Background(), fsys, nil, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	streamed := map[string]*model.Stack{}
	if _, err := Stream(context.Background(), fsys, nil, &Options{}, func(s *model.Stack) { streamed[s.Name] = s }); err != nil {
		t.Fatal(err)
	}
	if len(set.Stacks) != len(fsys)-1 || len(streamed) != len(set.Stacks) {
		t.Fatalf("%d files give %d stacks at once and %d one by one", len(fsys), len(set.Stacks), len(streamed))
	}
	for _, s := range set.Stacks {
		if o := streamed[s.Name]; o == nil || !reflect.DeepEqual(o.Root.Plain(), s.Root.Plain()) {
			t.Errorf("%s differs", s.Name)
		}
	}
}

func TestReadSized(t *testing.T) {
	text := strings.Repeat("0123456789", 200)
	for _, size := range []int{0, 1, len(text) - 1, len(text), len(text) + 1, 3 * len(text)} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
			if b, err := readSized(r, size); err != nil || string(b) != text {
				t.Errorf("size %d: read %d of %d bytes: %v", size, len(b), len(text), err)
			}
		}
	}
	if _, err := readSized(iotest.ErrReader(io.ErrUnexpectedEOF), 8); err != io.ErrUnexpectedEOF {
		t.Errorf("got %v", err)
	}
}
