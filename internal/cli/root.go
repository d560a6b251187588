package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentlint/internal/config"
)

// target is a root with the paths below it that a command line names.
type target struct {
	// root is an absolute folder; shown is the way to it from the working directory cwd, with slashes.
	root, shown, cwd string
	// paths are relative to the root with slashes; empty means everything.
	paths []string
	// named says that a person named the paths.
	named bool
	// configuration is the file to read, "" for none; explicit when it was given with --config.
	configuration string
	explicit      bool
}

// findTargets groups the paths of a command line by their root: the nearest ancestor with a configuration file or a
// .git, else the path's own folder. missing are paths that need not exist (--stdin-filename).
func findTargets(args []string, configuration string, missing bool) ([]*target, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	named := len(args) > 0
	if !named {
		args = []string{"."}
	}
	var out []*target
	for _, arg := range args {
		abs, err := filepath.Abs(arg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		dir := abs
		switch st, err := os.Stat(abs); {
		case err != nil && missing:
			dir = filepath.Dir(abs)
		case err != nil:
			return nil, misuse("%s: %s", arg, reason(err))
		case !st.IsDir():
			dir = filepath.Dir(abs)
			if err := readable(abs); err != nil {
				return nil, misuse("%s: %s", arg, reason(err))
			}
		default:
			if _, err := os.ReadDir(abs); err != nil {
				return nil, misuse("%s: %s", arg, reason(err))
			}
		}
		root := rootOf(dir)
		rel, err := filepath.Rel(root, abs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		t := (*target)(nil)
		for _, o := range out {
			if o.root == root {
				t = o
			}
		}
		if t == nil {
			t = &target{root: root, shown: shownPath(cwd, root), cwd: cwd, named: named || root != cwd, explicit: configuration != ""}
			if t.explicit {
				if t.configuration, err = filepath.Abs(configuration); err != nil {
					return nil, fmt.Errorf("--config %s: %w", configuration, err)
				}
			}
			if !t.explicit {
				if name := filepath.Join(root, config.FileName); exists(name) {
					t.configuration = name
				}
			}
			out = append(out, t)
		}
		if real := behindLinks(root, rel); real != rel {
			t.paths = append(t.paths, filepath.ToSlash(real))
		}
		t.paths = append(t.paths, filepath.ToSlash(rel))
	}
	for _, t := range out {
		for _, p := range t.paths {
			if p == "." {
				t.paths = nil
				break
			}
		}
	}
	return out, nil
}

// behindLinks returns what a path below a root leads to through symbolic links, when that lies below the root too: findings
// stand there.
func behindLinks(root, rel string) string {
	real, err := filepath.EvalSymlinks(filepath.Join(root, rel))
	if err != nil {
		return rel
	}
	top, err := filepath.EvalSymlinks(root)
	if err != nil {
		return rel
	}
	if to, err := filepath.Rel(top, real); err == nil && filepath.IsLocal(to) {
		return to
	}
	return rel
}

// show returns the way from the working directory to a path below the root.
func (t *target) show(name string) string {
	if t.shown == "." {
		return name
	}
	return shownPath(t.cwd, filepath.Join(t.root, filepath.FromSlash(name)))
}

// rootOf returns the nearest ancestor with a configuration file or a .git, or the folder itself.
func rootOf(dir string) string {
	for d := dir; ; {
		if exists(filepath.Join(d, config.FileName)) || exists(filepath.Join(d, ".git")) {
			return d
		}
		up := filepath.Dir(d)
		if up == d {
			return dir
		}
		d = up
	}
}

// leadsOut reports whether a file is a link to something outside of the repository of a root: what it holds is then none of
// the repository's text, and no message may show it.
func leadsOut(root, name string) bool {
	file, err := filepath.EvalSymlinks(name)
	if err != nil {
		return false
	}
	top := root
	for d := root; ; d = filepath.Dir(d) {
		if exists(filepath.Join(d, ".git")) {
			top = d
			break
		}
		if d == filepath.Dir(d) {
			break
		}
	}
	if top, err = filepath.EvalSymlinks(top); err != nil {
		return true
	}
	rel, err := filepath.Rel(top, file)
	return err != nil || !filepath.IsLocal(rel)
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// readable opens a regular file that a person named, so that one without permission is an error and not a silence.
func readable(name string) error {
	st, err := os.Stat(name)
	if err != nil {
		return err
	}
	// Reading a pipe or a device may never end.
	if !st.Mode().IsRegular() {
		return errors.New("is no regular file")
	}
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return f.Close()
}

// shownPath returns the way from the working directory to a path, with slashes; an absolute path where there is none.
func shownPath(cwd, name string) string {
	rel, err := filepath.Rel(cwd, name)
	if err != nil {
		return filepath.ToSlash(name)
	}
	return filepath.ToSlash(rel)
}

// reason is the cause of an error of the file system without the path, which the caller names as it was typed.
func reason(err error) string {
	var pe *fs.PathError
	for errors.As(err, &pe) {
		err = pe.Err
	}
	return err.Error()
}

// maxConfig bounds the configuration and baseline files that are read.
const maxConfig = 16 << 20

// readBounded reads a regular file of bounded size.
func readBounded(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errors.New("not a regular file")}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxConfig+1))
	if err == nil && len(b) > maxConfig {
		err = &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("larger than %d MiB", maxConfig>>20)}
	}
	return b, err
}

// under reports whether a path is one of some paths or lies below one; no paths mean everything.
func under(paths []string, name string) bool {
	if len(paths) == 0 {
		return true
	}
	for _, p := range paths {
		if name == p || strings.HasPrefix(name, p+"/") {
			return true
		}
	}
	return false
}
