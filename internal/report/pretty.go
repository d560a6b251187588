package report

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// writePretty prints what was understood, each finding with a code frame, and what to do next.
func writePretty(b *bytes.Buffer, r *engine.Result, o *Options) error {
	s := newStyles(o)
	if !o.Quiet {
		writeStacks(b, r, o, &s)
	}
	list := shown(r, o)
	for i, f := range list {
		if i > 0 || !o.Quiet && len(r.Stacks) > 0 {
			b.WriteByte('\n')
		}
		writeFinding(b, f, len(r.Stacks), o, &s)
	}
	if !o.Quiet {
		if len(list) > 0 {
			b.WriteByte('\n')
		}
		writeSummary(b, r, o, &s)
	}
	return nil
}

// writeStacks prints one line for each stack.
func writeStacks(b *bytes.Buffer, r *engine.Result, o *Options, s *styles) {
	for _, st := range r.Stacks {
		name := clean(st.Title())
		fmt.Fprintf(b, "%s%s\n", s.bold(name+":"), hang(name+":", " "+clean(redact(st.Line)), o.Width))
	}
}

// writeFinding prints one finding with its code frame.
func writeFinding(b *bytes.Buffer, f *engine.Finding, stacks int, o *Options, s *styles) {
	id := clean(f.Rule)
	// The message continues the line of the head, which holds no blank to break at.
	head := fmt.Sprintf("%s[%s]:", f.Severity, id)
	text := hang(head, " "+clean(redact(f.Message)), o.Width)
	fmt.Fprintf(b, "%s%s%s%s\n", s.severity(f.Severity, f.Severity.String()+"["), link(o, f.URL, s.severity(f.Severity, id)),
		s.severity(f.Severity, "]:"), s.bold(text))
	gutter := writeFrame(b, f, o, s)
	add := func(text string) {
		fmt.Fprintf(b, "%s %s %s\n", gutter, s.faint("="), wrap(text, max(0, o.Width-len(gutter)-3), gutter+"   "))
	}
	for _, g := range f.Figures {
		add(figure(g))
	}
	if f.Severity == model.Undecided && len(f.Needs) > 0 {
		text := "would be " + f.WouldBe.String() + "; needs " + list(cleaned(f.Needs))
		if f.WouldBe == model.Undecided {
			text = "needs " + list(cleaned(f.Needs))
		}
		add(text + " (--assume " + clean(f.Needs[0]) + "=VALUE)")
	}
	if len(f.Stacks) > 1 && stacks > 1 {
		add("in " + few(cleaned(f.Stacks), 4))
	}
	if x := fixOf(f); x != nil {
		how := "agentlint fix"
		if x.Safety == model.Unsafe {
			how = "agentlint fix --unsafe --only " + id
		}
		text := "fix: " + clean(redact(x.Title)) + " (" + how + ")"
		if x.Question != "" && x.Safety == model.Unsafe {
			text += "; first: " + clean(redact(x.Question))
		}
		add(text)
	} else {
		for _, x := range f.Fixes {
			if x.Refused != "" {
				add("by hand: " + clean(redact(x.Title)) + " (" + clean(redact(x.Refused)) + ")")
				break
			}
		}
	}
}

// figure returns a computed number with its formula: connections: 400 = 4 workers x 10 pool x 10 replicas, limit 100.
func figure(g model.Figure) string {
	var b strings.Builder
	b.WriteString(clean(g.Name) + ": " + number(g.Value))
	if g.Unit != "" && g.Unit != g.Name {
		b.WriteString(" " + clean(g.Unit))
	}
	if g.Formula != "" {
		b.WriteString(" = " + clean(redact(g.Formula)))
	}
	if g.Limit != nil {
		b.WriteString("; limit " + number(*g.Limit))
	}
	return b.String()
}

