package loaders

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// clusterName cuts a host into the name and namespace of a Service; false for a host that is no name inside a
// cluster or project.
func clusterName(host string) (name, namespace string, ok bool) {
	parts := strings.Split(strings.TrimSuffix(host, "."), ".")
	switch {
	case len(parts) == 1:
		return parts[0], "", parts[0] != "" && parts[0] != "localhost"
	case len(parts) >= 3 && parts[2] == "svc", len(parts) == 2:
		return parts[0], parts[1], true
	case len(parts) >= 4 && parts[3] == "svc":
		// pod.service.namespace.svc
		return parts[1], parts[2], true
	}
	return "", "", false
}

// serviceNamed returns the service of a name that is reachable from a scope, the nearest to dir; nil when there
// is none or two are equally near.
func (w *world) serviceNamed(sc *scope, dir, name, namespace string) *service {
	var found []*service
	for _, s := range w.services {
		if (s.name == name || s.suffix && strings.HasSuffix(name, s.name)) && w.visible(sc, s.scope) && (namespace == "" || s.namespace == "" || s.namespace == namespace) {
			found = append(found, s)
		}
	}
	best, ok := nearest(found, dir, func(s *service) string { return s.dir })
	if !ok {
		return nil
	}
	return best
}

// selected returns the parts of workloads that a selector matches, in the namespace and scope of a service.
func (w *world) selected(sc *scope, dir, namespace string, selector map[string]string) []*part {
	if len(selector) == 0 {
		return nil
	}
	var found []*part
	for _, p := range w.parts {
		if !w.visible(sc, p.wl.scope) && !p.wl.scope.reaches(sc) || !matchLabels(selector, p.wl.labels) {
			continue
		}
		if namespace != "" && p.wl.namespace != "" && p.wl.namespace != namespace {
			continue
		}
		found = append(found, p)
	}
	if len(found) < 2 {
		return found
	}
	// What stands beside the service goes before what another release has under the same labels.
	if own := slices.DeleteFunc(slices.Clone(found), func(p *part) bool { return p.wl.scope != sc }); len(own) > 0 {
		found = own
	}
	// Copies of one deployment in other folders are alternatives: keep those nearest to the service.
	best := -1
	for _, p := range found {
		if d := nearness(dir, p.wl.dir); best < 0 || d < best {
			best = d
		}
	}
	var out []*part
	for _, p := range found {
		if nearness(dir, p.wl.dir) == best {
			out = append(out, p)
		}
	}
	return out
}

func matchLabels(selector, labels map[string]string) bool {
	for k, v := range selector {
		if labels[k] != v {
			return false
		}
	}
	return true
}

// target is what an address leads to.
type target struct {
	kind    string // engine, router, gateway, service, external, unknown
	part    *part
	service *service
	name    string // of the service or compose service
}

// lookupHost finds what a host and port lead to, seen from a scope.
func (w *world) lookupHost(sc *scope, dir, host, port string) target {
	if sc == nil {
		return target{kind: "unknown"}
	}
	switch {
	case host == "":
		return target{kind: "unknown"}
	case isLoopback(host):
		return w.lookupPort(sc, port)
	}
	for _, p := range w.parts {
		if !sc.reaches(p.wl.scope) {
			continue
		}
		for _, h := range p.wl.hostnames {
			if h == host {
				return partTarget(p, host)
			}
		}
	}
	for s := sc; s != nil; s = s.parent {
		if s.compose != nil && s.compose.Get(host) != nil {
			return target{kind: "service", name: host}
		}
	}
	name, namespace, ok := clusterName(host)
	if !ok {
		return target{kind: "external"}
	}
	s := w.serviceNamed(sc, dir, name, namespace)
	if s == nil {
		s = w.podService(sc, dir, host)
	}
	if s != nil {
		parts := w.selected(s.scope, s.dir, s.namespace, s.selector)
		t := target{kind: "service", service: s, name: s.name}
		if len(parts) == 1 {
			t = partTarget(parts[0], s.name)
			t.service = s
		}
		return t
	}
	if len(strings.Split(host, ".")) == 1 || strings.Contains(host, ".svc") {
		return target{kind: "unknown", name: name}
	}
	return target{kind: "external"}
}

// podService is the headless Service behind the short name of a StatefulSet's pod: engine-0.engine.
func (w *world) podService(sc *scope, dir, host string) *service {
	pod, name, ok := strings.Cut(strings.TrimSuffix(host, "."), ".")
	if !ok || strings.Contains(name, ".") {
		return nil
	}
	i := strings.LastIndexByte(pod, '-')
	if i < 0 || strings.Trim(pod[i+1:], "0123456789") != "" || i == len(pod)-1 {
		return nil
	}
	s := w.serviceNamed(sc, dir, name, "")
	if s == nil || !s.headless {
		return nil
	}
	for _, p := range w.selected(s.scope, s.dir, s.namespace, s.selector) {
		if p.wl.owner == "StatefulSet" && p.wl.name == pod[:i] {
			return s
		}
	}
	return nil
}

