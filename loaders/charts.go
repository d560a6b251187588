package loaders

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// release is one installation of a chart the knowledge base describes.
type release struct {
	table *knowledge.ChartTable
	// form is the version whose keys and defaults hold.
	form knowledge.Version
	// keys are those of the form.
	keys []knowledge.ChartKey
	// chartVersion is as written; app the product's version it carries, from where.
	chartVersion string
	app, appFrom string
	appOrigin    model.Origin

	scope           *scope
	dir             string
	name, namespace string
	// written are the values that files give, values those with the chart's defaults below them.
	written, values *model.Value
}

// newRelease lays written values over the chart's defaults. chartVersion may be nil or unknown.
func (w *world) newRelease(table *knowledge.ChartTable, sc *scope, dir, name, namespace string, written, chartVersion *model.Value) *release {
	r := &release{table: table, scope: sc, dir: dir, name: name, namespace: namespace, written: written}
	var chart, app knowledge.Version
	if s, ok := chartVersion.AsText(); ok {
		if v, err := knowledge.ParseVersion(s); err == nil {
			chart, r.chartVersion = v, s
		}
	}
	if a, ok := table.AppVersion(chart); ok {
		r.app, r.appFrom, r.appOrigin = a.String(), placeNote(chartVersion.Origin), chartVersion.Origin
	}
	for _, p := range [][]any{{"image", "tag"}, {"gateway", "image", "tag"}} {
		if t, ok := written.At(p...).AsText(); ok {
			if v, floating, ok := knowledge.VersionFromTag(t); ok && !floating {
				app = v
			}
		}
	}
	if app.IsZero() && r.app == "" {
		if t := w.opts.Targets["litellm"]; t != "" {
			app, _ = knowledge.ParseVersion(t)
		}
	}
	form, ok := table.Form(chart, app)
	if !ok {
		form = table.Newest()
	}
	r.form = form
	r.keys = slices.Collect(table.Keys(form))
	base := r.defaults()
	if written.Open {
		base = r.unseen()
	}
	r.values = model.Merge(base, written)
	blocks(r.values, written)
	return r
}

func placeNote(o model.Origin) string {
	if o.File == nil {
		return o.Note()
	}
	f, sp := o.File.Outer(o.Span)
	return f.Path + ":" + strconv.Itoa(f.Position(sp.Start).Line)
}

// defaults is the tree of the chart's own values.
func (r *release) defaults() *model.Value {
	o := model.Origin{Source: model.FromChart, Detail: &model.Detail{Note: "default of the chart " + r.table.String()}}
	root := model.NewMap(o)
	for _, k := range r.keys {
		if k.Kind == knowledge.KeyFixed || strings.Contains(k.Path, "[]") {
			continue
		}
		text, ok := k.Default(r.form)
		if !ok {
			continue
		}
		f := source.NewFile("", []byte(text))
		n, err := source.ParseJSON(f)
		if err != nil {
			continue
		}
		v := model.FromNode(f, n, source.JSON, func(*source.Node) bool { return false })
		v.Each(func(v *model.Value) { v.Origin = o })
		at, last := holder(root, k.Path)
		if at.Get(last) == nil || at.Get(last).Len() == 0 {
			at.Set(last, v)
		}
	}
	return root
}

// unseen is the tree of the chart's own values where files that are not seen may set any of them: every value is unknown.
func (r *release) unseen() *model.Value {
	o := model.Origin{Source: model.FromChart, Detail: &model.Detail{Note: "values that are not in the files"}}
	root := model.NewMap(o)
	root.Open = true
	for _, k := range r.keys {
		if k.Kind == knowledge.KeyFixed || strings.Contains(k.Path, "[]") {
			continue
		}
		if at, last := holder(root, k.Path); at.Get(last) == nil {
			at.Set(last, model.NewUnknown(o))
		}
	}
	return root
}

// holder returns the map of a tree of values that holds the key at the end of a dotted path, and that key. Maps that are missing
// are made as the root is: of its origin, and open when it is.
func holder(root *model.Value, dotted string) (*model.Value, string) {
	keys := strings.Split(dotted, ".")
	last := len(keys) - 1
	at := root
	for _, key := range keys[:last] {
		next := at.Get(key)
		if next == nil || next.Kind != model.Map {
			next = at.Set(key, model.NewMap(root.Origin))
			next.Open = root.Open
		}
		at = next
	}
	return at, keys[last]
}

// blocks gives every default the deepest written block around it as the place of findings about it, else the
// root of the chart's values.
func blocks(v, block *model.Value) {
	if v.Origin.File != nil {
		block = v
	} else if v.Origin.Source == model.FromChart {
		v.Origin.Detail = &model.Detail{Block: block, Note: v.Origin.Note()}
	}
	for _, c := range v.Items() {
		blocks(c, block)
	}
}

// get returns the effective value at a dotted path, null as nil. "[]" stands for the item.
func (r *release) get(p string, item *model.Value) *model.Value {
	v := r.values
	if i := strings.LastIndex(p, "[]"); i >= 0 {
		if item == nil {
			return nil
		}
		v, p = item, strings.TrimPrefix(p[i+2:], ".")
	}
	if p != "" {
		for k := range strings.SplitSeq(p, ".") {
			if v = v.Get(k); v == nil {
				return nil
			}
		}
	}
	if v.Kind == model.Null {
		return nil
	}
	return v
}

