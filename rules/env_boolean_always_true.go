package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-boolean-always-true",
		Title:    "A switch is set to false and on all the same",
		Category: "secrets",
		Why: `Some variables are read by their presence: bool(os.getenv("LITELLM_MODIFY_PARAMS")) is true for any text, false
included. JSON_LOGS was read so below 1.100.0 and LITELLM_DROP_PARAMS below 1.102.0, LITELLM_MODIFY_PARAMS still is.
LITELLM_DROP_PARAMS=False then drops parameters that callers rely on, silently.`,
		Remedy:     `Remove the variable to switch it off, or set it to nothing.`,
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.env"},
		Fix:        model.Safe,
		FixTitle:   "remove the variable",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.110.2", File: "litellm/__init__.py", Symbol: `bool(os.getenv("LITELLM_MODIFY_PARAMS", False))`, Checked: "2026-11-29"},
			{Artefact: "litellm 1.101.0", File: "litellm/__init__.py", Symbol: `bool(os.getenv("LITELLM_DROP_PARAMS", False))`, Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/_logging.py", Symbol: "_parse_json_logs_env", Checked: "2026-11-29", Note: "Only true switches JSON logs on, from 1.100.0."},
		},
	},
	Check: func(p *Pass) {
		release, env := p.LiteLLM(), p.Root.At("gateway", "env")
		for _, name := range presenceSwitches {
			if env.Get(name) == nil {
				continue
			}
			if e, _ := release.Env(name); !e.Holds("presence", release.Version) {
				continue
			}
			at := model.Path{"gateway", "env", name}
			p.noteUnseen(at)
			text, ok := p.Text(at...)
			if !ok || !saysFalse(text) {
				continue
			}
			p.Report(at, "%s is %s, but LiteLLM %s only looks whether it is set, so it is on", name, model.Quote(text), release.Version).
				Fix(model.Fix{Ops: []model.Op{model.Remove(at)}})
		}
	},
})

// presenceSwitches are variables that people set to true and false and that some release reads by their presence. Others
// that are read so, such as AWS_PROFILE, hold no truth values.
var presenceSwitches = [...]string{
	"JSON_LOGS", "LITELLM_DROP_PARAMS", "LITELLM_MODIFY_PARAMS", "LITELLM_PRINT_STANDARD_LOGGING_PAYLOAD",
	"LITELLM_USE_CHAT_COMPLETIONS_URL_FOR_ANTHROPIC_MESSAGES",
}

func saysFalse(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "false", "0", "no", "off", "n", "f", "disabled":
		return true
	}
	return false
}
