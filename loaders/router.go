package loaders

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// routerKinds are the kinds of routers by the program that runs them.
var routerKinds = map[string]string{"router": "production-stack", "sglang-gateway": "sglang", "epp": "llm-d", "dynamo-frontend": "dynamo", "dynamo-router": "dynamo", "aibrix": "aibrix", "ray": "ray"}

// routerSetting is a setting of a router under one name, and where it may be written: flags first, then variables.
type routerSetting struct {
	name, flag, env string
	// negative is a flag that sets the setting to false.
	negative string
}

// dynamoSettings are the KV router's (ai-dynamo 1.3.0 to 1.6.1, dynamo/frontend arguments).
var dynamoSettings = []routerSetting{
	{name: "router_mode", flag: "router-mode", env: "DYN_ROUTER_MODE"},
	{name: "overlap_score_credit", flag: "router-kv-overlap-score-credit", env: "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT"},
	{name: "overlap_score_credit_decay", flag: "router-kv-overlap-score-credit-decay", env: "DYN_ROUTER_KV_OVERLAP_SCORE_CREDIT_DECAY"},
	{name: "load_aware", flag: "load-aware", env: "DYN_ROUTER_LOAD_AWARE", negative: "no-load-aware"},
	{name: "kv_events", flag: "router-kv-events", env: "DYN_ROUTER_USE_KV_EVENTS", negative: "no-router-kv-events"},
	{name: "block_size", flag: "kv-cache-block-size", env: "DYN_KV_CACHE_BLOCK_SIZE"},
	{name: "router_block_size", flag: "router-block-size", env: "DYN_ROUTER_BLOCK_SIZE"},
	{name: "policy_config", flag: "router-policy-config", env: "DYN_ROUTER_POLICY_CONFIG"},
	{name: "ttl_secs", flag: "router-ttl-secs", env: "DYN_ROUTER_TTL_SECS"},
}

// modeSettings are the settings that hold a router's policy, by kind.
var modeSettings = map[string][]string{"dynamo": {"router_mode"}, "production-stack": {"routing_logic"}, "sglang": {"policy"}}

// routerPart reads a router's command line and environment into shape RouterPart.
func (w *world) routerPart(p *part) *model.Value {
	wl := p.wl
	kind := wl.routerKind
	if kind == "" {
		kind = routerKinds[p.prog.kind]
	}
	v := model.NewMap(wl.origin)
	v.Set("name", model.NewText(p.name, wl.origin))
	v.Set("kind", model.NewText(kind, wl.origin))
	if img := imagePart(wl.image); img != nil {
		v.Set("image", img)
	}
	args := argsMap(source.ParseFlags(p.prog.line, nil))
	addChartFlags(args, nil, wl.flags, nil)
	v.Set("args", args)
	v.Set("env", wl.env)
	settings := model.NewMap(model.Origin{})
	if kind == "dynamo" {
		for i := range dynamoSettings {
			if s := dynamoSettings[i].read(args, wl.env); s != nil {
				settings.Set(dynamoSettings[i].name, s)
			}
		}
	}
	for name, x := range wl.settings {
		settings.Set(name, settingOf(x, model.FromConfig))
	}
	v.Set("settings", settings)
	for _, m := range modeSettings[kind] {
		if s := settings.At(m, "value"); s != nil {
			v.Set("mode", s)
		}
	}
	if wl.routerConfig != nil {
		v.Set("config", wl.routerConfig)
	}
	if wl.helm != nil {
		v.Set("helm", wl.helm)
	}
	return v
}

// read returns {value, source} of a router's setting, nil when nothing writes it.
func (s *routerSetting) read(args, env *model.Value) *model.Value {
	var losers []model.Origin
	e := env.Get(s.env)
	if e != nil {
		losers = append(losers, e.Origin)
	}
	if s.negative != "" {
		if a := args.Get(s.negative); a != nil {
			out := settingOf(model.NewBool(false, a.Origin), model.FromArgs)
			out.Get("value").Losers = losers
			return out
		}
	}
	if a := args.Get(s.flag); a != nil {
		x := model.NewBool(true, a.Origin)
		if a.Len() > 0 {
			x = scalarText(a.Items()[a.Len()-1])
		}
		out := settingOf(x, model.FromArgs)
		out.Get("value").Losers = losers
		return out
	}
	if e != nil {
		return settingOf(scalarText(e), model.FromEnv)
	}
	if args.Open || env != nil && env.Open {
		return model.NewUnknown(args.Origin)
	}
	return nil
}

// scalarText turns a text into the number or boolean it spells.
func scalarText(v *model.Value) *model.Value {
	if v.Kind != model.Text {
		return v
	}
	switch strings.ToLower(v.Text) {
	case "true":
		return model.NewBool(true, v.Origin)
	case "false":
		return model.NewBool(false, v.Origin)
	}
	return asNumber(v)
}

func settingOf(v *model.Value, from model.Source) *model.Value {
	out := model.NewMap(v.Origin)
	out.Set("value", v)
	if v.Kind != model.Unknown {
		out.Set("source", model.NewText(string(from), v.Origin))
	}
	return out
}

// routerTargets are the engines behind a router: those its workload names, else those of its graph or scope.
func (w *world) routerTargets(p *part) []*part {
	var out []*part
	for _, q := range w.parts {
		if q.kind != "engine" || q == p {
			continue
		}
		if p.wl.graph != "" && p.wl.graph == q.wl.graph && p.wl.scope == q.wl.scope && p.wl.dir == q.wl.dir {
			out = append(out, q)
		}
	}
	return out
}

// routerObject adds objects of the routers' own kinds.
func (w *world) routerObject(o *object) {
	if o.kind() == "DynamoGraphDeployment" {
		w.dynamoGraph(o)
	}
}

// dynamoGraph adds the services of a DynamoGraphDeployment: spec.services (v1alpha1) or spec.components (v1beta1).
func (w *world) dynamoGraph(o *object) {
	shared := o.v.At("spec", "envs")
	add := func(name string, s *model.Value) {
		if s == nil || s.Kind != model.Map {
			return
		}
		main := s.At("extraPodSpec", "mainContainer")
		if main == nil {
			for _, c := range s.At("podTemplate", "spec", "containers").Items() {
				main = c
				break
			}
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
		for _, n := range []*model.Value{s.Get("envFromSecret")} {
			if t, ok := n.AsText(); ok {
				wl.envFrom = append(wl.envFrom, envFrom{name: t, secret: true, origin: n.Origin})
			}
		}
		wl.replicas = s.Get("replicas")
		wl.resources = dynamoResources(s.Get("resources"))
		wl.gpu = engineGPU(wl)
		typ, _ := firstOf(s, "componentType", "type").AsText()
		switch typ {
		case "frontend":
			wl.part, wl.routerKind = "router", "dynamo"
		case "planner":
			wl.part = "planner"
		case "worker", "main", "prefill", "decode":
			wl.part = "engine"
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