// holds reports whether a key's conditions hold; an unknown one does not.
func (r *release) holds(k knowledge.ChartKey, item *model.Value) bool {
	for _, c := range k.Needs() {
		v := r.get(c.Path, item)
		if c.Value != "" {
			if s, _ := v.Scalar(); (s == c.Value) == c.Not {
				return false
			}
			continue
		}
		on, known := v.Truthy()
		if !known && c.Not && r.written.Open && v.Origin.File == nil {
			// What only files that are not seen may set stands in the way of nothing that is written.
			continue
		}
		if !known || on == c.Not {
			return false
		}
	}
	return true
}

// value is the effective value of a key: what the chart renders without any key for a fixed one.
func (r *release) value(k knowledge.ChartKey, item, block *model.Value) *model.Value {
	if k.Kind != knowledge.KeyFixed {
		return r.get(k.Path, item)
	}
	text, ok := k.Default(r.form)
	if !ok {
		return nil
	}
	f := source.NewFile("", []byte(text))
	n, err := source.ParseJSON(f)
	if err != nil {
		return nil
	}
	v := model.FromNode(f, n, source.JSON, func(*source.Node) bool { return false })
	o := model.Origin{Source: model.FromChart, Detail: &model.Detail{Note: "rendered by the chart " + r.table.String(), Block: block}}
	v.Each(func(v *model.Value) { v.Origin = o })
	return v
}

// rendered is one rendering of a key in force.
type rendered struct {
	key   knowledge.ChartKey
	to    knowledge.Rendering
	all   []knowledge.Rendering
	value *model.Value
}

// renderings returns what the keys below a prefix render in order of precedence, those in force only.
func (r *release) renderings(prefix string, item, block *model.Value) []rendered {
	var out []rendered
	for _, k := range r.keys {
		fixed := k.Kind == knowledge.KeyFixed
		if !fixed && !strings.HasPrefix(k.Path, prefix) || strings.Contains(k.Path, "[]") != strings.Contains(prefix, "[]") && !fixed || !r.holds(k, item) {
			continue
		}
		if fixed && !setsPart(k, prefix) {
			continue
		}
		v := r.value(k, item, block)
		if v == nil {
			continue
		}
		all := k.Renders()
		for _, to := range all {
			out = append(out, rendered{k, to, all, v})
		}
	}
	slices.SortStableFunc(out, func(a, b rendered) int { return a.key.Order - b.key.Order })
	return out
}

// setsPart reports whether a fixed row decides the part that a prefix of keys stands for.
func setsPart(k knowledge.ChartKey, prefix string) bool {
	part := "gateway."
	switch {
	case strings.HasPrefix(prefix, "servingEngineSpec"):
		part = "engines[]"
	case strings.HasPrefix(prefix, "routerSpec"):
		part = "routers[]"
	case strings.HasPrefix(prefix, "backend"):
		part = "backend."
	}
	for _, s := range k.Sets() {
		if strings.HasPrefix(s, part) {
			return true
		}
	}
	return false
}

// env builds the environment that renderings make, the later winning.
func (w *world) chartEnv(wl *workload, rs []rendered) {
	env := wl.env
	for _, x := range rs {
		switch x.to.Kind {
		case "envfrom":
			names := x.value.Items()
			if x.value.Kind == model.Map {
				names = nil
				if n := x.value.Get("name"); n != nil {
					names = []*model.Value{n}
				}
			}
			for _, n := range names {
				s, ok := n.AsText()
				if !ok {
					env.Open = true
					continue
				}
				wl.envFrom = append(wl.envFrom, envFrom{name: s, secret: x.to.Name == "secret", origin: n.Origin})
				if x.to.Name == "secret" {
					wl.secrets = append(wl.secrets, s)
				}
			}
		case "env":
			if x.to.Name == "*" {
				w.chartEnvAll(wl, x.value)
				continue
			}
			w.chartEnvOne(wl, x)
		}
	}
}

// chartEnvOne adds the variable that one key renders.
func (w *world) chartEnvOne(wl *workload, x rendered) {
	name, fixed, is := strings.Cut(x.to.Name, "=")
	if strings.ContainsAny(name, " ") {
		return
	}
	o := x.value.Origin
	v := model.NewUnknown(o)
	// own is true where the chart's template has the value, and the key only turns it on.
	own := false
	switch {
	case is:
		own = true
		want, when, _ := strings.Cut(fixed, " when ")
		if s, _ := x.value.Scalar(); when != "" && s != strings.Trim(when, `"`) {
			return
		}
		v = model.NewText(want, o)
	case strings.Contains(strings.ToLower(x.key.Path), "secret"):
		if on, known := x.value.Truthy(); known && !on {
			return
		}
		if s, ok := x.value.AsText(); ok {
			wl.secrets = append(wl.secrets, s)
		}
	case x.value.Kind == model.Bool:
		if !x.value.Bool {
			return
		}
		// A switch that renders several things carries no value of theirs; another row may have it.
		switch {
		case len(x.all) == 1:
			v = model.NewText("true", o)
		case wl.env.Get(name) != nil:
			return
		default:
			own = true
		}
	default:
		if on, known := x.value.Truthy(); known && !on && x.value.Kind == model.Text {
			return
		}
		if s, ok := x.value.Scalar(); ok {
			v = model.NewText(s, o)
		}
	}
	v.SetLosers(x.value.Losers())
	v.Origin.Source = x.value.Origin.Source
	switch {
	case own:
		v.Origin.Source = model.FromChart
	case v.Origin.Source == model.FromConfig:
		v.Origin.Source = model.FromEnv
	}
	wl.env.Override(name, v)
}

