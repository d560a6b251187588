package loaders

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// valuesFolder adds the releases of one folder: values.yaml with each values-<env>.yaml beside it as one stack, any
// other values file as a stack of its own.
func (w *world) valuesFolder(dir string, docs []*Document) {
	if w.isChartSource(dir) {
		for _, d := range docs {
			w.skip(d.File.Path, "the chart's own default values: no deployment")
			w.used[d.File] = true
		}
		return
	}
	var base *Document
	var overlays []*source.File
	for _, d := range docs {
		if isBaseValues(d.File.Path) {
			base = d
		}
	}
	if base == nil {
		// values.yaml may hold too little to be recognised by itself.
		for _, n := range []string{"values.yaml", "values.yml"} {
			if f, err := w.ws.Read(path.Join(dir, n)); err == nil {
				if ds, err := w.ws.yaml(f); err == nil && len(ds) == 1 && isMap(ds[0].Root) {
					base = &Document{Kind: HelmValues, File: f, Root: ds[0].Root, Alias: docs[0].Alias}
				}
			}
		}
	}
	if base == nil {
		for _, d := range docs {
			w.valuesStack(dir, d, nil)
		}
		return
	}
	for _, name := range w.names {
		sub := path.Dir(name)
		switch {
		case sub == dir && isOverlayValues(name), sub != dir && path.Dir(sub) == dir && isBaseValues(name) && !w.hasChart(sub):
			if f, err := w.ws.Read(name); err == nil && w.isValuesOverlay(f, base) {
				overlays = append(overlays, f)
			}
		}
	}
	for _, d := range docs {
		if d != base && !slices.Contains(overlays, d.File) {
			w.valuesStack(dir, d, nil)
		}
	}
	if len(overlays) == 0 {
		w.valuesStack(dir, base, nil)
	}
	for _, o := range overlays {
		w.valuesStack(dir, base, o)
	}
}

// isChartSource reports whether a folder is the source of a chart we know, not an installation of it.
func (w *world) isChartSource(dir string) bool {
	f, err := w.ws.Read(path.Join(dir, "Chart.yaml"))
	if err != nil {
		return false
	}
	docs, err := w.ws.yaml(f)
	if err != nil || len(docs) == 0 {
		return false
	}
	if _, known := knowledge.Chart(textOf(docs[0].Root.Get("name"))); !known || chartDependency(docs[0].Root) {
		return false
	}
	prefix := path.Join(dir, "templates") + "/"
	for _, n := range w.names {
		if strings.HasPrefix(n, prefix) {
			return true
		}
	}
	return false
}

// chartDependency reports whether a chart depends on one that we know: it then installs that one.
func chartDependency(chart *source.Node) bool {
	return anyItem(chart.Get("dependencies"), func(d *source.Node) bool {
		_, known := knowledge.Chart(textOf(d.Get("name")))
		return known
	})
}

func isBaseValues(name string) bool {
	b := path.Base(name)
	return b == "values.yaml" || b == "values.yml"
}

// isOverlayValues reports whether a file is named as an overlay of values.yaml: values-prod.yaml, values.prod.yaml.
func isOverlayValues(name string) bool {
	b := path.Base(name)
	ext := path.Ext(b)
	return (ext == ".yaml" || ext == ".yml") && len(b) > len("values-")+len(ext) && (strings.HasPrefix(b, "values-") || strings.HasPrefix(b, "values.") || strings.HasPrefix(b, "values_"))
}

func (w *world) hasChart(dir string) bool { return w.ws.Exists(path.Join(dir, "Chart.yaml")) }

