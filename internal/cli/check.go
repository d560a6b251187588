package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/report"
)

// display are the flags that decide how a result is shown.
type display struct {
	format       string
	outputs      []string
	level        string
	failOn       string
	color        string
	explainSkips bool
	quiet        bool
}

func (d *display) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&d.level, "level", "", "mildest `SEVERITY` shown one by one: error, warning (default), info or undecided")
	f.StringVar(&d.failOn, "fail-on", "warning", "exit with 1 from this `SEVERITY` on: error, warning, info or never")
	f.StringVar(&d.color, "color", "auto", "auto, always or never")
	f.BoolVar(&d.explainSkips, "explain-skips", false, "list the files that were skipped, and why")
	f.BoolVarP(&d.quiet, "quiet", "q", false, "print findings only")
	completeWords(cmd, "level", levels())
	completeWords(cmd, "fail-on", failures())
	completeWords(cmd, "color", colors())
}

func levels() []string   { return []string{"error", "warning", "info", "undecided"} }
func failures() []string { return []string{"error", "warning", "info", "never"} }
func colors() []string   { return []string{"auto", "always", "never"} }

// check refuses values that mean nothing, before anything is read.
func (d *display) check() error {
	if d.level != "" {
		if err := oneOf("--level", d.level, levels()); err != nil {
			return err
		}
	}
	if err := oneOf("--fail-on", d.failOn, failures()); err != nil {
		return err
	}
	return oneOf("--color", d.color, colors())
}

// threshold returns the severity from which on the exit code is 1, and false for never.
func (d *display) threshold() (model.Severity, bool) {
	s, ok := model.ParseSeverity(d.failOn)
	return s, ok
}

// shownLevel returns the mildest severity that is shown. What makes the exit code 1 is shown unless --level says
// otherwise.
func (d *display) shownLevel() model.Severity {
	if s, ok := model.ParseSeverity(d.level); ok {
		return s
	}
	if s, ok := d.threshold(); ok {
		return min(s, model.Warning)
	}
	return model.Warning
}

// exit returns the exit code for what was found.
func (d *display) exit(findings []*engine.Finding) int {
	s, ok := d.threshold()
	if ok && slices.ContainsFunc(findings, func(f *engine.Finding) bool { return f.Severity >= s }) {
		return exitFindings
	}
	return exitClean
}

func (a *app) checkCommand() *cobra.Command {
	var s settings
	var d display
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "say what is wrong, where, and how large the effect is",
		Long: `check reads the deployments around each PATH whole and prints the findings that lie in a PATH.
The root of a PATH is the nearest folder above it with .agentlint.yaml or .git.

Exit code: 0 clean, 1 findings at or above --fail-on, 2 wrong usage or configuration, 3 a fault of
agentlint itself.`,
		Example: `  agentlint check
  agentlint check deploy/ --level info --assume postgres_max_connections=200
  agentlint check --format json --output sarif=agentlint.sarif
  agentlint check --since origin/main`,
		RunE: func(_ *cobra.Command, args []string) error { return a.check(args, &s, &d) },
	}
	s.register(cmd)
	s.registerRules(cmd)
	cmd.Flags().BoolVar(&s.updateBaseline, "update-baseline", false, "remove from the baseline what is gone, or write it when there is none")
	cmd.Flags().StringVar(&s.since, "since", "", "report only what was not there at the revision `REV`, and what became worse")
	cmd.Flags().StringVar(&s.changedLines, "changed-lines", "", "report only what touches the lines that the diff in `FILE` changed (- for stdin)")
	d.register(cmd)
	cmd.Flags().StringVar(&d.format, "format", "", "`FORMAT` on stdout: "+strings.Join(report.Formats(), ", "))
	cmd.Flags().StringArrayVar(&d.outputs, "output", nil, "write a further format to a file: `FORMAT=FILE` (repeatable)")
	completeWords(cmd, "format", report.Formats())
	return cmd
}

