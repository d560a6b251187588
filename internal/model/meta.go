package model

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Severity is how bad a finding is.
type Severity uint8

// The severities, from mild to severe. Undecided findings need a fact that is not in the files.
const (
	Undecided Severity = iota
	Info
	Warning
	Error
)

var severityNames = [...]string{"undecided", "info", "warning", "error"}

// String returns the name used in all formats.
func (s Severity) String() string { return severityNames[s] }

// ParseSeverity returns the severity of a name.
func ParseSeverity(name string) (Severity, bool) {
	for i, n := range severityNames {
		if n == name {
			return Severity(i), true
		}
	}
	return 0, false
}

// MarshalText implements encoding.TextMarshaler.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Confidence is how sure a finding is: low when it rests on a workload that files do not show.
type Confidence uint8

// The confidences.
const (
	Low Confidence = iota
	Medium
	High
)

var confidenceNames = [...]string{"low", "medium", "high"}

// String returns the name used in all formats.
func (c Confidence) String() string { return confidenceNames[c] }

// ParseConfidence returns the confidence of a name.
func ParseConfidence(name string) (Confidence, bool) {
	for i, n := range confidenceNames {
		if n == name {
			return Confidence(i), true
		}
	}
	return 0, false
}

// MarshalText implements encoding.TextMarshaler.
func (c Confidence) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Safety says whether a fix may be applied without asking.
type Safety uint8

// The safeties. Safe keeps the meaning or is the documented remedy with no choice to make; Unsafe needs a
// person's judgement.
const (
	NoFix Safety = iota
	Safe
	Unsafe
)

var safetyNames = [...]string{"none", "safe", "unsafe"}

// String returns the name used in all formats.
func (s Safety) String() string { return safetyNames[s] }

// ParseSafety returns the safety of a name.
func ParseSafety(name string) (Safety, bool) {
	for i, n := range safetyNames {
		if n == name {
			return Safety(i), true
		}
	}
	return 0, false
}

// MarshalText implements encoding.TextMarshaler.
func (s Safety) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Meta is everything a rule says of itself. Go rules declare it, policies write the same fields in their
// METADATA block; documentation, explain and SARIF are printed from it.
type Meta struct {
	ID       string
	Title    string
	Category string
	// Why says what happens, with the number; Remedy what to write instead. Both are Markdown.
	Why, Remedy string

	Severity   Severity
	Confidence Confidence
	// Severities are the other severities a finding may have, as the guard says.
	Severities []Severity
	// Confidences are the other confidences a finding may have.
	Confidences []Confidence

	// Inputs are the parts of the model the rule reads (names of the model, dotted). Without the first one in
	// a stack the rule does not run.
	Inputs []string
	// When are key paths (dotted, "*" for every item or entry) of which one must exist for the rule to be evaluated;
	// empty means always.
	When []string
	// Applies are version ranges, all of which must hold: "litellm>=1.81.16". A product without a version
	// counts as its newest known release.
	Applies []string

	Fix Safety
	// FixTitle says in a few words what the fix does.
	FixTitle string
	// Question is what a person must answer before an unsafe fix is applied.
	Question string

	// Since is the agentlint release that introduced the rule.
	Since    string
	Aliases  []string
	Evidence []Evidence

	Parameters []Parameter
	// Messages are a policy's message templates by key; "{name}" is replaced by the finding's argument.
	Messages map[string]string
}

// Evidence is where a rule's fact about upstream behaviour was read.
type Evidence struct {
	// Artefact names a released artefact and its version: "litellm 1.102.0" (wheel), "vllm 0.29.0" (sdist),
	// "litellm-helm 1.102.0" (chart).
	Artefact string
	// File is the path in the artefact, Symbol a text that stands in it.
	File, Symbol string
	// Checked is the date it was read, as YYYY-MM-DD.
	Checked string
	// Note is what was seen there, or how it was run.
	Note string
}

// Parameter is a threshold of a rule that users may set.
type Parameter struct {
	Name    string
	Default float64
	Unit    string
	Why     string
}

