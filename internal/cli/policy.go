package cli

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/bundle"
	"agentlint/internal/cases"
	"agentlint/internal/config"
	"agentlint/internal/knowledge"
	"agentlint/internal/policy"
)

func (a *app) policyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy",
		Short: "write, check, test and bundle policies of your own",
		Long: `policy works on policies in Rego that are evaluated beside the built-in rules: those of --policy and
of policies: in ` + config.FileName + `.`,
		Example: `  agentlint policy new no-public-engines
  agentlint policy test policies`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.unknownCommand(cmd, args)
			}
			return cmd.Help()
		},
	}
	cmd.AddCommand(a.policyNewCommand(), a.policyCheckCommand(), a.policyTestCommand(), a.policyBundleCommand())
	return cmd
}

// defaultPolicies is the folder of policies where nothing else is named.
const defaultPolicies = "policies"

// policyPaths are the paths that a policy command works on: those it is given, else those of the configuration, else the
// folder policies.
func (a *app) policyPaths(args []string) (t *target, paths []string, err error) {
	var s settings
	targets, err := s.targets(nil)
	if err != nil {
		return nil, nil, err
	}
	t = targets[0]
	if len(args) > 0 {
		t.configuration = ""
		return t, args, nil
	}
	if files, err := a.policyFiles(t, nil); err != nil || len(files) > 0 {
		return t, nil, err
	}
	if !exists(defaultPolicies) {
		return nil, nil, misuse("there are no policies: name a folder, or write policies: [DIR] in %s (agentlint policy new NAME writes one)", config.FileName)
	}
	return t, []string{defaultPolicies}, nil
}

// policySet loads the policies that a policy command works on.
func (a *app) policySet(args []string, o policy.CustomOptions) (*policy.Custom, error) {
	t, paths, err := a.policyPaths(args)
	if err != nil {
		return nil, err
	}
	files, err := a.policyFiles(t, paths)
	if err != nil {
		return nil, err
	}
	return a.load(files, o)
}

