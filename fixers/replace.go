package fixers

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Replace writes the new content of files below the directory root, all or none. Each is replaced in one step, by
// renaming a complete temporary file beside it, so that whatever happens a file has its old or its new content; mode
// and, where permitted, owner stay. A symbolic link stays and its target is replaced, if it lies below root. A file
// that is gone, read-only, no regular file, or whose content is no longer Old, is refused, and nothing is written.
func Replace(root string, files []Content) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	return (&replacer{root: r}).replace(files)
}

// replacer replaces files below a root.
type replacer struct {
	root *os.Root
	// stop is called before each step and makes it fail; for tests.
	stop func(step, path string) error
	temp []string
}

// target is a file on its way from old to new.
type target struct {
	Content
	path   string // after symbolic links
	info   fs.FileInfo
	temp   string
	backup string
}

func (r *replacer) step(name, path string) error {
	if r.stop != nil {
		return r.stop(name, path)
	}
	return nil
}

func (r *replacer) replace(files []Content) (err error) {
	defer func() {
		for _, t := range r.temp {
			// What was renamed is no longer there.
			_ = r.root.Remove(t)
		}
	}()
	targets := make([]*target, 0, len(files))
	seen := map[string]bool{}
	for _, f := range files {
		t, err := r.open(f)
		if err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
		if seen[t.path] {
			return fmt.Errorf("write %s: the file is named twice", f.Path)
		}
		seen[t.path] = true
		targets = append(targets, t)
	}
	for _, t := range targets {
		if err := r.prepare(t, len(targets) > 1); err != nil {
			return fmt.Errorf("write %s: %w", t.Path, err)
		}
	}
	for i, t := range targets {
		if err := r.commit(t); err != nil {
			err = fmt.Errorf("write %s: %w", t.Path, err)
			for _, done := range targets[:i] {
				if back := r.root.Rename(done.backup, done.path); back != nil {
					err = errors.Join(err, fmt.Errorf("restore %s: %w", done.Path, back))
				}
			}
			return err
		}
	}
	dirs := map[string]bool{}
	for _, t := range targets {
		if d := path.Dir(t.path); !dirs[d] {
			dirs[d] = true
			// Not every file system can do it.
			if f, err := r.root.Open(d); err == nil {
				_ = f.Sync()
				f.Close()
			}
		}
	}
	return nil
}

// maxLinks bounds chains of symbolic links, which may be cyclic.
const maxLinks = 40

// open follows symbolic links to a regular file that can be written and has the old content.
func (r *replacer) open(f Content) (*target, error) {
	t := &target{Content: f, path: path.Clean(f.Path)}
	for range maxLinks {
		info, err := r.root.Lstat(t.path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("the file is gone")
		}
		if err != nil {
			return nil, reason(err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			t.info = info
			break
		}
		link, err := r.root.Readlink(t.path)
		if err != nil {
			return nil, reason(err)
		}
		link = strings.ReplaceAll(link, string(os.PathSeparator), "/")
		if path.IsAbs(link) {
			return nil, errors.New("the file is a link to an absolute path")
		}
		t.path = path.Join(path.Dir(t.path), link)
	}
	switch {
	case t.info == nil:
		return nil, errors.New("the file is a chain of links without an end")
	case !t.info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case t.info.Mode().Perm()&0o222 == 0:
		return nil, errors.New("the file is read-only")
	}
	return t, r.unchanged(t)
}

// reason returns the cause of an error without the path, which the caller names.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}

// unchanged refuses a file whose content is not the old one.
func (r *replacer) unchanged(t *target) error {
	f, err := r.root.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("the file is gone")
	}
	if err != nil {
		return reason(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, int64(len(t.Old))+1))
	if err != nil {
		return reason(err)
	}
	if !bytes.Equal(b, t.Old) {
		return errors.New("the file was changed by something else meanwhile")
	}
	return nil
}

// name returns the name of a new temporary file beside t.
func (r *replacer) name(t *target) string {
	var b [8]byte
	rand.Read(b[:])
	n := path.Join(path.Dir(t.path), ".agentlint-"+hex.EncodeToString(b[:])+".tmp")
	r.temp = append(r.temp, n)
	return n
}

// prepare writes the new content beside the file, and keeps the old file under a second name when backup is set.
func (r *replacer) prepare(t *target, backup bool) error {
	if err := r.step("write", t.Path); err != nil {
		return err
	}
	t.temp = r.name(t)
	f, err := r.root.OpenFile(t.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return reason(err)
	}
	_, err = f.Write(t.New)
	if err == nil {
		// Before the mode, which a change of owner may reduce.
		keepOwner(f, t.info)
		err = f.Chmod(t.info.Mode().Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	if c := f.Close(); err == nil {
		err = c
	}
	if err != nil {
		return reason(err)
	}
	if !backup {
		return nil
	}
	t.backup = r.name(t)
	if r.root.Link(t.path, t.backup) == nil {
		return nil
	}
	// A file system without links keeps a copy.
	if err := r.root.WriteFile(t.backup, t.Old, 0o600); err != nil {
		return reason(err)
	}
	return reason(r.root.Chmod(t.backup, t.info.Mode().Perm()))
}

// commit puts the new file in the place of the old one.
func (r *replacer) commit(t *target) error {
	if err := r.step("rename", t.Path); err != nil {
		return err
	}
	if err := r.unchanged(t); err != nil {
		return err
	}
	return reason(r.root.Rename(t.temp, t.path))
}
