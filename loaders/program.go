package loaders

import (
	"path"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// program is what a command line starts.
type program struct {
	// kind is litellm, vllm, sglang, dynamo-frontend, dynamo-worker, dynamo-router, router, sglang-gateway, epp, ray, postgres,
	// redis, pgbouncer or other.
	kind string
	// how is serve, api_server or image for an engine.
	how string
	// line is the whole command line, first the index of the program's first argument.
	line  *source.CommandLine
	first int
	// env are assignments before the command in a shell.
	env []source.Assignment
}

// images names what an image runs, by a part of its repository.
var images = []struct{ part, kind string }{
	{"vllm-router", "router"}, {"vllm-stack-router", "router"}, {"lmcache/lmstack-router", "router"}, {"production-stack-router", "router"}, {"lmstack-router", "router"},
	{"sglang-router", "sglang-gateway"}, {"sgl-model-gateway", "sglang-gateway"}, {"lightseekorg/smg", "sglang-gateway"},
	{"endpoint-picker", "epp"}, {"llm-d-inference-scheduler", "epp"}, {"llm-d-router", "epp"}, {"gateway-api-inference-extension/epp", "epp"},
	{"ai-dynamo/vllm-runtime", "dynamo-worker"}, {"ai-dynamo/sglang-runtime", "dynamo-worker"}, {"ai-dynamo/tensorrtllm-runtime", "dynamo-worker"}, {"ai-dynamo/dynamo-frontend", "dynamo-frontend"},
	{"aibrix/gateway-plugins", "aibrix"},
	{"rayproject/ray-llm", "ray"},
	{"berriai/litellm", "litellm"}, {"litellm", "litellm"},
	{"vllm", "vllm"}, {"sglang", "sglang"},
	{"pgbouncer", "pgbouncer"}, {"postgres", "postgres"}, {"redis", "redis"}, {"valkey", "redis"}, {"dragonfly", "redis"},
}

// imageKind returns what an image runs, "" when its name says nothing.
func imageKind(repository string) string {
	r := strings.ToLower(repository)
	for _, i := range images {
		if strings.Contains(r, i.part) {
			switch {
			case i.kind == "postgres" && (strings.Contains(r, "exporter") || strings.Contains(r, "backup") || strings.Contains(r, "operator") || strings.Contains(r, "pgadmin")),
				i.kind == "redis" && (strings.Contains(r, "exporter") || strings.Contains(r, "insight") || strings.Contains(r, "commander")),
				i.kind == "pgbouncer" && strings.Contains(r, "exporter"):
				return ""
			}
			return i.kind
		}
	}
	return ""
}

// splitImage cuts an image reference into repository, tag and digest.
func splitImage(ref string) (repository, tag, digest string) {
	ref, digest, _ = strings.Cut(ref, "@")
	repository = ref
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		repository, tag = ref[:i], ref[i+1:]
	}
	return repository, tag, digest
}

// imagePart is an image in shape ImagePart, nil when none is written.
func imagePart(v *model.Value) *model.Value {
	if v == nil || v.Kind == model.Null {
		return nil
	}
	ref, ok := v.AsText()
	if !ok {
		return model.NewUnknown(v.Origin)
	}
	repository, tag, digest := splitImage(ref)
	m := model.NewMap(v.Origin)
	m.Losers = v.Losers
	m.Set("repository", model.NewText(repository, v.Origin))
	if tag != "" {
		m.Set("tag", model.NewText(tag, v.Origin))
	}
	if digest != "" {
		m.Set("digest", model.NewText(digest, v.Origin))
	}
	version, floating, known := knowledge.VersionFromTag(tag)
	if known && !floating {
		m.Set("version", model.NewText(version.String(), v.Origin))
	}
	m.Set("floating", model.NewBool(digest == "" && (floating || tag == ""), v.Origin))
	return m
}

// findProgram looks through a command line for the program it starts, descending into sh -c scripts. The image
// decides when the line holds arguments only.
func findProgram(wl *workload) *program {
	ref, _ := wl.image.AsText()
	repository, tag, _ := splitImage(ref)
	byImage := imageKind(repository)
	line := source.JoinArgs(wl.command, wl.args)
	if script := commands(line, envLookup(wl.env)); script != nil {
		for i := range script {
			if p := programOf(source.JoinArgs(&script[i].Args)); p != nil {
				p.env = script[i].Environment()
				return p
			}
		}
	} else if p := programOf(line); p != nil {
		return p
	}
	switch byImage {
	case "":
		return nil
	case "vllm", "sglang", "litellm", "router", "sglang-gateway", "epp", "aibrix":
		if wl.command != nil && len(wl.command.Words) > 0 && !isOwnEntrypoint(byImage, wl.command) {
			// Another entrypoint than the image's own starts something we do not know.
			return nil
		}
		return &program{kind: byImage, how: imageEntrypoint(byImage, tag), line: line}
	case "dynamo-worker", "dynamo-frontend", "ray":
		return nil
	}
	return &program{kind: byImage, line: line}
}

