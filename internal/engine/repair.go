package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"sort"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// RepairOptions say which fixes are applied.
type RepairOptions struct {
	// Unsafe applies fixes that need a person's judgement too.
	Unsafe bool
	// Only are the rules whose findings are repaired, by id or category/*; empty means all. Unlike [Options.Only]
	// it leaves the others on, so that a fix that breaks one of them is noticed.
	Only []string
}

// Repair is the outcome of applying fixes. Nothing was written: the new contents are in Changed.
type Repair struct {
	// Before is the run that the fixes answer to, After the run over the repaired files.
	Before, After *Result
	// Changed are the files that differ, by path.
	Changed []ChangedFile
	// Applied are the fixes that were made, Refused those that were not and why, Decisions those that a person
	// must decide on first.
	Applied, Refused, Decisions []Repaired
}

// ChangedFile is a file with its content before and after.
type ChangedFile struct {
	Path     string
	Old, New []byte
}

// Repaired is a finding and what became of its fix.
type Repaired struct {
	Finding Finding
	Fix     Fix
	// Reason is why the fix was refused.
	Reason string
}

// maxPasses bounds how often the files are read again because a fix made room for another one.
const maxPasses = 20

// repairer is the state of one repair.
type repairer struct {
	ctx  context.Context
	opts Options
	how  RepairOptions

	run func(context.Context, Options) (*Result, error)

	// contents are the files as they are now, originals as they were.
	contents, originals map[string][]byte
	// refused are fixes that are not tried again, by key.
	refused map[string]bool
	seen    map[[sha256.Size]byte]bool
	out     Repair
}

// ApplyFixes runs a check and applies the fixes of its findings until none is left that can be applied. A fix is kept
// only when its finding is gone afterwards and no other finding as severe came up.
func ApplyFixes(ctx context.Context, o Options, how RepairOptions) (*Repair, error) {
	r := &repairer{ctx: ctx, opts: o, how: how, run: Run, contents: map[string][]byte{}, originals: map[string][]byte{}, refused: map[string]bool{}, seen: map[[sha256.Size]byte]bool{}}
	return r.repair()
}

func (r *repairer) repair() (*Repair, error) {
	res, err := r.check(nil)
	if err != nil {
		return nil, err
	}
	r.out.Before = res
	for range maxPasses {
		if r.cycle() {
			break
		}
		todo := r.candidates(res)
		if len(todo) == 0 {
			break
		}
		next, err := r.try(res, r.apart(todo))
		if err != nil {
			return nil, err
		}
		res = next
	}
	r.out.After = res
	r.leftovers(res)
	for name, old := range r.originals {
		if now := r.contents[name]; !bytes.Equal(old, now) {
			r.out.Changed = append(r.out.Changed, ChangedFile{name, old, now})
		}
	}
	sort.Slice(r.out.Changed, func(i, j int) bool { return r.out.Changed[i].Path < r.out.Changed[j].Path })
	return &r.out, nil
}

// check runs over the present contents with some files replaced.
func (r *repairer) check(files map[string][]byte) (*Result, error) {
	o := r.opts
	o.Overlay = maps.Clone(r.opts.Overlay)
	if o.Overlay == nil {
		o.Overlay = map[string][]byte{}
	}
	maps.Copy(o.Overlay, r.contents)
	maps.Copy(o.Overlay, files)
	res, err := r.run(r.ctx, o)
	if err != nil {
		return nil, err
	}
	res.PlanFixes()
	return res, nil
}

// cycle reports whether the files were in this state before, so that fixes undo each other.
func (r *repairer) cycle() bool {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(r.contents)) {
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(r.contents[name]))
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	if r.seen[sum] && len(r.contents) > 0 {
		return true
	}
	r.seen[sum] = true
	return false
}

// wanted returns the fix to apply for a finding: its first safe one, or with Unsafe its first one. why says why there
// is none.
func (r *repairer) wanted(f *Finding) (x *Fix, why string) {
	for i := range f.Fixes {
		x := &f.Fixes[i]
		switch {
		case x.Safety == model.NoFix || x.Safety == model.Unsafe && !r.how.Unsafe:
		case x.Refused != "":
			why = x.Refused
		case len(x.Edits) == 0:
			why = "the fix changes nothing"
		default:
			return x, ""
		}
	}
	return nil, why
}

// candidates returns the findings that can be repaired now, with their fixes.
func (r *repairer) candidates(res *Result) []Repaired {
	var out []Repaired
	for i := range res.Findings {
		f := &res.Findings[i]
		if len(r.how.Only) > 0 && !matchRule(r.how.Only, f.Rule, f.Category) {
			continue
		}
		if x, _ := r.wanted(f); x != nil && !r.refused[key(f, x)] {
			out = append(out, Repaired{Finding: *f, Fix: *x})
		}
	}
	return out
}

// key names a fix across runs.
func key(f *Finding, x *Fix) string { return f.Rule + "\x00" + f.Fingerprint + "\x00" + x.Title }

