package loaders

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// pickerSettings are the process flags of an endpoint picker (llm-d-router 0.10.0, pkg/epp/server/options.go).
func pickerSettings() []routerSetting {
	return []routerSetting{
		{name: "config_file", flags: []string{"config-file", "configFile"}},
		{name: "pool_name", flags: []string{"pool-name", "poolName"}},
		{name: "pool_namespace", flags: []string{"pool-namespace", "poolNamespace"}},
		{name: "pool_group", flags: []string{"pool-group", "poolGroup"}},
		{name: "endpoint_selector", flags: []string{"endpoint-selector"}},
		{name: "leader_election", flags: []string{"ha-enable-leader-election", "haEnableLeaderElection"}, kind: switchSetting},
		{name: "allow_experimental_plugins", flags: []string{"allow-experimental-plugins"}, kind: switchSetting},
		{name: "total_queued_requests_metric", flags: []string{"total-queued-requests-metric", "totalQueuedRequestsMetric"}},
		{name: "kv_cache_usage_percentage_metric", flags: []string{"kv-cache-usage-percentage-metric", "kvCacheUsagePercentageMetric"}},
	}
}

// The kinds of prefix index that a picker's configuration leads to; they are its mode.
const (
	preciseIndex     = "precise-prefix-cache"
	approximateIndex = "approx-prefix-cache"
	noIndex          = "none"
)

// isOldPicker reports whether a picker's image is that of the Gateway API inference extension, whose releases are
// numbered apart from llm-d's.
func isOldPicker(image *model.Value) bool {
	ref, _ := image.AsText()
	repository, _, _ := splitImage(ref)
	return strings.Contains(repository, "gateway-api-inference-extension") || strings.Contains(repository, "k8s-staging-images")
}

// pool is an InferencePool: the pods that a picker chooses among.
type pool struct {
	scope           *scope
	name, namespace string
	dir             string
	selector        map[string]string
	// picker is the name of the picker's Service.
	picker string
	// v is the object itself, nil for what a chart installs.
	v *model.Value
}

// inferencePool adds an InferencePool of either version.
func (w *world) inferencePool(o *object) {
	spec := o.v.Get("spec")
	p := &pool{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, v: o.v}
	if m := spec.At("selector", "matchLabels"); m != nil {
		p.selector = textMap(m)
	} else {
		p.selector = textMap(spec.Get("selector"))
	}
	p.picker, _ = firstOf(spec, "endpointPickerRef", "extensionRef").Get("name").AsText()
	w.pools = append(w.pools, p)
}

// pickerRouter completes an endpoint picker with its configuration and what follows from it.
func (w *world) pickerRouter(p *part, v *model.Value) {
	if v.Get("config") == nil {
		if c := w.pickerConfig(p, v); c != nil {
			v.Set("config", c)
		}
	}
	v.Set("mode", pickerMode(v))
	objects := model.NewList(model.Origin{})
	for _, o := range w.inferenceObjects {
		if (w.visible(p.wl.scope, o.scope) || o.scope.reaches(p.wl.scope)) && (o.namespace() == "" || p.wl.namespace == "" || o.namespace() == p.wl.namespace) {
			m := model.NewMap(o.v.Origin)
			m.Set("kind", o.v.Get("kind"))
			m.Set("api_version", o.v.Get("apiVersion"))
			m.Set("name", orText(o.v.At("metadata", "name"), o.v.Origin))
			objects.Append(m)
		}
	}
	if objects.Len() > 0 {
		v.Set("objects", objects)
	}
	if x, ok := w.pickerPool(p); ok && x.v != nil {
		m := model.NewMap(x.v.Origin)
		m.Set("name", orText(x.v.At("metadata", "name"), x.v.Origin))
		m.Set("api_version", orText(x.v.Get("apiVersion"), x.v.Origin))
		if spec := x.v.Get("spec"); spec != nil && spec.Kind == model.Map {
			m.Set("spec", spec)
		} else {
			m.Set("spec", model.NewMap(x.v.Origin))
		}
		v.Set("pool", m)
	}
}

// pickerConfig is the EndpointPickerConfig that a picker is started with: a text among its arguments, or a file. It is
// nil when there is none, unknown when it is not in the files.
func (w *world) pickerConfig(p *part, v *model.Value) *model.Value {
	args := v.Get("args")
	for _, name := range []string{"config-text", "configText"} {
		a := args.Get(name)
		if a == nil {
			continue
		}
		if a.Len() == 0 {
			return model.NewUnknown(a.Origin)
		}
		return w.pickerText(a.Items()[a.Len()-1])
	}
	file := v.At("settings", "config_file", "value")
	if file == nil {
		if v.Get("settings").Open {
			return model.NewUnknown(v.Origin)
		}
		return nil
	}
	name, ok := file.AsText()
	if !ok {
		return model.NewUnknown(file.Origin)
	}
	f, _ := w.configFileAt(p.wl, name)
	if f == nil {
		return model.NewUnknown(file.Origin)
	}
	w.markUsed(f)
	return w.pickerDocument(f, file.Origin)
}

