package rules

import (
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-max-model-len-exceeds-model",
		Title:    "The context is longer than the model's own",
		Category: "engine-memory",
		Why: `A model knows positions up to the limit in its config.json. With a larger ` + "`--max-model-len`" + ` the engine stops at start: "User-specified max_model_len (65536) is greater than the derived max_model_len".
VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 turns that into a warning, and positions beyond the limit give NaN or nonsense. Families that document YaRN (Qwen2.5, Qwen3) reach 131072, but only with its parameters in the configuration.`,
		Remedy:   "Lower `--max-model-len` to the model's limit, or set the rope parameters of its model card with `--hf-overrides`.",
		Severity: model.Error, Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"engine.args", "engine.env"},
		When:       []string{"engine.args.max-model-len"},
		Fix:        model.Unsafe, FixTitle: "lower --max-model-len to the model's limit",
		Question: "Do the clients manage with the shorter context, or should YaRN be configured?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/config/model.py", Symbol: "is greater ", Checked: "2026-11-29"},
			{Artefact: "vllm 0.29.0", File: "vllm/config/model.py", Symbol: "VLLM_ALLOW_LONG_MAX_MODEL_LEN must be used with extreme ", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			g, ok := e.geometry()
			n, ok2 := e.ArgInt("max-model-len", 0)
			if !ok || !ok2 || g.Match != knowledge.Exact || g.Confidence == "low" || g.Context <= 0 || n <= int64(g.Context) || e.scalesRope() {
				continue
			}
			at := e.At("args", "max-model-len", 0)
			allow, _ := e.Text("env", "VLLM_ALLOW_LONG_MAX_MODEL_LEN")
			allowed := allow != "" && allow != "0"
			name, _ := e.Text("model")
			yarn := yarnFamily(name, g) && n <= 131072
			effect := "the engine stops at start with \"User-specified max_model_len (" + strconv.FormatInt(n, 10) + ") is greater than the derived max_model_len\""
			if allowed {
				effect = "VLLM_ALLOW_LONG_MAX_MODEL_LEN lets it start, and what lies beyond gives NaN or nonsense"
			}
			hint := ""
			if yarn {
				hint = "; its card describes YaRN up to 131072, set by --hf-overrides"
			}
			r := p.Report(at, "%d tokens are more than the %d that the model knows: %s%s", n, g.Context, effect, hint).
				Related(e.At("model"), "%d positions", g.Context).
				Fix(model.Fix{Title: "write " + strconv.Itoa(g.Context), Ops: []model.Op{model.Set(at, strconv.Itoa(g.Context))}})
			if yarn {
				r.Severity(model.Warning)
			}
			if allowed {
				r.RelatedKey(e.At("env", "VLLM_ALLOW_LONG_MAX_MODEL_LEN"), "lets it start")
			}
		}
	},
})

// scalesRope reports whether an argument may change the positions that the model knows.
func (q Part) scalesRope() bool {
	if q.argsOpen() {
		return true
	}
	for _, name := range q.Get("args").Keys() {
		for _, flag := range [...]string{"hf-overrides", "rope-scaling", "rope-theta", "hf-config-path", "config-format"} {
			if name == flag || strings.HasPrefix(name, flag+".") {
				return true
			}
		}
	}
	return false
}

// yarnFamily reports whether a model's card documents YaRN beyond the limit of its configuration.
func yarnFamily(name string, g knowledge.Geometry) bool {
	name = strings.ToLower(name)
	return g.Context == 32768 && strings.HasPrefix(name, "qwen/qwen2.5-") || g.Context == 40960 && strings.HasPrefix(name, "qwen/qwen3-")
}