// isValuesOverlay reports whether a file sets values of the same chart: a map that shares a top-level key with the
// base, or with the chart.
func (w *world) isValuesOverlay(f *source.File, base *Document) bool {
	docs, err := w.ws.yaml(f)
	if err != nil || len(docs) != 1 || !isMap(docs[0].Root) || docs[0].Root.Get("kind") != nil {
		return false
	}
	for _, e := range docs[0].Root.Entries() {
		if base.Root.Get(e.Key.Text) != nil {
			return true
		}
	}
	table, _ := w.chartOf(base)
	if table == nil {
		return false
	}
	for _, e := range docs[0].Root.Entries() {
		if _, p := table.Key(e.Key.Text, table.Newest()); p == knowledge.Present {
			return true
		}
	}
	return false
}

// chartOf says which chart a values file belongs to, and its version: the dependency of the Chart.yaml beside it,
// else its content.
func (w *world) chartOf(d *Document) (*knowledge.ChartTable, *model.Value) {
	dir := path.Dir(d.File.Path)
	if f, err := w.ws.Read(path.Join(dir, "Chart.yaml")); err == nil {
		if docs, err := w.ws.yaml(f); err == nil && len(docs) > 0 {
			v := model.FromNode(f, docs[0].Root, source.SigsYAML, nil)
			for _, dep := range v.Get("dependencies").Items() {
				name, _ := dep.Get("name").AsText()
				alias, _ := dep.Get("alias").AsText()
				table, ok := knowledge.Chart(name)
				if !ok || d.Alias != "" && d.Alias != alias && d.Alias != name {
					continue
				}
				version := dep.Get("version")
				if locked := w.lockedVersion(dir, name); locked != nil {
					version = locked
				}
				w.used[f] = true
				return table, version
			}
			if name, _ := v.Get("name").AsText(); d.Alias == "" {
				if table, ok := knowledge.Chart(name); ok && len(v.Get("dependencies").Items()) == 0 {
					return table, v.Get("version")
				}
			}
		}
	}
	return chartByContent(d.values()), nil
}

// lockedVersion is the version of a dependency in Chart.lock.
func (w *world) lockedVersion(dir, name string) *model.Value {
	f, err := w.ws.Read(path.Join(dir, "Chart.lock"))
	if err != nil {
		return nil
	}
	docs, err := w.ws.yaml(f)
	if err != nil || len(docs) == 0 {
		return nil
	}
	v := model.FromNode(f, docs[0].Root, source.SigsYAML, nil)
	for _, dep := range v.Get("dependencies").Items() {
		if n, _ := dep.Get("name").AsText(); n == name {
			return dep.Get("version")
		}
	}
	return nil
}

// values is the node of the chart's values: the document, or what stands under its alias.
func (d *Document) values() *source.Node {
	if d.Alias != "" {
		return d.Root.Get(d.Alias)
	}
	return d.Root
}

// chartByContent recognises a chart by its values; nil for none we know.
func chartByContent(m *source.Node) *knowledge.ChartTable {
	name := ""
	switch {
	case m.Get("servingEngineSpec") != nil || isMap(m.Get("routerSpec")):
		name = "vllm-stack"
	case isMap(m.At("gateway", "config", "proxy_config")), isMap(m.Get("gateway")) && (m.At("database", "writer") != nil || m.Get("masterKey") != nil):
		name = "litellm"
	case isMap(m.Get("proxy_config")):
		name = "litellm-helm"
	}
	if name == "" {
		return nil
	}
	t, _ := knowledge.Chart(name)
	return t
}

// valuesStack adds the release of a values file with an overlay.
func (w *world) valuesStack(dir string, base *Document, overlay *source.File) {
	name := base.File.Path
	sc := &scope{kind: "helm", name: name, dir: dir, parent: w.cluster, origin: model.Origin{File: base.File, Node: base.Root, Span: base.Root.Span()}}
	layers := []*model.Value{model.FromNode(base.File, base.values(), source.SigsYAML, helmUnseen)}
	sc.files = append(sc.files, base.File)
	w.used[base.File] = true
	if overlay != nil {
		sc.name = overlay.Path
		sc.files = append(sc.files, overlay)
		w.used[overlay] = true
		if docs, err := w.ws.yaml(overlay); err == nil && len(docs) > 0 {
			n := docs[0].Root
			if base.Alias != "" {
				n = n.Get(base.Alias)
			}
			if n != nil {
				layers = append(layers, model.FromNode(overlay, n, source.SigsYAML, helmUnseen))
			}
		}
	}
	written := mergeLayers(layers)
	if written == nil {
		return
	}
	if base.values().Get("controllers") != nil && chartByContent(base.values()) == nil {
		w.appTemplate(sc, dir, "", "", written)
		return
	}
	table, version := w.chartOf(base)
	if table == nil {
		return
	}
	w.addRelease(w.newRelease(table, sc, dir, "", "", written, version))
}

