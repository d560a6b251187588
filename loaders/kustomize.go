package loaders

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxKustomize bounds how deep kustomizations refer to each other.
const maxKustomize = 12

// kustomizations composes every kustomization that no other refers to in a scope of its own, and returns the files
// whose objects it took. One that composes nothing only generates ConfigMaps and Secrets for the cluster.
func (w *world) kustomizations() map[string]bool {
	taken := map[string]bool{}
	byDir := map[string]*Document{}
	referred := map[string]bool{}
	var order []string
	for _, d := range w.docs {
		if d.Kind != Kustomization {
			continue
		}
		dir := path.Dir(d.File.Path)
		if byDir[dir] == nil {
			byDir[dir] = d
			order = append(order, dir)
		}
	}
	for _, dir := range order {
		for _, p := range kustomizeRefs(byDir[dir]) {
			if q, ok := resolvePath(dir, p); ok && byDir[q] != nil {
				referred[q] = true
			}
		}
	}
	for _, dir := range order {
		d := byDir[dir]
		if referred[dir] {
			continue
		}
		k := &kustomizer{w: w, byDir: byDir, taken: taken}
		sc := w.cluster
		if k.composes(d) {
			sc = &scope{kind: "kubernetes", name: d.File.Path, dir: dir, origin: model.Origin{File: d.File, Node: d.Root, Span: d.Root.Span()}}
			if k.onlyOne(byDir, order, referred) {
				sc.parent = w.cluster
			}
		}
		k.scope = sc
		for _, o := range k.build(dir, 0) {
			w.object(o)
		}
		if sc != w.cluster {
			sc.files = append(sc.files, k.files...)
		}
		w.used[d.File] = true
	}
	return taken
}

// kustomizeRefs are the files and folders a kustomization takes resources from.
func kustomizeRefs(d *Document) []string {
	var out []string
	for _, key := range []string{"resources", "bases", "components"} {
		for _, n := range d.Root.Get(key).Items() {
			out = append(out, textOf(n))
		}
	}
	return out
}

// kustomizer composes one kustomization.
type kustomizer struct {
	w     *world
	scope *scope
	byDir map[string]*Document
	taken map[string]bool
	files []*source.File
}

func (k *kustomizer) composes(d *Document) bool { return len(kustomizeRefs(d)) > 0 }

// onlyOne reports whether a single kustomization composes resources: what lies beside it is then part of the same
// cluster and no alternative.
func (k *kustomizer) onlyOne(byDir map[string]*Document, order []string, referred map[string]bool) bool {
	n := 0
	for _, dir := range order {
		if !referred[dir] && k.composes(byDir[dir]) {
			n++
		}
	}
	return n == 1
}

// build returns the objects of the kustomization in a folder, with its changes applied.
func (k *kustomizer) build(dir string, depth int) []*object {
	d := k.byDir[dir]
	if d == nil || depth > maxKustomize {
		return nil
	}
	k.files = append(k.files, d.File)
	v := model.FromNode(d.File, d.Root, source.SigsYAML, clusterUnseen)
	var out []*object
	for _, p := range kustomizeRefs(d) {
		q, ok := resolvePath(dir, p)
		if !ok || strings.Contains(p, "://") {
			continue
		}
		if k.byDir[q] != nil && q != dir {
			out = append(out, k.build(q, depth+1)...)
			continue
		}
		f, err := k.w.ws.Read(q)
		if err != nil {
			continue
		}
		docs, err := k.w.ws.yaml(f)
		if err != nil {
			k.w.problem(f, err)
		}
		k.taken[q] = true
		k.files = append(k.files, f)
		for _, doc := range docs {
			if doc.Root != nil {
				out = append(out, k.w.manifestObjects(k.scope, f, doc.Root)...)
			}
		}
	}
	out = append(out, k.generated(dir, v)...)
	k.patches(dir, v, out)
	k.overrides(v, out)
	return out
}

