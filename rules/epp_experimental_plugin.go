package rules

import (
	"strconv"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "epp-experimental-plugin",
		Title:    "An experimental plugin of the picker is not allowed",
		Category: "router-tier",
		Why: "From 0.10 on every plugin of llm-d's picker has a stability level, and one at Alpha stops the start with\n" +
			"`has Alpha stability level, but command line flag --allow-experimental-plugins is not set`. A configuration that ran with\n" +
			"0.9 does not start after the update; the session-affinity plugins are among them.",
		Remedy:     "Start the picker with `--allow-experimental-plugins`, or do without the plugin.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.Medium,
		Inputs:     []string{"routers"},
		When:       []string{"routers.*.config.plugins"},
		Applies:    []string{"llm-d>=0.10"},
		Fix:        model.Safe,
		FixTitle:   "add --allow-experimental-plugins",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "llm-d-router 0.10.0", File: "cmd/epp/runner/runner.go", Symbol: "fwkplugin.StabilityAlpha", Checked: "2026-11-29"},
			{Artefact: "llm-d-router 0.10.0", File: "pkg/epp/framework/interface/plugin/registry.go", Symbol: "--allow-experimental-plugins is not set", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for r := range p.Routers() {
			if kind, _ := r.Text("kind"); kind != "llm-d" || !withoutExperimental(r) {
				continue
			}
			for plugin := range p.Parts(r.At("config", "plugins")...) {
				name, _ := plugin.Text("type")
				if !knowledge.AlphaPlugin(name) {
					continue
				}
				var report *Report
				if r.Pinned() && !r.AtLeast("0.11") {
					report = p.Report(plugin.At("type"), "the plugin type %s is experimental and --%s is not set: the picker stops at start (\"has Alpha stability level\")", model.Quote(name), allowExperimental)
				} else {
					// The table is that of 0.10.
					report = p.Report(plugin.At("type"), "the plugin type %s is experimental in llm-d 0.10 and --%s is not set: while it is, the picker stops at start (\"has Alpha stability level\")",
						model.Quote(name), allowExperimental).Severity(model.Warning)
				}
				value := any([]any{})
				if r.State("args", allowExperimental) == model.Present {
					value = "true"
				}
				report.Fix(model.Fix{Ops: []model.Op{model.Set(r.At("args", allowExperimental), value)}})
			}
		}
	},
})

// allowExperimental is the flag of llm-d's picker that allows plugins at Alpha.
const allowExperimental = "allow-experimental-plugins"

// withoutExperimental reports whether a picker's command line for certain does not allow experimental plugins.
func withoutExperimental(r Part) bool {
	if r.Absent("args", allowExperimental) {
		return true
	}
	values := r.Get("args", allowExperimental)
	if values.Len() == 0 {
		return false
	}
	text, ok := values.Items()[values.Len()-1].AsText()
	on, err := strconv.ParseBool(text)
	return ok && err == nil && !on
}
