package loaders

import (
	"fmt"
	"path"
	"slices"
	"sort"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// composeProjects cuts the compose files of each folder into projects: the base with its override; files whose
// services have neither image nor build as overlays of the base; every other file as an alternative of its own.
func (w *world) composeProjects() {
	byDir := map[string][]*Document{}
	for _, d := range w.docs {
		if d.Kind == Compose {
			byDir[path.Dir(d.File.Path)] = append(byDir[path.Dir(d.File.Path)], d)
		}
	}
	for _, dir := range sortedKeys(byDir) {
		docs := byDir[dir]
		sort.SliceStable(docs, func(i, j int) bool {
			return composeRank(docs[i].File.Path) < composeRank(docs[j].File.Path)
		})
		var base, override *Document
		var overlays, alone []*Document
		for _, d := range docs {
			switch {
			case composeRank(d.File.Path) == 0 && base == nil:
				base = d
			case composeRank(d.File.Path) == 1 && override == nil:
				override = d
			case base != nil && isComposeOverlay(d.Root):
				overlays = append(overlays, d)
			default:
				alone = append(alone, d)
			}
		}
		if base == nil && override != nil {
			alone, override = append(alone, override), nil
		}
		if base != nil && !w.included[base.File.Path] {
			w.composeProject(base, override)
		}
		for _, o := range overlays {
			w.composeProject(base, o)
		}
		// A file that others are made of comes last, and is then no project of its own.
		parts := map[string]bool{}
		for _, d := range docs {
			for _, p := range composeParts(d) {
				parts[p] = true
			}
		}
		sort.SliceStable(alone, func(i, j int) bool { return !parts[alone[i].File.Path] && parts[alone[j].File.Path] })
		for _, d := range alone {
			if !w.included[d.File.Path] && !w.extended[d.File.Path] {
				w.composeProject(d)
			}
		}
	}
}

// composeParts returns the other files that a compose file includes or extends, as far as they are written out.
func composeParts(d *Document) []string {
	var out []string
	add := func(n *source.Node) {
		if n == nil || n.Kind != source.Scalar {
			return
		}
		if p, ok := resolvePath(path.Dir(d.File.Path), n.Text); ok && p != d.File.Path {
			out = append(out, p)
		}
	}
	if list := d.Root.Get("include"); list != nil && list.Kind == source.List {
		for _, it := range list.Children {
			add(it)
			add(it.Get("path"))
		}
	}
	for _, e := range d.Root.Get("services").Entries() {
		add(e.Value.Get("extends").Get("file"))
	}
	return out
}

// composeRank is 0 for the file compose reads by itself, 1 for its override, 2 for any other.
func composeRank(name string) int {
	base := strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".yaml"), ".yml")
	switch base {
	case "compose", "docker-compose":
		return 0
	case "compose.override", "docker-compose.override":
		return 1
	}
	return 2
}

func isComposeOverlay(root *source.Node) bool {
	for _, e := range root.Get("services").Entries() {
		if e.Value.Get("image") != nil || e.Value.Get("build") != nil || e.Value.Get("extends") != nil {
			return false
		}
	}
	return true
}

// composeProject adds the services of one project, later files laid over earlier ones.
func (w *world) composeProject(docs ...*Document) {
	first := docs[0]
	dir := path.Dir(first.File.Path)
	sc := &scope{kind: "compose", name: first.File.Path, dir: dir,
		origin: model.Origin{File: first.File, Node: first.Root, Span: first.Root.Span()}}
	if len(docs) > 1 && docs[1] != nil && composeRank(docs[1].File.Path) == 2 {
		sc.name = docs[1].File.Path
	}
	lookup := w.composeLookup(dir, sc)
	var top *model.Value
	for _, d := range docs {
		if d == nil {
			continue
		}
		sc.files = append(sc.files, d.File)
		w.used[d.File] = true
		v := model.FromNode(d.File, d.Root, source.GoYAML, nil)
		w.composeIncludes(v, dir, lookup, sc, []string{d.File.Path})
		interpolate(v, lookup)
		top = mergeCompose(top, v)
	}
	services := top.Get("services")
	for i, name := range services.Keys() {
		s := w.composeExtends(services, services.Items()[i], dir, lookup, sc, []string{extendsKey(services.Items()[i], name)})
		services.Set(name, s)
	}
	sc.compose = services
	builds := map[string]*model.Value{}
	for _, s := range services.Items() {
		if b, image := s.Get("build"), s.Get("image"); b != nil {
			if name, ok := image.AsText(); ok && builds[name] == nil {
				builds[name] = b
			}
		}
	}
	for i, name := range services.Keys() {
		s := services.Items()[i]
		if image, ok := s.Get("image").AsText(); ok && s.Get("build") == nil && builds[image] != nil {
			s = builtBeside(s, builds[image])
		}
		w.composeService(sc, top, name, s, lookup)
	}
}

