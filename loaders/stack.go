package loaders

import (
	"path"
	"sort"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// part is a workload whose program is known.
type part struct {
	wl   *workload
	prog *program
	// kind is gateway, engine, router, server, redis or pooler.
	kind string
	name string
	// value is the part in its shape: EnginePart or RouterPart; gateways are built with their stack.
	value *model.Value
	// reached is true once a stack holds the part.
	reached bool
	// targets are the engines behind a router, once they are looked up.
	targets      []*part
	targetsKnown bool
}

// classify finds the programs of all workloads.
func (w *world) classify() {
	for _, wl := range w.workloads {
		if wl.inContainer {
			continue
		}
		p := &part{wl: wl, name: wl.name}
		if p.prog = wl.process; p.prog == nil {
			p.prog = findProgram(wl)
		}
		kind := wl.part
		if kind == "" && p.prog != nil {
			switch p.prog.kind {
			case "litellm":
				kind = "gateway"
			case "vllm", "sglang", "dynamo-worker":
				kind = "engine"
			case "router", "sglang-gateway", "epp", "dynamo-frontend", "dynamo-router", "aibrix", "ray":
				kind = "router"
			case "postgres":
				kind = "server"
			case "redis":
				kind = "redis"
			case "pgbouncer":
				kind = "pooler"
			}
		}
		if p.prog == nil {
			p.prog = &program{kind: kind, line: source.JoinArgs(wl.command, wl.args)}
		}
		p.kind = kind
		wl.env = programEnv(p)
		switch kind {
		case "":
			continue
		case "engine":
			p.value = w.enginePart(p)
		case "router":
			p.value = w.routerPart(p)
		case "server":
			w.addServerWorkload(p)
		case "pooler":
			w.addPoolerWorkload(p)
		}
		w.parts = append(w.parts, p)
	}
	w.strayPickers()
}

// builder makes one stack.
type builder struct {
	w     *world
	scope *scope
	dir   string
	root  *model.Value
	stack *model.Stack
	parts []*part // engines and routers of the stack, in order
	files map[*source.File]Kind
	// self is the gateway's part, nil for a stack without one.
	self *part
}

// newBuilder starts a stack.
func (w *world) newBuilder(name, kind string, sc *scope, dir string, origin model.Origin) *builder {
	b := &builder{w: w, scope: sc, dir: dir, root: model.NewMap(origin), files: map[*source.File]Kind{}}
	b.stack = &model.Stack{Name: name, Root: b.root}
	st := b.root.Child("stack")
	st.Set("name", model.NewText(name, origin))
	st.Set("kind", model.NewText(kind, origin))
	for _, k := range []string{"groups", "engines", "routers", "autoscalers", "probes", "services", "ingress", "scrapes", "queries", "prompts", "requirements"} {
		b.root.Set(k, model.NewList(model.Origin{}))
	}
	if origin.File != nil {
		b.addFile(origin.File)
	}
	if sc != nil {
		for _, f := range sc.files {
			b.addFile(f)
		}
	}
	return b
}

func (b *builder) addFile(f *source.File) {
	if f == nil {
		return
	}
	f, _ = f.Outer(source.Span{})
	if _, ok := b.files[f]; !ok {
		b.files[f] = b.w.kindOf(f)
	}
}

// addOrigins adds the files of everything below v.
func (b *builder) addOrigins(v *model.Value) {
	v.Each(func(v *model.Value) {
		if v.Origin.File != nil {
			b.addFile(v.Origin.File)
		}
	})
}

// stacks cuts the world into stacks.
func (w *world) stacks(yield func(*model.Stack)) {
	w.classify()
	w.completeResources()
	w.orderQueries()
	gateways := map[string]int{}
	for _, p := range w.parts {
		if p.kind == "gateway" {
			gateways[p.wl.stackName()]++
		}
	}
	for _, p := range w.parts {
		if p.kind != "gateway" {
			continue
		}
		name := p.wl.stackName()
		if gateways[name] > 1 {
			name += "#" + p.name
		}
		yield(w.gatewayStack(name, p))
	}
	w.markIncluded()
	for _, c := range w.configs {
		if !c.used {
			if c.doc.Root == nil {
				// The bytes are those that were read before, so there is a tree.
				docs, _ := w.ws.yaml(c.doc.File)
				c.doc.Root = docs[0].Root
			}
			s := w.configStack(c)
			if w.stream {
				// A config that includes this one reads it again.
				c.doc.Root = nil
				w.ws.forget(c.doc.File)
			}
			yield(s)
		}
	}
	for _, list := range [...]func() []*model.Stack{w.engineStacks, w.envStacks, w.monitoringStacks} {
		for _, s := range list() {
			yield(s)
		}
	}
}

// markIncluded notes the configs that another one includes, itself or through others: they are no stacks of their own.
func (w *world) markIncluded() {
	var roots, others []*configFile
	for _, c := range w.configs {
		if c.used {
			// A gateway that something starts reads it.
			roots = append(roots, c)
		} else {
			others = append(others, c)
		}
	}
	for i, c := range append(roots, others...) {
		if c.used && i >= len(roots) {
			// Of configs that include each other the first one is the root.
			continue
		}
		root := dirOf(c.doc.File)
		seen := map[*source.File]bool{c.doc.File: true}
		type pending struct {
			name, dir string
		}
		var queue []pending
		add := func(n *source.Node, dir string) {
			for _, it := range n.Get("include").Items() {
				queue = append(queue, pending{textOf(it), dir})
			}
		}
		if c.doc.Root == nil {
			// It was let go because it includes nothing.
			continue
		}
		for add(c.doc.Root, root); len(queue) > 0 && len(seen) <= maxIncludes; queue = queue[1:] {
			if f := includedKey(queue[0].name, c.doc.File); f != nil {
				_, n := f.Host()
				for _, x := range w.configs {
					if _, at := x.doc.File.Host(); at == n {
						x.used = true
					}
				}
				continue
			}
			f := w.readBeside(queue[0].name, queue[0].dir, root)
			if f == nil || seen[f] {
				continue
			}
			seen[f] = true
			w.markUsed(f)
			if docs, err := w.ws.yaml(f); err == nil && len(docs) > 0 && docs[0].Root != nil {
				add(docs[0].Root, dirOf(f))
			}
		}
	}
}

// gatewayStack is the stack of a gateway that something starts.
func (w *world) gatewayStack(name string, p *part) *model.Stack {
	p.reached = true
	wl := p.wl
	b := w.newBuilder(name, wl.scope.kind, wl.scope, wl.dir, wl.start())
	b.self = p
	b.addOrigins(wl.env)
	gw := b.root.Child("gateway")
	gw.Origin = wl.origin
	gw.Set("name", model.NewText(p.name, wl.origin))
	spec := liteLLMFlags()
	args := argsMap(source.FlagSyntax{Spec: spec, Greedy: true}.Parse(p.prog.line))
	addChartFlags(args, nil, wl.flags, spec)
	args.Open = args.Open || wl.valuesOpen
	config := w.gatewayConfig(b, p, args)
	b.gateway(gw, config, wl.env, args)
	if broken := brokenLine(p.prog); broken != nil {
		gw.Set("broken_line", broken)
	}
	if img := imagePart(wl.image); img != nil {
		gw.Set("image", img)
	}
	b.surroundings(gw, wl)
	if wl.helm != nil {
		gw.Set("helm", wl.helm)
		b.addOrigins(wl.helm)
	}
	siblings := gw.Set("siblings", model.NewList(model.Origin{}))
	for _, s := range wl.siblings {
		siblings.Append(s)
	}
	if wl.valuesOpen {
		b.root.Get("probes").Open = true
		b.root.Get("autoscalers").Open = true
	}
	for _, pr := range wl.probes {
		b.addProbe(pr, "gateway", "")
	}
	if sc := wl.scope; sc.compose != nil {
		b.root.Child("compose").Set("services", sc.compose)
	}
	b.finish(gw, p)
	return b.stack
}

// configStack is the stack of a config that nothing in the files starts.
func (w *world) configStack(c *configFile) *model.Stack {
	d := c.doc
	dir := path.Dir(d.File.Path)
	o := model.Origin{Source: model.FromConfig, File: d.File, Node: d.Root, Span: d.Root.Span()}
	sc := &scope{kind: "config", name: d.File.Path, dir: dir, origin: o, parent: w.cluster}
	b := w.newBuilder(d.File.Path, "config", sc, dir, o)
	var files []*source.File
	config := w.liteLLMConfig(d.File, d.Root, &files)
	for _, f := range files {
		b.addFile(f)
	}
	env := model.NewMap(model.Origin{})
	env.Open = true
	if e := w.folderEnv(dir, config); e != nil {
		b.addFile(e.File)
		addEnvFile(env, e)
		env.Open = false
	}
	gw := b.root.Child("gateway")
	gw.Origin = o
	gw.Set("name", model.NewText(strings.TrimSuffix(path.Base(d.File.Path), path.Ext(d.File.Path)), o))
	args := model.NewMap(model.Origin{})
	args.Open = true
	b.gateway(gw, config, env, args)
	gw.Set("fragment", model.NewBool(isFragment(config), o))
	gw.Set("siblings", model.NewList(model.Origin{}))
	b.finish(gw, nil)
	return b.stack
}

// gateway fills the parts of the gateway that come from config, environment and arguments.
func (b *builder) gateway(gw, config, env, args *model.Value) {
	if config != nil {
		gw.Set("config", config)
		b.addOrigins(config)
	}
	gw.Set("fragment", model.NewBool(false, gw.Origin))
	gw.Set("env", env)
	gw.Set("args", args)
	b.addOrigins(args)
	gw.Set("references", references(config))
	fallbacks := gw.Set("fallbacks", model.NewList(model.Origin{}))
	for i, name := range env.Keys() {
		if v := env.Items()[i]; v.Fallback() {
			fallbacks.Append(model.NewText(name, v.Origin))
		}
	}
	gw.Set("settings", effectiveSettings(config, env, args))
	workers := gw.At("settings", "workers", "value")
	if hypercorn := args.Get("run-hypercorn"); hypercorn != nil {
		// hypercorn serves with one process whatever the number (litellm 1.102.0, proxy_cli.py).
		workers = model.NewInt(1, hypercorn.Origin)
	}
	if workers != nil && workers.Kind != model.Unknown && workers.Kind != model.Int {
		workers = model.NewUnknown(workers.Origin)
	}
	gw.Set("workers", workers)
	b.root.Set("groups", groups(config, env, func(base string, d *deployment) *model.Value { return b.resolveBase(base, d) }))
	if r := redisPart(config, env); r != nil {
		for _, in := range r.Get("instances").Items() {
			b.redisPorts(in)
		}
		r.Set("watched", model.NewBool(b.w.redisWatched, r.Origin))
		b.root.Set("redis", r)
	}
}

// redisPorts adds the ports of the Service that the host of a Redis names.
func (b *builder) redisPorts(redis *model.Value) {
	host, ok := redis.Get("host").AsText()
	if !ok {
		return
	}
	s := b.w.lookupHost(b.scope, b.dir, host, "").service
	if s == nil {
		return
	}
	ports := model.NewList(s.value.Origin)
	for _, it := range s.value.Get("ports").Items() {
		if n, ok := it.Get("port").AsInt(true); ok {
			ports.Append(model.NewInt(n, it.Get("port").Origin))
		}
	}
	redis.Set("ports", ports)
}

// surroundings copies what surrounds a container: replicas, rollout, pod, resources.
func (b *builder) surroundings(to *model.Value, wl *workload) {
	if wl.rollout != nil {
		to.Set("rollout", wl.rollout)
	}
	pod := wl.pod
	if pod == nil {
		pod = model.NewMap(wl.origin)
		pod.Set("volumes", model.NewList(model.Origin{}))
		pod.Set("mounts", model.NewList(model.Origin{}))
		pod.Set("ports", model.NewList(model.Origin{}))
		pod.Set("labels", model.NewMap(model.Origin{}))
		pod.Set("spec", model.NewMap(model.Origin{}))
	}
	pod.Set("platform", model.NewText(wl.platform, wl.origin))
	if wl.platform == "kubernetes" && wl.owner != "" {
		pod.Set("kind", model.NewText(wl.owner, wl.origin))
	}
	if wl.namespace != "" {
		pod.Set("namespace", model.NewText(wl.namespace, wl.origin))
	}
	b.claims(pod, wl)
	b.networkPolicies(pod, wl)
	to.Set("pod", pod)
	if wl.resources != nil {
		to.Set("resources", wl.resources)
	}
}

// replicas computes how many instances of a workload run: an enabled autoscaler's range, else the written number.
func (b *builder) replicas(wl *workload) *model.Value {
	out := model.NewMap(model.Origin{})
	set := func(lo, hi *model.Value, owner string) *model.Value {
		out.Set("min", lo)
		out.Set("max", hi)
		out.Set("owner", model.NewText(owner, hi.Origin))
		out.Origin = hi.Origin
		return out
	}
	for _, a := range b.w.autoscalers {
		if on, _ := a.value.Get("enabled").AsBool(); on && b.w.targetOf(a) == wl {
			v := set(a.value.Get("min"), a.value.Get("max"), "autoscaler")
			if wl.replicas != nil {
				v.SetLosers(append(v.Losers(), wl.replicas.Origin))
				if wl.owner != "chart" {
					setNumber(v, "written", wl.replicas)
				}
			}
			return v
		}
	}
	if wl.replicas == nil || wl.replicas.Kind == model.Null {
		one := model.NewInt(1, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Note: "one instance when nothing is written"}})
		return set(one, one, "default")
	}
	owner := "deployment"
	if wl.platform == "compose" {
		owner = "compose"
	}
	n := wl.replicas
	if i, ok := n.AsInt(true); ok && i >= 0 {
		n = model.NewInt(i, n.Origin)
		n.SetLosers(wl.replicas.Losers())
	} else {
		n = model.NewUnknown(n.Origin)
	}
	return set(n, n, owner)
}

