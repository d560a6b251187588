package policy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Header is the METADATA of one policy file, with what its package clause says.
type Header struct {
	model.Meta
	// Package is the package path as written: agentlint.rules["hpa-on-memory"].
	Package string
}

// rulesPackage is the package that built-in policies live in, each under its id.
const rulesPackage = "agentlint.rules["

// ParseHeader reads the METADATA block of a policy. Errors name the line in the file.
func ParseHeader(name, src string) (*Header, error) {
	text, pkg, err := splitHeader(src)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	f := source.NewFile(name, []byte(text))
	docs, err := source.ParseYAML(f)
	if err != nil {
		var syntax *source.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("read %s:%d: METADATA: %s", name, f.LineAt(syntax.Offset), syntax.Msg)
		}
		return nil, fmt.Errorf("read %s: METADATA: %w", name, err)
	}
	r := &headerReader{file: f, header: &Header{Package: pkg}}
	for _, d := range docs {
		r.document(d.Root)
	}
	if rest, ok := strings.CutPrefix(pkg, rulesPackage); ok {
		r.header.ID, err = strconv.Unquote(strings.TrimSuffix(rest, "]"))
		if err != nil {
			r.errs = append(r.errs, fmt.Errorf("%s: package %s: not a rule's id", name, pkg))
		}
	}
	return r.header, errors.Join(r.errs...)
}

// splitHeader returns the YAML text of a METADATA block, in which every line keeps its number, and the path of the
// package clause after it.
func splitHeader(src string) (text, pkg string, err error) {
	var b strings.Builder
	in, seen := false, false
	for line := range strings.Lines(src) {
		trimmed := strings.TrimSpace(line)
		if p, ok := strings.CutPrefix(trimmed, "package "); ok {
			if !seen {
				return "", "", errors.New("METADATA is missing above the package clause")
			}
			return b.String(), strings.TrimSpace(p), nil
		}
		comment, ok := strings.CutPrefix(trimmed, "#")
		switch {
		case ok && !seen && strings.TrimSpace(comment) == "METADATA":
			in, seen = true, true
		case ok && in:
			b.WriteString(strings.TrimPrefix(comment, " "))
		default:
			in = false
		}
		b.WriteByte('\n')
	}
	return "", "", errors.New("no package clause")
}

// headerReader turns the nodes of a METADATA block into a header and collects what is wrong with them.
type headerReader struct {
	file   *source.File
	header *Header
	errs   []error
}

func (r *headerReader) fail(n *source.Node, format string, args ...any) {
	place := fmt.Sprintf("%s:%d: METADATA: ", r.file.Path, r.file.LineAt(n.Start))
	r.errs = append(r.errs, fmt.Errorf(place+format, args...))
}

// fields calls the reader of each key of a map, and refuses keys without one.
func (r *headerReader) fields(n *source.Node, readers ...field) {
	m := n.Deref()
	if m == nil || m.Kind != source.Map {
		r.fail(n, "want a mapping")
		return
	}
	for _, e := range m.Entries() {
		known := false
		for _, f := range readers {
			if f.key == e.Key.Text {
				known = true
				if f.read != nil {
					f.read(e.Value)
				}
			}
		}
		if !known {
			r.fail(e.Key, "unknown key %q", e.Key.Text)
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
		field{"severity", func(n *source.Node) { m.Severity = parsed(r, n, model.ParseSeverity) }},
		field{"severities", func(n *source.Node) {
			for _, item := range r.items(n) {
				m.Severities = append(m.Severities, parsed(r, item, model.ParseSeverity))
			}
		}},
		field{"confidence", func(n *source.Node) { m.Confidence = parsed(r, n, model.ParseConfidence) }},
		field{"confidences", func(n *source.Node) {
			for _, item := range r.items(n) {
				m.Confidences = append(m.Confidences, parsed(r, item, model.ParseConfidence))
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
				field{"safety", func(n *source.Node) { m.Fix = parsed(r, n, model.ParseSafety) }},
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
						if p.Default, err = strconv.ParseFloat(n.Text, 64); err != nil {
							r.fail(n, "default: want a number")
						}
					}},
				)
				m.Parameters = append(m.Parameters, p)
			}
		}},
		field{"messages", func(n *source.Node) {
			m.Messages = map[string]string{}
			for _, e := range n.Entries() {
				m.Messages[e.Key.Text] = strings.TrimSpace(e.Value.Text)
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

// parsed reads one of a set of names.
func parsed[T any](r *headerReader, n *source.Node, parse func(string) (T, bool)) T {
	x, ok := parse(n.Text)
	if !ok {
		r.fail(n, "%q is not a known name", n.Text)
	}
	return x
}
