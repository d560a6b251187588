package loaders

import (
	"path"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxIncludes bounds the include files of one config.
const maxIncludes = 200

// liteLLMConfig turns a parsed config and its include files into one value, as PyYAML and LiteLLM read it: lists of an
// included file are joined to the list of the same key, anything else replaces it, and what included files include comes
// after all that the config itself names (litellm 1.102.0, litellm/proxy/common_utils/config_includes.py). files collects
// what was read.
func (w *world) liteLLMConfig(f *source.File, root *source.Node, files *[]*source.File) *model.Value {
	v := model.FromNode(f, root, source.PyYAML, nil)
	if v == nil || v.Kind != model.Map {
		return v
	}
	type place struct {
		path string
		at   int
	}
	placeOf := func(f *source.File) place {
		outer, span := f.Outer(source.Span{})
		return place{path.Clean(outer.Path), span.Start}
	}
	seen := map[place]bool{placeOf(f): true}
	type pending struct {
		item *model.Value
		by   *source.File
	}
	var queue []pending
	add := func(c *model.Value, by *source.File) {
		if list := c.Get("include"); list != nil && list.Kind == model.List {
			for _, item := range list.Items() {
				queue = append(queue, pending{item, by})
			}
		}
	}
	rootDir := path.Dir(f.Path)
	for add(v, f); len(queue) > 0; queue = queue[1:] {
		name, ok := queue[0].item.AsText()
		if !ok {
			v.Open = true
			continue
		}
		f := includedKey(name, queue[0].by)
		if f == nil {
			f = w.readBeside(name, path.Dir(queue[0].by.Path), rootDir)
		}
		if f == nil || len(seen) > maxIncludes {
			v.Open = true
			continue
		}
		if seen[placeOf(f)] {
			continue
		}
		seen[placeOf(f)] = true
		docs, err := w.ws.yamlOf(f)
		if err != nil {
			w.problem(f, err)
		}
		if len(docs) == 0 || docs[0].Root == nil {
			continue
		}
		*files = append(*files, f)
		w.used[f] = true
		inc := model.FromNode(f, docs[0].Root, source.PyYAML, nil)
		if inc == nil || inc.Kind != model.Map {
			continue
		}
		add(inc, f)
		for i, k := range inc.Keys() {
			if k == "include" {
				continue
			}
			iv := inc.Items()[i]
			old := v.Get(k)
			if old != nil && old.Kind == model.List && iv.Kind == model.List {
				joined := model.NewList(old.Origin)
				for _, x := range old.Items() {
					joined.Append(x)
				}
				for _, x := range iv.Items() {
					joined.Append(x)
				}
				joined.Open = old.Open || iv.Open
				v.Set(k, joined)
				continue
			}
			v.Override(k, iv)
		}
		v.Open = v.Open || inc.Open
	}
	return v
}

// includedKey is the file that a config in a ConfigMap includes when it stands under another key of the same map, nil for
// any other.
func includedKey(name string, by *source.File) *source.File {
	host, scalar := by.Host()
	if host == nil || scalar == nil || scalar.Parent == nil || scalar.Parent.Kind != source.Map {
		return nil
	}
	if n := scalar.Parent.Get(path.Clean(name)); n != nil && n != scalar {
		return source.Nested(host, n)
	}
	return nil
}

// readBeside reads a file that is looked for beside the declaring file, then beside the root config.
func (w *world) readBeside(name, dir, rootDir string) *source.File {
	for _, d := range []string{dir, rootDir} {
		p, ok := resolvePath(d, name)
		if !ok {
			continue
		}
		if f, err := w.ws.Read(p); err == nil {
			return f
		}
	}
	return nil
}

// isFragment reports whether a config has nothing but models: an included part, an overlay, settings that live
// in the database.
func isFragment(v *model.Value) bool {
	for _, k := range v.Keys() {
		switch k {
		case "litellm_settings", "router_settings", "general_settings", "environment_variables", "include":
			return false
		}
	}
	return true
}