func isLoopback(host string) bool {
	return host == "localhost" || strings.HasPrefix(host, "127.") || host == "::1" || host == "0.0.0.0"
}

// lookupPort finds the part of the same host that listens on a port: scripts and units only.
func (w *world) lookupPort(sc *scope, port string) target {
	if sc.kind != "shell" && sc.kind != "systemd" {
		return target{kind: "unknown"}
	}
	var found *part
	for _, p := range w.parts {
		if p.wl.scope != sc && p.wl.scope.dir != sc.dir || listenPort(p) != port {
			continue
		}
		if found != nil {
			return target{kind: "unknown"}
		}
		found = p
	}
	if found == nil {
		return target{kind: "unknown"}
	}
	return partTarget(found, found.name)
}

// listenPort is the port a part is reached at from its own host.
func listenPort(p *part) string {
	for _, m := range p.wl.ports.Items() {
		if s, ok := m.Get("published").AsText(); ok {
			return s
		}
	}
	if v := p.value.At("args", "port", 0); v != nil {
		if s, ok := v.AsText(); ok {
			return s
		}
	}
	switch p.kind {
	case "engine":
		return "8000"
	case "router":
		return "8001"
	case "gateway":
		return "4000"
	}
	return ""
}

func partTarget(p *part, name string) target {
	switch p.kind {
	case "engine", "router", "gateway":
		return target{kind: p.kind, part: p, name: name}
	}
	return target{kind: "service", name: name}
}

// resolveBase finds what the api_base of a deployment leads to, in shape TargetPart, and takes reached engines
// and routers into the stack.
func (b *builder) resolveBase(base string, d *deployment) *model.Value {
	o := d.base.Origin
	host, port := hostOf(base)
	t := b.w.lookupHost(b.scope, b.dir, host, port)
	if t.kind == "unknown" || t.kind == "external" && t.part == nil {
		if p := b.w.beside(b, d); p != nil {
			t = target{kind: p.kind, part: p, name: t.name}
		}
	}
	if t.part != nil && t.part == b.self {
		t = target{kind: "gateway", part: b.self, name: t.name}
	} else if t.part != nil && t.kind != "gateway" {
		b.take(t.part)
	}
	if t.kind == "service" && t.service == nil {
		// A compose service that runs something else than an engine or router.
		t.kind = "service"
	}
	v := model.NewMap(o)
	v.Set("kind", model.NewText(t.kind, o))
	if t.part != nil {
		v.Set("name", model.NewText(t.part.name, o))
	}
	if t.name != "" {
		v.Set("service", model.NewText(t.name, o))
	}
	return v
}

// beside finds the engine or router that a script or unit in the stack's folder starts, for a config whose hosts
// are not in the files: the one that serves the deployment's model, else the only one.
func (w *world) beside(b *builder, d *deployment) *part {
	if b.self != nil && b.self.wl.platform != "shell" && b.self.wl.platform != "systemd" {
		return nil
	}
	_, name := splitModel(d.params)
	var all, serving []*part
	for _, p := range w.parts {
		if k := p.wl.scope.kind; k != "shell" && k != "systemd" || p.wl.scope.dir != b.dir || p.value == nil {
			continue
		}
		all = append(all, p)
		for _, s := range p.value.Get("served_names").Items() {
			if t, _ := s.AsText(); t == name {
				serving = append(serving, p)
			}
		}
	}
	switch {
	case len(serving) == 1:
		return serving[0]
	case len(all) == 1:
		return all[0]
	}
	return nil
}

// take adds a part to the stack once.
func (b *builder) take(p *part) {
	for _, q := range b.parts {
		if q == p {
			return
		}
	}
	p.reached = true
	b.parts = append(b.parts, p)
}

