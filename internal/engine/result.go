// Package engine runs a check: it loads the stacks of a root, evaluates rules and policies, gives findings their
// positions, and applies ignores. It is the only package that knows all parts.
package engine

import (
	"cmp"

	"agentlint/internal/model"
	"agentlint/internal/policy"
)

// Result is the outcome of one run, ordered and ready to print.
type Result struct {
	Stacks    []StackSummary
	Findings  []*Finding
	Unchecked []Unchecked
	// Suppressed counts findings that an ignore silenced.
	Suppressed int
	Skipped    []Skipped
	// FilesLooked counts all files seen; FilesRead those that hold something agentlint knows.
	FilesLooked, FilesRead int
	// Faults are rules that failed by their own fault. A run with faults exits with 3, with 2 when they are all in users'
	// policies.
	Faults []Fault
	// NearMisses are files that almost were something agentlint knows, when nothing was recognised.
	NearMisses []Skipped
	// Since is set after [Result.Compare].
	Since *Since
	// silenced are the findings that an ignore silenced.
	silenced []*Finding
}

// StackSummary is what was understood of one stack.
type StackSummary struct {
	Name string
	// Shown is the name as a path from the working directory, for people; empty when that is the name.
	Shown    string
	Files    []string
	Versions []model.VersionNote
	// Line is the one-line description of pretty output.
	Line  string
	Stack *model.Stack
	// Unread are facts whose value is written in a form that could not be read.
	Unread []Unread
	// Measures are the figures of the stack, also of rules that found nothing, when [Options.Measure] asks for them.
	Measures []Measure
}

// Title is the name for people.
func (s *StackSummary) Title() string { return cmp.Or(s.Shown, s.Name) }

// Finding is a finding with positions.
type Finding struct {
	Rule       string
	Category   string
	Severity   model.Severity
	Confidence model.Confidence
	Message    string
	Title      string
	// Stacks are the names of all stacks that have the finding.
	Stacks []string
	model.Location
	Related []Related
	Figures []model.Figure
	Fixes   []Fix
	// Needs and WouldBe are set for undecided findings.
	Needs   []string
	WouldBe model.Severity
	// Fingerprint identifies the finding across edits: rule, file, path in the file with list items by name, and
	// occurrence.
	Fingerprint string
	URL         string
	// Origin is the finding in paths, for fixers.
	Origin *model.Finding
	Stack  *model.Stack
	// Status, Cause and Before are what a comparison says: what the change did, the setting that explains it, and what
	// the figures were. Moved means that the finding is shown where the change is; its own place is the first related.
	Status Status
	Cause  *Cause
	Before []model.Figure
	Moved  bool
	// Touched is true for what the change did where the place lies in a line that it changed.
	Touched bool
	// place is the path for the fingerprint, occurrence its number among findings of one place.
	place      string
	occurrence int
	// subject is that of [model.Finding].
	subject string
}

// Related is a second place of a finding.
type Related struct {
	model.Location
	Message string
	// at is the place in the stack, nil where the file alone knows it.
	at model.Path
}

// Fix is a fix as byte edits of outermost files.
type Fix struct {
	Title    string
	Safety   model.Safety
	Question string
	// Edits are there after [Result.PlanFixes].
	Edits []FileEdit
	// Refused says why the fix cannot be applied; Edits is then empty.
	Refused string
	// Ops is the fix in paths, to be planned again after other fixes moved the bytes; nil in a result that is there to be
	// printed.
	Ops []model.Op
	// Brings are rules that may have a finding afterwards, see [model.Fix].
	Brings []string
	// removes are the places that a safe fix takes a value away from.
	removes []spot
}

// Unchecked is a rule that needed facts the files do not show.
type Unchecked struct {
	Rule  string
	Stack string
	Needs []string
}

// Unread is a fact that a file sets to something that is no value agentlint can read: a text where a number belongs, or a
// variable that nothing shows.
type Unread struct {
	Fact, File string
	Line       int
}

// Skipped is a file that was left out, and why.
type Skipped struct {
	File, Reason string
}

// Fault is an internal fault of one rule, or a mistake in a user's policy.
type Fault struct {
	Rule, Stack, Text string
}

// Own reports whether the fault is the user's: that of a policy.
func (f *Fault) Own() bool { return policy.IsCustom(f.Rule) }
