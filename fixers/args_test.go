package fixers

import (
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// testSpec knows the flags of the cases.
type testSpec struct{}

func (testSpec) Lookup(option string) (source.FlagInfo, bool) {
	name := strings.TrimLeft(option, "-")
	switch name {
	case "enforce-eager", "trust-remote-code":
		return source.FlagInfo{Name: name, Arity: source.AritySwitch}, true
	case "served-model-name":
		return source.FlagInfo{Name: name, Arity: source.ArityMany}, true
	}
	return source.FlagInfo{Name: name, Arity: source.ArityOne}, true
}

func (testSpec) Prefix(string) []string { return nil }

// argsStack is a stack with one engine that has the flags of a command line.
func argsStack(line *source.CommandLine) *model.Stack {
	fl := source.ParseFlags(line, testSpec{})
	args := model.NewMap(model.Origin{Source: model.FromArgs, File: line.Words[len(line.Words)-1].Args.File, Detail: &model.Detail{Arg: &model.Argument{Line: line, Flag: -1}}})
	for i := range fl.Flags {
		a := &fl.Flags[i]
		origin := func(value int) model.Origin {
			arg := &model.Argument{Line: line, Flag: a.Index}
			for _, v := range a.Values {
				arg.Values = append(arg.Values, v.Index)
			}
			return model.Origin{Source: model.FromArgs, File: line.Words[a.Index].Args.File, Key: a.NameSpan, Span: a.NameSpan, Detail: &model.Detail{Arg: arg}}
		}
		list := model.NewList(origin(-1))
		for j, v := range a.Values {
			list.Append(model.NewText(v.Text, origin(j)))
		}
		args.Override(a.Name, list)
	}
	engine := model.NewMap(model.Origin{})
	engine.Set("args", args)
	root := model.NewMap(model.Origin{})
	root.Set("engines", model.NewList(model.Origin{}, engine))
	return &model.Stack{Root: root}
}

// programLine returns the command line of the program vllm or litellm that a text starts.
func programLine(t testing.TB, programs []source.Program) *source.CommandLine {
	t.Helper()
	for _, p := range programs {
		for i, w := range p.Line.Words {
			if w.Text == "vllm" || w.Text == "litellm" {
				return &source.CommandLine{Words: p.Line.Words[i:]}
			}
		}
	}
	t.Fatal("no program")
	return nil
}

// commandLine reads the command line of a text: a YAML value under "c", a shell script, a unit or a Dockerfile.
func commandLine(t testing.TB, f *source.File, how string) *source.CommandLine {
	t.Helper()
	switch how {
	case "list", "compose", "json":
		n := parseAny(t, f).Get("c")
		x := source.NoExpansion
		if how == "compose" {
			x = source.ComposeExpansion
		}
		a, err := source.ArgsFromNode(f, n, x, nil)
		if err != nil {
			t.Fatal(err)
		}
		return programLine(t, source.Programs(source.JoinArgs(a), nil))
	case "shell":
		return programLine(t, programsOf(f, shellText))
	case "unit":
		return programLine(t, programsOf(f, unitText))
	}
	return programLine(t, programsOf(f, dockerText))
}

func argPath(elems ...any) P { return append(P{"engines", 0, "args"}, elems...) }

func TestArgumentEdits(t *testing.T) {
	set := func(flag string, v any) model.Op { return model.Set(argPath(flag), v) }
	for _, c := range []struct {
		name, how, in string
		op            model.Op
		want          string
	}{
		// Lists.
		{"set", "list", "c:\n  - vllm\n  - --x\n  - \"1\" # c\n", set("x", 2), "c:\n  - vllm\n  - --x\n  - \"2\" # c\n"},
		{"set inline", "list", "c: [vllm, --x=1, --y]\n", set("x", "2"), "c: [vllm, --x=2, --y]\n"},
		{"drop inline value", "list", "c: [vllm, --x=true, --y]\n", model.Set(argPath("x"), true), "c: [vllm, --x, --y]\n"},
		{"set inline quoted", "list", "c: ['vllm', '--x={\"a\":1}']\n", set("x", "{\"a\":2}"), "c: ['vllm', '--x={\"a\":2}']\n"},
		{"set one of two", "list", "c: [vllm, --served-model-name, a, b]\n", model.Set(argPath("served-model-name", 1), "z"), "c: [vllm, --served-model-name, a, z]\n"},
		{"set more values", "list", "c: [vllm, --served-model-name, a, --x, q]\n", set("served-model-name", []any{"a", "b"}), "c: [vllm, --served-model-name, a, b, --x, q]\n"},
		{"set fewer values", "list", "c: [vllm, --served-model-name, a, b]\n", set("served-model-name", "b"), "c: [vllm, --served-model-name, b]\n"},
		{"append a value", "list", "c: [vllm, --served-model-name, a]\n", model.Append(argPath("served-model-name"), "b"), "c: [vllm, --served-model-name, a, b]\n"},
		{"add", "list", "c:\n- vllm\n- --x\n- \"1\"\n", set("y", 2), "c:\n- vllm\n- --x\n- \"1\"\n- --y\n- \"2\"\n"},
		{"add inline", "list", "c:\n- vllm\n- --x=1\n", set("y", 2), "c:\n- vllm\n- --x=1\n- --y=2\n"},
		{"add a switch", "list", "c:\n- vllm\n- --x=1\n", set("enforce-eager", true), "c:\n- vllm\n- --x=1\n- --enforce-eager\n"},
		{"add to a flow list on lines", "list", "c: [\n  \"vllm\",\n  \"--x\", \"1\"\n]\n", set("y", 2), "c: [\n  \"vllm\",\n  \"--x\", \"1\", \"--y\", \"2\"\n]\n"},
		{"remove", "list", "c:\n- vllm\n# about x\n- --x\n- \"1\"\n- --y=2\n", model.Remove(argPath("x")), "c:\n- vllm\n- --y=2\n"},
		{"remove inline", "list", "c: [vllm, --x=1, --y=2]\n", model.Remove(argPath("x")), "c: [vllm, --y=2]\n"},
		{"remove a switch", "list", "c:\n- vllm\n- --enforce-eager\n- m\n", model.Remove(argPath("enforce-eager")), "c:\n- vllm\n- m\n"},
		{"remove all of a flag", "list", "c: [vllm, --x, '1', --y, '2', --x, '3']\n", model.Remove(argPath("x")), "c: [vllm, --y, '2']\n"},
		{"rename", "list", "c: [vllm, --x, '1']\n", model.Rename(argPath("x"), "z"), "c: [vllm, --z, '1']\n"},
		{"rename inline", "list", "c:\n- vllm\n- \"--x=1\"\n", model.Rename(argPath("x"), "--z"), "c:\n- vllm\n- \"--z=1\"\n"},
		{"replace", "list", "c: [vllm, --x=a b]\n", model.ReplaceText(argPath("x"), "a", "z"), "c: [vllm, --x=z b]\n"},
		{"comment", "list", "c:\n- vllm\n- --x=1\n", model.Op{Kind: model.OpInsertComment, At: argPath("x"), Name: "why"}, "c:\n- vllm\n# why\n- --x=1\n"},
		{"JSON", "json", "{\"c\": [\"vllm\", \"--x\", \"1\"]}\n", set("y", 2), "{\"c\": [\"vllm\", \"--x\", \"1\", \"--y\", \"2\"]}\n"},

		// Scripts in a list.
		{"sh -c", "list", "c:\n- sh\n- -c\n- vllm serve m --x 1 && echo done\n", set("x", 2), "c:\n- sh\n- -c\n- vllm serve m --x 2 && echo done\n"},
		{"sh -c add", "list", "c: [sh, -c, 'exec vllm serve m --x 1']\n", set("y", 2), "c: [sh, -c, 'exec vllm serve m --x 1 --y 2']\n"},
		{"sh -c literal", "list", "c:\n- sh\n- -c\n- |\n  echo a\n  vllm serve m \\\n    --x 1 \\\n    --z 3\n  echo b\n", set("y", 2), "c:\n- sh\n- -c\n- |\n  echo a\n  vllm serve m \\\n    --x 1 \\\n    --z 3 \\\n    --y 2\n  echo b\n"},
		{"sh -c literal remove", "list", "c:\n- sh\n- -c\n- |\n  vllm serve m \\\n    --x 1 \\\n    --z 3\n", model.Remove(argPath("x")), "c:\n- sh\n- -c\n- |\n  vllm serve m \\\n    --z 3\n"},

		// Compose strings.
		{"string", "compose", "c: vllm serve m --x 1 # c\n", set("x", 2), "c: vllm serve m --x 2 # c\n"},
		{"string add", "compose", "c: vllm serve m --x 1\n", set("y", "a b"), "c: vllm serve m --x 1 --y 'a b'\n"},
		{"string in quotes", "compose", "c: \"vllm serve m --x '{\\\"a\\\": 1}'\"\n", set("x", "{\"a\": 2}"), "c: \"vllm serve m --x '{\\\"a\\\": 2}'\"\n"},
		{"folded", "compose", "c: >\n  vllm serve m\n  --x 1\n  --z 3\nd: 1\n", set("x", 2), "c: >\n  vllm serve m\n  --x 2\n  --z 3\nd: 1\n"},
		{"folded add", "compose", "c: >-\n  vllm serve m\n  --x 1\n  --z 3\nd: 1\n", set("y", 2), "c: >-\n  vllm serve m\n  --x 1\n  --z 3\n  --y 2\nd: 1\n"},
		{"folded remove", "compose", "c: >-\n  vllm serve m\n  --x 1\n  --z 3\nd: 1\n", model.Remove(argPath("x")), "c: >-\n  vllm serve m\n  --z 3\nd: 1\n"},
		{"folded remove last", "compose", "c: >\n  vllm serve m\n  --x 1\n  --z 3\nd: 1\n", model.Remove(argPath("z")), "c: >\n  vllm serve m\n  --x 1\nd: 1\n"},
		{"alternative", "compose", "c: vllm serve m --x ${X:-1} --z 3\n", set("x", 2), "c: vllm serve m --x ${X:-2} --z 3\n"},
		{"alternative remove", "compose", "c: vllm serve m --x ${X:-1} --z 3\n", model.Remove(argPath("x")), "c: vllm serve m --z 3\n"},
		{"after an alternative", "compose", "c: vllm serve m --x ${X:-1}\n", set("y", 2), "c: vllm serve m --x ${X:-1} --y 2\n"},
		{"script in a string", "compose", "c: sh -c \"vllm serve m --x 1\"\n", set("y", 2), "c: sh -c \"vllm serve m --x 1 --y 2\"\n"},
		{"script in a string, remove", "compose", "c: sh -c 'vllm serve m --x 1 --y 2'\n", model.Remove(argPath("x")), "c: sh -c 'vllm serve m --y 2'\n"},
		{"script in a string, set", "compose", "c: bash -c \"exec vllm serve m --x=1\"\n", set("x", 2), "c: bash -c \"exec vllm serve m --x=2\"\n"},

		// Shell scripts.
		{"shell", "shell", "#!/bin/sh\n# start\nexec vllm serve m --x 1 --z 3 # c\n", set("x", 2), "#!/bin/sh\n# start\nexec vllm serve m --x 2 --z 3 # c\n"},
		{"shell inline", "shell", "vllm serve m --x=1\n", set("x", 2), "vllm serve m --x=2\n"},
		{"shell quotes", "shell", "vllm serve m --x \"1 2\"\n", set("x", "3 4"), "vllm serve m --x \"3 4\"\n"},
		{"shell needs quotes", "shell", "vllm serve m --x 1\n", set("x", "{\"a\": 1}"), "vllm serve m --x '{\"a\": 1}'\n"},
		{"shell drop inline value", "shell", "vllm serve m --x=true --y\n", model.Set(argPath("x"), true), "vllm serve m --x --y\n"},
		{"shell inline needs quotes", "shell", "vllm serve m --x=1\n", set("x", "{\"a\": 1}"), "vllm serve m --x='{\"a\": 1}'\n"},
		{"shell inline in quotes", "shell", "vllm serve m --x='{\"a\": 1}'\n", set("x", "{\"a\": 2}"), "vllm serve m --x='{\"a\": 2}'\n"},
		{"continuation set", "shell", "vllm serve m \\\n  --x 1 \\\n  --z 3\n", set("z", 4), "vllm serve m \\\n  --x 1 \\\n  --z 4\n"},
		{"continuation add", "shell", "vllm serve m \\\n  --x 1 \\\n  --z 3\n", set("y", 2), "vllm serve m \\\n  --x 1 \\\n  --z 3 \\\n  --y 2\n"},
		{"continuation add CRLF", "shell", "vllm serve m \\\r\n  --x 1 \\\r\n  --z 3\r\n", set("y", 2), "vllm serve m \\\r\n  --x 1 \\\r\n  --z 3 \\\r\n  --y 2\r\n"},
		{"continuation remove", "shell", "vllm serve m \\\n  --x 1 \\\n  --z 3\n", model.Remove(argPath("x")), "vllm serve m \\\n  --z 3\n"},
		{"continuation remove last", "shell", "vllm serve m \\\n  --x 1 \\\n  --z 3\n", model.Remove(argPath("z")), "vllm serve m \\\n  --x 1\n"},
		{"continuation remove first of a line", "shell", "vllm serve m \\\n  --x 1 --z 3 \\\n  --q 4\n", model.Remove(argPath("x")), "vllm serve m \\\n  --z 3 \\\n  --q 4\n"},
		{"continuation rename", "shell", "vllm serve m \\\n  --x 1\n", model.Rename(argPath("x"), "z"), "vllm serve m \\\n  --z 1\n"},
		{"other commands stay", "shell", "echo --x 1\nvllm serve m --x 1 | tee log\n", model.Remove(argPath("x")), "echo --x 1\nvllm serve m | tee log\n"},
		{"docker run", "shell", "docker run -e A=1 img vllm serve m --x 1\n", set("x", 2), "docker run -e A=1 img vllm serve m --x 2\n"},

		// systemd.
		{"unit", "unit", "[Service]\nExecStart=/usr/bin/env vllm serve m \\\n  --x 1\nRestart=always\n", set("y", 2), "[Service]\nExecStart=/usr/bin/env vllm serve m \\\n  --x 1 \\\n  --y 2\nRestart=always\n"},
		{"unit set", "unit", "[Service]\nExecStart=vllm serve m --x=1\n", set("x", 2), "[Service]\nExecStart=vllm serve m --x=2\n"},

		// Dockerfiles.
		{"exec form", "docker", "FROM a\nCMD [\"vllm\", \"serve\", \"m\", \"--x\", \"1\"]\n", set("x", 2), "FROM a\nCMD [\"vllm\", \"serve\", \"m\", \"--x\", \"2\"]\n"},
		{"exec form add", "docker", "FROM a\nCMD [\"vllm\", \"serve\", \"m\"]\n", set("y", "a\"b"), "FROM a\nCMD [\"vllm\", \"serve\", \"m\", \"--y\", \"a\\\"b\"]\n"},
		{"exec form remove", "docker", "FROM a\nCMD [\"vllm\", \"serve\", \"m\", \"--x\", \"1\", \"--z\"]\n", model.Remove(argPath("x")), "FROM a\nCMD [\"vllm\", \"serve\", \"m\", \"--z\"]\n"},
		{"exec form on lines", "docker", "FROM a\nCMD [\"vllm\", \\\n     \"--x\", \"1\", \\\n     \"--z\"]\n", model.Remove(argPath("x")), "FROM a\nCMD [\"vllm\", \\\n     \"--z\"]\n"},
		{"exec form rename", "docker", "FROM a\nENTRYPOINT [\"vllm\"]\nCMD [\"--x=1\"]\n", model.Rename(argPath("x"), "z"), "FROM a\nENTRYPOINT [\"vllm\"]\nCMD [\"--z=1\"]\n"},
		{"shell form", "docker", "FROM a\nCMD exec vllm serve m --x 1\n", set("x", 2), "FROM a\nCMD exec vllm serve m --x 2\n"},
		{"shell form add", "docker", "FROM a\nCMD vllm serve m \\\n    --x 1\n", set("y", 2), "FROM a\nCMD vllm serve m \\\n    --x 1 --y 2\n"},
		{"shell form remove", "docker", "FROM a\nCMD vllm serve m \\\n    --x 1 \\\n    --z 3\n", model.Remove(argPath("x")), "FROM a\nCMD vllm serve m \\\n    --z 3\n"},

		// The model in front.
		{"model to the front", "list", "c: [vllm, serve, --model, m, --x=1]\n", model.Op{Kind: model.OpMove, At: argPath("model"), To: P{"engines", 0, "model"}}, "c: [vllm, serve, m, --x=1]\n"},
		{"swallowed model", "shell", "vllm serve --served-model-name a m\n", model.Op{Kind: model.OpMove, At: argPath("served-model-name", 1), To: P{"engines", 0, "model"}}, "vllm serve m --served-model-name a\n"},
		{"model inline", "shell", "vllm serve --model=m --x 1\n", model.Op{Kind: model.OpMove, At: argPath("model"), To: P{"engines", 0, "model"}}, "vllm serve m --x 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f", []byte(c.in))
			edits, err := Plan(argsStack(commandLine(t, f, c.how)), []model.Op{c.op})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(applied(t, f, edits)); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestArgumentRefusals(t *testing.T) {
	for _, c := range []struct {
		name, how, in string
		op            model.Op
		want          Reason
	}{
		{"variable", "shell", "vllm serve m --x \"$X\"\n", model.Set(argPath("x"), 1), ReasonTemplate},
		{"written elsewhere", "shell", "ARGS='--x 1'\nvllm serve m $ARGS\n", model.Set(argPath("x"), 2), ReasonTemplate},
		{"false", "shell", "vllm serve m\n", model.Set(argPath("x"), false), ReasonInput},
		{"no flag", "shell", "vllm serve m\n", model.Remove(argPath("x")), ReasonNoPlace},
		{"alias", "list", "a: &x --x=1\nc: [vllm, *x]\n", model.Remove(argPath("x")), ReasonAlias},
		{"a dollar for compose", "compose", "c: vllm serve m --x 1\n", model.Set(argPath("x"), "$HOME"), ReasonForm},
		{"quotes inside quotes", "compose", "c: sh -c \"vllm serve m --x 1\"\n", model.Set(argPath("x"), "{\"a\": 1}"), ReasonForm},
		{"secret", "shell", "vllm serve m\n", model.Set(argPath("api-key"), "0123456789ab"), ReasonSecret},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile("f", []byte(c.in))
			edits, err := Plan(argsStack(commandLine(t, f, c.how)), []model.Op{c.op})
			if r, ok := err.(*Refusal); !ok || r.Reason != c.want {
				t.Errorf("got %v %v, want a refusal for %s", edits, err, c.want)
			}
		})
	}
}
