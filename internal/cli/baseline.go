package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/git"
)

// baselineSchema names the format of baseline files.
const baselineSchema = "agentlint.baseline/v1"

// baseline is the findings that a team knows and has not mended yet. It only shrinks: a finding that is gone leaves
// it, and none is ever added to a file that exists.
type baseline struct {
	Schema   string          `json:"schema"`
	Findings []baselineEntry `json:"findings"`
}

type baselineEntry struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	File        string `json:"file"`
}

func (a *app) readBaseline(name string) (*baseline, error) {
	raw, err := a.readSteering(name)
	if err != nil {
		return nil, err
	}
	var b baseline
	if err := json.Unmarshal(raw, &b); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if b.Schema != baselineSchema {
		return nil, fmt.Errorf("%s: schema is %q, want %q", name, b.Schema, baselineSchema)
	}
	return &b, nil
}

// apply takes the known findings out of a result. gone are entries whose finding no longer exists, of the files that
// the run reported on; moved counts entries that were given the new name of a file. Renames are those since the
// baseline was written, new name to old.
func (b *baseline) apply(r *engine.Result, paths []string, renames map[string]string) (known, moved int, gone []baselineEntry) {
	left := map[string]int{}
	for i, e := range b.Findings {
		left[e.Fingerprint] = i
	}
	found := map[string]bool{}
	r.Findings = slices.DeleteFunc(r.Findings, func(f *engine.Finding) bool {
		i, ok := left[f.Fingerprint]
		if old, renamed := renames[f.File.Path]; !ok && renamed {
			if i, ok = left[f.FingerprintIn(old)]; ok {
				b.Findings[i].Fingerprint, b.Findings[i].File = f.Fingerprint, f.File.Path
				moved++
			}
		}
		if ok {
			found[b.Findings[i].Fingerprint] = true
			known++
		}
		return ok
	})
	for _, e := range b.Findings {
		if !found[e.Fingerprint] && under(paths, e.File) {
			gone = append(gone, e)
		}
	}
	return known, moved, gone
}

// newBaseline returns a baseline of all findings of a result.
func newBaseline(r *engine.Result) *baseline {
	b := &baseline{Schema: baselineSchema, Findings: []baselineEntry{}}
	for _, f := range r.Findings {
		e := baselineEntry{Fingerprint: f.Fingerprint, Rule: f.Rule}
		if f.File != nil {
			e.File = f.File.Path
		}
		b.Findings = append(b.Findings, e)
	}
	b.sort()
	return b
}

func (b *baseline) without(gone []baselineEntry) *baseline {
	out := &baseline{Schema: baselineSchema, Findings: []baselineEntry{}}
	for _, e := range b.Findings {
		if !slices.Contains(gone, e) {
			out.Findings = append(out.Findings, e)
		}
	}
	out.sort()
	return out
}

func (b *baseline) sort() {
	slices.SortFunc(b.Findings, func(x, y baselineEntry) int {
		if d := strings.Compare(x.File, y.File); d != 0 {
			return d
		}
		if d := strings.Compare(x.Rule, y.Rule); d != 0 {
			return d
		}
		return strings.Compare(x.Fingerprint, y.Fingerprint)
	})
	b.Findings = slices.Compact(b.Findings)
}

func (b *baseline) write(name string) error {
	out, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(name, append(out, '\n'))
}

// useBaseline applies, creates or prunes the baseline file of a root. It returns how many known findings it hid.
func (a *app) useBaseline(name string, update bool, r *engine.Result, root string, paths []string) (int, error) {
	b, err := a.readBaseline(name)
	if errors.Is(err, fs.ErrNotExist) {
		if a.base() != nil {
			return 0, nil
		}
		if !update {
			return 0, misuse("baseline %s: no such file (--update-baseline writes one with the present findings)", name)
		}
		b = newBaseline(r)
		if err := b.write(name); err != nil {
			return 0, misuse("baseline %s: %s", name, reason(err))
		}
		a.note("wrote %s to %s", count(len(b.Findings), "finding"), name)
	} else if err != nil {
		return 0, misuse("baseline %s", err)
	}
	known, moved, gone := b.apply(r, paths, a.renamesSince(name, b, root))
	switch {
	case update && len(gone)+moved > 0:
		if err := b.without(gone).write(name); err != nil {
			return 0, misuse("baseline %s: %s", name, reason(err))
		}
		if len(gone) > 0 {
			a.note("removed %s from %s", count(len(gone), "finding"), name)
		}
		if moved > 0 {
			a.note("%s of %s moved with a renamed file", count(moved, "finding"), name)
		}
	case len(gone) == 0:
	default:
		a.note("%s of %s is gone (--update-baseline removes it)", count(len(gone), "finding"), name)
	}
	return known, nil
}

// renamesSince returns the files that have another name than when a baseline was last committed, new name to old. Git
// is asked only when a file of the baseline is not there.
func (a *app) renamesSince(name string, b *baseline, root string) map[string]string {
	if !slices.ContainsFunc(b.Findings, func(e baselineEntry) bool { return !exists(filepath.Join(root, filepath.FromSlash(e.File))) }) {
		return nil
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil
	}
	repo, err := git.Open(a.ctx, root, inWorkspace(root))
	if err != nil {
		return nil
	}
	defer repo.Close()
	commit, err := repo.LastCommit(a.ctx, abs)
	if err != nil || commit == "" {
		return nil
	}
	renames, err := repo.Renames(a.ctx, commit)
	if err != nil {
		return nil
	}
	return renames
}

// note says something on stderr that is no error.
func (a *app) note(format string, args ...any) {
	fmt.Fprintln(a.Err, a.safe(fmt.Sprintf(format, args...)))
}

// writeFile replaces a file whole: its readers see the old content or the new. What is no regular file (a device, a
// pipe) is written to as it is.
func writeFile(name string, content []byte) error {
	st, err := os.Stat(name)
	if err == nil && st.IsDir() {
		return &fs.PathError{Op: "write", Path: name, Err: errors.New("is a directory")}
	}
	if err == nil && !st.Mode().IsRegular() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.Write(content)
		return errors.Join(err, f.Close())
	}
	mode := fs.FileMode(0o644)
	if err == nil {
		mode = st.Mode().Perm()
	}
	return replaceFile(name, content, mode)
}