// builtBeside is a service that runs the image that another one of its project builds.
func builtBeside(s, build *model.Value) *model.Value {
	out := model.NewMap(s.Origin)
	out.Open = s.Open
	for i, k := range s.Keys() {
		out.Set(k, s.Items()[i])
	}
	out.Set("build", build)
	return out
}

// maxComposeDepth bounds include and extends chains.
const maxComposeDepth = 10

// composeIncludes merges the files of a top-level include list below v's own services.
func (w *world) composeIncludes(v *model.Value, dir string, lookup source.Lookup, sc *scope, chain []string) {
	list := v.Get("include")
	if list == nil || len(chain) > maxComposeDepth {
		return
	}
	for _, it := range list.Items() {
		name, ok := it.AsText()
		if !ok {
			name, ok = it.Get("path").AsText()
		}
		if !ok {
			continue
		}
		p, _ := resolvePath(dir, name)
		if slices.Contains(chain, p) {
			w.circle(v, "include", p)
			continue
		}
		inc := w.composeTree(dir, name, sc)
		if inc == nil {
			continue
		}
		w.included[p] = true
		w.composeIncludes(inc, path.Dir(p), lookup, sc, append(chain[:len(chain):len(chain)], p))
		interpolate(inc, lookup)
		for i, k := range inc.Get("services").Keys() {
			if v.Child("services").Get(k) == nil {
				v.Child("services").Set(k, inc.Get("services").Items()[i])
			}
		}
	}
}

func (w *world) composeTree(dir, name string, sc *scope) *model.Value {
	p, ok := resolvePath(dir, name)
	if !ok {
		return nil
	}
	f, err := w.ws.Read(p)
	if err != nil {
		return nil
	}
	docs, err := w.ws.yaml(f)
	if err != nil || len(docs) == 0 {
		return nil
	}
	sc.files = append(sc.files, f)
	w.used[f] = true
	return model.FromNode(f, docs[0].Root, source.GoYAML, nil)
}

// composeExtends lays a service over the one it extends, in the same or another file.
func (w *world) composeExtends(services, s *model.Value, dir string, lookup source.Lookup, sc *scope, chain []string) *model.Value {
	ext := s.Get("extends")
	if ext == nil || len(chain) > maxComposeDepth {
		return s
	}
	name, ok := ext.AsText()
	var base *model.Value
	if ok {
		base = services.Get(name)
	} else if name, ok = ext.Get("service").AsText(); ok {
		if file, has := ext.Get("file").AsText(); has {
			if t := w.composeTree(dir, file, sc); t != nil {
				interpolate(t, lookup)
				services = t.Get("services")
				if p, ok := resolvePath(dir, file); ok {
					w.extended[p] = true
				}
			} else {
				return s
			}
		}
		base = services.Get(name)
	}
	if base == nil || base == s {
		return s
	}
	key := extendsKey(base, name)
	if slices.Contains(chain, key) {
		w.circle(s, "extends", name)
		return s
	}
	return mergeCompose(w.composeExtends(services, base, dir, lookup, sc, append(chain[:len(chain):len(chain)], key)), s)
}