// mergeLayers lays values over each other in order. The values that no layer of maps gives are nil.
func mergeLayers(layers []*model.Value) *model.Value {
	var out *model.Value
	for _, l := range layers {
		if l == nil || l.Kind != model.Map {
			continue
		}
		out = model.Merge(out, l)
	}
	return out
}

// opened returns values to which files that are not here may add more, in every map; a list is replaced as a whole.
func opened(v *model.Value, open bool) *model.Value {
	if !open || v.Kind != model.Map {
		return v
	}
	v = copyMap(v)
	v.Open = true
	for i, k := range v.Keys() {
		v.Set(k, opened(v.Items()[i], open))
	}
	return v
}

// layer reads a file of values; nil when it holds none.
func (w *world) layer(f *source.File) *model.Value {
	docs, err := w.ws.yaml(f)
	if err != nil || len(docs) == 0 {
		return nil
	}
	return model.FromNode(f, docs[0].Root, source.SigsYAML, helmUnseen)
}

// helmUnseen reports whether a scalar of values is a template, or a reference that Flux replaces.
func helmUnseen(n *source.Node) bool { return clusterUnseen(n) }

// helmRelease adds the chart that a Flux HelmRelease installs.
func (w *world) helmRelease(o *object) {
	spec := o.v.Get("spec")
	chart, _ := spec.At("chart", "spec", "chart").AsText()
	version := spec.At("chart", "spec", "version")
	if ref := spec.Get("chartRef"); ref != nil {
		name, _ := ref.Get("name").AsText()
		w.later = append(w.later, func() { w.installRelease(o, name, nil, ref) })
		return
	}
	w.later = append(w.later, func() { w.installRelease(o, chart, version, nil) })
}

// installRelease adds a HelmRelease once all objects it may refer to are known.
func (w *world) installRelease(o *object, chart string, version, ref *model.Value) {
	if ref != nil {
		for _, x := range w.ociRepositories {
			if x.name() == chart && o.scope.reaches(x.scope) {
				url, _ := x.v.At("spec", "url").AsText()
				chart = path.Base(url)
				version = firstOf(x.v.At("spec", "ref"), "tag", "semver", "digest")
				break
			}
		}
	}
	var layers []*model.Value
	open := false
	for _, from := range o.v.At("spec", "valuesFrom").Items() {
		layer, ok := w.valuesFrom(o, from)
		if !ok {
			open = true
			continue
		}
		layers = append(layers, layer)
	}
	layers = append(layers, o.v.At("spec", "values"))
	written := mergeLayers(layers)
	if written == nil {
		return
	}
	written = opened(written, open)
	sc := w.installScope(o, "flux")
	name, _ := o.v.At("spec", "releaseName").AsText()
	if name == "" {
		name = o.name()
	}
	namespace := o.namespace()
	if t, ok := o.v.At("spec", "targetNamespace").AsText(); ok {
		namespace = t
	}
	w.install(sc, o.dir, chart, name, namespace, written, version)
}

// installScope is the scope of what an object installs: its own, over the one the object stands in.
func (w *world) installScope(o *object, kind string) *scope {
	f, _ := o.v.Origin.File.Outer(source.Span{})
	sc := &scope{kind: kind, name: f.Path, dir: o.dir, parent: o.scope, origin: o.v.Origin, files: []*source.File{f}}
	w.used[f] = true
	return sc
}

