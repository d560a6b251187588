package loaders

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// containerRun adds the container that a docker run or podman run line starts.
func (w *world) containerRun(sc *scope, run *source.ContainerRun) {
	line := run.Flags.Line
	at := func(i int) *source.File { return line.Words[i].Args.File }
	if run.Image == nil {
		return
	}
	f := run.Image.Args.File
	o := model.Origin{Source: model.FromArgs, File: f, Span: run.Image.Span, Node: run.Image.Node}
	wl := &workload{scope: sc, origin: o, dir: sc.dir, labels: map[string]string{}, owner: "docker", platform: "docker"}
	wl.name = strings.TrimSuffix(path.Base(sc.name), path.Ext(sc.name))
	if n, ok := run.Flags.Last("name").Value(); ok {
		wl.name = n
		wl.hostnames = append(wl.hostnames, n)
	}
	if run.Image.Unknown {
		wl.image = model.NewUnknown(o)
	} else {
		wl.image = model.NewText(run.Image.Text, o)
	}
	env := model.NewMap(model.Origin{})
	env.Open = run.OpenEnv
	for _, e := range run.EnvFiles {
		p, found := w.hostPath(sc.dir, e.Text)
		if !found {
			p = path.Join(sc.dir, path.Base(e.Text))
		}
		ef, err := w.ws.Read(p)
		if e.Unknown && !found || err != nil {
			env.Open = true
			continue
		}
		sc.files = append(sc.files, ef)
		w.used[ef] = true
		addEnvFile(env, source.ParseEnv(ef, source.EnvDocker))
	}
	for _, a := range run.Env {
		setAssignment(env, f, a)
	}
	wl.env = env
	if run.Entrypoint != nil {
		i := run.Entrypoint.Index
		wl.command = &source.Args{File: at(i), Form: source.ShellText, Span: run.Entrypoint.Span,
			Words: []source.Word{{Text: run.Entrypoint.Text, Span: run.Entrypoint.Span, Unknown: run.Entrypoint.Unknown}}}
	}
	if run.Command != nil && len(run.Command.Words) > 0 {
		args := &source.Args{File: run.Command.Words[0].Args.File, Form: source.ShellText}
		for _, x := range run.Command.Words {
			args.Words = append(args.Words, x.Word)
		}
		args.Span = source.Span{Start: args.Words[0].Span.Start, End: args.Words[len(args.Words)-1].Span.End}
		wl.args = args
	}
	wl.workdir, _ = run.Flags.Last("workdir").Value()
	for _, m := range run.Mounts {
		mt := mount{target: m.Target, origin: o}
		p, found := w.hostPath(sc.dir, m.Source)
		if !found {
			// An absolute path on the host, or a folder: what is of that name beside the script.
			if q, inside := resolvePath(sc.dir, trimWorkingFolder(m.Source)); inside {
				p = q
			} else if p = path.Join(sc.dir, path.Base(m.Source)); !w.ws.Exists(p) {
				mt.unseen = true
			}
		}
		mt.file = p
		wl.mounts = append(wl.mounts, mt)
	}
	ports := model.NewList(model.Origin{})
	for _, p := range run.Flags.All("publish") {
		for i, v := range p.Values {
			vo := argumentOrigin(line, p, i)
			if v.Unknown {
				ports.Append(model.NewUnknown(vo))
				continue
			}
			ports.Append(composePort(model.NewText(v.Text, vo)))
		}
	}
	wl.ports = ports
	pod := model.NewMap(o)
	pod.Set("volumes", model.NewList(model.Origin{}))
	pod.Set("mounts", model.NewList(model.Origin{}))
	pod.Set("labels", model.NewMap(model.Origin{}))
	pod.Set("ports", ports)
	if s := run.Flags.Last("stop-timeout"); s != nil && len(s.Values) > 0 {
		pod.Set("grace_period_seconds", numberOr(model.NewText(s.Values[0].Text, argumentOrigin(line, s, 0)), 10))
	}
	spec := model.NewMap(o)
	spec.Set("container", argsMap(run.Flags))
	pod.Set("spec", spec)
	wl.pod = pod
	limits := model.NewMap(o)
	if m := run.Flags.Last("memory"); m != nil && len(m.Values) > 0 {
		limits.Set("memory", byteSize(model.NewText(m.Values[0].Text, argumentOrigin(line, m, 0))))
	}
	if c := run.Flags.Last("cpus"); c != nil && len(c.Values) > 0 {
		limits.Set("cpu", cpus(model.NewText(c.Values[0].Text, argumentOrigin(line, c, 0))))
	}
	if limits.Len() > 0 {
		wl.resources = model.NewMap(o)
		wl.resources.Set("limits", limits)
	}
	if g := run.Flags.Last("gpus"); g != nil && len(g.Values) > 0 {
		gpu := model.NewMap(argumentOrigin(line, g, 0))
		v := model.NewText(g.Values[0].Text, argumentOrigin(line, g, 0))
		if n, ok := v.AsInt(true); ok {
			gpu.Set("count", model.NewInt(n, v.Origin))
		} else if ids, ok := strings.CutPrefix(strings.Trim(v.Text, `"'`), "device="); ok {
			gpu.Set("count", model.NewInt(int64(strings.Count(ids, ",")+1), v.Origin))
		} else {
			gpu.Set("count", model.NewUnknown(v.Origin))
		}
		wl.gpu = gpu
	}
	w.workloads = append(w.workloads, wl)
}