// pickerText reads a configuration that is an argument.
func (w *world) pickerText(x *model.Value) *model.Value {
	t, ok := x.AsText()
	if !ok {
		return model.NewUnknown(x.Origin)
	}
	if a := x.Origin.Arg(); a != nil && len(a.Values) > 0 {
		word := a.Line.Words[a.Values[0]]
		if n := word.Node.Deref(); n != nil && n.Kind == source.Scalar && a.Values[0] != a.Flag && word.Text == t {
			return w.pickerDocument(source.Nested(word.Args.File, n), x.Origin)
		}
	}
	docs, err := parseTree(source.NewFile("", []byte(t)))
	if err != nil || len(docs) == 0 || docs[0].Root == nil {
		return model.NewUnknown(x.Origin)
	}
	// A part of a word has no places of its own: all of it stands at the argument.
	out := model.FromNode(docs[0].File, docs[0].Root, source.SigsYAML, nil)
	out.Each(func(c *model.Value) { c.Origin = x.Origin })
	return out
}

// pickerDocument is the first EndpointPickerConfig of a file.
func (w *world) pickerDocument(f *source.File, o model.Origin) *model.Value {
	docs, err := w.ws.yamlOf(f)
	if err != nil {
		w.problem(f, err)
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		w.pickerFiles = append(w.pickerFiles, d.File)
		return model.FromNode(d.File, d.Root, source.SigsYAML, clusterUnseen)
	}
	return model.NewUnknown(o)
}

// pickerMode is the kind of prefix index: precise when a precise producer or scorer is declared, approximate when a
// prefix scorer works without one, which is so with the default configuration too (llm-d-router 0.10.0,
// pkg/epp/config/loader).
func pickerMode(v *model.Value) *model.Value {
	c := v.Get("config")
	if c != nil && c.Kind == model.Unknown {
		return model.NewUnknown(c.Origin)
	}
	at := v.Get("args").OriginOr(v.Origin)
	plugins := c.Get("plugins")
	if plugins == nil || plugins.Kind == model.Null || plugins.Len() == 0 {
		if plugins != nil && plugins.Kind == model.Unknown {
			return model.NewUnknown(plugins.Origin)
		}
		return model.NewText(approximateIndex, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: blockAt(v, at), Note: "default plugins of the picker"}})
	}
	mode, origin := noIndex, plugins.Origin
	for _, p := range plugins.Items() {
		typ := p.Get("type")
		t, ok := typ.AsText()
		if !ok {
			return model.NewUnknown(p.Origin)
		}
		switch {
		case strings.HasPrefix(t, "precise-prefix-cache"), t == "prefix-cache-scorer" && cacheTracking(p):
			return model.NewText(preciseIndex, typ.Origin)
		case t == "prefix-cache-scorer" && mode == noIndex, strings.HasPrefix(t, "approx-prefix-cache"):
			mode, origin = approximateIndex, typ.Origin
		}
	}
	return model.NewText(mode, origin)
}

// cacheTracking reports whether a prefix scorer of llm-d up to 0.3 reads the engines' events.
func cacheTracking(p *model.Value) bool {
	m, _ := p.At("parameters", "mode").AsText()
	return m == "cache_tracking"
}

// blockAt is the value at which a default of a part stands.
func blockAt(v *model.Value, o model.Origin) *model.Value {
	if o.File == nil {
		return v
	}
	return &model.Value{Kind: model.Map, Origin: o}
}

// pickerTargets are the engines that a picker chooses among: those of its InferencePool, else of its own selector.
func (w *world) pickerTargets(p *part) []*part {
	settings := p.value.Get("settings")
	if s, ok := settings.At("endpoint_selector", "value").AsText(); ok {
		if labels := parseSelector(s); len(labels) > 0 {
			return w.podTargets(p, p.wl.namespace, labels)
		}
	}
	best, ok := w.pickerPool(p)
	if !ok {
		return nil
	}
	return engineParts(w.selected(best.scope, best.dir, best.namespace, best.selector))
}

