package rules

import (
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-equals-default",
		Title:    "A variable repeats the built-in default",
		Category: "secrets",
		Why: `The line reads like tuning and changes nothing: PROXY_CONFIG_RELOAD_INTERVAL_SECONDS=30 (1.95 and newer),
LITELLM_TPM_TOKEN_RESERVATION_ENABLED=true (1.90 and newer) and NUM_WORKERS=1 are what LiteLLM does without them. It also pins the
number: REDIS_SOCKET_TIMEOUT=0.1 was the default up to 1.107 and keeps 0.1 s from 1.108 on, where the default is 5 s.`,
		Remedy:     "Remove the variable, or set it to what was meant.",
		Severity:   model.Info,
		Confidence: model.High,
		Inputs:     []string{"gateway.env", "gateway.args"},
		Fix:        model.Safe,
		FixTitle:   "remove the variable",
		Question:   "Does no other program read the variable from this file?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/constants.py", Symbol: `"PROXY_CONFIG_RELOAD_INTERVAL_SECONDS", 30`, Checked: "2026-11-30",
				Note: "The defaults of all variables of this file are compared at the release that runs."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/hooks/parallel_request_limiter_v3.py", Symbol: "LITELLM_TPM_TOKEN_RESERVATION_ENABLED", Checked: "2026-11-30"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "NUM_WORKERS", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		if !p.ownImage() {
			return // the image of others may set the variable itself
		}
		release, env := p.LiteLLM(), p.Get("gateway", "env")
		for i, name := range env.Keys() {
			v := env.Items()[i]
			text, ok := v.Scalar()
			if !ok || len(v.Losers()) > 0 || v.Fallback() || v.Origin.File == nil {
				continue
			}
			e, presence := release.Env(name)
			def, known := e.Default(release.Version)
			if presence != knowledge.Present || !known || !tuning(e) || !sameSetting(text, def) {
				continue
			}
			if !p.pinned() && len(e.Defaults()) > 1 {
				continue // another release runs, perhaps, with another default
			}
			if name == "NUM_WORKERS" && (p.State("gateway", "helm") != model.Absent || p.State("gateway", "args", "num-workers") != model.Absent) {
				continue
			}
			at := model.Path{"gateway", "env", name}
			if p.interpolated(name) {
				continue
			}
			safety := model.Safe
			if v.Origin.Env() != nil && !strings.HasPrefix(name, "LITELLM_") && !strings.HasPrefix(name, "PROXY_") {
				safety = model.Unsafe
			}
			p.Report(at, "%s=%s is the default of LiteLLM %s, so the line changes nothing", name, model.Quote(text), p.GatewayVersion()).OnKey().
				Fix(model.Fix{Safety: safety, Ops: []model.Op{model.Remove(at)}})
		}
	},
})

// ownImage reports whether the gateway runs in LiteLLM's own image, which sets none of the variables, or in no image.
func (p *Pass) ownImage() bool {
	switch p.State("gateway", "image", "repository") {
	case model.Absent:
		return true
	case model.Present:
		r, _ := p.Text("gateway", "image", "repository")
		return strings.HasSuffix(r, "berriai/litellm") || strings.Contains(r, "berriai/litellm-") || r == "litellm/litellm"
	}
	return false
}

// tuning reports whether a variable is one of LiteLLM's numbers and switches, which say nothing beyond their value. Those that other
// rules ask for are decisions even when they repeat the default, and the default of the queue is computed.
func tuning(e knowledge.Entry) bool {
	switch e.Name {
	case "NUM_WORKERS", "LITELLM_TPM_TOKEN_RESERVATION_ENABLED":
		return true
	case "MAX_SIZE_IN_MEMORY_QUEUE", "PROXY_BATCH_WRITE_AT", "REQUEST_TIMEOUT", "TOKEN_COUNTER_MAX_CONCURRENT_COUNTS":
		return false
	}
	return strings.Contains(e.Source, " litellm/constants.py:")
}

// sameSetting reports whether a text is the number or boolean that a default is, written as Python: 30, '5.0', True, 'true'. Other defaults
// are names, addresses and the like, which people write down for others to read.
func sameSetting(text, def string) bool {
	def = strings.Trim(def, "'")
	if a, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		b, err := strconv.ParseFloat(def, 64)
		return err == nil && a == b
	}
	b := strings.ToLower(def)
	return (b == "true" || b == "false") && strings.EqualFold(text, b)
}