// number prints a figure with at most three decimals, or four digits of a huge one.
func number(x float64) string {
	// Beyond this, not every whole number has a float of its own.
	if math.Abs(x) >= 1<<53 {
		return strconv.FormatFloat(x, 'g', 4, 64)
	}
	s := strconv.FormatFloat(x, 'f', 3, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// writeSummary prints the counts, what can be fixed, what was not checked and what was skipped.
func writeSummary(b *bytes.Buffer, r *engine.Result, o *Options, s *styles) {
	c := Count(r.Findings)
	if len(r.Stacks) == 0 && len(r.Findings) == 0 {
		fmt.Fprintf(b, "no LiteLLM or vLLM configuration found under %s (%s looked at)\n", clean(strings.Join(o.Checked, " ")), plural(r.FilesLooked, "file"))
		for i, m := range r.NearMisses {
			if i == 3 {
				break
			}
			fmt.Fprintf(b, "  %s: %s\n", clean(m.File), clean(redact(m.Reason)))
		}
		writeSkipped(b, r, o)
		return
	}
	var parts []string
	count := func(n int, v model.Severity, noun string) {
		if n > 0 {
			parts = append(parts, s.severity(v, plural(n, noun)))
		}
	}
	count(c.Error, model.Error, "error")
	count(c.Warning, model.Warning, "warning")
	var hidden []string
	if c.Info > 0 {
		if o.Level <= model.Info {
			parts = append(parts, s.severity(model.Info, strconv.Itoa(c.Info)+" info"))
		} else {
			hidden = append(hidden, strconv.Itoa(c.Info)+" info")
		}
	}
	if c.Undecided > 0 {
		if o.Level <= model.Undecided {
			parts = append(parts, s.severity(model.Undecided, strconv.Itoa(c.Undecided)+" undecided"))
		} else {
			hidden = append(hidden, strconv.Itoa(c.Undecided)+" undecided")
		}
	}
	line := "no findings"
	if len(parts) > 0 {
		line = list(parts)
	} else if len(hidden) > 0 {
		line = "no errors or warnings"
		if o.Level > model.Warning {
			line = "no errors"
		}
	}
	fmt.Fprintf(b, "%s in %s\n", line, plural(r.FilesRead, "file"))
	if len(hidden) > 0 {
		level := "info"
		if c.Undecided > 0 && o.Level > model.Undecided {
			level = "undecided"
		}
		fmt.Fprintf(b, "%s not shown (--level %s shows them)\n", list(hidden), level)
	}
	if r.Suppressed > 0 {
		fmt.Fprintf(b, "%s ignored by comment or configuration\n", plural(r.Suppressed, "finding"))
	}
	if c := ChangesOf(r); c != nil {
		fmt.Fprintln(b, c.Line())
	}
	if o.Known > 0 {
		fmt.Fprintf(b, "%s of the baseline not shown\n", plural(o.Known, "finding"))
	}
	switch {
	case c.Safe > 0 && c.Unsafe > 0:
		fmt.Fprintf(b, "agentlint fix repairs %d; a decision is needed for %d more (agentlint fix lists them)\n", c.Safe, c.Unsafe)
	case c.Safe > 0:
		fmt.Fprintf(b, "agentlint fix repairs %d\n", c.Safe)
	case c.Unsafe > 0:
		fmt.Fprintf(b, "a decision is needed to repair %d (agentlint fix lists them)\n", c.Unsafe)
	}
	for _, u := range Unchecked(r) {
		fmt.Fprintln(b, wrap("not checked: "+few(u.Rules, 4)+"; needs "+list(u.Needs), o.Width, "  "))
	}
	writeSkipped(b, r, o)
	if len(r.Findings) > 0 {
		fmt.Fprintf(b, "agentlint explain ID says why a rule exists and what to write instead\n")
	}
}

// UncheckedRules are rules that wait for the same facts.
type UncheckedRules struct {
	Needs, Rules []string
}

// Unchecked groups the rules that could not decide by the facts they need, the fact that settles most rules first.
// Names are safe to print.
func Unchecked(r *engine.Result) []UncheckedRules {
	var out []UncheckedRules
	for _, u := range r.Unchecked {
		needs := slices.Clone(u.Needs)
		for i, need := range needs {
			needs[i] += unread(r, u.Stack, need)
		}
		needs = cleaned(needs)
		slices.Sort(needs)
		needs = slices.Compact(needs)
		i := slices.IndexFunc(out, func(g UncheckedRules) bool { return slices.Equal(g.Needs, needs) })
		if i < 0 {
			i = len(out)
			out = append(out, UncheckedRules{Needs: needs})
		}
		if id := clean(u.Rule); !slices.Contains(out[i].Rules, id) {
			out[i].Rules = append(out[i].Rules, id)
		}
	}
	for i := range out {
		slices.Sort(out[i].Rules)
	}
	slices.SortStableFunc(out, func(a, b UncheckedRules) int {
		if d := len(b.Rules) - len(a.Rules); d != 0 {
			return d
		}
		return slices.Compare(a.Needs, b.Needs)
	})
	return out
}

// unread says where a stack writes a fact that could not be read.
func unread(r *engine.Result, stack, fact string) string {
	for i := range r.Stacks {
		if r.Stacks[i].Name != stack {
			continue
		}
		for _, u := range r.Stacks[i].Unread {
			if u.Fact == fact {
				return fmt.Sprintf(" (what %s:%d says could not be read)", u.File, u.Line)
			}
		}
	}
	return ""
}

func writeSkipped(b *bytes.Buffer, r *engine.Result, o *Options) {
	switch {
	case len(r.Skipped) == 0:
	case !o.ExplainSkips:
		fmt.Fprintf(b, "%s skipped (--explain-skips says why)\n", plural(len(r.Skipped), "file"))
	default:
		for _, k := range r.Skipped {
			fmt.Fprintf(b, "skipped %s: %s\n", clean(k.File), clean(redact(k.Reason)))
		}
	}
}

// cleaned makes each word safe to print.
func cleaned(words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = clean(w)
	}
	return out
}
