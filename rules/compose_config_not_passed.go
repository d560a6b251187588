package rules

import (
	"path"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "compose-config-not-passed",
		Title:    "The config is mounted and nothing tells the gateway to read it",
		Category: "compose",
		Why: "LiteLLM reads no config by itself: the image starts `litellm --port 4000`, and a file at /app/config.yaml is read only when\n" +
			"`--config` or CONFIG_FILE_PATH names it. Without it the gateway starts with no models and no settings, answers every call\n" +
			"with 400 and, without a master key in the environment, lets everybody in.",
		Remedy:     "Write `command: [\"--config\", \"/app/config.yaml\"]`, the path being that of the mount inside the container.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"compose", "gateway.args", "gateway.env"},
		When:       []string{"compose.services"},
		Fix:        model.Unsafe,
		FixTitle:   "add --config to the command",
		Question:   "Is that config meant for this gateway, with all variables it names set? Without a master key there or in LITELLM_MASTER_KEY everybody may use its models.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "\"--config\"", Checked: "2026-11-29",
				Note: "config is None without the flag; CONFIG_FILE_PATH is read by proxy_server.py."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "CONFIG_FILE_PATH", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		name, _ := p.Text("gateway", "name")
		service := model.Path{"compose", "services", name}
		platform, _ := p.Text("gateway", "pod", "platform")
		repository, _ := p.Text("gateway", "image", "repository")
		if platform != "compose" || !strings.HasSuffix(repository, "berriai/litellm") && !strings.Contains(repository, "berriai/litellm-") {
			return
		}
		for _, key := range [...]string{"build", "entrypoint"} {
			if !p.Absent(service.With(key)...) {
				return
			}
		}
		for _, at := range [...]model.Path{{"gateway", "args", "config"}, {"gateway", "env", "CONFIG_FILE_PATH"}, {"gateway", "env", "LITELLM_CONFIG_BUCKET_NAME"}} {
			if !p.Absent(at...) {
				return
			}
		}
		at, target := p.mountedConfig(service)
		if at == nil {
			return
		}
		r := p.Report(at, "%s is mounted and neither --config nor CONFIG_FILE_PATH names it: the gateway starts without models and settings", model.Quote(target))
		command := service.With("command")
		words := []any{"--config", target}
		// What is wrong in the config is found once it is read.
		fix := model.Fix{Brings: []string{model.BringsAny}}
		switch v := p.Get(command...); {
		case p.Absent(command...):
			fix.Ops = []model.Op{model.Set(command, words)}
		case v != nil && v.Kind == model.List:
			fix.Ops = []model.Op{model.Append(command, words[0]), model.Append(command, words[1])}
		case v != nil && v.Kind == model.Text && !strings.ContainsAny(v.Text, "|&;\n"):
			fix.Ops = []model.Op{model.Set(command, strings.TrimSpace(v.Text+" --config "+target))}
		default:
			return
		}
		r.Fix(fix)
	},
})

// mountedConfig returns the mount of a service that puts a LiteLLM config into the container, and its path there.
func (p *Pass) mountedConfig(service model.Path) (at model.Path, target string) {
	for v := range p.Parts(service.With("volumes")...) {
		text, ok := v.AsText()
		if ok {
			// The host's path may have a drive letter, or stand in ${...}, which is resolved by now.
			parts := strings.Split(strings.TrimSuffix(strings.TrimSuffix(text, ":ro"), ":rw"), ":")
			if len(parts) < 2 {
				continue
			}
			text = parts[len(parts)-1]
		} else if text, ok = v.Text("target"); !ok {
			continue
		}
		if isConfigName(path.Base(text)) {
			return v.Path(), text
		}
	}
	return nil, ""
}

// isConfigName reports whether a file is named as LiteLLM's config is: config.yaml, litellm_config.yaml, litellm.yml.
func isConfigName(base string) bool {
	ext := path.Ext(base)
	if ext != ".yaml" && ext != ".yml" {
		return false
	}
	switch name := strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(base), ext), "_", "-"); name {
	case "config", "litellm", "litellm-config", "proxy-config", "litellm-proxy-config", "proxy-server-config":
		return true
	}
	return false
}