// install adds a release of a named chart; a chart that is not known by name is known by its values.
func (w *world) install(sc *scope, dir, chart, name, namespace string, written, version *model.Value) {
	if strings.Contains(chart, "app-template") || strings.HasSuffix(chart, "/common") {
		w.appTemplate(sc, dir, name, namespace, written)
		return
	}
	if isPickerChart(chart) {
		w.pickerChart(sc, dir, chart, name, namespace, written, version)
		return
	}
	table, ok := knowledge.Chart(chart)
	if !ok {
		n := written.Origin.Node.Deref()
		if n == nil {
			return
		}
		if table = chartByContent(n); table == nil {
			if written.Get("controllers") != nil {
				w.appTemplate(sc, dir, name, namespace, written)
			}
			return
		}
	}
	w.addRelease(w.newRelease(table, sc, dir, name, namespace, written, version))
}

// valuesFrom reads the values that a HelmRelease takes from a ConfigMap or Secret.
func (w *world) valuesFrom(o *object, from *model.Value) (*model.Value, bool) {
	name, _ := from.Get("name").AsText()
	key, ok := from.Get("valuesKey").AsText()
	if !ok {
		key = "values.yaml"
	}
	for _, c := range w.configMaps {
		if c.name != name || !o.scope.reaches(c.scope) {
			continue
		}
		d := c.data[key]
		if d == nil || d.file == nil || !d.known {
			return nil, false
		}
		if p, ok := from.Get("targetPath").AsText(); ok {
			root := model.NewMap(d.origin)
			at := root
			keys := strings.Split(p, ".")
			for _, k := range keys[:len(keys)-1] {
				at = at.Set(k, model.NewMap(d.origin))
			}
			at.Set(keys[len(keys)-1], model.NewText(d.value, d.origin))
			return root, true
		}
		docs, err := parseTree(d.file)
		if err != nil || len(docs) == 0 {
			return nil, false
		}
		return model.FromNode(d.file, docs[0].Root, source.SigsYAML, helmUnseen), true
	}
	// The target of a single value is known although the value is not.
	if p, ok := from.Get("targetPath").AsText(); ok {
		root := model.NewMap(from.Origin)
		at := root
		keys := strings.Split(p, ".")
		for _, k := range keys[:len(keys)-1] {
			at = at.Set(k, model.NewMap(from.Origin))
		}
		at.Set(keys[len(keys)-1], model.NewUnknown(from.Origin))
		return root, true
	}
	return nil, false
}

// application adds the charts that an Argo CD Application installs.
func (w *world) application(o *object) {
	spec := o.v.Get("spec")
	if o.kind() == "ApplicationSet" {
		spec = o.v.At("spec", "template", "spec")
	}
	sources := spec.Get("sources").Items()
	if s := spec.Get("source"); s != nil {
		sources = append([]*model.Value{s}, sources...)
	}
	refs := map[string]bool{}
	for _, s := range sources {
		if r, ok := s.Get("ref").AsText(); ok {
			refs[r] = true
		}
	}
	for _, s := range sources {
		chart, ok := s.Get("chart").AsText()
		if !ok {
			p, is := s.Get("path").AsText()
			if !is {
				continue
			}
			chart = path.Base(p)
		}
		h := s.Get("helm")
		var layers []*model.Value
		var files []*source.File
		open := false
		for _, vf := range h.Get("valueFiles").Items() {
			f := w.valueFile(o.dir, vf, refs)
			if f == nil {
				open = true
				continue
			}
			files = append(files, f)
			layers = append(layers, w.layer(f))
		}
		if t := h.Get("values"); t != nil && t.Kind == model.Text {
			inner := source.Nested(t.Origin.File, t.Origin.Node)
			if docs, err := parseTree(inner); err == nil && len(docs) > 0 {
				layers = append(layers, model.FromNode(inner, docs[0].Root, source.SigsYAML, helmUnseen))
			} else if err != nil {
				w.problem(inner, err)
			}
		}
		layers = append(layers, h.Get("valuesObject"))
		written := mergeLayers(layers)
		if ps := h.Get("parameters"); ps.Len() > 0 {
			if written == nil {
				written = model.NewMap(ps.Origin)
			}
			for _, p := range ps.Items() {
				setParameter(written, p)
			}
		}
		if written == nil {
			continue
		}
		written = opened(written, open)
		sc := w.installScope(o, "argo")
		for _, f := range files {
			sc.files = append(sc.files, f)
			w.used[f] = true
		}
		name, ok := h.Get("releaseName").AsText()
		if !ok {
			name = o.name()
		}
		namespace, _ := spec.At("destination", "namespace").AsText()
		w.install(sc, o.dir, chart, name, namespace, written, s.Get("targetRevision"))
	}
}