// pickerPool is the InferencePool that a picker is told of by name, or that names the picker.
func (w *world) pickerPool(p *part) (*pool, bool) {
	name, named := p.value.At("settings", "pool_name", "value").AsText()
	var found []*pool
	for _, x := range w.pools {
		if !w.visible(p.wl.scope, x.scope) && !x.scope.reaches(p.wl.scope) || x.namespace != "" && p.wl.namespace != "" && x.namespace != p.wl.namespace {
			continue
		}
		if named && x.name == name || x.picker != "" && w.servesPicker(x, p) {
			found = append(found, x)
		}
	}
	return nearest(found, p.wl.dir, func(x *pool) string { return x.dir })
}

// servesPicker reports whether a pool's reference leads to a picker: through a Service of that name, or by the name
// that charts give both.
func (w *world) servesPicker(x *pool, p *part) bool {
	if x.picker == p.wl.name {
		return true
	}
	s := w.serviceNamed(x.scope, x.dir, x.picker, x.namespace)
	return s != nil && len(s.selector) > 0 && matchLabels(s.selector, p.wl.labels)
}

// pickerCharts are the charts that install a picker.
func isPickerChart(name string) bool {
	switch path.Base(name) {
	case "llm-d-router-gateway", "llm-d-router-standalone", "inferencepool":
		return true
	}
	return false
}

// pickerChart adds the picker that a chart installs (llm-d-router 0.10.0, config/charts/routerlib; gateway-api
// inference-extension 1.x, config/charts/inferencepool).
func (w *world) pickerChart(sc *scope, dir, chart, release, namespace string, values, version *model.Value) {
	epp, server, labels := values.At("router", "epp"), values.Get("router"), values.At("router", "modelServers", "matchLabels")
	if path.Base(chart) == "inferencepool" {
		epp, server, labels = values.Get("inferenceExtension"), values.Get("inferencePool"), values.At("inferencePool", "modelServers", "matchLabels")
	}
	block := epp
	if block == nil {
		block = server
	}
	if block == nil {
		block = values
	}
	name := "epp"
	if release != "" {
		name = strings.ToLower(release) + "-epp"
	}
	wl := &workload{scope: sc, name: name, namespace: namespace, origin: block.Origin, dir: dir, labels: map[string]string{"agentlint/part": name},
		owner: "chart", platform: "kubernetes", part: "router", routerKind: "llm-d"}
	wl.image = pickerImage(epp.Get("image"))
	wl.env = model.NewMap(model.Origin{})
	if e := epp.Get("env"); e != nil {
		w.chartEnvAll(wl, e)
	}
	wl.replicas = epp.Get("replicas")
	wl.resources = kubernetesResources(epp.Get("resources"))
	flags := pickerFlags(epp.Get("flags"))
	own := slices.ContainsFunc(flags, func(f chartFlag) bool { return f.word == "--ha-enable-leader-election" })
	if n, ok := wl.replicas.AsInt(true); ok && n > 1 && !own {
		if on, _ := values.At("provider", "gke", "preferredBackends", "enabled").AsBool(); !on {
			// The chart adds the flag itself; its own flags come later on the command line.
			wl.flags = append(wl.flags, chartFlag{word: "--ha-enable-leader-election", value: model.NewText("true", model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: wl.replicas, Note: "rendered by the chart with more than one replica"}})})
		}
	}
	wl.flags = append(wl.flags, flags...)
	wl.routerConfig = w.pickerValues(epp, block)
	pool := &pool{scope: sc, name: release, namespace: namespace, dir: dir, selector: textMap(labels), picker: name}
	w.pools = append(w.pools, pool)
	if version, ok := version.AsText(); ok {
		wl.version, wl.versionFrom = strings.TrimPrefix(version, "v"), placeNote(values.Origin)
	}
	w.workloads = append(w.workloads, wl)
}

// pickerImage is the image of a picker's values; both charts have a registry key of their own.
func pickerImage(v *model.Value) *model.Value {
	repository := firstOf(v, "repository", "name")
	registry := firstOf(v, "registry", "hub")
	tag := v.Get("tag")
	r, ok := repository.AsText()
	if h, has := registry.AsText(); has && ok {
		r = h + "/" + r
	}
	if !ok {
		r = "ghcr.io/llm-d/llm-d-router-endpoint-picker"
	}
	t, known := tag.Scalar()
	switch {
	case tag != nil && !known:
		return model.NewUnknown(tag.Origin)
	case known:
		return model.NewText(r+":"+t, tag.Origin)
	case repository != nil:
		return model.NewText(r, repository.Origin)
	}
	return nil
}

