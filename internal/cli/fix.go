package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/fixers"
	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/report"
	"agentlint/internal/secret"
)

func (a *app) fixCommand() *cobra.Command {
	var s settings
	var how fixing
	cmd := &cobra.Command{
		Use:   "fix [PATH...]",
		Short: "apply the safe fixes, and say what needs a decision",
		Long: `fix repairs the findings that check reports for each PATH. A fix changes the bytes it says and no
others. It is kept only when the file reads back as intended, the finding is gone, and no finding as
severe came up; a fix over several files is written whole or not at all. Safe fixes keep the meaning,
or are the documented remedy with no choice to make; --unsafe applies those that need a decision too.

Exit code: 0 when nothing at or above --fail-on is left, 1 otherwise; with --diff, 1 when there is a
patch.`,
		Example: `  agentlint fix --diff | git apply
  agentlint fix --unsafe --only request-timeout-very-long deploy/`,
		RunE: func(_ *cobra.Command, args []string) error { return a.fix(args, &s, &how) },
	}
	s.register(cmd)
	s.registerRules(cmd)
	f := cmd.Flags()
	f.BoolVar(&how.diff, "diff", false, "print a patch for git apply and change nothing")
	f.BoolVar(&how.unsafe, "unsafe", false, "apply fixes that need a decision too")
	f.StringVar(&how.plan, "plan", "", "print the edits of all fixes as `json` and change nothing")
	f.StringVar(&how.failOn, "fail-on", "warning", "exit with 1 when a finding of this `SEVERITY` or above is left: error, warning, info or never")
	f.BoolVarP(&how.quiet, "quiet", "q", false, "do not list what was done")
	completeWords(cmd, "plan", []string{"json"})
	completeWords(cmd, "fail-on", failures())
	return cmd
}

// fixing are the flags of fix.
type fixing struct {
	diff, unsafe, quiet bool
	plan, failOn        string
}

func (h *fixing) check(s *settings) error {
	if err := oneOf("--fail-on", h.failOn, failures()); err != nil {
		return err
	}
	if h.plan != "" {
		if err := oneOf("--plan", h.plan, []string{"json"}); err != nil {
			return err
		}
	}
	switch {
	case h.diff && h.plan != "":
		return misuse("--diff and --plan exclude each other")
	case s.stdinFilename != "" && (h.diff || h.plan != ""):
		return misuse("--stdin-filename prints the repaired file: it takes neither --diff nor --plan")
	}
	return nil
}

func (a *app) fix(args []string, s *settings, how *fixing) error {
	if err := how.check(s); err != nil {
		return err
	}
	targets, err := s.targets(args)
	if err != nil {
		return err
	}
	if s.baseline != "" && len(targets) > 1 {
		return misuse("--baseline is for one root, the paths lie in %d", len(targets))
	}
	done := a.progress(how.quiet, strings.Join(shownArgs(args, s), " "))
	defer done()
	j := &job{app: a, args: args, how: how}
	for _, t := range targets {
		if err := j.repair(t, s); err != nil {
			return err
		}
	}
	done()
	return j.finish(s)
}

// job is one run of fix over all its roots.
type job struct {
	app  *app
	args []string
	how  *fixing

	parts []part
	// left are the findings that remain, failed the errors of files that could not be written.
	left   []*engine.Finding
	failed []error
}

// part is what was done below one root.
type part struct {
	target *target
	repair *engine.Repair
	// written are the paths that were written.
	written []string
	// stdin is the file that stands for standard input, "" for none.
	stdin string
	// input is the text of standard input.
	input []byte
	// before finds the findings of the files as they were, by rule and fingerprint.
	before map[[2]string]*engine.Finding
}

