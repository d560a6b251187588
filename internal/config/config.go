// Package config reads .agentlint.yaml. Every error names its line and column, and unknown names come with a
// suggestion. What a file may hold is one table of shapes, from which the published JSON Schema is printed too.
package config

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// FileName is the name of the configuration file at the root of a deployment.
const FileName = ".agentlint.yaml"

// Config is a configuration as the engine takes it.
type Config struct {
	// Targets are versions by product, where the files name none.
	Targets map[string]string
	// Facts are values by flat name: bool, int64, float64 or string, or map[string]any by engine.
	Facts map[string]any
	// StackFacts are facts by glob of a stack's name.
	StackFacts map[string]map[string]any
	// Profile is default, agentic, strict or empty.
	Profile string
	// Severities and Parameters are by rule id; severities also by category/*.
	Severities map[string]engine.Level
	Parameters map[string]map[string]float64
	// Baseline is a path relative to the configuration file's folder, with slashes.
	Baseline string
	Exclude  []string
	Ignores  []engine.Ignore
	// Policies are folders, files and bundles with users' policies, relative to the configuration file's folder, with
	// slashes.
	Policies []string
}

// Known is what the program knows of rules. The zero value knows nothing and checks no ids.
type Known struct {
	// Rule returns the metadata of a rule by its id or a former id.
	Rule func(id string) (model.Meta, bool)
	// Custom says that users' policies are known too; without it their ids are not checked.
	Custom bool
	// IDs and Categories are all ids and categories, for suggestions.
	IDs, Categories []string
}

// Problem is one mistake in a configuration file.
type Problem struct {
	File    *source.File
	Offset  int
	Message string
}

// String returns path:line:column: message.
func (p Problem) String() string {
	at := p.File.Position(p.Offset)
	return p.File.Path + ":" + strconv.Itoa(at.Line) + ":" + strconv.Itoa(at.Column) + ": " + p.Message
}

// Error is a configuration file with mistakes, in the order of the file.
type Error struct{ Problems []Problem }

