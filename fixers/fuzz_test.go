package fixers

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
	"agentlint/internal/source/sourcetest"
)

func FuzzYAMLEdit(f *testing.F) {
	for seed := range uint64(60) {
		f.Add([]byte(sourcetest.YAML(rand.New(rand.NewPCG(seed, 5)))), seed)
	}
	for _, s := range []string{"a: |+\n  x\nb: 1\n\nc: 2\n", "a: {k0: , k1: 1}\n", "{\"a\": [1, {\"b\": null}]}", "- - a\n  - b: &x 1\n- *x\n", "a: >-\n  x\n\n   y\n# c\n"} {
		f.Add([]byte(s), uint64(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		file := source.NewFile("f.yaml", b)
		if len(b) > 4000 || !oneDocument(file) || hasDuplicates(t, file) {
			return
		}
		st := mirror(t, file)
		checkOp(t, file, st, randomOp(rand.New(rand.NewPCG(seed, 0)), st), newTally())
	})
}

// hasDuplicates reports whether a key is written twice somewhere, or a name stands for two places, so that the model's
// paths do not tell all of the text.
func hasDuplicates(t testing.TB, f *source.File) bool {
	found := false
	var visit func(n *source.Node)
	visit = func(n *source.Node) {
		if n.Kind == source.Map {
			seen := map[string]bool{}
			for _, e := range slots(n) {
				found = found || seen[e.key.Text] || e.key.Kind != source.Scalar || e.key.IsMergeKey() || e.key.Tag() != ""
				seen[e.key.Text] = true
			}
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	visit(parseAny(t, f))
	return found
}

// editEnv makes a random operation in an env file and checks the outcome by itself. It reports what it made.
func editEnv(t testing.TB, f *source.File, d source.EnvDialect, r *rand.Rand, y *tally) []byte {
	t.Helper()
	before := source.ParseEnv(f, d)
	if len(before.Errors) > 0 {
		y.total++
		return nil
	}
	st := envStack(f, d)
	env := st.Root.At("gateway", "env")
	values := []string{"1", "true", "a b", "", "it's", "x#y", "x # y", "\"q\"", "$X", "a\\b", "é", " lead", "http://h/v1?a=b", "sk\tx", "{\"a\": 1}"}
	value := values[r.IntN(len(values))]
	name := fmt.Sprintf("NEW_%d", r.IntN(3))
	if keys := env.Keys(); len(keys) > 0 && r.IntN(4) > 0 {
		name = keys[r.IntN(len(keys))]
	}
	op := model.Set(envPath(name), value)
	switch r.IntN(4) {
	case 0:
		op = model.Remove(envPath(name))
	case 1:
		op = model.Rename(envPath(name), "RENAMED")
	}
	y.total++
	edits, err := Plan(st, []model.Op{op})
	if err != nil {
		y.refused[err.(*Refusal).Reason]++
		y.texts[string(op.Kind)+": "+err.(*Refusal).Text]++
		return nil
	}
	y.made[op.Kind]++
	out := applied(t, f, edits)
	after := source.ParseEnv(source.NewFile(f.Path, out), d)
	read := func(e *source.EnvFile) map[string]string {
		m := map[string]string{}
		for _, x := range e.Entries {
			m[x.Name] = x.Pieces.String()
			if x.Bare {
				m[x.Name] = "bare"
			}
		}
		return m
	}
	want, got := read(before), read(after)
	switch op.Kind {
	case model.OpSet:
		want[name] = value
	case model.OpRemove:
		delete(want, name)
	case model.OpRename:
		want["RENAMED"] = want[name]
		delete(want, name)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("%q (dialect %d)\nbecomes\n%q\nby %s %s %q:\n got %q\nwant %q", f.Bytes, d, out, op.Kind, name, value, got, want)
	}
	return out
}

func randomEnv(r *rand.Rand) string {
	nl := []string{"\n", "\n", "\r\n"}[r.IntN(3)]
	var b strings.Builder
	if r.IntN(10) == 0 {
		b.WriteString("\ufeff")
	}
	for i := range r.IntN(9) {
		switch r.IntN(6) {
		case 0:
			b.WriteString("# comment" + nl)
			continue
		case 1:
			b.WriteString(nl)
			continue
		}
		b.WriteString([]string{"", "", "", "export ", " "}[r.IntN(5)])
		fmt.Fprintf(&b, "V_%d", r.IntN(i+2))
		b.WriteString([]string{"=x", "=", "=\"a b\"", "='c'", "=1 # c", "=${V_0:-d}", "=$V_1", " = y", "", "=a=b", "=\"x\\ny\"", "=é"}[r.IntN(12)])
		b.WriteString([]string{"", "", " ", " # c"}[r.IntN(4)] + nl)
	}
	s := b.String()
	if r.IntN(4) == 0 {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

func TestRandomEnvEdits(t *testing.T) {
	y := newTally()
	for seed := uint64(1); y.total < editCount(t, 2000); seed++ {
		r := rand.New(rand.NewPCG(seed, 3))
		f := source.NewFile(".env", []byte(randomEnv(r)))
		d := source.EnvDialect(r.IntN(4))
		for range 4 {
			if out := editEnv(t, f, d, r, y); out != nil {
				f = source.NewFile(".env", out)
			}
		}
	}
	y.log(t)
}

func FuzzEnvEdit(f *testing.F) {
	for seed := range uint64(40) {
		f.Add([]byte(randomEnv(rand.New(rand.NewPCG(seed, 4)))), seed)
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		if len(b) < 4000 {
			r := rand.New(rand.NewPCG(seed, 0))
			editEnv(t, source.NewFile(".env", b), source.EnvDialect(r.IntN(4)), r, newTally())
		}
	})
}

// editArgs makes a random operation in a command line and checks the words by reading the text again.
func editArgs(t testing.TB, f *source.File, line *source.CommandLine, read func(*source.File) []string, r *rand.Rand, y *tally) []byte {
	t.Helper()
	st := argsStack(line)
	args := st.Root.At("engines", 0, "args")
	values := []string{"2", "a b", "x'y", "{\"a\": 1}", "http://h:1/v1", "$X", "a\"b", "100%", "é", "a#b", "*"}
	value := values[r.IntN(len(values))]
	name := fmt.Sprintf("new-%d", r.IntN(3))
	if keys := args.Keys(); len(keys) > 0 && r.IntN(4) > 0 {
		name = keys[r.IntN(len(keys))]
	}
	op := model.Set(argPath(name), value)
	switch r.IntN(4) {
	case 0:
		op = model.Remove(argPath(name))
	case 1:
		op = model.Rename(argPath(name), "renamed")
	}
	y.total++
	edits, err := Plan(st, []model.Op{op})
	if err != nil {
		y.refused[err.(*Refusal).Reason]++
		y.texts[string(op.Kind)+": "+err.(*Refusal).Text]++
		return nil
	}
	y.made[op.Kind]++
	out := applied(t, f, edits)
	before, after := read(f), read(source.NewFile(f.Path, out))
	// Words that are there before and after, in order, are the same but for the argument.
	fail := func(why string) {
		t.Fatalf("%q\nbecomes\n%q\nby %s %s %q: %s\n%q\n%q", f.Bytes, out, op.Kind, name, value, why, before, after)
	}
	switch op.Kind {
	case model.OpSet:
		if v := args.Get(name); v != nil && v.Len() > 1 {
			return out
		}
		if !slices.ContainsFunc(after, func(w string) bool { return w == value || strings.HasSuffix(w, "="+value) }) {
			fail("the value is not there")
		}
	case model.OpRemove:
		is := func(w string) bool { return w == "--"+name || strings.HasPrefix(w, "--"+name+"=") }
		here, there := 0, 0
		for _, w := range line.Words {
			if is(w.Text) {
				here++
			}
		}
		for _, w := range before {
			if is(w) {
				there++
			}
		}
		// Another program of the text may have it, too.
		if here == there && slices.ContainsFunc(after, is) {
			fail("the flag is there")
		}
		if len(after) >= len(before) {
			fail("no word is gone")
		}
	case model.OpRename:
		if !slices.ContainsFunc(after, func(w string) bool { return w == "--renamed" || strings.HasPrefix(w, "--renamed=") }) {
			fail("the new name is not there")
		}
		if len(after) != len(before) {
			fail("the number of words changes")
		}
	}
	return out
}

// randomFlags returns flags, with what separates them.
func randomFlags(r *rand.Rand, sep string, words []string) string {
	b := strings.Builder{}
	for i := range 1 + r.IntN(5) {
		b.WriteString(sep)
		w := words[r.IntN(len(words))]
		switch r.IntN(4) {
		case 0:
			fmt.Fprintf(&b, "--f%d=%s", i, w)
		case 1:
			fmt.Fprintf(&b, "--enforce-eager")
		default:
			fmt.Fprintf(&b, "--f%d %s", i, w)
		}
	}
	return b.String()
}

func randomScript(r *rand.Rand) (text, how string) {
	words := []string{"1", "'a b'", "\"c d\"", "x", "'{\"k\": 1}'", "http://h/v1", "${X:-3}", "\"$Y\"", "a\\ b"}
	nl := []string{"\n", "\n", "\r\n"}[r.IntN(3)]
	seps := []string{" ", " \\" + nl + "  ", " \\" + nl + "\t"}
	sep := seps[r.IntN(len(seps))]
	command := "vllm serve m" + randomFlags(r, sep, words)
	switch r.IntN(7) {
	case 0:
		return "#!/bin/sh" + nl + "set -e" + nl + "exec " + command + nl, "shell"
	case 1:
		return "echo start" + nl + "A=1 " + command + " > log 2>&1 &" + nl + "wait" + nl, "shell"
	case 2:
		return "c: >-" + nl + "  vllm serve m" + randomFlags(r, []string{" ", nl + "  "}[r.IntN(2)], words[:6]) + nl + "d: 1" + nl, "compose"
	case 3:
		return "c:" + nl + "  - sh" + nl + "  - -c" + nl + "  - |" + nl + "    " + strings.ReplaceAll(command, nl, nl+"    ") + nl + "    echo end" + nl, "list"
	case 4:
		items := strings.Fields("vllm serve m" + randomFlags(r, " ", []string{"1", "x", "'a'", "\"2\""}))
		if r.IntN(2) == 0 {
			for i, w := range items {
				items[i] = quoteDouble(strings.Trim(w, "'\""))
			}
			return "c: [" + strings.Join(items, ", ") + "] # c" + nl, "list"
		}
		return "c:" + nl + "  - " + strings.Join(items, nl+"  - ") + nl + "d: 1", "list"
	case 5:
		return "[Service]" + nl + "ExecStart=" + command + nl + "Restart=always" + nl, "unit"
	}
	return "FROM a" + nl + "CMD " + strings.ReplaceAll(command, "\t", "  ") + nl, "docker"
}

// wordReader reads all words of a text.
func wordReader(t testing.TB, how string) func(*source.File) []string {
	return func(f *source.File) []string {
		var programs []source.Program
		switch how {
		case "list", "compose":
			x := source.NoExpansion
			if how == "compose" {
				x = source.ComposeExpansion
			}
			a, _ := source.ArgsFromNode(f, parseAny(t, f).Get("c"), x, nil)
			programs = source.Programs(source.JoinArgs(a), nil)
		case "shell":
			programs = programsOf(f, shellText)
		case "unit":
			programs = programsOf(f, unitText)
		default:
			programs = programsOf(f, dockerText)
		}
		var out []string
		for _, p := range programs {
			out = append(out, wordTexts(p.Line)...)
		}
		return out
	}
}

func TestRandomArgumentEdits(t *testing.T) {
	y := newTally()
	for seed := uint64(1); y.total < editCount(t, 2000); seed++ {
		r := rand.New(rand.NewPCG(seed, 6))
		text, how := randomScript(r)
		f := source.NewFile("f", []byte(text))
		for range 4 {
			out := editArgs(t, f, commandLine(t, f, how), wordReader(t, how), r, y)
			if out != nil {
				f = source.NewFile("f", out)
			}
		}
	}
	y.log(t)
}

func FuzzArgsEdit(f *testing.F) {
	for seed := range uint64(60) {
		text, _ := randomScript(rand.New(rand.NewPCG(seed, 8)))
		f.Add([]byte(text), seed)
	}
	f.Fuzz(func(t *testing.T, b []byte, seed uint64) {
		if len(b) > 2000 {
			return
		}
		file := source.NewFile("f", b)
		for kind := range textKinds {
			for _, p := range programsOf(file, kind) {
				if len(p.Line.Words) == 0 || p.Line.Words[0].Args.File != file {
					continue
				}
				read := func(f *source.File) []string {
					var out []string
					for _, p := range programsOf(f, kind) {
						out = append(out, wordTexts(p.Line)...)
					}
					return out
				}
				if kind == composeText {
					continue
				}
				editArgs(t, file, p.Line, read, rand.New(rand.NewPCG(seed, 0)), newTally())
				return
			}
		}
	})
}
