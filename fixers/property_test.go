package fixers

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
	"agentlint/internal/source/sourcetest"
)

// editCount returns how many edits a property test makes: few, or as many as FIXERS_EDITS says.
func editCount(t testing.TB, few int) int {
	if s := os.Getenv("FIXERS_EDITS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("FIXERS_EDITS: %v", err)
		}
		return n
	}
	return few
}

// tally counts edits and refusals.
type tally struct {
	made    map[model.OpKind]int
	refused map[Reason]int
	texts   map[string]int
	total   int
}

func newTally() *tally {
	return &tally{made: map[model.OpKind]int{}, refused: map[Reason]int{}, texts: map[string]int{}}
}

func (y *tally) log(t testing.TB) {
	t.Logf("%d operations; made %v; refused %v", y.total, y.made, y.refused)
	var keys []string
	for k := range y.texts {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b string) int { return y.texts[b] - y.texts[a] })
	for _, k := range keys[:min(len(keys), 25)] {
		t.Logf("%6d %s", y.texts[k], k)
	}
}

// randomOp returns an operation on a random value of a document.
func randomOp(r *rand.Rand, st *model.Stack) model.Op {
	var paths []model.Path
	var maps, lists []model.Path
	st.Root.Walk(func(p model.Path, v *model.Value) {
		p = p.With()
		paths = append(paths, p)
		switch v.Kind {
		case model.Map:
			maps = append(maps, p)
		case model.List:
			lists = append(lists, p)
		case model.Null:
			maps, lists = append(maps, p), append(lists, p)
		}
	})
	pick := func(list []model.Path) model.Path {
		if len(list) == 0 {
			return paths[r.IntN(len(paths))]
		}
		return list[r.IntN(len(list))]
	}
	scalars := []any{1, true, nil, 2.5, "x", "a b", "yes", "", "é: #", "it's", "tab\there", "line\nbreak", "- x", "[a", "1e3", "~", "😀", " lead"}
	scalar := func() any { return scalars[r.IntN(len(scalars))] }
	value := scalar()
	switch r.IntN(4) {
	case 0:
		value = []any{scalar(), scalar()}
	case 1:
		value = map[string]any{"k": scalar(), "l": []any{scalar(), map[string]any{"m": scalar()}}}
	}
	names := []string{"z", "new key", "on", "é", "k9"}
	name := names[r.IntN(len(names))]
	switch r.IntN(10) {
	case 0, 1:
		return model.Set(pick(paths), value)
	case 2:
		return model.Set(pick(maps).With(name), value)
	case 3:
		return model.Set(pick(maps).With(name, "sub"), value)
	case 4:
		return model.Append(pick(lists), value)
	case 5, 6:
		return model.Remove(pick(paths))
	case 7:
		return model.Rename(pick(paths), name)
	case 8:
		return model.Op{Kind: model.OpInsertComment, At: pick(paths), Name: "why: [\nso"}
	}
	return model.Op{Kind: model.OpMove, At: pick(paths), To: pick(maps).With(name)}
}

// checkOp plans one operation on a text and checks the result by itself: bytes outside the edits are the same,
// the new text is read, the operation made again on it changes nothing or is refused, and the model differs
// where the operation says.
func checkOp(t testing.TB, f *source.File, st *model.Stack, op model.Op, y *tally) []byte {
	t.Helper()
	y.total++
	edits, err := Plan(st, []model.Op{op})
	if err != nil {
		var r *Refusal
		if !errors.As(err, &r) {
			t.Fatalf("%q\n%v: error without a reason: %v", f.Bytes, op, err)
		}
		y.refused[r.Reason]++
		if r.Reason == ReasonVerify || r.Reason == ReasonForm {
			text := r.Text
			if i := strings.Index(text, "at byte"); i >= 0 {
				text = text[:i]
			}
			y.texts[string(op.Kind)+": "+text]++
		}
		return nil
	}
	y.made[op.Kind]++
	if len(edits) == 0 {
		return nil
	}
	out := applied(t, f, edits)
	// What stands below env is a variable, and its value a text.
	if n := len(op.At); n > 1 && op.At[n-2] == "env" || len(op.To) > 1 && op.To[len(op.To)-2] == "env" {
		return out
	}
	next := source.NewFile(f.Path, out)
	var after *model.Value
	root := parseAny(t, next)
	after = valueOf(next, root, nil, 0)
	checkValueChange(t, f, out, st.Root, after, op)
	return out
}