func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a configuration file. The error is an [*Error] with all mistakes.
func Parse(f *source.File, known Known) (*Config, error) {
	docs, err := source.ParseYAML(f)
	if err != nil {
		p := Problem{File: f, Message: err.Error()}
		if se, ok := err.(*source.SyntaxError); ok {
			p.Offset = se.Offset
		}
		return nil, &Error{[]Problem{p}}
	}
	c := checker{file: f, known: known, meanings: true}
	if len(docs) > 1 {
		at := 0
		if docs[1].Root != nil {
			at = docs[1].Root.Start
		}
		c.problem(at, "only one document is read, this is the second")
	}
	if len(docs) == 0 || docs[0].Root == nil {
		return &Config{}, c.err()
	}
	root := docs[0].Root
	c.check(root, configShape(), nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	return c.decode(root), nil
}

// PolicyPaths returns the policies that a configuration file names, before it is checked: which rules there are depends on
// them. A path that would be refused is left out.
func PolicyPaths(f *source.File) []string {
	if !bytes.Contains(f.Bytes, []byte("policies")) {
		return nil
	}
	docs, err := source.ParseYAML(f)
	if err != nil || len(docs) == 0 {
		return nil
	}
	c := checker{file: f}
	items := configShape().key("policies").items
	var out []string
	for _, n := range docs[0].Root.Get("policies").Deref().Items() {
		d := n.Deref()
		if d != nil && d.Kind == source.Scalar && items.format.match(d.Text) && items.meaning(d.Text, &c) == "" {
			out = append(out, path.Clean(d.Text))
		}
	}
	return out
}

// configShape is what .agentlint.yaml may hold.
func configShape() *shape {
	facts := &shape{doc: "Facts that no file shows, by name; the unit is in the name.", kinds: aMap, label: "fact"}
	for _, f := range Facts() {
		facts.keys = append(facts.keys, field{f.Name, f.value()})
	}
	target := &shape{doc: "Versions that hold where the files name none.", kinds: aMap, label: "product"}
	for _, p := range Products() {
		target.keys = append(target.keys, field{p, &shape{kinds: aText | aNumber, format: formatVersion, doc: "version, such as 1.102.0"}})
	}
	severities := []string{"off", "info", "warning", "error"}
	rule := &shape{
		kinds: aText | aMap, enum: severities, doc: "off, or the severity that replaces the rule's own; or a map of severity and parameters", label: "parameter",
		keys: []field{
			{"severity", &shape{kinds: aText, enum: severities, doc: "off, or the severity that replaces the rule's own"}},
		},
		entries: &shape{kinds: aNumber, doc: "a threshold of the rule (agentlint explain ID lists them)"},
	}
	files := func(doc string) *shape {
		return &shape{kinds: aList, items: &shape{kinds: aText, format: formatGlob}, doc: doc}
	}
	return &shape{
		doc: "Configuration of agentlint.", kinds: aMap, label: "key",
		keys: []field{
			{"target", target},
			{"facts", facts},
			{"profile", &shape{kinds: aText, enum: Profiles(), doc: "default, agentic (raises rules about affinity and caches for long contexts) or strict (every info is a warning)"}},
			{"rules", &shape{kinds: aMap, entries: rule, name: formatRules, label: "rule", doc: "Severities and parameters by rule id or category/*; an id wins over its category."}},
			{"policies", &shape{kinds: aList, items: &shape{kinds: aText, format: formatRelative}, doc: "Folders, .rego files and OPA bundles (.tar.gz) with policies of your own, relative to this file."}},
			{"exclude", files("Patterns of files that are not read; ** is any number of folders.")},
			{"stacks", &shape{kinds: aMap, label: "stack", doc: "Facts of single stacks by name or pattern of names.", entries: &shape{
				kinds: aMap, label: "key", keys: []field{{"facts", facts}},
			}}},
			{"ignore", &shape{kinds: aList, doc: "Findings that are accepted, each with a reason.", items: &shape{
				kinds: aMap, label: "key", required: []string{"rule", "reason"},
				keys: []field{
					{"rule", &shape{kinds: aText, format: formatRule, doc: "id of the rule"}},
					{"files", &shape{kinds: aText | aList, format: formatGlob, items: &shape{kinds: aText, format: formatGlob}, doc: "pattern of files, or a list of them; every file without it"}},
					{"path", &shape{kinds: aText, format: formatPath, doc: "path in the file, such as model_list[*].litellm_params; the finding stands there or below"}},
					{"reason", &shape{kinds: aText, format: formatFilled, doc: "why the finding is accepted"}},
					{"until", &shape{kinds: aText, format: formatDate, doc: "last day on which the entry holds, as YYYY-MM-DD"}},
				},
			}}},
			{"baseline", &shape{kinds: aText, format: formatRelative, doc: "File with the findings that are already known, relative to this file."}},
		},
	}
}

// Profiles are the values of profile: and --profile.
func Profiles() []string { return []string{"default", "agentic", "strict"} }

// decode reads a tree that was checked.
func (c *checker) decode(root *source.Node) *Config {
	out := &Config{}
	for _, e := range root.Entries() {
		v := e.Value.Deref()
		if v.Kind == source.Scalar && isNull(v) {
			continue
		}
		switch e.Key.Text {
		case "target":
			out.Targets = map[string]string{}
			for _, e := range v.Entries() {
				out.Targets[e.Key.Text] = e.Value.Deref().Text
			}
		case "facts":
			out.Facts = plainMap(v)
		case "profile":
			out.Profile = v.Text
		case "rules":
			c.decodeRules(v, out)
		case "policies":
			for _, n := range v.Items() {
				out.Policies = append(out.Policies, path.Clean(n.Deref().Text))
			}
		case "exclude":
			for _, n := range v.Items() {
				out.Exclude = append(out.Exclude, n.Deref().Text)
			}
		case "stacks":
			out.StackFacts = map[string]map[string]any{}
			for _, e := range v.Entries() {
				if facts := e.Value.Get("facts"); facts != nil {
					out.StackFacts[e.Key.Text] = plainMap(facts.Deref())
				}
			}
		case "ignore":
			for _, n := range v.Items() {
				out.Ignores = append(out.Ignores, c.decodeIgnore(n))
			}
		case "baseline":
			out.Baseline = path.Clean(v.Text)
		}
	}
	return out
}

func (c *checker) decodeRules(n *source.Node, out *Config) {
	out.Severities = map[string]engine.Level{}
	out.Parameters = map[string]map[string]float64{}
	for _, e := range n.Entries() {
		id := c.id(e.Key.Text)
		v := e.Value.Deref()
		level := v
		if v.Kind == source.Map {
			level = v.Get("severity").Deref()
			for _, p := range v.Entries() {
				if p.Key.Text == "severity" {
					continue
				}
				if out.Parameters[id] == nil {
					out.Parameters[id] = map[string]float64{}
				}
				x, _ := scalarOf(p.Value.Deref())
				if n, ok := x.(int64); ok {
					x = float64(n)
				}
				out.Parameters[id][p.Key.Text] = x.(float64)
			}
		}
		switch {
		case level == nil:
		case level.Text == "off":
			out.Severities[id] = engine.Level{Off: true}
		default:
			s, _ := model.ParseSeverity(level.Text)
			out.Severities[id] = engine.Level{Severity: s}
		}
	}
}

// id returns the present id of a rule that was renamed.
func (c *checker) id(name string) string {
	if c.known.Rule == nil {
		return name
	}
	if m, ok := c.known.Rule(name); ok {
		return m.ID
	}
	return name
}

func (c *checker) decodeIgnore(n *source.Node) engine.Ignore {
	d := n.Deref()
	text := func(key string) string {
		if v := d.Get(key).Deref(); v != nil && !isNull(v) {
			return v.Text
		}
		return ""
	}
	out := engine.Ignore{
		Rule: c.id(text("rule")), Path: text("path"), Reason: strings.TrimSpace(text("reason")), Until: text("until"),
		Place: model.Location{File: c.file, Span: d.Get("rule").Deref().Span(), Path: d.Get("rule").Path()},
	}
	if files := d.Get("files").Deref(); files != nil && files.Kind == source.List {
		for _, f := range files.Items() {
			out.Files = append(out.Files, f.Deref().Text)
		}
	} else if files != nil && !isNull(files) {
		out.Files = []string{files.Text}
	}
	return out
}

func isNull(n *source.Node) bool {
	if n.Kind != source.Scalar {
		return false
	}
	_, k := scalarOf(n)
	return k == aNull
}

// plainMap returns a map of scalars, or of maps of scalars.
func plainMap(n *source.Node) map[string]any {
	out := map[string]any{}
	for _, e := range n.Entries() {
		v := e.Value.Deref()
		if v.Kind == source.Map {
			out[e.Key.Text] = plainMap(v)
			continue
		}
		if x, k := scalarOf(v); k != aNull {
			out[e.Key.Text] = x
		}
	}
	return out
}

// names returns the names of a shape's keys in order.
func (s *shape) names() []string {
	var out []string
	for _, f := range s.keys {
		out = append(out, f.name)
	}
	return out
}

func (s *shape) key(name string) *shape {
	i := slices.IndexFunc(s.keys, func(f field) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return s.keys[i].shape
}
