package loaders

import (
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// dynamoSettings are the settings of dynamo.frontend and dynamo.router (ai-dynamo 1.0.2 to 1.6.1,
// dynamo/common/configuration/groups/kv_router_args.py, dynamo/frontend/frontend_args.py, dynamo/router/args.py).
func dynamoSettings() []routerSetting {
	return []routerSetting{
		{name: "router_mode", flags: []string{"router-mode"}, envs: []string{"DYN_ROUTER_MODE"}},
		{name: "overlap_score_credit", flags: []string{"router-kv-overlap-score-credit"}, envs: []string{"DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT"}, kind: numberSetting},
		{name: "overlap_score_credit_decay", flags: []string{"router-kv-overlap-score-credit-decay"}, envs: []string{"DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY"}, kind: numberSetting},
		{name: "overlap_score_weight", flags: []string{"router-kv-overlap-score-weight", "kv-overlap-score-weight"}, envs: []string{"DYN_ROUTER_KV_OVERLAP_SCORE_WEIGHT", "DYN_OVERLAP_SCORE_WEIGHT"}, kind: numberSetting},
		{name: "prefill_load_scale", flags: []string{"router-prefill-load-scale"}, envs: []string{"DYN_ROUTER_PREFILL_LOAD_SCALE"}, kind: numberSetting},
		{name: "load_aware", flags: []string{"load-aware"}, negatives: []string{"no-load-aware"}, envs: []string{"DYN_ROUTER_LOAD_AWARE"}, kind: switchSetting},
		{name: "kv_events", flags: []string{"router-kv-events", "kv-events"}, negatives: []string{"no-router-kv-events", "no-kv-events"}, envs: []string{"DYN_ROUTER_USE_KV_EVENTS", "DYN_KV_EVENTS"}, kind: switchSetting},
		{name: "block_size", flags: []string{"kv-cache-block-size"}, envs: []string{"DYN_KV_CACHE_BLOCK_SIZE"}, kind: numberSetting},
		{name: "router_block_size", flags: []string{"router-block-size", "block-size"}, envs: []string{"DYN_ROUTER_BLOCK_SIZE"}, kind: numberSetting},
		{name: "policy_config", flags: []string{"router-policy-config"}, envs: []string{"DYN_ROUTER_POLICY_CONFIG"}},
		{name: "ttl_secs", flags: []string{"router-ttl-secs"}, envs: []string{"DYN_ROUTER_TTL_SECS"}, kind: numberSetting},
		{name: "approximate_cache_policy", flags: []string{"router-approximate-cache-policy"}, envs: []string{"DYN_ROUTER_APPROXIMATE_CACHE_POLICY"}},
		{name: "temperature", flags: []string{"router-temperature"}, envs: []string{"DYN_ROUTER_TEMPERATURE"}, kind: numberSetting},
		{name: "replica_sync", flags: []string{"router-replica-sync"}, negatives: []string{"no-router-replica-sync"}, envs: []string{"DYN_ROUTER_REPLICA_SYNC"}, kind: switchSetting},
		{name: "reset_states", flags: []string{"router-reset-states"}, negatives: []string{"no-router-reset-states"}, envs: []string{"DYN_ROUTER_RESET_STATES"}, kind: switchSetting},
		{name: "track_active_blocks", flags: []string{"router-track-active-blocks", "track-active-blocks"}, negatives: []string{"no-router-track-active-blocks", "no-track-active-blocks"}, envs: []string{"DYN_ROUTER_TRACK_ACTIVE_BLOCKS"}, kind: switchSetting},
		{name: "assume_kv_reuse", flags: []string{"router-assume-kv-reuse", "assume-kv-reuse"}, negatives: []string{"no-router-assume-kv-reuse", "no-assume-kv-reuse"}, envs: []string{"DYN_ROUTER_ASSUME_KV_REUSE"}, kind: switchSetting},
		{name: "queue_threshold", flags: []string{"router-queue-threshold"}, envs: []string{"DYN_ROUTER_QUEUE_THRESHOLD"}, kind: numberSetting},
		{name: "queue_policy", flags: []string{"router-queue-policy"}, envs: []string{"DYN_ROUTER_QUEUE_POLICY"}},
	}
}

// dynamoRouter completes a Dynamo router: what its policy file sets, and the mode that its settings lead to.
func (w *world) dynamoRouter(p *part, v *model.Value) {
	settings := v.Get("settings")
	if x := settings.Get("policy_config"); x != nil {
		w.dynamoPolicy(p, v, x.Get("value"))
	}
	mode := settings.At("router_mode", "value")
	if on, _ := settings.At("load_aware", "value").AsBool(); on && p.prog.kind != "dynamo-router" {
		// The frontend sets the mode itself then (ai-dynamo 1.6.1, dynamo/frontend/frontend_args.py validate).
		mode = model.NewText("kv", settings.At("load_aware", "value").Origin)
	}
	switch {
	case p.prog.kind == "dynamo-router":
		// The standalone router knows no other mode.
		mode = model.NewText("kv", commandOrigin(p))
	case mode != nil:
	case settings.Open:
		mode = model.NewUnknown(settings.Origin)
	default:
		mode = model.NewText("round-robin", model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: v.Get("args"), Note: "default of dynamo.frontend"}})
	}
	v.Set("mode", mode)
}

