package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agentlint/internal/engine"
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// checker collects the mistakes of one file.
type checker struct {
	file     *source.File
	known    Known
	problems []Problem
	// meanings turns on the checks that the published schema cannot express.
	meanings bool
	depth    int
}

// maxProblems bounds how many mistakes are reported at once.
const maxProblems = 50

func (c *checker) problem(offset int, format string, args ...any) {
	if len(c.problems) < maxProblems {
		c.problems = append(c.problems, Problem{c.file, offset, fmt.Sprintf(format, args...)})
	}
}

func (c *checker) err() error {
	if len(c.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(c.problems, func(a, b Problem) int { return a.Offset - b.Offset })
	return &Error{c.problems}
}

// check holds a node against its shape. at is the path for messages.
func (c *checker) check(n *source.Node, s *shape, at model.Path) {
	d := n.Deref()
	if d == nil {
		c.problem(n.Content, "%salias *%s has no anchor", prefix(at), n.Text)
		return
	}
	if d.Tag() != "" && d.Tag() != "!!str" {
		c.problem(d.Start, "%stags have no meaning here, found %s", prefix(at), d.Tag())
		return
	}
	// Aliases may form a cycle; no shape is deeper than this.
	if c.depth > 20 {
		return
	}
	c.depth++
	defer func() { c.depth-- }()
	switch d.Kind {
	case source.Map:
		if s.kinds&aMap == 0 {
			c.problem(n.Content, "%s%s", prefix(at), s.scalar(nil, aMap))
			return
		}
		c.checkMap(d, s, at)
	case source.List:
		if s.kinds&aList == 0 {
			c.problem(n.Content, "%s%s", prefix(at), s.scalar(nil, aList))
			return
		}
		for i, item := range d.Children {
			c.check(item, s.items, at.With(i))
		}
	default:
		v, k := scalarOf(d)
		if msg := s.scalar(v, k); msg != "" {
			c.problem(n.Content, "%s%s", prefix(at), msg)
			return
		}
		if c.meanings && (k == aText || s.format == formatVersion) && k != aNull {
			if msg := s.meaning(d.Text, c); msg != "" {
				c.problem(n.Content, "%s%s", prefix(at), msg)
			}
		}
	}
}

func prefix(at model.Path) string {
	if len(at) == 0 {
		return ""
	}
	return at.String() + ": "
}

func (c *checker) checkMap(d *source.Node, s *shape, at model.Path) {
	for i := 0; i+1 < len(d.Children); i += 2 {
		if k := d.Children[i].Deref(); k == nil || k.Kind != source.Scalar {
			c.problem(d.Children[i].Content, "%skeys must be text", prefix(at))
		}
	}
	seen := map[string]bool{}
	for _, e := range d.Entries() {
		name := e.Key.Text
		seen[name] = true
		for range e.Shadowed {
			c.problem(e.Key.Content, "%skey %q is written twice", prefix(at), name)
		}
		where := at.With(name)
		if known := s.key(name); known != nil {
			c.check(e.Value, known, where)
			continue
		}
		if s.entries == nil {
			c.problem(e.Key.Content, "%sunknown %s %q%s", prefix(at), s.label, name, didYouMean(name, s.names()))
			continue
		}
		if !s.name.match(name) {
			c.problem(e.Key.Content, "%s%s", prefix(at), s.name.complain(name))
			continue
		}
		if c.meanings {
			c.checkName(e, s, at)
		}
		c.check(e.Value, s.entries, where)
	}
	for _, name := range s.required {
		if !seen[name] {
			c.problem(d.Content, "%skey %q is missing", prefix(at), name)
		}
	}
}

// checkName checks keys that name something the program knows.
func (c *checker) checkName(e source.Entry, s *shape, at model.Path) {
	name := e.Key.Text
	switch s.label {
	case "rule":
		if msg := c.rules(name); msg != "" {
			c.problem(e.Key.Content, "%s%s", prefix(at), msg)
		}
	case "parameter":
		c.checkParameter(e.Key, at)
	case "stack":
		if !doublestar.ValidatePattern(name) {
			c.problem(e.Key.Content, "%s%q is no pattern", prefix(at), name)
		}
	}
}

// rules checks a rule id or category/*. Users' rules are only known where their policies are.
func (c *checker) rules(name string) string {
	if c.known.Rule == nil || strings.HasPrefix(name, "custom/") && (!c.known.Custom || name == "custom/*") {
		return ""
	}
	if category, ok := strings.CutSuffix(name, "/*"); ok {
		if !slices.Contains(c.known.Categories, category) {
			return fmt.Sprintf("unknown category %q%s", category, didYouMean(category, c.known.Categories))
		}
		return ""
	}
	if _, ok := c.known.Rule(name); !ok {
		return fmt.Sprintf("unknown rule %q%s", name, didYouMean(name, c.known.IDs))
	}
	return ""
}

// checkParameter checks a key under rules.ID.
func (c *checker) checkParameter(key *source.Node, at model.Path) {
	if c.known.Rule == nil || len(at) < 2 {
		return
	}
	id, _ := at[1].(string)
	if strings.HasPrefix(id, "custom/") && !c.known.Custom {
		return
	}
	if strings.HasSuffix(id, "/*") {
		c.problem(key.Content, "%sa category has no parameters", prefix(at))
		return
	}
	m, ok := c.known.Rule(id)
	if !ok {
		return
	}
	var names []string
	for _, p := range m.Parameters {
		names = append(names, p.Name)
	}
	switch {
	case slices.Contains(names, key.Text):
	case len(names) == 0:
		c.problem(key.Content, "%srule %s has no parameters", prefix(at), id)
	default:
		c.problem(key.Content, "%sunknown parameter %q%s", prefix(at), key.Text, didYouMean(key.Text, names))
	}
}

// meaning checks what a text of the right form says, and returns what is wrong. c may be nil.
func (s *shape) meaning(text string, c *checker) string {
	switch s.format {
	case formatVersion:
		if _, err := knowledge.ParseVersion(text); err != nil {
			return err.Error()
		}
	case formatDate:
		if _, err := time.Parse(time.DateOnly, text); err != nil {
			return fmt.Sprintf("%s is no date", text)
		}
	case formatRule:
		if c != nil {
			return c.rules(text)
		}
	case formatGlob:
		if !doublestar.ValidatePattern(text) {
			return fmt.Sprintf("%q is no pattern", text)
		}
	case formatPath:
		if _, err := engine.ParseIgnorePath(text); err != nil {
			return err.Error()
		}
	case formatGPU:
		if _, ok := knowledge.FindGPU(text); !ok {
			var names []string
			for _, g := range knowledge.GPUs() {
				names = append(names, g.Name)
			}
			return fmt.Sprintf("unknown GPU %q%s", text, didYouMean(text, names))
		}
	case formatRelative:
		if p := path.Clean(strings.ReplaceAll(text, `\`, "/")); path.IsAbs(p) || p == ".." || strings.HasPrefix(p, "../") || len(p) > 1 && p[1] == ':' {
			return fmt.Sprintf("%q leaves the folder of this file", text)
		}
	}
	return ""
}