// extendsKey names a service by its file, so that a circle of extends is seen.
func extendsKey(s *model.Value, name string) string {
	if s.Origin.File == nil {
		return "#" + name
	}
	return s.Origin.File.Path + "#" + name
}

// circle notes that a compose file leads back to itself, which docker compose refuses.
func (w *world) circle(v *model.Value, key, name string) {
	if f := v.Origin.File; f != nil {
		w.skip(f.Path, fmt.Sprintf("%s of %s leads in a circle", key, name))
	}
}

// mergeCompose lays one compose tree over another: maps merge, lists are joined except those that replace
// (command, entrypoint, a healthcheck's test), environments in either form merge by name.
func mergeCompose(base, over *model.Value) *model.Value {
	return mergeComposeKey("", base, over)
}

func mergeComposeKey(key string, base, over *model.Value) *model.Value {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	}
	if key == "environment" || key == "labels" {
		base, over = assignments(base), assignments(over)
	}
	switch {
	case base.Kind == model.Map && over.Kind == model.Map:
		out := model.NewMap(over.Origin)
		out.SetLosers(append(out.Losers(), base.Origin))
		out.Open = base.Open || over.Open
		for i, k := range base.Keys() {
			out.Set(k, mergeComposeKey(k, base.Items()[i], over.Get(k)))
		}
		for i, k := range over.Keys() {
			if out.Get(k) == nil {
				out.Set(k, over.Items()[i])
			}
		}
		return out
	case base.Kind == model.List && over.Kind == model.List && key != "command" && key != "entrypoint" && key != "test":
		out := model.NewList(over.Origin)
		for _, x := range base.Items() {
			out.Append(x)
		}
		for _, x := range over.Items() {
			out.Append(x)
		}
		return out
	}
	return model.Merge(base, over)
}

// assignments turns a list of "KEY=value" or "KEY" into a map. A bare key has the value of the shell that starts
// the project: unknown.
func assignments(v *model.Value) *model.Value {
	if v == nil || v.Kind != model.List {
		return v
	}
	out := model.NewMap(v.Origin)
	for _, it := range v.Items() {
		s, ok := it.AsText()
		if !ok {
			if it.Kind == model.Unknown {
				// The name may be readable although the value is not: NAME=${UNSET}.
				if n := it.Origin.Node; n != nil {
					if name, _, has := strings.Cut(n.Text, "="); has && !strings.ContainsAny(name, "${}") {
						u := model.NewUnknown(it.Origin)
						out.Override(name, u)
						continue
					}
				}
				out.Open = true
			}
			continue
		}
		name, val, has := strings.Cut(s, "=")
		if !has {
			out.Override(name, model.NewUnknown(it.Origin))
			continue
		}
		out.Override(name, model.NewText(val, partOrigin(it.Origin, len(name), len(name)+1)))
	}
	return out
}

// partOrigin narrows the origin of a scalar "NAME<separator>value" to name and value. Where the raw text is not
// the text itself (escapes, interpolation), the span stays the whole scalar.
func partOrigin(o model.Origin, nameEnd, valueStart int) model.Origin {
	n := o.Node
	if o.File == nil || n == nil || n.Kind != source.Scalar {
		return o
	}
	inner := source.Nested(o.File, n)
	if inner == nil || valueStart > len(inner.Bytes) {
		return o
	}
	return model.Origin{Source: o.Source, File: inner, Via: o.Via,
		Key: source.Span{Start: 0, End: nameEnd}, Span: source.Span{Start: valueStart, End: len(inner.Bytes)}}
}

// composeLookup answers ${NAME} of a project: its .env file; the shell may set any other name.
func (w *world) composeLookup(dir string, sc *scope) source.Lookup {
	f, err := w.ws.Read(path.Join(dir, ".env"))
	if err != nil {
		return func(string) (string, source.Binding) { return "", source.Unbound }
	}
	e := source.ParseEnv(f, source.EnvCompose)
	sc.dotenv = e
	used := false
	return func(name string) (string, source.Binding) {
		if x := e.Get(name); x != nil && !used {
			used = true
			sc.files = append(sc.files, f)
			w.used[f] = true
		}
		return e.Lookup(name)
	}
}