// chartEnvAll adds variables that a map, or a list of Kubernetes env entries, spells out.
func (w *world) chartEnvAll(wl *workload, v *model.Value) {
	switch v.Kind {
	case model.Map:
		for i, k := range v.Keys() {
			x := v.Items()[i]
			switch {
			case x.Kind == model.Map:
				wl.envList = append(wl.envList, envItem{name: k, item: x})
			default:
				t := model.NewUnknown(x.Origin)
				if s, ok := x.Scalar(); ok {
					t = model.NewText(s, x.Origin)
					t.Origin.Source = model.FromEnv
				} else if x.Kind == model.Null {
					continue
				}
				t.SetLosers(x.Losers())
				wl.env.Override(k, t)
			}
		}
		wl.env.Open = wl.env.Open || v.Open
	case model.List:
		for _, it := range v.Items() {
			if n, ok := it.Get("name").AsText(); ok {
				wl.envList = append(wl.envList, envItem{name: n, item: it})
			} else {
				wl.env.Open = true
			}
		}
	case model.Unknown:
		wl.env.Open = true
	}
}

// fields builds the pod spec and container that renderings of fields make.
func fields(rs []rendered, o model.Origin) (spec, container, top *model.Value) {
	spec, container, top = model.NewMap(o), model.NewMap(o), model.NewMap(o)
	for _, x := range rs {
		if x.to.Kind != "field" {
			continue
		}
		at, p := (*model.Value)(nil), ""
		switch {
		case strings.HasPrefix(x.to.Name, "spec.template.spec."):
			at, p = spec, strings.TrimPrefix(x.to.Name, "spec.template.spec.")
		case strings.HasPrefix(x.to.Name, "containers[0]."):
			at, p = container, strings.TrimPrefix(x.to.Name, "containers[0].")
		case strings.HasPrefix(x.to.Name, "spec."):
			at, p = top, strings.TrimPrefix(x.to.Name, "spec.")
		default:
			continue
		}
		if p == "image" || strings.ContainsAny(p, "[]") {
			continue
		}
		if s, ok := x.value.AsText(); ok && s == "" {
			continue
		}
		keys := strings.Split(p, ".")
		for _, k := range keys[:len(keys)-1] {
			next := at.Get(k)
			if next == nil || next.Kind != model.Map {
				next = at.Set(k, model.NewMap(x.value.Origin))
			}
			// The block that holds written parts is the place of the whole.
			if next.Origin.File == nil && x.value.Origin.File != nil {
				next.Origin = x.value.Origin
			}
			at = next
		}
		at.Set(keys[len(keys)-1], x.value)
	}
	return spec, container, top
}

// chartImage is repository:tag of a chart's values with the place of the tag, else of the repository.
func (r *release) chartImage(repository, tag *model.Value) *model.Value {
	repo, ok := repository.AsText()
	if !ok {
		if tag == nil {
			return nil
		}
		return model.NewUnknown(repository.OriginOr(tag.Origin))
	}
	o := repository.Origin
	if tag != nil && (tag.Kind == model.Unknown || tag.Origin.File != nil) {
		o = tag.Origin
	}
	t, known := tag.Scalar()
	switch {
	case tag != nil && tag.Kind == model.Unknown:
		return model.NewUnknown(o)
	case known && t != "":
		return model.NewText(repo+":"+t, o)
	case r.app != "":
		return model.NewText(repo+":v"+strings.TrimPrefix(r.app, "v"), r.appOrigin)
	}
	// The chart's own appVersion, which the files do not name.
	return model.NewText(repo, o)
}

// charts adds the releases of values files, and of the objects that install charts.
func (w *world) charts() {
	w.valuesFiles()
	for _, d := range w.docs {
		switch d.Kind {
		case Helmfile:
			w.helmfile(d)
		case HelmChart:
			w.pickerDependency(d)
		}
	}
}

// addRelease turns a release into workloads.
func (w *world) addRelease(r *release) {
	switch r.table.Name() {
	case "litellm-helm":
		w.classicChart(r)
	case "litellm":
		w.componentizedChart(r)
	case "vllm-stack":
		w.stackChart(r)
	}
}

