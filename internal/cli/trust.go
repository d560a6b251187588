package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentlint/internal/git"
	"agentlint/internal/github"
	"agentlint/internal/source"
)

// base is where configuration, baselines and policies come from in a job that has the rights of a repository and the
// working copy of somebody else's fork (pull_request_target, workflow_run): the base's commit, never the working copy.
type base struct {
	repo   *git.Repo
	commit string
	top    string
	told   map[string]bool
}

// base returns the commit that steers a run, nil where the working copy does.
func (a *app) base() *base {
	a.baseOnce.Do(func() {
		name := os.Getenv("GITHUB_EVENT_NAME")
		if !inActions() || name != "pull_request_target" && name != "workflow_run" {
			return
		}
		b := &base{told: map[string]bool{}, commit: os.Getenv("GITHUB_SHA")}
		// An event that cannot be read is no reason to trust the working copy.
		if raw, err := readBounded(os.Getenv("GITHUB_EVENT_PATH")); err == nil {
			if e, err := github.ParseEvent(name, raw); err == nil {
				if !e.Untrusted() {
					return
				}
				if e.Base != "" {
					b.commit = e.Base
				}
			}
		}
		a.fork = b
		cwd, err := os.Getwd()
		if err != nil {
			return
		}
		repo, err := git.Open(a.ctx, cwd, inWorkspace(cwd))
		if err != nil {
			return
		}
		if top, err := git.Open(a.ctx, repo.Top(), inWorkspace(cwd)); err == nil {
			b.repo, b.top = top, top.Top()
		}
	})
	return a.fork
}

// inside returns the path of a file below the top of the working copy; false for one that lies outside of it, which a
// fork cannot have written.
func (b *base) inside(name string) (string, bool) {
	if b.repo == nil {
		return "", true
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return "", true
	}
	real, top := abs, b.top
	if r, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		real = filepath.Join(r, filepath.Base(abs))
	}
	if r, err := filepath.EvalSymlinks(top); err == nil {
		top = r
	}
	rel, err := filepath.Rel(top, real)
	if err != nil {
		return "", true
	}
	rel = filepath.ToSlash(rel)
	if rel == ".." || strings.HasPrefix(rel, "../") {
		// A link to a place outside may still be the fork's; what it leads to is not.
		return "", false
	}
	return rel, true
}

// readSteering reads a file that steers a run: configuration or baseline.
func (a *app) readSteering(name string) ([]byte, error) {
	b := a.base()
	if b == nil {
		return readBounded(name)
	}
	rel, in := b.inside(name)
	if !in {
		return readBounded(name)
	}
	if b.repo != nil && rel != "" {
		if raw, err := b.repo.Blob(a.ctx, b.commit, rel, maxConfig); err == nil {
			a.tell(b, name, "%s is read as the base branch has it: this job has more rights than the fork that it checks", name)
			return raw, nil
		}
	}
	a.tell(b, name, "%s is not used: it is a fork's, in a job that has more rights, and the base branch shows none", name)
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

// tell says something about a file once, unless the base has the same content.
func (a *app) tell(b *base, name, format string, args ...any) {
	if !b.told[name] {
		b.told[name] = true
		a.note(format, args...)
	}
}

// maxPolicyFiles bounds the files of policies that are compared with the base's.
const maxPolicyFiles = 1000

// trusts reports whether policies may be loaded: those that the base has too, byte for byte.
func (a *app) trusts(name string) bool {
	b := a.base()
	if b == nil {
		return true
	}
	if _, in := b.inside(name); !in {
		return true
	}
	same, n := true, 0
	err := filepath.WalkDir(name, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return nil
		}
		n++
		rel, in := b.inside(p)
		content, err := readBounded(p)
		if err != nil || !in || rel == "" || b.repo == nil || n > maxPolicyFiles || !d.Type().IsRegular() {
			same = false
			return fs.SkipAll
		}
		before, err := b.repo.Blob(a.ctx, b.commit, rel, source.MaxFileSize)
		if err != nil || !bytes.Equal(before, content) {
			same = false
			return fs.SkipAll
		}
		return nil
	})
	if err != nil || !same {
		a.tell(b, name, "the policies in %s are not used: they are a fork's, in a job that has more rights", name)
		return false
	}
	return true
}
