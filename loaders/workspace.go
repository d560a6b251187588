// Package loaders reads the files of a root into documents, follows the edges between them and builds one
// stack for each deployed gateway. What it cannot see it says: values are known, absent or unknown, never guessed.
package loaders

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"agentlint/internal/source"
)

// Workspace is the read-only view of one root: its files, each read at most once.
type Workspace struct {
	fsys    fs.FS
	overlay map[string][]byte

	mu     sync.Mutex
	files  map[string]*source.File
	errs   map[string]error
	parsed map[string]*parsedYAML
	// listed are folders whose entries the walk saw, links the symbolic links among those.
	listed, links map[string]bool
}

type parsedYAML struct {
	once sync.Once
	docs []source.Document
	err  error
}

// NewWorkspace returns the workspace of a file system. The overlay replaces or adds files by path.
func NewWorkspace(fsys fs.FS, overlay map[string][]byte) *Workspace {
	return &Workspace{fsys: fsys, overlay: overlay,
		files: map[string]*source.File{}, errs: map[string]error{}, parsed: map[string]*parsedYAML{},
		listed: map[string]bool{}, links: map[string]bool{}}
}

// OpenRoot returns the content of a directory. Links that lead out of it cannot be followed.
func OpenRoot(dir string) (fs.FS, error) {
	r, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return r.FS(), nil
}

// errTooLarge is returned for files over the limits of package source.
var errTooLarge = errors.New("file is larger than 8 MiB")

// errNotRegular is returned for pipes, devices and folders.
var errNotRegular = errors.New("not a regular file")

// maxLinks bounds chains of symbolic links, which may be cyclic.
const maxLinks = 40

// project reports whether the tools that read a file of that name look for its neighbours beside the name they were given,
// and not beside what it leads to.
func project(name string) bool {
	base := path.Base(name)
	return strings.HasPrefix(base, "docker-compose") || strings.HasPrefix(base, "compose") || strings.HasPrefix(base, "helmfile") ||
		strings.HasPrefix(base, "kustomization") || base == "Kustomization" || base == "Chart.yaml"
}

// target returns the path of the file that a path leads to through symbolic links inside the root: two names of one file
// are one source. It is the path itself where that cannot be told, and for a file that has neighbours of its own.
func (w *Workspace) target(name string) string {
	fsys, ok := w.fsys.(fs.ReadLinkFS)
	if !ok || w.listed[path.Dir(name)] && !w.links[name] {
		return name
	}
	if _, ok := w.overlay[name]; ok {
		return name
	}
	at, rest := ".", name
	for links := 0; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		if part == "" || part == "." {
			continue
		}
		next := path.Join(at, part)
		if !fs.ValidPath(next) {
			return name
		}
		if w.listed[at] && !w.links[next] {
			at = next
			continue
		}
		to, err := fsys.ReadLink(next)
		if err != nil {
			at = next
			continue
		}
		if links++; links > maxLinks || path.IsAbs(to) {
			return name
		}
		rest = strings.TrimSuffix(to+"/"+rest, "/")
	}
	if at == "." || project(name) && path.Dir(at) != path.Dir(name) {
		return name
	}
	return at
}

// Read returns a file by its path relative to the root; for a symbolic link it is the file that it leads to. A path that
// leaves the root is an error.
func (w *Workspace) Read(name string) (*source.File, error) {
	name = path.Clean(name)
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("read %s: path leaves the root", name)
	}
	w.mu.Lock()
	f, ok := w.files[name]
	err := w.errs[name]
	w.mu.Unlock()
	if ok || err != nil {
		return f, err
	}
	if real := w.target(name); real != name {
		f, err := w.Read(real)
		w.mu.Lock()
		defer w.mu.Unlock()
		if err != nil {
			w.errs[name] = err
			return nil, err
		}
		w.files[name] = f
		return f, nil
	}
	b, err := w.read(name)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		w.errs[name] = err
		return nil, err
	}
	if f, ok := w.files[name]; ok {
		return f, nil
	}
	f = source.NewFile(name, b)
	w.files[name] = f
	return f, nil
}

func (w *Workspace) read(name string) ([]byte, error) {
	if b, ok := w.overlay[name]; ok {
		return b, nil
	}
	// A FIFO would block on open, so the kind of the file is asked first.
	st, err := fs.Stat(w.fsys, name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: %w", name, errNotRegular)
	}
	if st.Size() > source.MaxFileSize {
		return nil, fmt.Errorf("read %s: %w", name, errTooLarge)
	}
	h, err := w.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	b, err := readSized(io.LimitReader(h, source.MaxFileSize+1), int(st.Size()))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(b) > source.MaxFileSize {
		return nil, fmt.Errorf("read %s: %w", name, errTooLarge)
	}
	return b, nil
}

// readSized reads all of r, which holds about size bytes, into little more than that.
func readSized(r io.Reader, size int) ([]byte, error) {
	b := make([]byte, 0, size+1)
	for {
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err == io.EOF:
			return b, nil
		case err != nil:
			return nil, err
		}
		if len(b) == cap(b) {
			b = slices.Grow(b, 512)
		}
	}
}

// Exists reports whether a regular file of that name is in the root.
func (w *Workspace) Exists(name string) bool {
	_, err := w.Read(name)
	return err == nil
}

// yaml returns the documents of a YAML or JSON file, parsed once.
func (w *Workspace) yaml(f *source.File) ([]source.Document, error) {
	w.mu.Lock()
	p := w.parsed[f.Path]
	if p == nil {
		p = &parsedYAML{}
		w.parsed[f.Path] = p
	}
	w.mu.Unlock()
	p.once.Do(func() { p.docs, p.err = parseTree(f) })
	return p.docs, p.err
}

