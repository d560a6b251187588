package loaders

import (
	"math"
	"path"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// engineVersion is the release whose flags an engine's command line is read with.
func (w *world) engineVersion(wl *workload) knowledge.Release {
	if ref, ok := wl.image.AsText(); ok {
		repository, tag, _ := splitImage(ref)
		if v, floating, ok := knowledge.VersionFromTag(tag); ok && !floating && taggedByVLLM(repository) {
			return knowledge.VLLM.At(v)
		}
	}
	if t := w.opts.Targets["vllm"]; t != "" {
		if v, err := knowledge.ParseVersion(t); err == nil {
			return knowledge.VLLM.At(v)
		}
	}
	return knowledge.VLLM.At(knowledge.VLLM.Newest())
}

// enginePart reads an engine's command line and environment into shape EnginePart; name, replicas, version and
// what surrounds the container are added when a stack takes it.
func (w *world) enginePart(p *part) *model.Value {
	wl := p.wl
	v := model.NewMap(wl.origin)
	v.Set("name", model.NewText(p.name, wl.origin))
	runtime := p.prog.kind
	switch runtime {
	case "dynamo-worker":
		runtime = "dynamo"
	case "sglang", "ray":
	default:
		runtime = "vllm"
	}
	v.Set("runtime", model.NewText(runtime, wl.origin))
	if img := imagePart(wl.image); img != nil {
		v.Set("image", img)
	}
	how := "image"
	switch {
	case wl.owner == "chart":
		how = "chart"
	case p.prog.how == "serve" || p.prog.how == "api_server":
		how = p.prog.how
	}
	v.Set("command", model.NewText(how, commandOrigin(p)))
	spec := flagSpec{w.engineVersion(wl)}
	fl := source.ParseFlags(p.prog.line, spec)
	args, flags := argsMap(fl), flagsList(fl)
	addChartFlags(args, flags, wl.flags, spec)
	if last := fl.Last("config"); last != nil && runtime == "vllm" && !last.Attached {
		// The loader of --config sees the two-word form only (vllm utils/argparse_utils.py).
		if config := w.engineConfig(wl, spec.release, args, flags, args.At("config", 0)); config != nil {
			v.Set("config", config)
		}
	}
	v.Set("args", args)
	v.Set("flags", flags)
	v.Set("env", wl.env)
	mdl := wl.model
	if mdl == nil {
		mdl = engineModel(p, args, fl)
	}
	if mdl != nil {
		v.Set("model", mdl)
	}
	v.Set("strays", strays(fl, mdl))
	if broken := brokenLine(p.prog); broken != nil {
		v.Set("broken_line", broken)
	}
	served := model.NewList(model.Origin{})
	if names := args.Get("served-model-name"); names != nil {
		served.Origin = names.Origin
		for _, n := range names.Items() {
			served.Append(n)
		}
	} else if mdl != nil {
		served.Origin = mdl.Origin
		served.Append(mdl)
	}
	v.Set("served_names", served)
	if context := engineContext(args, mdl); context != nil {
		v.Set("context", context)
	}
	v.Set("role", model.NewText(engineRole(args), wl.origin))
	if gpu := engineGPU(wl); gpu != nil {
		v.Set("gpu", gpu)
	}
	if name, ok := mdl.AsText(); ok {
		if g, ok := knowledge.Model(name); ok {
			setWeights(v, g, mdl)
		}
	}
	if a := attention(mdl); a != nil {
		v.Set("attention", a)
	}
	for _, x := range []struct{ name, flag string }{{"kv_events", "kv-events-config"}, {"kv_transfer", "kv-transfer-config"}, {"speculative", "speculative-config"}} {
		if c := jsonArgument(fl, args, x.flag); c != nil {
			v.Set(x.name, c)
		} else if args.Open {
			v.Set(x.name, model.NewUnknown(args.Origin))
		}
	}
	if l := w.lmcache(wl, v.Get("kv_transfer")); l != nil {
		v.Set("lmcache", l)
	}
	if runtime == "dynamo" && p.prog.how != "" {
		v.Set("backend", model.NewText(p.prog.how, commandOrigin(p)))
	}
	if wl.helm != nil {
		v.Set("helm", wl.helm)
	}
	return v
}

// flagsList is every flag in the order written.
func flagsList(fl *source.Flags) *model.Value {
	out := model.NewList(model.Origin{})
	for i := range fl.Flags {
		a := &fl.Flags[i]
		o := argumentOrigin(fl.Line, a, -1)
		m := model.NewMap(o)
		m.Set("name", model.NewText(flagName(a), o))
		m.Set("word", model.NewText(a.Option, o))
		m.Set("values", flagValues(fl.Line, a))
		m.Set("inline", model.NewBool(a.Attached, o))
		if i := strayWord(fl, a); i >= 0 {
			w := fl.Line.Words[i]
			m.Set("stray", model.NewText(w.Text, model.Origin{Source: model.FromArgs, File: w.Args.File, Key: w.Span, Span: w.Span, Node: w.Node, Detail: &model.Detail{Arg: &model.Argument{Line: fl.Line, Flag: i}}}))
		}
		out.Append(m)
	}
	return out
}

// strayWord is the index of the positional word behind a flag without a value that is meant as its value: true or
// false; -1 when there is none.
func strayWord(fl *source.Flags, a *source.Flag) int {
	i := a.Index + 1
	if !a.Known || len(a.Values) > 0 || !slices.Contains(fl.Positionals, i) || fl.Line.Words[i].Unknown {
		return -1
	}
	switch strings.ToLower(fl.Line.Words[i].Text) {
	case "true", "false", "yes", "no", "on", "off", "1", "0":
		return i
	}
	return -1
}

// strays are the words of a command line that belong to no flag and are not the model.
func strays(fl *source.Flags, mdl *model.Value) *model.Value {
	out := model.NewList(model.Origin{})
	taken := map[int]bool{}
	for i := range fl.Flags {
		taken[strayWord(fl, &fl.Flags[i])] = true
	}
	if o := mdl.OriginOr(model.Origin{}); o.Arg() != nil && o.Arg().Line == fl.Line {
		taken[o.Arg().Flag] = true
	}
	for _, i := range fl.Positionals {
		if taken[i] {
			continue
		}
		w := fl.Line.Words[i]
		o := model.Origin{Source: model.FromArgs, File: w.Args.File, Key: w.Span, Span: w.Span, Node: w.Node, Detail: &model.Detail{Arg: &model.Argument{Line: fl.Line, Flag: i}}}
		if w.Unknown {
			out.Append(model.NewUnknown(o))
		} else {
			out.Append(model.NewText(w.Text, o))
		}
	}
	return out
}

// commandOrigin is the place of the word that names the program.
func commandOrigin(p *part) model.Origin {
	if w := p.prog.start; w != nil {
		launch := &model.Argument{Line: p.prog.launch}
		for i := 1; i < p.prog.count; i++ {
			launch.Values = append(launch.Values, i)
		}
		return model.Origin{Source: model.FromArgs, File: w.Args.File, Span: w.Span, Node: w.Node, Detail: &model.Detail{Arg: launch}}
	}
	return p.wl.origin
}

// engineModel is the model an engine serves: the first positional word of vllm serve, else --model.
func engineModel(p *part, args *model.Value, fl *source.Flags) *model.Value {
	if p.prog.how != "api_server" && p.prog.kind != "sglang" && p.prog.kind != "dynamo-worker" {
		stray := map[int]bool{}
		for i := range fl.Flags {
			stray[strayWord(fl, &fl.Flags[i])] = true
		}
		for _, i := range fl.Positionals {
			if stray[i] {
				continue
			}
			w := fl.Line.Words[i]
			if strings.HasPrefix(w.Text, "-") {
				continue
			}
			o := model.Origin{Source: model.FromArgs, File: w.Args.File, Key: w.Span, Span: w.Span, Node: w.Node, Detail: &model.Detail{Arg: &model.Argument{Line: fl.Line, Flag: i}}}
			if w.Unknown {
				return model.NewUnknown(o)
			}
			if w.Text == "serve" && p.prog.start == nil {
				continue
			}
			return model.NewText(w.Text, o)
		}
	}
	for _, k := range []string{"model", "model-tag", "model-path"} {
		if v := args.Get(k); v != nil {
			if v.Len() > 0 {
				return v.Items()[v.Len()-1]
			}
			return model.NewUnknown(v.Origin)
		}
	}
	if args.Open {
		return model.NewUnknown(args.Origin)
	}
	return nil
}

// engineContext is the longest sequence of an engine, in shape SettingPart: as written, else that of its model; nil when
// neither is known for certain, or when the engine chooses.
func engineContext(args, mdl *model.Value) *model.Value {
	out := model.NewMap(model.Origin{})
	set := func(v *model.Value, from string) *model.Value {
		out.Origin = v.Origin
		out.Set("value", v)
		if from != "" {
			out.Set("source", model.NewText(from, v.Origin))
		}
		return out
	}
	switch args.State("max-model-len") {
	case model.Unseen:
		return set(model.NewUnknown(args.OriginOr(model.Origin{})), "")
	case model.Present:
		written := args.At("max-model-len", 0)
		if !written.Known() {
			return set(model.NewUnknown(args.Get("max-model-len").Origin), "")
		}
		text, _ := written.AsText()
		if n, ok := knowledge.HumanInt(text); ok && n > 0 {
			return set(model.NewInt(n, written.Origin), "args")
		}
		return nil
	}
	name, ok := mdl.AsText()
	if !ok {
		return nil
	}
	// Another organisation's copy of a model, or a quantised one, may have its own limit.
	if g, ok := knowledge.Model(name); ok && g.Match == knowledge.Exact {
		return modelContext(g, mdl)
	}
	return nil
}

// modelContext is a model's own longest sequence, in shape SettingPart; nil when it is not known.
func modelContext(g knowledge.Geometry, mdl *model.Value) *model.Value {
	if g.Context <= 0 {
		return nil
	}
	o := model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: mdl, Note: "the model's own limit"}}
	out := model.NewMap(o)
	out.Set("value", model.NewInt(int64(g.Context), o))
	out.Set("source", model.NewText("model", o))
	return out
}

