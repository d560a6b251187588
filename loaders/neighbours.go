package loaders

import (
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// followRouters adds the engines behind the routers of the stack, and routers in front of its engines.
func (b *builder) followRouters() {
	for i := 0; i < len(b.parts); i++ {
		p := b.parts[i]
		if p.kind != "router" {
			continue
		}
		for _, q := range b.w.routerTargets(p) {
			b.take(q)
		}
	}
}

// engines writes the engines and routers of the stack.
func (b *builder) engines() {
	engines, routers := b.root.Get("engines"), b.root.Get("routers")
	names := map[string]int{}
	for _, p := range b.parts {
		names[p.kind+p.name]++
		if n := names[p.kind+p.name]; n > 1 && p.wl.namespace != "" {
			p.name = p.wl.namespace + "/" + p.name
		}
	}
	for _, p := range b.parts {
		v := p.value
		if v == nil {
			continue
		}
		c := *v
		v = &c
		v.Set("name", model.NewText(p.name, p.wl.origin))
		v.Set("replicas", b.replicas(p.wl))
		product := "vllm"
		if p.kind == "router" {
			product, _ = v.Get("kind").AsText()
		} else if r, _ := v.Get("runtime").AsText(); r != "vllm" {
			product = r
		}
		if p.kind == "router" {
			b.w.siblingVersion(p.wl)
		}
		b.version(v, product, p.kind+" "+p.name, p.wl)
		b.surroundings(v, p.wl)
		if p.kind == "engine" {
			b.modelConfig(p, v)
		}
		if p.wl.valuesOpen {
			b.root.Get("probes").Open = true
			b.root.Get("autoscalers").Open = true
		}
		for _, pr := range p.wl.probes {
			b.addProbe(pr, p.kind, p.name)
		}
		b.addOrigins(v)
		for _, f := range p.wl.scope.files {
			if p.wl.scope.kind != "kubernetes" {
				b.addFile(f)
			}
		}
		if p.kind == "engine" {
			engines.Append(v)
		} else {
			targets := v.Set("targets", model.NewList(model.Origin{}))
			for _, q := range b.w.routerTargets(p) {
				targets.Append(model.NewText(q.name, q.wl.origin))
			}
			routers.Append(v)
		}
	}
}

// addProbe adds a probe of a part.
func (b *builder) addProbe(p *model.Value, kind, name string) {
	c := *p
	v := &c
	v.Set("target", partRef(kind, name, p.Origin))
	b.root.Get("probes").Append(v)
}

// neighbours adds what refers to the parts of the stack: autoscalers, services, ingress, scrapes, queries.
func (b *builder) neighbours() {
	for _, a := range b.w.autoscalers {
		ref := b.inStack(b.w.targetOf(a), a.value.Origin)
		if ref == nil {
			continue
		}
		a.placed = true
		b.addAutoscaler(a, ref)
	}
	for _, s := range b.w.services {
		if b.scope == nil || !b.w.visible(b.scope, s.scope) {
			continue
		}
		for _, p := range b.w.selected(s.scope, s.dir, s.namespace, s.selector) {
			ref := b.inStack(p.wl, s.value.Origin)
			if ref == nil {
				continue
			}
			v := copyMap(s.value)
			v.Set("target", ref)
			b.addOrigins(v)
			b.root.Get("services").Append(v)
			b.addIngress(s, ref)
			b.addScrapes(s, p, ref)
			break
		}
	}
	b.root.Get("queries").Open = b.w.hiddenQuery
	for _, q := range b.w.queries {
		if q.target != nil || !b.watches(q) {
			continue
		}
		q.placed = true
		b.addQuery(q, nil)
	}
}

// copyMap returns a shallow copy of a map, so that a part shared by stacks can be completed in each.
func copyMap(v *model.Value) *model.Value {
	out := model.NewMap(v.Origin)
	out.Open = v.Open
	out.SetLosers(v.Losers())
	for i, k := range v.Keys() {
		out.Set(k, v.Items()[i])
	}
	return out
}

// addAutoscaler adds an autoscaler with the queries of its triggers.
func (b *builder) addAutoscaler(a *autoscaler, ref *model.Value) {
	v := copyMap(a.value)
	if ref != nil {
		v.Set("target", ref)
	}
	metrics := model.NewList(model.Origin{})
	if m := a.value.Get("metrics"); m != nil {
		metrics.Origin = m.Origin
		for i, it := range m.Items() {
			it = copyMap(it)
			if i < len(a.queries) && a.queries[i] != nil {
				it.Set("query", model.NewInt(int64(b.addQuery(a.queries[i], ref)), it.Origin))
			}
			metrics.Append(it)
		}
	}
	v.Set("metrics", metrics)
	b.addOrigins(v)
	b.root.Get("autoscalers").Append(v)
}

// addQuery adds a query and returns its index.
func (b *builder) addQuery(q *query, ref *model.Value) int {
	list := b.root.Get("queries")
	v := copyMap(q.value)
	if ref != nil {
		v.Set("target", ref)
	}
	list.Append(v)
	b.addOrigins(v)
	return list.Len() - 1
}

// watches reports whether a query speaks of something in the stack.
func (b *builder) watches(q *query) bool {
	if b.onHost() && b.w.clustered() {
		return false
	}
	switch q.product {
	case "litellm":
		return b.root.Get("gateway") != nil && !b.onlyConfig()
	case "vllm":
		// What is wrong with a query depends on the engines' version: where some are pinned, stacks whose version
		// would be assumed have nothing to add.
		return b.root.Get("engines").Len() > 0 && (b.pinnedEngine() || !b.w.pinnedEngine())
	case "router":
		return b.root.Get("routers").Len() > 0 || b.root.Get("engines").Len() > 0
	}
	return false
}

// pinnedEngine reports whether the files say the version of one of the stack's engines.
func (b *builder) pinnedEngine() bool {
	for _, e := range b.root.Get("engines").Items() {
		switch src, _ := e.Get("version_source").AsText(); src {
		case "image", "chart", "requirements":
			return true
		}
	}
	return false
}

// pinnedEngine reports whether the image or the chart of any engine says its version.
func (w *world) pinnedEngine() bool {
	for _, p := range w.parts {
		if p.kind != "engine" {
			continue
		}
		if v, ok := p.value.At("image", "version").AsText(); ok && v != "" || p.wl.version != "" {
			return true
		}
	}
	return false
}

// onHost reports whether the stack is what scripts and units of one host start.
func (b *builder) onHost() bool {
	return b.scope != nil && (b.scope.kind == "shell" || b.scope.kind == "systemd")
}

// clustered reports whether a cluster or a compose project runs engines or gateways: dashboards are then about
// those, and not about a host's scripts beside them.
func (w *world) clustered() bool {
	for _, p := range w.parts {
		if k := p.wl.scope.kind; (p.kind == "engine" || p.kind == "gateway") && k != "shell" && k != "systemd" {
			return true
		}
	}
	return false
}

// onlyConfig reports whether the stack is a bare config while other stacks have a gateway that something starts.
func (b *builder) onlyConfig() bool {
	if b.self != nil {
		return false
	}
	for _, p := range b.w.parts {
		if p.kind == "gateway" {
			return true
		}
	}
	return false
}

func (b *builder) addIngress(s *service, ref *model.Value) {
	for _, in := range b.w.ingresses {
		for _, name := range in.backends {
			if name == s.name && (in.scope.reaches(s.scope) || s.scope.reaches(in.scope)) && (in.namespace == "" || s.namespace == "" || in.namespace == s.namespace) {
				v := copyMap(in.value)
				v.Set("target", ref)
				b.addOrigins(v)
				b.root.Get("ingress").Append(v)
				break
			}
		}
	}
}

func (b *builder) addScrapes(s *service, p *part, ref *model.Value) {
	for _, sc := range b.w.scrapes {
		if len(sc.selector) == 0 || sc.namespace != "" && s.namespace != "" && sc.namespace != s.namespace {
			continue
		}
		if labels := labelsOf(s.value); matchLabels(sc.selector, labels) || matchLabels(sc.selector, p.wl.labels) {
			v := copyMap(sc.value)
			v.Set("target", ref)
			b.addOrigins(v)
			b.root.Get("scrapes").Append(v)
		}
	}
}

func labelsOf(v *model.Value) map[string]string {
	out := map[string]string{}
	l := v.Get("labels")
	for i, k := range l.Keys() {
		if s, ok := l.Items()[i].Scalar(); ok {
			out[k] = s
		}
	}
	return out
}

// engineStacks are the stacks of engines and routers that no gateway reaches: one a folder.
func (w *world) engineStacks() []*model.Stack {
	type key struct{ scope, dir string }
	groups := map[key][]*part{}
	var order []key
	add := func(p *part) {
		k := key{p.wl.scope.name, p.wl.dir}
		if p.wl.scope.kind == "kubernetes" {
			k.scope = ""
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], p)
	}
	// Routers first, so that the engines behind them join their stack.
	for _, p := range w.parts {
		if p.kind == "router" && !p.reached {
			add(p)
			p.reached = true
			for _, q := range w.routerTargets(p) {
				q.reached = true
			}
		}
	}
	for _, p := range w.parts {
		if p.kind == "engine" && !p.reached {
			add(p)
		}
	}
	var out []*model.Stack
	for _, k := range order {
		parts := groups[k]
		first := parts[0].wl
		name := first.stackName()
		for _, s := range out {
			if s.Name == name {
				name += "#" + parts[0].name
				break
			}
		}
		for _, p := range w.parts {
			if p.kind == "gateway" && p.wl.stackName() == name {
				name += "#" + parts[0].name
				break
			}
		}
		b := w.newBuilder(name, first.scope.kind, first.scope, first.dir, first.start())
		for _, p := range parts {
			b.take(p)
		}
		if sc := first.scope; sc.compose != nil {
			b.root.Child("compose").Set("services", sc.compose)
		}
		b.finish(nil, nil)
		out = append(out, b.stack)
	}
	return out
}

