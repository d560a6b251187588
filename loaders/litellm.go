package loaders

import (
	"path"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxIncludes bounds nested include files of one config.
const maxIncludes = 200

// liteLLMConfig turns a parsed config and its include files into one value, as PyYAML and LiteLLM read it:
// lists of an included file are joined to the list of the same key, anything else replaces it
// (litellm 1.102.0, litellm/proxy/common_utils/config_includes.py). files collects what was read.
func (w *world) liteLLMConfig(f *source.File, root *source.Node, files *[]*source.File) *model.Value {
	seen := map[string]bool{path.Clean(f.Path): true}
	v := model.FromNode(f, root, source.PyYAML, nil)
	if v == nil || v.Kind != model.Map {
		return v
	}
	w.includes(v, path.Dir(f.Path), path.Dir(f.Path), seen, files)
	return v
}

// includes reads the files of v's include list into v. A path is looked for beside the declaring file, then
// beside the root config.
func (w *world) includes(v *model.Value, dir, rootDir string, seen map[string]bool, files *[]*source.File) {
	list := v.Get("include")
	if list == nil || list.Kind != model.List {
		return
	}
	for _, item := range list.Items() {
		name, ok := item.AsText()
		if !ok {
			v.Open = true
			continue
		}
		f := w.readBeside(name, dir, rootDir)
		if f == nil || len(seen) > maxIncludes {
			v.Open = true
			continue
		}
		if seen[f.Path] {
			continue
		}
		seen[f.Path] = true
		docs, err := w.ws.yaml(f)
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
		w.includes(inc, path.Dir(f.Path), rootDir, seen, files)
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
}

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
