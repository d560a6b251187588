package loaders

import (
	"net/url"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// knownProvider reports whether LiteLLM's newest release has a provider of that name.
func knownProvider(name string) bool {
	if isLocalProvider(name) || contains(hostedProviders, name) {
		return true
	}
	_, p := knowledge.LiteLLM.At(knowledge.LiteLLM.Newest()).EnumValue("provider", name)
	return p == knowledge.Present
}

// hostedProviders are the providers that most configs name; the knowledge base has the others.
var hostedProviders = []string{"anthropic", "azure", "azure_ai", "azure_text", "bedrock", "cohere", "databricks", "deepinfra", "deepseek", "fireworks_ai", "gemini", "groq", "huggingface", "mistral",
	"openrouter", "perplexity", "replicate", "sagemaker", "together_ai", "vertex_ai", "voyage", "watsonx", "xai", "nvidia_nim", "cerebras", "github", "auto_router"}

// place is one place that may set a gateway setting.
type place struct {
	from model.Source
	// key is a dotted path in the config, the variable's name, or the flag's.
	key string
	// present says that the key being there decides, even when its value resolves to nothing.
	present bool
}

// gatewaySetting is one effective setting: its places in order of precedence and the product's default.
type gatewaySetting struct {
	name   string
	places []place
	// def is the product's default as text, "" for none; number says to read texts as numbers.
	def    string
	number bool
}

// gatewaySettings is the precedence of LiteLLM 1.102.0, seen in a running proxy: the timeouts of the chat path,
// retries, worker count (litellm/proxy/proxy_cli.py), the pool limit it writes over the one in the URL
// (append_query_params), master key (proxy_server.py load_config).
var gatewaySettings = []gatewaySetting{
	{name: "request_timeout", number: true, def: "6000", places: []place{
		// Put into each request, in front of the global value (run with 1.102.0 and 1.110.2).
		{from: model.FromArgs, key: "request-timeout"},
		{from: model.FromConfig, key: "litellm_settings.request_timeout"},
		{from: model.FromEnv, key: "REQUEST_TIMEOUT"}}},
	{name: "router_timeout", number: true, places: []place{{from: model.FromConfig, key: "router_settings.timeout"}}},
	{name: "stream_timeout", number: true, places: []place{{from: model.FromConfig, key: "router_settings.stream_timeout"}}},
	{name: "num_retries", number: true, def: "2", places: []place{
		{from: model.FromConfig, key: "router_settings.num_retries"},
		{from: model.FromConfig, key: "litellm_settings.num_retries"}}},
	{name: "workers", number: true, def: "1", places: []place{
		{from: model.FromArgs, key: "num-workers"},
		{from: model.FromEnv, key: "NUM_WORKERS"},
		{from: model.FromEnv, key: "DEFAULT_NUM_WORKERS_LITELLM_PROXY"}}},
	{name: "port", number: true, def: "4000", places: []place{
		{from: model.FromArgs, key: "port"},
		{from: model.FromEnv, key: "PORT"}}},
	{name: "database_pool_limit", number: true, def: "10", places: []place{
		{from: model.FromConfig, key: "general_settings.database_extra_connection_params.connection_limit"},
		{from: model.FromConfig, key: "general_settings.database_connection_pool_limit"}}},
	{name: "database_url", places: []place{
		{from: model.FromConfig, key: "general_settings.database_url"},
		{from: model.FromEnv, key: "DATABASE_URL"}}},
	{name: "master_key", places: []place{
		{from: model.FromConfig, key: "general_settings.master_key", present: true},
		{from: model.FromEnv, key: "LITELLM_MASTER_KEY"}}},
	{name: "store_model_in_db", places: []place{
		{from: model.FromEnv, key: "STORE_MODEL_IN_DB"},
		{from: model.FromConfig, key: "general_settings.store_model_in_db"}}},
	{name: "batch_write_interval", number: true, def: "10", places: []place{
		{from: model.FromConfig, key: "general_settings.proxy_batch_write_at"},
		{from: model.FromEnv, key: "PROXY_BATCH_WRITE_AT"}}},
	{name: "drain_endpoint_token", places: []place{
		{from: model.FromConfig, key: "general_settings.drain_endpoint_token"},
		{from: model.FromEnv, key: "DRAIN_ENDPOINT_TOKEN"}}},
	{name: "graceful_shutdown_timeout", number: true, def: "30", places: []place{{from: model.FromEnv, key: "GRACEFUL_SHUTDOWN_TIMEOUT"}}},
	{name: "limit_concurrency", number: true, places: []place{
		{from: model.FromArgs, key: "limit-concurrency"},
		{from: model.FromEnv, key: "LIMIT_CONCURRENCY"}}},
}

// effectiveSettings computes gateway.settings from config, environment and arguments.
func effectiveSettings(config, env, args *model.Value) *model.Value {
	out := model.NewMap(model.Origin{})
	for i := range gatewaySettings {
		s := &gatewaySettings[i]
		if v := s.effective(config, env, args); v != nil {
			out.Set(s.name, v)
		}
	}
	return out
}

// effective returns {value, source} of a setting, nil when nothing sets it and it has no default.
func (s *gatewaySetting) effective(config, env, args *model.Value) *model.Value {
	var winner *model.Value
	var losers []model.Origin
	var from model.Source
	for _, p := range s.places {
		v, decided := p.read(config, env, args)
		if winner != nil {
			if v != nil && !v.Origin.IsZero() {
				losers = append(losers, v.Origin)
			}
			continue
		}
		switch {
		case v != nil:
			winner, from = v, p.from
		case decided:
			return nil
		}
	}
	if winner == nil {
		if s.def == "" {
			return nil
		}
		winner = model.NewText(s.def, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Note: "default of LiteLLM"}})
		from = model.FromDefault
	}
	v := *winner
	if s.number {
		v = *asNumber(&v)
	}
	v.SetLosers(append(append([]model.Origin{}, v.Losers()...), losers...))
	out := model.NewMap(v.Origin)
	out.SetLosers(v.Losers())
	out.Set("value", &v)
	if v.Kind != model.Unknown {
		out.Set("source", model.NewText(from.String(), v.Origin))
	}
	return out
}