func (a *app) check(args []string, s *settings, d *display) error {
	if err := d.check(); err != nil {
		return err
	}
	format := d.format
	if format == "" {
		format = automaticFormat()
	} else if err := oneOf("--format", format, report.Formats()); err != nil {
		return err
	}
	outputs, err := parseOutputs(d.outputs)
	if err != nil {
		return err
	}
	d.format = format
	if s.updateBaseline && s.baseline == "" {
		return misuse("--update-baseline needs --baseline FILE")
	}
	if s.since != "" && s.changedLines != "" {
		return misuse("--since and --changed-lines exclude each other")
	}
	p := planFor(format, outputs)
	p.keep = p.keep || s.compares()
	r, known, err := a.result(args, s, d, p)
	if err != nil {
		return err
	}
	a.code = d.exit(r.Findings)
	term := terminalOf(a.Out)
	o := report.Options{
		Version: Version(), Level: d.shownLevel(), Color: wantColor(d.color, term), Width: term.width,
		Actions: inActions(), ExplainSkips: d.explainSkips, Quiet: d.quiet, Checked: shownArgs(args, s), Known: known,
		Rule: newRulebook(a.own...).rule,
	}
	o.Links = wantLinks(o.Color, term)
	if o.Actions {
		o.Folder = repositoryFolder()
	}
	// Files first: stdout may be closed early, and they are not to be lost then.
	var failed error
	for _, out := range outputs {
		if err := a.writeOutput(out, r, o); err != nil {
			failed = errors.Join(failed, misuse("--output %s: %s", out.text, reason(err)))
		}
	}
	if err := report.Write(a.Out, format, r, o); err != nil {
		failed = errors.Join(failed, err)
	}
	a.faults(r.Faults)
	return failed
}

// faults reports what failed by itself, and sets the exit code for it.
func (a *app) faults(list []engine.Fault) {
	for _, f := range list {
		text, trace, _ := strings.Cut(f.Text, "\n")
		if f.Own() {
			a.complain("policy %s on %s: %s", f.Rule, f.Stack, strings.TrimPrefix(strings.TrimSpace(f.Text), "policy "+f.Rule+": "))
			a.code = max(a.code, exitUsage)
			continue
		}
		a.fault(fmt.Sprintf("rule %s on %s: %s", f.Rule, f.Stack, strings.TrimPrefix(text, "rule "+f.Rule+": ")), []byte(trace))
		a.code = exitFault
	}
}

// plan is how a check gives fixes their edits.
type plan struct {
	budget int
	// keep says that a format draws the stacks.
	keep bool
}

// planFor returns the plan for the formats of a run: edits are printed by some, and counted by all.
func planFor(format string, outputs []output) plan {
	p := plan{budget: engine.PlanToCount}
	formats := []string{format}
	for _, o := range outputs {
		formats = append(formats, o.format)
	}
	for _, f := range formats {
		switch f {
		case "json", "sarif", "rdjson":
			p.budget = engine.PlanToPrint
		case "markdown", "html":
			p.keep = true
		}
	}
	return p
}

// result runs the engine for every root of a command line. known is the number of findings that baselines hid.
func (a *app) result(args []string, s *settings, d *display, p plan) (r *engine.Result, known int, err error) {
	targets, err := s.targets(args)
	if err != nil {
		return nil, 0, err
	}
	if s.baseline != "" && len(targets) > 1 {
		return nil, 0, misuse("--baseline is for one root, the paths lie in %d", len(targets))
	}
	done := a.progress(d.quiet, strings.Join(shownArgs(args, s), " "))
	defer done()
	var results []*engine.Result
	for _, t := range targets {
		o, baseline, err := a.options(t, s)
		if err != nil {
			return nil, 0, err
		}
		if s.stdinFilename != "" {
			if err := a.stdin(t, &o); err != nil {
				return nil, 0, err
			}
		}
		if !p.keep {
			o.Plan = p.budget
		}
		o.Measure = s.compares()
		r, err := a.run(a.ctx, o)
		if err != nil {
			return nil, 0, fmt.Errorf("check %s: %w", t.shown, err)
		}
		if s.compares() {
			if err := a.compare(t, o, s, r); err != nil {
				return nil, 0, err
			}
		}
		if baseline != "" {
			n, err := a.useBaseline(baseline, s.updateBaseline, r, t.root, t.paths)
			if err != nil {
				return nil, 0, err
			}
			known += n
		}
		if s.compares() {
			r.KeepNew()
		}
		if p.keep {
			r.PlanFixes(p.budget)
		}
		relocate(r, t)
		pages := map[string]string{}
		for _, f := range r.Findings {
			url, ok := pages[f.Rule]
			if !ok {
				url = pageOf(f.Rule)
				pages[f.Rule] = url
			}
			f.URL = url
		}
		results = append(results, r)
	}
	return merge(results), known, nil
}