// chartWorkload starts the workload of a chart's gateway, engine or router.
func (w *world) chartWorkload(r *release, part, name string, rs []rendered, o model.Origin) (*workload, *model.Value) {
	wl := &workload{scope: r.scope, name: name, namespace: r.namespace, origin: o, dir: r.dir, labels: map[string]string{}, owner: "chart", platform: "kubernetes", part: part}
	wl.env = model.NewMap(model.Origin{})
	w.chartEnv(wl, rs)
	spec, container, top := fields(rs, o)
	open := r.written.Open
	spec.Open, container.Open, top.Open, wl.valuesOpen = open, open, open, open
	wl.env.Open = wl.env.Open || open
	volumes := volumesOf(spec)
	wl.pod = podValue(spec, container, volumes, nil)
	wl.ports = wl.pod.Get("ports")
	wl.mounts = mountsOf(container, volumes)
	wl.resources = kubernetesResources(container.Get("resources"))
	if wl.resources == nil {
		wl.resources = model.NewMap(o)
		wl.resources.Open = open
	}
	wl.replicas = top.Get("replicas")
	rollout := model.NewMap(top.OriginOr(o))
	rollout.Set("kind", model.NewText("RollingUpdate", model.Origin{Source: model.FromDefault}))
	if st := top.Get("strategy"); st != nil && st.Kind == model.Map {
		rollout.Origin = st.Origin
		if t := st.Get("type"); t != nil {
			rollout.Set("kind", t)
		}
		for _, k := range []struct{ key, name string }{{"maxSurge", "max_surge"}, {"maxUnavailable", "max_unavailable"}} {
			if v := st.At("rollingUpdate", k.key); v != nil {
				rollout.Set(k.name, v)
			}
		}
	}
	wl.rollout = rollout
	if st := top.Get("strategy"); open && (st == nil || !st.Known()) {
		wl.rollout = model.NewUnknown(o)
	}
	for _, p := range []struct{ key, kind string }{{"startupProbe", "startup"}, {"readinessProbe", "readiness"}, {"livenessProbe", "liveness"}} {
		if v := chartProbe(container.Get(p.key), p.kind); v != nil {
			wl.probes = append(wl.probes, v)
		}
	}
	wl.version, wl.versionFrom = r.app, r.appFrom
	h := model.NewMap(r.written.Origin)
	h.Set("chart", model.NewText(r.table.Name(), r.written.Origin))
	if r.chartVersion != "" {
		h.Set("chart_version", model.NewText(r.chartVersion, r.written.Origin))
	}
	h.Set("values", r.written)
	wl.helm = h
	w.workloads = append(w.workloads, wl)
	return wl, container
}

// chartProbe reads a probe of a chart's values: a whole probe, or the flat keys of the classic chart.
func chartProbe(p *model.Value, kind string) *model.Value {
	if p == nil || p.Kind != model.Map || p.Len() == 0 {
		return nil
	}
	if p.Get("path") != nil && p.Get("httpGet") == nil {
		q := copyMap(p)
		h := model.NewMap(p.Origin)
		h.Set("path", p.Get("path"))
		q.Set("httpGet", h)
		p = q
	}
	v := kubernetesProbe(p, kind)
	if v != nil {
		v.Set("chart", model.NewBool(p.Origin.File == nil, p.Origin))
	}
	return v
}

// classicChart adds the gateway of litellm-helm.
func (w *world) classicChart(r *release) {
	root := r.written
	rs := r.renderings("", nil, root)
	wl, _ := w.chartWorkload(r, "gateway", r.partName("litellm"), rs, root.Origin)
	wl.image = r.chartImage(r.get("image.repository", nil), r.get("image.tag", nil))
	if a := r.get("args", nil); a != nil && a.Len() > 0 {
		wl.args = argsOf(a, source.NoExpansion, nil)
	} else {
		wl.flags = chartFlags(rs)
	}
	if c := r.get("command", nil); c != nil && c.Kind == model.List && c.Len() > 0 {
		wl.command = argsOf(c, source.NoExpansion, nil)
	}
	if wl.env.Get("PROXY_MASTER_KEY") == nil {
		// Without a written key the chart generates one into its Secret.
		wl.env.Set("PROXY_MASTER_KEY", model.NewUnknown(model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: root, Note: "generated by the chart"}}))
	}
	if create, known := r.get("proxyConfigMap.create", nil).Truthy(); known && !create {
		wl.configUnseen = true
		if n, ok := r.get("proxyConfigMap.name", nil).AsText(); ok {
			wl.configUnseen = false
			key := "config.yaml"
			if k, ok := r.get("proxyConfigMap.key", nil).AsText(); ok {
				key = k
			}
			wl.mounts = append(wl.mounts, mount{target: "/etc/litellm/config.yaml", configMap: n, key: key, origin: root.Origin})
		}
	} else {
		wl.config = r.gatewayConfig("proxy_config")
		if on, _ := r.get("redis.enabled", nil).Truthy(); on {
			if c, known := r.get("redis.coordination.enabled", nil).Truthy(); known && c && wl.config != nil && wl.config.At("general_settings", "coordination_redis") == nil {
				block := r.get("redis.enabled", nil)
				o := model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: block, Note: "rendered by the chart"}}
				m := model.NewMap(o)
				m.Set("host", model.NewText("os.environ/REDIS_HOST", o))
				wl.config.Child("general_settings").Set("coordination_redis", m)
			}
		}
	}
	w.chartScaling(r, wl, "autoscaling", "keda", chartScale{min: "minReplicas", max: "maxReplicas"})
	w.bitnami(r, wl)
	if on, _ := r.get("migrationJob.enabled", nil).Truthy(); on {
		wl.siblings = append(wl.siblings, sibling("migration", "migration", 1, r.get("migrationJob.enabled", nil).Origin))
	}
}