// dynamoPolicy reads a policy file (from ai-dynamo 1.6): the shared settings of its router section, which win over
// flags, and the parameters of the selected instances of the default policy. What a file that is not seen may set is
// unknown.
func (w *world) dynamoPolicy(p *part, v, name *model.Value) {
	settings := v.Get("settings")
	fromFile := []string{"overlap_score_credit", "overlap_score_credit_decay", "prefill_load_scale", "temperature", "kv_events", "ttl_secs", "approximate_cache_policy", "replica_sync", "track_active_blocks", "assume_kv_reuse"}
	unseen := func() {
		for _, k := range fromFile {
			u := model.NewUnknown(name.Origin)
			if old := settings.At(k, "value"); old != nil {
				u.SetLosers(append(u.Losers(), old.Origin))
			}
			settings.Set(k, u)
		}
		v.Set("config", model.NewUnknown(name.Origin))
	}
	if release, known := w.routerRelease(p.wl, "dynamo"); known && release.Compare(knowledge.MustVersion("1.6")) < 0 {
		// Up to 1.5 the file holds classes of queues only.
		return
	}
	text, ok := name.AsText()
	if !ok {
		unseen()
		return
	}
	f, _ := w.configFileAt(p.wl, text)
	if f == nil {
		unseen()
		return
	}
	docs, err := w.ws.yamlOf(f)
	if err != nil {
		w.problem(f, err)
	}
	if len(docs) == 0 || docs[0].Root == nil {
		unseen()
		return
	}
	w.markUsed(f)
	file := model.FromNode(f, docs[0].Root, source.PyYAML, nil)
	v.Set("config", file)
	set := func(name string, x *model.Value) {
		if x == nil {
			return
		}
		s := settingOf(x, model.FromConfig)
		if old := settings.At(name, "value"); old != nil {
			c := *x
			c.SetLosers(append([]model.Origin{old.Origin}, old.Losers()...))
			s = settingOf(&c, model.FromConfig)
		}
		settings.Set(name, s)
	}
	r := file.Get("router")
	for _, k := range []struct{ key, name string }{{"use_kv_events", "kv_events"}, {"router_ttl_secs", "ttl_secs"}, {"router_approximate_cache_policy", "approximate_cache_policy"},
		{"router_replica_sync", "replica_sync"}, {"router_track_active_blocks", "track_active_blocks"}, {"router_assume_kv_reuse", "assume_kv_reuse"}} {
		set(k.name, r.Get(k.key))
	}
	sel := file.Get("worker_selection")
	for _, role := range []string{"decode", "prefill", "aggregated"} {
		chosen, ok := sel.Get(role).AsText()
		if !ok || chosen == "default" {
			continue
		}
		for _, in := range sel.Get("instances").Items() {
			if n, _ := in.Get("name").AsText(); n != chosen {
				continue
			}
			params := in.Get("parameters")
			typ, _ := in.Get("type").AsText()
			for _, k := range []struct{ key, name string }{{"overlap_score_credit", "overlap_score_credit"}, {"overlap_score_credit_decay", "overlap_score_credit_decay"},
				{"prefill_load_scale", "prefill_load_scale"}, {"router_temperature", "temperature"}} {
				if typ != dynamoDefaultPolicy {
					// Another policy has parameters of its own.
					settings.Set(k.name, model.NewUnknown(in.Origin))
					continue
				}
				set(k.name, params.Get(k.key))
			}
		}
	}
}