// interpolate replaces ${NAME} in every text below v; a text with an unresolved name becomes unknown.
func interpolate(v *model.Value, lookup source.Lookup) {
	switch v.Kind {
	case model.Map, model.List:
		for _, c := range v.Items() {
			interpolate(c, lookup)
		}
	case model.Text:
		if !strings.Contains(v.Text, "$") {
			return
		}
		s, missing, err := source.ComposeInterpolate(v.Text, lookup)
		switch {
		case err != nil:
		case len(missing) > 0:
			v.Kind, v.Text = model.Unknown, ""
		default:
			v.Text = s
		}
	}
}

// composeService adds one service as a workload.
func (w *world) composeService(sc *scope, top *model.Value, name string, s *model.Value, lookup source.Lookup) {
	if s == nil || s.Kind != model.Map {
		return
	}
	wl := &workload{scope: sc, name: name, origin: s.Origin, dir: sc.dir, owner: "compose", platform: "compose", labels: map[string]string{}}
	wl.hostnames = append(wl.hostnames, name)
	for _, k := range []string{"container_name", "hostname"} {
		if t, ok := s.Get(k).AsText(); ok {
			wl.hostnames = append(wl.hostnames, t)
		}
	}
	for _, n := range s.Get("networks").Items() {
		for _, a := range n.Get("aliases").Items() {
			if t, ok := a.AsText(); ok {
				wl.hostnames = append(wl.hostnames, t)
			}
		}
	}
	wl.env = w.composeEnv(sc, s, lookup)
	if b := s.Get("build"); b != nil {
		w.composeBuild(wl, b)
	}
	if wl.image == nil {
		wl.image = s.Get("image")
	}
	if e := s.Get("entrypoint"); e != nil {
		wl.command, wl.args = argsOf(e, source.ComposeExpansion, lookup), nil
	}
	if c := s.Get("command"); c != nil {
		wl.args = argsOf(c, source.ComposeExpansion, lookup)
	}
	if dir, ok := s.Get("working_dir").AsText(); ok {
		wl.workdir = dir
	}
	wl.mounts = append(wl.mounts, w.composeMounts(sc, top, s)...)
	wl.replicas = firstOf(s.Get("deploy"), "replicas")
	if wl.replicas == nil {
		wl.replicas = s.Get("scale")
	}
	wl.resources = composeResources(s)
	wl.gpu = composeGPU(s)
	wl.pod = composePod(s)
	wl.ports = wl.pod.Get("ports")
	if h := s.Get("healthcheck"); h != nil && h.Kind == model.Map {
		if p := composeProbe(h); p != nil {
			wl.probes = append(wl.probes, p)
		}
	}
	w.workloads = append(w.workloads, wl)
}

// composeEnv is the environment of a service: its env files in order, then environment.
func (w *world) composeEnv(sc *scope, s *model.Value, lookup source.Lookup) *model.Value {
	env := model.NewMap(model.Origin{})
	if o := s.Get("environment"); o != nil {
		env.Origin = o.Origin
	}
	ef := s.Get("env_file")
	var files []*model.Value
	switch {
	case ef == nil:
	case ef.Kind == model.List:
		files = ef.Items()
	default:
		files = []*model.Value{ef}
	}
	for _, item := range files {
		name, ok := item.AsText()
		dialect := source.EnvCompose
		if item.Kind == model.Map {
			name, ok = item.Get("path").AsText()
			if f, _ := item.Get("format").AsText(); f == "raw" {
				dialect = source.EnvDocker
			}
		}
		p, inside := resolvePath(sc.dir, name)
		if !ok || !inside {
			env.Open = true
			continue
		}
		f, err := w.ws.Read(p)
		if err != nil {
			// A file that is not here may be on the machine that runs it.
			env.Open = true
			continue
		}
		sc.files = append(sc.files, f)
		w.used[f] = true
		e := source.ParseEnv(f, dialect)
		for _, err := range e.Errors {
			w.lineProblem(f, err, "this line cannot be read")
		}
		addEnvFile(env, e.Expand(lookup))
	}
	list := assignments(s.Get("environment"))
	for i, k := range list.Keys() {
		v := list.Items()[i]
		switch v.Kind {
		case model.Null:
			env.Override(k, model.NewUnknown(v.Origin))
		case model.Unknown:
			env.Override(k, shownURL(k, v, lookup))
		default:
			t, _ := v.Scalar()
			x := model.NewText(t, v.Origin)
			x.SetLosers(v.Losers())
			x.Origin.Source = model.FromEnv
			if entry := sc.writtenBy(k, v); entry != nil {
				x.Origin = entryOrigin(sc.dotenv, entry)
				x.Origin.Detail.Through = v
			}
			env.Override(k, x)
		}
	}
	if list != nil && list.Open {
		env.Open = true
	}
	return env
}

