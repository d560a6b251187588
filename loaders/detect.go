package loaders

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/source"
)

// Kind is the kind of a document, found from its content.
type Kind string

// The kinds of documents.
const (
	LiteLLMConfig   Kind = "litellm-config"
	LiteLLMFragment Kind = "litellm-fragment" // nothing but models
	HelmValues      Kind = "helm-values"
	HelmChart       Kind = "helm-chart"
	Helmfile        Kind = "helmfile"
	Compose         Kind = "compose"
	Manifest        Kind = "manifest" // a Kubernetes object of any kind
	Kustomization   Kind = "kustomization"
	PromRules       Kind = "prometheus-rules"
	PromConfig      Kind = "prometheus-config"
	AdapterRules    Kind = "adapter-rules"
	Dashboard       Kind = "dashboard"
	EnvText         Kind = "env"
	Shell           Kind = "shell"
	Dockerfile      Kind = "dockerfile"
	Systemd         Kind = "systemd"
	PgBouncerINI    Kind = "pgbouncer-ini"
	PostgresConf    Kind = "postgresql-conf"
	Requirements    Kind = "requirements"
	VLLMConfig      Kind = "vllm-config"   // read through --config only
	RouterConfig    Kind = "router-config" // a router's own configuration outside Kubernetes
	RayServe        Kind = "ray-serve"
)

// Document is one typed piece of a file.
type Document struct {
	Kind Kind
	File *source.File
	// Root is the tree of a YAML or JSON document, nil for other formats.
	Root *source.Node
	// Index is the number of the document in its file.
	Index int
	// Alias is the key above the values of a LiteLLM or engine chart in a parent chart's values.
	Alias string
}

// markers are words of which a file must hold one to be worth parsing.
var markers = []string{"litellm", "vllm", "sglang", "dynamo", "model_name", "model_list", "general_settings", "router_settings", "kind:", "\"kind\"", "services:", "proxy_config",
	"servingEngineSpec", "routerSpec", "controllers:", "postgres", "pgbouncer", "redis", "max_connections", "helmCharts", "releases:", "resources:", "image:",
	"model:", "apiVersion:", "import_path"}

// worthParsing is a cheap test that spares files that cannot hold anything of interest.
func worthParsing(b []byte) bool {
	for _, m := range markers {
		if bytes.Contains(b, []byte(m)) {
			return true
		}
	}
	return false
}

// isBinary reports whether a file is no text.
func isBinary(b []byte) bool {
	return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0
}

// format is how a file is read, guessed from its name first and its first bytes where the name says nothing.
type format uint8

const (
	formatNone format = iota
	formatYAML
	formatJSON
	formatEnv
	formatShell
	formatDockerfile
	formatSystemd
	formatINI
	formatConf
	formatRequirements
	formatForeign // HCL, Jsonnet, Nix, Jinja: recognised and skipped
)

// formatOf says how to read a file. Names only choose the parser; what a file is comes from its content.
func formatOf(name string, b []byte) format {
	base := strings.ToLower(path.Base(name))
	ext := path.Ext(base)
	for _, s := range []string{".example", ".sample", ".template", ".dist", ".bak"} {
		if rest := strings.TrimSuffix(base, s); rest != base && rest != "" {
			if f := formatOf(rest, nil); f != formatNone {
				return f
			}
		}
	}
	switch ext {
	case ".yaml", ".yml":
		return formatYAML
	case ".json":
		return formatJSON
	case ".sh", ".bash", ".zsh":
		return formatShell
	case ".service":
		return formatSystemd
	case ".ini":
		return formatINI
	case ".conf":
		return formatConf
	case ".env":
		return formatEnv
	case ".tf", ".tfvars", ".hcl", ".jsonnet", ".libsonnet", ".nix", ".j2", ".jinja", ".jinja2", ".tftpl", ".tpl", ".gotmpl":
		return formatForeign
	case ".dockerfile", ".containerfile":
		return formatDockerfile
	}
	switch {
	case base == "dockerfile" || base == "containerfile" || strings.HasPrefix(base, "dockerfile."):
		return formatDockerfile
	case base == ".env" || strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, "env.") && ext != ".go":
		return formatEnv
	case strings.HasPrefix(base, "requirements") && ext == ".txt" || isLock(base) || isProject(base):
		return formatRequirements
	case bytes.HasPrefix(b, []byte("#!")) && bytes.Contains(b[:min(len(b), 80)], []byte("sh")):
		return formatShell
	}
	return formatNone
}