func (a *app) policyCheckCommand() *cobra.Command {
	var strict bool
	cmd := &cobra.Command{
		Use:   "check [PATH...]",
		Short: "type-check policies, and say what in them is dead, unsafe or careless",
		Long: `check compiles the policies of each PATH (by default those of ` + config.FileName + `, or the folder ` + defaultPolicies + `)
with the types of the input, and names every mistake with its place. It also gives advice: rules,
messages and parameters that nothing uses, policies that never run, and tests of absence that would take
a value the files do not show for one that is not there.

Exit code: 0 clean, 1 advice with --strict, 2 mistakes.`,
		Example: `  agentlint policy check
  agentlint policy check policies/ --strict`,
		RunE: func(_ *cobra.Command, args []string) error {
			own, err := a.policySet(args, policy.CustomOptions{Tests: true, Advise: true})
			if err != nil {
				return err
			}
			advice := own.Advice
			if len(args) == 0 {
				advice = append(advice, a.switchedOff(own)...)
			}
			var b strings.Builder
			for _, p := range advice {
				fmt.Fprintf(&b, "%s\n", p.Error())
			}
			fmt.Fprintf(&b, "%s, no mistakes", policies(len(own.Policies())))
			if n := len(advice); n > 0 {
				fmt.Fprintf(&b, ", %s", pieces(n))
				if strict {
					a.code = exitFindings
				}
			}
			b.WriteByte('\n')
			_, err = fmt.Fprint(a.Out, a.safe(b.String()))
			return err
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "exit with 1 when there is advice")
	return cmd
}

// switchedOff are the policies that the configuration never lets run.
func (a *app) switchedOff(own *policy.Custom) policy.Problems {
	var s settings
	targets, err := s.targets(nil)
	if err != nil {
		return nil
	}
	t := targets[0]
	o, _, err := a.options(t, &s)
	if err != nil {
		return nil
	}
	var out policy.Problems
	for _, p := range own.Policies() {
		if o.Severities[p.ID].Off {
			out = append(out, policy.Problem{File: p.File, Message: fmt.Sprintf("%s is off in %s", p.ID, t.configurationShown()), Advice: true})
		}
	}
	return out
}

// policyTesting are the flags of policy test.
type policyTesting struct {
	run         string
	verbose     bool
	update      bool
	minCoverage float64
}

func (a *app) policyTestCommand() *cobra.Command {
	var how policyTesting
	cmd := &cobra.Command{
		Use:   "test [PATH...]",
		Short: "run the tests of policies",
		Long: `test runs, for the policies of each PATH (by default those of ` + config.FileName + `, or the folder ` + defaultPolicies + `),
the rules test_... of files NAME_test.rego, and the cases ID/*.txtar: files of a deployment, and the lines
that the policy must print for them. It ends with how many lines of the policies were evaluated.

Exit code: 0 all passed, 1 a test failed or the coverage is below --min-coverage, 2 mistakes in policies.`,
		Example: `  agentlint policy test
  agentlint policy test policies/ -v --min-coverage 90
  agentlint policy test --run allowed-registries --update`,
		RunE: func(_ *cobra.Command, args []string) error { return a.policyTest(args, &how) },
	}
	f := cmd.Flags()
	f.StringVar(&how.run, "run", "", "run the tests whose names or files hold `TEXT` only")
	f.BoolVarP(&how.verbose, "verbose", "v", false, "list every test, what it prints, and the lines that no test evaluates")
	f.BoolVar(&how.update, "update", false, "write what the policies print and fix into the cases")
	f.Float64Var(&how.minCoverage, "min-coverage", 0, "fail below this `PERCENT` of evaluated lines")
	return cmd
}

func (a *app) policyTest(args []string, how *policyTesting) error {
	t, paths, err := a.policyPaths(args)
	if err != nil {
		return err
	}
	files, err := a.policyFiles(t, paths)
	if err != nil {
		return err
	}
	own, err := a.load(files, policy.CustomOptions{Tests: true, Cover: true})
	if err != nil {
		return err
	}
	list, err := a.policyCases(t, paths, own)
	if err != nil {
		return err
	}
	var b strings.Builder
	tests, ran, failed, skipped := own.Test(a.ctx, how.run), 0, 0, 0
	report := func(name, where, problem string) {
		switch {
		case problem != "":
			failed++
			fmt.Fprintf(&b, "FAIL %s (%s)\n%s", name, where, indented(problem))
		case how.verbose:
			fmt.Fprintf(&b, "ok   %s\n", name)
		}
	}
	for _, x := range tests {
		if x.Skipped {
			skipped++
			if how.verbose {
				fmt.Fprintf(&b, "skip %s\n", x.Name)
			}
			continue
		}
		ran++
		report(x.Name, fmt.Sprintf("%s:%d", x.File, x.Line), x.Failed)
		if how.verbose || x.Failed != "" {
			for _, line := range x.Printed {
				b.WriteString(indented(line))
			}
		}
	}
	n := 0
	for _, c := range list {
		if !strings.Contains(c.Path, how.run) && !strings.Contains(c.Rule, how.run) {
			continue
		}
		n++
		v, err := c.Verify(how.update, cases.MostUnknowns)
		if err != nil {
			report(c.Path, c.Rule, err.Error())
			continue
		}
		if how.update {
			if err := updateCase(c); err != nil {
				return misuse("%s: %s", c.Path, reason(err))
			}
		}
		report(c.Path, c.Rule, strings.Join(v.Problems, "\n"))
	}
	if ran+n+skipped == 0 {
		return misuse("%s", policy.ErrNoTests)
	}
	fmt.Fprintf(&b, "%s, %s", count(ran, "test"), count(n, "case"))
	if skipped > 0 {
		fmt.Fprintf(&b, ", %d skipped", skipped)
	}
	if failed > 0 {
		fmt.Fprintf(&b, ", %d failed", failed)
		a.code = exitFindings
	}
	percent := coverage(&b, own.Coverage(), how.verbose)
	if percent < how.minCoverage {
		fmt.Fprintf(&b, "the coverage is below %g%%\n", how.minCoverage)
		a.code = exitFindings
	}
	_, err = fmt.Fprint(a.Out, a.safe(b.String()))
	return err
}

// coverage prints how many lines were evaluated, and returns it in percent.
func coverage(b *strings.Builder, list []policy.Covered, verbose bool) float64 {
	lines, missed := 0, 0
	for _, x := range list {
		lines += x.Lines
		missed += len(x.Missed)
	}
	percent := 100.0
	if lines > 0 {
		percent = 100 * float64(lines-missed) / float64(lines)
	}
	fmt.Fprintf(b, "; %.0f%% of %s evaluated\n", percent, count(lines, "line"))
	if verbose {
		for _, x := range list {
			if len(x.Missed) > 0 {
				fmt.Fprintf(b, "  %s: not line %s\n", x.File, ranges(x.Missed))
			}
		}
	}
	return percent
}

// ranges returns numbers as people write them: 3-5, 9.
func ranges(numbers []int) string {
	var out []string
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if i == j {
			out = append(out, fmt.Sprint(numbers[i]))
		} else {
			out = append(out, fmt.Sprintf("%d-%d", numbers[i], numbers[j]))
		}
		i = j + 1
	}
	return strings.Join(out, ", ")
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		b.WriteString("  " + line)
	}
	return b.String()
}