// modelConfig adds the config.json of an engine's model: in the model's folder when the model is a path, else in a folder of the
// model's name beside the file that starts the engine, or there itself when that folder starts no other engine.
func (b *builder) modelConfig(p *part, engine *model.Value) {
	mdl := engine.Get("model")
	name, ok := mdl.AsText()
	if !ok || name == "" {
		return
	}
	var f *source.File
	if strings.HasPrefix(name, "/") || strings.HasPrefix(name, ".") {
		f, _ = b.w.configFileAt(p.wl, path.Join(name, "config.json"))
	}
	if f == nil {
		f = b.w.readBeside("config.json", path.Join(p.wl.dir, path.Base(name)), path.Join(p.wl.dir, path.Base(name)))
	}
	if f == nil && b.w.onlyEngine(p) {
		f = b.w.readBeside("config.json", p.wl.dir, p.wl.dir)
	}
	if f == nil {
		return
	}
	docs, err := b.w.ws.yamlOf(f)
	if err != nil || len(docs) == 0 || docs[0].Root == nil {
		return
	}
	v := model.FromNode(f, docs[0].Root, source.JSON, nil)
	config, ok := v.Plain().(map[string]any)
	if !ok {
		return
	}
	g, ok := knowledge.GeometryOf(config)
	if !ok {
		return
	}
	engine.Set("model_config", v)
	setWeights(engine, g, mdl)
	b.addFile(f)
	if from, _ := engine.At("context", "source").AsText(); from == "model" || engine.Get("context") == nil && engine.Get("args").State("max-model-len") == model.Absent {
		if context := modelContext(g, mdl); context != nil {
			engine.Set("context", context)
		}
	}
}

