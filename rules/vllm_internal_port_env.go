package rules

import (
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-internal-port-env",
		Title:    "A variable for vLLM's internal traffic is set to choose the API address",
		Category: "engine-args",
		Why: `VLLM_PORT is the first port that vLLM takes for traffic between its own processes, and VLLM_HOST_IP the address under which they find each other. Neither moves the API: it
listens on port 8000 of all interfaces unless ` + "`--port` and `--host`" + ` say otherwise. With VLLM_PORT 8080 the gateway finds nothing at 8080, or an internal socket.`,
		Remedy:   "Write `--port` or `--host`, and remove the variable.",
		Severity: model.Error, Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.env"},
		When:       []string{"engine.env.VLLM_PORT", "engine.env.VLLM_HOST_IP"},
		Fix:        model.Unsafe, FixTitle: "write the argument instead",
		Question: "Was the variable meant for the address of the API?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/envs.py", Symbol: "# VLLM_PORT will be used as the first port", Checked: "2026-11-29"},
			{Artefact: "vllm 0.29.0", File: "vllm/utils/network_utils.py", Symbol: "host_ip = envs.VLLM_HOST_IP", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			if e.argsOpen() {
				continue
			}
			if port, ok := e.Text("env", "VLLM_PORT"); ok && port != "" && e.Absent("args", "port") && !p.interpolated("VLLM_PORT") && !e.severalNodes() {
				r := p.Report(e.At("env", "VLLM_PORT"), "VLLM_PORT is for traffic between vLLM's own processes: the API still listens on 8000, not on %s; write --port %s", model.Quote(port), model.Quote(port))
				e.asArgument(r, "VLLM_PORT", "port", port)
			}
			if host, ok := e.Text("env", "VLLM_HOST_IP"); ok && host != "" && e.Absent("args", "host") && !p.interpolated("VLLM_HOST_IP") && !e.severalNodes() {
				r := p.Report(e.At("env", "VLLM_HOST_IP"), "VLLM_HOST_IP is the address by which vLLM's own processes find each other, and this engine runs on one node: it does not choose where the API listens; write --host %s", model.Quote(host)).
					Severity(model.Info)
				e.asArgument(r, "VLLM_HOST_IP", "host", host)
			}
		}
	},
})

// asArgument adds the fix that writes a variable's value as an argument.
func (q Part) asArgument(r *Report, variable, flag, value string) {
	if how, _ := q.Text("command"); how == "chart" {
		return
	}
	r.Fix(model.Fix{Ops: []model.Op{model.Set(q.At("args", flag), value), model.Remove(q.At("env", variable))}})
}

// severalNodes reports whether an engine may run over several nodes, whose processes need to know each other's address.
func (q Part) severalNodes() bool {
	for _, flag := range [...]string{"nnodes", "node-rank", "master-addr", "headless", "data-parallel-address", "data-parallel-rank", "data-parallel-start-rank", "data-parallel-hybrid-lb", "data-parallel-external-lb"} {
		if q.State("args", flag) != model.Absent {
			return true
		}
	}
	backend, state := q.Arg("distributed-executor-backend")
	return state == model.Unseen || backend == "ray"
}
