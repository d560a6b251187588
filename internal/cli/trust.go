package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"agentlint/internal/bundle"
	"agentlint/internal/git"
	"agentlint/internal/github"
	"agentlint/internal/policy"
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

// written returns the path of a file below the top of the working copy as it is written, whatever links the fork has put
// in its way; false for one that lies outside.
func (b *base) written(name string) (string, bool) {
	tops := []string{b.top}
	if real, err := filepath.EvalSymlinks(b.top); err == nil {
		tops = append(tops, real)
	}
	for _, top := range tops {
		if rel, err := filepath.Rel(top, name); b.repo != nil && err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return b.inside(name)
}

// policiesOfBase reads the policies at a path as the base has them, where the base steers the run; false where the
// working copy does. Read reads those of the working copy, to say when they differ.
func (a *app) policiesOfBase(abs, shown string, read func() ([]policy.File, error)) ([]policy.File, bool, error) {
	b := a.base()
	if b == nil {
		return nil, false, nil
	}
	rel, in := b.written(abs)
	if !in {
		return nil, false, nil
	}
	if b.repo == nil || rel == "" {
		a.tell(b, abs, "the policies in %s are not used: they are a fork's, in a job that has more rights", shown)
		return nil, true, nil
	}
	tree, err := b.repo.Tree(a.ctx, b.commit, nil)
	if err != nil {
		return nil, true, err
	}
	list, err := bundle.ReadFS(tree, rel, shown)
	if errors.Is(err, fs.ErrNotExist) {
		a.tell(b, abs, "the policies in %s are not used: they are a fork's, in a job that has more rights, and the base branch has none", shown)
		return nil, true, nil
	}
	if err != nil {
		return nil, true, err
	}
	if now, err := read(); err != nil || !reflect.DeepEqual(now, list) {
		a.tell(b, abs, "the policies in %s are read as the base branch has them: this job has more rights than the fork that it checks", shown)
	}
	return list, true, nil
}
