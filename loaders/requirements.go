package loaders

import (
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// requirements adds the Python packages pinned in the folder of the stack.
func (b *builder) requirements() {
	for _, d := range b.w.requirements {
		if path.Dir(d.File.Path) != b.dir {
			continue
		}
		b.addFile(d.File)
		read := requirementsOf
		if isLock(d.File.Path) {
			read = lockedOf
		}
		for _, r := range read(d.File) {
			b.root.Get("requirements").Append(r)
		}
	}
}

// requirementsOf reads the pins of a requirements file: names that matter to a deployment, as written.
func requirementsOf(f *source.File) []*model.Value {
	var out []*model.Value
	for n := 1; n <= f.LineCount(); n++ {
		sp := f.Line(n)
		line := f.Text(sp)
		if i := strings.IndexByte(line, '#'); i >= 0 {
			line = line[:i]
		}
		line, _, _ = strings.Cut(line, ";")
		trimmed := strings.TrimSpace(line)
		end := strings.IndexAny(trimmed, " =<>!~[@")
		name := trimmed
		if end >= 0 {
			name = trimmed[:end]
		}
		name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
		if name == "" || strings.HasPrefix(name, "-") {
			continue
		}
		start := sp.Start + strings.Index(line, trimmed)
		o := model.Origin{Source: model.FromConfig, File: f, Span: source.Span{Start: start, End: start + len(trimmed)}}
		m := model.NewMap(o)
		m.Set("name", model.NewText(name, o))
		spec := ""
		if end >= 0 {
			// A backslash goes on with the hashes.
			spec, _, _ = strings.Cut(trimmed[end:], " --hash=")
			spec = strings.TrimSpace(strings.TrimSuffix(spec, "\\"))
			if strings.HasPrefix(spec, "[") {
				if i := strings.IndexByte(spec, ']'); i >= 0 {
					spec = strings.TrimSpace(spec[i+1:])
				}
			}
		}
		m.Set("specifier", model.NewText(spec, o))
		if v, ok := strings.CutPrefix(spec, "=="); ok && !strings.ContainsAny(v, ",*") {
			m.Set("version", model.NewText(strings.TrimSpace(strings.TrimPrefix(v, "=")), o))
		}
		m.Set("file", model.NewText(f.Path, o))
		m.Set("locked", model.NewBool(strings.HasSuffix(trimmed, "\\") || strings.Contains(trimmed, "--hash="), o))
		out = append(out, m)
	}
	return out
}

// isLock reports whether a file is the lock file of a Python project: uv, Poetry, PDM or Pipenv.
func isLock(name string) bool {
	switch strings.ToLower(path.Base(name)) {
	case "uv.lock", "poetry.lock", "pdm.lock", "pipfile.lock":
		return true
	}
	return false
}

// lockedOf reads what a lock file settles about the packages of which this program knows releases.
func lockedOf(f *source.File) []*model.Value {
	var out []*model.Value
	name := ""
	for n := 1; n <= f.LineCount(); n++ {
		sp := f.Line(n)
		line := f.Text(sp)
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") {
			name = ""
			continue
		}
		if key, ok := strings.CutSuffix(trimmed, ": {"); ok {
			name = strings.Trim(key, `"`)
			continue
		}
		key, value, ok := lockPair(trimmed)
		switch {
		case !ok:
		case key == "name":
			name = value
		case key == "version" && (name == "litellm" || name == "vllm"):
			start := sp.Start + strings.Index(line, trimmed)
			o := model.Origin{Source: model.FromConfig, File: f, Span: source.Span{Start: start, End: start + len(trimmed)}}
			version := strings.TrimPrefix(value, "==")
			m := model.NewMap(o)
			m.Set("name", model.NewText(name, o))
			m.Set("specifier", model.NewText("=="+version, o))
			m.Set("version", model.NewText(version, o))
			m.Set("file", model.NewText(f.Path, o))
			m.Set("locked", model.NewBool(true, o))
			out = append(out, m)
			name = ""
		}
	}
	return out
}

// lockPair reads a line of TOML or JSON that holds a key and a plain text.
func lockPair(line string) (key, value string, ok bool) {
	for _, sep := range []string{" = ", ": "} {
		k, v, found := strings.Cut(line, sep)
		if !found {
			continue
		}
		v = strings.TrimSuffix(v, ",")
		if len(v) < 2 || v[0] != '"' || v[len(v)-1] != '"' {
			return "", "", false
		}
		return strings.Trim(k, `"`), v[1 : len(v)-1], true
	}
	return "", "", false
}