// version sets version and version_source of a part and notes it for the report.
func (b *builder) version(to *model.Value, product, part string, wl *workload) {
	var v, from, src string
	note := func(o model.Origin) string {
		if o.File == nil {
			return o.Note()
		}
		f, sp := o.File.Outer(o.Span)
		return f.Path + ":" + strconv.Itoa(f.Position(sp.Start).Line)
	}
	img := to.Get("image")
	o := img.OriginOr(to.Origin)
	repository, _ := img.Get("repository").AsText()
	if t, ok := img.Get("version").AsText(); ok && (product != "vllm" || imageKind(repository) == "vllm") {
		v, src, from = t, "image", note(img.Origin)
	} else if wl != nil && wl.version != "" {
		v, src, from = wl.version, "chart", wl.versionFrom
	} else if r := b.requirement(product); r != nil && !ownImage(wl, repository, product) {
		v, _ = r.Get("version").AsText()
		src, from, o = "requirements", note(r.Origin), r.Origin
	} else if t := b.w.opts.Targets[product]; t != "" {
		v, src, from = t, "target", "target"
	} else if p := knowledge.ByName(product); p != nil {
		v, src, from = p.Newest().String(), "newest", model.AssumedNewest
	}
	if v != "" {
		to.Set("version", model.NewText(v, o))
		to.Set("version_source", model.NewText(src, to.Origin))
		b.stack.Versions = append(b.stack.Versions, model.VersionNote{Product: product, Part: part, Version: v, From: from})
	} else {
		to.Set("version", model.NewText("", to.Origin))
		to.Set("version_source", model.NewText("unknown", to.Origin))
	}
}

