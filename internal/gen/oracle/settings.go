package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing/fstest"
	"time"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

//go:embed settings.py
var settingsScript []byte

// settingsFile holds the predictions: a line "release, number, name=value ..." each.
const settingsFile = "oracle/settings.tsv"

// combinations is how many deployments are made of choices below.
const combinations = 100

// redisPort stands for the port of the Redis that is started.
const redisPort = "6399"

// choice is one thing that an operator may write, in one of three places.
type choice struct {
	section, config string // a line of the section, or of the top level
	env             string
	args            string
}

// choices are taken at random, at most one of each group.
var choices = [][]choice{
	{{section: "litellm_settings", config: "request_timeout: 600"}, {section: "litellm_settings", config: "request_timeout: 45.5"}, {section: "litellm_settings", config: "request_timeout: os.environ/ORACLE_TIMEOUT", env: "ORACLE_TIMEOUT=77"}},
	{{env: "REQUEST_TIMEOUT=120"}, {env: "REQUEST_TIMEOUT=30"}},
	{{args: "--request_timeout 90"}},
	{{section: "router_settings", config: "num_retries: 4"}, {section: "router_settings", config: "num_retries: 0"}},
	{{section: "litellm_settings", config: "num_retries: 5"}, {section: "litellm_settings", config: "num_retries: 1"}},
	{{section: "router_settings", config: "routing_strategy: least-busy"}, {section: "router_settings", config: "routing_strategy: usage-based-routing-v2"}, {section: "router_settings", config: "routing_strategy: latency-based-routing"}},
	{{section: "router_settings", config: "optional_pre_call_checks: [session_affinity]"}, {section: "router_settings", config: "optional_pre_call_checks: [prompt_caching]"}, {section: "router_settings", config: "optional_pre_call_checks: [enforce_model_rate_limits, deployment_affinity]"}},
	{{args: "--num_workers 4"}, {env: "NUM_WORKERS=3"}},
	{{args: "--port 4100"}, {env: "PORT=4200"}},
	{{args: "--limit_concurrency 64"}, {env: "LIMIT_CONCURRENCY=32"}},
	{{section: "general_settings", config: "database_connection_pool_limit: 20"}, {section: "general_settings", config: "database_connection_pool_limit: 7"}},
	{{env: "DATABASE_URL=postgresql://u:p@db-env:5432/d"}, {env: "DATABASE_URL=postgresql://u:p@db-env:5432/d?connection_limit=50&sslmode=disable"}},
	{{section: "general_settings", config: "database_url: postgresql://u:p@db-config:5432/d"}, {section: "general_settings", config: "database_url: os.environ/ORACLE_DATABASE", env: "ORACLE_DATABASE=postgresql://u:p@db-referred:5432/d"}},
	{{section: "general_settings", config: "proxy_batch_write_at: 60"}, {section: "general_settings", config: "proxy_batch_write_at: 15"}},
	{{env: "PROXY_BATCH_WRITE_AT=45"}},
	{{section: "general_settings", config: "max_in_flight_requests_per_worker: 64"}},
	{{section: "general_settings", config: "max_queued_requests_per_worker: 100"}},
	{{section: "litellm_settings", config: "cache: true\n  cache_params:\n    type: local"}, {section: "litellm_settings", config: "cache: true\n  cache_params:\n    type: redis\n    host: 127.0.0.1\n    port: 6399"}, {section: "litellm_settings", config: "cache_params:\n    type: redis\n    host: 127.0.0.1"}, {section: "litellm_settings", config: "cache: true\n  cache_params:\n    host: 127.0.0.1\n    port: 6399"}, {section: "litellm_settings", config: "cache: true\n  cache_params:\n    mode: default_off"}, {section: "litellm_settings", config: "cache: false"}},
	{{section: "general_settings", config: "coordination_redis:\n    host: 127.0.0.1\n    port: 6399"}},
	{{section: "router_settings", config: "redis_host: 127.0.0.1\n  redis_port: 6399"}},
	{{env: "REDIS_URL=redis://127.0.0.1:6399"}},
}

