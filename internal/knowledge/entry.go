package knowledge

import (
	"iter"
	"strings"
)

// Kind says what an Entry describes.
type Kind uint8

const (
	KindSetting  Kind = iota // a key of the configuration file or of a JSON argument; Section is where it stands
	KindFlag                 // a command-line argument, with its dashes
	KindEnv                  // an environment variable
	KindMetric               // a Prometheus metric, without the suffixes of its series
	KindEnum                 // an accepted value; Section is the enumeration, such as routing_strategy
	KindConstant             // a module constant that changes behaviour
	KindRoute                // an HTTP path
	kinds        = iota
)

// String returns the name in the file names of the tables: settings, flags, ...
func (k Kind) String() string {
	return [...]string{"settings", "flags", "envs", "metrics", "enums", "constants", "routes"}[k]
}

// Presence says how a name stands to a release.
type Presence uint8

const (
	Unknown Presence = iota // no release in the tables has the name
	Present                 // the release has it
	NotYet                  // only later releases have it
	Gone                    // only earlier releases have it
	Between                 // earlier and later releases have it, this one has not
)

// String returns one word for messages and tests.
func (p Presence) String() string {
	return [...]string{"unknown", "present", "not yet", "gone", "between"}[p]
}

// Entry is one row of a table: a name and what every release makes of it. The zero value describes nothing.
type Entry struct {
	Product *Product
	Kind    Kind
	// Section is the part of the configuration (general_settings), the enumeration (routing_strategy), or empty.
	Section string
	Name    string
	// Type is in upstream's words, shortened: bool, int, str, list, json, choice, store_true, counter, histogram, ...; empty when upstream gives none.
	// A vertical bar separates alternatives.
	Type string
	// RenamedTo is the name that took over, in the same section unless it has a dot; empty when there is none. Where an argument took over from an
	// environment variable it begins with dashes, and a key of a JSON argument stands after a dot: --attention-config.flash_attn_version.
	RenamedTo string
	// Source is the upstream artefact, file and line of the newest release that has the name.
	Source string

	spans, deprecated, defaults, choices, attrs string
}

// parseEntry reads a line of a table. The columns are those of entryColumns.
func parseEntry(p *Product, k Kind, line string) Entry {
	e := Entry{Product: p, Kind: k}
	e.Section, line = cell(line)
	e.Name, line = cell(line)
	e.Type, line = cell(line)
	e.spans, line = cell(line)
	e.deprecated, line = cell(line)
	e.defaults, line = cell(line)
	e.choices, line = cell(line)
	e.RenamedTo, line = cell(line)
	e.attrs, line = cell(line)
	e.Source, _ = cell(line)
	e.Type, e.Source = unescape(e.Type), unescape(e.Source)
	return e
}

// entryColumns is the header of every table of names.
const entryColumns = "section\tname\ttype\treleases\tdeprecated\tdefault\tchoices\trenamed_to\tattrs\tsource"

// Span is a run of releases that have a name. From and To are releases of the product; From is zero when already the oldest release in
// the tables has it, To when the newest still has.
type Span struct{ From, To Version }

// Spans returns the runs of releases that have the name, in order. There are several when a change was carried to older minor releases.
func (e Entry) Spans() []Span {
	var out []Span
	for s := range e.eachSpan() {
		out = append(out, s)
	}
	return out
}

func (e Entry) eachSpan() iter.Seq[Span] { return eachSpan(e.spans) }

// eachSpan walks "1.85.7..1.85.7 1.90.0..".
func eachSpan(spans string) iter.Seq[Span] {
	return func(yield func(Span) bool) {
		for part := range strings.FieldsSeq(spans) {
			from, to, _ := strings.Cut(part, "..")
			var s Span
			if from != "" {
				s.From = MustVersion(from)
			}
			if to != "" {
				s.To = MustVersion(to)
			}
			if !yield(s) {
				return
			}
		}
	}
}

func (s Span) contains(v Version) bool {
	return (s.From.IsZero() || v.Compare(s.From) >= 0) && (s.To.IsZero() || v.Compare(s.To) <= 0)
}

// presence places v, which must be a release of the product.
func (e Entry) presence(v Version) Presence {
	if e.spans == ".." {
		return Present
	}
	var before, after bool
	for s := range e.eachSpan() {
		switch {
		case s.contains(v):
			return Present
		case !s.From.IsZero() && v.Compare(s.From) < 0:
			after = true
		default:
			before = true
		}
	}
	switch {
	case before && after:
		return Between
	case after:
		return NotYet
	case before:
		return Gone
	}
	return Unknown
}

