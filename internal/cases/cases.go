// Package cases reads and runs the cases of rules: testdata/rules/<id>/*.txtar, one format for rules in Go and in
// Rego. A case holds input files, the lines that its rule must print for them, and the files after its fixes. Tests
// and the generator of the documentation use it.
package cases

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"agentlint/internal/config"
	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/source"
)

// Case is one case of one rule.
type Case struct {
	Rule string
	// Path is the file the case was read from.
	Path string
	// Example marks the case that documentation shows.
	Example bool
	// Steady says, with the reason, that the rule may report something else when a value of the case becomes unknown.
	Steady string
	// Comment is the text before the first file.
	Comment string
	// Input are the files of the deployment; names keeps their order.
	Input map[string][]byte
	// Want are the lines that the rule prints, Fixed the files that its fixes change, as they are then.
	Want  string
	Fixed map[string][]byte

	// Policies are the users' policies that the rule is one of, nil for rules of agentlint.
	Policies *policy.Custom

	names []string
	args  []string
}

const (
	caseDate  = "2026-11-29" // the date of a run that sets none
	wantName  = "want"
	fixedDir  = "fixed/"
	maxRounds = 10 // rounds of fixing, each of one fix
)

// Load reads the cases of a rule from its folder below dir, in the order of names.
func Load(dir, rule string) ([]*Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, rule, "*.txtar"))
	if err != nil {
		return nil, err
	}
	slices.Sort(files)
	var out []*Case
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		c, err := Parse(rule, f, b)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// Parse reads a case of a rule out of the content of a file.
func Parse(rule, file string, content []byte) (*Case, error) {
	return parse(rule, file, txtar.Parse(content))
}

func parse(rule, file string, a *txtar.Archive) (*Case, error) {
	c := &Case{Rule: rule, Path: file, Comment: string(a.Comment), Input: map[string][]byte{}, Fixed: map[string][]byte{}}
	fail := func(format string, args ...any) error { return fmt.Errorf(file+": "+format, args...) }
	for line := range strings.Lines(c.Comment) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "#"))
		switch {
		case line == "example":
			c.Example = true
		case strings.HasPrefix(line, "args:"):
			c.args = append(c.args, strings.Fields(strings.TrimPrefix(line, "args:"))...)
		case strings.HasPrefix(line, "unknowns may move:"):
			c.Steady = strings.TrimSpace(strings.TrimPrefix(line, "unknowns may move:"))
		}
	}
	hasWant := false
	for _, f := range a.Files {
		fixed, isFixed := strings.CutPrefix(f.Name, fixedDir)
		switch {
		case f.Name == wantName:
			hasWant, c.Want = true, string(f.Data)
		case isFixed:
			c.Fixed[fixed] = f.Data
		case !fs.ValidPath(f.Name):
			return nil, fail("file %q: not a clean relative path", f.Name)
		case c.Input[f.Name] != nil:
			return nil, fail("file %s stands twice", f.Name)
		default:
			c.Input[f.Name] = append([]byte{}, f.Data...)
			c.names = append(c.names, f.Name)
		}
	}
	for name := range c.Fixed {
		if c.Input[name] == nil {
			return nil, fail("fixed/%s is no file of the case", name)
		}
	}
	if len(c.names) == 0 {
		return nil, fail("no input files")
	}
	if !hasWant {
		c.Want = "\n"
	}
	return c, nil
}

// Format returns the case as a file.
func (c *Case) Format() []byte {
	a := &txtar.Archive{Comment: []byte(c.Comment)}
	for _, n := range c.names {
		a.Files = append(a.Files, txtar.File{Name: n, Data: c.Input[n]})
	}
	a.Files = append(a.Files, txtar.File{Name: wantName, Data: []byte(c.Want)})
	for _, n := range c.names {
		if b, ok := c.Fixed[n]; ok {
			a.Files = append(a.Files, txtar.File{Name: fixedDir + n, Data: b})
		}
	}
	return txtar.Format(a)
}

// Files returns the names of the input files in their order.
func (c *Case) Files() []string { return c.names }

// Args returns the command-line options that the case sets.
func (c *Case) Args() []string { return c.args }

// CRLF returns files with CRLF line ends, except for scripts, in which they would be part of the words.
func CRLF(files map[string][]byte) map[string][]byte {
	out := maps.Clone(files)
	for name, b := range out {
		if path.Ext(name) != ".sh" && !bytes.HasPrefix(b, []byte("#!")) {
			out[name] = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		}
	}
	return out
}

// Options returns the options of a run over some files with the case's arguments and configuration file. Only the
// case's own rule is on.
func (c *Case) Options(files map[string][]byte) (engine.Options, error) {
	o := engine.Options{Root: ".", FS: mapFS(files), Only: []string{c.Rule}, Custom: c.Policies, Today: caseDate}
	fail := func(err error) (engine.Options, error) { return o, fmt.Errorf("%s: %w", c.Path, err) }
	if b, ok := files[config.FileName]; ok {
		cfg, err := config.Parse(source.NewFile(config.FileName, b), config.Known{})
		if err != nil {
			return fail(err)
		}
		o.Targets, o.Facts, o.StackFacts, o.Profile = cfg.Targets, cfg.Facts, cfg.StackFacts, cfg.Profile
		o.Severities, o.Parameters, o.Exclude, o.Ignores = cfg.Severities, cfg.Parameters, cfg.Exclude, cfg.Ignores
	}
	for i := 0; i < len(c.args); i += 2 {
		if i+1 == len(c.args) {
			return fail(fmt.Errorf("args: %s without a value", c.args[i]))
		}
		value := c.args[i+1]
		switch c.args[i] {
		case "--target":
			t, err := config.ParseTargets(value)
			if err != nil {
				return fail(err)
			}
			o.Targets = merged(o.Targets, t)
		case "--assume":
			f, err := config.ParseFacts([]string{value})
			if err != nil {
				return fail(err)
			}
			o.Facts = merged(o.Facts, f)
		case "--today":
			o.Today = value
		case "--profile":
			o.Profile = value
		default:
			return fail(fmt.Errorf("args: unknown option %s", c.args[i]))
		}
	}
	return o, nil
}

