package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/source"
)

// Fact is a number or a word that no file of a deployment shows and that a person may state, in the configuration
// or with --assume.
type Fact struct {
	// Name carries the unit.
	Name string
	// Doc says what the fact is; Ask is how to find it out, a command or a place.
	Doc, Ask string
	kind     kinds
	// min is the smallest value of a number; exclusive when above is set.
	min   float64
	above bool
	// keyed facts may be given for each engine by name.
	keyed bool
}

// Facts returns all facts in the order in which they are documented.
func Facts() []Fact {
	return []Fact{
		{Name: "postgres_max_connections", Doc: "max_connections of the Postgres server", Ask: "psql -c 'show max_connections'", kind: anInt, min: 1},
		{Name: "postgres_reserved_connections", Doc: "connections the server keeps for superusers and reserved roles", Ask: "psql -c 'show superuser_reserved_connections' -c 'show reserved_connections'", kind: anInt},
		{Name: "pooler_pool_size", Doc: "server connections of the pooler per database and user", Ask: "psql -h POOLER -p 6432 pgbouncer -c 'show databases'", kind: anInt, min: 1},
		{Name: "gateway_replicas", Doc: "largest number of gateway replicas", Ask: "kubectl get deployment,hpa", kind: anInt},
		{Name: "gateway_workers", Doc: "worker processes of one gateway replica", Ask: "kubectl exec POD -- printenv NUM_WORKERS", kind: anInt, min: 1},
		{Name: "database_pool_limit", Doc: "database connections of one worker process", Ask: "database_connection_pool_limit in the gateway's settings", kind: anInt, min: 1},
		{Name: "redis", Doc: "whether the gateway has a Redis", Ask: "kubectl exec POD -- printenv REDIS_HOST REDIS_URL", kind: aBool},
		{Name: "ingress_timeout_seconds", Doc: "read timeout of the ingress or load balancer in front of the gateway, in seconds", Ask: "the annotations of the ingress", kind: aNumber, above: true},
		{Name: "gpu", Doc: "the engine's accelerator by name", Ask: "nvidia-smi --query-gpu=name --format=csv", kind: aText, keyed: true},
		{Name: "gpu_memory_gib", Doc: "memory of one accelerator in GiB", Ask: "nvidia-smi --query-gpu=memory.total --format=csv", kind: aNumber, above: true, keyed: true},
		{Name: "engine_replicas", Doc: "largest number of engine replicas", Ask: "kubectl get deployment,hpa", kind: anInt, keyed: true},
		{Name: "engine_block_size", Doc: "tokens of one KV cache block", Ask: "curl ENGINE:8000/metrics | grep cache_config_info", kind: anInt, min: 1, keyed: true},
		{Name: "engine_max_model_len", Doc: "context limit of the engine in tokens", Ask: "curl ENGINE:8000/v1/models", kind: anInt, min: 1, keyed: true},
	}
}

// FactNamed returns the fact of a name.
func FactNamed(name string) (Fact, bool) {
	for _, f := range Facts() {
		if f.Name == name {
			return f, true
		}
	}
	return Fact{}, false
}

func factNames() []string {
	var names []string
	for _, f := range Facts() {
		names = append(names, f.Name)
	}
	return names
}

// one is the shape of a single value of the fact.
func (f Fact) one() *shape {
	s := &shape{doc: f.Doc, kinds: f.kind}
	if f.kind&(anInt|aNumber) != 0 {
		s.min, s.above, s.bounded = f.min, f.above, true
	}
	if f.Name == "gpu" {
		s.format = formatGPU
	}
	return s
}

// value is the shape of the fact in a configuration: a value, or one for each engine.
func (f Fact) value() *shape {
	s := f.one()
	if f.keyed {
		s.kinds |= aMap
		s.entries = f.one()
	}
	return s
}

// ParseFacts reads facts of the command line, each "name=value" or "name.engine=value", into the form of
// [Config.Facts].
func ParseFacts(args []string) (map[string]any, error) {
	out := map[string]any{}
	for _, arg := range args {
		left, text, ok := strings.Cut(arg, "=")
		name, engine, keyed := strings.Cut(strings.TrimSpace(left), ".")
		f, known := FactNamed(name)
		switch {
		case !known:
			return nil, fmt.Errorf("unknown fact %q%s", name, didYouMean(name, factNames()))
		case !ok:
			return nil, fmt.Errorf("fact %s: want %s=VALUE", name, left)
		case keyed && (!f.keyed || engine == ""):
			return nil, fmt.Errorf("fact %s: only facts of engines take a name after the dot", name)
		}
		text = strings.TrimSpace(text)
		v, k := any(text), aText
		if f.kind != aText {
			v, k = scalarOf(&source.Node{Text: text, Empty: text == ""})
		}
		if msg := f.one().scalar(v, k); msg != "" {
			return nil, fmt.Errorf("fact %s: %s", left, msg)
		}
		if f.kind == aText {
			if msg := f.one().meaning(text, nil); msg != "" {
				return nil, fmt.Errorf("fact %s: %s", left, msg)
			}
		}
		if !keyed {
			out[name] = v
			continue
		}
		m, _ := out[name].(map[string]any)
		if m == nil {
			m = map[string]any{}
			out[name] = m
		}
		m[engine] = v
	}
	return out, nil
}

// Products are the programs that target: and --target name.
func Products() []string {
	return []string{"litellm", "vllm", "production-stack", "llm-d", "dynamo", "sglang", "aibrix", "ray"}
}

// ParseTargets reads "litellm=1.102,vllm=0.29" into the form of [Config.Targets].
func ParseTargets(text string) (map[string]string, error) {
	out := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, version, ok := strings.Cut(part, "=")
		switch {
		case !slices.Contains(Products(), name):
			return nil, fmt.Errorf("unknown product %q%s", name, didYouMean(name, Products()))
		case !ok:
			return nil, fmt.Errorf("target %s: want %s=VERSION", name, name)
		}
		if _, err := knowledge.ParseVersion(version); err != nil {
			if p := knowledge.ByName(name); p != nil {
				err = fmt.Errorf("%w (the newest release that is known is %s)", err, p.Newest())
			}
			return nil, fmt.Errorf("target %s: %w", name, err)
		}
		out[name] = version
	}
	return out, nil
}

// didYouMean returns a suggestion to end an error with, empty when no word is close.
func didYouMean(name string, words []string) string {
	if w := knowledge.Closest(name, words); w != "" {
		return fmt.Sprintf(" (did you mean %q?)", w)
	}
	return ""
}

func quote(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = strconv.Quote(w)
	}
	return strings.Join(out, ", ")
}
