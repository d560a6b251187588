package rules

import (
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "hypercorn-single-process",
		Title:    "hypercorn runs one process whatever the number of workers",
		Category: "rollout",
		Why: "With `--run_hypercorn` LiteLLM serves inside its own process and hands hypercorn no number of workers, so `--num_workers 8`\n" +
			"starts one event loop. Connections, limits and CPU that were sized for eight processes meet one.",
		Remedy: "Remove the number, or serve with uvicorn (the default), which starts that many workers. HTTP/2 to clients can also be\n" +
			"ended in the ingress.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.args"},
		When:       []string{"gateway.args.run-hypercorn"},
		Fix:        model.Safe,
		FixTitle:   "remove the number of workers",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "def _init_hypercorn_server", Checked: "2026-11-29",
				Note: "The function is given host, port and certificates; it awaits hypercorn.asyncio.serve, which is one process."},
		},
	},
	Check: func(p *Pass) {
		if p.State("gateway", "args", "run-hypercorn") != model.Present {
			return
		}
		at := model.Path{"gateway", "settings", "workers"}
		source, _ := p.Text(at.With("source")...)
		n, ok := p.Int(at.With("value")...)
		if !ok || n <= 1 || source == "default" {
			return
		}
		r := p.Report(at.With("value"), "%d workers are asked for and --run_hypercorn starts one process: the capacity in the file does not exist", n).
			RelatedKey(model.Path{"gateway", "args", "run-hypercorn"}, "serves in one process")
		switch source {
		case "args":
			r.Fix(model.Fix{Ops: []model.Op{model.Remove(model.Path{"gateway", "args", "num-workers"})}})
		case "env":
			for _, name := range [...]string{"NUM_WORKERS", "DEFAULT_NUM_WORKERS_LITELLM_PROXY"} {
				if p.State("gateway", "env", name) == model.Present {
					r.Fix(model.Fix{Ops: []model.Op{model.Remove(model.Path{"gateway", "env", name})}})
					break
				}
			}
		}
	},
})
