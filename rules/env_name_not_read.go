package rules

import (
	"bytes"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-name-not-read",
		Title:    "A variable looks like a setting of LiteLLM and is not read",
		Category: "secrets",
		Why: `LiteLLM's own variables mostly have no prefix, so the name with LITELLM_ in front is a natural guess, and a variable
nobody reads gives no message: LITELLM_NUM_WORKERS=4 leaves one worker, LITELLM_UI_PASSWORD leaves the user interface
with the master key as its password, LITELLM_LOG_LEVEL does not change the log.`,
		Remedy:     `Use LITELLM_LOG, NUM_WORKERS, UI_USERNAME and UI_PASSWORD.`,
		Severity:   model.Info,
		Confidence: model.High,
		Inputs:     []string{"gateway.env", "gateway.image"},
		Fix:        model.Safe,
		FixTitle:   "rename it to the name that is read",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.110.2", File: "litellm/_logging.py", Symbol: "LITELLM_LOG", Checked: "2026-11-29",
				Note: "LITELLM_LOG_LEVEL, LITELLM_NUM_WORKERS, LITELLM_UI_USERNAME and LITELLM_UI_PASSWORD stand in no file of 1.102.0 and 1.110.2."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "NUM_WORKERS", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for _, v := range wrongVariables {
			at := model.Path{"gateway", "env", v.name}
			if p.Root.At(at...) == nil || p.interpolated(v.name) {
				continue
			}
			if _, presence := p.LiteLLM().Env(v.name); presence != knowledge.Unknown {
				continue
			}
			r := p.Report(at, "%s is read by no LiteLLM release up to %s; the variable is %s", v.name, newest(), v.right).OnKey()
			if to := (model.Path{"gateway", "env", v.right}); p.Root.At(to...) == nil {
				r.Fix(model.Fix{Title: "rename it to " + v.right, Ops: []model.Op{model.Rename(at, v.right)}})
			}
		}
	},
})

// wrongVariables are names that people use and no release reads, with those that are meant.
var wrongVariables = [...]struct{ name, right string }{
	{"LITELLM_LOG_LEVEL", "LITELLM_LOG"},
	{"LITELLM_NUM_WORKERS", "NUM_WORKERS"},
	{"LITELLM_UI_PASSWORD", "UI_PASSWORD"},
	{"LITELLM_UI_USERNAME", "UI_USERNAME"},
}

// interpolated reports whether a file of the stack uses a variable in another value: ${NAME}, $NAME, $(NAME),
// os.environ/NAME.
func (p *Pass) interpolated(name string) bool {
	for _, f := range p.Files {
		for rest := f.Bytes; ; {
			i := bytes.Index(rest, []byte(name))
			if i < 0 {
				break
			}
			before := rest[:i]
			for _, sign := range []string{"$", "${", "$(", "os.environ/", "env:"} {
				if bytes.HasSuffix(before, []byte(sign)) {
					return true
				}
			}
			rest = rest[i+len(name):]
		}
	}
	return false
}