// partName is the name of a part of a release.
func (r *release) partName(fallback string) string {
	if r.name != "" {
		return r.name
	}
	return fallback
}

// gatewayConfig is the config that a chart renders from its values, scalars as PyYAML reads what Helm writes.
func (r *release) gatewayConfig(p string) *model.Value {
	v := r.get(p, nil)
	if v == nil || v.Kind != model.Map {
		return v
	}
	out := deepCopy(v)
	drop(out)
	if x := r.get("reliability.enablePreCallChecks", nil); x != nil && out.At("router_settings", "enable_pre_call_checks") == nil {
		out.Child("router_settings").Set("enable_pre_call_checks", x)
	}
	return out
}

func deepCopy(v *model.Value) *model.Value {
	switch v.Kind {
	case model.Map:
		out := copyMap(v)
		for i, k := range v.Keys() {
			out.Set(k, deepCopy(v.Items()[i]))
		}
		return out
	case model.List:
		out := model.NewList(v.Origin)
		out.Open = v.Open
		out.SetLosers(v.Losers())
		for _, c := range v.Items() {
			out.Append(deepCopy(c))
		}
		return out
	}
	c := *v
	return &c
}

// drop removes keys that a null deleted, as Helm does, where a default was deleted; other nulls stay null.
func drop(v *model.Value) {
	if v.Kind != model.Map {
		return
	}
	for _, k := range slices.Clone(v.Keys()) {
		c := v.Get(k)
		if c.Kind == model.Null && len(c.Losers()) > 0 {
			v.Delete(k)
			continue
		}
		drop(c)
	}
}

func sibling(name, role string, max int64, o model.Origin) *model.Value {
	s := model.NewMap(o)
	s.Set("name", model.NewText(name, o))
	s.Set("role", model.NewText(role, o))
	r := model.NewMap(o)
	r.Set("min", model.NewInt(1, o))
	r.Set("max", model.NewInt(max, o))
	r.Set("owner", model.NewText("default", o))
	s.Set("replicas", r)
	s.Set("workers", model.NewInt(1, o))
	return s
}

// chartFlags are the arguments that a chart's keys render, in the order of their keys.
func chartFlags(rs []rendered) []chartFlag {
	var out []chartFlag
	for _, x := range rs {
		if x.to.Kind != "arg" || x.to.Name == "*" || strings.HasPrefix(x.to.Name, "(") {
			continue
		}
		f := chartFlag{word: x.to.Name, value: x.value}
		if x.value.Kind == model.Bool {
			negative := strings.HasPrefix(x.to.Name, "--no-") || strings.HasPrefix(x.to.Name, "--disable-")
			pair := len(x.all) > 1
			if pair && x.value.Bool == negative || !pair && !x.value.Bool {
				continue
			}
			f.bare = true
		} else if on, known := x.value.Truthy(); known && !on {
			continue
		}
		if x.value.Kind == model.List && x.key.Kind == knowledge.KeyFixed {
			// A fixed list of words: the flag and its value.
			if x.value.Len() != 2 {
				continue
			}
			f.value = x.value.Items()[1]
		}
		// Several keys may make up the value of one flag (the switch of LMCache and its role): it is written once, and
		// the key that has a value says more of it than a switch.
		if i := slices.IndexFunc(out, func(g chartFlag) bool { return g.word == f.word }); i < 0 {
			out = append(out, f)
		} else if out[i].bare && !f.bare {
			out[i] = f
		}
	}
	return out
}

// chartFlag is an argument that a chart writes.
type chartFlag struct {
	word  string
	value *model.Value
	bare  bool
}

// addChartFlags puts a chart's own arguments below those that its values spell out as words, which come later on
// the command line and win.
func addChartFlags(args, flags *model.Value, list []chartFlag, spec source.FlagSpec) {
	var words []*model.Value
	for _, f := range list {
		name := canonicalFlag(f.word)
		if spec != nil {
			if info, ok := spec.Lookup("--" + name); ok && !info.Negated {
				name = info.Name
			}
		}
		o := f.value.Origin
		vals := model.NewList(o)
		vals.SetLosers(f.value.Losers())
		if !f.bare {
			if s, ok := f.value.Scalar(); ok {
				t := model.NewText(s, o)
				t.SetLosers(f.value.Losers())
				vals.Append(t)
			} else {
				vals.Append(model.NewUnknown(o))
			}
		}
		if old := args.Get(name); old != nil {
			old.SetLosers(append(old.Losers(), vals.Origin))
		} else {
			args.Set(name, vals)
		}
		m := model.NewMap(o)
		m.Set("name", model.NewText(name, o))
		m.Set("word", model.NewText(f.word, o))
		m.Set("values", vals)
		m.Set("inline", model.NewBool(false, o))
		words = append(words, m)
	}
	if flags == nil {
		return
	}
	rest := slices.Clone(flags.Items())
	*flags = *model.NewList(flags.Origin, append(words, rest...)...)
}

// chartScale names the keys of a chart's keda block.
type chartScale struct{ min, max string }