// apart returns fixes whose edits do not touch each other; the others get their turn in the next pass.
func (r *repairer) apart(todo []Repaired) []Repaired {
	taken := map[string][]source.Span{}
	var out []Repaired
next:
	for _, t := range todo {
		for _, e := range t.Fix.Edits {
			for _, s := range taken[e.File.Path] {
				if e.Start <= s.End && s.Start <= e.End {
					continue next
				}
			}
		}
		for _, e := range t.Fix.Edits {
			taken[e.File.Path] = append(taken[e.File.Path], e.Span)
		}
		out = append(out, t)
	}
	return out
}

// try applies fixes that do not touch each other. When the result is not what it should be, it is undone and each
// half is tried by itself.
func (r *repairer) try(before *Result, fixes []Repaired) (*Result, error) {
	files, originals, err := edited(r.contents, fixes)
	reason := ""
	var after *Result
	if err == nil {
		if after, err = r.check(files); err != nil {
			return nil, err
		}
		reason = worse(before, after, fixes)
	} else {
		reason = err.Error()
	}
	if reason == "" {
		maps.Copy(r.contents, files)
		for name, old := range originals {
			if _, ok := r.originals[name]; !ok {
				r.originals[name] = old
			}
		}
		r.out.Applied = append(r.out.Applied, fixes...)
		return after, nil
	}
	if len(fixes) == 1 {
		r.refused[key(&fixes[0].Finding, &fixes[0].Fix)] = true
		fixes[0].Reason = reason
		r.out.Refused = append(r.out.Refused, fixes[0])
		return before, nil
	}
	middle, err := r.try(before, fixes[:len(fixes)/2])
	if err != nil {
		return nil, err
	}
	if middle != before {
		// The other half's edits are for the old bytes: the next pass plans them again.
		return middle, nil
	}
	return r.try(before, fixes[len(fixes)/2:])
}

// edited returns the contents of the files that some fixes change, after and before.
func edited(contents map[string][]byte, fixes []Repaired) (after, before map[string][]byte, err error) {
	edits := map[string][]source.Edit{}
	before, after = map[string][]byte{}, map[string][]byte{}
	for _, x := range fixes {
		for _, e := range x.Fix.Edits {
			edits[e.File.Path] = append(edits[e.File.Path], e.Edit)
			before[e.File.Path] = e.File.Bytes
		}
	}
	for name, list := range edits {
		out, err := source.Apply(before[name], list)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		after[name] = out
	}
	return after, before, nil
}

// place is a rule in a file. Findings are counted by it, since their fingerprints change with those before them.
type place struct{ rule, file string }

func tally(r *Result) map[place][]model.Severity {
	out := map[place][]model.Severity{}
	for i := range r.Findings {
		f := &r.Findings[i]
		name := ""
		if f.File != nil {
			name = f.File.Path
		}
		p := place{f.Rule, name}
		out[p] = append(out[p], f.Severity)
	}
	return out
}

// worse says why a state after some fixes is not acceptable: a finding stays, or one as severe as those repaired came
// up. It returns "" when all is well.
func worse(before, after *Result, fixes []Repaired) string {
	old, now := tally(before), tally(after)
	if len(after.Faults) > len(before.Faults) {
		return "a rule fails on the result"
	}
	repaired := map[place]int{}
	least := model.Error
	for _, x := range fixes {
		repaired[place{x.Finding.Rule, x.Finding.File.Path}]++
		least = min(least, x.Finding.Severity)
	}
	for _, p := range slices.SortedFunc(maps.Keys(now), func(a, b place) int {
		return slices.Compare([]string{a.rule, a.file}, []string{b.rule, b.file})
	}) {
		if n := repaired[p]; n > 0 && len(now[p]) > len(old[p])-n {
			return "the finding is still there"
		}
		if atLeast(now[p], least) > atLeast(old[p], least) {
			return fmt.Sprintf("it brings about a finding of %s in %s", p.rule, p.file)
		}
	}
	return ""
}

func atLeast(list []model.Severity, s model.Severity) int {
	n := 0
	for _, v := range list {
		if v >= s {
			n++
		}
	}
	return n
}

// leftovers sorts what the last run still reports into refusals and decisions.
func (r *repairer) leftovers(res *Result) {
	for i := range res.Findings {
		f := &res.Findings[i]
		if len(r.how.Only) > 0 && !matchRule(r.how.Only, f.Rule, f.Category) {
			continue
		}
		x, why := r.wanted(f)
		switch {
		case x != nil && r.refused[key(f, x)]:
			// It stands in Refused with the reason of its trial.
		case x != nil:
			r.out.Refused = append(r.out.Refused, Repaired{Finding: *f, Fix: *x, Reason: "fixes undo each other"})
		case why != "":
			r.out.Refused = append(r.out.Refused, Repaired{Finding: *f, Fix: firstOf(f), Reason: why})
		default:
			for _, x := range f.Fixes {
				if x.Safety == model.Unsafe && !r.how.Unsafe {
					r.out.Decisions = append(r.out.Decisions, Repaired{Finding: *f, Fix: x, Reason: x.Refused})
					break
				}
			}
		}
	}
}

func firstOf(f *Finding) Fix {
	for _, x := range f.Fixes {
		if x.Refused != "" {
			return x
		}
	}
	return f.Fixes[0]
}
