package rules

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/secret"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "master-key-literal",
		Title:    "The master key is written in the file",
		Category: "secrets",
		Why: `The master key is the administrator of the gateway: it creates keys, changes models and budgets, and where no salt key
is set it encrypts the credentials in the database. Written in a config, a compose file, a manifest or values it is in the
repository, its history and the ConfigMap, for everyone who can read them.`,
		Remedy: "Write `master_key: os.environ/LITELLM_MASTER_KEY` (`PROXY_MASTER_KEY` with the classic chart), and set the variable from a secret: " +
			"`${LITELLM_MASTER_KEY}` in compose, `secretKeyRef` in a manifest, `masterkeySecretName` or `masterKey.secretName` in the charts. Then change the key: the old one stays in the history.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning, model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "compose", "gateway.helm"},
		Fix:        model.Unsafe,
		FixTitle:   "take the key from the environment",
		Question:   "Is the variable set where the gateway starts, and will the key be changed?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: `general_settings.get("master_key", get_secret("LITELLM_MASTER_KEY", None))`, Checked: "2026-11-29"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/common_utils/encrypt_decrypt_utils.py", Symbol: "LITELLM_SALT_KEY", Checked: "2026-11-29",
				Note: "Without a salt key the master key encrypts what the database holds."},
		},
	},
	Check: func(p *Pass) {
		config := model.Path{"gateway", "config", "general_settings", "master_key"}
		names := []string{"LITELLM_MASTER_KEY", "PROXY_MASTER_KEY"}
		var found places
		if key, ok := p.Text(config...); ok && reference(key) {
			names = append(names, strings.TrimPrefix(key, referencePrefix))
		} else {
			found.add(p, config)
		}
		for _, name := range names {
			found.add(p, model.Path{"gateway", "env", name})
		}
		found.add(p, model.Path{"gateway", "helm", "values", "masterkey"})
		for _, x := range found.list {
			if secret.Placeholder(x.Text) || misspelledReference(x.Text) != "" || p.secretsPlace(x.Value) {
				continue
			}
			r := p.Report(x.Path, "the master key is written here: everyone who can read the repository is an administrator of the gateway")
			if x.Value.Fallback() {
				p.findings[len(p.findings)-1].Message = "the master key has a default here: where the variable is not set, everyone who can read the repository is an administrator of the gateway"
				r.Severity(model.Warning)
			}
			r.InExample(p, model.Info)
			p.fixMasterKey(r, x, config)
		}
	},
})

// fixMasterKey offers to take the master key from the environment: by a reference in the config, with the variable that compose
// hands on.
func (p *Pass) fixMasterKey(r *Report, x written, config model.Path) {
	const name = "LITELLM_MASTER_KEY"
	platform, _ := p.Text("gateway", "pod", "platform")
	switch {
	case x.Value.Fallback():
	case x.Path.HasPrefix(config):
		ops := []model.Op{model.Set(config, referencePrefix+name)}
		if platform == "compose" && p.Absent("gateway", "env", name) {
			ops = append(ops, model.Set(model.Path{"gateway", "env", name}, "${"+name+"}"))
		}
		r.Fix(model.Fix{Ops: ops})
	case x.Path[1] == "env" && platform == "compose":
		r.Fix(model.Fix{Ops: []model.Op{model.Set(x.Path, "${"+x.Path[2].(string)+"}")}})
	}
}