// chartScaling adds the autoscaler that a chart renders for its gateway.
func (w *world) chartScaling(r *release, wl *workload, hpaKey, kedaKey string, keys chartScale) {
	hpa := r.get(hpaKey, nil)
	on, known := r.get(hpaKey+".enabled", nil).Truthy()
	if !known {
		wl.replicas = model.NewUnknown(hpa.OriginOr(r.written.Origin))
		return
	}
	if on {
		v := newAutoscaler("hpa", wl.name, true, hpa.Origin)
		replicaRange(v, hpa.Get("minReplicas"), hpa.Get("maxReplicas"), 1, 1)
		a := &autoscaler{scope: r.scope, dir: r.dir, namespace: r.namespace, target: wl, value: v}
		metrics := model.NewList(hpa.Origin)
		add := func(key, kind string) {
			t := hpa.Get(key)
			if set, known := t.Truthy(); !known || set {
				m := resourceMetric(kind, "Utilization", t, t.Origin, t.Origin)
				m.SetLosers(t.Losers())
				metrics.Append(m)
				a.queries = append(a.queries, nil)
			}
		}
		add("targetCPUUtilizationPercentage", "cpu")
		add("targetMemoryUtilizationPercentage", "memory")
		for _, p := range []struct{ key, metric string }{{"targetRequestsPerSecond", "litellm_requests_per_second"}, {"targetTokensPerSecond", "litellm_tokens_per_second"}} {
			t := hpa.Get(p.key)
			if set, known := t.Truthy(); known && set {
				m := model.NewMap(t.Origin)
				m.Set("kind", model.NewText("pods", t.Origin))
				m.Set("name", model.NewText(p.metric, t.Origin))
				m.Set("target_kind", model.NewText("AverageValue", t.Origin))
				m.Set("target", quantity(t))
				metrics.Append(m)
				a.queries = append(a.queries, newQuery("hpa", p.metric, t))
			}
		}
		v.Set("metrics", metrics)
		if b := hpa.Get("behavior"); b != nil && b.Len() > 0 {
			v.Set("behavior", b)
		}
		w.autoscalers = append(w.autoscalers, a)
		wl.replicas = nil
		return
	}
	keda := r.get(kedaKey, nil)
	on, known = r.get(kedaKey+".enabled", nil).Truthy()
	if !known {
		wl.replicas = model.NewUnknown(keda.OriginOr(r.written.Origin))
		return
	}
	if !on {
		return
	}
	spec := copyMap(keda)
	for _, k := range []struct{ from, to string }{{keys.min, "minReplicaCount"}, {keys.max, "maxReplicaCount"}} {
		if x := keda.Get(k.from); x != nil {
			spec.Set(k.to, x)
		}
	}
	v := newAutoscaler("keda", wl.name, true, keda.Origin)
	a := &autoscaler{scope: r.scope, dir: r.dir, namespace: r.namespace, target: wl, value: v}
	kedaSpec(a, v, spec, keda.Origin)
	if b := keda.Get("behavior"); b != nil && b.Len() > 0 {
		v.Set("behavior", b)
	}
	for _, p := range []struct{ key, query string }{
		{"requestsPerSecond", "sum(rate(litellm_proxy_total_requests_metric_total[1m]))"}, {"requestsPerMinute", "sum(rate(litellm_proxy_total_requests_metric_total[1m])) * 60"},
		{"tokensPerSecond", "sum(rate(litellm_total_tokens_metric_total[1m]))"}, {"tokensPerMinute", "sum(rate(litellm_total_tokens_metric_total[1m])) * 60"}} {
		t := keda.At("prometheus", p.key)
		if set, known := t.Truthy(); known && set {
			m := model.NewMap(t.Origin)
			m.Set("kind", model.NewText("prometheus", t.Origin))
			m.Set("target_kind", model.NewText("AverageValue", t.Origin))
			m.Set("target", quantity(t))
			v.Get("metrics").Append(m)
			a.queries = append(a.queries, newQuery("keda", p.query, t))
		}
	}
	w.autoscalers = append(w.autoscalers, a)
	wl.replicas = nil
}

// bitnami adds the Postgres subchart that litellm-helm deploys by default.
func (w *world) bitnami(r *release, wl *workload) {
	on, known := r.get("db.deployStandalone", nil).Truthy()
	if !known || !on {
		return
	}
	pg := r.get("postgresql", nil)
	var limit *model.Value
	for _, p := range [][]any{{"primary", "extendedConfiguration"}, {"primary", "configuration"}} {
		if t := pg.At(p...); t != nil {
			limit = lineSetting(t, "max_connections")
		}
		if limit != nil {
			break
		}
	}
	if limit == nil && (pg.At("primary", "existingConfigmap") != nil || pg.At("primary", "existingExtendedConfigmap") != nil) {
		limit = model.NewUnknown(pg.Origin)
	}
	if args := pg.At("primary", "args"); args != nil && limit == nil && args.Kind == model.List {
		p := &part{wl: wl, prog: &program{line: source.JoinArgs(argsOf(args, source.NoExpansion, nil))}}
		limit = postgresArgument(p)
	}
	host := "postgresql"
	if r.name != "" {
		host = r.name + "-postgresql"
	}
	o := pg.OriginOr(r.get("db.deployStandalone", nil).OriginOr(r.written.Origin))
	w.servers = append(w.servers, &dbServer{scope: r.scope, name: host, namespace: r.namespace, dir: r.dir, hosts: []string{host}, value: newServer(host, "bitnami", limit, o)})
	block := r.get("db.deployStandalone", nil)
	if wl.env.Get("DATABASE_URL") == nil {
		co := model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: block, Note: "rendered by the chart"}}
		wl.env.Set("DATABASE_HOST", model.NewText(host, co))
		wl.env.Set("DATABASE_NAME", model.NewText("litellm", co))
	}
}

