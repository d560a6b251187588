package fixers

import (
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// mirror returns a stack whose root is the first document of a YAML or JSON text as it is written.
func mirror(t testing.TB, f *source.File) *model.Stack {
	t.Helper()
	root := parseAny(t, f)
	return &model.Stack{Name: f.Path, Root: valueOf(f, root, nil, 0), Files: []*source.File{f}}
}

func parseAny(t testing.TB, f *source.File) *source.Node {
	t.Helper()
	if root, err := source.ParseJSON(f); err == nil {
		return root
	}
	docs, err := source.ParseYAML(f)
	if err != nil {
		t.Fatalf("%q: %v", f.Bytes, err)
	}
	for _, d := range docs {
		if d.Root != nil {
			return d.Root
		}
	}
	t.Fatalf("%q: no document", f.Bytes)
	return nil
}

func valueOf(f *source.File, n, via *source.Node, depth int) *model.Value {
	o := model.Origin{Source: model.FromConfig, File: f, Node: n, Via: via, Span: n.Span()}
	if k := n.KeyNode(); k != nil {
		o.Key = k.Span()
	}
	if n.Kind == source.Alias {
		if d := n.Deref(); d != nil && depth < 20 {
			return valueOf(f, d, n, depth+1)
		}
		return model.NewUnknown(o)
	}
	switch n.Kind {
	case source.Map:
		m := model.NewMap(o)
		for _, e := range n.Entries() {
			v := via
			if e.Merge != nil {
				v = e.Merge
			}
			x := m.Set(e.Key.Text, valueOf(f, e.Value, v, depth+1))
			for i := len(e.Shadowed) - 1; i >= 0; i-- {
				k := e.Shadowed[i].Key.Span()
				x.SetLosers(append(x.Losers(), model.Origin{Source: model.FromConfig, File: f, Node: e.Shadowed[i].Value, Key: k, Span: k}))
			}
		}
		return m
	case source.List:
		l := model.NewList(o)
		for _, c := range n.Children {
			l.Append(valueOf(f, c, via, depth+1))
		}
		return l
	}
	v := source.Resolve(n, source.PyYAML)
	switch x := v.Any().(type) {
	case nil:
		return &model.Value{Kind: model.Null, Origin: o}
	case bool:
		return model.NewBool(x, o)
	case int64:
		return model.NewInt(x, o)
	case float64:
		return model.NewFloat(x, o)
	}
	return model.NewText(n.Text, o)
}

// plan makes operations in a text and returns the new text.
func plan(t testing.TB, text string, ops ...model.Op) (string, error) {
	t.Helper()
	f := source.NewFile("f", []byte(text))
	edits, err := Plan(mirror(t, f), ops)
	if err != nil {
		return "", err
	}
	return string(applied(t, f, edits)), nil
}

func applied(t testing.TB, f *source.File, edits []FileEdit) []byte {
	t.Helper()
	var list []source.Edit
	for _, e := range edits {
		if e.File != f {
			t.Fatalf("edit of another file")
		}
		list = append(list, e.Edit)
	}
	out, err := source.Apply(f.Bytes, list)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