// Finish checks a finding of the rule against what Meta allows, cleans its texts, and makes it undecided when it
// needs facts.
func (m *Meta) Finish(f *Finding) error {
	if f.Severity != m.Severity && !slices.Contains(m.Severities, f.Severity) {
		return fmt.Errorf("severity %s is not in its severities", f.Severity)
	}
	if f.Confidence != m.Confidence && !slices.Contains(m.Confidences, f.Confidence) {
		return fmt.Errorf("confidence %s is not in its confidences", f.Confidence)
	}
	if f.Message == "" {
		return errors.New("finding without a message")
	}
	if len(f.At) == 0 {
		return errors.New("finding without a path")
	}
	f.Message = oneLine(f.Message)
	for i := range f.Related {
		f.Related[i].Message = oneLine(f.Related[i].Message)
	}
	for i := range f.Fixes {
		x := &f.Fixes[i]
		if len(x.Ops) == 0 {
			return errors.New("fix without operations")
		}
		x.Title = oneLine(x.Title)
		if x.Title == "" {
			x.Title = m.FixTitle
		}
		if x.Safety == NoFix {
			x.Safety = m.Fix
		}
		if x.Safety == NoFix {
			return errors.New("fix of a rule that declares none")
		}
		if x.Safety == Safe && m.Fix == Unsafe {
			return errors.New("safe fix of a rule whose fix is unsafe")
		}
		if x.Safety == Safe && len(x.Brings) > 0 {
			return errors.New("safe fix that brings about other findings")
		}
		if x.Question == "" && x.Safety == Unsafe {
			x.Question = m.Question
		}
	}
	if len(f.Needs) > 0 {
		f.WouldBe, f.Severity = f.Severity, Undecided
	}
	return nil
}

// Check reports what is wrong with the metadata itself.
func (m *Meta) Check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if !kebab(m.ID) {
		bad("id %q is not in kebab case", m.ID)
	}
	for _, r := range [...]struct{ name, text string }{
		{"title", m.Title}, {"why", m.Why}, {"remedy", m.Remedy}, {"category", m.Category}, {"since", m.Since},
	} {
		if strings.TrimSpace(r.text) == "" {
			bad("%s is missing", r.name)
		}
	}
	for _, e := range m.CheckOwn() {
		bad("%s", e.Text)
	}
	if _, err := NewGate(m.Inputs, m.When, m.Applies); err != nil {
		errs = append(errs, err)
	}
	if len(m.Evidence) == 0 {
		bad("evidence is missing")
	}
	for i, e := range m.Evidence {
		if e.Artefact == "" || len(e.Checked) != len("2006-01-02") {
			bad("evidence %d: artefact and checked (YYYY-MM-DD) are needed", i+1)
		}
	}
	return errors.Join(errs...)
}

// MetaFault is something wrong in metadata: the key it stands under, and what is wrong.
type MetaFault struct{ Key, Text string }

// CheckOwn reports what contradicts itself in metadata, of agentlint's rules and of users' alike.
func (m *Meta) CheckOwn() []MetaFault {
	var out []MetaFault
	bad := func(key, format string, args ...any) { out = append(out, MetaFault{key, fmt.Sprintf(format, args...)}) }
	if strings.HasSuffix(m.Title, ".") {
		bad("title", "title ends with a period")
	}
	if m.Severity == Undecided {
		bad("severity", "severity undecided is never a default: use needs")
	}
	if slices.Contains(m.Severities, m.Severity) || slices.Contains(m.Severities, Undecided) {
		bad("severities", "severities lists the default or undecided")
	}
	if slices.Contains(m.Confidences, m.Confidence) {
		bad("confidences", "confidences lists the default")
	}
	if (m.Fix == NoFix) != (m.FixTitle == "") {
		bad("fix", "fix safety and fix title go together")
	}
	if strings.Contains(m.FixTitle+m.Question, "{") {
		bad("fix", "fix title and question are shown without a finding and take no arguments")
	}
	if m.Fix == Unsafe && m.Question == "" {
		bad("fix", "an unsafe fix needs the question a person answers")
	}
	seen := map[string]bool{}
	for _, p := range m.Parameters {
		if p.Name == "" || p.Why == "" || seen[p.Name] {
			bad("parameters", "parameter %q: name (once) and why are needed", p.Name)
		}
		seen[p.Name] = true
	}
	for _, key := range slices.Sorted(maps.Keys(m.Messages)) {
		if strings.HasSuffix(strings.TrimSpace(m.Messages[key]), ".") {
			bad("messages", "message %s ends with a period", key)
		}
	}
	return out
}

func kebab(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' || strings.Contains(s, "--") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// IsID reports whether s is spelled as ids of rules and categories are: lower-case words and numbers with dashes between.
func IsID(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" {
			return false
		}
		for i := range len(word) {
			if c := word[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
				return false
			}
		}
	}
	return true
}