// ownImage reports whether a workload runs the product's published image as it is: the packages beside it are those of
// another program then.
func ownImage(wl *workload, repository, product string) bool {
	return wl != nil && imageKind(repository) == product && !wl.built
}

// requirement returns the pin of a package in the stack's folder.
func (b *builder) requirement(name string) *model.Value {
	for _, r := range b.root.Get("requirements").Items() {
		if n, _ := r.Get("name").AsText(); n == name && r.Get("version") != nil {
			return r
		}
	}
	return nil
}

// finish adds everything that is found from the gateway outwards.
func (b *builder) finish(gw *model.Value, p *part) {
	b.requirements()
	var wl *workload
	if p != nil {
		wl = p.wl
		gw.Set("replicas", b.replicas(wl))
	} else if gw != nil {
		one := model.NewMap(model.Origin{})
		u := model.NewUnknown(model.Origin{})
		one.Set("min", u)
		one.Set("max", u)
		gw.Set("replicas", one)
	}
	if gw != nil {
		b.version(gw, "litellm", "gateway", wl)
		b.database(gw, wl)
	}
	b.followRouters()
	b.engines()
	b.neighbours()
	b.prompts(gw)
	b.facts()
	b.close()
}

// close writes the lists of files.
func (b *builder) close() {
	files := make([]*source.File, 0, len(b.files))
	for f := range b.files {
		files = append(files, f)
	}
	sort.Slice(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	b.stack.Files = files
	names := model.NewList(model.Origin{})
	list := model.NewList(model.Origin{})
	for _, f := range files {
		o := model.Origin{File: f, Span: source.Span{}}
		names.Append(model.NewText(f.Path, o))
		m := model.NewMap(o)
		m.Set("path", model.NewText(f.Path, o))
		m.Set("kind", model.NewText(string(b.files[f]), o))
		m.Set("example", model.NewBool(IsExample(f.Path), o))
		list.Append(m)
	}
	b.root.Child("stack").Set("files", names)
	b.root.Set("files", list)
}

// facts copies the facts that hold for this stack.
func (b *builder) facts() {
	m := model.NewMap(model.Origin{})
	add := func(facts map[string]any) {
		for _, k := range sortedKeys(facts) {
			if v := factValue(facts[k]); v != nil {
				m.Set(k, v)
			}
		}
	}
	add(b.w.opts.Facts)
	for _, g := range sortedKeys(b.w.opts.StackFacts) {
		if matchAny([]string{g}, b.stack.Name) || g == b.stack.Name {
			add(b.w.opts.StackFacts[g])
		}
	}
	b.root.Set("facts", m)
	b.applyFacts(m)
}

func factValue(v any) *model.Value {
	o := model.Origin{Source: model.FromFact, Detail: &model.Detail{Note: "fact"}}
	switch v := v.(type) {
	case bool:
		return model.NewBool(v, o)
	case int:
		return model.NewInt(int64(v), o)
	case int64:
		return model.NewInt(v, o)
	case float64:
		return model.NewFloat(v, o)
	case string:
		return model.NewText(v, o)
	case map[string]any:
		m := model.NewMap(o)
		for _, k := range sortedKeys(v) {
			if w := factValue(v[k]); w != nil {
				m.Set(k, w)
			}
		}
		return m
	}
	return nil
}

// applyFacts puts facts where the files say nothing.
func (b *builder) applyFacts(facts *model.Value) {
	gw := b.root.Get("gateway")
	if gw != nil {
		if n := facts.Get("gateway_replicas"); n != nil {
			if r := gw.Get("replicas"); r != nil && (!r.Get("max").Known() || r.Get("owner") != nil && r.Get("owner").Text == "default") {
				m := model.NewMap(n.Origin)
				m.Set("min", n)
				m.Set("max", n)
				m.Set("owner", model.NewText("fact", n.Origin))
				gw.Set("replicas", m)
			}
		}
		if n := facts.Get("gateway_workers"); n != nil {
			if s, _ := gw.At("settings", "workers", "source").AsText(); !gw.Get("workers").Known() || s == "default" {
				gw.Set("workers", n)
			}
		}
		if n := facts.Get("database_pool_limit"); n != nil {
			s := gw.At("settings", "database_pool_limit")
			if src, _ := s.Get("source").AsText(); s == nil || !s.Get("value").Known() || src == "default" {
				m := model.NewMap(n.Origin)
				m.Set("value", n)
				m.Set("source", model.NewText("fact", n.Origin))
				gw.Child("settings").Set("database_pool_limit", m)
			}
		}
	}
	if n := facts.Get("postgres_max_connections"); n != nil {
		srv := b.root.Child("database").Child("server")
		if !srv.Get("max_connections").Known() || !b.stack.IsTrue("database", "server", "written") {
			srv.Set("max_connections", n)
			srv.Set("written", model.NewBool(true, n.Origin))
			if srv.Get("name") == nil {
				srv.Set("name", model.NewText("", n.Origin))
				srv.Set("kind", model.NewText("external", n.Origin))
			}
		}
		if srv.Get("reserved") == nil {
			srv.Set("reserved", model.NewInt(3, model.Origin{Source: model.FromDefault}))
		}
		if b.root.Get("database").Get("urls") == nil {
			b.root.Get("database").Set("urls", model.NewList(model.Origin{}))
		}
	}
	if n := facts.Get("postgres_reserved_connections"); n != nil {
		if srv := b.root.At("database", "server"); srv != nil {
			srv.Set("reserved", n)
		}
	}
	for _, e := range b.root.Get("engines").Items() {
		name, _ := e.Get("name").AsText()
		b.engineFacts(e, name, facts)
	}
}

// engineFacts applies the facts of one engine, keyed by its name or common to all.
func (b *builder) engineFacts(e *model.Value, name string, facts *model.Value) {
	fact := func(key string) *model.Value {
		f := facts.Get(key)
		if f != nil && f.Kind == model.Map {
			return f.Get(name)
		}
		return f
	}
	if n := fact("engine_replicas"); n != nil {
		if r := e.Get("replicas"); r == nil || !r.Get("max").Known() || r.Get("owner").Text == "default" {
			m := model.NewMap(n.Origin)
			m.Set("min", n)
			m.Set("max", n)
			m.Set("owner", model.NewText("fact", n.Origin))
			e.Set("replicas", m)
		}
	}
	if n := fact("engine_max_model_len"); n != nil {
		if from, _ := e.At("context", "source").AsText(); from != "args" {
			m := model.NewMap(n.Origin)
			m.Set("value", n)
			m.Set("source", model.NewText("fact", n.Origin))
			e.Set("context", m)
		}
	}
	if g := fact("gpu"); g != nil && e.At("gpu", "name") == nil {
		t, _ := g.AsText()
		if gpu, ok := knowledge.FindGPU(t); ok {
			e.Child("gpu").Set("name", g)
			e.Child("gpu").Set("gib", model.NewFloat(gpu.GiB, g.Origin))
		}
	}
	if g := fact("gpu_memory_gib"); g != nil && e.At("gpu", "gib") == nil {
		e.Child("gpu").Set("gib", g)
	}
	if e.Get("gpu") != nil && e.At("gpu", "count") == nil {
		e.Child("gpu").Set("count", model.NewInt(1, model.Origin{Source: model.FromDefault}))
	}
}
