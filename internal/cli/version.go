package cli

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"agentlint/internal/knowledge"
)

// version is set by release builds: -ldflags "-X agentlint/internal/cli.version=0.1.0".
var version string

// Version returns the version of the program: that of the release, else that of the module, else "devel" with the
// commit when it is known.
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	if c := commit(info); c != "" {
		return "devel+" + c[:min(12, len(c))]
	}
	return "devel"
}

func commit(info *debug.BuildInfo) string {
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func (a *app) versionCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "version",
		Short: "print the version and the releases it knows",
		Example: `  agentlint version
  agentlint version --format json`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if err := oneOf("--format", format, []string{"text", "json"}); err != nil {
				return err
			}
			v := struct {
				Version string `json:"version"`
				Go      string `json:"go"`
				OS      string `json:"os"`
				Arch    string `json:"arch"`
				LiteLLM string `json:"litellm"`
				VLLM    string `json:"vllm"`
			}{Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH, knowledge.LiteLLM.Newest().String(), knowledge.VLLM.Newest().String()}
			if format == "json" {
				e := json.NewEncoder(a.Out)
				e.SetIndent("", "  ")
				return e.Encode(v)
			}
			_, err := fmt.Fprintf(a.Out, "agentlint %s (%s, %s/%s)\nknows LiteLLM up to %s and vLLM up to %s\n", v.Version, v.Go, v.OS, v.Arch, v.LiteLLM, v.VLLM)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	return cmd
}
