package github

import (
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	api "github.com/google/go-github/v62/github"

	"agentlint/internal/git"
	"agentlint/internal/report"
	"agentlint/internal/source"
)

// placement maps findings to lines of the pull request's diff.
type placement struct {
	ctx    context.Context
	client *client
	// root is the top of the working copy that was checked, prefix the way from there to the folder that paths of
	// findings start at.
	root   *os.Root
	prefix string
	diff   map[string]*api.CommitFile
	files  map[string]*placedFile
}

// placedFile is one file of the pull request.
type placedFile struct {
	local []byte
	hunks []git.Hunk
	// drift is how the checked file differs from the pull request's head, as in the merge commit that a job checks out
	// when the base changed the same file.
	drift []git.Lines
	// reason says why no line of the file can be commented, "" when they can.
	reason string
}

// desired is a comment on lines of the diff.
type desired struct {
	finding *report.DocumentFinding
	path    string
	// first and last are lines of the head's file.
	first, last int
	body        string
	key         string
}

// path returns the path of a file of a finding from the top of the repository; false for one that leads out of it.
func (p *placement) path(name string) (string, bool) {
	full := path.Join(p.prefix, name)
	if name == "" || path.IsAbs(name) || strings.ContainsRune(name, 0) || !fs.ValidPath(full) {
		return "", false
	}
	return full, true
}

// file returns what is known of a file, read once.
func (p *placement) file(name string) *placedFile {
	if f, ok := p.files[name]; ok {
		return f
	}
	f := &placedFile{}
	p.files[name] = f
	local, err := p.read(name)
	if err == nil {
		f.local = local
	}
	c := p.diff[name]
	switch {
	case c == nil:
		f.reason = "not part of this pull request"
		return f
	case c.GetStatus() == "removed":
		f.reason = "deleted"
		return f
	case err != nil:
		f.reason = "not in the working copy"
		return f
	case c.GetPatch() == "":
		f.reason = "GitHub shows no diff of it"
		return f
	}
	if f.hunks, err = git.ParseHunks(c.GetPatch()); err != nil {
		f.reason = "its diff cannot be read"
		return f
	}
	if !git.IsObject(c.GetSHA()) {
		f.reason = "GitHub names no content of it"
		return f
	}
	if blobHash(local, c.GetSHA()) == c.GetSHA() {
		return f
	}
	head, _, err := p.client.Git.GetBlobRaw(p.ctx, p.client.owner, p.client.name, c.GetSHA())
	if err != nil || blobHash(head, c.GetSHA()) != c.GetSHA() {
		f.reason = "the checked file is another one than the pull request's"
		return f
	}
	f.drift = git.DiffLines(head, local)
	return f
}

// read reads a regular file of bounded size. Links that lead out of the working copy cannot be followed.
func (p *placement) read(name string) ([]byte, error) {
	if st, err := p.root.Stat(name); err != nil {
		return nil, err
	} else if !st.Mode().IsRegular() || st.Size() > source.MaxFileSize {
		return nil, fs.ErrInvalid
	}
	f, err := p.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, source.MaxFileSize))
}

// headLines maps lines of the checked file to those of the head, which must be the same.
func (f *placedFile) headLines(first, last int) (int, int, bool) {
	a, ok1 := git.OldLine(f.drift, first)
	b, ok2 := git.OldLine(f.drift, last)
	if !ok1 || !ok2 || b-a != last-first {
		return 0, 0, false
	}
	// A report may name lines that the file does not have.
	if last-first > len(f.local) {
		return 0, 0, false
	}
	for n := first; n <= last; n++ {
		if m, ok := git.OldLine(f.drift, n); !ok || m != a+n-first {
			return 0, 0, false
		}
	}
	return a, b, true
}

// shown reports whether one hunk of the diff shows some lines of the head.
func (f *placedFile) shown(first, last int) bool {
	for i := range f.hunks {
		if f.hunks[i].Holds(first, last) {
			return true
		}
	}
	return false
}

// fixOf returns the fix that `agentlint fix` would choose, nil without one.
func fixOf(f *report.DocumentFinding) *report.DocumentFix {
	var best *report.DocumentFix
	for i := range f.Fixes {
		x := &f.Fixes[i]
		if len(x.Edits) == 0 || x.Safety != "safe" && x.Safety != "unsafe" {
			continue
		}
		if best == nil || best.Safety == "unsafe" && x.Safety == "safe" {
			best = x
		}
	}
	return best
}

// place returns the comment for a finding, and false when no line of the diff can hold it.
func (p *placement) place(f *report.DocumentFinding) (*desired, bool) {
	name, ok := p.path(f.File)
	if !ok {
		return nil, false
	}
	file := p.file(name)
	if file.reason != "" {
		return nil, false
	}
	d := &desired{finding: f, path: name, key: keyOf(name, f.Fingerprint)}
	x := fixOf(f)
	if x != nil {
		if s, ok := p.suggestion(file, f, x); ok {
			if a, b, ok := file.headLines(s.first, s.last); ok && file.shown(a, b) {
				d.first, d.last = a, b
				d.body = p.body(f, x, s.block(), d.key)
				if len(d.body) <= maxBody {
					return d, true
				}
			}
		}
	}
	// The end is exclusive: one in front of the first column belongs to the line before.
	last := f.End.Line
	if f.End.Column <= 1 && last > f.Start.Line {
		last--
	}
	a, b, ok := file.headLines(f.Start.Line, last)
	if !ok || !file.shown(a, b) {
		if a, b, ok = file.headLines(f.Start.Line, f.Start.Line); !ok || !file.shown(a, b) {
			return nil, false
		}
	}
	d.first, d.last = a, b
	shown := ""
	if x != nil {
		shown = p.patch(x)
	}
	d.body = p.body(f, x, shown, d.key)
	if len(d.body) > maxBody {
		d.body = p.body(f, x, "", d.key)
	}
	return d, true
}

func (p *placement) suggestion(file *placedFile, f *report.DocumentFinding, x *report.DocumentFix) (suggestion, bool) {
	var edits []source.Edit
	for _, e := range x.Edits {
		if e.File != f.File {
			return suggestion{}, false
		}
		edits = append(edits, source.Edit{Span: source.Span{Start: e.Start, End: e.End}, Text: e.Text})
	}
	return suggest(file.local, edits, f.Start.Line)
}