func merged[V any](a, b map[string]V) map[string]V {
	out := map[string]V{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

func mapFS(files map[string][]byte) fstest.MapFS {
	m := fstest.MapFS{}
	for name, b := range files {
		m[name] = &fstest.MapFile{Data: b, Mode: 0o644}
	}
	return m
}

// Run runs the case's rule over some files.
func (c *Case) Run(files map[string][]byte) (*engine.Result, error) {
	o, err := c.Options(files)
	if err != nil {
		return nil, err
	}
	r, err := engine.Run(context.Background(), o)
	if err == nil {
		r.PlanFixes(engine.PlanToPrint)
	}
	return r, err
}

// RunAll runs all rules over some files.
func (c *Case) RunAll(files map[string][]byte) (*engine.Result, error) {
	o, err := c.Options(files)
	if err != nil {
		return nil, err
	}
	o.Only = nil
	return engine.Run(context.Background(), o)
}

// Lines returns what a result says of one rule, as the want section of a case has it: a line a finding, with its
// related places and figures indented below it, and a line for each fact that was missing.
func Lines(r *engine.Result, rule string) string {
	var b strings.Builder
	for _, f := range r.Findings {
		if f.Rule != rule {
			continue
		}
		fmt.Fprintf(&b, "%s: %s: %s [%s]\n", place(f.Location), f.Severity, f.Message, f.Rule)
		for _, x := range f.Related {
			fmt.Fprintf(&b, "  %s: %s\n", place(x.Location), x.Message)
		}
		for _, x := range f.Figures {
			fmt.Fprintf(&b, "  %s: %s %s", x.Name, model.Number(x.Value), x.Unit)
			if x.Formula != "" {
				fmt.Fprintf(&b, " = %s", x.Formula)
			}
			if x.Limit != nil {
				fmt.Fprintf(&b, ", limit %s", model.Number(*x.Limit))
			}
			b.WriteByte('\n')
		}
		if len(f.Needs) > 0 {
			fmt.Fprintf(&b, "  needs %s\n", strings.Join(f.Needs, ", "))
		}
	}
	for _, u := range r.Unchecked {
		if u.Rule == rule && !undecided(r, rule) {
			fmt.Fprintf(&b, "unchecked: %s [%s]\n", strings.Join(u.Needs, ", "), rule)
		}
	}
	return b.String()
}

// undecided reports whether the rule has an undecided finding, whose needs are listed as unchecked too.
func undecided(r *engine.Result, rule string) bool {
	return slices.ContainsFunc(r.Findings, func(f *engine.Finding) bool { return f.Rule == rule && len(f.Needs) > 0 })
}

func place(l model.Location) string {
	if l.File == nil {
		return "-"
	}
	p := l.File.Position(l.Span.Start)
	return fmt.Sprintf("%s:%d:%d", l.File.Path, p.Line, p.Column)
}

// Fix applies the first fix of each finding of the rule, safe or not, one at a time, and returns the files after it
// and the result of a run over them. Refused lists why fixes were not applied.
func (c *Case) Fix(files map[string][]byte) (after map[string][]byte, r *engine.Result, refused []string, err error) {
	after = maps.Clone(files)
	for range maxRounds {
		if r, err = c.Run(after); err != nil {
			return nil, nil, nil, err
		}
		applied := false
		refused = nil
		for _, f := range r.Findings {
			if f.Rule != c.Rule || len(f.Fixes) == 0 {
				continue
			}
			fix := f.Fixes[0]
			if len(fix.Edits) == 0 {
				refused = append(refused, fmt.Sprintf("%s: %s", fix.Title, fix.Refused))
				continue
			}
			if err := apply(after, fix); err != nil {
				return nil, nil, nil, fmt.Errorf("%s: fix %q: %w", c.Path, fix.Title, err)
			}
			applied = true
			break
		}
		if !applied {
			return after, r, refused, nil
		}
	}
	return nil, nil, nil, fmt.Errorf("%s: still fixing after %d rounds", c.Path, maxRounds)
}

func apply(files map[string][]byte, fix engine.Fix) error {
	edits := map[string][]source.Edit{}
	for _, e := range fix.Edits {
		edits[e.File.Path] = append(edits[e.File.Path], e.Edit)
	}
	for name, list := range edits {
		b, err := source.Apply(files[name], list)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if bytes.Equal(b, files[name]) {
			return fmt.Errorf("%s: the edits change nothing", name)
		}
		files[name] = b
	}
	return nil
}

// Changed returns the files of after that differ from before.
func Changed(before, after map[string][]byte) map[string][]byte {
	out := map[string][]byte{}
	for name, b := range after {
		if !bytes.Equal(b, before[name]) {
			out[name] = b
		}
	}
	return out
}
