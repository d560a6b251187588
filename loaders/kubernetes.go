package loaders

import (
	"bytes"
	"path"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// object is one Kubernetes object with its values as Kubernetes reads them.
type object struct {
	scope *scope
	dir   string
	v     *model.Value
}

func (o *object) kind() string { s, _ := o.v.Get("kind").AsText(); return s }
func (o *object) name() string { s, _ := o.v.At("metadata", "name").Scalar(); return s }
func (o *object) namespace() string {
	s, _ := o.v.At("metadata", "namespace").AsText()
	return s
}
func (o *object) group() string {
	s, _ := o.v.Get("apiVersion").AsText()
	g, _, ok := strings.Cut(s, "/")
	if !ok {
		return ""
	}
	return g
}

// kubernetes reads all manifests: those that a kustomization composes in a scope of its own, the others in the
// cluster that all manifests of the root share.
func (w *world) kubernetes() {
	taken := w.kustomizations()
	for _, d := range w.docs {
		if d.Kind != Manifest || taken[d.File.Path] {
			continue
		}
		for _, o := range w.manifestObjects(w.cluster, d.File, d.Root) {
			w.object(o)
		}
	}
}

// manifestObjects returns the objects of a manifest document; a List has several.
func (w *world) manifestObjects(sc *scope, f *source.File, root *source.Node) []*object {
	v := model.FromNode(f, root, source.SigsYAML, clusterUnseen)
	if v == nil || v.Kind != model.Map {
		return nil
	}
	if k, _ := v.Get("kind").AsText(); strings.HasSuffix(k, "List") && v.Get("items") != nil {
		var out []*object
		for _, it := range v.Get("items").Items() {
			if it.Kind == model.Map {
				out = append(out, &object{scope: sc, dir: path.Dir(f.Path), v: it})
			}
		}
		return out
	}
	return []*object{{scope: sc, dir: path.Dir(f.Path), v: v}}
}

// clusterUnseen reports whether a scalar of a manifest is a template or a reference that Flux or envsubst
// replaces before Kubernetes reads it.
func clusterUnseen(n *source.Node) bool {
	return model.Templated(n) || n.Style != source.Literal && n.Style != source.Folded && isWholeReference(n.Text)
}

// isWholeReference reports whether a text is nothing but one ${NAME} without a default.
func isWholeReference(s string) bool {
	return strings.HasPrefix(s, "${") && strings.HasSuffix(s, "}") && !strings.Contains(s, ":-") && !strings.Contains(s, ":=") && strings.Count(s, "${") == 1
}

// object adds one object to the world.
func (w *world) object(o *object) {
	switch o.kind() {
	case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Rollout":
		w.podOwner(o, o.v.At("spec", "template"))
	case "Pod":
		w.podOwner(o, o.v)
	case "Job":
		w.podOwner(o, o.v.At("spec", "template"))
	case "LeaderWorkerSet":
		w.podOwner(o, o.v.At("spec", "leaderWorkerTemplate", "leaderTemplate"))
	case "ConfigMap":
		w.configMapObject(o)
	case "Secret":
		w.secretObject(o)
	case "ExternalSecret", "SealedSecret", "VaultStaticSecret", "SopsSecret", "OnePasswordItem", "InfisicalSecret", "SecretProviderClass":
		w.managedSecret(o)
	case "Service":
		if strings.Contains(o.group(), "knative") {
			w.podOwner(o, o.v.At("spec", "template"))
		} else {
			w.serviceObject(o)
		}
	case "InferenceService":
		// KServe's predictor is a pod's spec with fields of its own.
		if predictor := o.v.At("spec", "predictor"); predictor != nil {
			tmpl := model.NewMap(predictor.Origin)
			tmpl.Set("spec", predictor)
			w.podOwner(o, tmpl)
		}
	case "HorizontalPodAutoscaler":
		w.hpa(o)
	case "ScaledObject":
		w.scaledObject(o)
	case "PersistentVolumeClaim":
		w.claims = append(w.claims, o)
	case "NetworkPolicy", "CiliumNetworkPolicy", "CiliumClusterwideNetworkPolicy":
		w.networkPolicies = append(w.networkPolicies, o)
	case "LimitRange":
		w.limitRangeObject(o)
	case "VerticalPodAutoscaler":
		w.verticalAutoscaler(o)
	case "Cluster":
		if o.group() == "postgresql.cnpg.io" {
			w.cnpgCluster(o)
		}
	case "Pooler":
		w.cnpgPooler(o)
	case "postgresql":
		w.zalando(o)
	case "PostgresCluster":
		w.crunchy(o)
	case "SGPostgresConfig", "SGPoolingConfig", "SGCluster":
		w.stackgres(o)
	case "PrometheusRule", "VMRule":
		w.promRulesValue(o.scope, o.dir, o.v.Get("spec"))
	case "GrafanaDashboard":
		if j := o.v.At("spec", "json"); j != nil {
			w.dashboardText(o.scope, j)
		}
	case "ServiceMonitor", "PodMonitor":
		w.monitor(o)
	case "Ingress", "HTTPRoute", "GRPCRoute":
		w.ingressObject(o)
	case "HelmRelease":
		w.helmRelease(o)
	case "OCIRepository", "HelmChart":
		w.ociRepositories = append(w.ociRepositories, o)
	case "Application", "ApplicationSet":
		if o.group() == "argoproj.io" {
			w.later = append(w.later, func() { w.application(o) })
		}
	default:
		w.routerObject(o)
	}
}

// podOwner adds the containers of a workload's pod template.
func (w *world) podOwner(o *object, tmpl *model.Value) {
	spec := tmpl.Get("spec")
	if spec == nil || spec.Kind != model.Map {
		return
	}
	labels := textMap(tmpl.At("metadata", "labels"))
	volumes := volumesOf(spec)
	for _, c := range spec.Get("containers").Items() {
		if c.Kind != model.Map {
			continue
		}
		wl := &workload{scope: o.scope, name: o.name(), namespace: o.namespace(), origin: c.Origin, dir: o.dir, labels: labels,
			owner: o.kind(), platform: "kubernetes"}
		if n, ok := c.Get("name").AsText(); ok {
			wl.container = n
		}
		wl.image = c.Get("image")
		if cmd := c.Get("command"); cmd != nil {
			wl.command = argsOf(cmd, source.NoExpansion, nil)
		}
		if args := c.Get("args"); args != nil {
			wl.args = argsOf(args, source.NoExpansion, nil)
		}
		wl.env = w.podEnv(wl, c)
		wl.mounts = mountsOf(c, volumes)
		wl.workdir, _ = c.Get("workingDir").AsText()
		wl.replicas = o.v.At("spec", "replicas")
		switch o.kind() {
		case "Pod", "DaemonSet":
			wl.replicas = nil
		case "InferenceService", "Service":
			// Knative or KServe scale it, by annotations and defaults of the cluster.
			wl.replicas = model.NewUnknown(c.Origin)
		}
		wl.rollout = rolloutOf(o)
		wl.resources = kubernetesResources(c.Get("resources"))
		wl.pod = podValue(spec, c, volumes, tmpl.At("metadata", "labels"))
		wl.ports = wl.pod.Get("ports")
		for _, p := range []struct{ key, kind string }{{"startupProbe", "startup"}, {"readinessProbe", "readiness"}, {"livenessProbe", "liveness"}} {
			if v := kubernetesProbe(c.Get(p.key), p.kind); v != nil {
				wl.probes = append(wl.probes, v)
			}
		}
		wl.gpu = kubernetesGPU(spec, c)
		w.workloads = append(w.workloads, wl)
	}
}

// podEnv is the environment of a container: envFrom in order, then env.
func (w *world) podEnv(wl *workload, c *model.Value) *model.Value {
	env := model.NewMap(model.Origin{})
	if e := c.Get("env"); e != nil {
		env.Origin = e.Origin
	}
	for _, from := range c.Get("envFrom").Items() {
		prefix, _ := from.Get("prefix").AsText()
		for _, k := range []string{"configMapRef", "secretRef"} {
			ref := from.Get(k)
			if ref == nil {
				continue
			}
			name, ok := ref.Get("name").AsText()
			if !ok {
				env.Open = true
				continue
			}
			if k == "secretRef" {
				wl.secrets = append(wl.secrets, name)
			}
			wl.envFrom = append(wl.envFrom, envFrom{name: name, secret: k == "secretRef", prefix: prefix, origin: from.Origin})
		}
		if from.Kind == model.Unknown {
			env.Open = true
		}
	}
	list := c.Get("env")
	if list != nil && list.Kind == model.Unknown {
		env.Open = true
	}
	for _, e := range list.Items() {
		name, ok := e.Get("name").AsText()
		if !ok {
			env.Open = env.Open || e.Kind == model.Unknown || e.Get("name") != nil
			continue
		}
		wl.envList = append(wl.envList, envItem{name: name, item: e})
		for _, k := range []string{"secretKeyRef"} {
			if s, ok := e.At("valueFrom", k, "name").AsText(); ok {
				wl.secrets = append(wl.secrets, s)
			}
		}
	}
	return env
}

// resolveEnv fills the environments of pods once all ConfigMaps and Secrets are known.
func (w *world) resolveEnv() {
	for _, wl := range w.workloads {
		if wl.platform != "kubernetes" && len(wl.envFrom) == 0 && len(wl.envList) == 0 {
			continue
		}
		env := wl.env
		for _, from := range wl.envFrom {
			cm := w.configMapNamed(wl, from.name, from.secret)
			if cm == nil {
				env.Open = true
				continue
			}
			for _, k := range sortedKeys(cm.data) {
				env.Override(from.prefix+k, datumValue(cm.data[k], from.origin))
			}
			env.Open = env.Open || cm.open
		}
		for _, it := range wl.envList {
			v := w.envItemValue(wl, it.item)
			// A finding about the variable as such stands at its name.
			if n := it.item.Get("name"); n != nil && n.Origin.Node != nil && v.Origin.Node != nil && v.Origin.Node.Parent != nil && within(v.Origin.Node, n.Origin.Node.Parent) {
				v.Origin.Key = n.Origin.Span
			}
			env.Override(it.name, v)
		}
		expandKubernetes(wl)
	}
}

// within reports whether a node stands in a container.
func within(n, container *source.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == container {
			return true
		}
	}
	return false
}