// dynamoDefaultPolicy is the type of the worker-selection policy that has the parameters of the deprecated flags.
const dynamoDefaultPolicy = "dynamo-default-cost-fn"

// dynamoGraph adds the services of a DynamoGraphDeployment: spec.services (v1alpha1) or spec.components (v1beta1).
func (w *world) dynamoGraph(o *object) {
	shared := o.v.At("spec", "envs")
	var planners, workers []*workload
	add := func(name string, s *model.Value) {
		if s == nil || s.Kind != model.Map {
			return
		}
		spec, main := s.Get("extraPodSpec"), s.At("extraPodSpec", "mainContainer")
		if main == nil {
			spec = s.At("podTemplate", "spec")
			for _, c := range spec.Get("containers").Items() {
				if n, _ := c.Get("name").AsText(); main == nil || n == "main" {
					main = c
				}
			}
		}
		if main == nil {
			main = model.NewMap(s.Origin)
		}
		wl := &workload{scope: o.scope, name: name, namespace: o.namespace(), origin: s.Origin, dir: o.dir, labels: map[string]string{},
			owner: "DynamoGraphDeployment", platform: "kubernetes", graph: o.name()}
		wl.image = main.Get("image")
		if cmd := main.Get("command"); cmd != nil {
			wl.command = argsOf(cmd, source.NoExpansion, nil)
		}
		if args := main.Get("args"); args != nil {
			wl.args = argsOf(args, source.NoExpansion, nil)
		}
		wl.env = model.NewMap(model.Origin{})
		for _, list := range []*model.Value{shared, s.Get("envs"), main.Get("env")} {
			for _, e := range list.Items() {
				if n, ok := e.Get("name").AsText(); ok {
					wl.envList = append(wl.envList, envItem{name: n, item: e})
				}
			}
		}
		if n := s.Get("envFromSecret"); n != nil {
			t, _ := n.AsText()
			wl.envFrom = append(wl.envFrom, envFrom{name: t, secret: true, origin: n.Origin})
		}
		for _, from := range main.Get("envFrom").Items() {
			for _, k := range []string{"configMapRef", "secretRef"} {
				if ref := from.Get(k); ref != nil {
					t, _ := ref.Get("name").AsText()
					wl.envFrom = append(wl.envFrom, envFrom{name: t, secret: k == "secretRef", origin: from.Origin})
				}
			}
		}
		wl.replicas = s.Get("replicas")
		wl.resources = dynamoResources(s.Get("resources"))
		if wl.resources == nil {
			wl.resources = kubernetesResources(main.Get("resources"))
		}
		if spec == nil {
			spec = model.NewMap(s.Origin)
		}
		volumes := volumesOf(spec)
		wl.pod = podValue(spec, main, volumes, s.Get("labels"))
		wl.mounts = mountsOf(main, volumes)
		wl.ports = wl.pod.Get("ports")
		for _, x := range []struct{ key, kind string }{{"startupProbe", "startup"}, {"readinessProbe", "readiness"}, {"livenessProbe", "liveness"}} {
			for _, at := range []*model.Value{s, main} {
				if pv := kubernetesProbe(at.Get(x.key), x.kind); pv != nil {
					wl.probes = append(wl.probes, pv)
					break
				}
			}
		}
		if wl.gpu = engineGPU(wl); wl.gpu != nil {
			if n := nodeGPU(spec); n != nil {
				setGPUName(wl.gpu, n)
			}
		}
		typ, _ := firstOf(s, "componentType", "type").AsText()
		switch typ {
		case "frontend":
			wl.part, wl.routerKind = "router", "dynamo"
		case "planner":
			wl.part = "planner"
			planners = append(planners, wl)
		case "worker", "main", "prefill", "decode":
			wl.part = "engine"
			workers = append(workers, wl)
		}
		if a := s.Get("autoscaling"); a != nil {
			w.dynamoAutoscaling(o, wl, a)
		}
		w.workloads = append(w.workloads, wl)
	}
	services := o.v.At("spec", "services")
	for i, k := range services.Keys() {
		add(k, services.Items()[i])
	}
	for _, c := range o.v.At("spec", "components").Items() {
		name, _ := c.Get("name").AsText()
		add(name, c)
	}
	for _, pl := range planners {
		for _, wl := range workers {
			w.planner(o, pl, wl)
		}
	}
}