// valueFile finds a values file of an Application: $ref/path from the root of this repository, else relative to
// the Application's folder.
func (w *world) valueFile(dir string, v *model.Value, refs map[string]bool) *source.File {
	s, ok := v.AsText()
	if !ok {
		return nil
	}
	if rest, is := strings.CutPrefix(s, "$"); is {
		ref, p, _ := strings.Cut(rest, "/")
		if !refs[ref] {
			return nil
		}
		f, err := w.ws.Read(path.Clean(p))
		if err != nil {
			return nil
		}
		return f
	}
	p, inside := resolvePath(dir, s)
	if !inside {
		return nil
	}
	f, err := w.ws.Read(p)
	if err != nil {
		return nil
	}
	return f
}

// setParameter applies one of Argo's helm parameters: name is a dotted path.
func setParameter(root, p *model.Value) {
	name, ok := p.Get("name").AsText()
	v := p.Get("value")
	if !ok || v == nil || strings.ContainsAny(name, "[]\\") {
		root.Open = true
		return
	}
	at := root
	keys := strings.Split(name, ".")
	for _, k := range keys[:len(keys)-1] {
		next := at.Get(k)
		if next == nil || next.Kind != model.Map {
			next = at.Set(k, model.NewMap(p.Origin))
		}
		at = next
	}
	x := scalarText(v)
	if force, _ := p.Get("forceString").AsBool(); force {
		x = v
	}
	at.Override(keys[len(keys)-1], x)
}

// helmfile adds the releases of a helmfile.
func (w *world) helmfile(d *Document) {
	v := model.FromNode(d.File, d.Root, source.SigsYAML, helmUnseen)
	dir := path.Dir(d.File.Path)
	releases := v.Get("releases").Items()
	for _, r := range releases {
		chart, ok := r.Get("chart").AsText()
		if !ok {
			continue
		}
		if on, is := r.Get("installed").AsBool(); is && !on {
			continue
		}
		sc := &scope{kind: "helmfile", name: d.File.Path, dir: dir, parent: w.cluster, origin: r.Origin, files: []*source.File{d.File}}
		var layers []*model.Value
		open := false
		for _, it := range r.Get("values").Items() {
			switch it.Kind {
			case model.Map:
				layers = append(layers, it)
			case model.Text:
				p, inside := resolvePath(dir, it.Text)
				f, err := w.ws.Read(p)
				if !inside || err != nil || strings.HasSuffix(p, ".gotmpl") {
					open = true
					continue
				}
				sc.files = append(sc.files, f)
				w.used[f] = true
				layers = append(layers, w.layer(f))
			default:
				open = true
			}
		}
		written := mergeLayers(layers)
		if written == nil {
			continue
		}
		written = opened(written, open)
		name, _ := r.Get("name").AsText()
		namespace, _ := r.Get("namespace").AsText()
		w.used[d.File] = true
		w.install(sc, dir, chart, name, namespace, written, r.Get("version"))
	}
}

