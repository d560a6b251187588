package loaders

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// program is what a command line starts.
type program struct {
	// kind is litellm, vllm, sglang, dynamo-frontend, dynamo-worker, dynamo-router, router, sglang-gateway, epp, aibrix, ray,
	// postgres, redis, pgbouncer or other.
	kind string
	// how is serve, api_server or image for an engine.
	how string
	// line is the program's arguments.
	line *source.CommandLine
	// start is the last word that names the program; nil when the image starts it. launch is the line with the words
	// that start the program at its beginning, count of them.
	start  *source.CommandWord
	launch *source.CommandLine
	count  int
	// env is what scripts and wrappers on the way set; openEnv says that one of them adds unseen names.
	env     []source.Assignment
	openEnv bool
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

// imageKind returns what an image runs, "" when its name says nothing. A mirror may have flattened the name
// (mirror/ai-dynamo-vllm-runtime).
func imageKind(repository string) string {
	r := strings.ToLower(repository)
	flat := strings.ReplaceAll(r, "/", "-")
	for _, i := range images {
		if strings.Contains(flat, strings.ReplaceAll(i.part, "/", "-")) {
			switch {
			case (i.kind == "vllm" || i.kind == "sglang") && standsBeside(path.Base(r)):
				return ""
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

// standsBeside reports whether an image's name says that it is no engine but a program beside one, or a stand-in for one:
// acme/vllm-latency-proxy, aibrix/vllm-mock.
func standsBeside(name string) bool {
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		switch word {
		case "proxy", "gateway", "exporter", "benchmark", "bench", "client", "dashboard", "operator", "controller", "mock", "simulator", "sim":
			return true
		}
	}
	return false
}

// taggedByVLLM reports whether an image's tags are vLLM's versions. Builds of others carry their own: LMCache's
// lmcache/vllm-openai, calendar versions of nvcr.io/nvidia/vllm, llm-d's and AMD's.
func taggedByVLLM(repository string) bool {
	r := strings.ToLower(repository)
	for _, other := range []string{"lmcache", "nvidia", "llm-d", "rocm", "habana"} {
		if strings.Contains(r, other) {
			return false
		}
	}
	name := path.Base(r)
	return name == "vllm" || strings.HasPrefix(name, "vllm-openai") || strings.HasPrefix(name, "vllm-cpu") || name == "vllm-tpu"
}

// isReleaseTag reports whether a tag is that of a release as vLLM's images have it (v0.29.0, v0.29.0-cu130-ubuntu2404,
// v0.11.0-x86_64). Words before the version, a commit or a day behind it are those of a build of somebody else, which may
// have changes on top of the release.
func isReleaseTag(tag string) bool {
	words := strings.Split(strings.TrimPrefix(tag, "v"), "-")
	if words[0] == "" || words[0][0] < '0' || words[0][0] > '9' {
		return false
	}
	return !slices.ContainsFunc(words[1:], knowledge.IsBuildMark)
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
	m.SetLosers(v.Losers())
	m.Set("repository", model.NewText(repository, v.Origin))
	if tag != "" {
		m.Set("tag", model.NewText(tag, v.Origin))
	}
	if digest != "" {
		m.Set("digest", model.NewText(digest, v.Origin))
	}
	version, floating, known := knowledge.VersionFromTag(tag)
	// The tag of another image (a base of one's own build) is no version of ours.
	if known && !floating && imageKind(repository) != "" && (imageKind(repository) != "vllm" || taggedByVLLM(repository) && isReleaseTag(tag)) {
		m.Set("version", model.NewText(version.String(), v.Origin))
	}
	switch imageKind(repository) {
	case "postgres", "redis", "pgbouncer", "":
		// Their tags are not versions of products that are told apart by patch.
		floating = tag == "latest"
	}
	m.Set("floating", model.NewBool(digest == "" && (floating || tag == ""), v.Origin))
	return m
}

// findProgram looks through a command line for the program it starts, behind wrappers and sh -c scripts. The
// image decides when the line holds arguments only.
func findProgram(wl *workload) *program {
	ref, _ := wl.image.AsText()
	repository, tag, _ := splitImage(ref)
	byImage := imageKind(repository)
	line := source.JoinArgs(wl.command, wl.args)
	for _, x := range source.Programs(line, envLookup(wl.env)) {
		if p := programOf(x.Line); p != nil {
			p.env, p.openEnv = x.Env, x.OpenEnv
			return p
		}
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
	case "aibrix":
		return base == "gateway-plugins" || base == "plugins"
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
	if len(words) == 0 {
		return nil
	}
	at := func(n int) string {
		if n < len(words) {
			return words[n].Text
		}
		return ""
	}
	found := func(kind, how string, first int) *program {
		return &program{kind: kind, how: how, start: &words[first-1], launch: line, count: first, line: &source.CommandLine{Words: words[first:]}}
	}
	switch base := path.Base(at(0)); {
	case base == "litellm" || base == "litellm-proxy":
		return found("litellm", "", 1)
	case base == "vllm" && at(1) == "serve":
		return found("vllm", "serve", 2)
	case base == "vllm-router":
		return found("router", "", 1)
	case base == "smg" || base == "sglang-router" || base == "sgl-model-gateway":
		return found("sglang-gateway", "", 1)
	case base == "epp":
		return found("epp", "", 1)
	case base == "postgres" || base == "postgresql":
		return found("postgres", "", 1)
	case base == "redis-server" || base == "valkey-server":
		return found("redis", "", 1)
	case base == "pgbouncer":
		return found("pgbouncer", "", 1)
	case strings.HasPrefix(base, "python"):
		i := 1
		for strings.HasPrefix(at(i), "-") && at(i) != "-m" {
			i++
		}
		if at(i) == "-m" && i+1 < len(words) {
			return moduleProgram(at(i+1), i+2, at, found)
		}
	case at(0) == "-m" && len(words) > 1:
		return moduleProgram(at(1), 2, at, found)
	}
	return nil
}

// moduleProgram recognises python -m NAME.
func moduleProgram(name string, first int, at func(int) string, found func(kind, how string, first int) *program) *program {
	switch name {
	case "vllm.entrypoints.openai.api_server":
		return found("vllm", "api_server", first)
	case "vllm.entrypoints.cli.main":
		if at(first) == "serve" {
			return found("vllm", "serve", first+1)
		}
	case "litellm", "litellm.proxy.proxy_cli":
		return found("litellm", "", first)
	case "sglang.launch_server":
		return found("sglang", "serve", first)
	case "sglang_router.launch_router", "sglang_router.launch_server", "sglang_router", "smg", "smg.launch_router":
		return found("sglang-gateway", "python", first)
	case "vllm_router.launch_router":
		return found("router", "", first)
	case "vllm_router.app":
		return found("router", "", first)
	case "dynamo.frontend":
		return found("dynamo-frontend", "", first)
	case "dynamo.router":
		return found("dynamo-router", "", first)
	case "dynamo.vllm", "dynamo.sglang", "dynamo.trtllm":
		return found("dynamo-worker", strings.TrimPrefix(name, "dynamo."), first)
	}
	return nil
}