// repair runs the fixes below one root, and writes them unless only a patch or plan is wanted.
func (j *job) repair(t *target, s *settings) error {
	a := j.app
	o, base, err := a.options(t, s)
	if err != nil {
		return err
	}
	p := part{target: t}
	if s.stdinFilename != "" {
		if err := a.stdin(t, &o); err != nil {
			return err
		}
		p.stdin = t.paths[0]
		p.input = o.Overlay[p.stdin]
	}
	// --only chooses what is repaired; all rules run, so that a fix that breaks another one is noticed.
	how := engine.RepairOptions{Unsafe: j.how.unsafe, Only: o.Only, Shown: j.how.diff || j.how.plan != ""}
	o.Only = nil
	known := map[string]bool{}
	if base != "" {
		b, err := a.readBaseline(base)
		if err != nil {
			return misuse("baseline %s: %s", base, reason(err))
		}
		for _, e := range b.Findings {
			known[e.Fingerprint] = true
		}
	}
	foreign := map[string]bool{}
	how.Accept = func(f *engine.Finding) bool { return !known[f.Fingerprint] && !foreign[f.Rule+f.Fingerprint] }
	for {
		p.repair, err = engine.ApplyFixes(a.ctx, o, how)
		if err != nil {
			return fmt.Errorf("fix %s: %w", t.shown, err)
		}
		if p.stdin == "" || !p.changesOthers(foreign) {
			break
		}
	}
	for _, f := range p.repair.After.Findings {
		if p.repair.Chosen(f) {
			j.left = append(j.left, f)
		}
	}
	if !j.how.diff && j.how.plan == "" && p.stdin == "" {
		j.write(&p)
	}
	j.parts = append(j.parts, p)
	return nil
}

// write writes the changed files. Those that one fix binds together are written all or none.
func (j *job) write(p *part) {
	for _, group := range p.repair.Groups {
		var files []fixers.Content
		for _, f := range p.repair.Changed {
			if slices.Contains(group, f.Path) {
				files = append(files, f)
			}
		}
		if err := fixers.Replace(p.target.root, files); err != nil {
			j.failed = append(j.failed, err)
			continue
		}
		p.written = append(p.written, group...)
	}
}

// changesOthers notes the findings whose fix would change another file than the one from standard input, and reports
// whether there are any.
func (p *part) changesOthers(foreign map[string]bool) bool {
	found := false
	for _, x := range p.repair.Applied {
		if slices.ContainsFunc(x.Files, func(name string) bool { return name != p.stdin }) {
			foreign[x.Finding.Rule+x.Finding.Fingerprint] = true
			found = true
		}
	}
	return found
}

// finish prints the outcome and sets the exit code.
func (j *job) finish(s *settings) error {
	a, how := j.app, j.how
	var b bytes.Buffer
	var notes strings.Builder
	for i := range j.parts {
		p := &j.parts[i]
		switch {
		case how.diff:
			patch, held := fixers.Diff(p.shownFiles())
			b.Write(patch)
			for _, h := range held {
				put(&notes, "not in the patch: line %s of %s, which holds a secret (agentlint fix changes it in place)\n", strconv.Itoa(h.Line), h.Path)
			}
		case how.plan != "":
		case p.stdin != "":
			b.Write(p.content())
		}
		if !how.quiet {
			j.tell(&notes, p)
		}
	}
	if how.plan != "" {
		if err := j.writePlan(&b); err != nil {
			return err
		}
		notes.Reset()
	}
	switch {
	case how.diff:
		if b.Len() > 0 {
			a.code = exitFindings
		}
	default:
		d := display{failOn: how.failOn}
		a.code = d.exit(j.left)
		if !how.quiet && how.plan == "" {
			j.tellLeft(&notes)
		}
	}
	out := a.Out
	if how.diff || how.plan != "" || s.stdinFilename != "" {
		// Standard output carries the patch, the plan or the file, so notes go beside it.
		if _, err := a.Out.Write(b.Bytes()); err != nil {
			return err
		}
		out = a.Err
	}
	if _, err := fmt.Fprint(out, a.safe(notes.String())); err != nil {
		return err
	}
	for i := range j.parts {
		a.faults(j.parts[i].repair.After.Faults)
	}
	if len(j.failed) > 0 {
		lines := make([]string, len(j.failed))
		for i, err := range j.failed {
			lines[i] = err.Error()
		}
		return &usageError{text: "not everything could be written\n" + strings.Join(lines, "\n")}
	}
	return nil
}

// shownFiles are the changed files under the names that lead to them from the working directory.
func (p *part) shownFiles() []fixers.Content {
	out := slices.Clone(p.repair.Changed)
	for i := range out {
		out[i].Path = p.target.show(out[i].Path)
	}
	return out
}

// content is the repaired text of standard input.
func (p *part) content() []byte {
	for _, f := range p.repair.Changed {
		if f.Path == p.stdin {
			return f.New
		}
	}
	return p.input
}