// combination is one deployment out of choices.
type combination struct {
	number int
	config string
	env    []string
	args   []string
}

// combined returns the n-th combination, always the same.
func combined(n int) combination {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	c := combination{number: n, env: []string{"ORACLE_KEY=" + masterKey}}
	sections := map[string][]string{"general_settings": {"master_key: os.environ/ORACLE_KEY"}}
	for _, group := range choices {
		if r.IntN(100) >= 40 {
			continue
		}
		x := group[r.IntN(len(group))]
		if x.config != "" {
			sections[x.section] = append(sections[x.section], x.config)
		}
		if x.env != "" {
			c.env = append(c.env, x.env)
		}
		c.args = append(c.args, strings.Fields(x.args)...)
	}
	var b strings.Builder
	b.WriteString("model_list:\n  - model_name: m\n    litellm_params:\n      model: openai/fake\n      api_base: http://127.0.0.1:1/v1\n      api_key: none\n")
	for _, s := range slices.Sorted(maps.Keys(sections)) {
		b.WriteString(s + ":\n")
		for _, line := range sections[s] {
			b.WriteString("  " + line + "\n")
		}
	}
	c.config = b.String()
	return c
}

// checkClasses are the classes that carry out a check of optional_pre_call_checks.
var checkClasses = map[string]string{
	"session_affinity":          "DeploymentAffinityCheck",
	"deployment_affinity":       "DeploymentAffinityCheck",
	"prompt_caching":            "PromptCachingDeploymentCheck",
	"enforce_model_rate_limits": "ModelRateLimitingCheck",
}

// expect returns the values that the model holds effective for a combination, in the words of settings.py.
func (c combination) expect(release string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v%s\n    command: [--config, /app/config.yaml", release)
	for _, a := range c.args {
		fmt.Fprintf(&b, ", %q", a)
	}
	b.WriteString("]\n    volumes: [\"./config.yaml:/app/config.yaml\"]\n    environment:\n")
	for _, kv := range c.env {
		k, v, _ := strings.Cut(kv, "=")
		fmt.Fprintf(&b, "      %s: %q\n", k, v)
	}
	r, err := engine.Run(context.Background(), engine.Options{Root: ".", Today: "2026-11-29", FS: fstest.MapFS{
		"config.yaml": {Data: []byte(c.config)}, "docker-compose.yml": {Data: []byte(b.String())},
	}})
	if err != nil {
		return "", err
	}
	if len(r.Stacks) != 1 {
		return "", fmt.Errorf("combination %d is read as %d stacks", c.number, len(r.Stacks))
	}
	root := r.Stacks[0].Stack.Root
	g := root.Get("gateway")
	held := map[string]string{}
	put := func(name string, v *model.Value) {
		if t, ok := v.Scalar(); ok {
			held[name] = t
		}
	}
	for _, name := range []string{"request_timeout", "num_retries", "workers", "port", "limit_concurrency", "master_key", "batch_write_interval"} {
		put(name, g.At("settings", name, "value"))
	}
	if u := g.At("settings", "database_url", "value"); u.Known() {
		put("database_pool_limit", g.At("settings", "database_pool_limit", "value"))
	}
	for _, u := range root.At("database", "urls").Items() {
		put("database_host", u.Get("host"))
	}
	for _, name := range []string{"max_in_flight_requests_per_worker", "max_queued_requests_per_worker"} {
		put(name, g.At("config", "general_settings", name))
	}
	put("routing_strategy", g.At("config", "router_settings", "routing_strategy"))
	var classes []string
	for _, v := range g.At("config", "router_settings", "optional_pre_call_checks").Items() {
		if t, ok := v.AsText(); ok && !slices.Contains(classes, checkClasses[t]) {
			classes = append(classes, checkClasses[t])
		}
	}
	slices.Sort(classes)
	held["pre_call_checks"] = strings.Join(classes, ",")
	// The Redis of the response cache counts with the cache.
	cached, _ := g.At("config", "litellm_settings", "cache").AsBool()
	shared := false
	for _, x := range root.At("redis", "instances").Items() {
		use, _ := x.Get("use").AsText()
		shared = shared || use != "router" && (use != "cache" || cached)
	}
	held["shared_counters"] = strconv.FormatBool(shared)
	return written(held), nil
}

// written is a line of names and values.
func written(held map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(held)) {
		parts = append(parts, k+"="+held[k])
	}
	return strings.Join(parts, " ")
}