// generated are the ConfigMaps and Secrets that the kustomization generates; name suffixes are ignored.
func (k *kustomizer) generated(dir string, v *model.Value) []*object {
	for _, gen := range []struct {
		key    string
		secret bool
	}{{"configMapGenerator", false}, {"secretGenerator", true}} {
		for _, g := range v.Get(gen.key).Items() {
			name, ok := g.Get("name").AsText()
			if !ok {
				continue
			}
			cm := &configMap{scope: k.scope, name: name, dir: dir, secret: gen.secret, data: map[string]*datum{}}
			if ns, ok := firstOf(g, "namespace").AsText(); ok {
				cm.namespace = ns
			} else if ns, ok := v.Get("namespace").AsText(); ok {
				cm.namespace = ns
			}
			k.envs(dir, g, cm)
			k.fileData(dir, g, cm)
			for _, l := range g.Get("literals").Items() {
				s, ok := l.AsText()
				if !ok {
					cm.open = true
					continue
				}
				key, val, _ := strings.Cut(s, "=")
				val = strings.Trim(val, `"'`)
				cm.data[key] = &datum{origin: partOrigin(l.Origin, len(key), len(key)+1), value: val, known: true}
			}
			if b, _ := g.Get("behavior").AsText(); b == "merge" {
				k.merge(cm)
				continue
			}
			k.w.configMaps = append(k.w.configMaps, cm)
		}
	}
	return nil
}

// merge lays a generator with behavior: merge over the ConfigMap of its name.
func (k *kustomizer) merge(over *configMap) {
	for _, c := range k.w.configMaps {
		if c.scope == k.scope && c.name == over.name && c.secret == over.secret {
			for key, d := range over.data {
				c.data[key] = d
			}
			c.open = c.open || over.open
			return
		}
	}
	k.w.configMaps = append(k.w.configMaps, over)
}

func (k *kustomizer) envs(dir string, g *model.Value, cm *configMap) {
	list := g.Get("envs").Items()
	if e := g.Get("env"); e != nil {
		list = append(list[:len(list):len(list)], e)
	}
	for _, e := range list {
		name, ok := e.AsText()
		p, inside := resolvePath(dir, name)
		if !ok || !inside {
			cm.open = true
			continue
		}
		f, err := k.w.ws.Read(p)
		if err != nil {
			cm.open = true
			continue
		}
		k.files = append(k.files, f)
		k.w.used[f] = true
		env := source.ParseEnv(f, source.EnvDocker)
		for i := range env.Entries {
			x := &env.Entries[i]
			cm.data[x.Name] = &datum{value: x.Value, known: !x.Unknown,
				origin: model.Origin{Source: model.FromEnv, File: f, Key: x.NameSpan, Span: x.ValueSpan, Detail: &model.Detail{Env: x}}}
		}
	}
}

// fileData adds the files of a generator: "key=path" or "path".
func (k *kustomizer) fileData(dir string, g *model.Value, cm *configMap) {
	for _, it := range g.Get("files").Items() {
		s, ok := it.AsText()
		if !ok {
			cm.open = true
			continue
		}
		key, name, has := strings.Cut(s, "=")
		if !has {
			key, name = path.Base(s), s
		}
		p, inside := resolvePath(dir, name)
		f, err := k.w.ws.Read(p)
		if !inside || err != nil {
			cm.data[key] = &datum{origin: it.Origin}
			continue
		}
		k.files = append(k.files, f)
		cm.data[key] = &datum{file: f, value: string(f.Bytes), known: true, origin: it.Origin}
	}
}

// patches applies strategic merges; of any other patch the touched values become unknown.
func (k *kustomizer) patches(dir string, v *model.Value, objects []*object) {
	for _, it := range v.Get("patchesStrategicMerge").Items() {
		k.patchText(dir, it, nil, objects)
	}
	for _, it := range v.Get("patchesJson6902").Items() {
		k.jsonPatch(dir, it, objects)
	}
	for _, it := range v.Get("patches").Items() {
		if it.Kind == model.Text {
			k.patchText(dir, it, nil, objects)
			continue
		}
		src := it.Get("patch")
		if src == nil {
			src = it.Get("path")
		}
		if src != nil && !k.patchText(dir, src, it.Get("target"), objects) {
			k.jsonPatch(dir, it, objects)
		}
	}
}

