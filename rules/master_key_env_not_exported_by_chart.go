package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "master-key-env-not-exported-by-chart",
		Title:    "The master key refers to a variable that the chart does not set",
		Category: "security",
		Why: `The classic chart (litellm-helm) hands the master key to the container as PROXY_MASTER_KEY, the componentized one
(litellm) as LITELLM_MASTER_KEY. A reference to the other name becomes None: the gateway accepts every request without a
key, and refuses to start from 1.104.0 on.`,
		Remedy:     "Write `os.environ/PROXY_MASTER_KEY` with the classic chart and `os.environ/LITELLM_MASTER_KEY` with the componentized one, or set the variable in the chart's own variables.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.helm"},
		When:       []string{"gateway.config.general_settings.master_key"},
		Fix:        model.Safe,
		FixTitle:   "use the chart's variable",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm-helm 1.102.0", File: "templates/_helpers.tpl", Symbol: "PROXY_MASTER_KEY", Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `general_settings.get("master_key", get_secret("LITELLM_MASTER_KEY", None))`, Checked: "2026-11-29",
				Note: "Run: a reference to a missing variable leaves the gateway open, also with LITELLM_MASTER_KEY set."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "general_settings", "master_key"}
		key, ok := p.Text(at...)
		name := strings.TrimPrefix(key, referencePrefix)
		chart, _ := p.Text("gateway", "helm", "chart")
		exported := ""
		switch chart {
		case "litellm-helm":
			exported = "PROXY_MASTER_KEY"
		case "litellm":
			exported = "LITELLM_MASTER_KEY"
		}
		if !ok || !reference(key) || !envName(name) || exported == "" || name == exported || p.Get("gateway", "env", name) != nil || p.named(model.Path{"gateway", "env"}, name) ||
			p.State("gateway", "config", "general_settings", "key_management_system") != model.Absent {
			return
		}
		r := p.Report(at, "the chart %s sets %s and not %s, so master_key is None and no key is asked for", chart, exported, name)
		if !p.Absent("gateway", "env", name) {
			r.Needs("gateway.env." + name)
			return
		}
		r.Fix(model.Fix{Title: "write os.environ/" + exported, Ops: []model.Op{model.Set(at, referencePrefix+exported)}})
	},
})

// named reports whether a key stands in the map at a path, whatever its value.
func (p *Pass) named(at model.Path, key string) bool { return p.Root.At(at.With(key)...) != nil }