// setWeights sets the least memory of a model's weights, where its shape says it.
func setWeights(engine *model.Value, g knowledge.Geometry, mdl *model.Value) {
	if gib, _ := g.WeightsGiB(g.Precision, 1, 1); gib > 0 {
		o := model.Origin{Source: model.FromDefault, Detail: &model.Detail{Block: mdl, Note: "of the model's shape"}}
		engine.Set("weights_gib", model.NewFloat(math.Round(gib*10)/10, o))
	}
}

// onlyEngine reports whether an engine is the only one that the files of its folder start.
func (w *world) onlyEngine(p *part) bool {
	for _, q := range w.parts {
		if q != p && q.kind == "engine" && q.wl.dir == p.wl.dir {
			return false
		}
	}
	return true
}

// engineRole is what an engine does in its fleet.
func engineRole(args *model.Value) string {
	if t, ok := args.At("runner", 0).AsText(); ok && t == "pooling" {
		return "pooling"
	}
	if t, ok := args.At("task", 0).AsText(); ok {
		switch t {
		case "embed", "embedding", "classify", "score", "reward", "pooling":
			return "pooling"
		}
	}
	if args.Get("is-prefill-worker") != nil {
		return "prefill"
	}
	if t, ok := args.At("disaggregation-mode", 0).AsText(); ok && (t == "prefill" || t == "decode") {
		return t
	}
	if t, ok := args.At("kv-transfer-config", 0).AsText(); ok {
		switch {
		case strings.Contains(t, "kv_producer"):
			return "prefill"
		case strings.Contains(t, "kv_consumer"):
			return "decode"
		}
	}
	return "serve"
}

