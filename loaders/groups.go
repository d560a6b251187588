package loaders

import (
	"net/url"
	"sort"
	"strings"

	"agentlint/internal/model"
)

// hostedSuffixes are hosts of hosted APIs: an api_base there is no engine of ours.
var hostedSuffixes = []string{
	".amazonaws.com", ".anthropic.com", ".azure.com", ".azure-api.net", ".azureml.ms", ".cerebras.ai", ".cohere.ai", ".cohere.com", ".databricks.com",
	".deepinfra.com", ".deepseek.com", ".fireworks.ai", ".googleapis.com", ".groq.com", ".huggingface.cloud", ".huggingface.co", ".mistral.ai",
	".moonshot.ai", ".moonshot.cn", ".novita.ai", ".nvidia.com", ".openai.com", ".openrouter.ai", ".perplexity.ai", ".replicate.com", ".sambanova.ai", ".together.ai",
	".together.xyz", ".voyageai.com", ".x.ai", ".aliyuncs.com", ".volces.com", ".siliconflow.cn", ".siliconflow.com", ".github.ai", ".githubcopilot.com", ".cloudflare.com", ".watsonx.ai", ".ibm.com", ".oraclecloud.com", ".z.ai", ".bigmodel.cn", ".minimax.io", ".scaleway.ai", ".ovh.net", ".nebius.com", ".nebius.ai", ".hyperbolic.xyz", ".baseten.co", ".parasail.io", ".lambda.ai", ".featherless.ai",
}

// isHosted reports whether a host belongs to a hosted API.
func isHosted(host string) bool {
	h := "." + strings.ToLower(strings.TrimSuffix(host, "."))
	for _, s := range hostedSuffixes {
		if strings.HasSuffix(h, s) {
			return true
		}
	}
	return false
}

// localProviders are LiteLLM providers that speak to a server of one's own.
var localProviders = []string{"hosted_vllm", "infinity", "llamafile", "lm_studio", "ollama", "ollama_chat", "openai_like", "text-completion-openai", "triton", "vllm", "xinference", "litellm_proxy", "openai", "custom_openai", "docker_model_runner", "lemonade"}

// splitModel cuts litellm_params.model into provider and model as LiteLLM does: the part before the first slash
// where it names a provider, custom_llm_provider first.
func splitModel(params *model.Value) (provider, name string) {
	m, _ := params.Get("model").AsText()
	if p, ok := params.Get("custom_llm_provider").AsText(); ok && p != "" {
		return p, strings.TrimPrefix(m, p+"/")
	}
	if p, rest, ok := strings.Cut(m, "/"); ok && isProvider(p) {
		return p, rest
	}
	return "", m
}

// isProvider reports whether the word before a model's first slash is a provider and no organisation of a model
// hub: providers are lower case, organisations with a known provider's name do not occur in practice.
func isProvider(p string) bool {
	if p == "" || p != strings.ToLower(p) {
		return false
	}
	for _, c := range p {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return knownProvider(p)
}

// apiBase returns the effective api_base of an entry: written, by reference through env, or unknown.
func apiBase(params, env *model.Value) (v *model.Value) {
	for _, k := range []string{"api_base", "base_url"} {
		if w := params.Get(k); w != nil && w.Kind != model.Null {
			return resolveReference(w, env)
		}
	}
	return nil
}

// referencePrefix starts a text that LiteLLM replaces by an environment variable.
const referencePrefix = "os.environ/"

// resolveReference replaces a text "os.environ/NAME" by the variable's value: nil when the variable is certainly
// not set (LiteLLM then has None), unknown when it may be. Other values are returned as they are.
func resolveReference(v, env *model.Value) *model.Value {
	s, ok := v.AsText()
	if !ok || !strings.HasPrefix(s, referencePrefix) {
		return v
	}
	w := env.Get(strings.TrimPrefix(s, referencePrefix))
	switch {
	case w != nil && w.Kind != model.Unknown:
		out := *w
		out.SetLosers(append([]model.Origin{v.Origin}, w.Losers()...))
		return &out
	case w != nil || env == nil || env.Open:
		return model.NewUnknown(v.Origin)
	}
	return nil
}

// references lists the values of a config that LiteLLM replaces by variables, in shape ReferencePart: texts in mappings, and
// in mappings inside lists (litellm 1.102.0, proxy_server.py _check_for_os_environ_vars).
func references(config *model.Value) *model.Value {
	out := model.NewList(model.Origin{})
	// The elements of paths have no place of their own and are shared.
	keys := map[string]*model.Value{}
	type step struct {
		of    *model.Value
		index int
	}
	var steps []step
	at := func(o model.Origin) *model.Value {
		path := make([]*model.Value, 0, len(steps)+2)
		add := func(key string) {
			v := keys[key]
			if v == nil {
				v = model.NewText(key, model.Origin{})
				keys[key] = v
			}
			path = append(path, v)
		}
		add("gateway")
		add("config")
		for _, s := range steps {
			if s.of.Kind == model.Map {
				add(s.of.Keys()[s.index])
			} else {
				path = append(path, model.NewInt(int64(s.index), model.Origin{}))
			}
		}
		return model.NewList(o, path...)
	}
	var walk func(v *model.Value)
	walk = func(v *model.Value) {
		for i, w := range v.Items() {
			if v.Kind == model.List && w.Kind != model.Map {
				continue
			}
			steps = append(steps, step{v, i})
			name, ok := strings.CutPrefix(w.Text, referencePrefix)
			if ok && w.Kind == model.Text && name != "" {
				r := model.NewMap(w.Origin)
				r.Set("name", model.NewText(name, w.Origin))
				r.Set("at", at(w.Origin))
				out.Append(r)
			} else {
				walk(w)
			}
			steps = steps[:len(steps)-1]
		}
	}
	walk(config)
	return out
}

// hostOf returns host and port of a URL or of a bare "host:port".
func hostOf(raw string) (host, port string) {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		return "", ""
	}
	port = u.Port()
	if port == "" {
		switch u.Scheme {
		case "https":
			port = "443"
		case "http":
			port = "80"
		}
	}
	return strings.ToLower(u.Hostname()), port
}