// checkValueChange compares the models before and after by the meaning of the operation.
func checkValueChange(t testing.TB, f *source.File, out []byte, before, after *model.Value, op model.Op) {
	t.Helper()
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("%q\nbecomes\n%q\nby %s %v (%#v %q to %v): %s", f.Bytes, out, op.Kind, op.At, op.Value, op.Name, op.To, fmt.Sprintf(format, args...))
	}
	want := clone(before)
	var moved *model.Value
	switch op.Kind {
	case model.OpInsertComment:
	case model.OpSet:
		want = put(want, op.At, toValue(op.Value))
	case model.OpAppend:
		l := want.At(op.At...)
		switch {
		case l == nil || l.Kind == model.Null:
			want = put(want, op.At, model.NewList(model.Origin{}, toValue(op.Value)))
		default:
			l.Append(toValue(op.Value))
		}
	case model.OpRemove:
		want = drop(want, op.At)
	case model.OpMove:
		moved = want.At(op.At...)
		want = drop(put(want, op.To, moved), op.At)
	case model.OpRename:
		v := want.At(op.At...)
		want = drop(want, op.At)
		want = put(want, append(op.At[:len(op.At)-1:len(op.At)-1], op.Name), v)
	}
	if a, b := show(want), show(after); a != b {
		fail("\n got %s\nwant %s", b, a)
	}
}

func toValue(x any) *model.Value {
	o := model.Origin{}
	switch x := x.(type) {
	case nil:
		return &model.Value{Kind: model.Null}
	case bool:
		return model.NewBool(x, o)
	case int:
		return model.NewInt(int64(x), o)
	case float64:
		return model.NewFloat(x, o)
	case string:
		return model.NewText(x, o)
	case []any:
		l := model.NewList(o)
		for _, y := range x {
			l.Append(toValue(y))
		}
		return l
	case map[string]any:
		m := model.NewMap(o)
		for k, y := range x {
			m.Set(k, toValue(y))
		}
		return m
	}
	panic("value")
}

func clone(v *model.Value) *model.Value {
	out := *v
	switch v.Kind {
	case model.Map:
		m := model.NewMap(v.Origin)
		for i, k := range v.Keys() {
			m.Set(k, clone(v.Items()[i]))
		}
		return m
	case model.List:
		l := model.NewList(v.Origin)
		for _, x := range v.Items() {
			l.Append(clone(x))
		}
		return l
	}
	return &out
}

// put sets a value at a path, making maps on the way.
func put(v *model.Value, p model.Path, x *model.Value) *model.Value {
	if len(p) == 0 {
		return x
	}
	switch k := p[0].(type) {
	case string:
		if v == nil || v.Kind != model.Map {
			v = model.NewMap(model.Origin{})
		}
		v.Set(k, put(v.Get(k), p[1:], x))
	case int:
		if v == nil || v.Kind != model.List {
			v = model.NewList(model.Origin{})
		}
		items := v.Items()
		if k < len(items) {
			items[k] = put(items[k], p[1:], x)
		} else {
			v.Append(put(nil, p[1:], x))
		}
	}
	return v
}

func drop(v *model.Value, p model.Path) *model.Value {
	c := v.At(p[:len(p)-1]...)
	switch k := p[len(p)-1].(type) {
	case string:
		c.Delete(k)
	case int:
		l := model.NewList(c.Origin)
		for i, x := range c.Items() {
			if i != k {
				l.Append(x)
			}
		}
		v = put(v, p[:len(p)-1], l)
	}
	return v
}

// show prints a value with the keys of maps in order.
func show(v *model.Value) string {
	var b strings.Builder
	var visit func(v *model.Value)
	visit = func(v *model.Value) {
		switch v.Kind {
		case model.Map:
			keys := slices.Clone(v.Keys())
			slices.Sort(keys)
			b.WriteByte('{')
			for _, k := range keys {
				fmt.Fprintf(&b, "%q: ", k)
				visit(v.Get(k))
				b.WriteString(", ")
			}
			b.WriteByte('}')
		case model.List:
			b.WriteByte('[')
			for _, x := range v.Items() {
				visit(x)
				b.WriteString(", ")
			}
			b.WriteByte(']')
		case model.Text:
			fmt.Fprintf(&b, "%q", v.Text)
		case model.Null:
			b.WriteString("null")
		case model.Unknown:
			b.WriteString("?")
		default:
			s, _ := v.Scalar()
			b.WriteString(s)
		}
	}
	visit(v)
	return b.String()
}

// oneDocument reports whether a text is read and its first document is not empty, so that it has a mirror.
func oneDocument(f *source.File) bool {
	docs, err := source.ParseYAML(f)
	if err != nil || len(docs) == 0 || docs[0].Root == nil {
		return false
	}
	for _, d := range docs {
		if d.Inexact {
			return false
		}
	}
	return true
}

