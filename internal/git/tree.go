package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentlint/internal/source"
)

// Tree is the content of a commit below the repository's folder, as a file system. What git does not keep (ignored
// files, submodules) is taken from the working copy as it is: it is no part of what changed between revisions.
type Tree struct {
	repo    *Repo
	Commit  string
	entries map[string]*entry
	dirs    map[string][]fs.DirEntry
	// worktree is the working copy, for what git does not keep; kept are the paths it serves, folders with all below.
	worktree fs.FS
	kept     map[string]bool
}

type entry struct {
	name string
	mode fs.FileMode
	size int64
	id   string
}

// Tree returns the content of a commit.
func (r *Repo) Tree(ctx context.Context, commit string, worktree fs.FS) (*Tree, error) {
	if !IsObject(commit) {
		return nil, fmt.Errorf("%q: %w", commit, ErrUnknownRevision)
	}
	t := &Tree{repo: r, Commit: commit, worktree: worktree, entries: map[string]*entry{}, dirs: map[string][]fs.DirEntry{".": {}}, kept: map[string]bool{}}
	treeish := commit
	if r.prefix != "" {
		treeish += ":" + strings.TrimSuffix(r.prefix, "/")
		if _, err := r.run(ctx, "cat-file", "-e", treeish); err != nil {
			// The folder is new.
			return t, t.keep(ctx)
		}
	}
	// --full-tree: a tree inside the commit is named, so the folder that git runs in must not count again.
	out, err := r.run(ctx, "ls-tree", "-r", "-z", "--long", "--full-tree", treeish)
	if err != nil {
		return nil, err
	}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		meta, name, ok := strings.Cut(string(record), "\t")
		fields := strings.Fields(meta)
		if !ok || len(fields) != 4 || !fs.ValidPath(name) {
			continue
		}
		e := &entry{name: name, id: fields[2]}
		switch {
		case fields[1] == "commit":
			t.kept[name] = true
			continue
		case fields[0] == "120000":
			e.mode = fs.ModeSymlink | 0o777
		case fields[0] == "100755":
			e.mode = 0o755
		default:
			e.mode = 0o644
		}
		e.size, _ = strconv.ParseInt(fields[3], 10, 64)
		t.add(e)
	}
	if err := t.hideSparse(ctx); err != nil {
		return nil, err
	}
	if err := t.keep(ctx); err != nil {
		return nil, err
	}
	for _, list := range t.dirs {
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return t, nil
}

// add enters a file with the folders above it.
func (t *Tree) add(e *entry) {
	t.entries[e.name] = e
	var child fs.DirEntry = fs.FileInfoToDirEntry(info{e})
	for name := e.name; ; {
		dir := path.Dir(name)
		list, seen := t.dirs[dir]
		t.dirs[dir] = append(list, child)
		if seen || dir == "." {
			return
		}
		name, child = dir, fs.FileInfoToDirEntry(info{&entry{name: dir, mode: fs.ModeDir | 0o755}})
	}
}

// hideSparse leaves out what a sparse checkout leaves out of the working copy, which else would look deleted.
func (t *Tree) hideSparse(ctx context.Context) error {
	out, err := t.repo.run(ctx, "ls-files", "-z", "-t", "--cached")
	if err != nil {
		return err
	}
	hidden := map[string]bool{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if name, ok := strings.CutPrefix(string(record), "S "); ok {
			hidden[name] = true
		}
	}
	if len(hidden) == 0 {
		return nil
	}
	for dir, list := range t.dirs {
		t.dirs[dir] = slices.DeleteFunc(list, func(e fs.DirEntry) bool { return hidden[path.Join(dir, e.Name())] })
	}
	for name := range hidden {
		delete(t.entries, name)
	}
	return nil
}

// keep enters what git ignores.
func (t *Tree) keep(ctx context.Context) error {
	if t.worktree == nil {
		return nil
	}
	out, err := t.repo.run(ctx, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return err
	}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		name := strings.TrimSuffix(string(record), "/")
		if name == "" || !fs.ValidPath(name) || t.entries[name] != nil {
			continue
		}
		t.kept[name] = true
	}
	for name := range t.kept {
		st, err := fs.Stat(t.worktree, name)
		if err != nil {
			continue
		}
		dir := path.Dir(name)
		if list, ok := t.dirs[dir]; ok {
			t.dirs[dir] = append(list, fs.FileInfoToDirEntry(st))
		}
	}
	return nil
}

