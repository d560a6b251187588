package loaders

import (
	"path"
	"strings"

	"agentlint/internal/knowledge"
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
		switch {
		case isLock(d.File.Path):
			read = lockedOf
		case isProject(d.File.Path):
			read = projectOf
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
		if r := requirementAt(f, sp.Start+strings.Index(line, trimmed), trimmed); r != nil {
			out = append(out, r)
		}
	}
	return out
}

// requirementAt reads one requirement of Python, which stands at start; nil when it names no package.
func requirementAt(f *source.File, start int, text string) *model.Value {
	end := strings.IndexAny(text, " =<>!~[@")
	name := text
	if end >= 0 {
		name = text[:end]
	}
	name = strings.ToLower(strings.ReplaceAll(name, "_", "-"))
	if name == "" || strings.HasPrefix(name, "-") {
		return nil
	}
	spec := ""
	if end >= 0 {
		// A backslash goes on with the hashes.
		spec, _, _ = strings.Cut(text[end:], " --hash=")
		spec = strings.TrimSpace(strings.TrimSuffix(spec, "\\"))
		if strings.HasPrefix(spec, "[") {
			if i := strings.IndexByte(spec, ']'); i >= 0 {
				spec = strings.TrimSpace(spec[i+1:])
			}
		}
	}
	version := ""
	if v, ok := strings.CutPrefix(spec, "=="); ok && !strings.ContainsAny(v, ",*") {
		version = strings.TrimSpace(strings.TrimPrefix(v, "="))
	}
	locked := strings.HasSuffix(text, "\\") || strings.Contains(text, "--hash=")
	return requirementValue(f, source.Span{Start: start, End: start + len(text)}, name, spec, version, locked)
}

// requirementValue is a pin in its shape, without a version when none is exact.
func requirementValue(f *source.File, span source.Span, name, specifier, version string, locked bool) *model.Value {
	o := model.Origin{Source: model.FromConfig, File: f, Span: span}
	m := model.NewMap(o)
	m.Set("name", model.NewText(name, o))
	m.Set("specifier", model.NewText(specifier, o))
	if version != "" {
		m.Set("version", model.NewText(version, o))
	}
	m.Set("file", model.NewText(f.Path, o))
	m.Set("locked", model.NewBool(locked, o))
	return m
}

// isProject reports whether a file is the pyproject.toml of a Python project.
func isProject(name string) bool { return strings.EqualFold(path.Base(name), "pyproject.toml") }

// projectOf reads what a pyproject.toml says of the packages of which this program knows releases: the dependencies of
// [project], and of Poetry those at exactly one release.
func projectOf(f *source.File) []*model.Value {
	var out []*model.Value
	table, inList := "", false
	for n := 1; n <= f.LineCount(); n++ {
		sp := f.Line(n)
		line := f.Text(sp)
		at := 0
		if !inList {
			trimmed := strings.TrimSpace(line)
			if strings.HasPrefix(trimmed, "[") {
				header, _, _ := strings.Cut(trimmed, "#")
				table = strings.Trim(header, "[] \t")
				continue
			}
			key, _, found := strings.Cut(line, "=")
			if !found {
				continue
			}
			key = strings.Trim(key, " \t\"'")
			if at = strings.IndexByte(line, '=') + 1; table == "tool.poetry.dependencies" {
				if r := poetryPin(f, sp.Start, line, at, key); r != nil {
					out = append(out, r)
				}
				continue
			}
			open := strings.IndexByte(line, '[')
			if table != "project" || key != "dependencies" || open < at {
				continue
			}
			at, inList = open+1, true
		}
		for inList && at < len(line) {
			switch c := line[at]; c {
			case '#':
				at = len(line)
			case ']':
				inList = false
			case '"', '\'':
				end := strings.IndexByte(line[at+1:], c)
				if end < 0 {
					at = len(line)
					break
				}
				text, _, _ := strings.Cut(line[at+1:at+1+end], ";")
				trimmed := strings.TrimSpace(text)
				r := requirementAt(f, sp.Start+at+1+strings.Index(text, trimmed), trimmed)
				if name, _ := r.Get("name").AsText(); name == "litellm" || name == "vllm" {
					out = append(out, r)
				}
				at += end + 2
			default:
				at++
			}
		}
	}
	return out
}

// poetryPin reads NAME = "VERSION", or the version in a table, of a line that starts at start; nil for a range.
func poetryPin(f *source.File, start int, line string, at int, name string) *model.Value {
	if name != "litellm" && name != "vllm" {
		return nil
	}
	if t := strings.TrimSpace(line[at:]); strings.HasPrefix(t, "{") {
		i := strings.Index(line, "version")
		if i < at {
			return nil
		}
		at = i
	}
	open := strings.IndexAny(line[at:], "\"'")
	if open < 0 {
		return nil
	}
	from := at + open + 1
	end := strings.IndexByte(line[from:], line[from-1])
	if end < 0 {
		return nil
	}
	version := strings.TrimSpace(strings.TrimPrefix(line[from:from+end], "=="))
	if _, err := knowledge.ParseVersion(version); err != nil {
		return nil
	}
	return requirementValue(f, source.Span{Start: start + from, End: start + from + end}, name, "=="+version, version, false)
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
			version := strings.TrimPrefix(value, "==")
			out = append(out, requirementValue(f, source.Span{Start: start, End: start + len(trimmed)}, name, "=="+version, version, true))
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