// shownArgs are the checked paths as typed.
func shownArgs(args []string, s *settings) []string {
	switch {
	case s.stdinFilename != "":
		return []string{s.stdinFilename}
	case len(args) == 0:
		return []string{"."}
	}
	return args
}

// automaticFormat is the format where none is asked for: that of the CI system that runs the command.
func automaticFormat() string {
	switch {
	case inActions():
		return "github"
	case os.Getenv("GITLAB_CI") == "true" && report.Known("gitlab"):
		return "gitlab"
	}
	return "pretty"
}

// output is one --output FORMAT=FILE.
type output struct{ text, format, file string }

func parseOutputs(args []string) ([]output, error) {
	var out []output
	for _, arg := range args {
		format, file, ok := strings.Cut(arg, "=")
		if !ok || file == "" {
			return nil, misuse("--output %s: want FORMAT=FILE", arg)
		}
		if err := oneOf("--output "+arg+": format", format, report.Formats()); err != nil {
			return nil, err
		}
		for _, o := range out {
			if o.file == file {
				return nil, misuse("--output %s: %s is written twice", arg, file)
			}
		}
		out = append(out, output{arg, format, file})
	}
	return out, nil
}

// maxSummary is how much GitHub takes of the summary of one step.
const maxSummary = 1 << 20

// writeOutput writes a format to a file, without colours. GitHub's step summary is appended to, as other steps of the
// same job may have written to it.
func (a *app) writeOutput(out output, r *engine.Result, o report.Options) error {
	o.Color, o.Links, o.Width, o.Actions = false, false, 0, false
	var b bytes.Buffer
	if err := report.Write(&b, out.format, r, o); err != nil {
		return err
	}
	if summary := os.Getenv("GITHUB_STEP_SUMMARY"); summary != "" && sameFile(summary, out.file) {
		return appendSummary(out.file, b.Bytes())
	}
	return writeFile(out.file, b.Bytes())
}

func sameFile(x, y string) bool {
	ax, err1 := filepath.Abs(x)
	ay, err2 := filepath.Abs(y)
	return err1 == nil && err2 == nil && ax == ay
}

func appendSummary(name string, content []byte) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if st, err := f.Stat(); err == nil && st.Size()+int64(len(content)) > maxSummary {
		content = []byte("agentlint: its summary does not fit into this step's any more\n")
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// start is agentlint without a command: what it would check, and the next command.
func (a *app) start() error {
	var s settings
	targets, err := s.targets(nil)
	if err != nil {
		return err
	}
	t := targets[0]
	o, _, err := a.options(t, &s)
	if err != nil {
		return err
	}
	// No rule has this name, so the files are read and understood, and nothing is checked.
	o.Only = []string{"-"}
	r, err := a.run(a.ctx, o)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.shown, err)
	}
	relocate(r, t)
	var b strings.Builder
	fmt.Fprintf(&b, "agentlint %s lints LiteLLM gateways and the vLLM engines behind them.\n\n", Version())
	if len(r.Stacks) == 0 {
		fmt.Fprintf(&b, "Nothing of the kind was found under %s (%s looked at).\n", t.shown, count(r.FilesLooked, "file"))
		for i, m := range r.NearMisses {
			if i == 3 {
				break
			}
			fmt.Fprintf(&b, "  %s: %s\n", m.File, m.Reason)
		}
		b.WriteString("\nnext: agentlint check PATH, with the folder of a deployment\n")
	} else {
		fmt.Fprintf(&b, "It would check under %s:\n", t.shown)
		for _, st := range r.Stacks {
			fmt.Fprintf(&b, "  %s: %s\n", st.Name, st.Line)
		}
		b.WriteString("\nnext: agentlint check\n")
	}
	b.WriteString("      agentlint --help lists the commands\n")
	_, err = fmt.Fprint(a.Out, a.safe(b.String()))
	return err
}