func updateCase(c *cases.Case) error {
	old, err := readBounded(c.Path)
	if err != nil {
		return err
	}
	if b := c.Format(); !bytes.Equal(old, b) {
		return replaceFile(c.Path, b, 0o644)
	}
	return nil
}

// maxCases bounds the files that are looked at for cases.
const maxCases = 20_000

// policyCases returns the cases in the folders of policies: each *.txtar below a folder that is named as a policy.
func (a *app) policyCases(t *target, paths []string, own *policy.Custom) ([]*cases.Case, error) {
	if len(paths) == 0 {
		for _, p := range a.policyDirs(t) {
			paths = append(paths, filepath.FromSlash(p))
		}
	}
	var names []string
	for _, p := range paths {
		n := 0
		err := filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if n++; err != nil || n > maxCases {
				return err
			}
			if d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != p {
				return fs.SkipDir
			}
			if d.Type().IsRegular() && strings.HasSuffix(name, ".txtar") && !slices.Contains(names, name) {
				names = append(names, name)
			}
			return nil
		})
		if err != nil && !os.IsNotExist(err) {
			return nil, misuse("%s: %s", p, reason(err))
		}
	}
	var out []*cases.Case
	for _, name := range names {
		id := policy.CustomPrefix + strings.ReplaceAll(filepath.Base(filepath.Dir(name)), "_", "-")
		if own.Meta(id) == nil {
			return nil, misuse("%s: no policy has the id %s: the folder of a case is named as its policy%s", filepath.ToSlash(name), id, closestPolicy(id, own))
		}
		b, err := readBounded(name)
		if err != nil {
			return nil, misuse("%s: %s", filepath.ToSlash(name), reason(err))
		}
		c, err := cases.Parse(id, filepath.ToSlash(name), b)
		if err != nil {
			return nil, misuse("%s", err)
		}
		c.Policies = own
		out = append(out, c)
	}
	return out, nil
}

// policyDirs are the paths that the configuration of a root names, as seen from the working directory.
func (a *app) policyDirs(t *target) []string {
	var out []string
	for _, p := range a.configuredPolicies(t) {
		out = append(out, shownPath(t.cwd, filepath.Join(filepath.Dir(t.configuration), filepath.FromSlash(p))))
	}
	return out
}

func closestPolicy(id string, own *policy.Custom) string {
	var ids []string
	for _, p := range own.Policies() {
		ids = append(ids, p.ID)
	}
	if near := knowledge.Closest(id, ids); near != "" {
		return " (did you mean " + near + "?)"
	}
	return " (there are " + strings.Join(ids, ", ") + ")"
}

func policies(n int) string {
	if n == 1 {
		return "1 policy"
	}
	return fmt.Sprintf("%d policies", n)
}

func pieces(n int) string {
	if n == 1 {
		return "1 piece of advice"
	}
	return fmt.Sprintf("%d pieces of advice", n)
}

func (a *app) policyBundleCommand() *cobra.Command {
	var output, revision string
	cmd := &cobra.Command{
		Use:   "bundle [PATH...]",
		Short: "write an OPA bundle of the built-in policies and your own",
		Long: `bundle writes the built-in policies and those of each PATH (by default those of ` + config.FileName + `)
with the library as an OPA bundle. Its rule ` + bundle.EntryPoint + ` gives the findings of
agentlint check for what agentlint model prints, with paths in the place of lines; deny and warn of the
same package are for conftest. Rules in Go are not in it.`,
		Example: `  agentlint policy bundle --output agentlint.tar.gz
  agentlint model deploy/ | opa eval --stdin-input --bundle agentlint.tar.gz ` + bundle.EntryPoint,
		RunE: func(_ *cobra.Command, args []string) error {
			var own *policy.Custom
			t, paths, err := a.policyPaths(args)
			if err != nil && len(args) > 0 {
				return err
			}
			if err == nil {
				files, err := a.policyFiles(t, paths)
				if err != nil {
					return err
				}
				if own, err = a.load(files, policy.CustomOptions{}); err != nil {
					return err
				}
			}
			if revision == "" {
				revision = "agentlint " + Version()
			}
			b, err := bundle.Write(own, revision)
			if err != nil {
				return err
			}
			if err := writeFile(output, b); err != nil {
				return misuse("--output %s: %s", output, reason(err))
			}
			a.note("wrote %s: %s of agentlint, %d of yours", output, policies(len(policy.Builtin())), len(own.Policies()))
			return nil
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "bundle.tar.gz", "the `FILE` to write")
	cmd.Flags().StringVar(&revision, "revision", "", "the revision in the bundle's manifest (by default agentlint's version)")
	return cmd
}
