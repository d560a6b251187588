package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/config"
	"agentlint/internal/knowledge"
)

func (a *app) schemaCommand() *cobra.Command {
	var target string
	kinds := []string{"litellm", "config"}
	cmd := &cobra.Command{
		Use:   "schema litellm|config",
		Short: "print a JSON Schema for editors",
		Long: `schema prints the JSON Schema of LiteLLM's config.yaml at a release, or of ` + config.FileName + `.
yaml-language-server uses it when the first line of a file says
  # yaml-language-server: $schema=litellm.schema.json`,
		Example: `  agentlint schema litellm --target 1.102 > litellm.schema.json
  agentlint schema config > agentlint.schema.json`,
		ValidArgs: kinds,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{text: fmt.Sprintf("%s takes one of litellm and config, found %d arguments", cmd.CommandPath(), len(args)), command: cmd.CommandPath()}
			}
			return oneOf("schema", args[0], kinds)
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if args[0] == "config" {
				if target != "" {
					return misuse("--target is for the schema of LiteLLM's configuration")
				}
				_, err := a.Out.Write(config.Schema())
				return err
			}
			release, err := releaseFor(target)
			if err != nil {
				return err
			}
			out, err := knowledge.Schema(release)
			if err != nil {
				return err
			}
			if note := release.Note(); note != "" && target != "" {
				a.note("%s", note)
			}
			_, err = a.Out.Write(append(out, '\n'))
			return err
		},
	}
	cmd.Flags().StringVar(&target, "target", "", "the release: 1.102 or litellm=1.102 (the newest known without it)")
	return cmd
}

// releaseFor returns the release of LiteLLM that --target names.
func releaseFor(target string) (knowledge.Release, error) {
	if target != "" && !strings.Contains(target, "=") {
		target = "litellm=" + target
	}
	versions, err := config.ParseTargets(target)
	if err != nil {
		return knowledge.Release{}, misuse("--target: %s", err)
	}
	v, err := knowledge.ParseVersion(knowledge.LiteLLM.Newest().String())
	if text, ok := versions["litellm"]; ok {
		v, err = knowledge.ParseVersion(text)
	} else if target != "" {
		return knowledge.Release{}, misuse("--target %s: want litellm=VERSION", target)
	}
	if err != nil {
		return knowledge.Release{}, misuse("--target: %s", err)
	}
	return knowledge.LiteLLM.At(v), nil
}