// patchDocs reads a patch that is a text of its own or the path of a file.
func (k *kustomizer) patchDocs(dir string, it *model.Value) (*source.File, []source.Document) {
	s, ok := it.AsText()
	if !ok {
		return nil, nil
	}
	var f *source.File
	if strings.Contains(s, "\n") || strings.HasPrefix(strings.TrimSpace(s), "[") {
		f = source.Nested(it.Origin.File, it.Origin.Node)
	} else if p, inside := resolvePath(dir, s); inside {
		var err error
		if f, err = k.w.ws.Read(p); err != nil {
			return nil, nil
		}
		k.taken[p] = true
		k.files = append(k.files, f)
	}
	if f == nil {
		return nil, nil
	}
	docs, err := parseTree(f)
	if err != nil {
		return nil, nil
	}
	return f, docs
}

// patchText applies a strategic merge patch; false when the text is a list of JSON operations.
func (k *kustomizer) patchText(dir string, it, target *model.Value, objects []*object) bool {
	f, docs := k.patchDocs(dir, it)
	if f == nil {
		return true
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		if d.Root.Deref().Kind == source.List {
			return false
		}
		p := model.FromNode(f, d.Root, source.SigsYAML, clusterUnseen)
		po := &object{v: p}
		for _, o := range objects {
			if !patches(po, target, o) {
				continue
			}
			o.v = strategic(o.v, p)
		}
	}
	return true
}

// patches reports whether a patch is meant for an object: by its target, else by kind and name.
func patches(p *object, target *model.Value, o *object) bool {
	if target != nil {
		for key, got := range map[string]string{"kind": o.kind(), "name": o.name(), "group": o.group(), "namespace": o.namespace()} {
			if want, ok := target.Get(key).AsText(); ok && want != got && want != ".*" {
				return false
			}
		}
		return true
	}
	return p.kind() == o.kind() && p.name() == o.name()
}

// jsonPatch marks what JSON operations touch as unknown; a replacement by a scalar is applied.
func (k *kustomizer) jsonPatch(dir string, it *model.Value, objects []*object) {
	src := it.Get("patch")
	if src == nil {
		src = it.Get("path")
	}
	if src == nil {
		return
	}
	f, docs := k.patchDocs(dir, src)
	if f == nil {
		return
	}
	for _, d := range docs {
		ops := model.FromNode(f, d.Root, source.SigsYAML, clusterUnseen)
		for _, o := range objects {
			if !patches(nil, it.Get("target"), o) {
				continue
			}
			for _, op := range ops.Items() {
				o.v = deepCopy(o.v)
				applyOperation(o.v, op)
			}
		}
	}
}

// applyOperation applies one JSON patch operation as far as it is understood.
func applyOperation(v, op *model.Value) {
	p, ok := op.Get("path").AsText()
	if !ok {
		return
	}
	keys := strings.Split(strings.TrimPrefix(p, "/"), "/")
	at := v
	for i, raw := range keys {
		key := strings.ReplaceAll(strings.ReplaceAll(raw, "~1", "/"), "~0", "~")
		last := i == len(keys)-1
		switch at.Kind {
		case model.Map:
			if last {
				kind, _ := op.Get("op").AsText()
				if x := op.Get("value"); x != nil && (kind == "replace" || kind == "add") {
					at.Override(key, x)
				} else if kind == "remove" {
					at.Delete(key)
				} else {
					at.Set(key, model.NewUnknown(op.Origin))
				}
				return
			}
			next := at.Get(key)
			if next == nil {
				at.Open = true
				return
			}
			at = next
		case model.List:
			n, ok := model.NewText(key, model.Origin{}).AsInt(true)
			if last || !ok || int(n) >= at.Len() || n < 0 {
				if x := op.Get("value"); last && key == "-" && x != nil {
					at.Append(x)
					return
				}
				at.Open = true
				return
			}
			at = at.Items()[n]
		default:
			return
		}
	}
}

