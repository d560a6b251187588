package loaders

import (
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// scripts reads shell scripts and systemd units: the gateways and engines they start, the charts they install, the
// manifests they apply.
func (w *world) scripts() {
	for _, d := range w.docs {
		switch d.Kind {
		case Shell:
			w.script(d.File)
		case Systemd:
			w.unit(d.File)
		}
	}
}

// hostScope is the scope of what one file starts on a host.
func (w *world) hostScope(kind string, f *source.File) *scope {
	return &scope{kind: kind, name: f.Path, dir: path.Dir(f.Path), origin: model.Origin{File: f}, files: []*source.File{f}}
}

// script reads one shell script.
func (w *world) script(f *source.File) {
	s, err := source.ParseShell(f)
	if err != nil && s == nil {
		w.problem(f, err)
		return
	}
	sc := w.hostScope("shell", f)
	commands := s.Commands(nil)
	for i := range commands {
		c := &commands[i]
		for _, r := range c.Redirects {
			if r.Heredoc != nil && len(c.Words) > 0 && path.Base(c.Words[0].Text) == "kubectl" {
				w.heredoc(f, r.Heredoc.File)
			}
		}
		if len(c.Words) == 0 {
			continue
		}
		for _, x := range c.Programs(nil) {
			w.hostProgram(sc, x)
		}
	}
}

// heredoc reads manifests that a script applies.
func (w *world) heredoc(outer, inner *source.File) {
	if inner == nil || isTemplate(inner.Bytes) {
		return
	}
	docs, err := source.ParseYAML(inner)
	if err != nil {
		return
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		if kind, _ := classify(d.Root); kind == Manifest {
			for _, o := range w.manifestObjects(w.cluster, inner, d.Root) {
				o.dir = dirOf(outer)
				w.object(o)
			}
		}
	}
}

// hostProgram adds a process that a script or unit starts.
func (w *world) hostProgram(sc *scope, x source.Program) {
	if len(x.Line.Words) == 0 {
		return
	}
	switch base := path.Base(x.Line.Words[0].Text); base {
	case "helm":
		w.helmCommand(sc, x.Line)
		return
	case "docker", "podman", "nerdctl":
		if run, ok := source.ParseContainerRun(x.Line); ok {
			w.containerRun(sc, run)
		}
		return
	}
	p := programOf(x.Line)
	if p == nil {
		return
	}
	p.env, p.openEnv = x.Env, x.OpenEnv
	w.addProcess(sc, p, nil)
}

// addProcess adds a process of a host as a workload. env is what surrounds it, nil for a shell's environment,
// which may hold anything.
func (w *world) addProcess(sc *scope, p *program, env *model.Value) *workload {
	o := model.Origin{Source: model.FromArgs}
	if p.start != nil {
		o.File, o.Span = p.start.Args.File, p.start.Span
	} else if len(p.line.Words) > 0 {
		o.File, o.Span = p.line.Words[0].Args.File, p.line.Words[0].Span
	} else {
		o = sc.origin
	}
	name := strings.TrimSuffix(path.Base(sc.name), path.Ext(sc.name))
	for _, wl := range w.workloads {
		if wl.scope == sc && wl.name == name {
			name = p.kind
		}
	}
	if env == nil {
		env = model.NewMap(model.Origin{})
		env.Open = true
	}
	wl := &workload{scope: sc, name: name, origin: o, dir: sc.dir, labels: map[string]string{}, owner: sc.kind, platform: sc.kind, env: env, process: p}
	w.workloads = append(w.workloads, wl)
	return wl
}

// unit reads one systemd unit.
func (w *world) unit(f *source.File) {
	u := source.ParseUnit(f)
	for _, err := range u.Errors {
		w.lineProblem(f, err, "systemd ignores this line")
	}
	sc := w.hostScope("systemd", f)
	env := model.NewMap(model.Origin{File: f})
	for _, ef := range u.EnvironmentFiles() {
		p := path.Join(sc.dir, path.Base(ef.Path))
		e, err := w.ws.Read(p)
		if ef.Unknown || err != nil {
			env.Open = true
			continue
		}
		sc.files = append(sc.files, e)
		w.used[e] = true
		addEnvFile(env, source.ParseEnv(e, source.EnvSystemd))
	}
	for _, a := range u.Environment() {
		setAssignment(env, f, a)
	}
	lookup := envLookup(env)
	for _, args := range u.Commands("ExecStart", lookup) {
		for _, x := range source.Programs(source.JoinArgs(&args), lookup) {
			if len(x.Line.Words) == 0 {
				continue
			}
			if run, ok := source.ParseContainerRun(x.Line); ok {
				w.containerRun(sc, run)
				continue
			}
			p := programOf(x.Line)
			if p == nil {
				continue
			}
			p.env, p.openEnv = x.Env, x.OpenEnv
			w.addProcess(sc, p, env)
		}
	}
}

// setAssignment adds an assignment of a script or unit to an environment.
func setAssignment(env *model.Value, f *source.File, a source.Assignment) {
	if a.File != nil {
		// A container and the script that it runs are two files.
		f = a.File
	}
	o := model.Origin{Source: model.FromEnv, File: f, Key: a.NameSpan, Span: a.ValueSpan}
	if a.Unknown || a.Conditional {
		env.Override(a.Name, model.NewUnknown(o))
		return
	}
	env.Override(a.Name, model.NewText(a.Value, o))
}

// programEnv is the environment a program runs in: that of its container or unit, and what scripts and wrappers
// set on the way to it.
func programEnv(p *part) *model.Value {
	env := p.wl.env
	if len(p.prog.env) == 0 && !p.prog.openEnv {
		return env
	}
	env = copyMap(env)
	env.Open = env.Open || p.prog.openEnv
	f := p.wl.origin.File
	if w := p.prog.start; w != nil {
		f = w.Args.File
	}
	for _, a := range p.prog.env {
		setAssignment(env, f, a)
	}
	return env
}

// helmCommand reads helm install and helm upgrade: chart, release, -f files in order, --set values.
func (w *world) helmCommand(sc *scope, line *source.CommandLine) {
	fl := source.ParseFlags(&source.CommandLine{Words: line.Words[1:]}, helmFlags{})
	var pos []string
	for _, i := range fl.Positionals {
		pos = append(pos, fl.Line.Words[i].Text)
	}
	if len(pos) < 3 || pos[0] != "install" && pos[0] != "upgrade" {
		return
	}
	name, chart := pos[1], pos[2]
	var layers []*model.Value
	open := false
	in := &scope{kind: "helm", name: sc.name, dir: sc.dir, parent: w.cluster, origin: sc.origin, files: append([]*source.File{}, sc.files...)}
	for _, f := range fl.All("values") {
		s, ok := f.Value()
		p, inside := resolvePath(sc.dir, s)
		file, err := w.ws.Read(p)
		if err != nil && inside {
			// Scripts often run from the root of the repository.
			file, err = w.ws.Read(path.Clean(s))
		}
		if !ok || !inside || err != nil {
			open = true
			continue
		}
		in.files = append(in.files, file)
		w.used[file] = true
		layers = append(layers, w.layer(file))
	}
	written := mergeLayers(layers)
	for _, f := range append(fl.All("set"), fl.All("set-string")...) {
		s, ok := f.Value()
		o := argumentOrigin(fl.Line, f, 0)
		if written == nil {
			written = model.NewMap(o)
		}
		key, val, has := strings.Cut(s, "=")
		if !ok || !has || strings.ContainsAny(s, ",{}\\") {
			open = true
			continue
		}
		p := model.NewMap(o)
		p.Set("name", model.NewText(key, o))
		p.Set("value", model.NewText(val, o))
		setParameter(written, p)
	}
	if written == nil {
		return
	}
	written = opened(written, open)
	namespace, _ := fl.Last("namespace").Value()
	var version *model.Value
	if f := fl.Last("version"); f != nil {
		if s, ok := f.Value(); ok {
			version = model.NewText(s, argumentOrigin(fl.Line, f, 0))
		}
	}
	w.install(in, sc.dir, chart, name, namespace, written, version)
}

// helmFlags are the flags of helm install and upgrade that matter here, and its switches.
type helmFlags struct{}

// Lookup implements source.FlagSpec.
func (helmFlags) Lookup(option string) (source.FlagInfo, bool) {
	switch option {
	case "-f", "--values":
		return source.FlagInfo{Name: "values", Arity: source.ArityOne}, true
	case "-n", "--namespace":
		return source.FlagInfo{Name: "namespace", Arity: source.ArityOne}, true
	case "-i", "--install", "--create-namespace", "--wait", "--atomic", "--debug", "--dry-run", "--reuse-values", "--reset-values", "--force", "--cleanup-on-fail", "--dependency-update":
		return source.FlagInfo{Name: canonicalFlag(option), Arity: source.AritySwitch}, true
	case "--set", "--set-string", "--version", "--timeout", "--kube-context", "--repo", "--set-file", "--set-json", "--history-max", "--description", "--post-renderer":
		return source.FlagInfo{Name: canonicalFlag(option), Arity: source.ArityOne}, true
	}
	return source.FlagInfo{}, false
}

// Prefix implements source.FlagSpec: helm takes no prefixes.
func (helmFlags) Prefix(string) []string { return nil }
