// Package bundle reads users' policies from folders, files and OPA bundles, and writes OPA bundles.
package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"agentlint/internal/policy"
	"agentlint/loaders"
)

// The bounds of what is read.
const (
	maxFiles      = 20_000   // entries of a folder or bundle that are looked at
	maxRead       = 2000     // files that are read
	maxFile       = 1 << 20  // bytes of one file
	maxTotal      = 32 << 20 // bytes of all files, unpacked
	maxCompressed = 16 << 20
	maxDepth      = 32 // folders in folders
)

// Extension ends the names of OPA bundles.
const Extension = ".tar.gz"

// Read returns the policies at a path that a person named: a folder, a .rego file or a bundle. Shown is how messages name
// it. Links inside a folder are followed as long as they stay in it.
func Read(name, shown string) ([]policy.File, error) {
	// What a person names may be a link to anywhere.
	name, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, bare(err)
	}
	st, err := os.Stat(name)
	if err != nil {
		return nil, bare(err)
	}
	dir, base := name, "."
	if !st.IsDir() {
		dir, base = filepath.Dir(name), filepath.Base(name)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, bare(err)
	}
	defer root.Close()
	return read(root, dir, base, shown)
}

// errIgnored refuses a path of a configuration that only one machine has.
var errIgnored = errors.New("git leaves it out, so that others would check without it")

// ReadBelow returns the policies at a path below a root, which links must not leave, and which Git must not leave out.
func ReadBelow(dir, name, shown string) ([]policy.File, error) {
	if ignoredPath(filepath.Join(dir, filepath.FromSlash(name))) {
		return nil, errIgnored
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, bare(err)
	}
	defer root.Close()
	return read(root, dir, path.Clean(name), shown)
}

// ReadFS returns the policies at a path of a file system, such as a commit, which holds nothing that Git leaves out.
func ReadFS(fsys fs.FS, name, shown string) ([]policy.File, error) {
	st, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, bare(err)
	}
	r := &reader{fsys: fsys, shown: shown}
	return r.read(name, st.IsDir(), loaders.Gitignore{}, name)
}

// bare returns the cause of an error of the file system without the path.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

func read(root *os.Root, dir, name, shown string) ([]policy.File, error) {
	st, err := root.Stat(name)
	if err != nil {
		return nil, bare(err)
	}
	r := &reader{fsys: root.FS(), shown: shown}
	if !st.IsDir() {
		return r.read(name, false, loaders.Gitignore{}, name)
	}
	outside, prefix := ignoredAbove(filepath.Join(dir, filepath.FromSlash(name)))
	return r.read(name, true, outside, prefix)
}

