package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// evidenceDir is where the answers stand.
const evidenceDir = root + "/docs/evidence"

// writeEvidence writes a page for each release that was asked: behaviour question by question, the large suites in
// figures with what differed.
func writeEvidence(answers []answer, now time.Time) error {
	if err := os.MkdirAll(evidenceDir, 0o755); err != nil {
		return err
	}
	byPage := map[string][]answer{}
	for _, a := range answers {
		product := "litellm"
		if a.suite == "arguments" {
			product = "vllm"
		}
		page := product + "-" + a.release + ".md"
		byPage[page] = append(byPage[page], a)
	}
	for page, list := range byPage {
		var b bytes.Buffer
		product, release, _ := strings.Cut(strings.TrimSuffix(page, ".md"), "-")
		name := map[string]string{"litellm": "LiteLLM proxy", "vllm": "vLLM argument parser"}[product]
		fmt.Fprintf(&b, "# What the %s %s does\n\nAsked on %s by `go run -C internal/gen ./oracle -write`. The predictions were committed before.\n", name, release, now.Format(time.DateOnly))
		for _, s := range []string{"behaviour", "starts", "settings", "arguments"} {
			of := slices.DeleteFunc(slices.Clone(list), func(a answer) bool { return a.suite != s })
			if len(of) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s.\n", headings[s][0], headings[s][1], tally(of))
			if s == "behaviour" {
				b.WriteString("\n| Question | Predicted | Seen | Rules |\n|---|---|---|---|\n")
				for _, a := range of {
					fmt.Fprintf(&b, "| <a id=\"%s\"></a>%s | %s | %s | %s |\n", a.name, a.question, a.predicted, cell(a), links(a.rules))
				}
				continue
			}
			if s == "starts" {
				b.WriteString("\n| Refused | By | Rules |\n|---|---|---|\n")
				for _, a := range of {
					if a.observed == "refuses" {
						fmt.Fprintf(&b, "| `%s` | %s | %s |\n", a.name, strings.ReplaceAll(strings.TrimPrefix(a.question, "Does it load? "), "|", "\\|"), links(a.rules))
					}
				}
			}
			for _, a := range of {
				if a.verdict() != "agrees" {
					fmt.Fprintf(&b, "\n* `%s`: predicted %s, seen %s\n", a.name, a.predicted, cell(a))
				}
			}
		}
		if err := os.WriteFile(filepath.Join(evidenceDir, page), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

var headings = map[string][2]string{
	"behaviour": {"Behaviour", "Each deployment was started and used; agentlint was asked about the same files."},
	"starts":    {"What loads", "Every configuration in the cases of the rules, and every fixed one, was given to the proxy's own loader."},
	"settings":  {"Effective settings", "Random combinations of configuration, environment and command line: the model's effective values against those that the started application holds."},
	"arguments": {"Command lines", "Random command lines in every spelling the parser takes, parsed by vLLM's own parser class with the flags of the knowledge base, against the flags and values of the model."},
}

func cell(a answer) string {
	text := a.observed
	if a.unanswered != "" {
		text = "not answered: " + a.unanswered
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", "\\|"), "\n", " ")
}

func links(ids []string) string {
	var out []string
	for _, id := range ids {
		out = append(out, fmt.Sprintf("[%s](../rules/%s.md)", id, id))
	}
	return strings.Join(out, ", ")
}
