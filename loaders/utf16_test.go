package loaders

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"
)

func TestUTF16(t *testing.T) {
	encode := func(s string) []byte {
		out := []byte{0xff, 0xfe}
		for _, u := range utf16.Encode([]rune(s)) {
			out = append(out, byte(u), byte(u>>8))
		}
		return out
	}
	set, err := Load(context.Background(), fstest.MapFS{
		"config.yaml": {Data: encode("model_list:\n- model_name: a\n")},
		"other.yaml":  {Data: encode("a: b\n")},
	}, nil, &Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Problems) != 1 || set.Problems[0].File.Path != "config.yaml" || !strings.Contains(set.Problems[0].Text, "UTF-16") {
		t.Errorf("problems %+v", set.Problems)
	}
}