// Since returns the first release that has the name. It is zero when that is the oldest release in the tables, so the true one may be older.
func (e Entry) Since() Version {
	for s := range e.eachSpan() {
		return s.From
	}
	return Version{}
}

// AbsentBefore returns the release just before Since: the newest that is known not to have the name. It is zero with Since.
func (e Entry) AbsentBefore() Version {
	since := e.Since()
	if since.IsZero() {
		return Version{}
	}
	return e.Product.neighbour(since, -1)
}

// Until returns the last release that has the name; it is zero when the newest one still has.
func (e Entry) Until() Version {
	var last Version
	for s := range e.eachSpan() {
		last = s.To
	}
	return last
}

// RemovedIn returns the release just after Until; it is zero when the newest release still has the name.
func (e Entry) RemovedIn() Version {
	until := e.Until()
	if until.IsZero() {
		return Version{}
	}
	return e.Product.neighbour(until, +1)
}

// Deprecated returns the first release that marks the name as deprecated, or the zero value.
func (e Entry) Deprecated() Version {
	if e.deprecated == "" {
		return Version{}
	}
	return MustVersion(e.deprecated)
}

// Hidden returns the first release that exports the metric only when hidden metrics are asked for, or the zero value.
func (e Entry) Hidden() Version {
	if v := e.Attr("hidden"); v != "" {
		return MustVersion(v)
	}
	return Version{}
}

// Instead says in half a sentence what does the work of a removed or deprecated name, such as "--reasoning-parser alone"; RenamedTo when nothing
// more is known, empty when that is neither.
func (e Entry) Instead() string {
	if s := e.Attr("instead"); s != "" {
		return s
	}
	return e.RenamedTo
}

// Default returns the default at v as upstream writes it (a Python expression), and whether one is known. An empty string and None differ.
func (e Entry) Default(v Version) (string, bool) { return at(e.defaults, v) }

// Choices returns the accepted values at v, or nil when any value is accepted or the list is not known.
func (e Entry) Choices(v Version) []string {
	s, ok := at(e.choices, v)
	if !ok || s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// Change is one step of a history: from release At on, the value is Value.
type Change struct {
	At    Version
	Value string
}

// Defaults returns the history of the default, oldest first.
func (e Entry) Defaults() []Change { return history(e.defaults) }

// ChoiceHistory returns the history of the accepted values, oldest first, each a list joined with commas.
func (e Entry) ChoiceHistory() []Change { return history(e.choices) }

func history(s string) []Change {
	var out []Change
	for c := range eachChange(s) {
		out = append(out, c)
	}
	return out
}

// eachChange walks "0.7.3: None | 0.9.0: {}".
func eachChange(s string) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		if s == "" {
			return
		}
		for part := range strings.SplitSeq(s, " | ") {
			v, value, _ := strings.Cut(part, ": ")
			if !yield(Change{MustVersion(strings.TrimSuffix(v, ":")), unescape(value)}) {
				return
			}
		}
	}
}

// at returns the value of the newest change that is not after v; before the first one, the first.
func at(s string, v Version) (string, bool) {
	var value string
	found := false
	for c := range eachChange(s) {
		if found && !v.IsZero() && c.At.Compare(v) > 0 {
			break
		}
		value, found = c.Value, true
	}
	return value, found
}

// Holds reports whether an attribute that is true for some releases only covers v, a release of the product: import (an environment variable is
// read only while the program is imported, before it applies its configuration), presence (any text switches it on), native (read by compiled code).
func (e Entry) Holds(attr string, v Version) bool {
	for s := range eachSpan(e.Attr(attr)) {
		if s.contains(v) {
			return true
		}
	}
	return false
}

// Attr returns a further property of the row, or "" when it has none: for flags negation, short, aliases, env and field; for environment
// variables flag; for metrics labels, v1_since and hidden; docs/knowledge.md lists them. See Holds for those that change with the release.
func (e Entry) Attr(key string) string {
	for part := range strings.SplitSeq(e.attrs, " | ") {
		k, value, _ := strings.Cut(part, "=")
		if k == key {
			return unescape(value)
		}
	}
	return ""
}
