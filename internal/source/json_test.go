package source

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestJSONSpans(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`{"a": [1, -2.5e+3, true, null], "b": {}}`, `{0-40: "\"a\"":[6-30: "1" "-2.5e+3" "true" "null"] "\"b\"":{37-39:}}`},
		{"\ufeff [] ", `[4-6:]`},
		{`"x"`, `"\"x\""`},
		{"{\"é\" : \"\\ud83d\\ude00\", \"é\": 0}", "{0-32: \"\\\"é\\\"\":\"\\\"\\\\ud83d\\\\ude00\\\"\" \"\\\"é\\\"\":\"0\"}"},
	} {
		f := NewFile("a.json", []byte(c.in))
		n, err := ParseJSON(f)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := dump(f, n); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.in, got, c.want)
		}
	}
}

func TestJSONErrors(t *testing.T) {
	for _, c := range []struct {
		in  string
		at  int
		msg string
	}{
		{"", 0, "unexpected end of JSON in place of a value"},
		{"{", 1, "unexpected end of JSON in place of a key"},
		{`{"a" 1}`, 5, `unexpected '1' in place of a colon`},
		{`{"a": 1,}`, 8, `unexpected '}' in place of a key`},
		{`[1, ]`, 4, `unexpected ']' in place of a value`},
		{`[1 2]`, 3, `unexpected '2' after a value in an array`},
		{`{"a": 1 "b": 2}`, 8, `unexpected '"' after a value in an object`},
		{`{"a": 1} x`, 9, `unexpected 'x' after the end of the value`},
		{"[\"abc\n\"]", 1, "string is not closed on its line"},
		{`["abc`, 1, "string is not closed"},
		{`["a\q"]`, 3, "invalid escape in a string"},
		{`["\u12g4"]`, 2, "invalid escape in a string"},
		{"[\"a\x01\"]", 3, "control character 0x01 in a string"},
		{"[\"a\xff\"]", 3, "invalid UTF-8"},
		{"[\xff]", 1, "invalid UTF-8"},
		{`[01]`, 1, "invalid number"},
		{`[-]`, 1, "invalid number"},
		{`[1.]`, 1, "invalid number"},
		{`[1e]`, 1, "invalid number"},
		{`[truex]`, 5, `unexpected 'x' after a value in an array`},
		{`{a: 1}`, 1, `unexpected 'a' in place of a key`},
		{strings.Repeat("[", 1<<20), MaxDepth, "nested deeper than 1000 levels"},
		{strings.Repeat(`{"a":`, 1<<20), 5 * MaxDepth, "nested deeper than 1000 levels"},
		{strings.Repeat(" ", MaxFileSize+1), 0, "file is larger than 8 MiB"},
	} {
		_, err := ParseJSON(NewFile("a.json", []byte(c.in)))
		se, ok := err.(*SyntaxError)
		if !ok || se.Offset != c.at || se.Msg != c.msg {
			t.Errorf("%.40q: %#v, want %d: %s", c.in, err, c.at, c.msg)
		}
	}
}

// plainJSON turns a tree into what encoding/json decodes the same text to, with numbers as json.Number.
func plainJSON(n *Node) any {
	switch n.Kind {
	case Map:
		m := map[string]any{}
		for i := 0; i < len(n.Children); i += 2 {
			m[n.Children[i].Text] = plainJSON(n.Children[i+1])
		}
		return m
	case List:
		l := []any{}
		for _, c := range n.Children {
			l = append(l, plainJSON(c))
		}
		return l
	}
	switch {
	case n.Style == DoubleQuoted:
		return n.Text
	case n.Text == "null":
		return nil
	case n.Text == "true" || n.Text == "false":
		return n.Text == "true"
	}
	return json.Number(n.Text)
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}],"c":"\u00e9\ud83d\ude00\ud83d"}`, `[-0.1e5,"",true]`, "\ufeff{}", `"\/"`, `[[[]]]`, "{", `[1,]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		file := NewFile("a.json", b)
		n, err := ParseJSON(file)
		if err != nil {
			if se, ok := err.(*SyntaxError); !ok || se.Offset < 0 || se.Offset > len(b) {
				t.Fatalf("error %#v", err)
			}
			return
		}
		dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(string(b), "\ufeff")))
		dec.UseNumber()
		var want any
		if err := dec.Decode(&want); err != nil {
			t.Fatalf("encoding/json refuses %q: %v", b, err)
		}
		if got := plainJSON(n); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %v, want %v", b, got, want)
		}
		checkSpans(t, file, n)
	})
}

// bigJSON is a dashboard-like file of about n panels.
func bigJSON(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"panels": [`)
	for i := range n {
		if i > 0 {
			b.WriteString(",\n  ")
		}
		b.WriteString(`{"id": ` + strconv.Itoa(i) + `, "title": "Latency \u2265 p99 \"x\"", "gridPos": {"h": 8, "w": 12, "x": 0, "y": 0}, "targets": [{"expr": "histogram_quantile(0.99, sum by (le) (rate(vllm:e2e_request_latency_seconds_bucket[5m])))", "refId": "A"}]}`)
	}
	b.WriteString("]}")
	return []byte(b.String())
}

func BenchmarkParseJSON(b *testing.B) {
	data := bigJSON(4000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseJSON(NewFile("a.json", data)); err != nil {
			b.Fatal(err)
		}
	}
}
