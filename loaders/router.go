package loaders

import (
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// routerKinds are the kinds of routers by the program that runs them.
var routerKinds = map[string]string{"router": "production-stack", "sglang-gateway": "sglang", "epp": "llm-d", "dynamo-frontend": "dynamo", "dynamo-router": "dynamo", "aibrix": "aibrix", "ray": "ray"}

// routerSetting is a setting of a router under one name, and where it may be written. Of several flags the last one
// on the command line wins, over the first variable that is set.
type routerSetting struct {
	name  string
	flags []string
	// negatives are flags that set the setting to false.
	negatives []string
	envs      []string
	// kind says how a text is read.
	kind settingKind
}

// settingKind is the type of a router's setting.
type settingKind uint8

const (
	textSetting settingKind = iota
	numberSetting
	switchSetting
	listSetting // texts separated by commas
)

// routerSettings are the settings of each kind of router.
func routerSettings(kind string) []routerSetting {
	switch kind {
	case "dynamo":
		return dynamoSettings()
	case "production-stack":
		return stackRouterSettings()
	case "sglang":
		return sglangSettings()
	case "llm-d", "gaie":
		return pickerSettings()
	case "aibrix":
		return aibrixSettings()
	}
	return nil
}

// modeSetting is the setting that holds a router's policy, by kind.
func modeSetting(kind string) string {
	switch kind {
	case "dynamo":
		return "router_mode"
	case "production-stack":
		return "routing_logic"
	case "sglang":
		return "policy"
	case "aibrix":
		return "routing_algorithm"
	}
	return ""
}

// routerPart reads a router's command line and environment into shape RouterPart.
func (w *world) routerPart(p *part) *model.Value {
	wl := p.wl
	kind := wl.routerKind
	if kind == "" {
		kind = routerKinds[p.prog.kind]
	}
	v := model.NewMap(wl.origin)
	v.Set("name", model.NewText(p.name, wl.origin))
	if kind == "llm-d" && isOldPicker(wl.image) {
		kind = "gaie"
	}
	if kind == "production-stack" && isSGLangLine(p.prog.line) {
		kind = "sglang"
	}
	var spec source.FlagSpec
	if kind == "sglang" {
		spec = sglangFlags{}
	}
	args := argsMap(source.ParseFlags(p.prog.line, spec))
	addChartFlags(args, nil, wl.flags, nil)
	v.Set("kind", model.NewText(kind, wl.origin))
	if img := imagePart(wl.image); img != nil {
		v.Set("image", img)
	}
	v.Set("args", args)
	v.Set("env", wl.env)
	settings := model.NewMap(wl.origin)
	// What an unseen environment or argument may set stands in no list of settings.
	settings.Open = wl.settingsOpen
	if len(routerSettings(kind)) > 0 {
		settings.Open = settings.Open || args.Open || wl.env != nil && wl.env.Open
	}
	for _, s := range routerSettings(kind) {
		if release, known := w.routerRelease(wl, kind); kind == "dynamo" && (!known || release.Compare(knowledge.MustVersion("1.0")) >= 0) {
			// The names of variables before 1.0.
			s.envs = slices.DeleteFunc(s.envs, func(name string) bool { return name == "DYN_KV_EVENTS" })
		}
		if x := s.read(args, wl.env); x != nil {
			settings.Set(s.name, x)
		}
	}
	for _, name := range sortedKeys(wl.settings) {
		settings.Set(name, settingOf(wl.settings[name], model.FromConfig))
	}
	v.Set("settings", settings)
	if wl.routerConfig != nil {
		v.Set("config", wl.routerConfig)
	}
	switch kind {
	case "dynamo":
		w.dynamoRouter(p, v)
	case "sglang":
		w.sglangRouter(p, v)
	case "llm-d", "gaie":
		w.pickerRouter(p, v)
	case "ray":
		rayRouter(p, v)
	}
	if v.Get("mode") == nil {
		if s := settings.Get(modeSetting(kind)); s != nil && s.Kind == model.Unknown {
			v.Set("mode", s)
		} else if m := s.Get("value"); m != nil {
			v.Set("mode", m)
		} else if settings.Open {
			v.Set("mode", model.NewUnknown(settings.Origin))
		}
	}
	if wl.helm != nil {
		v.Set("helm", wl.helm)
	}
	return v
}

// read returns {value, source} of a router's setting, nil when nothing that is seen writes it.
func (s *routerSetting) read(args, env *model.Value) *model.Value {
	var set *model.Value
	var losers []model.Origin
	override := func(x *model.Value) {
		if set != nil {
			losers = append([]model.Origin{set.Origin}, losers...)
		}
		set = x
	}
	for i := len(s.envs) - 1; i >= 0; i-- {
		if e := env.Get(s.envs[i]); e != nil {
			override(s.typed(e))
		}
	}
	from := model.FromEnv
	last := -1
	take := func(name string, negative bool) {
		a := args.Get(name)
		if a == nil {
			return
		}
		x := model.NewBool(!negative, a.Origin)
		if a.Len() > 0 {
			x = s.typed(a.Items()[a.Len()-1])
		}
		x.SetLosers(append(x.Losers()[:len(x.Losers()):len(x.Losers())], a.Losers()...))
		at := -1
		if a.Origin.Arg() != nil {
			at = a.Origin.Arg().Flag
		}
		if set != nil && from == model.FromArgs && at < last {
			losers = append(losers, x.Origin)
			return
		}
		override(x)
		from, last = model.FromArgs, at
	}
	for _, f := range s.flags {
		take(f, false)
	}
	for _, f := range s.negatives {
		take(f, true)
	}
	if set == nil {
		return nil
	}
	c := *set
	c.SetLosers(append(c.Losers()[:len(c.Losers()):len(c.Losers())], losers...))
	return settingOf(&c, from)
}

// typed reads a text as the setting's type; a text that is none of it stays a text.
func (s *routerSetting) typed(v *model.Value) *model.Value {
	t, ok := v.AsText()
	if !ok {
		return v
	}
	switch s.kind {
	case numberSetting:
		return asNumber(v)
	case switchSetting:
		switch strings.ToLower(strings.TrimSpace(t)) {
		case "true", "1", "yes", "on":
			return model.NewBool(true, v.Origin)
		default:
			return model.NewBool(false, v.Origin)
		}
	case listSetting:
		out := model.NewList(v.Origin)
		for x := range strings.SplitSeq(t, ",") {
			if x = strings.TrimSpace(x); x != "" {
				out.Append(model.NewText(x, v.Origin))
			}
		}
		return out
	}
	return v
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
	if v.Origin.Source == model.FromChart || v.Origin.Source == model.FromConfig {
		// An argument or variable that a chart renders is written in its values.
		from = v.Origin.Source
	}
	out := model.NewMap(v.Origin)
	out.Set("value", v)
	if v.Kind != model.Unknown {
		out.Set("source", model.NewText(from.String(), v.Origin))
	}
	return out
}

// routerRelease is the release of a router: that of its image, of a sibling of the same resource, or the assumed one.
func (w *world) routerRelease(wl *workload, kind string) (knowledge.Version, bool) {
	w.siblingVersion(wl)
	text := wl.version
	if t, ok := imagePart(wl.image).Get("version").AsText(); ok {
		text = t
	}
	if text == "" {
		text = w.opts.Targets[kind]
	}
	v, err := knowledge.ParseVersion(text)
	return v, err == nil
}

// siblingVersion gives a service of a graph whose own image says no version that of another one.
func (w *world) siblingVersion(wl *workload) {
	if wl.graph == "" || wl.version != "" || wl.owner == "chart" || imagePart(wl.image).Get("version") != nil {
		return
	}
	for _, x := range w.workloads {
		if x == wl || x.graph != wl.graph || x.scope != wl.scope || x.dir != wl.dir {
			continue
		}
		if v := imagePart(x.image).Get("version"); v != nil {
			wl.version, wl.versionFrom = v.Text, placeNote(v.Origin)
			return
		}
	}
}

// routerTargets are the engines behind a router: those its settings name or its pool selects, and those of its graph or
// release.
func (w *world) routerTargets(p *part) []*part {
	if p.targetsKnown {
		return p.targets
	}
	p.targetsKnown = true
	var found []*part
	kind, _ := p.value.Get("kind").AsText()
	switch kind {
	case "production-stack":
		found = w.stackRouterTargets(p)
	case "sglang":
		found = w.sglangTargets(p)
	case "llm-d", "gaie":
		found = w.pickerTargets(p)
	case "aibrix":
		found = w.aibrixTargets(p)
	}
	for _, q := range w.parts {
		if q.kind == "engine" && p.wl.graph != "" && p.wl.graph == q.wl.graph && p.wl.scope == q.wl.scope && p.wl.dir == q.wl.dir {
			found = append(found, q)
		}
	}
	for _, q := range found {
		if q != p && !slices.Contains(p.targets, q) {
			p.targets = append(p.targets, q)
		}
	}
	return p.targets
}

// visible reports whether something of scope o is reached by name from sc: in its scope, or installed by a release into
// the cluster that both are in.
func (w *world) visible(sc, o *scope) bool {
	if sc.reaches(o) {
		return true
	}
	switch o.kind {
	case "flux", "argo", "helm", "helmfile":
		return o.parent != nil && sc.reaches(o.parent)
	}
	return false
}

// urlTargets are the engines that a URL in a router's configuration leads to.
func (w *world) urlTargets(p *part, u *model.Value) []*part {
	text, ok := u.AsText()
	if !ok {
		return nil
	}
	host, port := hostOf(text)
	t := w.lookupHost(p.wl.scope, p.wl.dir, host, port)
	switch {
	case t.part != nil:
		return engineParts([]*part{t.part})
	case t.service != nil:
		return engineParts(w.selected(t.service.scope, t.service.dir, t.service.namespace, t.service.selector))
	}
	return nil
}

// podTargets are the engines whose pods a selector matches, seen from a router. An empty namespace stands for the
// router's own or any.
func (w *world) podTargets(p *part, namespace string, selector map[string]string) []*part {
	return engineParts(w.selected(p.wl.scope, p.wl.dir, namespace, selector))
}

func engineParts(list []*part) []*part {
	var out []*part
	for _, q := range list {
		if q.kind == "engine" {
			out = append(out, q)
		}
	}
	return out
}

// routerObject adds objects of the routers' own kinds.
func (w *world) routerObject(o *object) {
	switch o.kind() {
	case "DynamoGraphDeployment":
		w.dynamoGraph(o)
	case "InferencePool":
		w.inferencePool(o)
	case "InferenceObjective", "InferenceModelRewrite", "InferenceModel":
		w.inferenceObjects = append(w.inferenceObjects, o)
	case "EndpointPickerConfig":
		w.pickerObjects = append(w.pickerObjects, o)
	case "RayService":
		w.rayService(o)
	case "PodAutoscaler":
		w.podAutoscaler(o)
	}
}
