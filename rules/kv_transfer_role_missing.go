package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "kv-transfer-role-missing",
		Title:    "A KV connector is named without its role",
		Category: "kv-events",
		Why:      "`--kv-transfer-config`" + ` with a kv_connector and no kv_role stops the engine at start: "Please specify kv_role when kv_connector is set, supported roles are ('kv_producer', 'kv_both', 'kv_consumer')".`,
		Remedy:   `Add kv_role: kv_both for offloading and shared caches, kv_producer for prefill and kv_consumer for decode engines.`,
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args"},
		When:   []string{"engine.kv_transfer"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/kv_transfer.py", Symbol: "Please specify kv_role when kv_connector ", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			name, ok := e.Text("kv_transfer", "kv_connector")
			if !ok || name == "" || !e.Absent("kv_transfer", "kv_role") || strings.HasPrefix(name, "Multi") {
				continue
			}
			p.Report(e.At("kv_transfer", "kv_connector"), "%s without kv_role: the engine stops at start with \"Please specify kv_role when kv_connector is set\"; write kv_both, kv_producer or kv_consumer", model.Quote(name))
		}
	},
})