func TestRandomYAMLEdits(t *testing.T) {
	y := newTally()
	for seed := uint64(1); y.total < editCount(t, 3000); seed++ {
		r := rand.New(rand.NewPCG(seed, 1))
		runEdits(t, r, source.NewFile("f.yaml", []byte(sourcetest.YAML(r))), y)
	}
	y.log(t)
}

func runEdits(t *testing.T, r *rand.Rand, f *source.File, y *tally) {
	if !oneDocument(f) {
		return
	}
	for range 6 {
		st := mirror(t, f)
		op := randomOp(r, st)
		out, why := tryOp(f, op, y)
		if why != "" {
			t.Fatal(shrink(f, op, why))
		}
		if out != nil && r.IntN(2) == 0 {
			f = source.NewFile(f.Path, out)
		}
	}
}

// recorder keeps the failure of a check and ends it.
type recorder struct {
	testing.TB
	why string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.why = fmt.Sprintf(format, args...)
	panic(r)
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// tryOp is checkOp with the failure as a text.
func tryOp(f *source.File, op model.Op, y *tally) (out []byte, why string) {
	r := &recorder{}
	defer func() {
		if e := recover(); e != nil && e != any(r) {
			panic(e)
		}
		why = r.why
	}()
	return checkOp(r, f, mirror(r, f), op, y), ""
}

// shrink takes lines out of a file for as long as an operation fails on it, and returns the last failure.
func shrink(f *source.File, op model.Op, why string) string {
	lines := slices.Collect(bytes.Lines(f.Bytes))
	for again := true; again; {
		again = false
		for i := range lines {
			less := slices.Concat(lines[:i], lines[i+1:])
			g := source.NewFile(f.Path, bytes.Join(less, nil))
			if !oneDocument(g) {
				continue
			}
			if _, w := tryOp(g, op, newTally()); w != "" {
				lines, why, again = less, w, true
				break
			}
		}
	}
	return why
}

// TestShrink makes an operation fail by what it is compared with.
func TestShrink(t *testing.T) {
	f := source.NewFile("f", []byte("a: 1\nb: 2\nc:\n  - x\n"))
	op := model.Op{Kind: model.OpSet, At: P{"b"}, Value: "x"}
	if _, why := tryOp(f, op, newTally()); why != "" {
		t.Fatal(why)
	}
	// A value of a kind that the comparison does not know fails it.
	op.Value = []string{"x"}
	got := func() (s string) {
		defer func() { s = fmt.Sprint(recover()) }()
		tryOp(f, op, newTally())
		return ""
	}()
	if got != "value" {
		t.Errorf("got %q", got)
	}
	why := shrink(f, model.Set(P{"b"}, 3), "as it was")
	if why != "as it was" {
		t.Errorf("got %q", why)
	}
}

// TestRealEdits makes random operations in the deployments of testdata/real, as they are, with other line ends and
// indentation, and with tokens of YAML spliced in.
func TestRealEdits(t *testing.T) {
	var files []*source.File
	err := filepath.WalkDir("../testdata/real", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		switch filepath.Ext(p) {
		case ".yaml", ".yml", ".json":
			b, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			files = append(files, source.NewFile(filepath.Base(p), b))
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Fatal(err, len(files))
	}
	tokens := []string{"\n", "  ", "- ", ": ", "#", "'", "\"", "&a ", "*a", "{", "}", "[", "]", ",", "|\n", ">-\n", "!t ", "? ", "\r\n", "\t", "é", "---\n"}
	y := newTally()
	for seed := uint64(1); y.total < editCount(t, 1500); seed++ {
		r := rand.New(rand.NewPCG(seed, 2))
		f := files[r.IntN(len(files))]
		b := f.Bytes
		switch r.IntN(4) {
		case 0:
			b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		case 1:
			b = fourSpaces(b)
		case 2:
			b = slices.Clone(b)
			for range 1 + r.IntN(3) {
				i := r.IntN(len(b) + 1)
				b = slices.Insert(b, i, []byte(tokens[r.IntN(len(tokens))])...)
			}
		}
		runEdits(t, r, source.NewFile(f.Path, b), y)
	}
	y.log(t)
}

// fourSpaces doubles the indentation of every line, that behind dashes too.
func fourSpaces(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		rest := bytes.TrimLeft(line, " ")
		out = append(out, bytes.Repeat([]byte(" "), 2*(len(line)-len(rest)))...)
		for bytes.HasPrefix(rest, []byte("- ")) {
			out, rest = append(out, "-   "...), rest[2:]
		}
		out = append(out, rest...)
	}
	return out
}