// envStacks are env files with VLLM_ or LITELLM_ names that nothing refers to: the environment of an engine or a
// gateway by itself.
func (w *world) envStacks() []*model.Stack {
	var out []*model.Stack
	for _, d := range w.envFiles {
		if w.used[d.File] || IsExample(path.Base(d.File.Path)) {
			continue
		}
		e := source.ParseEnv(d.File, source.EnvPython)
		vllm, litellm := false, false
		for i := range e.Entries {
			vllm = vllm || strings.HasPrefix(e.Entries[i].Name, "VLLM_")
			litellm = litellm || strings.HasPrefix(e.Entries[i].Name, "LITELLM_")
		}
		if !vllm && !litellm {
			continue
		}
		o := model.Origin{Source: model.FromEnv, File: d.File}
		dir := path.Dir(d.File.Path)
		sc := &scope{kind: "config", name: d.File.Path, dir: dir, origin: o}
		env := model.NewMap(o)
		addEnvFile(env, e)
		b := w.newBuilder(d.File.Path, "config", sc, dir, o)
		b.addFile(d.File)
		if litellm {
			gw := b.root.Child("gateway")
			gw.Origin = o
			gw.Set("name", model.NewText(path.Base(d.File.Path), o))
			args := model.NewMap(model.Origin{})
			args.Open = true
			b.gateway(gw, model.NewUnknown(o), env, args)
			gw.Set("siblings", model.NewList(model.Origin{}))
			b.finish(gw, nil)
		} else {
			wl := &workload{scope: sc, name: strings.TrimSuffix(path.Base(d.File.Path), ".env"), origin: o, dir: dir, owner: "env", platform: "shell", env: env, part: "engine"}
			p := &part{wl: wl, kind: "engine", name: wl.name, prog: &program{kind: "vllm", line: &source.CommandLine{}}}
			p.value = w.enginePart(p)
			p.value.Get("args").Open = true
			b.take(p)
			b.finish(nil, nil)
		}
		out = append(out, b.stack)
	}
	return out
}

// monitoringStacks holds dashboards, rules and scalers whose product is in no stack of the root: they are read
// alone, one stack a folder.
func (w *world) monitoringStacks() []*model.Stack {
	byDir := map[string]*builder{}
	var order []string
	at := func(dir string, o model.Origin) *builder {
		b := byDir[dir]
		if b == nil {
			f, _ := o.File.Outer(source.Span{})
			b = w.newBuilder(f.Path, "config", nil, dir, o)
			byDir[dir] = b
			order = append(order, dir)
		}
		return b
	}
	for _, a := range w.autoscalers {
		if a.placed {
			continue
		}
		known := false
		for _, q := range a.queries {
			known = known || q != nil && q.product != ""
		}
		if known {
			at(a.dir, a.value.Origin).addAutoscaler(a, nil)
		}
	}
	for _, q := range w.queries {
		if !q.placed && q.target == nil && q.product != "" {
			at(q.dir, q.value.Origin).addQuery(q, nil)
		}
	}
	var out []*model.Stack
	for _, dir := range order {
		b := byDir[dir]
		b.finish(nil, nil)
		out = append(out, b.stack)
	}
	return out
}
