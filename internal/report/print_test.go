package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// TestJSONInParts holds the printed parts to what encoding/json makes of the whole.
func TestJSONInParts(t *testing.T) {
	r := deployment(t)
	for len(r.Findings) < 5*chunk {
		r.Findings = append(r.Findings, r.Findings...)
	}
	for _, r := range []*engine.Result{{}, deployment(t), r} {
		got := write(t, "json", r, Options{Version: "1"})
		d, err := Decode(got)
		if err != nil {
			t.Fatal(err)
		}
		var want bytes.Buffer
		e := json.NewEncoder(&want)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(d); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%d findings: the parts differ from the whole", len(r.Findings))
		}
	}
}

func TestIndent(t *testing.T) {
	for _, v := range []any{
		nil, 1.5e-9, "a \"quoted\\\" {text}: [1, 2]\n\\", []any{}, map[string]any{}, []any{[]any{}, map[string]any{"": []any{1, "]"}}},
		map[string]any{"a": map[string]any{"b": []any{"<", 1, true, nil}}, "c:": "{"},
	} {
		want, err := json.MarshalIndent(v, "  ", "  ")
		if err != nil {
			t.Fatal(err)
		}
		src, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := indent(nil, src, 1); !bytes.Equal(got, want) {
			t.Errorf("%s:\ngot  %s\nwant %s", src, got, want)
		}
	}
}

// TestJSONFailsWhole: a number that JSON cannot write keeps everything from being written, and the error of the reader
// comes back as it is.
func TestJSONFailsWhole(t *testing.T) {
	r := deployment(t)
	r.Findings = append(r.Findings, &engine.Finding{Rule: "x", Figures: []model.Figure{{Name: "load", Value: math.Inf(1)}}})
	var b bytes.Buffer
	if err := Write(&b, "json", r, Options{}); err == nil || !strings.Contains(err.Error(), "figure load") || b.Len() > 0 {
		t.Errorf("got %d bytes and %v", b.Len(), err)
	}
	gone := errors.New("gone")
	if err := Write(closed{gone}, "json", deployment(t), Options{}); err != gone {
		t.Errorf("got %v", err)
	}
}

// closed is a stream whose reader went away.
type closed struct{ err error }

func (c closed) Write([]byte) (int, error) { return 0, c.err }