// fromWorktree reports whether a path is served from the working copy.
func (t *Tree) fromWorktree(name string) bool {
	if t.worktree == nil {
		return false
	}
	for p := name; p != "."; p = path.Dir(p) {
		if t.kept[p] {
			return true
		}
	}
	return false
}

// maxLinks bounds chains of symbolic links.
const maxLinks = 40

// resolve follows symbolic links. One that leads out of the folder leads nowhere.
func (t *Tree) resolve(name string) (string, error) {
	at, rest, links := ".", name, 0
	for rest != "" {
		var part string
		part, rest, _ = strings.Cut(rest, "/")
		switch part {
		case "", ".":
			continue
		case "..":
			if at == "." {
				return "", fs.ErrNotExist
			}
			at = path.Dir(at)
			continue
		}
		next := path.Join(at, part)
		e := t.entries[next]
		if e == nil || e.mode&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fs.ErrNotExist
		}
		target, err := t.repo.object(e.id, 4<<10)
		if err != nil || path.IsAbs(string(target)) {
			return "", fs.ErrNotExist
		}
		if rest != "" {
			rest = "/" + rest
		}
		rest = string(target) + rest
	}
	return at, nil
}

// Open implements fs.FS.
func (t *Tree) Open(name string) (fs.File, error) {
	fail := func(err error) (fs.File, error) { return nil, &fs.PathError{Op: "open", Path: name, Err: err} }
	if !fs.ValidPath(name) {
		return fail(fs.ErrInvalid)
	}
	if t.fromWorktree(name) {
		return t.worktree.Open(name)
	}
	real, err := t.resolve(name)
	if err != nil {
		return fail(err)
	}
	if real != name && t.fromWorktree(real) {
		return t.worktree.Open(real)
	}
	if list, ok := t.dirs[real]; ok {
		return &folder{info: info{&entry{name: real, mode: fs.ModeDir | 0o755}}, list: list}, nil
	}
	e := t.entries[real]
	if e == nil {
		return fail(fs.ErrNotExist)
	}
	return &file{info: info{e}, tree: t}, nil
}

// Stat implements fs.StatFS, without reading the content.
func (t *Tree) Stat(name string) (fs.FileInfo, error) {
	f, err := t.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// Lstat implements fs.ReadLinkFS.
func (t *Tree) Lstat(name string) (fs.FileInfo, error) {
	if e := t.entries[name]; e != nil && e.mode&fs.ModeSymlink != 0 && !t.fromWorktree(name) {
		return info{e}, nil
	}
	if t.fromWorktree(name) {
		return fs.Lstat(t.worktree, name)
	}
	return t.Stat(name)
}

// ReadLink implements fs.ReadLinkFS.
func (t *Tree) ReadLink(name string) (string, error) {
	if t.fromWorktree(name) {
		return fs.ReadLink(t.worktree, name)
	}
	e := t.entries[name]
	if e == nil || e.mode&fs.ModeSymlink == 0 {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: fs.ErrInvalid}
	}
	target, err := t.repo.object(e.id, 4<<10)
	if err != nil {
		return "", &fs.PathError{Op: "readlink", Path: name, Err: err}
	}
	return string(target), nil
}

// info describes an entry.
type info struct{ e *entry }

func (i info) Name() string       { return path.Base(i.e.name) }
func (i info) Size() int64        { return i.e.size }
func (i info) Mode() fs.FileMode  { return i.e.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.e.mode.IsDir() }
func (i info) Sys() any           { return nil }

// file reads a blob when it is first read.
type file struct {
	info
	tree *Tree
	r    *bytes.Reader
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *file) Close() error               { return nil }

func (f *file) Read(p []byte) (int, error) {
	if f.r == nil {
		b, err := f.tree.repo.object(f.e.id, source.MaxFileSize+1)
		if err != nil {
			return 0, &fs.PathError{Op: "read", Path: f.e.name, Err: err}
		}
		f.r = bytes.NewReader(b)
	}
	return f.r.Read(p)
}

// folder lists its entries.
type folder struct {
	info
	list []fs.DirEntry
}

func (d *folder) Stat() (fs.FileInfo, error) { return d.info, nil }
func (d *folder) Close() error               { return nil }
func (d *folder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.e.name, Err: fs.ErrInvalid}
}

func (d *folder) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := d.list
		d.list = nil
		return slices.Clone(out), nil
	}
	if len(d.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.list))
	out := d.list[:n]
	d.list = d.list[n:]
	return slices.Clone(out), nil
}