// lineSetting finds "name = value" in a text of configuration lines, the last one, with its place.
func lineSetting(v *model.Value, name string) *model.Value {
	n := v.Origin.Node.Deref()
	if n == nil || n.Kind != source.Scalar || v.Origin.File == nil {
		return nil
	}
	f := source.Nested(v.Origin.File, n)
	var out *model.Value
	for i := 1; i <= f.LineCount(); i++ {
		sp := f.Line(i)
		line := f.Text(sp)
		if j := strings.IndexByte(line, '#'); j >= 0 {
			line = line[:j]
		}
		k, val, ok := strings.Cut(line, "=")
		if !ok || strings.TrimSpace(k) != name {
			continue
		}
		start := sp.Start + len(k) + 1 + len(val) - len(strings.TrimLeft(val, " \t"))
		val = strings.TrimSpace(val)
		key := sp.Start + strings.Index(line, name)
		out = model.NewText(strings.Trim(val, "'"), model.Origin{Source: model.FromConfig, File: f, Key: source.Span{Start: key, End: key + len(name)}, Span: source.Span{Start: start, End: start + len(val)}})
	}
	return out
}

// componentizedChart adds the gateway and backend of the chart litellm.
func (w *world) componentizedChart(r *release) {
	gw := r.get("gateway", nil)
	block := gw
	if gw == nil || gw.Origin.File == nil {
		block = r.written
	}
	rs := r.renderings("", nil, r.written)
	rs = slices.DeleteFunc(rs, func(x rendered) bool {
		return strings.HasPrefix(x.key.Path, "backend.") || strings.HasPrefix(x.key.Path, "ui.")
	})
	wl, _ := w.chartWorkload(r, "gateway", r.partName("litellm"), rs, block.Origin)
	repository, tag := r.get("gateway.image.repository", nil), r.get("gateway.image.tag", nil)
	if repository == nil {
		repository, tag = r.get("image.repository", nil), r.get("image.tag", nil)
	}
	wl.image = r.chartImage(repository, tag)
	if create, known := r.get("gateway.config.create", nil).Truthy(); known && !create {
		wl.configUnseen = true
	} else {
		wl.config = r.gatewayConfig("gateway.config.proxy_config")
	}
	w.chartScaling(r, wl, "gateway.hpa", "gateway.keda", chartScale{min: "minReplicaCount", max: "maxReplicaCount"})
	mono, _ := r.get("monolith.enabled", nil).Truthy()
	if on, _ := r.get("backend.enabled", nil).Truthy(); on && !mono {
		max := int64(1)
		o := r.get("backend.enabled", nil).Origin
		if hpa, _ := r.get("backend.hpa.enabled", nil).Truthy(); hpa {
			if n, ok := r.get("backend.hpa.maxReplicas", nil).AsInt(true); ok {
				max, o = n, r.get("backend.hpa.maxReplicas", nil).Origin
			}
		} else if n, ok := r.get("backend.replicaCount", nil).AsInt(true); ok {
			max, o = n, r.get("backend.replicaCount", nil).Origin
		}
		wl.siblings = append(wl.siblings, sibling("backend", "backend", max, o))
	}
	if on, _ := r.get("migrationJob.enabled", nil).Truthy(); on {
		wl.siblings = append(wl.siblings, sibling("migration", "migration", 1, r.get("migrationJob.enabled", nil).Origin))
	}
}

