package policy

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Header is the METADATA of one policy file, with what its package clause says.
type Header struct {
	model.Meta
	// Package is the package path as written: agentlint.rules["hpa-on-memory"].
	Package string

	// places are where the keys of METADATA stand, by name, for complaints about their values.
	places map[string]position
}

// position is a place in a policy file, counted from 1.
type position struct{ line, column int }

// at returns where a key of METADATA stands, else where the block starts.
func (h *Header) at(key string) position {
	if p, ok := h.places[key]; ok {
		return p
	}
	return h.places[""]
}

// rulesPackage is the package that built-in policies live in, each under its id.
const rulesPackage = "agentlint.rules["

// ParseHeader reads the METADATA block of a policy. Errors name the line in the file.
func ParseHeader(name, src string) (*Header, error) {
	h, problems := parseHeader(name, src)
	errs := make([]error, len(problems))
	for i := range problems {
		errs[i] = problems[i]
	}
	if h != nil {
		if rest, ok := strings.CutPrefix(h.Package, rulesPackage); ok {
			var err error
			if h.ID, err = strconv.Unquote(strings.TrimSuffix(rest, "]")); err != nil {
				errs = append(errs, fmt.Errorf("%s: package %s: not a rule's id", name, h.Package))
			}
		}
	}
	return h, errors.Join(errs...)
}

// parseHeader reads the METADATA block of a policy and says what is wrong with it. There is no header when it cannot be
// read at all.
func parseHeader(name, src string) (*Header, []Problem) {
	text, pkg, start, err := splitHeader(src)
	if err != nil {
		return nil, []Problem{{File: name, Line: start.line, Column: start.column, Message: err.Error()}}
	}
	f := source.NewFile(name, []byte(text))
	r := &headerReader{file: f, header: &Header{Package: pkg, places: map[string]position{"": start}}}
	docs, err := source.ParseYAML(f)
	if err != nil {
		at := start
		var syntax *source.SyntaxError
		if errors.As(err, &syntax) {
			at, err = r.position(syntax.Offset), errors.New(syntax.Msg)
		}
		return nil, []Problem{{File: name, Line: at.line, Column: at.column, Message: "METADATA: " + err.Error()}}
	}
	for _, d := range docs {
		r.document(d.Root)
	}
	return r.header, r.problems
}

// commentMark is what a line of METADATA starts with in the file, and does not in its YAML text.
const commentMark = "# "

// splitHeader returns the YAML text of a METADATA block, in which every line keeps its number, the path of the package
// clause after it, and where the block starts; with an error, where it was looked for.
func splitHeader(src string) (text, pkg string, start position, err error) {
	var b strings.Builder
	in, seen := false, false
	n := 0
	for line := range strings.Lines(src) {
		n++
		trimmed := strings.TrimSpace(line)
		if p, ok := strings.CutPrefix(trimmed, "package "); ok {
			if !seen {
				return "", "", position{n, 1}, errors.New("METADATA is missing above the package clause")
			}
			p, _, _ = strings.Cut(p, "#")
			return b.String(), strings.TrimSpace(p), start, nil
		}
		comment, ok := strings.CutPrefix(trimmed, "#")
		switch {
		case ok && !seen && strings.TrimSpace(comment) == "METADATA":
			in, seen, start = true, true, position{n, 1}
		case ok && in:
			b.WriteString(strings.TrimPrefix(comment, " "))
		default:
			in = false
		}
		b.WriteByte('\n')
	}
	return "", "", position{max(n, 1), 1}, errors.New("no package clause")
}

// headerReader turns the nodes of a METADATA block into a header and collects what is wrong with them.
type headerReader struct {
	file     *source.File
	header   *Header
	problems []Problem
}

// position returns the place in the policy of an offset in the YAML text.
func (r *headerReader) position(offset int) position {
	p := r.file.Position(offset)
	return position{p.Line, p.Column + len(commentMark)}
}

func (r *headerReader) fail(n *source.Node, format string, args ...any) {
	at := r.header.at("")
	if n != nil {
		at = r.position(n.Start)
	}
	r.problems = append(r.problems, Problem{File: r.file.Path, Line: at.line, Column: at.column, Message: "METADATA: " + fmt.Sprintf(format, args...)})
}

// fields calls the reader of each key of a map, and refuses keys without one.
func (r *headerReader) fields(n *source.Node, readers ...field) {
	m := n.Deref()
	if m == nil || m.Kind != source.Map {
		r.fail(n, "want a mapping")
		return
	}
	for _, e := range m.Entries() {
		i := slices.IndexFunc(readers, func(f field) bool { return f.key == e.Key.Text })
		if i < 0 {
			names := make([]string, len(readers))
			for j, f := range readers {
				names[j] = f.key
			}
			r.fail(e.Key, "unknown key %q%s", e.Key.Text, didYouMean(e.Key.Text, names))
			continue
		}
		if _, seen := r.header.places[e.Key.Text]; !seen {
			r.header.places[e.Key.Text] = r.position(e.Key.Start)
		}
		if readers[i].read != nil {
			readers[i].read(e.Value)
		}
	}
}

