package knowledge

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func chart(t *testing.T, name string) *ChartTable {
	t.Helper()
	c, ok := Chart(name)
	if !ok {
		t.Fatalf("no chart %s", name)
	}
	return c
}

func TestChartNames(t *testing.T) {
	for in, want := range map[string]string{
		"litellm-helm": "litellm-helm", "classic": "litellm-helm", "oci://ghcr.io/berriai/litellm-helm": "litellm-helm", "LiteLLM-Helm": "litellm-helm",
		"docker.litellm.ai/berriai/litellm-helm:1.82.3": "litellm-helm", "deploy/charts/litellm-helm/": "litellm-helm",
		"oci://ghcr.io/berriai/litellm/chart/litellm": "litellm", "componentized": "litellm", "vllm/vllm-stack@sha256:00": "vllm-stack",
		"production-stack": "vllm-stack", "open-webui": "", "": "", "litellm-helm-x": "",
	} {
		got := ""
		if c, ok := Chart(in); ok {
			got = c.Name()
		}
		if got != want {
			t.Errorf("Chart(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestChartDefaults(t *testing.T) {
	for _, c := range []struct{ chart, form, path, want string }{
		{"classic", "1.95.0", "autoscaling.targetCPUUtilizationPercentage", "80"},
		{"classic", "1.96.0", "autoscaling.targetCPUUtilizationPercentage", "60"},
		{"classic", "0.4.8", "autoscaling.maxReplicas", "100"},
		{"classic", "1.108.0", "autoscaling.targetMemoryUtilizationPercentage", ""},
		{"classic", "1.85.7", "image.repository", `"ghcr.io/berriai/litellm-database"`},
		{"classic", "1.108.0", "image.repository", `"ghcr.io/berriai/litellm"`},
		{"classic", "1.108.0", "terminationGracePeriodSeconds", "90"},
		{"classic", "0.4.7", "terminationGracePeriodSeconds", ""},
		{"classic", "1.108.0", "startupProbe.failureThreshold", "30"},
		{"classic", "1.81.13", "startupProbe.failureThreshold", ""},
		{"classic", "1.108.0", "db.connectionPool.maxDbConnections", "20"},
		{"classic", "1.101.0", "db.connectionPool.maxDbConnections", ""},
		{"classic", "1.81.0", "migrationJob.retries", "3"},
		{"classic", "1.108.0", "migrationJob.retries", ""},
		{"classic", "1.81.0", "postgresql.auth.password", `"NoTaGrEaTpAsSwOrD"`},
		{"componentized", "1.108.0", "gateway.hpa.targetMemoryUtilizationPercentage", "80"},
		{"componentized", "1.108.0", "gateway.hpa.enabled", "true"},
		{"componentized", "1.108.0", "gateway.terminationGracePeriodSeconds", `""`},
		{"componentized", "1.108.0", "gateway.resources", `{"requests":{"cpu":"1","memory":"4Gi"},"limits":{"cpu":"2","memory":"4Gi"}}`},
		{"componentized", "1.108.0", "image.repository", `"ghcr.io/berriai/litellm"`},
		{"componentized", "1.103.0", "gateway.image.repository", `"ghcr.io/berriai/litellm-gateway"`},
		{"production-stack", "0.1.12", "routerSpec.resources.limits.memory", `"1000Mi"`},
		{"production-stack", "0.1.8", "routerSpec.resources.limits.memory", `"500Mi"`},
		{"production-stack", "0.1.5", "routerSpec.resources.limits.memory", `"32G"`},
		{"production-stack", "0.1.12", "servingEngineSpec.startupProbe.failureThreshold", "60"},
		{"production-stack", "0.1.12", "servingEngineSpec.modelSpec[0].replicaCount", ""},
		{"production-stack", "0.1.12", "servingEngineSpec.modelSpec[0].vllmConfig.maxModelLen", ""},
	} {
		got, _ := chart(t, c.chart).Default(c.path, MustVersion(c.form))
		if got != c.want {
			t.Errorf("%s %s: %s = %s, want %s", c.chart, c.form, c.path, got, c.want)
		}
	}
}

func TestChartKey(t *testing.T) {
	for _, c := range []struct {
		chart, form, path, want string
		kind                    ChartKeyKind
		presence                Presence
	}{
		{"classic", "1.81.13", "livenessProbe.timeoutSeconds", "livenessProbe.timeoutSeconds", KeyScalar, NotYet},
		{"classic", "1.108.0", "livenessProbe", "livenessProbe", KeyBlock, Present},
		{"classic", "1.81.13", "separateHealthApp", "separateHealthApp", KeyScalar, Present},
		{"classic", "1.108.0", "separateHealthApp", "separateHealthApp", KeyScalar, Gone},
		{"classic", "1.102.0", "keda.prometheus.requestsPerMinute", "keda.prometheus.requestsPerMinute", KeyScalar, Present},
		{"classic", "1.108.0", "keda.prometheus.requestsPerMinute", "keda.prometheus.requestsPerMinute", KeyScalar, Gone},
		{"classic", "1.108.0", "proxy_config.general_settings.master_key", "proxy_config", KeyMap, Present},
		{"classic", "1.108.0", "envVars.NUM_WORKERS", "envVars", KeyMap, Present},
		{"classic", "1.108.0", "redis.sentinel.masterSet", "redis", KeyMap, Present},
		{"classic", "1.108.0", "redis.enabled", "redis.enabled", KeyScalar, Present},
		{"classic", "0.4.7", "numWorkers", "numWorkers", KeyScalar, NotYet},
		{"classic", "0.4.8", "numWorkers", "numWorkers", KeyScalar, Present},
		{"classic", "1.108.0", "extraEnvVars[2].name", "extraEnvVars", KeyMap, Present},
		{"classic", "1.108.0", "nosuch.key", "", "", Unknown},
		{"componentized", "1.108.0", "gateway.livenessProbe.httpGet.path", "gateway.livenessProbe", KeyMap, Present},
		{"componentized", "1.108.0", "gateway.config.proxy_config.model_list[0]", "gateway.config.proxy_config", KeyMap, Present},
		{"componentized", "1.103.0", "gateway.keda.enabled", "gateway.keda.enabled", KeyScalar, NotYet},
		{"production-stack", "0.1.12", "servingEngineSpec.modelSpec.3.vllmConfig.maxModelLen", "servingEngineSpec.modelSpec[].vllmConfig.maxModelLen", KeyScalar, Present},
		{"production-stack", "0.1.12", "servingEngineSpec.modelSpec[0].vllmConfig", "servingEngineSpec.modelSpec[].vllmConfig", KeyBlock, Present},
		{"production-stack", "0.1.8", "servingEngineSpec.modelSpec[0].keda.triggers", "servingEngineSpec.modelSpec[].keda.triggers", KeyList, NotYet},
		{"production-stack", "0.1.10", "routerSpec.prefixMinMatchLength", "routerSpec.prefixMinMatchLength", KeyScalar, NotYet},
	} {
		k, p := chart(t, c.chart).Key(c.path, MustVersion(c.form))
		if k.Path != c.want || k.Kind != c.kind || p != c.presence {
			t.Errorf("%s %s: Key(%s) = %q %q %s, want %q %q %s", c.chart, c.form, c.path, k.Path, k.Kind, p, c.want, c.kind, c.presence)
		}
	}
}

func TestChartKeyMeaning(t *testing.T) {
	k, _ := chart(t, "classic").Key("numWorkers", MustVersion("1.108.0"))
	if !slices.Contains(k.Sets(), "gateway.workers") || len(k.Renders()) != 1 || k.Renders()[0] != (Rendering{"arg", "--num_workers"}) ||
		len(k.Needs()) != 1 || k.Needs()[0] != (ChartCondition{Path: "args", Not: true}) || k.Order != 0 {
		t.Errorf("numWorkers: %v %v %v %d", k.Sets(), k.Renders(), k.Needs(), k.Order)
	}
	k, _ = chart(t, "componentized").Key("gateway.numWorkers", MustVersion("1.108.0"))
	if len(k.Renders()) != 1 || k.Renders()[0] != (Rendering{"env", "NUM_WORKERS"}) || k.Order == 0 {
		t.Errorf("gateway.numWorkers: %v %d", k.Renders(), k.Order)
	}
	k, _ = chart(t, "production-stack").Key("routerSpec.staticBackends", MustVersion("0.1.12"))
	if len(k.Needs()) != 1 || k.Needs()[0] != (ChartCondition{Path: "routerSpec.serviceDiscovery", Value: "static"}) {
		t.Errorf("routerSpec.staticBackends: %v", k.Needs())
	}
	// Kubernetes takes the last of two variables with one name; env stands after envFrom.
	order := func(path string) int { k, _ := chart(t, "classic").Key(path, MustVersion("1.95.0")); return k.Order }
	paths := []string{"environmentSecrets", "environmentConfigMaps", "service.port", "db.url", "masterkeySecretName", "redis.enabled", "logLevel", "envVars", "separateHealthApp", "extraEnvVars", "migrationJob.enabled"}
	for i := 1; i < len(paths); i++ {
		if order(paths[i-1]) >= order(paths[i]) {
			t.Errorf("%s (%d) does not come before %s (%d)", paths[i-1], order(paths[i-1]), paths[i], order(paths[i]))
		}
	}
}

func TestChartFixed(t *testing.T) {
	fixed := map[string]string{}
	for k := range chart(t, "production-stack").Keys(MustVersion("0.1.12")) {
		if k.Kind == KeyFixed {
			fixed[k.Path], _ = k.Default(MustVersion("0.1.12"))
		}
	}
	if fixed["(env PYTHONHASHSEED)"] != `"123"` || fixed["(arg --no-enable-prefix-caching)"] != "true" {
		t.Errorf("production-stack renders %v", fixed)
	}
	for k := range chart(t, "production-stack").Keys(MustVersion("0.1.7")) {
		if k.Path == "(env PYTHONHASHSEED)" {
			t.Error("chart 0.1.7 sets no PYTHONHASHSEED")
		}
	}
}

func TestChartForm(t *testing.T) {
	for _, c := range []struct {
		chart, version, app, want string
		exact                     bool
	}{
		{"classic", "1.85.7", "", "1.85.7", true},
		{"classic", "0.4.6", "", "0.4.6", true},
		{"classic", "0.1.0", "", "0.1.0", true},
		{"classic", "0.1.694", "", "0.4.0", false},
		{"classic", "0.1.837", "1.81.0", "1.81.0", false},
		{"classic", "0.1.694", "1.76.3", "0.4.6", false},
		{"classic", "0.4.6", "1.81.0", "0.4.6", true},
		{"classic", "1.1.0", "", "1.1.0", false},
		{"classic", "1.1.3", "", LiteLLM.Newest().String(), false},
		{"classic", "", "1.85.1", "1.85.1", false},
		{"classic", "", "1.61.20", "0.4.1", false},
		{"classic", "", "1.52.0", "0.3.0", false},
		{"classic", "", "1.76.3", "0.4.6", false},
		{"classic", "", "1.10.0", "0.1.0", false},
		{"classic", "", "", LiteLLM.Newest().String(), false},
		{"componentized", "1.0.0", "", LiteLLM.Newest().String(), false},
		{"componentized", "1.102.0", "", "1.102.0", true},
		{"production-stack", "0.1.8", "0.29.0", "0.1.8", true},
		{"production-stack", "", "0.29.0", "0.1.12", false},
	} {
		var v, app Version
		if c.version != "" {
			v = MustVersion(c.version)
		}
		if c.app != "" {
			app = MustVersion(c.app)
		}
		got, exact := chart(t, c.chart).Form(v, app)
		if got.String() != c.want || exact != c.exact {
			t.Errorf("%s: Form(%q, %q) = %s %v, want %s %v", c.chart, c.version, c.app, got, exact, c.want, c.exact)
		}
	}
}

func TestChartAppVersion(t *testing.T) {
	for _, c := range []struct{ chart, version, want string }{
		{"classic", "1.85.7", "1.85.7"}, {"classic", "0.4.6", "1.50.2"}, {"classic", "1.0.0", "1.80.12"}, {"classic", "1.1.0", ""}, {"classic", "1.1.3", "1.85.1"},
		{"classic", "0.1.694", ""}, {"componentized", "1.102.0", "1.102.0"}, {"componentized", "1.0.0", "1.104.0"}, {"production-stack", "0.1.12", ""},
	} {
		got, ok := chart(t, c.chart).AppVersion(MustVersion(c.version))
		if ok != (c.want != "") || ok && got.String() != c.want {
			t.Errorf("%s %s: AppVersion = %s %v, want %q", c.chart, c.version, got, ok, c.want)
		}
	}
}

func TestChartNearest(t *testing.T) {
	for _, c := range []struct{ chart, path, want string }{
		{"classic", "autoscaling.targetCPUUtilisationPercentage", "autoscaling.targetCPUUtilizationPercentage"},
		{"classic", "numworkers", "numWorkers"},
		{"componentized", "numWorkers", "gateway.numWorkers"},
		{"production-stack", "servingEngineSpec.modelSpec[0].vllmConfig.maxModelLength", "servingEngineSpec.modelSpec[].vllmConfig.maxModelLen"},
	} {
		ct := chart(t, c.chart)
		if got := ct.Nearest(c.path, ct.Newest()); len(got) == 0 || got[0] != c.want {
			t.Errorf("%s: Nearest(%s) = %v, want %s first", c.chart, c.path, got, c.want)
		}
	}
}

func TestChartTableIsSound(t *testing.T) {
	kinds := []ChartKeyKind{KeyScalar, KeyList, KeyMap, KeyFixed}
	rendering := []string{"arg", "env", "envfrom", "file", "field", "object", "metric", "subchart", "annotation", "configmap"}
	for _, c := range Charts() {
		n := 0
		for k := range c.All() {
			n++
			where := c.Name() + " " + k.Path
			if !slices.Contains(kinds, k.Kind) || k.Source == "" || k.versions == "" {
				t.Errorf("%s: incomplete row", where)
			}
			if (k.Kind == KeyFixed) != strings.HasPrefix(k.Path, "(") {
				t.Errorf("%s: kind %s", where, k.Kind)
			}
			for i, d := range k.Defaults() {
				if d.Value != "" && !json.Valid([]byte(d.Value)) {
					t.Errorf("%s: default %s is no JSON", where, d.Value)
				}
				if i > 0 && d.At.Compare(k.Defaults()[i-1].At) <= 0 {
					t.Errorf("%s: defaults are not in order", where)
				}
			}
			for _, r := range k.Renders() {
				if !slices.Contains(rendering, r.Kind) || r.Name == "" {
					t.Errorf("%s: renders %v", where, r)
				}
				if (r.Kind == "env" || r.Kind == "envfrom") && k.Order == 0 && !strings.Contains(r.Name, "(job)") {
					t.Errorf("%s: sets a variable without a rank", where)
				}
			}
			if k.Kind != KeyFixed {
				if got, p := c.Key(k.Path, c.Newest()); p == Unknown || got.Path != k.Path && (p != Present || k.At(c.Newest()) == Present) {
					t.Errorf("%s: the search finds %q", where, got.Path)
				}
			}
			for _, need := range k.Needs() {
				if _, p := c.Key(need.Path, c.Newest()); p == Unknown {
					t.Errorf("%s: needs %s, which is no key", where, need.Path)
				}
			}
		}
		if n < 100 {
			t.Errorf("%s has %d keys", c.Name(), n)
		}
	}
	for i := range charts.len() {
		cells := strings.Split(charts.line(i), "\t")
		if _, err := strconv.Atoi(cells[8]); err != nil && cells[8] != "" {
			t.Errorf("charts.tsv line %d: order %q", i+2, cells[8])
		}
	}
}

func FuzzChartKey(f *testing.F) {
	for _, s := range []string{"", ".", "[", "a[0][1].2", "servingEngineSpec.modelSpec[0].env", "]..[]", "redis.0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, c := range Charts() {
			if k, p := c.Key(path, c.Newest()); p != Unknown && k.Path == "" {
				t.Errorf("Key(%q) has no path", path)
			}
			c.Nearest(path, c.Newest())
		}
	})
}
