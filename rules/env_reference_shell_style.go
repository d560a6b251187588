package rules

import (
	"path"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "env-reference-shell-style",
		Title:    "A shell-style reference stands in a file that LiteLLM reads directly",
		Category: "secrets",
		Why: `LiteLLM does not substitute ${NAME} or $NAME in its config. The literal text becomes the value: with
master_key: ${MASTER_KEY} the gateway starts, anyone who sends the text ${MASTER_KEY} is an administrator, and the real
key is answered 400 (run with 1.102.0 and 1.110.2); an address of that form has no host.`,
		Remedy: "Write `os.environ/NAME` as the whole value. There is no form with a default: set the default where the variable is set. " +
			"Files that envsubst, Flux, Kustomize, Ansible, Terraform or compose rewrite before LiteLLM reads them are right as they are.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "files"},
		Fix:        model.Safe,
		FixTitle:   "write os.environ/NAME",
		Question:   "Does nothing replace such references in this file before LiteLLM reads it, and is the default set elsewhere?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "def _check_for_os_environ_vars", Checked: "2026-11-29",
				Note: "Run with 1.102.0 and 1.110.2: master_key: ${X} is taken literally. Only the headers and addresses of MCP servers have placeholders ${NAME} of their own."},
		},
	},
	Check: func(p *Pass) {
		var rendered map[string]bool
		for c := range p.configTexts() {
			name, alone, fallback := shellReference(c.Text())
			if name == "" || c.prose() || c.under("mcp_servers") {
				continue
			}
			file, kind := p.fileOf(c.Value)
			if rendered == nil {
				rendered = p.templated()
			}
			direct, known := p.readDirectly(file, kind)
			if !known || rendered[file] || p.unreadSetting(c.Path()) {
				continue
			}
			var r *Report
			if alone {
				r = p.Report(c.Path(), "LiteLLM does not replace %s: the text itself is the value; write os.environ/%s", model.Quote(c.Text()), name)
			} else {
				r = p.Report(c.Path(), "LiteLLM does not replace %s, and no reference inside a longer text: put the whole value into a variable", model.Quote(c.Text()))
			}
			safety := model.Safe
			if !direct {
				r.Severity(model.Info)
				safety = model.Unsafe
			}
			if fallback {
				safety = model.Unsafe
			}
			if alone && !c.Item() {
				r.Fix(p.refersTo(name, model.Fix{Safety: safety, Ops: []model.Op{{Kind: model.OpReplaceText, At: c.Path(), From: c.Text(), Name: referencePrefix + name}}}))
			}
		}
	},
})

// unreadSetting reports whether a path lies in a setting that no release reads, which is what there is to say of it.
func (p *Pass) unreadSetting(at model.Path) bool {
	for _, section := range [...]string{"general_settings", "router_settings"} {
		if len(at) < 4 || at[2] != section {
			continue
		}
		for s := range p.unknownSettings(section) {
			if s.Name == at[3] {
				return true
			}
		}
	}
	return false
}

// readDirectly reports whether LiteLLM reads a file of this stack as it is; known is false for files that something
// rewrites first, or that are no config of their own.
func (p *Pass) readDirectly(file, kind string) (direct, known bool) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(path.Base(file)), func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		switch word {
		case "template", "templates", "tmpl", "tpl", "tftpl", "j2", "jinja", "envsubst", "in":
			return false, false
		}
	}
	stack, _ := p.Text("stack", "kind")
	switch kind {
	case "litellm-config", "litellm-fragment":
		return stack == "compose" || stack == "shell" || stack == "systemd", stack != "flux" && stack != "helm" && stack != "argo" && stack != "helmfile"
	case "manifest":
		// Flux and envsubst rewrite manifests, kubectl does not.
		return false, stack == "kubernetes"
	}
	return false, false
}

// templated returns the files of the gateway's config that hold template expressions, so that something rewrites them.
func (p *Pass) templated() map[string]bool {
	out := map[string]bool{}
	root := p.Get("gateway", "config")
	root.Each(func(v *model.Value) {
		if v.Kind == model.Unknown || v.Open && v != root {
			file, _ := p.fileOf(v)
			out[file] = true
		}
	})
	return out
}

// shellReference returns the first variable that a text refers to in a shell's form, whether the reference is the whole text,
// and whether it has a default.
func shellReference(s string) (name string, alone, fallback bool) {
	if rest, ok := strings.CutPrefix(s, "$"); ok && variableName(rest) {
		return rest, true, false
	}
	i := strings.Index(s, "${")
	if i < 0 {
		return "", false, false
	}
	rest := s[i+2:]
	end := strings.IndexByte(rest, '}')
	if end < 0 {
		return "", false, false
	}
	inner := rest[:end]
	name = leadingName(inner)
	operator := strings.TrimLeft(inner[len(name):], ":")
	if name == "" || strings.ContainsAny(name, ".-") || operator != "" && !strings.ContainsAny(operator[:1], "-=?+") {
		if cut := strings.IndexAny(name, ".-"); cut > 0 && name[cut] == '-' {
			// ${NAME-value}
			return name[:cut], i == 0 && end == len(rest)-1, true
		}
		return "", false, false
	}
	return name, i == 0 && end == len(rest)-1, operator != ""
}