func datumValue(d *datum, used model.Origin) *model.Value {
	if d == nil {
		return model.NewUnknown(used)
	}
	o := d.origin
	if o.File == nil {
		o = used
	}
	o.Source = model.FromEnv
	if !d.known {
		return model.NewUnknown(o)
	}
	return model.NewText(d.value, o)
}

// envItemValue is the value of one entry of a container's env.
func (w *world) envItemValue(wl *workload, e *model.Value) *model.Value {
	if v := e.Get("value"); v != nil {
		o := v.Origin
		o.Source = model.FromEnv
		if d := o.Detail; d != nil {
			o.Detail = &model.Detail{Arg: d.Arg, Env: d.Env, Note: d.Note}
		}
		t, ok := v.Scalar()
		if !ok && v.Kind != model.Null {
			return model.NewUnknown(o)
		}
		return model.NewText(t, o)
	}
	from := e.Get("valueFrom")
	if from == nil {
		return model.NewText("", e.Origin)
	}
	for _, k := range []string{"configMapKeyRef", "secretKeyRef"} {
		ref := from.Get(k)
		if ref == nil {
			continue
		}
		name, _ := ref.Get("name").AsText()
		key, _ := ref.Get("key").AsText()
		if cm := w.configMapNamed(wl, name, k == "secretKeyRef"); cm != nil {
			if d, ok := cm.data[key]; ok {
				return datumValue(d, ref.Origin)
			}
		}
		return model.NewUnknown(ref.Origin)
	}
	return model.NewUnknown(from.Origin)
}