// strategic lays a patch over an object: maps merge, lists of named items merge by name, other lists replace, null
// deletes.
func strategic(base, over *model.Value) *model.Value {
	switch {
	case base == nil:
		return over
	case over == nil:
		return base
	case base.Kind == model.Map && over.Kind == model.Map:
		if d, _ := over.Get("$patch").AsText(); d == "replace" {
			return over
		}
		out := copyMap(base)
		for i, key := range over.Keys() {
			x := over.Items()[i]
			switch {
			case key == "$patch":
			case x.Kind == model.Null:
				out.Delete(key)
			case out.Get(key) == nil:
				out.Set(key, x)
			default:
				out.Set(key, strategic(out.Get(key), x))
			}
		}
		return out
	case base.Kind == model.List && over.Kind == model.List && named(base) && named(over):
		out := model.NewList(base.Origin, slices.Clone(base.Items())...)
		for _, x := range over.Items() {
			name, _ := x.Get("name").AsText()
			found := false
			for i, y := range out.Items() {
				if n, _ := y.Get("name").AsText(); n == name {
					found = true
					if d, _ := x.Get("$patch").AsText(); d == "delete" {
						rest := slices.Delete(slices.Clone(out.Items()), i, i+1)
						out = model.NewList(base.Origin, rest...)
					} else {
						out.Items()[i] = strategic(y, x)
					}
					break
				}
			}
			if !found {
				out.Append(x)
			}
		}
		return out
	}
	out := *over
	out.SetLosers(append(append([]model.Origin{}, over.Losers()...), base.Origin))
	return &out
}

func named(v *model.Value) bool {
	for _, it := range v.Items() {
		if it.Get("name") == nil {
			return false
		}
	}
	return v.Len() > 0
}

// overrides applies images and replicas.
func (k *kustomizer) overrides(v *model.Value, objects []*object) {
	ns := v.Get("namespace")
	for _, o := range objects {
		if ns != nil && ns.Kind == model.Text && o.v.Get("metadata") != nil {
			o.v = copyMap(o.v)
			m := copyMap(o.v.Get("metadata"))
			m.Set("namespace", ns)
			o.v.Set("metadata", m)
		}
	}
	for _, r := range v.Get("replicas").Items() {
		name, _ := r.Get("name").AsText()
		count := r.Get("count")
		for _, o := range objects {
			if o.name() != name || count == nil || o.v.Get("spec") == nil {
				continue
			}
			switch o.kind() {
			case "Deployment", "StatefulSet", "ReplicaSet":
				o.v = deepCopy(o.v)
				o.v.Get("spec").Override("replicas", count)
			}
		}
	}
	for _, im := range v.Get("images").Items() {
		name, ok := im.Get("name").AsText()
		if !ok {
			continue
		}
		for _, o := range objects {
			o.v = deepCopy(o.v)
			o.v.Walk(func(p model.Path, c *model.Value) {
				if c.Kind != model.Map || len(p) == 0 {
					return
				}
				img := c.Get("image")
				ref, ok := img.AsText()
				if !ok {
					return
				}
				repository, tag, digest := splitImage(ref)
				if repository != name {
					return
				}
				at := img.Origin
				if n, ok := im.Get("newName").AsText(); ok {
					repository, at = n, im.Get("newName").Origin
				}
				if t, ok := im.Get("newTag").Scalar(); ok {
					tag, digest, at = t, "", im.Get("newTag").Origin
				}
				if t, ok := im.Get("digest").AsText(); ok {
					digest, at = t, im.Get("digest").Origin
				}
				ref = repository
				if tag != "" {
					ref += ":" + tag
				}
				if digest != "" {
					ref += "@" + digest
				}
				c.Override("image", model.NewText(ref, at))
			})
		}
	}
}