// isTemplate reports whether a file is a Helm or Jinja template as a whole: control lines that no YAML reader
// accepts. Files with templated values only are read.
func isTemplate(b []byte) bool {
	for line := range bytes.Lines(b) {
		l := bytes.TrimSpace(line)
		if bytes.HasPrefix(l, []byte("{{")) || bytes.HasPrefix(l, []byte("{%")) {
			return true
		}
	}
	return false
}

// helmTemplate reports whether a file that no YAML reader accepts takes a value from what only Helm hands to a template:
// name: {{ .Chart.Name }}-gateway.
func helmTemplate(b []byte) bool {
	for line := range bytes.Lines(b) {
		before, rest, ok := bytes.Cut(line, []byte("{{"))
		if !ok || bytes.Contains(before, []byte("#")) {
			continue
		}
		for _, object := range [...]string{".Values.", ".Release.", ".Chart.", ".Capabilities."} {
			if bytes.Contains(rest, []byte(object)) {
				return true
			}
		}
	}
	return false
}

// classify finds what a YAML or JSON document is. The second result is the alias of a chart below a parent.
func classify(root *source.Node) (Kind, string) {
	m := root.Deref()
	if m == nil || m.Kind != source.Map {
		return "", ""
	}
	switch {
	case textOf(m.Get("kind")) == "Kustomization":
		return Kustomization, ""
	case m.Get("kind") != nil && m.Get("apiVersion") != nil:
		return Manifest, ""
	case isCompose(m):
		return Compose, ""
	}
	if k, ok := classifyLiteLLM(m); ok {
		return k, ""
	}
	if m.Get("apiVersion") != nil && m.Get("name") != nil && m.Get("version") != nil {
		return HelmChart, ""
	}
	if isList(m.Get("releases")) && anyItem(m.Get("releases"), func(r *source.Node) bool { return r.Get("chart") != nil }) {
		return Helmfile, ""
	}
	if isValues(m) {
		return HelmValues, ""
	}
	for _, e := range m.Entries() {
		if isValues(e.Value.Deref()) {
			return HelmValues, e.Key.Text
		}
	}
	switch {
	case isList(m.Get("groups")) && anyItem(m.Get("groups"), func(g *source.Node) bool { return isList(g.Get("rules")) }):
		return PromRules, ""
	case isList(m.Get("scrape_configs")):
		return PromConfig, ""
	case anyItem(m.Get("rules"), func(r *source.Node) bool { return r.Get("seriesQuery") != nil }),
		anyItem(m.At("rules", "custom"), func(r *source.Node) bool { return r.Get("seriesQuery") != nil }),
		anyItem(m.At("rules", "external"), func(r *source.Node) bool { return r.Get("seriesQuery") != nil }):
		return AdapterRules, ""
	case isDashboard(m) || isDashboard(m.Get("dashboard")):
		return Dashboard, ""
	case isList(m.Get("applications")) && anyItem(m.Get("applications"), func(a *source.Node) bool { return a.Get("import_path") != nil }):
		return RayServe, ""
	case isList(m.Get("resources")) || m.Get("configMapGenerator") != nil || m.Get("secretGenerator") != nil:
		if isKustomization(m) {
			return Kustomization, ""
		}
	}
	return "", ""
}