// read returns what one place says: nil when nothing, unknown when it may say something. decided is true when
// the place ends the search without a value.
func (p place) read(config, env, args *model.Value) (v *model.Value, decided bool) {
	switch p.from {
	case model.FromConfig:
		w := config
		for k := range strings.SplitSeq(p.key, ".") {
			next := w.Get(k)
			if next == nil {
				if w != nil && (w.Open || w.Kind == model.Unknown) {
					return model.NewUnknown(w.Origin), false
				}
				return nil, false
			}
			w = next
		}
		if w.Kind == model.Null {
			return nil, p.present
		}
		r := resolveReference(w, env)
		return r, r == nil && p.present
	case model.FromEnv:
		if w := env.Get(p.key); w != nil {
			return w, false
		}
		if env == nil || env.Open {
			return nil, false
		}
	case model.FromArgs:
		if w := args.Get(p.key); w != nil {
			if w.Kind == model.Unknown {
				return w, false
			}
			if n := w.Len(); n > 0 {
				return w.Items()[n-1], false
			}
		}
	}
	return nil, false
}

// asNumber turns a text that is a number into one, as the program does with its arguments and environment.
func asNumber(v *model.Value) *model.Value {
	if v.Kind != model.Text {
		return v
	}
	t := model.NewText(strings.TrimSpace(v.Text), v.Origin)
	out := *v
	if n, ok := t.AsInt(true); ok {
		out.Kind, out.Int, out.Text = model.Int, n, ""
	} else if x, ok := t.AsFloat(true); ok {
		out.Kind, out.Float, out.Text = model.Float, x, ""
	}
	return &out
}

// redisNames are variables that give the proxy a Redis (litellm 1.102.0, proxy_server.py
// _environment_has_redis_connection_target).
var redisNames = []string{"REDIS_HOST", "REDIS_URL", "REDIS_CLUSTER_NODES", "REDIS_SENTINEL_NODES"}

