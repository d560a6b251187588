package loaders

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// gatewayConfig finds the config a gateway reads: what its chart renders, else the file at --config or
// CONFIG_FILE_PATH. A config that is not in the files is unknown.
func (w *world) gatewayConfig(b *builder, p *part, args *model.Value) *model.Value {
	wl := p.wl
	if wl.config != nil {
		return wl.config
	}
	if wl.configUnseen {
		return model.NewUnknown(wl.origin)
	}
	name, o, ok := configPath(args, wl.env)
	if !ok {
		if args.Open || wl.env.Open {
			return model.NewUnknown(wl.origin)
		}
		return nil
	}
	if name == "" {
		return model.NewUnknown(o)
	}
	f, _ := w.configFileAt(wl, name)
	if f == nil {
		w.skipConfig(wl, name)
		return model.NewUnknown(o)
	}
	docs, err := w.ws.yamlOf(f)
	if err != nil {
		w.problem(f, err)
	}
	if len(docs) == 0 || docs[0].Root == nil {
		return model.NewUnknown(o)
	}
	if len(docs) > 1 {
		w.problems = append(w.problems, Problem{File: f, Span: secondDocument(f, docs[0].Root), Read: true,
			Text: "LiteLLM reads one YAML document and another one begins here: the gateway stops at start with \"expected a single document in the stream\""})
	}
	w.markUsed(f)
	var files []*source.File
	v := w.liteLLMConfig(f, docs[0].Root, &files)
	b.addFile(f)
	for _, f := range files {
		b.addFile(f)
	}
	if v == nil || v.Kind != model.Map {
		if err == nil {
			outer, _ := f.Outer(source.Span{})
			w.skipOnce(outer.Path, "the config of a gateway is no mapping: nothing in it is known")
		}
		return model.NewUnknown(o)
	}
	return v
}

// secondDocument is the place of the line that ends the first document of a file and begins another one.
func secondDocument(f *source.File, first *source.Node) source.Span {
	start := first.Span().End
	for start < len(f.Bytes) {
		end := len(f.Bytes)
		if i := bytes.IndexByte(f.Bytes[start:], '\n'); i >= 0 {
			end = start + i
		}
		if bytes.HasPrefix(f.Bytes[start:end], []byte("---")) {
			return source.Span{Start: start, End: start + len("---")}
		}
		start = end + 1
	}
	return first.Span()
}

// configPath returns the path a gateway's config is read from, "" when it is written but not known.
func configPath(args, env *model.Value) (name string, o model.Origin, ok bool) {
	if v := args.Get("config"); v != nil {
		if v.Kind == model.List && v.Len() > 0 {
			last := v.Items()[v.Len()-1]
			s, _ := last.AsText()
			return s, last.Origin, true
		}
		return "", v.Origin, true
	}
	if v := env.Get("CONFIG_FILE_PATH"); v != nil {
		s, _ := v.AsText()
		return s, v.Origin, true
	}
	return "", model.Origin{}, false
}

// configFileAt finds a file by the path a process uses: through the container's mounts, or in the folder of the
// script or unit that starts it.
func (w *world) configFileAt(wl *workload, name string) (f *source.File, unseen bool) {
	if wl.platform == "shell" || wl.platform == "systemd" {
		p, found := w.hostPath(wl.dir, name)
		if !found {
			// An absolute path on the host: the file of that name beside the script, when there is one.
			p = path.Join(wl.dir, path.Base(name))
		}
		f, err := w.ws.Read(p)
		return f, err != nil
	}
	if !strings.HasPrefix(name, "/") {
		name = path.Join("/app", name)
	}
	return w.mountedFile(wl, name)
}

// skipConfig notes a config file that a process reads and that stands in the root but cannot be read. One that is not there may
// be on the machine that runs the process.
func (w *world) skipConfig(wl *workload, name string) {
	var p string
	if wl.onHost() {
		rel, inside := resolvePath(wl.dir, trimWorkingFolder(name))
		if p = rel; !inside {
			p = path.Join(wl.dir, path.Base(name))
		}
	} else {
		if !strings.HasPrefix(name, "/") {
			name = path.Join("/app", name)
		}
		name = path.Clean(name)
		m := wl.mountAt(name)
		if m == nil || m.file == "" {
			return
		}
		p = path.Join(m.file, strings.TrimPrefix(strings.TrimPrefix(name, path.Clean(m.target)), "/"))
	}
	_, err := w.ws.Read(p)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return
	}
	w.skipOnce(p, "the config of "+wl.name+" cannot be read: "+reasonOf(err))
}

// markUsed notes that a gateway reads a config file, which is then no stack of its own.
func (w *world) markUsed(f *source.File) {
	out, _ := f.Outer(source.Span{})
	for _, c := range w.configs {
		if c.doc.File == f || c.doc.File == out && f == out {
			c.used = true
		}
	}
	w.used[out] = true
}

// folderEnv returns the only env file of a folder that names LITELLM_ or a variable the config refers to.
func (w *world) folderEnv(dir string, config *model.Value) *source.EnvFile {
	refs := map[string]bool{}
	config.Each(func(v *model.Value) {
		if s, ok := v.AsText(); ok && strings.HasPrefix(s, referencePrefix) {
			refs[strings.TrimPrefix(s, referencePrefix)] = true
		}
	})
	var found *source.EnvFile
	for _, d := range w.envFiles {
		if path.Dir(d.File.Path) != dir || IsExample(path.Base(d.File.Path)) {
			continue
		}
		e := source.ParseEnv(d.File, source.EnvPython)
		names := false
		for i := range e.Entries {
			n := e.Entries[i].Name
			names = names || strings.HasPrefix(n, "LITELLM_") || refs[n]
		}
		if !names {
			continue
		}
		if found != nil {
			return nil
		}
		found = e
	}
	if found != nil {
		w.used[found.File] = true
	}
	return found
}