// hostPath returns the file that a script in dir names, relative to the folder that it runs in: its own, or one above it
// that it changes to or is started from. A variable in front stands for such a folder.
func (w *world) hostPath(dir, name string) (string, bool) {
	rel := trimWorkingFolder(name)
	if strings.HasPrefix(rel, "$") {
		switch i := strings.LastIndex(rel, ")/"); {
		case strings.HasPrefix(rel, "$HOME/"), strings.HasPrefix(rel, "${HOME}/"):
			return "", false
		case strings.HasPrefix(rel, "$(") && i > 0:
			rel = rel[i+2:]
		default:
			_, rel, _ = strings.Cut(rel, "/")
		}
		for up := true; up; {
			rel, up = strings.CutPrefix(rel, "../")
		}
	}
	for {
		if p, inside := resolvePath(dir, rel); inside && w.ws.Exists(p) {
			return p, true
		}
		if dir == "." || dir == "" || dir == "/" {
			return "", false
		}
		dir = path.Dir(dir)
	}
}

// trimWorkingFolder drops the shell's name of the working folder from the beginning of a path.
func trimWorkingFolder(name string) string {
	for _, pwd := range [...]string{"$PWD/", "${PWD}/", "$(pwd)/", "`pwd`/"} {
		if rest, ok := strings.CutPrefix(name, pwd); ok {
			return rest
		}
	}
	return name
}

// composeBuild takes over what the Dockerfile of a service's build says: base image, environment, command, and
// the files it copies.
func (w *world) composeBuild(wl *workload, build *model.Value) {
	wl.built = true
	context, file := ".", "Dockerfile"
	if s, ok := build.AsText(); ok {
		context = s
	} else {
		if s, ok := build.Get("context").AsText(); ok {
			context = s
		}
		if s, ok := build.Get("dockerfile").AsText(); ok {
			file = s
		}
	}
	dir, inside := resolvePath(wl.dir, context)
	if !inside {
		return
	}
	name := path.Join(dir, file)
	f, err := w.ws.Read(name)
	if err != nil {
		return
	}
	d := source.ParseBuild(f, buildArgs(build))
	stage := d.Final()
	if s, ok := build.Get("target").AsText(); ok {
		for i := range d.Stages {
			if d.Stages[i].Name == s {
				stage = &d.Stages[i]
			}
		}
	}
	if stage == nil {
		return
	}
	wl.scope.files = append(wl.scope.files, d.File)
	w.used[d.File] = true
	w.builtFrom(wl, d, stage, dir)
}