// classifyLiteLLM recognises a LiteLLM config by its sections; other programs use the file names too.
func classifyLiteLLM(m *source.Node) (Kind, bool) {
	models := false
	if l := m.Get("model_list").Deref(); l != nil {
		switch {
		case l.Kind == source.List && (len(l.Children) == 0 || anyItem(l, func(e *source.Node) bool { return e.Get("litellm_params") != nil || e.Get("model_name") != nil })):
			models = true
		}
	}
	// Other programs have general_settings and router_settings too: alone they count with a key that LiteLLM reads.
	named := models || m.Get("litellm_settings") != nil
	settings := 0
	for _, s := range []string{"litellm_settings", "router_settings", "general_settings"} {
		if n := m.Get(s); n != nil && (named || hasSetting(s, n)) {
			settings++
		}
	}
	include := isList(m.Get("include")) && (models || settings > 0)
	switch {
	case settings > 0 && (models || settings > 1 || m.Get("litellm_settings") != nil || hasSetting("router_settings", m.Get("router_settings")) || m.At("general_settings", "master_key") != nil || m.At("general_settings", "database_url") != nil || m.Get("environment_variables") != nil):
		return LiteLLMConfig, true
	case include, models && (m.Get("environment_variables") != nil || m.Get("mcp_servers") != nil || m.Get("guardrails") != nil):
		return LiteLLMConfig, true
	case models:
		return LiteLLMFragment, true
	}
	return "", false
}

// hasSetting reports whether a section has a key that some release of LiteLLM reads there.
func hasSetting(section string, n *source.Node) bool {
	n = n.Deref()
	if n == nil || n.Kind != source.Map {
		return false
	}
	newest := knowledge.LiteLLM.At(knowledge.LiteLLM.Newest())
	return slices.ContainsFunc(n.Entries(), func(e source.Entry) bool {
		_, p := newest.Setting(section, e.Key.Text)
		return p != knowledge.Unknown
	})
}

func isCompose(m *source.Node) bool {
	s := m.Get("services").Deref()
	if s == nil || s.Kind != source.Map || m.Get("kind") != nil {
		return false
	}
	for _, e := range s.Entries() {
		for _, k := range []string{"image", "build", "command", "environment", "env_file", "ports", "volumes", "depends_on", "extends", "deploy", "profiles", "healthcheck"} {
			if e.Value.Get(k) != nil {
				return true
			}
		}
	}
	return false
}

// isValues recognises values of the charts agentlint knows.
func isValues(m *source.Node) bool {
	if m == nil || m.Kind != source.Map {
		return false
	}
	switch {
	case isMap(m.Get("proxy_config")), isMap(m.At("gateway", "config", "proxy_config")),
		isMap(m.Get("gateway")) && (m.At("database", "writer") != nil || m.Get("masterKey") != nil),
		m.Get("servingEngineSpec") != nil || isMap(m.Get("routerSpec")):
		return true
	}
	if c := m.Get("controllers").Deref(); c != nil && c.Kind == source.Map {
		for _, e := range c.Entries() {
			if isMap(e.Value.Get("containers")) {
				return true
			}
		}
	}
	return false
}

func isDashboard(m *source.Node) bool {
	if m == nil || m.Kind != source.Map {
		return false
	}
	return isList(m.Get("panels")) || isList(m.Get("rows")) && m.Get("title") != nil
}

func isKustomization(m *source.Node) bool {
	for _, e := range m.Entries() {
		switch e.Key.Text {
		case "resources", "namespace", "configMapGenerator", "secretGenerator", "images", "replicas", "patches", "patchesStrategicMerge", "patchesJson6902", "bases", "commonLabels",
			"labels", "namePrefix", "nameSuffix", "generatorOptions", "components", "helmCharts", "helmGlobals", "transformers", "generators", "configurations", "crds", "commonAnnotations", "replacements", "vars", "buildMetadata", "openapi", "metadata", "sortOptions", "apiVersion", "kind":
		default:
			return false
		}
	}
	return true
}

func textOf(n *source.Node) string {
	if d := n.Deref(); d != nil && d.Kind == source.Scalar {
		return d.Text
	}
	return ""
}

func isMap(n *source.Node) bool {
	d := n.Deref()
	return d != nil && d.Kind == source.Map
}

func isList(n *source.Node) bool {
	d := n.Deref()
	return d != nil && d.Kind == source.List
}

func anyItem(n *source.Node, f func(*source.Node) bool) bool {
	for _, c := range n.Items() {
		if f(c) {
			return true
		}
	}
	return false
}
