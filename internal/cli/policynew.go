package cli

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/config"
)

func (a *app) policyNewCommand() *cobra.Command {
	var dir, category string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "write a policy that works, with a test and two cases",
		Long: `new writes a policy that works as it stands, a test of it, a case in which it reports something and is
fixed, and one in which it is silent. NAME is the policy's id, such as allowed-registries.`,
		Example: `  agentlint policy new retries-bounded --category limits
  agentlint policy test`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{text: fmt.Sprintf("%s takes one name, found %d", cmd.CommandPath(), len(args)), command: cmd.CommandPath()}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.policyNew(args[0], category, dir) },
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `FOLDER` of policies: by default that of "+config.FileName+", or "+defaultPolicies)
	cmd.Flags().StringVar(&category, "category", "organisation", "the policy's `CATEGORY`")
	return cmd
}

func (a *app) policyNew(name, category, dir string) error {
	id := strings.TrimPrefix(name, "custom/")
	if !kebab(id) {
		return misuse("policy new %s: want lower-case words and digits, joined by -, such as %s", name, suggestedID(name))
	}
	if !kebab(category) {
		return misuse("--category %s: want lower-case words and digits, joined by -, such as %s", category, suggestedID(category))
	}
	var s settings
	targets, err := s.targets(nil)
	if err != nil {
		return err
	}
	configured := a.policyDirs(targets[0])
	if dir == "" {
		dir = defaultPolicies
		for _, p := range configured {
			if !strings.HasSuffix(p, ".rego") && !strings.HasSuffix(p, ".gz") {
				dir = p
				break
			}
		}
	}
	words := strings.NewReplacer("ID", id, "CATEGORY", strings.ReplaceAll(category, "-", "_"), "NAME", strings.ReplaceAll(id, "-", "_"))
	base := strings.ReplaceAll(id, "-", "_")
	files := []struct{ name, text string }{
		{base + ".rego", newPolicy}, {base + "_test.rego", newTest}, {id + "/fires.txtar", newFires}, {id + "/silent.txtar", newSilent},
	}
	for _, f := range files {
		if full := filepath.Join(dir, filepath.FromSlash(f.name)); exists(full) {
			return misuse("policy new %s: %s is there already", name, filepath.ToSlash(full))
		}
	}
	// A folder that is named from elsewhere is the user's choice; below the working folder links may not lead out of it.
	root, below := ".", filepath.ToSlash(dir)
	if !filepath.IsLocal(dir) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return misuse("write %s: %s", filepath.ToSlash(dir), reason(err))
		}
		root, below = dir, "."
	}
	var b strings.Builder
	for _, f := range files {
		full := filepath.Join(dir, filepath.FromSlash(f.name))
		if err := writeNew(root, path.Join(below, f.name), words.Replace(f.text)); err != nil {
			return misuse("write %s: %s", filepath.ToSlash(full), reason(err))
		}
		fmt.Fprintf(&b, "wrote %s\n", filepath.ToSlash(full))
	}
	if len(configured) == 0 {
		fmt.Fprintf(&b, "next: write policies: [%s] in %s, and agentlint policy test\n", filepath.ToSlash(dir), config.FileName)
	} else {
		b.WriteString("next: agentlint policy test\n")
	}
	_, err = fmt.Fprint(a.Out, a.safe(b.String()))
	return err
}

func kebab(s string) bool {
	for word := range strings.SplitSeq(s, "-") {
		if word == "" || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789") != "" {
			return false
		}
	}
	return true
}

// suggestedID returns an id that is like a name.
func suggestedID(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "allowed-registries"
	}
	return strings.Join(words, "-")
}

// The files of a new policy, in which ID, NAME and CATEGORY are replaced.
const (
	newPolicy = `# METADATA
# title: More retries than we allow
# description: |
#   Each retry of the gateway is a whole call more for the engines: with 5 retries an outage is six times the load.
# custom:
#   severity: warning
#   remedy: Write 2 or less in ` + "`router_settings.num_retries`" + `.
#   fix:
#     safety: unsafe
#     title: lower num_retries
#     question: Does any client count on more retries?
#   messages:
#     main: "num_retries is {retries}, and we allow {most}: an outage is {load} times the load"
#   parameters:
#     - name: most
#       default: 2
#       unit: retries
#       why: the capacity plan has room for three times the load
package agentlint.custom.CATEGORY.NAME

import data.agentlint.lib

retries_at := ["gateway", "config", "router_settings", "num_retries"]

most := lib.parameter("custom/ID", "most")

findings contains {
	"at": retries_at,
	"args": {"retries": retries, "most": most, "load": retries + 1},
	"fix": {"edits": [{"op": "set", "at": retries_at, "value": most}]},
} if {
	retries := lib.number(lib.value(retries_at, 0))
	retries > most
}
`
	newTest = `package agentlint.custom.CATEGORY.NAME_test

import data.agentlint.custom.CATEGORY.NAME

# gateway(retries): an input with a number of retries.
gateway(retries) := {
	"gateway": {"config": {"router_settings": {"num_retries": retries}}},
	"parameters": {"custom/ID": {"most": 2}},
	"unknown": [],
}

test_many if {
	some finding in NAME.findings with input as gateway(5)
	finding.args.load == 6
}

test_few if count(NAME.findings) == 0 with input as gateway(2)
`
	newFires = `# example
-- config.yaml --
model_list:
  - model_name: chat
    litellm_params:
      model: openai/gpt-4o
router_settings:
  num_retries: 5 # as the vendor advised
-- want --
config.yaml:6:16: warning: num_retries is 5, and we allow 2: an outage is 6 times the load [custom/ID]
-- fixed/config.yaml --
model_list:
  - model_name: chat
    litellm_params:
      model: openai/gpt-4o
router_settings:
  num_retries: 2 # as the vendor advised
`
	newSilent = `# What an unseen variable sets is not taken for a number.
-- config.yaml --
model_list:
  - model_name: chat
    litellm_params:
      model: openai/gpt-4o
router_settings:
  num_retries: os.environ/RETRIES
-- want --
`
)
