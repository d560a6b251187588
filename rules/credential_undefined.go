package rules

import (
	"slices"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "credential-undefined",
		Title:    "A model names a credential that is not in the list",
		Category: "models",
		Why: `litellm_credential_name takes key and address from an entry of credential_list. A name that no entry has is passed over with
a warning in the log, and the call goes out without them: Missing credentials, status 500, when nothing else holds a key, else
the deployment's own key, or the one of the provider's variable, is sent to the provider's own address (run with 1.102.0 and 1.110.2).`,
		Remedy:     "Write the credential_name of an entry of `credential_list`, which stands at the top of the config.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning},
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/utils.py", Symbol: "matched none of the %d loaded credentials", Checked: "2026-11-30",
				Note: "Run: the gateway starts; a call without any key is answered 500, Missing credentials, and with an api_key of the deployment, or OPENAI_API_KEY, it goes out with that one."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "def load_credential_list", Checked: "2026-11-30", Note: "The database adds credentials with store_model_in_db."},
		},
	},
	Check: func(p *Pass) {
		config := p.Get("gateway", "config")
		if config == nil || config.Open || !p.namesCredential() {
			return
		}
		at := model.Path{"gateway", "config", "credential_list"}
		p.noteUnseen(at)
		if p.Absent(at...) && p.IsTrue("gateway", "fragment") {
			return
		}
		list := p.Get(at...)
		if list == nil && !p.Absent(at...) || list != nil && list.Open {
			return
		}
		var defined []string
		for _, entry := range list.Items() {
			name, ok := entry.Get("credential_name").Scalar()
			if !ok || reference(name) {
				return
			}
			defined = append(defined, name)
		}
		if p.State("gateway", "settings", "store_model_in_db", "value") == model.Unseen {
			return
		}
		for entry := range p.ModelList() {
			const key = "litellm_credential_name"
			name, ok := entry.Text("litellm_params", key)
			if !ok || name == "" || reference(name) || slices.Contains(defined, name) || entry.State("litellm_params", "github_copilot_auth_type") != model.Absent {
				continue
			}
			end := ""
			if found, _ := near(name, slices.Values(defined)); len(found) == 1 {
				end = "; did you mean " + model.Quote(found[0])
			}
			effect := "calls go out without its key"
			other := p.otherKey(entry)
			if other != "" {
				effect = "calls go out with " + other + " instead"
			}
			r := p.Report(entry.At("litellm_params", key), "%s is in no entry of credential_list: %s%s", model.Quote(name), effect, end)
			if p.modelNames().stored || other != "" {
				r.Severity(model.Warning)
			}
		}
	},
})

// namesCredential reports whether a deployment takes its key from a credential.
func (p *Pass) namesCredential() bool {
	for entry := range p.ModelList() {
		if entry.Value.At("litellm_params", "litellm_credential_name") != nil {
			return true
		}
	}
	return false
}

// otherKey says which key a deployment has besides its credential, "" for none that the files show.
func (p *Pass) otherKey(entry Part) string {
	if entry.State("litellm_params", "api_key") != model.Absent {
		return "the deployment's own key"
	}
	name, _ := p.deployment(entry.Index).Get("provider").AsText()
	if name = strings.ToUpper(name) + "_API_KEY"; p.Root.At("gateway", "env", name) != nil {
		return name
	}
	return ""
}