// appTemplate adds the containers of bjw-s app-template values.
func (w *world) appTemplate(sc *scope, dir, release, namespace string, v *model.Value) {
	for i, cname := range v.Get("controllers").Keys() {
		c := v.Get("controllers").Items()[i]
		if on, is := c.Get("enabled").AsBool(); is && !on || c.Kind != model.Map {
			continue
		}
		name := release
		if name == "" || len(v.Get("controllers").Keys()) > 1 && cname != "main" && cname != release {
			name = strings.TrimPrefix(release+"-"+cname, "-")
		}
		for j, kname := range c.Get("containers").Keys() {
			k := c.Get("containers").Items()[j]
			if k.Kind != model.Map {
				continue
			}
			wl := &workload{scope: sc, name: name, namespace: namespace, origin: k.Origin, dir: dir, labels: map[string]string{"app.kubernetes.io/controller": cname, "app.kubernetes.io/name": release},
				owner: "Deployment", platform: "kubernetes", container: kname}
			repo, tag := k.At("image", "repository"), k.At("image", "tag")
			if r, ok := repo.AsText(); ok {
				o := repo.Origin
				t, known := tag.Scalar()
				switch {
				case known:
					wl.image = model.NewText(r+":"+t, tag.Origin)
				case tag != nil && tag.Kind == model.Unknown:
					wl.image = model.NewUnknown(tag.Origin)
				default:
					wl.image = model.NewText(r, o)
				}
				if strings.Contains(t, "@") {
					head, digest, _ := strings.Cut(t, "@")
					wl.image = model.NewText(r+":"+head+"@"+digest, tag.Origin)
				}
			}
			if x := k.Get("command"); x != nil {
				wl.command = argsOf(x, source.NoExpansion, nil)
			}
			if x := k.Get("args"); x != nil {
				wl.args = argsOf(x, source.NoExpansion, nil)
			}
			wl.env = model.NewMap(k.Get("env").OriginOr(model.Origin{}))
			wl.env.Open, wl.valuesOpen = v.Open, v.Open
			if e := k.Get("env"); e != nil {
				w.appTemplateEnv(wl, e)
			}
			for _, from := range k.Get("envFrom").Items() {
				w.appTemplateEnvFrom(wl, release, from)
			}
			wl.replicas = c.Get("replicas")
			rollout := model.NewMap(c.Origin)
			// app-template's default strategy is Recreate.
			kind := model.NewText("Recreate", model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: c}})
			s := c.Get("strategy")
			if s != nil {
				kind = s
			}
			rollout.Set("kind", kind)
			wl.rollout = rollout
			wl.resources = kubernetesResources(k.Get("resources"))
			if v.Open && s == nil {
				wl.rollout = model.NewUnknown(c.Origin)
			}
			if v.Open && wl.resources == nil {
				wl.resources = model.NewUnknown(k.Origin)
			}
			spec := model.NewMap(c.Origin)
			spec.Open = v.Open
			for _, b := range []*model.Value{v.Get("defaultPodOptions"), c.Get("pod")} {
				for x, key := range b.Keys() {
					spec.Set(key, b.Items()[x])
				}
			}
			if spec.Get("enableServiceLinks") == nil {
				// app-template's default.
				spec.Set("enableServiceLinks", model.NewBool(false, model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: c}}))
			}
			wl.pod = podValue(spec, k, nil, nil)
			wl.pod.Set("values", model.NewText("app-template", model.Origin{}))
			// Volumes and mounts come from persistence alone.
			wl.pod.Set("volumes", model.NewList(model.Origin{}))
			wl.pod.Set("mounts", model.NewList(model.Origin{}))
			wl.gpu = kubernetesGPU(spec, k)
			wl.ports = wl.pod.Get("ports")
			for _, p := range []struct{ key, kind string }{{"startup", "startup"}, {"readiness", "readiness"}, {"liveness", "liveness"}} {
				b := k.At("probes", p.key)
				if on, is := b.Get("enabled").AsBool(); b == nil || is && !on {
					continue
				}
				s := b.Get("spec")
				if s == nil {
					continue
				}
				if b.Get("path") != nil && s.Get("httpGet") == nil {
					s = copyMap(s)
					h := model.NewMap(b.Get("path").Origin)
					h.Set("path", b.Get("path"))
					s.Set("httpGet", h)
				}
				if pv := kubernetesProbe(s, p.kind); pv != nil {
					wl.probes = append(wl.probes, pv)
				}
			}
			wl.mounts = append(wl.mounts, w.appTemplateMounts(wl, v, release, cname, kname)...)
			appTemplateVolumes(wl.pod, v, cname, kname)
			w.workloads = append(w.workloads, wl)
		}
	}
	for i, sname := range v.Get("service").Keys() {
		s := v.Get("service").Items()[i]
		if s.Kind != model.Map {
			continue
		}
		name := release
		if len(v.Get("service").Keys()) > 1 && sname != "main" && sname != "app" || release == "" {
			name = strings.TrimPrefix(release+"-"+sname, "-")
		}
		controller, ok := s.Get("controller").AsText()
		if !ok {
			controller = v.Get("controllers").Keys()[0]
		}
		sv := model.NewMap(s.Origin)
		sv.Set("name", model.NewText(name, s.Origin))
		typ := s.Get("type")
		if typ == nil {
			typ = model.NewText("ClusterIP", model.Origin{Source: model.FromDefault})
		}
		sv.Set("type", typ)
		sv.Set("headless", model.NewBool(false, s.Origin))
		sv.Set("selector", model.NewMap(s.Origin))
		sv.Set("labels", model.NewMap(s.Origin))
		sv.Set("ports", model.NewList(s.Origin))
		w.services = append(w.services, &service{scope: sc, name: name, namespace: namespace, dir: dir, selector: map[string]string{"app.kubernetes.io/controller": controller, "app.kubernetes.io/name": release}, value: sv})
	}
	w.appTemplateConfigMaps(sc, dir, release, namespace, v)
}