// stackChart adds the engines and the router of vllm-stack.
func (w *world) stackChart(r *release) {
	graph := "stack " + r.scope.name + " " + r.name
	shared := r.renderings("servingEngineSpec.", nil, r.written)
	for _, item := range r.get("servingEngineSpec.modelSpec", nil).Items() {
		if item.Kind != model.Map {
			continue
		}
		if on, known := item.Get("enabled").Truthy(); item.Get("enabled") != nil && known && !on {
			continue
		}
		if item.Get("raySpec") != nil && item.At("raySpec", "enabled") != nil {
			if on, _ := item.At("raySpec", "enabled").Truthy(); on {
				continue
			}
		}
		name, _ := item.Get("name").AsText()
		rs := append(slices.Clone(shared), r.renderings("servingEngineSpec.modelSpec[].", item, item.Get("vllmConfig"))...)
		seen := map[string]bool{}
		rs = slices.DeleteFunc(rs, func(x rendered) bool {
			// What the chart renders without any key is in both lists.
			k := x.key.Path + " " + x.to.Kind + " " + x.to.Name
			dup := x.key.Kind == knowledge.KeyFixed && seen[k]
			seen[k] = true
			return dup
		})
		slices.SortStableFunc(rs, func(a, b rendered) int { return a.key.Order - b.key.Order })
		wl, _ := w.chartWorkload(r, "engine", name, rs, item.Origin)
		wl.graph = graph
		wl.helm.Set("values", onlyModel(r.written, item))
		wl.version, wl.versionFrom = "", ""
		wl.image = r.chartImage(item.Get("repository"), item.Get("tag"))
		wl.flags = chartFlags(rs)
		wl.model = item.Get("modelURL")
		if x := item.At("vllmConfig", "extraArgs"); x != nil {
			wl.args = argsOf(x, source.NoExpansion, nil)
		}
		if n := item.Get("requestGPU"); n != nil {
			g := model.NewMap(n.Origin)
			if x, ok := n.AsInt(true); ok {
				g.Set("count", model.NewInt(x, n.Origin))
			} else {
				g.Set("count", model.NewUnknown(n.Origin))
			}
			if t := item.At("nodeSelectorTerms", 0, "matchExpressions"); t != nil {
				for _, e := range t.Items() {
					if k, _ := e.Get("key").AsText(); contains(gpuLabels, k) && e.Get("values").Len() == 1 {
						setGPUName(g, e.Get("values").Items()[0])
					}
				}
			}
			wl.gpu = g
		}
		w.stackScaling(r, wl, item)
		w.services = append(w.services, r.stackService("-"+name+"-engine-service", name, wl))
	}
	if on, known := r.get("routerSpec.enableRouter", nil).Truthy(); known && on {
		rs := r.renderings("routerSpec.", nil, r.written)
		block := r.get("routerSpec", nil)
		if block == nil || block.Origin.File == nil {
			block = r.written
		}
		wl, _ := w.chartWorkload(r, "router", "router", rs, block.Origin)
		wl.routerKind, wl.graph = "production-stack", graph
		wl.version, wl.versionFrom = "", ""
		wl.image = r.chartImage(r.get("routerSpec.repository", nil), r.get("routerSpec.tag", nil))
		wl.flags = chartFlags(rs)
		if x := r.get("routerSpec.extraArgs", nil); x != nil && x.Len() > 0 {
			wl.args = argsOf(x, source.NoExpansion, nil)
		}
		w.chartScaling(r, wl, "routerSpec.autoscaling", "routerSpec.keda", chartScale{})
		w.services = append(w.services, r.stackService("-router-service", "router", wl))
	}
}

// onlyModel are the values of vllm-stack with one entry of modelSpec. With all of them in each engine a stack would hold the
// square of their number.
func onlyModel(values, item *model.Value) *model.Value {
	spec := values.Get("servingEngineSpec")
	list := spec.Get("modelSpec")
	if list == nil || list.Kind != model.List {
		return values
	}
	one := model.NewList(list.Origin, item)
	one.Open = list.Open
	one.SetLosers(list.Losers())
	spec = copyMap(spec)
	spec.Set("modelSpec", one)
	out := copyMap(values)
	out.Set("servingEngineSpec", spec)
	return out
}

// stackService is the Service that vllm-stack renders for a part; without a release name only its suffix is known.
func (r *release) stackService(suffix, label string, wl *workload) *service {
	wl.labels["agentlint/part"] = label
	v := model.NewMap(wl.origin)
	v.Set("name", model.NewText(r.name+suffix, wl.origin))
	v.Set("type", model.NewText("ClusterIP", model.Origin{Source: model.FromChart}))
	v.Set("headless", model.NewBool(false, wl.origin))
	sel := model.NewMap(wl.origin)
	v.Set("selector", sel)
	v.Set("ports", model.NewList(wl.origin))
	v.Set("labels", model.NewMap(wl.origin))
	return &service{scope: r.scope, name: r.name + suffix, namespace: r.namespace, dir: r.dir, selector: map[string]string{"agentlint/part": label}, value: v, suffix: r.name == ""}
}

// stackScaling adds the ScaledObject of one model of vllm-stack; without triggers the chart writes its own.
func (w *world) stackScaling(r *release, wl *workload, item *model.Value) {
	keda := item.Get("keda")
	on, known := keda.Get("enabled").Truthy()
	if !known {
		wl.replicas = model.NewUnknown(keda.Origin)
		return
	}
	if !on || item.Get("raySpec") != nil {
		return
	}
	v := newAutoscaler("keda", wl.name, true, keda.Origin)
	a := &autoscaler{scope: r.scope, dir: r.dir, namespace: r.namespace, target: wl, value: v}
	kedaSpec(a, v, keda, keda.Origin)
	if keda.Get("triggers") == nil || keda.Get("triggers").Len() == 0 {
		o := keda.Get("enabled").Origin
		text := model.NewText(`vllm:num_requests_waiting{model="`+wl.name+`"}`, model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: keda, Note: "rendered by the chart"}})
		m := model.NewMap(o)
		m.Set("kind", model.NewText("prometheus", o))
		v.Get("metrics").Append(m)
		a.queries = append(a.queries, newQuery("keda", text.Text, text))
	}
	w.autoscalers = append(w.autoscalers, a)
	wl.replicas = nil
}

// valuesFiles groups the values files of each folder and adds their releases.
func (w *world) valuesFiles() {
	byDir := map[string][]*Document{}
	for _, d := range w.docs {
		if d.Kind == HelmValues && !w.used[d.File] {
			dir := path.Dir(d.File.Path)
			byDir[dir] = append(byDir[dir], d)
		}
	}
	for _, dir := range sortedKeys(byDir) {
		w.valuesFolder(dir, byDir[dir])
	}
}