// buildArgs looks up what a service's build gives to the ARG instructions of its Dockerfile.
func buildArgs(build *model.Value) source.Lookup {
	args := assignments(build.Get("args"))
	if args == nil || args.Kind != model.Map {
		return nil
	}
	return func(name string) (string, source.Binding) {
		switch v := args.Get(name); {
		case v == nil && !args.Open:
			return "", source.Unbound
		case v != nil:
			if s, ok := v.Scalar(); ok && v.Kind != model.Null {
				return s, source.Bound
			}
		}
		return "", source.Hidden
	}
}

// builtFrom fills a workload from a stage of a Dockerfile built in a folder.
func (w *world) builtFrom(wl *workload, d *source.Dockerfile, stage *source.Stage, dir string) {
	wl.built = true
	// A stage takes over everything of the one it builds on but its list of copies.
	chain := []*source.Stage{stage}
	for base := stage; base.Base >= 0 && base.Base < len(d.Stages) && len(chain) <= len(d.Stages); {
		base = &d.Stages[base.Base]
		chain = append(chain, base)
	}
	base := chain[len(chain)-1]
	o := model.Origin{Source: model.FromConfig, File: d.File, Span: base.ImageSpan}
	switch {
	case base.ImageUnknown:
		wl.image = model.NewUnknown(o)
	case base.Image != "":
		wl.image = model.NewText(base.Image, o)
	}
	wl.command, wl.args = stage.Entrypoint, stage.Cmd
	if stage.Workdir != nil {
		wl.workdir = stage.Workdir.Text
	}
	env := model.NewMap(model.Origin{})
	for _, a := range stage.Env {
		setAssignment(env, d.File, a)
	}
	if wl.env != nil {
		env.Open = wl.env.Open
		for i, k := range wl.env.Keys() {
			env.Override(k, wl.env.Items()[i])
		}
		env.Origin = wl.env.Origin
	}
	wl.env = env
	for _, st := range slices.Backward(chain) {
		w.copies(wl, d, st, dir)
	}
}

// copies adds the files that a stage copies out of the build's folder as mounts.
func (w *world) copies(wl *workload, d *source.Dockerfile, stage *source.Stage, dir string) {
	workdir := "/"
	if stage.Workdir != nil {
		workdir = stage.Workdir.Text
	}
	for _, c := range stage.Copies {
		if c.From != "" || c.Dest.Unknown {
			continue
		}
		dest, isDir := c.Dest.Text, strings.HasSuffix(c.Dest.Text, "/") || len(c.Sources) > 1
		if !strings.HasPrefix(dest, "/") {
			dest = path.Join(workdir, dest)
		}
		for _, s := range c.Sources {
			p, inside := resolvePath(dir, s.Text)
			if s.Unknown || !inside {
				continue
			}
			target := dest
			if w.ws.Exists(p) && (isDir || path.Clean(dest) == path.Clean(workdir)) {
				target = path.Join(dest, path.Base(p))
			}
			wl.mounts = append(wl.mounts, mount{target: target, file: p, origin: model.Origin{File: d.File, Span: c.Span}})
		}
	}
}

// dockerfiles adds the Dockerfiles that nothing builds, when what they start is known: an image of one's own.
func (w *world) dockerfiles() {
	for _, doc := range w.docs {
		if doc.Kind != Dockerfile || w.used[doc.File] {
			continue
		}
		d := source.ParseDockerfile(doc.File)
		stage := d.Final()
		if stage == nil {
			continue
		}
		sc := w.hostScope("shell", doc.File)
		wl := &workload{scope: sc, name: path.Base(path.Dir(doc.File.Path)), dir: sc.dir, labels: map[string]string{}, owner: "dockerfile", platform: "docker", env: model.NewMap(model.Origin{})}
		if wl.name == "." {
			wl.name = "image"
		}
		wl.origin = model.Origin{Source: model.FromConfig, File: doc.File, Span: stage.Span}
		// Whoever runs the image may set any variable and put files over its own.
		wl.env.Open = true
		w.builtFrom(wl, d, stage, sc.dir)
		w.workloads = append(w.workloads, wl)
	}
}