// engineGPU is the accelerator of one instance, from its resources or devices; nil when nothing says.
func engineGPU(wl *workload) *model.Value {
	gpu := wl.gpu
	if n := wl.resources.At("limits", "gpu"); n != nil && gpu == nil {
		gpu = model.NewMap(n.Origin)
		if x, ok := n.AsInt(false); ok {
			gpu.Set("count", model.NewInt(x, n.Origin))
		} else {
			gpu.Set("count", model.NewUnknown(n.Origin))
		}
	}
	return gpu
}

// engineConfig adds the keys of a vllm --config file below the command line, which wins (vllm
// utils/argparse_utils.py): a list as several values, a mapping as JSON, true as the flag alone. From 0.28.0 on false is the
// negative form of a flag that has one, unless its key has underscores; before it is nothing. It returns the file as written,
// nil when it is not seen.
func (w *world) engineConfig(wl *workload, release knowledge.Release, args, flags, file *model.Value) *model.Value {
	name, ok := file.AsText()
	if !ok {
		args.Open = true
		return nil
	}
	f, _ := w.configFileAt(wl, name)
	if f == nil {
		w.skipConfig(wl, name)
		args.Open = true
		return nil
	}
	docs, err := w.ws.yamlOf(f)
	if err != nil {
		w.problem(f, err)
	}
	if len(docs) == 0 || docs[0].Root == nil {
		return nil
	}
	w.markUsed(f)
	v := model.FromNode(f, docs[0].Root, source.PyYAML, nil)
	if v.Kind != model.Map {
		return nil
	}
	for i, k := range v.Keys() {
		c := v.Items()[i]
		name := canonicalFlag(k)
		list := model.NewList(c.Origin)
		switch c.Kind {
		case model.Bool:
			if !c.Bool {
				f, presence := release.Flag("--no-" + name)
				if strings.Contains(k, "_") || presence != knowledge.Present || !f.Negative || release.Version.Compare(knowledge.MustVersion("0.28.0")) < 0 {
					continue
				}
				name = "no-" + name
			}
			if other := args.Get(opposite(name)); other != nil {
				other.SetLosers(append(other.Losers(), list.Origin))
				continue
			}
		case model.List:
			for _, it := range c.Items() {
				if s, ok := it.Scalar(); ok {
					list.Append(model.NewText(s, it.Origin))
				} else {
					list.Append(model.NewUnknown(it.Origin))
				}
			}
		case model.Map, model.Unknown:
			list.Append(model.NewUnknown(c.Origin))
		default:
			if s, ok := c.Scalar(); ok {
				list.Append(model.NewText(s, c.Origin))
			}
		}
		if old := args.Get(name); old != nil {
			old.SetLosers(append(old.Losers(), list.Origin))
			continue
		}
		args.Set(name, list)
		m := model.NewMap(c.Origin)
		m.Set("name", model.NewText(name, c.Origin))
		m.Set("word", model.NewText(k, c.Origin))
		m.Set("values", list)
		m.Set("inline", model.NewBool(false, c.Origin))
		flags.Append(m)
	}
	return v
}

// opposite is the name of the other form of a boolean flag.
func opposite(name string) string {
	if positive, ok := strings.CutPrefix(name, "no-"); ok {
		return positive
	}
	return "no-" + name
}
