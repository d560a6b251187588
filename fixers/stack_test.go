package fixers_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"agentlint/fixers"
	"agentlint/internal/model"
	"agentlint/loaders"
)

// deployments are the roots under testdata/real.
func deployments(t testing.TB) []string {
	t.Helper()
	out := []string{"../testdata/real/article-a", "../testdata/real/article-b", "../testdata/real/flawed", "../testdata/real/fixed"}
	list, err := os.ReadDir("../testdata/real/healthy")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		out = append(out, "../testdata/real/healthy/"+d.Name())
	}
	return out
}

func load(t testing.TB, root string, overlay map[string][]byte) map[string]*model.Stack {
	t.Helper()
	set, err := loaders.Load(context.Background(), os.DirFS(root), overlay, &loaders.Options{Named: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*model.Stack{}
	for _, s := range set.Stacks {
		out[s.Name] = s
	}
	return out
}

// settable are the parts of a stack whose paths are those of files: a value written there is read back there.
func settable(p model.Path) bool {
	if len(p) < 3 {
		return false
	}
	switch p[0] {
	case "gateway":
		return p[1] == "config" || p[1] == "env" || p[1] == "args"
	case "engines", "routers":
		return len(p) > 3 && (p[2] == "env" || p[2] == "args")
	}
	return false
}

// TestStackEdits changes, removes and adds values all over the deployments in testdata/real, loads the stack again, and
// looks at the value. FIXERS_EDITS makes it take every value instead of one in forty.
func TestStackEdits(t *testing.T) {
	step := 40
	if os.Getenv("FIXERS_EDITS") != "" {
		step = 1
	}
	counts := map[string]int{}
	reasons := map[string][]string{}
	turn := 0
	for _, root := range deployments(t) {
		stacks := load(t, root, nil)
		for _, name := range sorted(stacks) {
			st := stacks[name]
			var paths []model.Path
			st.Root.Walk(func(p model.Path, v *model.Value) {
				// Without its config a gateway is another one.
				if settable(p) && !(p[1] == "args" && p[2] == "config") {
					paths = append(paths, p.With())
				}
			})
			for _, p := range paths {
				if turn++; turn%step != 0 {
					continue
				}
				v := st.Root.At(p...)
				ops := []model.Op{model.Remove(p)}
				switch v.Kind {
				case model.Text:
					ops = append(ops, model.Set(p, "changed"))
				case model.Int, model.Float:
					ops = append(ops, model.Set(p, 17))
				case model.Bool:
					ops = append(ops, model.Set(p, !v.Bool))
				case model.Map:
					ops = append(ops, model.Set(p.With("AGENTLINT_NEW"), "new"))
				}
				for _, op := range ops {
					kind := string(op.Kind)
					if v.Kind == model.Map && op.Kind == model.OpSet {
						kind = "insert"
					}
					where := fmt.Sprintf("%s: %s: %s %s", root, name, kind, op.At)
					edits, err := fixers.Plan(st, []model.Op{op})
					if err != nil {
						r := err.(*fixers.Refusal)
						counts[kind+" refused: "+string(r.Reason)]++
						k := kind + " " + part(p) + ": " + r.Text
						reasons[k] = append(reasons[k], where)
						if r.Reason == fixers.ReasonVerify {
							t.Errorf("%s: %v", where, err)
						}
						continue
					}
					counts[kind]++
					after := reload(t, root, edits)[name]
					if after == nil {
						// A config without models is none.
						if len(p) > 3 {
							t.Errorf("%s: the stack is gone", where)
						}
						continue
					}
					now := after.Root.At(op.At...)
					ok := now != nil && (show(now) == fmt.Sprint(op.Value) || now.Kind == model.List)
					if op.Kind == model.OpRemove {
						ok = now == nil || show(now) != show(v) || isIndex(p)
					}
					// What a chart renders by itself comes back, or wins over what is written.
					if k := kindOf(st); !ok && slices.Contains([]string{"helm", "argo", "flux", "helmfile"}, k) {
						counts[kind+" without effect in a chart"]++
						continue
					}
					if !ok {
						t.Errorf("%s: %s becomes %s", where, show(v), show(now))
					}
				}
			}
		}
	}
	for _, k := range sorted(counts) {
		t.Logf("%6d %s", counts[k], k)
	}
	for _, k := range sorted(reasons) {
		t.Logf("%4d %s (%s)", len(reasons[k]), k, strings.Join(reasons[k][:min(2, len(reasons[k]))], "; "))
	}
}

func kindOf(st *model.Stack) string {
	s, _ := st.Text("stack", "kind")
	return s
}

func isIndex(p model.Path) bool { _, ok := p[len(p)-1].(int); return ok }

func part(p model.Path) string {
	if p[0] == "gateway" {
		return fmt.Sprint(p[0], ".", p[1])
	}
	return fmt.Sprint(p[0], ".", p[2])
}

func show(v *model.Value) string {
	if v == nil {
		return "nothing"
	}
	if s, ok := v.Scalar(); ok {
		return s
	}
	return fmt.Sprint(v.Plain())
}

func sorted[V any](m map[string]V) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// reload loads a deployment with edits made.
func reload(t testing.TB, root string, edits []fixers.FileEdit) map[string]*model.Stack {
	t.Helper()
	overlay := map[string][]byte{}
	for _, e := range slices.Backward(edits) {
		b, ok := overlay[e.File.Path]
		if !ok {
			b = e.File.Bytes
		}
		overlay[e.File.Path] = slices.Concat(b[:e.Start], []byte(e.Text), b[e.End:])
	}
	return load(t, root, overlay)
}