// writtenBy returns the entry of the project's .env file that a variable is handed on from as it is: NAME: ${NAME}. nil for any
// other value.
func (sc *scope) writtenBy(name string, v *model.Value) *source.EnvEntry {
	if sc.dotenv == nil || v.Origin.File == nil {
		return nil
	}
	raw := v.Origin.File.Text(v.Origin.Span)
	if n := v.Origin.Node.Deref(); n != nil && n.Kind == source.Scalar {
		raw = strings.TrimPrefix(n.Text, name+"=")
	}
	pieces, err := source.ComposePieces(raw)
	if err != nil || len(pieces) != 1 || pieces[0].Ref == nil {
		return nil
	}
	x := sc.dotenv.Get(pieces[0].Ref.Name)
	if text, ok := v.Scalar(); x == nil || x.Unknown || !ok || x.Value != text {
		return nil
	}
	return x
}

// shownURL keeps the text of a URL of which a reference is not resolved, with $(NAME) in its place: a URL whose
// password is not visible still shows its host.
func shownURL(name string, v *model.Value, lookup source.Lookup) *model.Value {
	n := v.Origin.Node.Deref()
	if !urlVariable(name) || n == nil || n.Kind != source.Scalar {
		return v
	}
	shown := func(ref string) (string, source.Binding) {
		if t, b := lookup(ref); b == source.Bound {
			return t, b
		}
		return "$(" + ref + ")", source.Bound
	}
	t, missing, err := source.ComposeInterpolate(strings.TrimPrefix(n.Text, name+"="), shown)
	if err != nil || len(missing) > 0 || !strings.Contains(t, "://") {
		return v
	}
	out := model.NewText(t, v.Origin)
	out.SetLosers(v.Losers())
	out.Origin.Source = model.FromEnv
	return out
}

// entryOrigin is the origin of an assignment of an env file.
func entryOrigin(e *source.EnvFile, x *source.EnvEntry) model.Origin {
	return model.Origin{Source: model.FromEnv, File: e.File, Key: x.NameSpan, Span: x.ValueSpan, Detail: &model.Detail{Env: x}}
}

// addEnvFile adds the assignments of an env file to an environment, the later winning.
func addEnvFile(env *model.Value, e *source.EnvFile) {
	for i := range e.Entries {
		x := &e.Entries[i]
		o := entryOrigin(e, x)
		if x.Unknown {
			env.Override(x.Name, model.NewUnknown(o))
			continue
		}
		env.Override(x.Name, model.NewText(x.Value, o))
	}
}

