package model

import "agentlint/internal/source"

// Finding is what a rule reports about one stack, still in paths. The engine gives it positions.
type Finding struct {
	Rule       string
	Severity   Severity
	Confidence Confidence
	// Message is one sentence or two without a final period: what is set, what happens, with numbers.
	Message string
	At      Path
	// Subject is what the finding is about, where stacks with different versions say different things of the same
	// place: of several stacks' findings with one place and subject the most severe and surest is shown.
	Subject string
	// OnKey puts the finding on the key token (or the flag) instead of the value.
	OnKey   bool
	Related []Related
	Figures []Figure
	Fixes   []Fix
	// Needs are the facts whose absence makes the finding undecided; WouldBe is then its severity.
	Needs   []string
	WouldBe Severity
}

// Outcome is what one rule says of one stack.
type Outcome struct {
	Rule     string
	Findings []Finding
	// Unchecked are facts the rule needed and the files do not show, for a rule that stayed silent.
	Unchecked []string
	// Measures are figures that the rule computed, whether it reported a finding or not.
	Measures []Figure
	// Err is a fault of the rule itself, never of the files. Findings made before it are kept.
	Err error
}

// Empty reports whether the rule has nothing to say.
func (o *Outcome) Empty() bool {
	return len(o.Findings) == 0 && len(o.Unchecked) == 0 && len(o.Measures) == 0 && o.Err == nil
}

// Related is a second place a finding speaks of.
type Related struct {
	At      Path
	OnKey   bool
	Message string
}

// Figure is a computed number with its formula.
type Figure struct {
	Name    string  `json:"name"`
	Value   float64 `json:"value"`
	Unit    string  `json:"unit"`
	Formula string  `json:"formula,omitempty"`
	// Limit is what Value is compared with; nil without one.
	Limit *float64 `json:"limit,omitempty"`
}

// Fix is a change as operations over paths. The format behind each path decides how it is written.
type Fix struct {
	Title  string
	Safety Safety
	// Question is what a person must answer first, for an unsafe fix; the rule's own when empty.
	Question string
	Ops      []Op
	// Brings are rules that may have a finding after an unsafe fix: they say again what its question asks. [BringsAny]
	// stands for all of them.
	Brings []string
}

// BringsAny says that any rule may have a finding after an unsafe fix: it makes a file read that was not.
const BringsAny = "*"

// OpKind names an operation of a [Fix].
type OpKind string

// The operations.
const (
	OpSet           OpKind = "set"            // write Value at At, adding missing keys
	OpAppend        OpKind = "append"         // add Value to the list at At, making it when missing
	OpRemove        OpKind = "remove"         // remove the entry, item, variable or argument at At
	OpRename        OpKind = "rename"         // rename the key, variable or flag at At to Name
	OpMove          OpKind = "move"           // move the entry at At to the path To
	OpReplaceText   OpKind = "replace-text"   // replace From by Name inside the text at At (a metric in a query)
	OpInsertComment OpKind = "insert-comment" // put a comment line above the entry at At
)

// Op is one operation of a fix.
type Op struct {
	Kind OpKind
	At   Path
	// Value is a plain value: string, bool, int, int64, float64, nil, []any or map[string]any (keys are
	// written in sorted order).
	Value any
	// Name is the new name, replacement text or comment text.
	Name string
	// From is the text to replace; Occurrence counts from 0, -1 means every one that is a whole word.
	From       string
	Occurrence int
	To         Path
}

// Set returns the operation that writes a value at a path.
func Set(at Path, value any) Op { return Op{Kind: OpSet, At: at, Value: value} }

// Append returns the operation that adds an item to the list at a path.
func Append(at Path, value any) Op { return Op{Kind: OpAppend, At: at, Value: value} }

// Remove returns the operation that removes what stands at a path.
func Remove(at Path) Op { return Op{Kind: OpRemove, At: at} }

// Rename returns the operation that renames the key, variable or flag at a path.
func Rename(at Path, name string) Op { return Op{Kind: OpRename, At: at, Name: name} }

// ReplaceText returns the operation that replaces a whole word in the text at a path wherever it stands.
func ReplaceText(at Path, from, to string) Op {
	return Op{Kind: OpReplaceText, At: at, From: from, Name: to, Occurrence: -1}
}

// Location is a span in an outermost file.
type Location struct {
	File *source.File
	Span source.Span
	// Path is the path in the file's document, list items by index.
	Path []any
}