// tell lists what was done below one root: applied, refused and why, and what needs a decision.
func (j *job) tell(b *strings.Builder, p *part) {
	verb := "fixed"
	if j.how.diff {
		verb = "would fix"
	}
	inPlace := !j.how.diff && p.stdin == ""
	for _, x := range p.repair.Applied {
		if inPlace && !slices.ContainsFunc(x.Files, func(f string) bool { return slices.Contains(p.written, f) }) {
			continue
		}
		put(b, "%s %s: %s [%s]\n", verb, p.place(&x.Finding), x.Fix.Title, x.Finding.Rule)
	}
	for _, x := range p.repair.Refused {
		put(b, "not fixed %s: %s: %s [%s]\n", p.place(&x.Finding), x.Fix.Title, x.Reason, x.Finding.Rule)
	}
	if p.repair.Exhausted {
		b.WriteString("there is more to fix: run agentlint fix again\n")
	}
	for _, d := range decisions(p) {
		put(b, "\n%s [%s]\n", d.question, d.rule)
		put(b, "  at %s\n", few(d.places, 5))
		put(b, "  to %s: agentlint fix --unsafe --only %s%s\n", d.title, d.rule, shellArgs(j.args))
	}
	for _, d := range j.byHand(p) {
		put(b, "\nby hand [%s]\n  at %s\n", d.rule, few(d.places, 5))
		if d.title != "" {
			put(b, "  %s\n", d.title)
		}
	}
}

// put writes a line with every text in it redacted by itself: a title that ends with the name of a secret would else
// take what stands behind it for the value.
func put(b *strings.Builder, format string, texts ...string) {
	args := make([]any, len(texts))
	for i, text := range texts {
		args[i] = secret.Redact(text)
	}
	fmt.Fprintf(b, format, args...)
}

// byHand are the findings that are left and shown by check, and that no fix repairs, with the remedy of their rule.
func (j *job) byHand(p *part) []decision {
	d := display{failOn: j.how.failOn}
	rules := newRulebook()
	var out []decision
	for _, f := range p.repair.After.Findings {
		if f.Severity < d.shownLevel() || !p.repair.Chosen(f) || slices.ContainsFunc(f.Fixes, func(x engine.Fix) bool { return x.Safety != model.NoFix }) {
			continue
		}
		k := slices.IndexFunc(out, func(o decision) bool { return o.rule == f.Rule })
		if k < 0 {
			k = len(out)
			m, _ := rules.rule(f.Rule)
			first, _, _ := strings.Cut(strings.TrimSpace(m.Remedy), "\n\n")
			out = append(out, decision{rule: f.Rule, title: strings.Join(strings.Fields(first), " ")})
		}
		out[k].places = append(out[k].places, p.place(p.asRead(f)))
	}
	return out
}

func (p *part) place(f *engine.Finding) string {
	if f.File == nil {
		return p.target.shown
	}
	return fmt.Sprintf("%s:%d", p.target.show(f.File.Path), f.File.LineAt(f.Span.Start))
}

// decision is a question that one or more findings wait for.
type decision struct {
	rule, question, title string
	places                []string
}

func decisions(p *part) []decision {
	var out []decision
	for _, x := range p.repair.Decisions {
		d := decision{rule: x.Finding.Rule, title: x.Fix.Title, question: strings.Join(strings.Fields(x.Fix.Question), " ")}
		if d.question == "" {
			d.question = "Is this change what you want?"
		}
		i := slices.IndexFunc(out, func(o decision) bool { return o.rule == d.rule && o.question == d.question && o.title == d.title })
		if i < 0 {
			i = len(out)
			out = append(out, d)
		}
		out[i].places = append(out[i].places, p.place(p.asRead(&x.Finding)))
	}
	return out
}

// asRead returns a finding where it stands in the files: as long as they are as they were, that is the place before
// other fixes.
func (p *part) asRead(f *engine.Finding) *engine.Finding {
	if p.written != nil {
		return f
	}
	if p.before == nil {
		p.before = map[[2]string]*engine.Finding{}
		for _, b := range p.repair.Before.Findings {
			if name := [2]string{b.Rule, b.Fingerprint}; p.before[name] == nil {
				p.before[name] = b
			}
		}
	}
	if b := p.before[[2]string{f.Rule, f.Fingerprint}]; b != nil {
		return b
	}
	return f
}