// expandKubernetes replaces $(NAME) in the arguments and environment of a container.
func expandKubernetes(wl *workload) {
	lookup := envLookup(wl.env)
	for i, k := range wl.env.Keys() {
		v := wl.env.Items()[i]
		if v.Kind != model.Text || !strings.Contains(v.Text, "$(") {
			continue
		}
		t, missing := source.KubernetesExpand(v.Text, lookup)
		c := *v
		// A URL whose password is not visible still shows its host.
		if len(missing) > 0 && !urlVariable(k) {
			c.Kind, c.Text = model.Unknown, ""
		} else {
			c.Text = t
		}
		wl.env.Set(k, &c)
	}
	wl.command = wl.command.Expand(source.KubernetesExpansion, lookup)
	wl.args = wl.args.Expand(source.KubernetesExpansion, lookup)
}

func urlVariable(name string) bool { return strings.Contains(name, "_URL") }

// volume is one volume of a pod.
type volume struct {
	configMap string
	secret    bool              // configMap is a Secret
	items     map[string]string // path to key
	unseen    bool
}

func volumesOf(spec *model.Value) map[string]*volume {
	out := map[string]*volume{}
	for _, v := range spec.Get("volumes").Items() {
		name, ok := v.Get("name").AsText()
		if !ok {
			continue
		}
		vol := &volume{items: map[string]string{}}
		src := v.Get("configMap")
		if n, ok := src.Get("name").AsText(); ok {
			vol.configMap = n
		} else if s := v.Get("secret"); s != nil {
			src, vol.secret = s, true
			vol.configMap, _ = s.Get("secretName").AsText()
		} else if p := v.At("projected", "sources"); p != nil && p.Len() == 1 {
			src = p.Items()[0].Get("configMap")
			vol.configMap, _ = src.Get("name").AsText()
		}
		for _, it := range src.Get("items").Items() {
			k, _ := it.Get("key").AsText()
			p, _ := it.Get("path").AsText()
			vol.items[p] = k
		}
		vol.unseen = vol.configMap == ""
		out[name] = vol
	}
	return out
}