// composeMounts are the bind mounts and configs of a service.
func (w *world) composeMounts(sc *scope, top, s *model.Value) []mount {
	var out []mount
	for _, v := range s.Get("volumes").Items() {
		m := mount{origin: v.Origin}
		var src string
		if t, ok := v.AsText(); ok {
			parts := strings.Split(t, ":")
			if len(parts) < 2 {
				continue
			}
			src, m.target = parts[0], parts[1]
		} else if v.Kind == model.Map {
			src, _ = v.Get("source").AsText()
			m.target, _ = v.Get("target").AsText()
		} else {
			m.unseen = true
			out = append(out, m)
			continue
		}
		p, inside := resolvePath(sc.dir, src)
		if !strings.HasPrefix(src, ".") && !strings.Contains(src, "/") || !inside {
			m.unseen = true
		} else {
			m.file = p
		}
		out = append(out, m)
	}
	for _, v := range s.Get("configs").Items() {
		m := mount{origin: v.Origin}
		name, ok := v.AsText()
		m.target = "/" + name
		if !ok {
			name, _ = v.Get("source").AsText()
			if t, has := v.Get("target").AsText(); has {
				m.target = t
			}
		}
		c := top.At("configs", name)
		if p, ok := c.Get("file").AsText(); ok {
			if q, inside := resolvePath(sc.dir, p); inside {
				m.file = q
			}
		}
		if c.Get("content") != nil && c.Get("content").Origin.Node != nil {
			o := c.Get("content").Origin
			m.nested = source.Nested(o.File, o.Node)
		}
		m.unseen = m.file == "" && m.nested == nil
		out = append(out, m)
	}
	return out
}

// composeResources reads deploy.resources and the older keys beside it.
func composeResources(s *model.Value) *model.Value {
	res := s.At("deploy", "resources")
	part := func(b *model.Value, cpuKeys, memKeys []string, o *model.Value) *model.Value {
		out := model.NewMap(model.Origin{})
		for _, k := range cpuKeys {
			if v := b.Get(k); v != nil {
				out.Set("cpu", cpus(v))
			}
		}
		for _, k := range memKeys {
			if v := b.Get(k); v != nil {
				out.Set("memory", byteSize(v))
			}
		}
		if out.Len() == 0 {
			return nil
		}
		out.Origin = b.Origin
		return out
	}
	limits := part(res.Get("limits"), []string{"cpus"}, []string{"memory"}, s)
	if limits == nil {
		limits = part(s, []string{"cpus"}, []string{"mem_limit"}, s)
	}
	requests := part(res.Get("reservations"), []string{"cpus"}, []string{"memory"}, s)
	if requests == nil {
		requests = part(s, nil, []string{"mem_reservation"}, s)
	}
	if limits == nil && requests == nil {
		return nil
	}
	out := model.NewMap(model.Origin{})
	if res != nil {
		out.Origin = res.Origin
	}
	if requests != nil {
		out.Set("requests", requests)
	}
	if limits != nil {
		out.Set("limits", limits)
	}
	return out
}

// composeGPU reads the device reservations and the gpus key.
func composeGPU(s *model.Value) *model.Value {
	for _, d := range s.At("deploy", "resources", "reservations", "devices").Items() {
		if anyText(d.Get("capabilities"), "gpu") {
			return composeDevices(d)
		}
	}
	g := s.Get("gpus")
	switch {
	case g == nil || g.Kind == model.Null:
		return nil
	case g.Kind == model.List && g.Len() == 1 && g.Items()[0].Kind == model.Map:
		return composeDevices(g.Items()[0])
	}
	// All of the machine's, or several requests.
	out := model.NewMap(g.Origin)
	out.Set("count", model.NewUnknown(g.Origin))
	return out
}

// composeDevices reads one request for devices.
func composeDevices(d *model.Value) *model.Value {
	out := model.NewMap(d.Origin)
	switch c := d.Get("count"); {
	case d.Get("device_ids") != nil && d.Get("device_ids").Kind == model.List:
		out.Set("count", model.NewInt(int64(d.Get("device_ids").Len()), d.Get("device_ids").Origin))
	case c != nil:
		if n, ok := c.AsInt(true); ok {
			out.Set("count", model.NewInt(n, c.Origin))
		} else {
			out.Set("count", model.NewUnknown(c.Origin))
		}
	default:
		out.Set("count", model.NewUnknown(d.Origin))
	}
	return out
}

