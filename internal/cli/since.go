package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/git"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// repository opens the repository around a folder, with what goes wrong as a mistake of the flag.
func (a *app) repository(flag, dir string) (*git.Repo, error) {
	repo, err := git.Open(a.ctx, dir, inWorkspace(dir))
	if err != nil {
		return nil, misuse("%s: %s", flag, err)
	}
	return repo, nil
}

// inWorkspace reports whether a folder is part of the checkout of a job of GitHub Actions, which in a container belongs
// to another user than the one who reads it.
func inWorkspace(dir string) bool {
	workspace := os.Getenv("GITHUB_WORKSPACE")
	if !inActions() || workspace == "" {
		return false
	}
	real, err1 := filepath.EvalSymlinks(dir)
	top, err2 := filepath.EvalSymlinks(workspace)
	if err1 != nil || err2 != nil {
		return false
	}
	rel, err := filepath.Rel(top, real)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// older returns the commit that --since names. The caller closes the repository.
func (a *app) older(t *target, s *settings) (*git.Repo, string, error) {
	flag := "--since " + s.since
	repo, err := a.repository(flag, t.root)
	if err != nil {
		return nil, "", err
	}
	commit, err := repo.Commit(a.ctx, s.since)
	if err != nil {
		repo.Close()
		if errors.Is(err, git.ErrUnknownRevision) {
			return nil, "", misuse("%s: no such commit in this clone (a shallow one has few: git fetch --depth=1 origin COMMIT)", flag)
		}
		return nil, "", misuse("%s: %s", flag, err)
	}
	return repo, commit, nil
}

// revisions are the commits that --since compares.
func (a *app) revisions(t *target, s *settings) (*model.RevisionsPart, error) {
	repo, commit, err := a.older(t, s)
	if err != nil {
		return nil, err
	}
	defer repo.Close()
	head, err := repo.Commit(a.ctx, "HEAD")
	if err != nil {
		return nil, misuse("--since %s: %s", s.since, err)
	}
	return &model.RevisionsPart{Base: commit, Head: head}, nil
}

// compare gives the findings of a root their status.
func (a *app) compare(t *target, o engine.Options, s *settings, r *engine.Result) error {
	if s.changedLines != "" {
		return a.compareLines(t, s, r)
	}
	flag := "--since " + s.since
	repo, commit, err := a.older(t, s)
	if err != nil {
		return err
	}
	defer repo.Close()
	root, err := os.OpenRoot(t.root)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.shown, err)
	}
	defer root.Close()
	tree, err := repo.Tree(a.ctx, commit, root.FS())
	if err != nil {
		return misuse("%s: %s", flag, err)
	}
	renames, err := repo.Renames(a.ctx, commit)
	if err != nil {
		return misuse("%s: %s", flag, err)
	}
	o.FS, o.Overlay = tree, nil
	if len(o.Paths) > 0 {
		o.Paths = slices.Clone(o.Paths)
		for now, before := range renames {
			if under(t.paths, now) {
				o.Paths = append(o.Paths, before)
			}
		}
	}
	base, err := a.run(a.ctx, o)
	if err != nil {
		return fmt.Errorf("check %s as of %s: %w", t.shown, s.since, err)
	}
	for _, f := range base.Faults {
		f.Stack += " as of " + s.since
		r.Faults = append(r.Faults, f)
	}
	r.Compare(base, &engine.Change{Rev: s.since, Commit: commit, Renames: renames, Lines: func(f *source.File) []git.Lines {
		name := f.Path
		if before, ok := renames[name]; ok {
			name = before
		}
		before, err := fs.ReadFile(tree, name)
		if err != nil {
			before = nil
		}
		return git.DiffLines(before, f.Bytes)
	}})
	return nil
}

// compareLines counts as new what touches the lines that a diff changed.
func (a *app) compareLines(t *target, s *settings, r *engine.Result) error {
	raw, err := a.readDiff(s.changedLines)
	if err != nil {
		return misuse("--changed-lines %s: %s", s.changedLines, reason(err))
	}
	files, err := git.ParsePatch(string(raw))
	if err != nil {
		return misuse("--changed-lines %s: %s", s.changedLines, err)
	}
	// The names in a diff start at the top of the repository.
	prefix := ""
	if repo, err := git.Open(a.ctx, t.root, inWorkspace(t.root)); err == nil {
		prefix = repo.Prefix()
		repo.Close()
	}
	r.Compare(nil, &engine.Change{Rev: "changed lines", Lines: func(f *source.File) []git.Lines {
		var out []git.Lines
		for _, h := range files[prefix+f.Path] {
			for _, n := range h.Added {
				out = append(out, git.Lines{Start: n, End: n + 1})
			}
		}
		return out
	}})
	return nil
}

func (a *app) readDiff(name string) ([]byte, error) {
	if name != "-" {
		return readBounded(name)
	}
	b, err := io.ReadAll(io.LimitReader(a.In, maxConfig+1))
	if err == nil && len(b) > maxConfig {
		err = fmt.Errorf("larger than %d MiB", maxConfig>>20)
	}
	return b, err
}
