package rules

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-block-too-late",
		Title:    "environment_variables sets what was read before",
		Category: "secrets",
		Why: `environment_variables of the config is applied while the config is loaded. By then the program has been imported, and
what its modules read at import is fixed: TOKEN_COUNTER_MAX_CONCURRENT_COUNTS, DEFAULT_COOLDOWN_TIME_SECONDS,
REQUEST_TIMEOUT and some hundred other names keep their defaults, without a message.`,
		Remedy: `Set the variable in the environment of the process: env of the container, environment or env_file of compose, the
values of the chart. Names that are read when they are needed, such as LANGFUSE_HOST, work in the block.`,
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.environment_variables"},
		Fix:        model.Unsafe,
		FixTitle:   "move it to the environment of the process",
		Question:   "Is this the environment of every gateway that reads the config?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/constants.py", Symbol: "TOKEN_COUNTER_MAX_CONCURRENT_COUNTS", Checked: "2026-11-29",
				Note: "Run: set in environment_variables the counter keeps its default of 4."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `config.get("environment_variables"`, Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		p.noteUnseen(model.Path{"gateway", "config", "environment_variables"})
		release := p.LiteLLM()
		block := p.Get("gateway", "config", "environment_variables")
		for i, name := range block.Keys() {
			at, process := model.Path{"gateway", "config", "environment_variables", name}, model.Path{"gateway", "env", name}
			e, presence := release.Env(name)
			if e.Attr("import") == "" {
				continue
			}
			value, known := block.Items()[i].Scalar()
			inProcess, set := p.Get(process...).Scalar()
			switch {
			case presence == knowledge.Present && !e.Holds("import", release.Version):
				continue // this release reads it late
			case set && (!known || inProcess == value):
				continue // the process has it, or may
			case presence == knowledge.Present:
			case p.pinned() && (presence == knowledge.NotYet || presence == knowledge.Between):
				p.Report(at, "%s is read by LiteLLM from %s on, not by the %s that runs, and then only from the environment of the process", name, e.Since(), p.GatewayVersion()).OnKey().Severity(model.Info)
				continue
			default:
				continue
			}
			r := p.Report(at, "%s is read while the program is imported, before environment_variables is applied, so the value here has no effect", name).OnKey()
			if set {
				r.Related(process, "the value that counts")
			} else if known && !reference(value) && p.Absent(process...) && p.Get("gateway", "env").Origin.File != nil {
				r.Fix(model.Fix{Ops: []model.Op{{Kind: model.OpMove, At: at, To: process}}})
			}
		}
	},
})