// redisPart lists every Redis that the config and the environment name; nil for none.
func redisPart(config, env *model.Value) *model.Value {
	list := model.NewList(model.Origin{})
	add := func(use, kind string, host *model.Value, o model.Origin) {
		m := model.NewMap(o)
		m.Set("use", model.NewText(use, o))
		m.Set("kind", model.NewText(kind, o))
		if host != nil && host.Kind != model.Null {
			if s, ok := host.AsText(); ok {
				h, _ := hostOf(s)
				host = model.NewText(h, host.Origin)
			}
			m.Set("host", host)
		}
		list.Append(m)
	}
	block := func(use string, b *model.Value) {
		if b == nil || b.Kind != model.Map {
			return
		}
		kind := "single"
		switch {
		case b.Get("startup_nodes") != nil || b.Get("redis_startup_nodes") != nil:
			kind = "cluster"
		case b.Get("sentinel_nodes") != nil:
			kind = "sentinel"
		}
		host := firstOf(b, "url", "host", "redis_url", "redis_host")
		add(use, kind, resolveReference(host, env), b.Origin)
	}
	block("coordination", config.At("general_settings", "coordination_redis"))
	cache, params := config.At("litellm_settings", "cache"), config.At("litellm_settings", "cache_params")
	on, _ := cache.AsBool()
	switch kind := params.Get("type"); {
	case kind != nil:
		switch name, _ := kind.AsText(); name {
		case "redis", "redis-cluster", "redis-semantic":
			block("cache", params)
		}
	case params != nil && params.Open:
		block("cache", params)
	case on && len(params.Keys()) == 0:
		// With any key and no type it is a cache in the memory of the process (litellm 1.102.0, litellm/caching/caching.py).
		add("cache", "single", env.Get("REDIS_HOST"), cache.Origin)
	}
	if rs := config.Get("router_settings"); rs.Get("redis_url") != nil || rs.Get("redis_host") != nil {
		add("router", "single", resolveReference(firstOf(rs, "redis_url", "redis_host"), env), firstOf(rs, "redis_url", "redis_host").Origin)
	}
	for _, n := range redisNames {
		if v := env.Get(n); v != nil {
			kind := "single"
			switch n {
			case "REDIS_CLUSTER_NODES":
				kind = "cluster"
			case "REDIS_SENTINEL_NODES":
				kind = "sentinel"
			}
			var host *model.Value
			if kind == "single" {
				host = v
			}
			add("env", kind, host, v.Origin)
		}
	}
	if list.Len() == 0 {
		return nil
	}
	out := model.NewMap(model.Origin{})
	out.Set("instances", list)
	return out
}

// firstOf returns the first of some keys that is there.
func firstOf(v *model.Value, keys ...string) *model.Value {
	for _, k := range keys {
		if w := v.Get(k); w != nil {
			return w
		}
	}
	return nil
}

// databaseURLs are the settings that hold a URL of the gateway's database.
var databaseURLs = []string{"DATABASE_URL", "DIRECT_URL", "DATABASE_URL_READ_REPLICA"}

// urlPart is a database URL in shape URLPart, without user and password; unknown when its text is.
func urlPart(name string, v *model.Value) *model.Value {
	m := model.NewMap(v.Origin)
	m.SetLosers(v.Losers())
	m.Set("name", model.NewText(name, v.Origin))
	raw, ok := v.AsText()
	if !ok {
		for _, k := range []string{"scheme", "host", "params", "target"} {
			m.Set(k, model.NewUnknown(v.Origin))
		}
		return m
	}
	scheme, rest, _ := strings.Cut(raw, "://")
	m.Set("scheme", model.NewText(strings.ToLower(scheme), v.Origin))
	// The password may hold anything, so the host is cut out by hand: after the last @ before the path.
	rest, query, _ := strings.Cut(rest, "?")
	authority, _, _ := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		authority, _, _ = strings.Cut(rest[i+1:], "/")
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host, port = authority[:i], authority[i+1:]
	}
	if strings.Contains(host, "$") {
		m.Set("host", model.NewUnknown(v.Origin))
	} else {
		m.Set("host", model.NewText(strings.ToLower(strings.Trim(host, "[]")), v.Origin))
	}
	if port != "" {
		m.Set("port", model.NewText(port, v.Origin))
	}
	params := model.NewMap(v.Origin)
	if q, err := url.ParseQuery(query); err == nil {
		for _, k := range sortedKeys(q) {
			params.Set(k, model.NewText(q.Get(k), v.Origin))
		}
	}
	m.Set("params", params)
	return m
}

// SettingPlace is one place that LiteLLM reads a setting from: a dotted key of the config, a variable or a flag without
// dashes.
type SettingPlace struct {
	From model.Source
	Key  string
}

// SettingPlaces returns the places of a name of gateway.settings in order of precedence, nil for a name it does not
// know.
func SettingPlaces(name string) []SettingPlace {
	for i := range gatewaySettings {
		if s := &gatewaySettings[i]; s.name == name {
			out := make([]SettingPlace, len(s.places))
			for j, p := range s.places {
				out[j] = SettingPlace{p.from, p.key}
			}
			return out
		}
	}
	return nil
}