func mountsOf(c *model.Value, volumes map[string]*volume) []mount {
	var out []mount
	for _, m := range c.Get("volumeMounts").Items() {
		name, _ := m.Get("name").AsText()
		target, _ := m.Get("mountPath").AsText()
		sub, _ := m.Get("subPath").AsText()
		mt := mount{target: target, origin: m.Origin}
		vol := volumes[name]
		mt.secret = vol != nil && vol.secret
		switch {
		case vol == nil || vol.unseen || target == "":
			mt.unseen = true
		case sub != "":
			mt.configMap, mt.key = vol.configMap, sub
			if k, ok := vol.items[sub]; ok {
				mt.key = k
			}
		default:
			mt.configMap, mt.items = vol.configMap, vol.items
		}
		out = append(out, mt)
	}
	return out
}

func rolloutOf(o *object) *model.Value {
	st := o.v.At("spec", "strategy")
	if st == nil {
		st = o.v.At("spec", "updateStrategy")
	}
	out := model.NewMap(o.v.Get("spec").OriginOr(o.v.Origin))
	if st != nil {
		out.Origin = st.Origin
	}
	kind := model.NewText("RollingUpdate", model.Origin{Source: model.FromDefault})
	if t := st.Get("type"); t != nil {
		kind = t
	}
	out.Set("kind", kind)
	for _, k := range []struct{ key, name string }{{"maxSurge", "max_surge"}, {"maxUnavailable", "max_unavailable"}} {
		if v := st.At("rollingUpdate", k.key); v != nil {
			out.Set(k.name, v)
		}
	}
	if o.kind() != "Deployment" && o.kind() != "Rollout" && out.Get("max_surge") == nil {
		// Only Deployments start new pods before old ones are gone when nothing is written.
		out.Set("max_surge", model.NewInt(0, model.Origin{Source: model.FromDefault}))
	}
	return out
}

// kubernetesResources reads a container's requests and limits.
func kubernetesResources(r *model.Value) *model.Value {
	if r == nil || r.Kind == model.Null {
		return nil
	}
	if r.Kind == model.Unknown {
		return r
	}
	out := model.NewMap(r.Origin)
	out.Open = r.Open
	for _, side := range []string{"requests", "limits"} {
		s := r.Get(side)
		if s == nil || s.Kind == model.Null {
			continue
		}
		if s.Kind == model.Unknown {
			out.Set(side, s)
			continue
		}
		m := model.NewMap(s.Origin)
		m.Open = s.Open
		for i, k := range s.Keys() {
			v := s.Items()[i]
			switch {
			case k == "cpu":
				m.Set("cpu", cpus(v))
			case k == "memory":
				m.Set("memory", memory(v))
			case isGPUResource(k):
				m.Set("gpu", measured(v, parseCPUs))
			}
		}
		m.Open = s.Open
		out.Set(side, m)
	}
	return out
}

// isGPUResource reports whether an extended resource is an accelerator.
func isGPUResource(name string) bool {
	switch name {
	case "nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe", "habana.ai/gaudi", "aws.amazon.com/neuron", "google.com/tpu":
		return true
	}
	return strings.HasPrefix(name, "nvidia.com/mig-")
}