// anyText reports whether a list holds a text.
func anyText(list *model.Value, text string) bool {
	for _, it := range list.Items() {
		if s, _ := it.AsText(); s == text {
			return true
		}
	}
	return false
}

// composePod gathers what surrounds a compose container.
func composePod(s *model.Value) *model.Value {
	pod := model.NewMap(s.Origin)
	if g := s.Get("stop_grace_period"); g != nil {
		if sec, ok := seconds(g); ok {
			pod.Set("grace_period_seconds", model.NewFloat(sec, g.Origin))
		} else {
			pod.Set("grace_period_seconds", model.NewUnknown(g.Origin))
		}
	}
	pod.Set("volumes", model.NewList(model.Origin{}))
	pod.Set("mounts", model.NewList(model.Origin{}))
	pod.Set("labels", model.NewMap(model.Origin{}))
	ports := model.NewList(model.Origin{})
	if p := s.Get("ports"); p != nil {
		ports.Origin = p.Origin
		for _, it := range p.Items() {
			ports.Append(composePort(it))
		}
	}
	pod.Set("ports", ports)
	spec := model.NewMap(s.Origin)
	spec.Set("container", s)
	pod.Set("spec", spec)
	return pod
}

// composePort reads "127.0.0.1:4000:4000/tcp", "4000" and the long form.
func composePort(it *model.Value) *model.Value {
	m := model.NewMap(it.Origin)
	if it.Kind == model.Unknown {
		return model.NewUnknown(it.Origin)
	}
	if it.Kind == model.Map {
		for _, k := range []string{"target", "published", "host_ip", "protocol"} {
			if v := it.Get(k); v != nil {
				if t, ok := v.Scalar(); ok {
					m.Set(k, model.NewText(t, v.Origin))
				} else {
					m.Set(k, model.NewUnknown(v.Origin))
				}
			}
		}
		return m
	}
	t, ok := it.Scalar()
	if !ok {
		return m
	}
	t, proto, has := strings.Cut(t, "/")
	if has {
		m.Set("protocol", model.NewText(proto, it.Origin))
	}
	i := strings.LastIndexByte(t, ':')
	m.Set("target", model.NewText(t[i+1:], it.Origin))
	if i >= 0 {
		host := t[:i]
		if j := strings.LastIndexByte(host, ':'); j >= 0 {
			m.Set("host_ip", model.NewText(strings.Trim(host[:j], "[]"), it.Origin))
			host = host[j+1:]
		}
		m.Set("published", model.NewText(host, it.Origin))
	}
	return m
}

// composeProbe reads a healthcheck; nil when it is disabled.
func composeProbe(h *model.Value) *model.Value {
	if d, _ := h.Get("disable").AsBool(); d {
		return nil
	}
	p := model.NewMap(h.Origin)
	p.Set("kind", model.NewText("healthcheck", h.Origin))
	p.Set("type", model.NewText("exec", h.Origin))
	cmd := model.NewList(model.Origin{})
	if t := h.Get("test"); t != nil {
		cmd.Origin = t.Origin
		if s, ok := t.AsText(); ok {
			cmd.Append(model.NewText("CMD-SHELL", t.Origin))
			cmd.Append(model.NewText(s, t.Origin))
		}
		for i, it := range t.Items() {
			s, ok := it.AsText()
			if i == 0 && s == "NONE" {
				return nil
			}
			if ok {
				cmd.Append(model.NewText(s, it.Origin))
			} else {
				cmd.Append(model.NewUnknown(it.Origin))
			}
		}
	}
	p.Set("command", cmd)
	p.Set("headers", headerNames(nil, cmd))
	addRequest(p, cmd)
	for _, k := range []struct {
		key, name string
		def       float64
	}{{"start_period", "initial_delay_seconds", 0}, {"interval", "period_seconds", 30}, {"timeout", "timeout_seconds", 30}} {
		p.Set(k.name, secondsOr(h.Get(k.key), k.def))
	}
	p.Set("failure_threshold", numberOr(h.Get("retries"), 3))
	p.Set("chart", model.NewBool(false, h.Origin))
	return p
}