// envLookup answers references to a container's environment.
func envLookup(env *model.Value) source.Lookup {
	return func(name string) (string, source.Binding) {
		switch v := env.Get(name); {
		case v == nil && (env == nil || env.Open):
			return "", source.Hidden
		case v == nil:
			return "", source.Unbound
		case v.Kind == model.Text:
			return v.Text, source.Bound
		}
		return "", source.Hidden
	}
}

// isOwnEntrypoint reports whether a written entrypoint is what the image would start itself.
func isOwnEntrypoint(kind string, a *source.Args) bool {
	base := path.Base(a.Words[0].Text)
	switch kind {
	case "litellm":
		return base == "litellm" || base == "prod_entrypoint.sh" || base == "entrypoint.sh" || strings.HasPrefix(a.Words[0].Text, "-")
	case "epp":
		return base == "epp" || base == "manager"
	}
	return strings.HasPrefix(a.Words[0].Text, "-")
}

// imageEntrypoint says how an engine's image starts it: vllm serve from 0.11.1, the api_server module before
// (vllm-project/vllm pull request 25967).
func imageEntrypoint(kind, tag string) string {
	if kind != "vllm" {
		return "image"
	}
	if v, floating, ok := knowledge.VersionFromTag(tag); ok && !floating && v.Compare(knowledge.MustVersion("0.11.1")) < 0 {
		return "image-api_server"
	}
	return "image"
}

// programOf recognises a program by the words that start it.
func programOf(line *source.CommandLine) *program {
	words := line.Words
	i := 0
	// Wrappers that only start something else.
	for i < len(words) {
		switch path.Base(words[i].Text) {
		case "exec", "nohup", "time", "tini", "dumb-init", "env", "sudo", "--", "numactl", "ddtrace-run", "opentelemetry-instrument", "uv", "run", "poetry", "nice":
			i++
			continue
		}
		if i > 0 && strings.HasPrefix(words[i].Text, "-") && path.Base(words[i-1].Text) != "litellm" {
			i++
			continue
		}
		break
	}
	if i >= len(words) {
		return nil
	}
	at := func(n int) string {
		if n < len(words) {
			return words[n].Text
		}
		return ""
	}
	switch base := path.Base(words[i].Text); {
	case base == "litellm" || base == "litellm-proxy":
		return &program{kind: "litellm", line: line, first: i + 1}
	case base == "vllm" && at(i+1) == "serve":
		return &program{kind: "vllm", how: "serve", line: line, first: i + 2}
	case base == "vllm-router":
		return &program{kind: "router", line: line, first: i + 1}
	case base == "smg" || base == "sglang-router" || base == "sgl-model-gateway":
		return &program{kind: "sglang-gateway", line: line, first: i + 1}
	case base == "epp":
		return &program{kind: "epp", line: line, first: i + 1}
	case base == "postgres" || base == "postgresql":
		return &program{kind: "postgres", line: line, first: i + 1}
	case base == "redis-server" || base == "valkey-server":
		return &program{kind: "redis", line: line, first: i + 1}
	case base == "pgbouncer":
		return &program{kind: "pgbouncer", line: line, first: i + 1}
	case strings.HasPrefix(base, "python"):
		j := i + 1
		for j < len(words) && strings.HasPrefix(at(j), "-") && at(j) != "-m" {
			j++
		}
		if at(j) != "-m" {
			return nil
		}
		return moduleProgram(at(j+1), line, j+2)
	case words[i].Text == "-m":
		return moduleProgram(at(i+1), line, i+2)
	}
	return nil
}

// moduleProgram recognises python -m NAME.
func moduleProgram(name string, line *source.CommandLine, first int) *program {
	p := &program{line: line, first: first}
	switch {
	case name == "vllm.entrypoints.openai.api_server":
		p.kind, p.how = "vllm", "api_server"
	case name == "vllm.entrypoints.cli.main" && first < len(line.Words) && line.Words[first].Text == "serve":
		p.kind, p.how, p.first = "vllm", "serve", first+1
	case name == "litellm" || name == "litellm.proxy.proxy_cli":
		p.kind = "litellm"
	case name == "sglang.launch_server":
		p.kind, p.how = "sglang", "serve"
	case name == "sglang_router.launch_router" || name == "sglang_router.launch_server":
		p.kind = "sglang-gateway"
	case name == "vllm_router.app":
		p.kind = "router"
	case name == "dynamo.frontend":
		p.kind = "dynamo-frontend"
	case name == "dynamo.router":
		p.kind = "dynamo-router"
	case name == "dynamo.vllm" || name == "dynamo.sglang" || name == "dynamo.trtllm":
		p.kind, p.how = "dynamo-worker", strings.TrimPrefix(name, "dynamo.")
	default:
		return nil
	}
	return p
}
