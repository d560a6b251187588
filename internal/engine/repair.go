package engine

import (
	"context"
	"maps"

	"agentlint/fixers"
	"agentlint/internal/model"
)

// RepairOptions say which fixes are applied.
type RepairOptions struct {
	// Unsafe applies fixes that need a person's judgement too.
	Unsafe bool
	// Only are the rules whose findings are repaired, by id or category/*; empty means all. Unlike [Options.Only]
	// it leaves the others on, so that a fix that breaks one of them is noticed.
	Only []string
	// Shown refuses fixes whose changes cannot be shown without a secret, for a patch or a plan.
	Shown bool
	// Accept, when set, says which findings are repaired at all.
	Accept func(*Finding) bool
}

// chosen reports whether a finding is to be repaired.
func (o *RepairOptions) chosen(f *Finding) bool {
	return (len(o.Only) == 0 || matchRule(o.Only, f.Rule, f.Category)) && (o.Accept == nil || o.Accept(f))
}

// Repair is the outcome of applying fixes. Nothing was written: the new contents are in Changed.
type Repair struct {
	// Before is the run that the fixes answer to, After the run over the repaired files.
	Before, After *Result
	// Changed are the files that differ, by path.
	Changed []ChangedFile
	// Groups are the paths of Changed that fixes over several files bind together: all of a group are to be written,
	// or none. [fixers.Replace] does that.
	Groups [][]string
	// Applied are the fixes that were made, Refused those that were not and why, Decisions those that a person
	// must decide on first.
	Applied, Refused, Decisions []Repaired
	// Exhausted is true when there may be more to fix in another run.
	Exhausted bool
	// Chosen reports whether a finding was to be repaired.
	Chosen func(*Finding) bool
}

// ChangedFile is a file with its content before and after.
type ChangedFile = fixers.Content

// Repaired is a finding and what became of its fix.
type Repaired struct {
	Finding Finding
	Fix     Fix
	// Files are the paths that an applied fix changed.
	Files []string
	// Reason is why the fix was refused, Kind the kind of reason.
	Reason string
	Kind   fixers.Reason
}

// ApplyFixes runs a check and applies the fixes of its findings until none is left that can be applied, see
// [fixers.FixAll]. A fix is kept only when its finding is gone afterwards and no other finding as severe came up.
func ApplyFixes(ctx context.Context, o Options, how RepairOptions) (*Repair, error) {
	return applyFixes(ctx, o, how, Run)
}

// applyFixes is ApplyFixes with a check of the caller's.
func applyFixes(ctx context.Context, o Options, how RepairOptions, check func(context.Context, Options) (*Result, error)) (*Repair, error) {
	fo := fixers.Options{Unsafe: how.Unsafe, Shown: how.Shown}
	fo.Choose = func(f *fixers.Finding) bool {
		x, ok := f.Of.(*Finding)
		return ok && how.chosen(x)
	}
	var runs []*Result
	did, err := fixers.FixAll(func(overlay map[string][]byte) ([]fixers.Finding, error) {
		next := o
		next.Overlay = maps.Clone(o.Overlay)
		if next.Overlay == nil {
			next.Overlay = map[string][]byte{}
		}
		maps.Copy(next.Overlay, overlay)
		r, err := check(ctx, next)
		if err != nil {
			return nil, err
		}
		runs = append(runs, r)
		return fixable(r), nil
	}, fo)
	if err != nil {
		return nil, err
	}
	out := &Repair{Before: runs[0], After: runs[did.Run], Changed: did.Files, Groups: did.Groups, Exhausted: did.Exhausted, Chosen: how.chosen}
	for _, x := range did.Applied {
		a := repaired(x.Finding, x.Fix, nil)
		a.Files = x.Files
		out.Applied = append(out.Applied, a)
	}
	for _, x := range did.Refused {
		out.Refused = append(out.Refused, repaired(x.Finding, x.Fix, x.Refusal))
	}
	for _, x := range did.Decisions {
		out.Decisions = append(out.Decisions, repaired(x.Finding, x.Fix, nil))
	}
	return out, nil
}

func repaired(f fixers.Finding, x fixers.Fix, why *fixers.Refusal) Repaired {
	r := Repaired{Finding: *f.Of.(*Finding), Fix: *x.Of.(*Fix)}
	if why != nil {
		r.Reason, r.Kind = why.Error(), why.Reason
	}
	return r
}

// fixable are the findings of a result as the loop of fixes sees them. A rule that fails counts as one.
func fixable(r *Result) []fixers.Finding {
	out := make([]fixers.Finding, 0, len(r.Findings))
	for _, f := range r.Findings {
		x := fixers.Finding{Rule: f.Rule, Severity: f.Severity, Fingerprint: f.Fingerprint, Message: f.Message,
			File: f.File.Path, Line: f.File.LineAt(f.Span.Start), Stack: f.Stack, Of: f}
		for j := range f.Fixes {
			y := &f.Fixes[j]
			z := fixers.Fix{Title: y.Title, Safety: y.Safety, Question: y.Question, Ops: y.Ops, Brings: y.Brings, Of: y}
			if len(y.Ops) == 0 {
				z.Edits = y.Edits
			}
			x.Fixes = append(x.Fixes, z)
		}
		out = append(out, x)
	}
	for _, f := range r.Faults {
		out = append(out, fixers.Finding{Rule: f.Rule, Severity: model.Error, Fingerprint: "fault " + f.Rule + " " + f.Stack, Message: "the rule fails on the result"})
	}
	return out
}
