package cli

import (
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/source"
)

// relocate changes the paths of a result, which are relative to its root, so that they lead from the working directory
// to the files. The result must not be run or fixed again. Names of stacks stay as they are, since configuration
// refers to them; what people see is their way from the working directory.
func relocate(r *engine.Result, t *target) {
	if t.shown == "." {
		return
	}
	seen := map[*source.File]bool{}
	move := func(f *source.File) {
		if f != nil && !seen[f] {
			seen[f] = true
			f.Path = t.show(f.Path)
		}
	}
	moveAll := func(findings []*engine.Finding) {
		for _, f := range findings {
			move(f.File)
			for j := range f.Related {
				move(f.Related[j].File)
			}
			for j := range f.Fixes {
				for _, e := range f.Fixes[j].Edits {
					move(e.File)
				}
			}
		}
	}
	moveAll(r.Findings)
	if r.Since != nil {
		moveAll(r.Since.Fixed)
		moveAll(r.Since.Still)
	}
	for i := range r.Stacks {
		s := &r.Stacks[i]
		name, service, ok := strings.Cut(s.Name, "#")
		if s.Shown = t.show(name); ok {
			s.Shown += "#" + service
		}
		for j, v := range s.Versions {
			from := moveFrom(v.From, s.Files, t)
			s.Line = strings.ReplaceAll(s.Line, "("+v.From+")", "("+from+")")
			s.Versions[j].From = from
		}
		for j, f := range s.Files {
			s.Files[j] = t.show(f)
		}
		for j, u := range s.Unread {
			s.Unread[j].File = t.show(u.File)
		}
	}
	for i := range r.Skipped {
		r.Skipped[i].File = t.show(r.Skipped[i].File)
	}
	for i := range r.NearMisses {
		r.NearMisses[i].File = t.show(r.NearMisses[i].File)
	}
}

// moveFrom changes "file:line" when the file is one of the stack's.
func moveFrom(from string, files []string, t *target) string {
	for _, f := range files {
		if strings.HasPrefix(from, f+":") {
			return t.show(f) + from[len(f):]
		}
	}
	return from
}

// merge joins the results of several roots.
func merge(results []*engine.Result) *engine.Result {
	if len(results) == 1 {
		return results[0]
	}
	out := &engine.Result{}
	for _, r := range results {
		out.Stacks = append(out.Stacks, r.Stacks...)
		out.Findings = append(out.Findings, r.Findings...)
		out.Unchecked = append(out.Unchecked, r.Unchecked...)
		out.Suppressed += r.Suppressed
		out.Skipped = append(out.Skipped, r.Skipped...)
		out.FilesLooked += r.FilesLooked
		out.FilesRead += r.FilesRead
		out.Faults = append(out.Faults, r.Faults...)
		out.NearMisses = append(out.NearMisses, r.NearMisses...)
		if s := r.Since; s != nil {
			if out.Since == nil {
				out.Since = &engine.Since{Rev: s.Rev, Commit: s.Commit, Lines: s.Lines}
			}
			out.Since.Fixed = append(out.Since.Fixed, s.Fixed...)
			out.Since.Still = append(out.Since.Still, s.Still...)
			out.Since.Ignored += s.Ignored
			out.Since.Figures = append(out.Since.Figures, s.Figures...)
			out.Since.Stacks = append(out.Since.Stacks, s.Stacks...)
		}
	}
	return out
}