// tellLeft closes the list with what is left.
func (j *job) tellLeft(b *strings.Builder) {
	applied, files := 0, 0
	for i := range j.parts {
		p := &j.parts[i]
		for _, x := range p.repair.Applied {
			if p.stdin != "" || slices.ContainsFunc(x.Files, func(f string) bool { return slices.Contains(p.written, f) }) {
				applied++
			}
		}
		files += max(len(p.written), min(1, len(p.stdin)))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	if applied == 0 {
		b.WriteString("nothing to fix")
	} else {
		fmt.Fprintf(b, "%s fixed in %s", count(applied, "finding"), count(files, "file"))
	}
	c := report.Count(j.left)
	var rest []string
	if c.Error > 0 {
		rest = append(rest, count(c.Error, "error"))
	}
	if c.Warning > 0 {
		rest = append(rest, count(c.Warning, "warning"))
	}
	if len(rest) > 0 {
		fmt.Fprintf(b, "; %s left (agentlint check shows them)", strings.Join(rest, " and "))
	}
	b.WriteByte('\n')
}

// few joins at most n words; more are counted.
func few(words []string, n int) string {
	if len(words) <= n {
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(words[:n], ", "), len(words)-n)
}

// shellArgs returns arguments as a POSIX shell reads them, with a blank before each.
func shellArgs(args []string) string {
	var b strings.Builder
	for _, arg := range args {
		b.WriteByte(' ')
		if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:@%+=") == "" {
			b.WriteString(arg)
			continue
		}
		b.WriteString("'" + strings.ReplaceAll(arg, "'", `'\''`) + "'")
	}
	return b.String()
}

// planSchema names the format of --plan json.
const planSchema = "agentlint.plan/v1"

// planJSON is what --plan prints: every fix as edits of the files as they are, for tools that apply some of them.
type planJSON struct {
	Schema string     `json:"schema"`
	Files  []planFile `json:"files"`
	Fixes  []planFix  `json:"fixes"`
}

// planFile identifies the content that offsets are for.
type planFile struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

type planFix struct {
	Rule        string     `json:"rule"`
	Fingerprint string     `json:"fingerprint"`
	Severity    string     `json:"severity"`
	File        string     `json:"file"`
	Line        int        `json:"line"`
	Message     string     `json:"message"`
	Title       string     `json:"title"`
	Safety      string     `json:"safety"`
	Question    string     `json:"question,omitempty"`
	Refused     string     `json:"refused,omitempty"`
	Edits       []planEdit `json:"edits"`
}

type planEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

// writePlan prints the fixes of the first run, each planned by itself.
func (j *job) writePlan(b *bytes.Buffer) error {
	out := planJSON{Schema: planSchema, Files: []planFile{}, Fixes: []planFix{}}
	for i := range j.parts {
		p := &j.parts[i]
		before := p.repair.Before
		before.PlanFixes(engine.PlanToPrint)
		for _, f := range before.Findings {
			if !p.repair.Chosen(f) {
				continue
			}
			for _, x := range f.Fixes {
				fix := planFix{
					Rule: f.Rule, Fingerprint: f.Fingerprint, Severity: f.Severity.String(), Message: secret.Redact(f.Message), Title: secret.Redact(x.Title),
					Safety: x.Safety.String(), Question: secret.Redact(x.Question), Refused: secret.Redact(x.Refused), Edits: []planEdit{},
				}
				if f.File != nil {
					fix.File, fix.Line = p.target.show(f.File.Path), f.File.LineAt(f.Span.Start)
				}
				if x.Safety == model.NoFix {
					continue
				}
				for _, e := range x.Edits {
					if secret.In(e.Text) {
						fix.Edits, fix.Refused = []planEdit{}, "the edit holds a secret, which only agentlint fix may write"
						break
					}
					fix.Edits = append(fix.Edits, planEdit{p.target.show(e.File.Path), e.Start, e.End, e.Text})
				}
				if len(fix.Edits) > 0 {
					for _, e := range x.Edits {
						sum := sha256.Sum256(e.File.Bytes)
						pf := planFile{p.target.show(e.File.Path), hex.EncodeToString(sum[:])}
						if !slices.Contains(out.Files, pf) {
							out.Files = append(out.Files, pf)
						}
					}
				}
				out.Fixes = append(out.Fixes, fix)
			}
		}
	}
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
