package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// hostile is a folder that somebody made to break agentlint.
type hostile struct {
	name  string
	files map[string]string
	// links are symbolic links, fifos named pipes.
	links map[string]string
	fifos []string
	args  []string
	// says must be in the output, when it is not empty.
	says string
	// code is the exit code when it is not one of clean and findings.
	code int
}

const smallConfig = "model_list:\n  - model_name: a\n    litellm_params: {model: hosted_vllm/a, api_base: http://vllm:8000/v1}\n"

func rep(s string, n int) string { return strings.Repeat(s, n) }

// numbered repeats a line with its number for %d.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return b.String()
}

// bomb is a document whose aliases stand for base to the power of levels items.
func bomb(levels, base int) string {
	b := "a0: &a0 [x]\n"
	for i := 1; i <= levels; i++ {
		b += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(rep(fmt.Sprintf("*a%d, ", i-1), base), ", "))
	}
	return b
}

// mergeBomb does the same with merge keys.
func mergeBomb(levels, base int) string {
	b := "m0: &m0 {x: 1}\n"
	for i := 1; i <= levels; i++ {
		b += fmt.Sprintf("m%d: &m%d\n  k%d: 1\n  <<: [%s]\n", i, i, i, strings.TrimSuffix(rep(fmt.Sprintf("*m%d, ", i-1), base), ", "))
	}
	return b
}

// one is a folder with one file.
func one(name, file, text string) hostile {
	return hostile{name: name, files: map[string]string{file: text}}
}

