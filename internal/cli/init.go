package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/config"
	"agentlint/internal/engine"
	"agentlint/internal/report"
)

// home is the repository that hooks and actions are taken from.
const home = "OWNER/agentlint"

// pageOf returns the address of a rule's page, "" while the repository has no public home and for rules of others.
func pageOf(rule string) string {
	if strings.HasPrefix(home, "OWNER/") || strings.Contains(rule, "/") {
		return ""
	}
	return "https://github.com/" + home + "/blob/" + release() + "/docs/rules/" + rule + ".md"
}

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "write a configuration, a pre-commit hook and a workflow",
		Long: `init writes at the root of a repository what is not there yet: ` + config.FileName + ` with the versions that
were found and the facts that would settle what could not be checked, an entry for pre-commit, and
a workflow for GitHub Actions. Nothing that exists is changed.`,
		Example: `  agentlint init
  agentlint init ../deployments`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return &usageError{text: fmt.Sprintf("%s takes one folder, found %d", cmd.CommandPath(), len(args)), command: cmd.CommandPath()}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.init(args) },
	}
}

func (a *app) init(args []string) error {
	var s settings
	targets, err := s.targets(args)
	if err != nil {
		return err
	}
	t := targets[0]
	if len(args) == 1 {
		if st, err := os.Stat(args[0]); err == nil && !st.IsDir() {
			return misuse("init %s: want a folder", args[0])
		}
	}
	t.paths = nil
	o, _, err := a.options(t, &s)
	if err != nil {
		return err
	}
	r, err := a.run(a.ctx, o)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.shown, err)
	}
	var b strings.Builder
	for _, f := range []struct {
		name    string
		content string
	}{
		{config.FileName, newConfig(r)},
		{".pre-commit-config.yaml", "repos:\n" + hookEntry()},
		{".github/workflows/agentlint.yaml", workflow()},
	} {
		full := filepath.Join(t.root, filepath.FromSlash(f.name))
		switch err := writeNew(t.root, f.name, f.content); {
		case err == nil:
			fmt.Fprintf(&b, "wrote %s\n", t.show(f.name))
		case !errors.Is(err, fs.ErrExist):
			return misuse("write %s: %s", t.show(f.name), reason(err))
		case f.name == ".pre-commit-config.yaml" && !mentions(full, "agentlint"):
			fmt.Fprintf(&b, "kept %s; to run agentlint before each commit, add under repos:\n%s", t.show(f.name), hookEntry())
		default:
			fmt.Fprintf(&b, "kept %s\n", t.show(f.name))
		}
	}
	b.WriteString("next: agentlint check\n")
	_, err = fmt.Fprint(a.Out, a.safe(b.String()))
	return err
}

// writeNew writes a file below a root that does not exist yet, with the folders above it. Links that lead out of the root
// are not followed.
func writeNew(root, name, content string) error {
	r, err := os.OpenRoot(root)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := r.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	return errors.Join(err, f.Close())
}

func mentions(name, word string) bool {
	b, err := readBounded(name)
	return err == nil && strings.Contains(string(b), word)
}

// release is the tag of this program's version, or of the first release for a build that is none.
func release() string {
	v := Version()
	if v != "" && v[0] >= '0' && v[0] <= '9' && strings.Count(v, ".") == 2 && !strings.ContainsAny(v, "+-") {
		return "v" + v
	}
	if strings.HasPrefix(v, "v") && strings.Count(v, ".") == 2 && !strings.ContainsAny(v, "+-") {
		return v
	}
	return "v0.1.0"
}

func hookEntry() string {
	return "  - repo: https://github.com/" + home + "\n    rev: " + release() + "\n    hooks:\n      - id: agentlint\n"
}

func workflow() string {
	return `name: agentlint
on:
  pull_request:
  push:
    branches: [main]
permissions:
  contents: read
jobs:
  agentlint:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: ` + home + `@v0
`
}

// found is a version of a product and the places that name it.
type found struct {
	product, version string
	places           []string
	assumed          bool
}

// newConfig returns a configuration file for what a run understood.
func newConfig(r *engine.Result) string {
	var b strings.Builder
	b.WriteString("# Configuration of agentlint (agentlint check).\n\n")
	b.WriteString("# Versions that hold where the files name none; what the files name wins.\ntarget:\n")
	versions := versionsOf(r)
	for _, v := range versions {
		several := slices.ContainsFunc(versions, func(w found) bool { return w.product == v.product && w.version != v.version })
		comment := ""
		if v.assumed || several {
			comment = "# "
		}
		why := "named in " + few(v.places, 3)
		if v.assumed {
			why = "no file names it: the newest known is assumed"
		}
		fmt.Fprintf(&b, "  %s%s: %s # %s\n", comment, v.product, v.version, why)
	}
	b.WriteString("\n# What no file shows. Each of these would settle the rules beside it.\nfacts:\n")
	groups := report.Unchecked(r)
	for _, f := range config.Facts() {
		var rules []string
		for _, g := range groups {
			if slices.Contains(g.Needs, f.Name) {
				rules = append(rules, g.Rules...)
			}
		}
		if len(rules) == 0 {
			continue
		}
		slices.Sort(rules)
		fmt.Fprintf(&b, "  # %s: %s\n  #   for %s\n  #   find out: %s\n", f.Name, f.Doc, few(slices.Compact(rules), 5), f.Ask)
	}
	b.WriteString("\n# Severities (off, info, warning, error) by rule or category/*.\nrules:\n")
	b.WriteString("\n# Findings that are accepted: rule, files, path, reason, until. A comment does the same where it stands:\n#   # agentlint: ignore[RULE] the reason\nignore:\n")
	return b.String()
}

// versionsOf returns the versions of LiteLLM and vLLM in a run, with where each was read.
func versionsOf(r *engine.Result) []found {
	var out []found
	for _, s := range r.Stacks {
		for _, v := range s.Versions {
			if !slices.Contains(config.Products(), v.Product) || v.Version == "" {
				continue
			}
			f := found{product: v.Product, version: v.Version, assumed: strings.HasPrefix(v.From, "assumed")}
			i := slices.IndexFunc(out, func(o found) bool { return o.product == f.product && o.version == f.version && o.assumed == f.assumed })
			if i < 0 {
				i = len(out)
				out = append(out, f)
			}
			if place := strings.Join(strings.Fields(report.Clean(v.From)), " "); !slices.Contains(out[i].places, place) {
				out[i].places = append(out[i].places, place)
			}
		}
	}
	// A product that some file names needs no assumption.
	return slices.DeleteFunc(out, func(f found) bool {
		return f.assumed && slices.ContainsFunc(out, func(o found) bool { return o.product == f.product && !o.assumed })
	})
}
