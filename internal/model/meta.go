package model

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

	// Inputs are the parts of the model the rule reads (names of the model, dotted). Without the first one in
	// a stack the rule does not run.
	Inputs []string
	// When are key paths (dotted) of which one must exist for a policy to be evaluated; empty means always.
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