func predictSettings() error {
	var b bytes.Buffer
	for _, r := range releases {
		for n := range combinations {
			p, err := combined(n).expect(r)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s\t%d\t%s\n", r, n, p)
		}
	}
	return os.WriteFile(settingsFile, b.Bytes(), 0o644)
}

func askSettings(o *oracle, release string) ([]answer, error) {
	committed, err := os.ReadFile(settingsFile)
	if err != nil {
		return nil, err
	}
	bin, err := o.environment(release)
	if err != nil {
		return nil, err
	}
	var out []answer
	var asked []combination
	for n := range combinations {
		c := combined(n)
		a := answer{name: fmt.Sprintf("settings-%d", n), question: "Which settings are in effect?"}
		if !o.asks(a.name) {
			continue
		}
		if a.predicted, err = c.expect(release); err != nil {
			return nil, err
		}
		if !bytes.Contains(committed, []byte(fmt.Sprintf("%s\t%d\t%s\n", release, n, a.predicted))) {
			return nil, fmt.Errorf("%s: %s is not the prediction that was committed; run -predict and read what changed", settingsFile, a.predicted)
		}
		out, asked = append(out, a), append(asked, c)
	}
	var wg sync.WaitGroup
	turn := make(chan struct{}, runtime.NumCPU())
	for i := range out {
		wg.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			observed, err := asked[i].ask(bin, out[i].predicted)
			if out[i].observed = observed; err != nil {
				out[i].unanswered = err.Error()
			}
		})
	}
	wg.Wait()
	return out, nil
}

// ask starts the proxy of a combination and returns what it holds under the names of a prediction.
func (c combination) ask(bin, predicted string) (string, error) {
	l, err := newLab(bin)
	if err != nil {
		return "", err
	}
	defer l.Close()
	// A Redis that does not answer is not used.
	if err := l.startRedis(); err != nil {
		return "", err
	}
	here := func(text string) string { return strings.ReplaceAll(text, redisPort, strconv.Itoa(l.redis)) }
	env := make([]string, len(c.env))
	for i, kv := range c.env {
		env[i] = here(kv)
	}
	for name, text := range map[string]string{"config.yaml": here(c.config), "settings.py": string(settingsScript), "prisma": "#!/bin/sh\nexit 0\n"} {
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o755); err != nil {
			return "", err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), readyWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "python"), append([]string{"settings.py", "--config", filepath.Join(l.dir, "config.yaml")}, c.args...)...)
	cmd.Dir = l.dir
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(l.clean(env), "PATH="+l.dir+":"+os.Getenv("PATH"), "DISABLE_SCHEMA_UPDATE=true")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("settings.py: %w: %s", err, errs.Bytes()[max(0, errs.Len()-300):])
	}
	var all map[string]string
	if err := json.Unmarshal(b, &all); err != nil {
		return "", fmt.Errorf("settings.py: %w", err)
	}
	if all["start"] == "refused" {
		return "refused " + string(errs.Bytes()[max(0, errs.Len()-300):]), nil
	}
	held := map[string]string{}
	for _, part := range strings.Fields(predicted) {
		k, _, _ := strings.Cut(part, "=")
		held[k] = all[k]
	}
	return written(held), nil
}