// targetOf returns the workload that an autoscaler scales, nil when it is not in the files.
func (w *world) targetOf(a *autoscaler) *workload {
	if a.target != nil || a.targetName == "" {
		return a.target
	}
	var found []*workload
	candidates := w.workloads
	if a.targetKind != dynamoAdapter {
		candidates = w.named(a.targetName)
	}
	for _, wl := range candidates {
		if a.scales(wl) && (a.scope.reaches(wl.scope) || wl.scope.reaches(a.scope)) &&
			(a.namespace == "" || wl.namespace == "" || a.namespace == wl.namespace) {
			found = append(found, wl)
		}
	}
	if len(found) > 1 {
		// A pod has several containers; the one whose program is known counts.
		var known []*workload
		for _, wl := range found {
			if p := w.partOf(wl); p != nil && p.kind != "" {
				known = append(known, wl)
			}
		}
		if len(known) > 0 {
			found = known
		}
	}
	best, ok := nearest(found, a.dir, func(wl *workload) string { return wl.dir })
	if !ok {
		return nil
	}
	return best
}

// named returns the workloads of a name, in the order in which they were found.
func (w *world) named(name string) []*workload {
	if w.byName == nil {
		w.byName = map[string][]*workload{}
	}
	for ; w.indexed < len(w.workloads); w.indexed++ {
		wl := w.workloads[w.indexed]
		w.byName[wl.name] = append(w.byName[wl.name], wl)
	}
	return w.byName[name]
}

// dynamoAdapter is the kind of object through which a service of a Dynamo graph is scaled.
const dynamoAdapter = "DynamoGraphDeploymentScalingAdapter"

// scales reports whether an autoscaler's target names a workload. A service of a Dynamo graph is scaled through an
// adapter that its operator names after both.
func (a *autoscaler) scales(wl *workload) bool {
	if a.targetKind == dynamoAdapter {
		return wl.graph != "" && a.targetName == wl.graph+"-"+strings.ToLower(wl.name)
	}
	return wl.name == a.targetName && (a.targetKind == "" || a.targetKind == wl.owner)
}

func (w *world) partOf(wl *workload) *part {
	for _, p := range w.parts {
		if p.wl == wl {
			return p
		}
	}
	return nil
}

// inStack returns the reference {part, name} of a workload when it belongs to the stack.
func (b *builder) inStack(wl *workload, o model.Origin) *model.Value {
	if wl == nil {
		return nil
	}
	if b.self != nil && b.self.wl == wl {
		return partRef("gateway", "", o)
	}
	for _, p := range b.parts {
		if p.wl == wl {
			return partRef(p.kind, p.name, o)
		}
	}
	return nil
}

func partRef(kind, name string, o model.Origin) *model.Value {
	v := model.NewMap(o)
	v.Set("part", model.NewText(kind, o))
	if name != "" {
		v.Set("name", model.NewText(name, o))
	}
	return v
}

// mountAt returns the deepest mount of a workload that a path lies in, nil when none does.
func (wl *workload) mountAt(p string) *mount {
	var best *mount
	bestLen := -1
	for i := range wl.mounts {
		m := &wl.mounts[i]
		t := path.Clean(m.target)
		if m.target != "" && (p == t || strings.HasPrefix(p, strings.TrimSuffix(t, "/")+"/")) && len(t) > bestLen {
			best, bestLen = m, len(t)
		}
	}
	return best
}

// mountedFile finds the file that stands at a path in a container: a bind mount, a key of a ConfigMap, a file
// copied into the image. unseen is true when something may stand there that the files do not show.
func (w *world) mountedFile(wl *workload, containerPath string) (f *source.File, unseen bool) {
	p := path.Clean(containerPath)
	best := wl.mountAt(p)
	if best == nil {
		return nil, true
	}
	rest := strings.TrimPrefix(strings.TrimPrefix(p, path.Clean(best.target)), "/")
	switch {
	case best.unseen:
		return nil, true
	case best.nested != nil:
		return best.nested, false
	case best.file != "":
		name := best.file
		if rest != "" {
			name = path.Join(name, rest)
		}
		f, err := w.ws.Read(name)
		return f, err != nil
	case best.configMap != "":
		key := best.key
		if key == "" {
			key = rest
			if k, ok := best.items[rest]; ok {
				key = k
			}
		}
		cm := w.configMapNamed(wl, best.configMap, best.secret)
		if cm == nil {
			return nil, true
		}
		d := cm.data[key]
		if d == nil || d.file == nil {
			return nil, true
		}
		return d.file, false
	}
	return nil, true
}

// configMapNamed returns the ConfigMap, or the Secret, of a name that a workload sees.
func (w *world) configMapNamed(wl *workload, name string, secret bool) *configMap {
	var found []*configMap
	for _, c := range w.configMaps {
		if c.name == name && c.secret == secret && wl.scope.reaches(c.scope) && (c.namespace == "" || wl.namespace == "" || c.namespace == wl.namespace) {
			found = append(found, c)
		}
	}
	best, ok := nearest(found, wl.dir, func(c *configMap) string { return c.dir })
	if !ok {
		return nil
	}
	return best
}