// read reads a folder, a policy or a bundle. G is what applies to a folder from above, prefix its path below the
// repository.
func (r *reader) read(name string, folder bool, g loaders.Gitignore, prefix string) ([]policy.File, error) {
	var err error
	switch {
	case folder:
		r.below = name
		err = r.folder(name, g, prefix, 0)
	case strings.HasSuffix(name, Extension) || strings.HasSuffix(name, ".tgz"):
		err = r.bundle(name)
	case strings.HasSuffix(name, ".rego"):
		var b []byte
		if b, err = r.file(name); err == nil {
			r.files = []policy.File{{Name: r.shown, Path: path.Base(name), Text: string(b)}}
		}
	default:
		return nil, fmt.Errorf("want a folder, a .rego file or a bundle (%s)", Extension)
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(r.files, func(f policy.File) bool { return f.Data == nil }) {
		return nil, errors.New("there are no policies in it")
	}
	return r.files, nil
}

// reader collects files.
type reader struct {
	fsys         fs.FS
	below, shown string
	files        []policy.File
	looked, size int
}

// ignoredAbove returns what the .gitignore files above a folder say, and the folder's path below the repository.
func ignoredAbove(dir string) (loaders.Gitignore, string) {
	var g loaders.Gitignore
	abs, err := filepath.Abs(dir)
	if err != nil {
		return g, "."
	}
	top := abs
	for {
		if _, err := os.Stat(filepath.Join(top, ".git")); err == nil {
			break
		}
		up := filepath.Dir(top)
		if up == top {
			return g, "."
		}
		top = up
	}
	rel, err := filepath.Rel(top, abs)
	if err != nil {
		return g, "."
	}
	prefix := filepath.ToSlash(rel)
	at := "."
	for _, name := range strings.Split(prefix, "/") {
		if at == prefix {
			break
		}
		if b, err := readSmall(filepath.Join(top, filepath.FromSlash(at), ".gitignore")); err == nil {
			g = g.With(at, string(b))
		}
		at = path.Join(at, name)
	}
	return g, prefix
}

// ignoredPath reports whether Git leaves out a path, or a folder above it.
func ignoredPath(name string) bool {
	st, err := os.Stat(name)
	if err != nil {
		return false
	}
	g, prefix := ignoredAbove(name)
	for p, isDir := prefix, st.IsDir(); p != "."; p, isDir = path.Dir(p), true {
		if g.Ignores(p, isDir) {
			return true
		}
	}
	return false
}

func readSmall(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil || !st.Mode().IsRegular() || st.Size() > maxFile {
		return nil, fs.ErrNotExist
	}
	return os.ReadFile(name)
}

// folder reads the policies of a folder that Git does not leave out; prefix is its path below the repository.
func (r *reader) folder(dir string, g loaders.Gitignore, prefix string, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%s: folders are nested deeper than %d", dir, maxDepth)
	}
	entries, err := fs.ReadDir(r.fsys, dir)
	if err != nil {
		return bare(err)
	}
	if b, err := r.bounded(path.Join(dir, ".gitignore")); err == nil {
		g = g.With(prefix, string(b))
	}
	for _, e := range entries {
		if r.looked++; r.looked > maxFiles {
			return fmt.Errorf("there are more than %d files in it", maxFiles)
		}
		name, below := path.Join(dir, e.Name()), path.Join(prefix, e.Name())
		if strings.HasPrefix(e.Name(), ".") || g.Ignores(below, e.IsDir()) {
			continue
		}
		if e.IsDir() {
			if err := r.folder(name, g, below, depth+1); err != nil {
				return err
			}
			continue
		}
		if !wanted(e.Name()) {
			continue
		}
		if e.Type()&fs.ModeSymlink != 0 {
			if st, err := fs.Stat(r.fsys, name); err != nil || !st.Mode().IsRegular() {
				return fmt.Errorf("%s: a link that leads out of the folder, or nowhere", r.show(name))
			}
		}
		b, err := r.file(name)
		if err != nil {
			return fmt.Errorf("%s: %w", r.show(name), bare(err))
		}
		if err := r.add(r.show(name), r.relative(name), b, false); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) relative(name string) string {
	if r.below == "." {
		return name
	}
	return strings.TrimPrefix(name, r.below+"/")
}

func (r *reader) show(name string) string { return path.Join(r.shown, r.relative(name)) }

func wanted(base string) bool {
	return strings.HasSuffix(base, ".rego") || base == "data.json" || base == "data.yaml" || base == "data.yml"
}

// file reads one file and counts it.
func (r *reader) file(name string) ([]byte, error) {
	b, err := r.bounded(name)
	if err != nil {
		return nil, err
	}
	return b, r.count(len(b))
}

func (r *reader) count(size int) error {
	if r.size += size; r.size > maxTotal || len(r.files) >= maxRead {
		return fmt.Errorf("there are more than %d policies or %d MiB", maxRead, maxTotal>>20)
	}
	return nil
}

func (r *reader) bounded(name string) ([]byte, error) {
	// A pipe would block on open.
	st, err := fs.Stat(r.fsys, name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	f, err := r.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	limit := int64(maxFile)
	if strings.HasSuffix(name, Extension) || strings.HasSuffix(name, ".tgz") {
		limit = maxCompressed
	}
	b, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("larger than %d MiB", limit>>20)
	}
	return b, err
}

// add adds a policy or a document.
func (r *reader) add(shown, relative string, b []byte, bundled bool) error {
	f := policy.File{Name: shown, Path: relative, Bundled: bundled}
	if strings.HasSuffix(relative, ".rego") {
		f.Text = string(b)
	} else {
		var v any
		var err error
		if strings.HasSuffix(relative, ".json") {
			err = json.Unmarshal(b, &v)
		} else {
			err = yaml.Unmarshal(b, &v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", shown, err)
		}
		m, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: want an object", shown)
		}
		if f.Data, err = plainData(m); err != nil {
			return fmt.Errorf("%s: %w", shown, err)
		}
	}
	r.files = append(r.files, f)
	return nil
}

// plainData returns a document as JSON has it.
func plainData(m map[string]any) (map[string]any, error) {
	b, err := json.Marshal(m)
	if err != nil {
		return nil, errors.New("holds what JSON cannot")
	}
	if len(b) > 4*maxFile {
		return nil, errors.New("is too large")
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var out map[string]any
	return out, d.Decode(&out)
}

// bundle reads an OPA bundle.
func (r *reader) bundle(name string) error {
	b, err := r.bounded(name)
	if err != nil {
		return bare(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("not a bundle: %w", err)
	}
	t := tar.NewReader(io.LimitReader(z, maxTotal+1))
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a bundle: %w", err)
		}
		if r.looked++; r.looked > maxFiles {
			return fmt.Errorf("there are more than %d files in it", maxFiles)
		}
		if strings.Contains(h.Name, "..") && slices.Contains(strings.Split(h.Name, "/"), "..") {
			return fmt.Errorf("%s leaves the bundle", h.Name)
		}
		inner := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
		if h.Typeflag != tar.TypeReg || !wanted(path.Base(inner)) {
			continue
		}
		b, err := io.ReadAll(io.LimitReader(t, maxFile+1))
		if err != nil {
			return fmt.Errorf("not a bundle: %w", err)
		}
		if len(b) > maxFile {
			return fmt.Errorf("%s: larger than %d MiB", inner, maxFile>>20)
		}
		if err := r.count(len(b)); err != nil {
			return err
		}
		if err := r.add(path.Join(r.shown, inner), inner, b, true); err != nil {
			return err
		}
	}
}