// forget lets go of the documents of a file.
func (w *Workspace) forget(f *source.File) {
	w.mu.Lock()
	delete(w.parsed, f.Path)
	w.mu.Unlock()
}

// parseTree reads YAML, or JSON where the file looks like it (JSON's escapes are not all YAML's).
func parseTree(f *source.File) ([]source.Document, error) {
	if looksLikeJSON(f) {
		if n, err := source.ParseJSON(f); err == nil {
			return []source.Document{{File: f, Root: n}}, nil
		} else if strings.HasSuffix(f.Path, ".json") {
			return nil, err
		}
	}
	return source.ParseYAML(f)
}

func looksLikeJSON(f *source.File) bool {
	b := bytes.TrimLeft(f.Bytes, "\xef\xbb\xbf \t\r\n")
	return len(b) > 0 && (b[0] == '{' || b[0] == '[') && (strings.HasSuffix(f.Path, ".json") || bytes.HasPrefix(b, []byte(`{"`)) || bytes.HasPrefix(b, []byte("{\n")))
}

// noStart are folders that hold no starting points unless they are named: prose, fixtures, other people's code.
var noStart = []string{"docs", "doc", "archive", "blog", "tests", "test", "node_modules", "vendor", ".git", ".venv", "venv", "__pycache__", ".terraform"}

// maxFiles bounds how many files a walk looks at.
const maxFiles = 200_000

// walk lists the files that may start a stack, in order of path: those .gitignore allows, outside noStart
// folders, except that everything below a named path is listed.
func (w *Workspace) walk(named, exclude []string) ([]string, error) {
	var out []string
	isNamed := func(p string) bool {
		for _, n := range named {
			if n == "." || p == n || strings.HasPrefix(p, n+"/") {
				return n != "."
			}
		}
		return false
	}
	leadsToNamed := func(p string) bool {
		for _, n := range named {
			if strings.HasPrefix(n, p+"/") {
				return true
			}
		}
		return false
	}
	var visit func(dir string, rules []ignoreRule) error
	visit = func(dir string, rules []ignoreRule) error {
		entries, err := fs.ReadDir(w.fsys, dir)
		if err != nil {
			if dir == "." {
				return err
			}
			return nil
		}
		w.listed[dir] = true
		for _, e := range entries {
			if e.Type()&fs.ModeSymlink != 0 {
				w.links[path.Join(dir, e.Name())] = true
			}
		}
		if f, err := w.Read(path.Join(dir, ".gitignore")); err == nil {
			rules = append(rules[:len(rules):len(rules)], parseIgnore(dir, string(f.Bytes))...)
		}
		for _, e := range entries {
			if len(out) > maxFiles {
				return nil
			}
			name := path.Join(dir, e.Name())
			named := isNamed(name)
			if !named && !leadsToNamed(name) && ignored(rules, name, e.IsDir()) {
				continue
			}
			if matchAny(exclude, name) {
				continue
			}
			switch {
			case e.IsDir():
				if e.Name() == ".git" || !named && !leadsToNamed(name) && isNoStart(e.Name()) {
					continue
				}
				if err := visit(name, rules); err != nil {
					return err
				}
			case e.Type().IsRegular():
				out = append(out, name)
			case e.Type()&fs.ModeSymlink != 0:
				// What a link leads to may lie where no walk goes.
				if name = w.target(name); !matchAny(exclude, name) {
					out = append(out, name)
				}
			}
		}
		return nil
	}
	if err := visit(".", nil); err != nil {
		return nil, err
	}
	for name := range w.overlay {
		out = append(out, name)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func isNoStart(name string) bool {
	for _, n := range noStart {
		if name == n {
			return true
		}
	}
	return false
}

// matchAny reports whether a path matches one of some globs, or lies below a folder that does.
func matchAny(globs []string, name string) bool {
	for _, g := range globs {
		g = strings.TrimSuffix(strings.TrimPrefix(g, "./"), "/")
		if ok, err := doublestar.Match(g, name); err == nil && ok {
			return true
		}
		if ok, err := doublestar.Match(g+"/**", name); err == nil && ok {
			return true
		}
	}
	return false
}

// exampleWords are names of folders, and words of file names, that say that the content is an example, a test or a local
// setup; teachingWords say so in the name of a folder of several words too (example_config_yaml).
var (
	exampleWords  = []string{"template", "test", "tests", "testdata", "local", "dev", "development", "benchmark", "benchmarks"}
	teachingWords = []string{"example", "examples", "sample", "samples", "demo", "demos", "tutorial", "tutorials", "quickstart", "cookbook"}
)

// IsExample reports whether a path says that its content is an example: a folder, or a word of the file name between
// dots, dashes and underscores, is one of exampleWords or teachingWords, or a word of a folder one of teachingWords.
func IsExample(name string) bool {
	dir, base := path.Split(strings.ToLower(name))
	for folder := range strings.SplitSeq(dir, "/") {
		if slices.Contains(exampleWords, folder) {
			return true
		}
		for word := range strings.FieldsFuncSeq(folder, betweenWords) {
			if slices.Contains(teachingWords, word) {
				return true
			}
		}
	}
	for word := range strings.FieldsFuncSeq(base, betweenWords) {
		if slices.Contains(exampleWords, word) || slices.Contains(teachingWords, word) {
			return true
		}
	}
	return false
}

func betweenWords(r rune) bool { return r == '.' || r == '-' || r == '_' }
