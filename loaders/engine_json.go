package loaders

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// jsonArgument is the effective value of an argument that takes a JSON object, with the dotted forms --name.key VALUE
// laid over it; each stands at its argument. References in its texts make those texts unknown, not the whole. It is nil
// when nothing writes the argument.
func jsonArgument(fl *source.Flags, args *model.Value, name string) *model.Value {
	if a := args.Get(name); a != nil && a.Origin.Arg() == nil {
		// A chart or a file of arguments wrote it.
		if t, ok := a.At(a.Len() - 1).AsText(); ok {
			if out := jsonObject(t, a.Origin); out != nil {
				return out
			}
		}
		return model.NewUnknown(a.Origin)
	}
	var out *model.Value
	for i := range fl.Flags {
		f := &fl.Flags[i]
		base, key, dotted := strings.Cut(canonicalFlag(f.Option), ".")
		if f.Name != name && base != name {
			continue
		}
		o := argumentOrigin(fl.Line, f, -1)
		if !dotted {
			if out = nil; len(f.Values) > 0 {
				// A word in which a variable is not known is still read for what stands around it.
				out = jsonObject(f.Values[len(f.Values)-1].Text, o)
			}
			if out == nil {
				out = model.NewUnknown(o)
			}
			continue
		}
		if out == nil || out.Kind != model.Map {
			unknown := out != nil
			out = model.NewMap(o)
			out.Open = unknown
		}
		at := out
		keys := strings.Split(key, ".")
		for _, k := range keys[:len(keys)-1] {
			next := at.Get(k)
			if next == nil || next.Kind != model.Map {
				next = at.Set(k, model.NewMap(o))
			}
			at = next
		}
		x := model.NewBool(true, o)
		if v := flagValues(fl.Line, f); v.Len() > 0 {
			x = scalarText(v.Items()[v.Len()-1])
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
	v.Each(func(c *model.Value) { c.Origin = o })
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

// lmcache is the configuration of LMCache in an engine that has it as a connector: the keys of the file that
// LMCACHE_CONFIG_FILE names, and LMCACHE_ variables over them (lmcache 0.5.6, lmcache/v1/config_base.py). It is nil for
// engines without it.
func (w *world) lmcache(wl *workload, transfer *model.Value) *model.Value {
	if c, _ := transfer.Get("kv_connector").AsText(); !strings.Contains(c, "LMCache") {
		return nil
	}
	out := model.NewMap(transfer.Origin)
	if file := wl.env.Get("LMCACHE_CONFIG_FILE"); file != nil {
		out.Open = true
		name, _ := file.AsText()
		f, _ := w.configFileAt(wl, name)
		if f != nil {
			if docs, err := w.ws.yamlOf(f); err == nil && len(docs) > 0 && docs[0].Root != nil {
				w.markUsed(f)
				v := model.FromNode(f, docs[0].Root, source.PyYAML, nil)
				for i, k := range v.Keys() {
					out.Set(k, v.Items()[i])
				}
				out.Open = false
			}
		}
	}
	for i, k := range wl.env.Keys() {
		key, ok := strings.CutPrefix(k, "LMCACHE_")
		if ok && k != "LMCACHE_CONFIG_FILE" {
			out.Override(strings.ToLower(key), wl.env.Items()[i])
		}
	}
	out.Open = out.Open || wl.env.Open
	return out
}
