package fixers

import (
	"bytes"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// textStack is a stack with one value at x whose name and value are spans of a text.
func textStack(f *source.File, key, value string, from model.Source) *model.Stack {
	k := bytes.Index(f.Bytes, []byte(key))
	v := k + len(key) + bytes.Index(f.Bytes[k+len(key):], []byte(value))
	root := model.NewMap(model.Origin{})
	root.Set("x", model.NewText(value, model.Origin{Source: from, File: f,
		Key: source.Span{Start: k, End: k + len(key)}, Span: source.Span{Start: v, End: v + len(value)}}))
	return &model.Stack{Root: root}
}

func TestTextEdits(t *testing.T) {
	comment := model.Op{Kind: model.OpInsertComment, At: P{"x"}, Name: "why"}
	for _, c := range []struct {
		name, in, key, value string
		op                   model.Op
		want                 string // "" for a refusal
	}{
		{"pgbouncer", "[pgbouncer]\npool_mode = session\n;c\n", "pool_mode", "session", model.Set(P{"x"}, "transaction"), "[pgbouncer]\npool_mode = transaction\n;c\n"},
		{"pgbouncer remove", "[pgbouncer]\npool_mode = session\nauth_type = any\n", "pool_mode", "session", model.Remove(P{"x"}), "[pgbouncer]\nauth_type = any\n"},
		{"pgbouncer rename", "[pgbouncer]\npool_mode = session\n", "pool_mode", "session", model.Rename(P{"x"}, "mode"), "[pgbouncer]\nmode = session\n"},
		{"pgbouncer comment", "[pgbouncer]\npool_mode = session\n", "pool_mode", "session", comment, "[pgbouncer]\n# why\npool_mode = session\n"},
		{"postgres", "max_connections = 100\t# c\nport = 5432\n", "max_connections", "100", model.Set(P{"x"}, 300), "max_connections = 300\t# c\nport = 5432\n"},
		{"postgres quoted", "shared_buffers = '1GB'\r\n", "shared_buffers", "1GB", model.Set(P{"x"}, "2 GB"), "shared_buffers = '2 GB'\r\n"},
		{"postgres needs quotes", "shared_buffers = 1GB\n", "shared_buffers", "1GB", model.Set(P{"x"}, "2 GB"), "shared_buffers = '2 GB'\n"},
		{"export", "export A=1 # c\nvllm serve m\n", "A", "1", model.Set(P{"x"}, "2 3"), "export A='2 3' # c\nvllm serve m\n"},
		{"export quoted", "export A=\"1\"\n", "A", "\"1\"", model.Set(P{"x"}, "2 3"), "export A=\"2 3\"\n"},
		{"export of a variable", "export A=$B\n", "A", "$B", model.Set(P{"x"}, "2"), ""},
		{"export remove", "export A=1\nvllm serve m\n", "A", "1", model.Remove(P{"x"}), "vllm serve m\n"},
		{"prefix remove", "A=1 B=2 vllm serve m\n", "A", "1", model.Remove(P{"x"}), "B=2 vllm serve m\n"},
		{"export rename", "export A=1\n", "A", "1", model.Rename(P{"x"}, "Z"), "export Z=1\n"},
		{"export comment", "  export A=1\n", "A", "1", comment, "  # why\n  export A=1\n"},
		{"used elsewhere", "export A=1\necho $A\n", "A", "1", model.Set(P{"x"}, "2"), ""},
		{"docker run -e", "docker run -e A=1 \\\n  -e B=2 img\n", "A", "1", model.Set(P{"x"}, "3 4"), "docker run -e A='3 4' \\\n  -e B=2 img\n"},
		{"docker run -e remove", "docker run -e A=1 \\\n  -e B=2 img\n", "B", "2", model.Remove(P{"x"}), "docker run -e A=1 \\\n  img\n"},
		{"docker run --env= rename", "docker run --env=A=1 img\n", "A", "1", model.Rename(P{"x"}, "Z"), "docker run --env=Z=1 img\n"},
		{"unit", "[Service]\nEnvironment=A=1 B=2\nExecStart=vllm serve m\n", "A", "1", model.Set(P{"x"}, "3"), "[Service]\nEnvironment=A=3 B=2\nExecStart=vllm serve m\n"},
		{"unit remove", "[Service]\nEnvironment=A=1\nEnvironment=B=2\nExecStart=vllm serve m\n", "A", "1", model.Remove(P{"x"}), "[Service]\nEnvironment=B=2\nExecStart=vllm serve m\n"},
		{"unit remove one of two", "[Service]\nEnvironment=A=1 B=2\nExecStart=vllm serve m\n", "A", "1", model.Remove(P{"x"}), "[Service]\nEnvironment=B=2\nExecStart=vllm serve m\n"},
		{"Dockerfile", "FROM a\nENV A=1 B=2\nCMD [\"vllm\"]\n", "A=", "1", model.Op{}, ""},
		{"plain file", "litellm==1.0\n", "litellm", "1.0", model.Set(P{"x"}, "2.0"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f", []byte(c.in))
			edits, err := Plan(textStack(f, c.key, c.value, model.FromConfig), []model.Op{c.op})
			if c.want == "" {
				if _, ok := err.(*Refusal); !ok {
					t.Errorf("got %v, want a refusal", edits)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := string(applied(t, f, edits)); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestDockerfileVariables(t *testing.T) {
	in := "FROM a\nENV A=1 B=2\nENV C=3\nCMD [\"vllm\"]\n"
	for _, c := range []struct {
		key  string
		op   model.Op
		want string
	}{
		{"A", model.Set(P{"x"}, "x y"), "FROM a\nENV A='x y' B=2\nENV C=3\nCMD [\"vllm\"]\n"},
		{"A", model.Remove(P{"x"}), "FROM a\nENV B=2\nENV C=3\nCMD [\"vllm\"]\n"},
		{"B", model.Remove(P{"x"}), "FROM a\nENV A=1\nENV C=3\nCMD [\"vllm\"]\n"},
		{"C", model.Remove(P{"x"}), "FROM a\nENV A=1 B=2\nCMD [\"vllm\"]\n"},
	} {
		f := source.NewFile("Dockerfile", []byte(in))
		var o model.Origin
		for _, a := range source.ParseDockerfile(f).Stages[0].Env {
			if a.Name == c.key {
				o = model.Origin{Source: model.FromEnv, File: f, Key: a.NameSpan, Span: a.ValueSpan}
			}
		}
		root := model.NewMap(model.Origin{})
		root.Set("x", model.NewText("1", o))
		edits, err := Plan(&model.Stack{Root: root}, []model.Op{c.op})
		if err != nil {
			t.Errorf("%s %v: %v", c.key, c.op, err)
			continue
		}
		if got := string(applied(t, f, edits)); got != c.want {
			t.Errorf("%s %v\n got %q\nwant %q", c.key, c.op, got, c.want)
		}
	}
}

// TestEnvironments edits variables in the forms of compose and Kubernetes.
func TestEnvironments(t *testing.T) {
	env := func(name string) P { return P{"gateway", "env", name} }
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     string
	}{
		{"map", "environment:\n  A: 1\n  B: x\n", model.Set(env("A"), "2"), "environment:\n  A: 2\n  B: x\n"},
		{"map add", "environment:\n  A: \"1\"\n", model.Set(env("C"), 2), "environment:\n  A: \"1\"\n  C: \"2\"\n"},
		{"map remove", "environment:\n  A: 1\n  B: x\n", model.Remove(env("A")), "environment:\n  B: x\n"},
		{"map rename", "environment:\n  A: 1\n", model.Rename(env("A"), "Z"), "environment:\n  Z: 1\n"},
		{"pairs", "environment:\n  - A=1 # c\n  - B=x\n", model.Set(env("A"), "2"), "environment:\n  - A=2 # c\n  - B=x\n"},
		{"pairs quoted", "environment:\n  - \"A=1\"\n", model.Set(env("A"), "a: b"), "environment:\n  - \"A=a: b\"\n"},
		{"pairs need quotes", "environment:\n  - A=1\n", model.Set(env("A"), "a: b"), "environment:\n  - \"A=a: b\"\n"},
		{"pairs add", "environment:\n  - A=1\n", model.Set(env("C"), "true"), "environment:\n  - A=1\n  - C=true\n"},
		{"pairs remove", "environment:\n  - A=1\n  - B=x\n", model.Remove(env("A")), "environment:\n  - B=x\n"},
		{"pairs rename", "environment:\n  - A=1\n  - B\n", model.Rename(env("A"), "Z"), "environment:\n  - Z=1\n  - B\n"},
		{"pair replace", "environment:\n  - A=x/v1\n", model.ReplaceText(env("A"), "v1", "v2"), "environment:\n  - A=x/v2\n"},
		{"items", "env:\n  - name: A\n    value: \"1\"\n", model.Set(env("A"), 2), "env:\n  - name: A\n    value: \"2\"\n"},
		{"items add", "env:\n  - name: A\n    value: \"1\"\n", model.Set(env("C"), 2), "env:\n  - name: A\n    value: \"1\"\n  - name: C\n    value: \"2\"\n"},
		{"items add to an empty list", "env: []\n", model.Set(env("C"), 2), "env:\n  - name: C\n    value: \"2\"\n"},
		{"items remove", "env:\n  - name: A\n    value: \"1\"\n  - name: B\n    value: x\n", model.Remove(env("A")), "env:\n  - name: B\n    value: x\n"},
		{"items rename", "env:\n  - name: A\n    value: \"1\"\n", model.Rename(env("A"), "Z"), "env:\n  - name: Z\n    value: \"1\"\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f.yaml", []byte(c.in))
			root := parseAny(t, f)
			list := root.Children[1]
			o := model.Origin{Source: model.FromConfig, File: f, Node: list, Span: list.Span()}
			vars := model.NewMap(o)
			add := func(name string, n *source.Node) {
				vars.Set(name, model.NewText("", model.Origin{Source: model.FromEnv, File: f, Node: n, Span: n.Span()}))
			}
			for i, n := range list.Children {
				switch {
				case list.Kind == source.Map && i%2 == 1:
					add(list.Children[i-1].Text, n)
				case n.Kind == source.Map:
					add(n.Get("name").Text, n.Get("value"))
				case list.Kind == source.List:
					name, value, ok := strings.Cut(n.Text, "=")
					if !ok {
						continue
					}
					inner := source.Nested(f, n)
					vars.Set(name, model.NewText(value, model.Origin{Source: model.FromEnv, File: inner,
						Key: source.Span{Start: 0, End: len(name)}, Span: source.Span{Start: len(name) + 1, End: len(n.Text)}}))
				}
			}
			gw := model.NewMap(model.Origin{})
			gw.Set("env", vars)
			top := model.NewMap(model.Origin{})
			top.Set("gateway", gw)
			edits, err := Plan(&model.Stack{Root: top}, []model.Op{c.op})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(applied(t, f, edits)); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// TestNestedEdits edits a config that stands in a block scalar or a string.
func TestNestedEdits(t *testing.T) {
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     string
	}{
		{"literal", "data:\n  config.yaml: |\n    a: 1 # c\n    b:\n      d: 2\nx: 1\n", model.Set(P{"a"}, 3), "data:\n  config.yaml: |\n    a: 3 # c\n    b:\n      d: 2\nx: 1\n"},
		{"literal insert", "data:\n  config.yaml: |\n    a: 1\n    b:\n      d: 2\nx: 1\n", model.Set(P{"b", "e"}, "f"), "data:\n  config.yaml: |\n    a: 1\n    b:\n      d: 2\n      e: f\nx: 1\n"},
		{"literal insert at the end", "data:\n  config.yaml: |-\n    a: 1\n", model.Set(P{"b"}, 2), "data:\n  config.yaml: |-\n    a: 1\n    b: 2\n"},
		{"literal remove", "data:\n  config.yaml: |\n    a: 1\n    b: 2\nx: 1\n", model.Remove(P{"b"}), "data:\n  config.yaml: |\n    a: 1\nx: 1\n"},
		{"literal remove last after a blank line", "data:\n  config.yaml: |\n    a: 1\n\n    b: 2\nx: 1\n", model.Remove(P{"b"}), "data:\n  config.yaml: |\n    a: 1\nx: 1\n"},
		{"literal CRLF", "data:\r\n  config.yaml: |\r\n    a: 1\r\n    b: 2\r\n", model.Set(P{"c"}, 3), "data:\r\n  config.yaml: |\r\n    a: 1\r\n    b: 2\r\n    c: 3\r\n"},
		{"JSON in a literal", "data:\n  d.json: |\n    {\n      \"a\": 1\n    }\n", model.Set(P{"b"}, "x"), "data:\n  d.json: |\n    {\n      \"a\": 1,\n      \"b\": \"x\"\n    }\n"},
		{"JSON in quotes", "data:\n  d.json: \"{\\\"a\\\": 1}\"\n", model.Set(P{"a"}, "x"), "data:\n  d.json: \"{\\\"a\\\": \\\"x\\\"}\"\n"},
		{"JSON in single quotes", "data:\n  d.json: '{\"a\": 1}'\n", model.Set(P{"b"}, "it's"), "data:\n  d.json: '{\"a\": 1, \"b\": \"it''s\"}'\n"},
		{"query", "data:\n  d.json: |\n    {\"expr\": \"rate(vllm:a[5m])\"}\n", model.ReplaceText(P{"expr"}, "vllm:a", "vllm:b"), "data:\n  d.json: |\n    {\"expr\": \"rate(vllm:b[5m])\"}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f.yaml", []byte(c.in))
			inner := source.Nested(f, parseAny(t, f).Children[1].Children[1])
			edits, err := Plan(mirror(t, inner), []model.Op{c.op})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(applied(t, f, edits)); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestJSONEdits(t *testing.T) {
	pretty := "{\n  \"a\": {\n    \"b\": 1,\n    \"c\": [\n      \"x\",\n      \"y\"\n    ]\n  },\n  \"d\": {},\n  \"e\": []\n}\n"
	tabs := "{\n\t\"a\": {\n\t\t\"b\": 1\n\t}\n}"
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     string
	}{
		{"set", pretty, model.Set(P{"a", "b"}, "q\"\n"), strings.Replace(pretty, "1", `"q\"\n"`, 1)},
		{"insert", pretty, model.Set(P{"a", "z"}, true), strings.Replace(pretty, "    ]\n  }", "    ],\n    \"z\": true\n  }", 1)},
		{"insert nested", pretty, model.Set(P{"a", "z", "w"}, []any{1}), strings.Replace(pretty, "    ]\n  }", "    ],\n    \"z\": {\n      \"w\": [\n        1\n      ]\n    }\n  }", 1)},
		{"append", pretty, model.Append(P{"a", "c"}, "z"), strings.Replace(pretty, "\"y\"", "\"y\",\n      \"z\"", 1)},
		{"insert into empty", pretty, model.Set(P{"d", "z"}, 1), strings.Replace(pretty, "{}", "{\n    \"z\": 1\n  }", 1)},
		{"append to empty", pretty, model.Append(P{"e"}, map[string]any{"k": 1}), strings.Replace(pretty, "[]", "[\n    {\n      \"k\": 1\n    }\n  ]", 1)},
		{"remove", pretty, model.Remove(P{"a", "b"}), strings.Replace(pretty, "    \"b\": 1,\n", "", 1)},
		{"remove last", pretty, model.Remove(P{"a", "c", 1}), strings.Replace(pretty, "\"x\",\n      \"y\"", "\"x\"", 1)},
		{"remove last key", pretty, model.Remove(P{"e"}), strings.Replace(pretty, "{},\n  \"e\": []", "{}", 1)},
		{"rename", pretty, model.Rename(P{"a", "b"}, "z"), strings.Replace(pretty, `"b"`, `"z"`, 1)},
		{"tabs", tabs, model.Set(P{"z", "w"}, 1), "{\n\t\"a\": {\n\t\t\"b\": 1\n\t},\n\t\"z\": {\n\t\t\"w\": 1\n\t}\n}"},
		{"minified insert", `{"a":{"b":1},"c":[1,2]}`, model.Set(P{"a", "z"}, "x"), `{"a":{"b":1,"z":"x"},"c":[1,2]}`},
		{"minified nested", `{"a":{"b":1},"c":[1,2]}`, model.Set(P{"z", "w"}, []any{1, 2}), `{"a":{"b":1},"c":[1,2],"z":{"w":[1,2]}}`},
		{"minified append", `{"a":{"b":1},"c":[1,2]}`, model.Append(P{"c"}, 3), `{"a":{"b":1},"c":[1,2,3]}`},
		{"minified remove", `{"a":{"b":1},"c":[1,2]}`, model.Remove(P{"a"}), `{"c":[1,2]}`},
		{"minified remove only", `{"a":{"b":1}}`, model.Remove(P{"a", "b"}), `{"a":{}}`},
		{"move", `{"a": {"b": 1}, "c": {}}`, model.Op{Kind: model.OpMove, At: P{"a", "b"}, To: P{"c", "b"}}, `{"a": {}, "c": {"b": 1}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f.json", []byte(c.in))
			edits, err := Plan(mirror(t, f), []model.Op{c.op})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(applied(t, f, edits)); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// TestFixOfSeveralOperations plans operations that build on each other.
func TestFixOfSeveralOperations(t *testing.T) {
	for _, c := range []struct {
		name, in string
		ops      []model.Op
		want     string
	}{
		{"one new section", "a: 1\n", []model.Op{model.Set(P{"s", "x"}, 1), model.Set(P{"s", "y"}, 2)}, "a: 1\ns:\n  x: 1\n  \"y\": 2\n"},
		{"all entries go", "m:\n  a: 1\n  b: 2\nn: 1\n", []model.Op{model.Remove(P{"m", "a"}), model.Remove(P{"m", "b"})}, "m: {}\nn: 1\n"},
		{"all items go", "m: [a, b]\n", []model.Op{model.Remove(P{"m", 0}), model.Remove(P{"m", 1})}, "m: []\n"},
		{"rename and set", "a: 1\n", []model.Op{model.Rename(P{"a"}, "z"), model.Set(P{"a"}, 2)}, "z: 2\n"},
		{"new list twice", "a: 1\n", []model.Op{model.Append(P{"l"}, "x"), model.Append(P{"l"}, "w")}, "a: 1\nl:\n  - x\n  - w\n"},
		{"an item after a removed one", "m: [a, b, c]\n", []model.Op{model.Remove(P{"m", 0}), model.Set(P{"m", 2}, "z")}, "m: [b, z]\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan(t, c.in, c.ops...)
			if err != nil {
				t.Fatal(err)
			}
			if got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

// TestSession plans several fixes over the same file.
func TestSession(t *testing.T) {
	f := source.NewFile("f", []byte("m:\n  a: 1\n  b: 2\nl: [x]\n"))
	st := mirror(t, f)
	s := NewSession()
	reason := func(err error) Reason {
		r, ok := err.(*Refusal)
		if !ok {
			return ""
		}
		return r.Reason
	}
	if err := s.Add(st, []model.Op{model.Remove(P{"m", "a"})}); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(st, []model.Op{model.Set(P{"m", "c"}, 3), model.Set(P{"m", "a"}, 3)}); reason(err) != ReasonConflict {
		t.Errorf("set in a removed entry: %v", err)
	}
	if err := s.Add(st, []model.Op{model.Set(P{"m", "b"}, 3)}); err != nil {
		t.Error(err)
	}
	if err := s.Add(st, []model.Op{model.Set(P{"m", "b"}, 4)}); reason(err) != ReasonConflict {
		t.Errorf("set twice: %v", err)
	}
	if err := s.Add(st, []model.Op{model.Append(P{"l"}, "z")}); err != nil {
		t.Error(err)
	}
	if err := s.Add(st, []model.Op{model.Append(P{"l"}, "z")}); reason(err) != ReasonExists {
		t.Errorf("append twice: %v", err)
	}
	if err := s.Add(st, []model.Op{model.Set(P{"s", "x"}, 1)}); err != nil {
		t.Error(err)
	}
	if err := s.Add(st, []model.Op{model.Set(P{"s", "w"}, 1)}); err != nil && reason(err) != ReasonConflict {
		t.Errorf("in a section of another fix: %v", err)
	}
	// Another reading of the same file.
	again := mirror(t, source.NewFile("f", f.Bytes))
	if err := s.Add(again, []model.Op{model.Rename(P{"l"}, "k")}); err != nil {
		t.Error(err)
	}
	want := "m:\n  b: 3\nk: [x, z]\ns:\n  x: 1\n"
	if got := string(applied(t, f, s.Edits())); got != want && !strings.HasPrefix(got, want) {
		t.Errorf("got %q", got)
	}
	if got := string(s.Content()["f"]); !strings.HasPrefix(got, want) {
		t.Errorf("content %q", got)
	}
}