func hostiles() []hostile {
	panel := func(expr string) string {
		return `{"title":"t","panels":[{"targets":[{"expr":` + quoted(expr) + `}]}]}`
	}
	compose := func(command string) string {
		return "services:\n  vllm:\n    image: vllm/vllm-openai:v0.33.0\n    command: " + command + "\n"
	}
	values := "image: {repository: ghcr.io/berriai/litellm, tag: v1.102.0}\nproxy_config:\n  model_list: []\n"
	return []hostile{
		one("aliases", "config.yaml", smallConfig+bomb(12, 9)),
		one("merge keys", "config.yaml", smallConfig+mergeBomb(12, 9)),
		one("alias to itself", "config.yaml", smallConfig+"x: &x\n  y: *x\n"),
		one("merge of itself", "config.yaml", smallConfig+"x: &x\n  <<: *x\n"),
		one("unknown alias", "config.yaml", smallConfig+"x: *nowhere\n"),
		one("scalar of ten megabytes", "config.yaml", smallConfig+"x: "+rep("a", 10<<20)+"\n"),
		one("block scalar of two megabytes", "config.yaml", smallConfig+"x: |\n"+rep("  aaaaaaaaaaaaaaa\n", 120000)),
		one("three thousand keys", "config.yaml", smallConfig+"general_settings:\n"+numbered("  k%d: 1\n", 3000)),
		one("five hundred models", "config.yaml", "model_list:\n"+numbered("  - {model_name: m%d, litellm_params: {model: hosted_vllm/m%d, api_base: http://v:8000/v1}}\n", 500)),
		one("ten thousand documents", "many.yaml", rep("---\nkind: Deployment\n", 10000)),
		one("deep block", "config.yaml", smallConfig+deepBlock(1000)),
		one("deep flow", "config.yaml", smallConfig+"x: "+rep("[", 10000)+rep("]", 10000)+"\n"),
		one("unclosed flow", "config.yaml", smallConfig+"x: "+rep("{a: [", 5000)),
		one("deep JSON", "dashboard.json", rep(`{"panels":[`, 10000)+rep("]}", 10000)),
		one("unclosed JSON", "dashboard.json", `{"title":"t","panels":[{"targets":[{"expr":"vllm:num_requests_running`),
		one("fifty megabytes of dashboard", "dashboard.json", `{"panels":[`+rep(`{"targets":[{"expr":"vllm:num_requests_running"}]},`, 1000000)+`{}]}`),
		one("five thousand panels to fix", "dashboard.json", `{"title":"t","panels":[`+numbered(`{"title":"p%d","targets":[{"expr":"sum(rate(vllm:gpu_cache_usage_perc{i=\"%d\"}[5m]))"}]},`, 5000)+`{}]}`),
		one("many panels", "dashboard.json", `{"title":"t","panels":[`+rep(`{"targets":[{"expr":"sum(rate(vllm:prompt_tokens[5m]))"}]},`, 300)+`{}]}`),
		one("two JSON documents", "dashboard.json", `{"a":1}{"b":2}`),
		one("JSON with a BOM", "dashboard.json", "\ufeff"+panel("vllm:gpu_cache_usage_perc")),
		one("invalid UTF-8", "config.yaml", smallConfig+"x: \xff\xfe\xc0\xaf\n"),
		one("NUL bytes", "config.yaml", smallConfig+"x: a\x00b\n"),
		one("UTF-16", "config.yaml", "\xff\xfe"+strings.Join(strings.Split(smallConfig, ""), "\x00")),
		one("mixed line ends", "config.yaml", strings.Replace(strings.Replace(smallConfig, "\n", "\r\n", 1), "a\n", "a\r", 1)),
		one("line separators", "config.yaml", smallConfig+"x: a\u2028b\u0085c\n"),
		one("tabs", "config.yaml", "model_list:\n\t- model_name: a\n"),
		one("nothing", "config.yaml", ""),
		one("only a comment", "config.yaml", "# nothing\n"),
		one("only blanks", "config.yaml", rep(" \n", 100000)),
		one("a million comments", "config.yaml", smallConfig+rep("# c\n", 250000)),
		one("half a file", "config.yaml", smallConfig+"router_settings:\n  fallbacks: [{a: [b"),
		one("conflict marks", "config.yaml", "<<<<<<< HEAD\n"+smallConfig+"=======\n"+smallConfig+">>>>>>> branch\n"),
		one("lists for maps", "config.yaml", "model_list: {a: 1}\nlitellm_settings: [1]\ngeneral_settings: text\nrouter_settings: 3\nenvironment_variables: [x]\n"),
		one("maps for scalars", "config.yaml", smallConfig+"litellm_settings: {request_timeout: {a: 1}, num_retries: [1, 2], cache: {}}\n"),
		one("nulls", "config.yaml", "model_list:\n  -\n  - null\n  - model_name:\n    litellm_params:\nlitellm_settings:\ngeneral_settings: ~\n"),
		one("absurd numbers", "config.yaml", smallConfig+"litellm_settings: {request_timeout: 1e400, num_retries: -9223372036854775808}\ngeneral_settings: {database_connection_pool_limit: 99999999999999999999, proxy_batch_write_at: .nan}\n"),
		one("keys that are no texts", "config.yaml", smallConfig+"? [a, b]\n: c\n1: 2\ntrue: x\n? {a: 1}\n: d\n"),
		one("repeated keys", "config.yaml", smallConfig+rep("litellm_settings: {a: 1}\n", 500)),
		one("tags", "config.yaml", smallConfig+"x: !!python/object/apply:os.system ['id']\ny: !!binary notbase64\nz: !custom {a: 1}\n"),
		one("Jinja", "config.yaml", "model_list:\n{% for m in models %}\n  - model_name: {{ m }}\n{% endfor %}\n"),
		one("Helm template", "templates/deployment.yaml", "{{- if .Values.x }}\napiVersion: apps/v1\nkind: Deployment\nspec: {{ toYaml .Values.spec | nindent 2 }}\n{{- end }}\n"),
		one("SOPS", "secrets.yaml", "apiVersion: v1\nkind: Secret\nstringData: {k: \"ENC[AES256_GCM,data:abc,iv:def,tag:ghi,type:str]\"}\nsops: {mac: x}\n"),
		{name: "include of itself", files: map[string]string{"config.yaml": "include: [config.yaml]\n" + smallConfig}},
		{name: "include in a circle", files: map[string]string{"config.yaml": "include: [b.yaml]\n" + smallConfig, "b.yaml": "include: [config.yaml]\n" + smallConfig}},
		{name: "include outside", files: map[string]string{"config.yaml": "include: [../../../../etc/passwd, /etc/passwd]\n" + smallConfig}},
		{name: "include of a folder", files: map[string]string{"config.yaml": "include: [., sub]\n" + smallConfig, "sub/x.yaml": "a: 1\n"}},
		{name: "extends in a circle", files: map[string]string{"compose.yaml": "services:\n  a: {extends: {service: b}, image: litellm/litellm:v1.102.0}\n  b: {extends: {service: a}}\n"}},
		{name: "compose includes itself", files: map[string]string{"compose.yaml": "include: [compose.yaml]\n" + strings.TrimPrefix(compose("[x]"), "")}},
		{name: "env file outside", files: map[string]string{"compose.yaml": "services:\n  l: {image: ghcr.io/berriai/litellm:v1.102.0, env_file: [../../etc/shadow, /proc/self/environ]}\n"}},
		{name: "kustomize in a circle", files: map[string]string{"kustomization.yaml": "resources: [., ./sub]\n", "sub/kustomization.yaml": "resources: [..]\n"}},
		{name: "link to itself", links: map[string]string{"config.yaml": "config.yaml"}},
		{name: "links in a circle", links: map[string]string{"a": "b", "b": "a", "sub": "."}, files: map[string]string{"config.yaml": smallConfig}},
		{name: "link outside", links: map[string]string{"config.yaml": "/etc/passwd", "etc": "/etc"}},
		{name: "dangling link", links: map[string]string{"config.yaml": "nowhere"}},
		{name: "named pipe", fifos: []string{"config.yaml"}},
		{name: "named pipe that is named", fifos: []string{"config.yaml"}, args: []string{"config.yaml"}, code: exitUsage},
		{name: "device", args: []string{"/dev/zero"}, code: exitUsage},
		one("binary", "config.yaml", "\x7fELF\x02\x01\x01"+rep("\x00\xff", 1000)),
		one("PromQL without end", "dashboard.json", panel(rep("(", 20000)+"vllm:num_requests_running")),
		one("PromQL of many terms", "dashboard.json", panel(rep("vllm:num_requests_running + ", 20000)+"1")),
		one("PromQL that is broken", "dashboard.json", panel(`sum(vllm:gpu_cache_usage_perc{a=~"}) by (`)),
		one("PromQL with variables", "dashboard.json", panel(`$x{${y:csv}}[[[z]]]`)),
		one("PromQL in UTF-8 quotes", "dashboard.json", panel(`{"vllm:gpu_cache_usage_perc", a='\`)),
		one("a flag that is repeated", "run.sh", "vllm serve m"+rep(" --max-model-len 1024", 20000)+"\n"),
		one("a flag that is repeated in a list", "compose.yaml", compose("\n"+numbered("      - --max-model-len=%d\n", 20000))),
		one("a flag that is repeated in a pod", "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: v}\nspec: {template: {spec: {containers: [{name: c, image: 'vllm/vllm-openai:v0.33.0', args: [\n"+numbered("  --max-model-len=%d,\n", 20000)+"]}]}}}\n"),
		one("commands of a script", "run.sh", numbered("vllm serve m%d --port %d\n", 5000)),
		one("services", "compose.yaml", "services:\n"+numbered("  s%d:\n    image: vllm/vllm-openai:v0.33.0\n    command: [--model, m%d]\n", 2500)),
		one("gateways of a compose file", "compose.yaml", "services:\n"+numbered("  s%d:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    environment: {DATABASE_URL: 'postgres://u@db/d'}\n", 150)),
		one("models of a chart", "values.yaml", "servingEngineSpec:\n  modelSpec:\n"+numbered("  - {name: m%d, repository: vllm/vllm-openai, tag: v0.33.0, modelURL: m%d, replicaCount: 1, requestGPU: 1}\n", 1500)),
		one("models of a chart whose variables are not seen", "values.yaml", "routerSpec: {routingLogic: kvaware}\nservingEngineSpec:\n  modelSpec:\n"+numbered("  - name: m%d\n    repository: vllm/vllm-openai\n    tag: v0.33.0\n    modelURL: m%d\n    replicaCount: 2\n    requestGPU: 1\n    pvcStorage: 5Gi\n    vllmConfig: {tensorParallelSize: 2}\n    env: [{name: A, valueFrom: {secretKeyRef: {name: x, key: y}}}]\n", 300)),
		one("pods behind Services", "pods.yaml", numbered("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: v%d}\nspec: {replicas: 2, selector: {matchLabels: {app: v%d}}, template: {metadata: {labels: {app: v%d}}, spec: {containers: [{name: c, image: 'vllm/vllm-openai:v0.33.0', envFrom: [{secretRef: {name: s}}], args: [--model, m%d], resources: {limits: {nvidia.com/gpu: 1}}, livenessProbe: {httpGet: {path: /health, port: 8000}}}]}}}\n---\napiVersion: v1\nkind: Service\nmetadata: {name: v%d}\nspec: {type: NodePort, selector: {app: v%d}, ports: [{port: 80, targetPort: 8000}]}\n---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: v%d}\nspec: {scaleTargetRef: {kind: Deployment, name: v%d}, maxReplicas: 5, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}\n", 500)),
		one("pods", "pods.yaml", numbered("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: v%d}\nspec: {template: {spec: {containers: [{name: c, image: 'vllm/vllm-openai:v0.33.0', args: [--model, m%d]}]}}}\n", 2500)),
		one("gateways", "pods.yaml", numbered("---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: g%d}\nspec: {template: {spec: {containers: [{name: c, image: 'ghcr.io/berriai/litellm:v1.102.0'}]}}}\n", 150)),
		one("models of one name", "config.yaml", "model_list:\n"+numbered("  - {model_name: m, litellm_params: {model: hosted_vllm/m%d, api_base: http://v:8000/v1}}\n", 10000)),
		one("fallbacks", "config.yaml", smallConfig+"router_settings:\n  fallbacks:\n"+numbered("    - {m%d: [n%d]}\n", 5000)),
		one("variables", ".env", "LITELLM_MASTER_KEY=sk-1\n"+numbered("LITELLM_A%d=%d\n", 10000)),
		one("flags that are unknown", "run.sh", "vllm serve m"+numbered(" --unknown-%d %d", 5000)+"\n"),
		one("flags without end", "compose.yaml", compose("["+rep("--max-model-len, ", 300)+"x]")),
		one("a flag of a megabyte", "compose.yaml", compose("--"+rep("a", 1<<20))),
		one("dotted flags", "compose.yaml", compose("--speculative-config."+rep("a.", 5000)+"b 1")),
		one("shell in shell", "run.sh", rep("sh -c \"", 2000)+"vllm serve m"+rep("\"", 2000)+"\n"),
		one("shell without end", "run.sh", "vllm serve m --x $(("+rep("$(", 5000)),
		one("here documents", "run.sh", rep("cat <<EOF\n", 2000)+"vllm serve m\n"),
		one("variables that double", ".env", "A=aaaaaaaaaaaaaaaa\n"+numbered("A=${A}${A}\n", 60)+"LITELLM_MASTER_KEY=$A\n"),
		one("Dockerfile of stages", "Dockerfile", numbered("FROM a AS s%d\nCOPY --from=s%d / /\n", 5000)+"FROM vllm/vllm-openai\nCMD [\"serve\"\n"),
		one("units", "vllm.service", "[Service]\n"+rep("ExecStart=vllm serve m \\\n", 20000)),
		one("ini", "pgbouncer.ini", rep("[", 10000)+"\n"+rep("max_client_conn = 1\n", 50000)),
		one("objects without a spec", "all.yaml", specless()),
		one("values", "values.yaml", values+"db: [1]\nautoscaling: text\nresources: {limits: {memory: -1Gi, cpu: 1e99}}\nreplicaCount: -5\n"),
		one("values in values", "values.yaml", "a:\n"+deepBlock(500)+values),
		one("quantities", "deployment.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: v}\nspec: {replicas: 1e9, template: {spec: {terminationGracePeriodSeconds: -1, containers: [{name: c, image: 'vllm/vllm-openai:v0.33.0', args: [--model, m, --max-num-seqs, '-3', --gpu-memory-utilization, NaN, --block-size, '0', --tensor-parallel-size, '0'], resources: {limits: {nvidia.com/gpu: -1, memory: 99999999999999999999Gi}}}]}}}\n"),
		{name: "configuration of an attacker", files: map[string]string{"config.yaml": smallConfig, ".agentlint.yaml": "policies: [../../../etc]\nexclude: ['" + rep("*", 2000) + "a']\n"}, code: exitUsage},
		{name: "unknown configuration", files: map[string]string{"config.yaml": smallConfig, ".agentlint.yaml": "profil: strict\n"}, code: exitUsage, says: "did you mean"},
		{name: "globs", files: map[string]string{"config.yaml": smallConfig, ".agentlint.yaml": "exclude: ['" + rep("{a,b}", 15) + "', '" + rep("**/", 300) + "x']\n"}},
		{name: "ignore patterns", files: map[string]string{"config.yaml": smallConfig, ".gitignore": rep("**/*a*b*c*d*/**\n", 2000)}},
		{name: "names of files", files: map[string]string{"a\nb\x1b[31m.yaml": smallConfig, "::error::x.yaml": smallConfig}},
		{name: "a folder that is deep", files: map[string]string{rep("d/", 200) + "config.yaml": smallConfig}},
		{name: "many files", files: func() map[string]string {
			m := map[string]string{}
			for i := range 300 {
				m[fmt.Sprintf("f%d/config.yaml", i)] = "a: 1\n"
			}
			return m
		}()},
		{name: "comments that ignore", files: map[string]string{"config.yaml": rep("# agentlint: ignore\n# agentlint-ignore [\n", 5000) + smallConfig}},
	}
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func deepBlock(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(rep(" ", i+1) + "k:\n")
	}
	return b.String()
}

// allowed is how many bytes a run may allocate for a folder of some size: a fixed part for what is loaded once, and a
// multiple of the folder. It stands for the work done, which the clock of a busy machine does not tell.
func allowed(size int64) uint64 { return 640<<20 + uint64(size)*600 }

// specless is an object of each kind that the loaders know, half written.
func specless() string {
	var b strings.Builder
	for _, kind := range []string{"keda.sh/v1alpha1 ScaledObject", "autoscaling/v2 HorizontalPodAutoscaler", "apps/v1 Deployment", "apps/v1 StatefulSet", "v1 Service", "v1 ConfigMap", "v1 Secret",
		"networking.k8s.io/v1 Ingress", "monitoring.coreos.com/v1 PrometheusRule", "helm.toolkit.fluxcd.io/v2 HelmRelease", "argoproj.io/v1alpha1 Application", "nvidia.com/v1alpha1 DynamoGraphDeployment",
		"serving.kserve.io/v1beta1 InferenceService", "ray.io/v1 RayService", "autoscaling.aibrix.ai/v1alpha1 PodAutoscaler", "postgresql.cnpg.io/v1 Cluster", "inference.networking.k8s.io/v1 InferencePool"} {
		version, kind, _ := strings.Cut(kind, " ")
		for _, spec := range []string{"", "spec:\n", "spec: []\n", "spec: x\n"} {
			fmt.Fprintf(&b, "---\napiVersion: %s\nkind: %s\nmetadata: {name: a}\n%s", version, kind, spec)
		}
	}
	return b.String()
}

func TestHostile(t *testing.T) {
	list := hostiles()
	if len(list) < 60 {
		t.Errorf("%d folders", len(list))
	}
	for i, h := range list {
		if testing.Short() && i%4 != 0 {
			continue // the race detector sees every fourth
		}
		t.Run(h.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("GITHUB_ACTIONS", "")
			if err := os.Mkdir(".git", 0o755); err != nil {
				t.Fatal(err)
			}
			var size int64
			for name, text := range h.files {
				if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
					t.Skipf("the file system refuses the name: %v", err)
				}
				size += int64(len(text)) + 1024
			}
			for name, to := range h.links {
				if err := os.Symlink(to, name); err != nil {
					t.Skipf("no symbolic links: %v", err)
				}
			}
			for _, name := range h.fifos {
				if err := syscall.Mkfifo(name, 0o644); err != nil {
					t.Skipf("no named pipes: %v", err)
				}
			}
			for _, command := range [][]string{{"check", "--format", "json"}, {"fix", "--diff", "--unsafe"}} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				var out, errs bytes.Buffer
				code := Main(append(command, h.args...), Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
				runtime.ReadMemStats(&after)
				what := strings.Join(append(command, h.args...), " ")
				switch {
				case code == exitFault:
					t.Errorf("%s: %s", what, errs.String())
				case h.code != 0 && code != h.code, h.code == 0 && code == exitUsage:
					t.Errorf("%s ends with %d: %.500s%.500s", what, code, out.String(), errs.String())
				}
				if used := after.TotalAlloc - before.TotalAlloc; used > allowed(size) {
					t.Errorf("%s allocates %d MB for %d KB", what, used>>20, size>>10)
				}
				if h.says != "" && !strings.Contains(out.String()+errs.String(), h.says) {
					t.Errorf("%s does not say %q: %s%s", what, h.says, out.String(), errs.String())
				}
				if strings.ContainsAny(out.String()+errs.String(), "\x1b\x00") {
					t.Errorf("%s prints control characters", what)
				}
				if strings.Contains(out.String()+errs.String(), "root:x:0") {
					t.Errorf("%s shows a file from outside", what)
				}
				if command[0] == "check" && command[1] == "--format" && code != exitUsage && !json.Valid(out.Bytes()) {
					t.Errorf("%s prints no JSON: %.300s", what, out.String())
				}
			}
		})
	}
}
