package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/report"
	"agentlint/internal/secret"
	"agentlint/internal/source"
)

func (a *app) modelCommand() *cobra.Command {
	var s settings
	var format, stack string
	var positions bool
	cmd := &cobra.Command{
		Use:   "model [PATH...]",
		Short: "print what agentlint understood, as rules and policies see it",
		Long: `model prints the stacks around each PATH: a list, or one stack with --stack. Values that are set out
of the files' sight are left out, and their paths stand under "unknown".`,
		Example: `  agentlint model deploy/ --stack deploy/values.yaml
  agentlint model --format mermaid`,
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--format", format, []string{"json", "mermaid"}); err != nil {
				return err
			}
			stacks, err := a.stacks(args, &s)
			if err != nil {
				return err
			}
			if stack != "" {
				if stacks, err = named(stacks, stack); err != nil {
					return err
				}
			}
			var b bytes.Buffer
			switch {
			case format == "mermaid":
				for i, st := range stacks {
					if i > 0 {
						b.WriteByte('\n')
					}
					fmt.Fprintf(&b, "%%%% %s\n%s", report.Clean(oneLine(st.Name)), report.Mermaid(st))
				}
			default:
				var out []any
				for _, st := range stacks {
					out = append(out, plainStack(st, positions))
				}
				var v any = out
				if stack != "" {
					v = out[0]
				} else if out == nil {
					v = []any{}
				}
				e := json.NewEncoder(&b)
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				if err := e.Encode(v); err != nil {
					return err
				}
			}
			_, err = a.Out.Write(b.Bytes())
			return err
		},
	}
	s.register(cmd)
	cmd.Flags().StringVar(&format, "format", "json", "json or mermaid (a diagram that GitHub renders)")
	cmd.Flags().StringVar(&stack, "stack", "", "print the stack of that `NAME` only")
	cmd.Flags().BoolVar(&positions, "positions", false, "add where each value was written, and what it overrides")
	completeWords(cmd, "format", []string{"json", "mermaid"})
	return cmd
}

// stacks loads the stacks of all roots of a command line, those that have a file in the paths.
func (a *app) stacks(args []string, s *settings) ([]*model.Stack, error) {
	targets, err := s.targets(args)
	if err != nil {
		return nil, err
	}
	var out []*model.Stack
	for _, t := range targets {
		o, _, err := a.options(t, s)
		if err != nil {
			return nil, err
		}
		list, err := engine.Stacks(a.ctx, o)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", t.shown, err)
		}
		for _, st := range list {
			if touches(st, t.paths) {
				out = append(out, st)
			}
		}
	}
	return out, nil
}

func touches(s *model.Stack, paths []string) bool {
	for _, f := range s.Files {
		if under(paths, f.Path) {
			return true
		}
	}
	return len(paths) == 0
}

func named(stacks []*model.Stack, name string) ([]*model.Stack, error) {
	var names []string
	for _, s := range stacks {
		if s.Name == name {
			return []*model.Stack{s}, nil
		}
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return nil, misuse("--stack %s: there is no stack", name)
	}
	return nil, oneOf("--stack", name, names)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// plainStack returns a stack as policies see it.
func plainStack(s *model.Stack, positions bool) map[string]any {
	out, _ := s.Root.Plain().(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	unknown := [][]any{}
	for _, p := range s.Unknown() {
		unknown = append(unknown, p)
	}
	out["unknown"] = unknown
	report.RedactTree(out)
	hide(out, s)
	if !positions {
		return out
	}
	table := []placeJSON{}
	s.Root.Walk(func(p model.Path, v *model.Value) {
		at, ok := placeOf(&v.Origin)
		if !ok && len(v.Losers()) == 0 {
			return
		}
		at.Path = append([]any{}, p...)
		for i := range v.Losers() {
			if l, ok := placeOf(&v.Losers()[i]); ok {
				at.Overrides = append(at.Overrides, l)
			}
		}
		table = append(table, at)
	})
	return map[string]any{"model": out, "positions": table}
}

// hide masks values of a stack that are secrets because of where they stand.
func hide(out map[string]any, s *model.Stack) {
	known := report.Secrets{}
	s.Root.Walk(func(p model.Path, v *model.Value) {
		if len(p) == 0 || v.Kind != model.Text || v.Text == "" {
			return
		}
		f, span, ok := spanOf(&v.Origin, 0)
		// What was made of a secret, such as the host of an address, is none.
		if !ok || !known.Covers(f, span) || strings.Trim(f.Text(span), `"'`) != v.Text {
			return
		}
		var at any = out
		for _, e := range p[:len(p)-1] {
			switch c := at.(type) {
			case map[string]any:
				name, _ := e.(string)
				at = c[name]
			case []any:
				at = nil
				if i, _ := e.(int); i < len(c) {
					at = c[i]
				}
			}
		}
		switch c := at.(type) {
		case map[string]any:
			if name, _ := p[len(p)-1].(string); c[name] != nil {
				c[name] = secret.Mask
			}
		case []any:
			if i, _ := p[len(p)-1].(int); i < len(c) {
				c[i] = secret.Mask
			}
		}
	})
}

// placeJSON is one row of the side table: where a value was written.
type placeJSON struct {
	Path      []any       `json:"path,omitempty"`
	Source    string      `json:"source,omitempty"`
	File      string      `json:"file,omitempty"`
	Line      int         `json:"line,omitempty"`
	Column    int         `json:"column,omitempty"`
	Note      string      `json:"note,omitempty"`
	Overrides []placeJSON `json:"overrides,omitempty"`
}

// placeOf returns where an origin stands, and false when it says nothing.
func placeOf(o *model.Origin) (placeJSON, bool) {
	p := placeJSON{Source: o.Source.String(), Note: o.Note()}
	if f, span, ok := spanOf(o, 0); ok {
		at := f.Position(span.Start)
		p.File, p.Line, p.Column = f.Path, at.Line, at.Column
	}
	return p, p.File != "" || p.Source != "" || p.Note != ""
}

// maxBlocks bounds how many defaults refer to each other's blocks.
const maxBlocks = 8

// spanOf returns the place of an origin in the outermost file: its value, or its key when the value is empty. The
// place of a default is the block that turns it on.
func spanOf(o *model.Origin, depth int) (*source.File, source.Span, bool) {
	if o.File == nil {
		if o.Block() != nil && depth < maxBlocks {
			return spanOf(&o.Block().Origin, depth+1)
		}
		return nil, source.Span{}, false
	}
	span := o.Span
	if span.Len() == 0 && !o.Key.IsZero() {
		span = o.Key
	}
	f, span := o.File.Outer(span)
	return f, span, true
}