// appTemplateEnv reads env as a map (a scalar, valueFrom, or a bare reference) or as a list.
func (w *world) appTemplateEnv(wl *workload, e *model.Value) {
	if e.Kind == model.Map {
		for i, k := range e.Keys() {
			x := e.Items()[i]
			if x.Kind == model.Map && x.Get("value") == nil && x.Get("valueFrom") == nil {
				from := model.NewMap(x.Origin)
				from.Set("valueFrom", x)
				x = from
			}
			if x.Kind == model.Map {
				wl.envList = append(wl.envList, envItem{name: k, item: x})
				continue
			}
			one := model.NewMap(model.Origin{})
			one.Set(k, x)
			w.chartEnvAll(wl, one)
		}
		return
	}
	w.chartEnvAll(wl, e)
}

func (w *world) appTemplateEnvFrom(wl *workload, release string, from *model.Value) {
	add := func(name *model.Value, secret bool) {
		s, ok := name.AsText()
		if !ok {
			wl.env.Open = true
			return
		}
		if secret {
			wl.secrets = append(wl.secrets, s)
		}
		wl.envFrom = append(wl.envFrom, envFrom{name: s, secret: secret, origin: from.Origin})
	}
	switch {
	case from.At("secretRef", "name") != nil:
		add(from.At("secretRef", "name"), true)
	case from.At("configMapRef", "name") != nil:
		add(from.At("configMapRef", "name"), false)
	case from.Get("secret") != nil:
		add(from.Get("secret"), true)
	case from.Get("configMap") != nil:
		add(from.Get("configMap"), false)
	default:
		wl.env.Open = true
	}
}