// planner adds the scaling that a graph's planner does: it owns the number of workers. Its upper bound follows from
// budgets of GPUs and is not computed.
func (w *world) planner(o *object, pl, wl *workload) {
	v := newAutoscaler("planner", pl.name, false, pl.origin)
	lo := model.NewInt(1, model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: v, Note: "default of the planner's min_endpoint"}})
	line := source.ParseFlags(source.JoinArgs(pl.command, pl.args), nil)
	written := false
	for _, name := range []string{"config", "min-endpoint"} {
		f := line.Last(name)
		if f == nil {
			continue
		}
		x := flagValues(line.Line, f)
		if x.Len() == 0 {
			continue
		}
		n := x.Items()[x.Len()-1]
		if name == "config" {
			// A JSON text, or the path of a file.
			n = jsonSetting(n, "min_endpoint")
		}
		if n == nil {
			continue
		}
		written = true
		if i, ok := n.AsInt(true); ok && i >= 0 {
			lo = model.NewInt(i, n.Origin)
		} else {
			lo = model.NewUnknown(n.Origin)
		}
	}
	v.Set("min", lo)
	v.Set("max", model.NewUnknown(pl.origin))
	v.Set("min_written", model.NewBool(written, pl.origin))
	v.Set("metrics", model.NewList(model.Origin{}))
	w.autoscalers = append(w.autoscalers, &autoscaler{scope: o.scope, dir: o.dir, namespace: o.namespace(), target: wl, value: v})
}

// jsonSetting is a value of a JSON text of a command line: unknown when the text is something else, nil when the key
// is missing.
func jsonSetting(text *model.Value, key string) *model.Value {
	t, ok := text.AsText()
	if !ok {
		return model.NewUnknown(text.Origin)
	}
	f := source.NewFile("", []byte(t))
	n, err := source.ParseJSON(f)
	if err != nil {
		return model.NewUnknown(text.Origin)
	}
	x := model.FromNode(f, n, source.JSON, nil).Get(key)
	if x != nil {
		x.Origin = text.Origin
	}
	return x
}

// dynamoResources reads limits.gpu of a graph's service, which the operator turns into nvidia.com/gpu.
func dynamoResources(r *model.Value) *model.Value {
	if r == nil || r.Kind != model.Map {
		return nil
	}
	out := model.NewMap(r.Origin)
	for _, side := range []string{"requests", "limits"} {
		s := r.Get(side)
		if s == nil || s.Kind != model.Map {
			continue
		}
		m := model.NewMap(s.Origin)
		if v := s.Get("cpu"); v != nil {
			m.Set("cpu", cpus(v))
		}
		if v := s.Get("memory"); v != nil {
			m.Set("memory", memory(v))
		}
		if v := s.Get("gpu"); v != nil {
			m.Set("gpu", measured(v, parseCPUs))
		}
		out.Set(side, m)
	}
	return out
}

// dynamoAutoscaling adds the autoscaling block of a graph's service.
func (w *world) dynamoAutoscaling(o *object, wl *workload, a *model.Value) {
	if on, ok := a.Get("enabled").AsBool(); ok && !on {
		return
	}
	v := newAutoscaler("hpa", wl.name, false, a.Origin)
	replicaRange(v, a.Get("minReplicas"), a.Get("maxReplicas"), 1, 1)
	metrics := model.NewList(model.Origin{})
	as := &autoscaler{scope: o.scope, dir: o.dir, namespace: o.namespace(), target: wl, value: v}
	for _, it := range a.Get("metrics").Items() {
		m, q := hpaMetric(it)
		metrics.Append(m)
		as.queries = append(as.queries, q)
	}
	v.Set("metrics", metrics)
	w.autoscalers = append(w.autoscalers, as)
}
