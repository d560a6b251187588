package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "debug-env-shared",
		Title:    "A DEBUG variable of other programs reaches the gateway",
		Category: "security",
		Why: `LiteLLM binds its flag --debug to the bare variable DEBUG, which many programs use for their own. 1, true, t, yes, y
and on turn on debug logging, with the payload of every request; any word that is no boolean (release, app:*) stops the
gateway at the start: Invalid value for '--debug' (env var: 'DEBUG').`,
		Remedy:     "Keep DEBUG out of the gateway's environment: give it an env file of its own, or set `DEBUG: \"0\"` on the gateway.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Error},
		Confidence: model.High,
		Inputs:     []string{"gateway.env"},
		When:       []string{"gateway.env.DEBUG"},
		Fix:        model.Safe,
		FixTitle:   "remove DEBUG from the gateway",
		Question:   "Does no other program read this file?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: `envvar="DEBUG"`, Checked: "2026-11-29",
				Note: "An option of type bool: click reads 1 true t yes y on, 0 false f no n off in any case, an empty text as unset, and refuses other words."},
			{Artefact: "litellm 1.110.2", File: "litellm/proxy/proxy_cli.py", Symbol: `envvar="DEBUG"`, Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "env", "DEBUG"}
		p.noteUnseen(at)
		s, ok := p.Text(at...)
		word := strings.ToLower(strings.TrimSpace(s))
		if !ok || word == "" || slices.Contains(clickFalse[:], word) {
			return
		}
		// A flag on the command line goes before the variable.
		if p.State("gateway", "args", "debug") == model.Present {
			return
		}
		var r *Report
		if slices.Contains(clickTrue[:], word) {
			r = p.Report(at, "DEBUG is %s, which LiteLLM reads as --debug: the prompts and answers of every request go to the log", model.Quote(s))
		} else {
			r = p.Report(at, "DEBUG is %s, which LiteLLM reads as its flag --debug: it is no boolean, so the gateway does not start (Invalid value for '--debug')", model.Quote(s)).Severity(model.Error)
		}
		safety := model.Safe
		if v := p.Get(at...); v.Origin.Env() != nil {
			safety = model.Unsafe
		}
		r.Fix(model.Fix{Safety: safety, Ops: []model.Op{model.Remove(at)}})
	},
})

// clickTrue and clickFalse are the words that click takes for a boolean, in small letters.
var (
	clickTrue  = [...]string{"1", "true", "t", "yes", "y", "on"}
	clickFalse = [...]string{"0", "false", "f", "no", "n", "off"}
)