// field is a key of a map in METADATA; one without a reader is allowed and not read.
type field struct {
	key  string
	read func(*source.Node)
}

func (r *headerReader) document(n *source.Node) {
	if n == nil {
		return
	}
	m := &r.header.Meta
	r.fields(n,
		field{"title", r.text(&m.Title)},
		field{"description", r.text(&m.Why)},
		field{"custom", r.custom},
		// Annotations of Rego's own tools.
		field{"scope", nil}, field{"related_resources", nil}, field{"authors", nil}, field{"organizations", nil}, field{"schemas", nil},
	)
}

func (r *headerReader) custom(n *source.Node) {
	m := &r.header.Meta
	r.fields(n,
		field{"category", r.text(&m.Category)},
		field{"severity", func(n *source.Node) { m.Severity = parsed(r, n, model.ParseSeverity, severityNames()) }},
		field{"severities", func(n *source.Node) {
			for _, item := range r.items(n) {
				m.Severities = append(m.Severities, parsed(r, item, model.ParseSeverity, severityNames()))
			}
		}},
		field{"confidence", func(n *source.Node) { m.Confidence = parsed(r, n, model.ParseConfidence, confidenceNames()) }},
		field{"confidences", func(n *source.Node) {
			for _, item := range r.items(n) {
				m.Confidences = append(m.Confidences, parsed(r, item, model.ParseConfidence, confidenceNames()))
			}
		}},
		field{"inputs", r.texts(&m.Inputs)},
		field{"when", r.texts(&m.When)},
		field{"applies", r.texts(&m.Applies)},
		field{"remedy", r.text(&m.Remedy)},
		field{"since", r.text(&m.Since)},
		field{"aliases", r.texts(&m.Aliases)},
		field{"fix", func(n *source.Node) {
			r.fields(n,
				field{"safety", func(n *source.Node) { m.Fix = parsed(r, n, model.ParseSafety, safetyNames()) }},
				field{"title", r.text(&m.FixTitle)},
				field{"question", r.text(&m.Question)},
			)
		}},
		field{"evidence", func(n *source.Node) {
			for _, item := range r.items(n) {
				var e model.Evidence
				r.fields(item,
					field{"artefact", r.text(&e.Artefact)}, field{"file", r.text(&e.File)}, field{"symbol", r.text(&e.Symbol)},
					field{"checked", r.text(&e.Checked)}, field{"note", r.text(&e.Note)},
				)
				m.Evidence = append(m.Evidence, e)
			}
		}},
		field{"parameters", func(n *source.Node) {
			for _, item := range r.items(n) {
				var p model.Parameter
				r.fields(item,
					field{"name", r.text(&p.Name)}, field{"unit", r.text(&p.Unit)}, field{"why", r.text(&p.Why)},
					field{"default", func(n *source.Node) {
						var err error
						d := n.Deref()
						if d == nil {
							d = &source.Node{}
						}
						if p.Default, err = strconv.ParseFloat(d.Text, 64); err != nil || math.IsInf(p.Default, 0) || math.IsNaN(p.Default) {
							r.fail(n, "default: want a number")
						}
					}},
				)
				m.Parameters = append(m.Parameters, p)
			}
		}},
		field{"messages", func(n *source.Node) {
			m.Messages = map[string]string{}
			d := n.Deref()
			if d == nil || d.Kind != source.Map {
				r.fail(n, "messages: want a mapping of keys to texts")
				return
			}
			for _, e := range d.Entries() {
				var text string
				r.text(&text)(e.Value)
				m.Messages[e.Key.Text] = text
			}
		}},
	)
}

func (r *headerReader) text(to *string) func(*source.Node) {
	return func(n *source.Node) {
		if d := n.Deref(); d == nil || d.Kind != source.Scalar {
			r.fail(n, "want a text")
			return
		}
		*to = strings.TrimSpace(n.Deref().Text)
	}
}

func (r *headerReader) texts(to *[]string) func(*source.Node) {
	return func(n *source.Node) {
		for _, item := range r.items(n) {
			var s string
			r.text(&s)(item)
			*to = append(*to, s)
		}
	}
}

func (r *headerReader) items(n *source.Node) []*source.Node {
	if d := n.Deref(); d == nil || d.Kind != source.List {
		r.fail(n, "want a list")
	}
	return n.Items()
}

func severityNames() []string   { return []string{"error", "warning", "info"} }
func confidenceNames() []string { return []string{"high", "medium", "low"} }
func safetyNames() []string     { return []string{"safe", "unsafe", "none"} }

// parsed reads one of a set of names.
func parsed[T any](r *headerReader, n *source.Node, parse func(string) (T, bool), names []string) T {
	text := ""
	if d := n.Deref(); d != nil {
		text = d.Text
	}
	x, ok := parse(text)
	if !ok {
		r.fail(n, "%q is not a known name: want one of %s%s", text, strings.Join(names, ", "), didYouMean(text, names))
	}
	return x
}

// didYouMean returns a suggestion to end a complaint with, empty when no word is close.
func didYouMean(name string, words []string) string {
	if w := knowledge.Closest(name, words); w != "" {
		return fmt.Sprintf(" (did you mean %q?)", w)
	}
	return ""
}
