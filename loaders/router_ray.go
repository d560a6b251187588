package loaders

import (
	"encoding/json"
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// rayService adds the applications of a RayService: its serveConfigV2 is a text of YAML.
func (w *world) rayService(o *object) {
	text := o.v.At("spec", "serveConfigV2")
	if text == nil {
		text = o.v.At("spec", "serveConfig")
	}
	n := text.OriginOr(model.Origin{}).Node.Deref()
	if n == nil || n.Kind != source.Scalar || text.Kind == model.Unknown {
		return
	}
	f := source.Nested(text.Origin.File, n)
	docs, err := parseTree(f)
	if err != nil {
		w.problem(f, err)
		return
	}
	version := o.v.At("spec", "rayClusterConfig", "rayVersion")
	image := o.v.At("spec", "rayClusterConfig", "headGroupSpec", "template", "spec", "containers", 0, "image")
	var worker *model.Value
	for _, g := range o.v.At("spec", "rayClusterConfig", "workerGroupSpecs").Items() {
		if spec := g.At("template", "spec"); worker == nil && spec != nil {
			worker = spec
		}
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		v := model.FromNode(f, d.Root, source.PyYAML, nil)
		r := &rayApp{scope: o.scope, dir: o.dir, namespace: o.namespace(), name: o.name(), image: image, version: version, worker: worker}
		w.rayApplications(r, v)
	}
}

// rayFile adds the applications of a Serve configuration that is a file of its own.
func (w *world) rayFile(d *Document) {
	v := model.FromNode(d.File, d.Root, source.PyYAML, nil)
	o := model.Origin{File: d.File, Node: d.Root, Span: d.Root.Span()}
	dir := path.Dir(d.File.Path)
	sc := &scope{kind: "config", name: d.File.Path, dir: dir, origin: o, files: []*source.File{d.File}}
	w.rayApplications(&rayApp{scope: sc, dir: dir}, v)
	w.used[d.File] = true
}

// rayApp is what surrounds the applications of one Serve configuration.
type rayApp struct {
	scope                *scope
	dir, namespace, name string
	image, version       *model.Value
	worker               *model.Value // pod spec of the first group of workers
}

// rayApplications adds an engine and a router for every model that ray.serve.llm serves.
func (w *world) rayApplications(r *rayApp, v *model.Value) {
	for _, app := range v.Get("applications").Items() {
		args := app.Get("args")
		list := args.Get("llm_configs").Items()
		if one := args.Get("llm_config"); one != nil {
			list = append(list[:len(list):len(list)], one)
		}
		for _, c := range list {
			if name, ok := c.AsText(); ok {
				// A path, relative to the working directory of the application.
				c = w.rayConfigFile(r.dir, name)
			}
			if c != nil && c.Kind == model.Map {
				w.rayModel(r, app, c)
			}
		}
	}
}

func (w *world) rayConfigFile(dir, name string) *model.Value {
	p, ok := resolvePath(dir, name)
	if !ok {
		return nil
	}
	f, err := w.ws.Read(p)
	if err != nil {
		return nil
	}
	docs, err := w.ws.yaml(f)
	if err != nil || len(docs) == 0 || docs[0].Root == nil {
		return nil
	}
	w.used[f] = true
	return model.FromNode(f, docs[0].Root, source.PyYAML, nil)
}

// rayModel adds one LLMConfig: its engine, the router of its deployment and their scaling.
func (w *world) rayModel(r *rayApp, app, c *model.Value) {
	loading := c.Get("model_loading_config")
	id, ok := loading.Get("model_id").AsText()
	if !ok {
		id = "model"
	}
	graph := "ray " + r.scope.name + " " + r.name + " " + id
	common := func(part string) *workload {
		wl := &workload{scope: r.scope, name: id, namespace: r.namespace, origin: c.Origin, dir: r.dir, labels: map[string]string{"agentlint/part": part + " " + graph},
			owner: "RayService", platform: "kubernetes", part: part, graph: graph, image: r.image, env: rayEnv(app, c)}
		if t, ok := r.version.Scalar(); ok {
			wl.version, wl.versionFrom = t, placeNote(r.version.Origin)
		}
		return wl
	}
	deployment := c.Get("deployment_config")
	engine := common("engine")
	engine.process = &program{kind: "ray", line: &source.CommandLine{}}
	engine.flags = rayFlags(c.Get("engine_kwargs"))
	if m := loading.Get("model_id"); m != nil {
		engine.flags = append([]chartFlag{{word: "--served-model-name", value: m}}, engine.flags...)
		engine.model = m
	}
	if m := loading.Get("model_source"); m != nil {
		engine.model = m
	}
	engine.gpu = rayGPU(c)
	w.rayReplicas(r, engine, deployment)
	router := common("router")
	router.routerKind = "ray"
	router.settings = map[string]*model.Value{}
	rc := deployment.Get("request_router_config")
	if x := rc.Get("request_router_class"); x != nil {
		router.settings["request_router_class"] = x
	}
	for i, k := range rc.Get("request_router_kwargs").Keys() {
		router.settings[k] = rc.Get("request_router_kwargs").Items()[i]
	}
	for _, x := range []*model.Value{deployment, rc, rc.Get("request_router_kwargs")} {
		router.settingsOpen = router.settingsOpen || x != nil && (x.Kind == model.Unknown || x.Open)
	}
	router.routerConfig = c
	w.workloads = append(w.workloads, engine, router)
	if r.name != "" {
		v := model.NewMap(c.Origin)
		v.Set("name", model.NewText(r.name+"-serve-svc", c.Origin))
		v.Set("type", model.NewText("ClusterIP", model.Origin{Source: model.FromDefault}))
		v.Set("headless", model.NewBool(false, c.Origin))
		v.Set("selector", model.NewMap(c.Origin))
		v.Set("ports", model.NewList(c.Origin))
		v.Set("labels", model.NewMap(c.Origin))
		w.services = append(w.services, &service{scope: r.scope, name: r.name + "-serve-svc", namespace: r.namespace, dir: r.dir,
			selector: map[string]string{"agentlint/part": "router " + graph}, value: v})
	}
}

// rayEnv is the environment of a model's replicas, as far as the configuration sets it.
func rayEnv(app, c *model.Value) *model.Value {
	env := model.NewMap(model.Origin{})
	env.Open = true
	for _, e := range []*model.Value{app.At("runtime_env", "env_vars"), c.At("runtime_env", "env_vars")} {
		for i, k := range e.Keys() {
			x := e.Items()[i]
			if s, ok := x.Scalar(); ok {
				t := model.NewText(s, x.Origin)
				t.Origin.Source = model.FromEnv
				env.Override(k, t)
			} else {
				env.Override(k, model.NewUnknown(x.Origin))
			}
		}
	}
	return env
}

// rayFlags turns engine_kwargs, vLLM's engine arguments under their Python names, into flags.
func rayFlags(kwargs *model.Value) []chartFlag {
	var out []chartFlag
	for i, k := range kwargs.Keys() {
		x := kwargs.Items()[i]
		word := "--" + strings.ReplaceAll(k, "_", "-")
		switch x.Kind {
		case model.Null:
			continue
		case model.Bool:
			if !x.Bool {
				word = "--no-" + strings.TrimPrefix(word, "--")
			}
			out = append(out, chartFlag{word: word, value: x, bare: true})
			continue
		case model.Map:
			t := model.NewUnknown(x.Origin)
			if b, err := json.Marshal(x.Plain()); err == nil && allKnown(x) {
				t = model.NewText(string(b), x.Origin)
			}
			x = t
		}
		out = append(out, chartFlag{word: word, value: x})
	}
	return out
}

// allKnown reports whether everything in a value is in the files.
func allKnown(v *model.Value) bool {
	ok := true
	v.Each(func(x *model.Value) { ok = ok && x.Kind != model.Unknown && !x.Open })
	return ok
}

// rayGPU is the accelerator of one replica: its type, and as many as the ranks it runs.
func rayGPU(c *model.Value) *model.Value {
	t := c.Get("accelerator_type")
	if t == nil {
		return nil
	}
	gpu := model.NewMap(t.Origin)
	n := int64(1)
	o := t.Origin
	for _, k := range []string{"tensor_parallel_size", "pipeline_parallel_size"} {
		if x := c.At("engine_kwargs", k); x != nil {
			i, ok := x.AsInt(true)
			if !ok || i < 1 || i > 1024 {
				n = 0
				break
			}
			n, o = n*i, x.Origin
		}
	}
	if n > 0 {
		gpu.Set("count", model.NewInt(n, o))
	} else {
		gpu.Set("count", model.NewUnknown(o))
	}
	setGPUName(gpu, t)
	return gpu
}

// rayReplicas reads how many replicas a deployment has: a number, or a range that Serve scales in.
func (w *world) rayReplicas(r *rayApp, wl *workload, deployment *model.Value) {
	scaling := deployment.Get("autoscaling_config")
	if scaling == nil || scaling.Kind == model.Null {
		wl.replicas = deployment.Get("num_replicas")
		return
	}
	v := newAutoscaler("ray", wl.name, false, scaling.Origin)
	// Without bounds Serve scales between 1 and 1 (ray 2.54.0, serve/config.py AutoscalingConfig).
	replicaRange(v, scaling.Get("min_replicas"), scaling.Get("max_replicas"), 1, 1)
	v.Set("metrics", model.NewList(model.Origin{}))
	w.autoscalers = append(w.autoscalers, &autoscaler{scope: r.scope, dir: r.dir, namespace: r.namespace, target: wl, value: v})
}

// rayRouter completes the router of a Ray deployment: its mode is the class, without its module.
func rayRouter(p *part, v *model.Value) {
	class := v.At("settings", "request_router_class", "value")
	switch t, ok := class.AsText(); {
	case ok:
		if i := strings.LastIndexAny(t, ".:"); i >= 0 {
			t = t[i+1:]
		}
		v.Set("mode", model.NewText(t, class.Origin))
	case class != nil:
		v.Set("mode", model.NewUnknown(class.Origin))
	default:
		v.Set("mode", model.NewText("PowerOfTwoChoicesRequestRouter", model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: blockAt(v, p.wl.origin), Note: "default of Ray Serve"}}))
	}
}