// pickerFlags are the flags of a picker's values: a map, or a list of names and values.
func pickerFlags(v *model.Value) []chartFlag {
	var out []chartFlag
	for i, k := range v.Keys() {
		out = append(out, chartFlag{word: "--" + k, value: v.Items()[i]})
	}
	if v != nil && v.Kind == model.List {
		for _, it := range v.Items() {
			if n, ok := it.Get("name").AsText(); ok && it.Get("value") != nil {
				out = append(out, chartFlag{word: "--" + n, value: it.Get("value")})
			}
		}
	}
	return out
}

// pickerValues is the configuration that a chart writes: the chosen one of pluginsCustomConfig, else the chart's own,
// which scores prefixes approximately.
func (w *world) pickerValues(epp, block *model.Value) *model.Value {
	name, ok := epp.Get("pluginsConfigFile").AsText()
	if !ok {
		if epp.Get("pluginsConfigFile") != nil {
			return model.NewUnknown(epp.Get("pluginsConfigFile").Origin)
		}
		name = "default-plugins.yaml"
	}
	if c := epp.At("pluginsCustomConfig", name); c != nil {
		if _, is := c.AsText(); is {
			if n := c.Origin.Node.Deref(); n != nil && n.Kind == source.Scalar && c.Origin.File != nil {
				return w.pickerDocument(source.Nested(c.Origin.File, n), c.Origin)
			}
		}
		return model.NewUnknown(c.Origin)
	}
	if name != "default-plugins.yaml" {
		return model.NewUnknown(block.Origin)
	}
	o := model.Origin{Source: model.FromChart, Detail: &model.Detail{Block: block, Note: "default plugins of the chart"}}
	out := model.NewMap(o)
	out.Set("apiVersion", model.NewText("llm-d.ai/v1alpha1", o))
	out.Set("kind", model.NewText("EndpointPickerConfig", o))
	list := out.Set("plugins", model.NewList(o))
	for _, t := range []string{"queue-scorer", "kv-cache-utilization-scorer", "prefix-cache-scorer"} {
		p := model.NewMap(o)
		p.Set("type", model.NewText(t, o))
		list.Append(p)
	}
	return out
}

// strayPickers adds a router for every EndpointPickerConfig that no visible picker reads.
func (w *world) strayPickers() {
	for _, o := range w.pickerObjects {
		f := o.v.Origin.File
		used := false
		for _, g := range w.pickerFiles {
			used = used || g == f
		}
		if used || f == nil {
			continue
		}
		w.pickerFiles = append(w.pickerFiles, f)
		outer, _ := f.Outer(source.Span{})
		env := model.NewMap(model.Origin{})
		env.Open = true
		name := strings.TrimSuffix(path.Base(outer.Path), path.Ext(outer.Path))
		kind := "llm-d"
		if strings.HasPrefix(o.group(), "inference.networking") {
			// The group that the Gateway API inference extension's own picker reads.
			kind = "gaie"
		}
		wl := &workload{scope: o.scope, name: name, namespace: o.namespace(), origin: o.v.Origin, dir: o.dir, labels: map[string]string{}, owner: "file",
			platform: "kubernetes", part: "router", routerKind: kind, routerConfig: o.v, env: env, replicas: model.NewUnknown(o.v.Origin)}
		p := &part{wl: wl, name: name, kind: "router", prog: &program{kind: "epp", line: &source.CommandLine{}, openEnv: true}}
		p.value = w.routerPart(p)
		// Nothing that is seen starts it.
		p.value.Get("args").Open = true
		w.workloads = append(w.workloads, wl)
		w.parts = append(w.parts, p)
	}
}

// pickerDependency adds the picker of a chart that depends on a picker's chart, with the values beside it.
func (w *world) pickerDependency(d *Document) {
	dir := path.Dir(d.File.Path)
	chart := model.FromNode(d.File, d.Root, source.SigsYAML, nil)
	for _, dep := range chart.Get("dependencies").Items() {
		name, _ := dep.Get("name").AsText()
		if !isPickerChart(name) {
			continue
		}
		key, ok := dep.Get("alias").AsText()
		if !ok {
			key = name
		}
		f, err := w.ws.Read(path.Join(dir, "values.yaml"))
		if err != nil {
			continue
		}
		docs, err := w.ws.yaml(f)
		if err != nil || len(docs) == 0 || docs[0].Root.Get(key) == nil {
			continue
		}
		sc := &scope{kind: "helm", name: f.Path, dir: dir, parent: w.cluster, origin: model.Origin{File: f, Node: docs[0].Root, Span: docs[0].Root.Span()}, files: []*source.File{d.File, f}}
		w.used[f], w.used[d.File] = true, true
		w.pickerChart(sc, dir, name, "", "", model.FromNode(f, docs[0].Root.Get(key), source.SigsYAML, helmUnseen), dep.Get("version"))
	}
}