// deployment is one model_list entry with what its address leads to.
type deployment struct {
	index  int
	value  *model.Value // shape DeploymentPart
	base   *model.Value
	params *model.Value
	hosted bool
	unseen bool
}

// groups cuts model_list into model groups in order of first appearance.
func groups(config, env *model.Value, find func(base string, d *deployment) *model.Value) *model.Value {
	out := model.NewList(model.Origin{})
	list := config.Get("model_list")
	if list == nil || list.Kind != model.List {
		return out
	}
	byName := map[string]*model.Value{}
	unset := model.NewBool(false, model.Origin{})
	hosted := map[string][]*deployment{}
	for i, e := range list.Items() {
		name, ok := e.Get("model_name").Scalar()
		if !ok {
			continue
		}
		g := byName[name]
		if g == nil {
			g = model.NewMap(e.Get("model_name").Origin)
			g.Set("name", model.NewText(name, e.Get("model_name").Origin))
			g.Set("self_hosted", unset)
			g.Set("deployments", model.NewList(model.Origin{}))
			byName[name] = g
			out.Append(g)
		}
		d := newDeployment(i, e, env, find)
		g.Get("deployments").Append(d.value)
		hosted[name] = append(hosted[name], d)
	}
	for name, ds := range hosted {
		self, unseen := true, false
		for _, d := range ds {
			self = self && !d.hosted
			unseen = unseen || d.unseen
		}
		o := byName[name].Get("name").Origin
		switch {
		case !self:
			byName[name].Set("self_hosted", model.NewBool(false, o))
		case unseen:
			byName[name].Set("self_hosted", model.NewUnknown(o))
		default:
			byName[name].Set("self_hosted", model.NewBool(true, o))
		}
	}
	return out
}

func newDeployment(i int, e, env *model.Value, find func(string, *deployment) *model.Value) *deployment {
	params := e.Get("litellm_params")
	provider, name := splitModel(params)
	d := &deployment{index: i, params: params}
	v := model.NewMap(e.Origin)
	v.Set("index", model.NewInt(int64(i), e.Origin))
	mo := e.Origin
	if m := params.Get("model"); m != nil {
		mo = m.Origin
		if m.Kind == model.Unknown {
			v.Set("provider", model.NewUnknown(mo))
			v.Set("model", model.NewUnknown(mo))
		}
	}
	if v.Get("model") == nil {
		v.Set("provider", model.NewText(provider, mo))
		v.Set("model", model.NewText(name, mo))
	}
	d.base = apiBase(params, env)
	kind := "external"
	var target *model.Value
	switch base, known := d.base.AsText(); {
	case d.base == nil:
		d.hosted = provider != "hosted_vllm" && provider != "vllm"
		if !d.hosted {
			kind, d.unseen = "unknown", false
		}
	case !known:
		kind = "unknown"
		d.unseen = !isLocalProvider(provider)
		v.Set("api_base", model.NewUnknown(d.base.Origin))
	default:
		v.Set("api_base", d.base)
		host, _ := hostOf(base)
		d.hosted = isHosted(host) || !isLocalProvider(provider) && provider != ""
		if !d.hosted {
			target = find(base, d)
		}
	}
	if target == nil {
		target = model.NewMap(mo)
		target.Set("kind", model.NewText(kind, mo))
	}
	v.Set("target", target)
	d.value = v
	return d
}

func isLocalProvider(p string) bool {
	for _, l := range localProviders {
		if l == p {
			return true
		}
	}
	return false
}

// sortedKeys returns the keys of a map in order.
func sortedKeys[T any](m map[string]T) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
