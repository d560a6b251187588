package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "callback-not-a-list",
		Title:    "Callbacks are a text instead of a list",
		Category: "observability",
		Why: `success_callback and failure_callback are walked item by item, and the items of a text are its letters: l, a, n, g, f,
u, s, e are registered as callbacks and nothing is logged. callbacks takes a text as the path of a Python object, so a
bare name such as prometheus stops the gateway with ValueError: Empty module name.`,
		Remedy: `Write a list: success_callback: ["langfuse"]. Only callbacks may hold a single text, the dotted path of a callback of
your own.`,
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When: []string{"gateway.config.litellm_settings.callbacks", "gateway.config.litellm_settings.success_callback",
			"gateway.config.litellm_settings.failure_callback"},
		Fix:      model.Safe,
		FixTitle: "write a list",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "for callback in value", Checked: "2026-11-29",
				Note: "Run: success_callback: langfuse is split into letters, callbacks: prometheus raises ValueError at load. The same code in 1.110.2."},
		},
	},
	Check: func(p *Pass) {
		for _, key := range []string{"callbacks", "success_callback", "failure_callback"} {
			v := p.Root.At("gateway", "config", "litellm_settings").Get(key)
			if v == nil {
				continue
			}
			at := model.Path{"gateway", "config", "litellm_settings", key}
			if !v.Known() {
				p.Unchecked(at.String())
			}
			text, ok := v.AsText()
			if !ok || text == "" || reference(text) || key == "callbacks" && strings.ContainsAny(text, "./") {
				continue
			}
			effect := "is read letter by letter, so nothing is logged"
			switch {
			case key == "callbacks":
				effect = "is taken as the path of a Python object, so the gateway does not start (Empty module name)"
			case strings.Contains(text, "."):
				effect = "is read letter by letter, and its dot stops the gateway (Empty module name)"
			}
			r := p.Report(at, "%s is the text %s and no list: it %s", key, model.Quote(text), effect)
			if !strings.ContainsAny(text, ", ") {
				r.Fix(model.Fix{Ops: []model.Op{model.Set(at, []any{text})}})
			}
		}
	},
})