// appTemplateVolumes adds the volumes and mounts that persistence entries make to those of a pod.
func appTemplateVolumes(pod, v *model.Value, controller, container string) {
	for i, name := range v.Get("persistence").Keys() {
		p := v.Get("persistence").Items()[i]
		if on, is := p.Get("enabled").AsBool(); is && !on || p.Kind != model.Map {
			continue
		}
		paths := persistencePaths(name, p, controller, container)
		if len(paths) == 0 {
			continue
		}
		kind, ok := p.Get("type").AsText()
		if !ok {
			kind = "persistentVolumeClaim"
		}
		vol := model.NewMap(p.Origin)
		vol.Set("name", model.NewText(name, p.Origin))
		if t := p.Get("type"); t == nil || t.Known() {
			vol.Set(kind, p)
		} else {
			vol.Open = true
		}
		pod.Get("volumes").Append(vol)
		for _, g := range paths {
			m := model.NewMap(g.Origin)
			m.Set("name", model.NewText(name, g.Origin))
			if at := g.Get("path"); at != nil {
				m.Set("mountPath", at)
			}
			if sub := g.Get("subPath"); sub != nil {
				m.Set("subPath", sub)
			}
			pod.Get("mounts").Append(m)
		}
	}
}

// persistencePaths are the mounts of a persistence entry in a container: those written, else one at the entry's name.
func persistencePaths(name string, p *model.Value, controller, container string) []*model.Value {
	var paths []*model.Value
	paths = append(paths, p.Get("globalMounts").Items()...)
	paths = append(paths, p.At("advancedMounts", controller, container).Items()...)
	if len(paths) == 0 && p.Get("globalMounts") == nil && p.Get("advancedMounts") == nil {
		one := model.NewMap(p.Origin)
		one.Set("path", model.NewText("/"+name, p.Origin))
		paths = append(paths, one)
	}
	return paths
}

// appTemplateMounts reads persistence entries of type configMap and secret.
func (w *world) appTemplateMounts(wl *workload, v *model.Value, release, controller, container string) []mount {
	var out []mount
	for i, pname := range v.Get("persistence").Keys() {
		p := v.Get("persistence").Items()[i]
		if on, is := p.Get("enabled").AsBool(); is && !on {
			continue
		}
		typ, _ := p.Get("type").AsText()
		name, ok := p.Get("name").AsText()
		if !ok {
			if id, is := p.Get("identifier").AsText(); is {
				name = strings.TrimPrefix(release+"-"+id, "-")
			}
		}
		for _, g := range persistencePaths(pname, p, controller, container) {
			m := mount{origin: g.Origin}
			m.target, _ = g.Get("path").AsText()
			if typ == "configMap" || typ == "secret" {
				m.configMap, m.secret = name, typ == "secret"
				if sub, ok := g.Get("subPath").AsText(); ok {
					m.key = sub
				}
			}
			m.unseen = m.configMap == ""
			out = append(out, m)
		}
	}
	return out
}

// appTemplateConfigMaps adds the ConfigMaps that app-template renders itself.
func (w *world) appTemplateConfigMaps(sc *scope, dir, release, namespace string, v *model.Value) {
	for i, k := range v.Get("configMaps").Keys() {
		c := v.Get("configMaps").Items()[i]
		cm := &configMap{scope: sc, name: strings.TrimPrefix(release+"-"+k, "-"), namespace: namespace, dir: dir, data: map[string]*datum{}}
		o := &object{scope: sc, dir: dir, v: c}
		for j, key := range c.Get("data").Keys() {
			x := c.Get("data").Items()[j]
			d := &datum{origin: x.Origin}
			if t, ok := x.Scalar(); ok {
				d.value, d.known = t, true
			}
			if n := x.Origin.Node.Deref(); n != nil && n.Kind == source.Scalar {
				d.file = source.Nested(x.Origin.File, n)
				w.embedded(o, key, d.file)
			}
			cm.data[key] = d
		}
		w.configMaps = append(w.configMaps, cm)
	}
}
