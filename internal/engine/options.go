package engine

import (
	"io/fs"

	"agentlint/internal/model"
	"agentlint/internal/policy"
)

// Options say what a run reads and reports.
type Options struct {
	// Root is the directory that holds everything; nothing outside it is read. FS is its content, nil for
	// the directory itself.
	Root string
	FS   fs.FS
	// Paths choose what is reported, relative to Root with slashes; empty means everything. Named says that a
	// person named them, so that folders which are no starting points otherwise are read.
	Paths []string
	Named bool
	// Overlay replaces or adds the content of files, by path relative to Root (--stdin-filename).
	Overlay map[string][]byte

	// Targets are product versions ("litellm": "1.102.0") that hold where the files name none.
	Targets map[string]string
	// Facts are values of section 7 of the architecture by flat name, keyed ones as maps.
	Facts map[string]any
	// StackFacts are facts of single stacks, by glob of the stack's name.
	StackFacts map[string]map[string]any
	// Exclude are globs of files that are not read.
	Exclude []string

	// Only and Skip choose rules by id or "category/*".
	Only, Skip []string
	// Severities are the user's severities and switched-off rules by id or "category/*".
	Severities map[string]Level
	// Parameters are the user's rule parameters, by rule id and name.
	Parameters map[string]map[string]float64
	// Profile is default, agentic or strict.
	Profile string
	// Ignores are the ignore entries of the configuration file.
	Ignores []Ignore
	// Custom are users' policies, nil for none.
	Custom *policy.Custom
	// Plan gives fixes their edits as [Result.PlanFixes] does, with a budget for each stack, and lets go of the stacks:
	// the result is there to be printed.
	Plan int
	// Measure asks for the figures of rules that found nothing too.
	Measure bool
	// Today is the date that "until" is compared with, as YYYY-MM-DD.
	Today string
	// Revisions are the two trees that are compared, nil when none are.
	Revisions *model.RevisionsPart
}

// Level is a user's choice for a rule.
type Level struct {
	Off      bool
	Severity model.Severity
}

// Ignore is one entry of the configuration's ignore list.
type Ignore struct {
	Rule   string
	Files  []string // globs
	Path   string   // path in the file, "*" for one element
	Reason string
	Until  string // YYYY-MM-DD, empty for ever
	// Place is where the entry stands, for reports of unused ones.
	Place model.Location
}