// gpuLabels are node labels that name an accelerator.
var gpuLabels = []string{"nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-gpu-name", "gpu.nvidia.com/class", "accelerator", "amd.com/gpu.product-name"}

// kubernetesGPU reads how many accelerators a container has and of which kind.
func kubernetesGPU(spec, c *model.Value) *model.Value {
	var out *model.Value
	for _, side := range []string{"limits", "requests"} {
		r := c.At("resources", side)
		for i, k := range r.Keys() {
			if !isGPUResource(k) || out != nil {
				continue
			}
			v := r.Items()[i]
			out = model.NewMap(v.Origin)
			if n, ok := v.AsInt(true); ok && n >= 0 {
				out.Set("count", model.NewInt(n, v.Origin))
			} else {
				out.Set("count", model.NewUnknown(v.Origin))
			}
		}
	}
	if out == nil {
		return nil
	}
	if name := nodeGPU(spec); name != nil {
		setGPUName(out, name)
	}
	return out
}

// nodeGPU is the accelerator that a pod's node selector or required affinity names.
func nodeGPU(spec *model.Value) *model.Value {
	for _, l := range gpuLabels {
		if v := spec.At("nodeSelector", l); v != nil {
			return v
		}
	}
	terms := spec.At("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
	for _, t := range terms.Items() {
		for _, e := range t.Get("matchExpressions").Items() {
			key, _ := e.Get("key").AsText()
			op, _ := e.Get("operator").AsText()
			if contains(gpuLabels, key) && op == "In" && e.Get("values").Len() == 1 {
				return e.Get("values").Items()[0]
			}
		}
	}
	return nil
}

// podValue gathers what surrounds a Kubernetes container.
func podValue(spec, c *model.Value, volumes map[string]*volume, labels *model.Value) *model.Value {
	pod := model.NewMap(spec.Origin)
	if g := spec.Get("terminationGracePeriodSeconds"); g != nil {
		if x, ok := g.AsFloat(true); ok {
			pod.Set("grace_period_seconds", model.NewFloat(x, g.Origin))
		} else {
			pod.Set("grace_period_seconds", model.NewUnknown(g.Origin))
		}
	}
	if h := c.At("lifecycle", "preStop"); h != nil {
		pod.Set("pre_stop", h)
	} else if l := c.Get("lifecycle"); l != nil && l.Kind == model.Unknown {
		pod.Set("pre_stop", model.NewUnknown(l.Origin))
	}
	list := func(v *model.Value) *model.Value {
		if v == nil || v.Kind != model.List {
			return model.NewList(model.Origin{})
		}
		out := model.NewList(v.Origin)
		for _, it := range v.Items() {
			if it.Kind == model.Map || it.Kind == model.Unknown {
				out.Append(it)
			}
		}
		return out
	}
	pod.Set("volumes", list(spec.Get("volumes")))
	pod.Set("mounts", list(c.Get("volumeMounts")))
	if s, ok := spec.Get("serviceAccountName").AsText(); ok {
		pod.Set("service_account", model.NewText(s, spec.Get("serviceAccountName").Origin))
	}
	l := model.NewMap(model.Origin{})
	if labels != nil && labels.Kind == model.Map {
		l.Origin = labels.Origin
		for i, k := range labels.Keys() {
			if t, ok := labels.Items()[i].Scalar(); ok {
				l.Set(k, model.NewText(t, labels.Items()[i].Origin))
			}
		}
	}
	pod.Set("labels", l)
	pod.Set("ports", list(c.Get("ports")))
	if spec.Open {
		// What the values leave out may be set where it is not seen.
		pod.Open = true
		for _, k := range pod.Keys() {
			pod.Get(k).Open = pod.Get(k).Open || k != "labels" && pod.Get(k).Kind == model.List
		}
	}
	s := model.NewMap(spec.Origin)
	s.Set("pod", spec)
	s.Set("container", c)
	pod.Set("spec", s)
	return pod
}

// kubernetesProbe reads a probe with Kubernetes' defaults; nil when there is none.
func kubernetesProbe(p *model.Value, kind string) *model.Value {
	if p == nil || p.Kind == model.Null || p.Kind == model.Map && p.Len() == 0 {
		return nil
	}
	if p.Kind != model.Map {
		return nil
	}
	out := model.NewMap(p.Origin)
	out.Open = p.Open
	out.Set("kind", model.NewText(kind, p.Origin))
	switch {
	case p.Get("httpGet") != nil:
		out.Set("type", model.NewText("http", p.Get("httpGet").Origin))
		h := p.Get("httpGet")
		if h.Get("path") != nil {
			out.Set("path", h.Get("path"))
		}
		if h.Get("port") != nil {
			out.Set("port", h.Get("port"))
		}
	case p.Get("exec") != nil:
		out.Set("type", model.NewText("exec", p.Get("exec").Origin))
		cmd := p.At("exec", "command")
		if cmd != nil && cmd.Kind == model.List {
			out.Set("command", cmd)
		}
	case p.Get("tcpSocket") != nil:
		out.Set("type", model.NewText("tcp", p.Get("tcpSocket").Origin))
		if v := p.At("tcpSocket", "port"); v != nil {
			out.Set("port", v)
		}
	case p.Get("grpc") != nil:
		out.Set("type", model.NewText("grpc", p.Get("grpc").Origin))
	default:
		out.Set("type", model.NewUnknown(p.Origin))
	}
	out.Set("headers", headerNames(p.At("httpGet", "httpHeaders"), out.Get("command")))
	addRequest(out, out.Get("command"))
	for _, f := range []struct {
		key, name string
		def       float64
	}{{"initialDelaySeconds", "initial_delay_seconds", 0}, {"periodSeconds", "period_seconds", 10}, {"timeoutSeconds", "timeout_seconds", 1}, {"failureThreshold", "failure_threshold", 3}} {
		out.Set(f.name, numberOr(p.Get(f.key), f.def))
	}
	out.Set("chart", model.NewBool(false, p.Origin))
	return out
}

// configMapObject adds a ConfigMap; texts that hold a config, a dashboard or rules are read as files of their own.
func (w *world) configMapObject(o *object) {
	cm := &configMap{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, data: map[string]*datum{}}
	data := o.v.Get("data")
	for i, k := range data.Keys() {
		v := data.Items()[i]
		d := &datum{origin: v.Origin}
		if t, ok := v.Scalar(); ok {
			d.value, d.known = t, true
		}
		if n := v.Origin.Node.Deref(); n != nil && n.Kind == source.Scalar && v.Origin.File != nil {
			d.file = source.Nested(v.Origin.File, n)
			if n.Style == source.Literal || n.Style == source.Folded || strings.Contains(n.Text, "\n") || strings.HasSuffix(k, ".json") {
				w.embedded(o, k, d.file)
			}
		}
		cm.data[k] = d
	}
	cm.open = data != nil && (data.Open || data.Kind == model.Unknown) || o.v.Get("data") == nil && o.v.Get("binaryData") == nil
	w.configMaps = append(w.configMaps, cm)
}

// embedded reads a text of a ConfigMap that is a document by itself.
func (w *world) embedded(o *object, key string, f *source.File) {
	if f == nil || !worthParsing(f.Bytes) && !bytes.Contains(f.Bytes, []byte("expr")) {
		return
	}
	docs, err := parseTree(f)
	if err != nil {
		if !isTemplate(f.Bytes) && (strings.HasSuffix(key, ".yaml") || strings.HasSuffix(key, ".yml")) && mentions(f.Bytes) {
			w.problem(f, err)
		}
		return
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		switch kind, _ := classify(d.Root); kind {
		case LiteLLMConfig, LiteLLMFragment:
			w.configs = append(w.configs, &configFile{doc: &Document{Kind: kind, File: f, Root: d.Root, Index: d.Index}})
		case Dashboard:
			w.dashboard(o.scope, f, d.Root)
		case PromRules:
			w.promRules(o.scope, f, d.Root)
		case AdapterRules:
			w.adapterRules(o.scope, f, d.Root)
		case Manifest:
			for _, in := range w.manifestObjects(o.scope, f, d.Root) {
				w.object(in)
			}
		}
	}
}

// secretObject adds a Secret. Its values count as known only where they are placeholders or no secrets at all:
// stringData in clear text.
func (w *world) secretObject(o *object) {
	cm := &configMap{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, secret: true, data: map[string]*datum{}}
	for _, part := range []string{"data", "stringData"} {
		m := o.v.Get(part)
		for i, k := range m.Keys() {
			v := m.Items()[i]
			d := &datum{origin: v.Origin}
			if t, ok := v.Scalar(); ok && part == "stringData" && o.v.Get("sops") == nil {
				d.value, d.known = t, true
				if n := v.Origin.Node.Deref(); n != nil && v.Origin.File != nil {
					d.file = source.Nested(v.Origin.File, n)
				}
			}
			cm.data[k] = d
		}
		cm.open = cm.open || m != nil && (m.Open || m.Kind == model.Unknown)
	}
	w.configMaps = append(w.configMaps, cm)
}

// managedSecret adds a Secret that a manager fills: its key names are known, the values are not.
func (w *world) managedSecret(o *object) {
	cm := &configMap{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, secret: true, data: map[string]*datum{}}
	if n, ok := o.v.At("spec", "target", "name").AsText(); ok {
		cm.name = n
	}
	if n, ok := o.v.At("spec", "destination", "name").AsText(); ok {
		cm.name = n
	}
	add := func(k string, at model.Origin) { cm.data[k] = &datum{origin: at} }
	for _, d := range o.v.At("spec", "data").Items() {
		if k, ok := d.Get("secretKey").AsText(); ok {
			add(k, d.Origin)
		}
	}
	for _, m := range []*model.Value{o.v.At("spec", "target", "template", "data"), o.v.At("spec", "encryptedData"), o.v.At("spec", "template", "data")} {
		for i, k := range m.Keys() {
			add(k, m.Items()[i].Origin)
		}
	}
	cm.open = o.v.At("spec", "dataFrom") != nil || len(cm.data) == 0
	w.configMaps = append(w.configMaps, cm)
}

// serviceObject adds a Service.
func (w *world) serviceObject(o *object) {
	spec := o.v.Get("spec")
	v := model.NewMap(o.v.Origin)
	v.Set("name", orText(o.v.At("metadata", "name"), o.v.Origin))
	if ns := o.v.At("metadata", "namespace"); ns != nil {
		v.Set("namespace", ns)
	}
	typ := spec.Get("type")
	if typ == nil {
		typ = model.NewText("ClusterIP", model.Origin{Source: model.FromDefault})
	}
	v.Set("type", typ)
	ip, _ := spec.Get("clusterIP").AsText()
	headless := ip == "None"
	v.Set("headless", model.NewBool(headless, spec.OriginOr(o.v.Origin)))
	if a := spec.Get("sessionAffinity"); a != nil {
		v.Set("session_affinity", a)
	}
	v.Set("selector", textValues(spec.Get("selector")))
	ports := model.NewList(model.Origin{})
	if p := spec.Get("ports"); p != nil && p.Kind == model.List {
		ports = p
	}
	v.Set("ports", ports)
	v.Set("labels", textValues(o.v.At("metadata", "labels")))
	w.services = append(w.services, &service{scope: o.scope, name: o.name(), namespace: o.namespace(), dir: o.dir, selector: textMap(spec.Get("selector")), value: v, headless: headless})
}

// monitor adds a ServiceMonitor or PodMonitor.
func (w *world) monitor(o *object) {
	spec := o.v.Get("spec")
	endpoints := spec.Get("endpoints")
	if endpoints == nil {
		endpoints = spec.Get("podMetricsEndpoints")
	}
	for _, e := range endpoints.Items() {
		v := model.NewMap(e.Origin)
		v.Set("kind", model.NewText(strings.ToLower(o.kind()), o.v.Origin))
		v.Set("name", orText(o.v.At("metadata", "name"), o.v.Origin))
		p := e.Get("path")
		if p == nil {
			p = model.NewText("/metrics", model.Origin{Source: model.FromDefault})
		}
		v.Set("path", p)
		if e.Get("port") != nil {
			v.Set("port", e.Get("port"))
		}
		if i := e.Get("interval"); i != nil {
			if s, ok := seconds(i); ok {
				v.Set("interval_seconds", model.NewFloat(s, i.Origin))
			}
		}
		auth := false
		for _, k := range []string{"authorization", "bearerTokenSecret", "bearerTokenFile", "basicAuth", "oauth2"} {
			auth = auth || e.Get(k) != nil
		}
		v.Set("authorized", model.NewBool(auth, e.Origin))
		w.scrapes = append(w.scrapes, &scrape{scope: o.scope, dir: o.dir, namespace: o.namespace(), selector: textMap(spec.At("selector", "matchLabels")), value: v})
	}
}

// timeoutAnnotations are annotations of ingress controllers that bound how long a request may take.
var timeoutAnnotations = []string{"nginx.ingress.kubernetes.io/proxy-read-timeout", "nginx.ingress.kubernetes.io/proxy-send-timeout", "haproxy.org/timeout-server", "haproxy.router.openshift.io/timeout",
	"alb.ingress.kubernetes.io/load-balancer-attributes", "appgw.ingress.kubernetes.io/request-timeout", "konghq.com/read-timeout", "traefik.ingress.kubernetes.io/request-timeout"}

// ingressObject adds an Ingress or HTTPRoute.
func (w *world) ingressObject(o *object) {
	v := model.NewMap(o.v.Origin)
	v.Set("name", orText(o.v.At("metadata", "name"), o.v.Origin))
	v.Set("kind", model.NewText(o.kind(), o.v.Origin))
	ann := textValues(o.v.At("metadata", "annotations"))
	v.Set("annotations", ann)
	in := &ingress{scope: o.scope, dir: o.dir, namespace: o.namespace(), value: v}
	var least *model.Value
	consider := func(x *model.Value, sec float64) {
		if least == nil || sec < least.Float {
			least = model.NewFloat(sec, x.Origin)
		}
	}
	for _, k := range timeoutAnnotations {
		a := ann.Get(k)
		t, ok := a.AsText()
		if !ok {
			continue
		}
		if k == "alb.ingress.kubernetes.io/load-balancer-attributes" {
			for kv := range strings.SplitSeq(t, ",") {
				if n, ok := strings.CutPrefix(strings.TrimSpace(kv), "idle_timeout.timeout_seconds="); ok {
					if s, ok := seconds(model.NewText(n, a.Origin)); ok {
						consider(a, s)
					}
				}
			}
			continue
		}
		if s, ok := seconds(a); ok {
			if k == "konghq.com/read-timeout" {
				s /= 1000
			}
			consider(a, s)
		}
	}
	for _, r := range o.v.At("spec", "rules").Items() {
		for _, p := range r.At("http", "paths").Items() {
			if n, ok := p.At("backend", "service", "name").AsText(); ok {
				in.backends = append(in.backends, n)
			}
		}
		for _, b := range r.Get("backendRefs").Items() {
			if n, ok := b.Get("name").AsText(); ok {
				in.backends = append(in.backends, n)
			}
		}
		for _, k := range []string{"request", "backendRequest"} {
			if t := r.At("timeouts", k); t != nil {
				if s, ok := seconds(t); ok && s > 0 {
					consider(t, s)
				}
			}
		}
	}
	if n, ok := o.v.At("spec", "defaultBackend", "service", "name").AsText(); ok {
		in.backends = append(in.backends, n)
	}
	if least != nil {
		v.Set("timeout_seconds", least)
	}
	w.ingresses = append(w.ingresses, in)
}

// textMap returns the scalars of a map as texts.
func textMap(v *model.Value) map[string]string {
	out := map[string]string{}
	for i, k := range v.Keys() {
		if s, ok := v.Items()[i].Scalar(); ok {
			out[k] = s
		}
	}
	return out
}

// textValues returns the scalars of a map as texts with their origins.
func textValues(v *model.Value) *model.Value {
	out := model.NewMap(model.Origin{})
	if v == nil {
		return out
	}
	out.Origin, out.Open = v.Origin, v.Open
	for i, k := range v.Keys() {
		x := v.Items()[i]
		if s, ok := x.Scalar(); ok {
			out.Set(k, model.NewText(s, x.Origin))
		} else if x.Kind == model.Unknown {
			out.Set(k, x)
		}
	}
	return out
}

func orText(v *model.Value, o model.Origin) *model.Value {
	if s, ok := v.Scalar(); ok {
		return model.NewText(s, v.Origin)
	}
	return model.NewText("", o)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

// setGPUName sets name and memory of an accelerator whose name the table of accelerators has.
func setGPUName(gpu, name *model.Value) {
	t, ok := name.AsText()
	if !ok {
		gpu.Set("name", model.NewUnknown(name.Origin))
		return
	}
	gpu.Set("name", name)
	if g, ok := knowledge.FindGPU(t); ok {
		gpu.Set("gib", model.NewFloat(g.GiB, name.Origin))
	}
}
