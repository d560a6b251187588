package loaders

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// jsonArgument is the effective value of an argument that takes a JSON object, with the dotted forms --name.key VALUE
// laid over it; all of it stands at the argument. References in its texts make those texts unknown, not the whole.
// It is nil when nothing writes the argument.
func jsonArgument(fl *source.Flags, args *model.Value, name string) *model.Value {
	var out *model.Value
	if a := args.Get(name); a != nil {
		text, ok := "", false
		if last := a.Len() - 1; last >= 0 {
			text, ok = a.Items()[last].AsText()
		}
		if f := fl.Last(name); !ok && f != nil && len(f.Values) > 0 && a.Origin.Arg != nil {
			// A word in which a variable is not known is still read for what stands around it.
			text, ok = f.Values[len(f.Values)-1].Text, true
		}
		out = jsonObject(text, a.Origin)
		if !ok || out == nil {
			out = model.NewUnknown(a.Origin)
		}
	}
	for i, k := range args.Keys() {
		key, is := strings.CutPrefix(k, name+".")
		if !is {
			continue
		}
		a := args.Items()[i]
		if out == nil || out.Kind != model.Map {
			open := out != nil
			out = model.NewMap(a.Origin)
			out.Open = open
		}
		at := out
		keys := strings.Split(key, ".")
		for _, k := range keys[:len(keys)-1] {
			next := at.Get(k)
			if next == nil || next.Kind != model.Map {
				next = at.Set(k, model.NewMap(a.Origin))
			}
			at = next
		}
		x := model.NewBool(true, a.Origin)
		if a.Len() > 0 {
			x = scalarText(a.Items()[a.Len()-1])
		}
		at.Override(keys[len(keys)-1], x)
	}
	return out
}

// jsonObject reads a JSON object all of which stands at one place; nil when the text is none.
func jsonObject(text string, o model.Origin) *model.Value {
	f := source.NewFile("", []byte(text))
	n, err := source.ParseJSON(f)
	if err != nil || n == nil || n.Deref().Kind != source.Map {
		return nil
	}
	v := model.FromNode(f, n, source.JSON, func(s *source.Node) bool {
		return strings.Contains(s.Text, "$") || model.Templated(s)
	})
	v.Walk(func(_ model.Path, c *model.Value) { c.Origin = o })
	return v
}

// attention is the kind of attention a model has, as far as its caches depend on it: standard when every layer caches
// keys and values of every token, latent, window, or hybrid. It is nil for a model that the tables do not have.
func attention(mdl *model.Value) *model.Value {
	id, ok := mdl.AsText()
	if !ok {
		return nil
	}
	g, ok := knowledge.Model(id)
	if !ok || g.Layers == 0 {
		return nil
	}
	kind := "standard"
	switch {
	case g.LatentDim > 0:
		kind = "latent"
	case g.WindowLayers > 0 && g.FullLayers+g.WindowLayers == g.Layers:
		kind = "window"
	case g.FullLayers != g.Layers:
		kind = "hybrid"
	}
	return model.NewText(kind, mdl.Origin)
}
