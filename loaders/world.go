package loaders

import (
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// world is everything found below a root, before it is cut into stacks. Loaders of single formats fill it;
// they know nothing of each other. What programs do with a command line or an environment is told elsewhere, once
// for all formats: gateway.go, engine.go, router.go, database.go.
type world struct {
	ws   *Workspace
	opts *Options
	docs []*Document
	// kinds are the kinds of the first documents of files.
	kinds map[*source.File]Kind
	// stream says that stacks are built to be used once. held is then the number of bytes of configs whose trees wait for
	// their stack.
	stream bool
	held   atomic.Int64

	workloads    []*workload
	services     []*service
	configMaps   []*configMap
	autoscalers  []*autoscaler
	parts        []*part
	servers      []*dbServer
	poolers      []*dbPooler
	queries      []*query
	hiddenQuery  bool // a query is a template, so that nobody knows what it watches
	redisWatched bool // a query looks at a Redis
	limitRanges  []*limitRange
	claims       []*object // PersistentVolumeClaims
	// networkPolicies are those of Kubernetes and of Cilium.
	networkPolicies []*object
	sizers          []*sizer
	sg              []*object // StackGres objects, linked once all are read
	// ociRepositories are Flux's, to which a HelmRelease may refer for its chart.
	ociRepositories []*object
	// pools are the InferencePools, inferenceObjects further objects of pickers.
	pools            []*pool
	inferenceObjects []*object
	// pickerObjects are all EndpointPickerConfigs, pickerFiles those that a picker reads.
	pickerObjects []*object
	pickerFiles   []*source.File
	// later is what must wait until all objects are read.
	later     []func()
	names     []string // files the walk lists
	ingresses []*ingress
	scrapes   []*scrape
	// configs are LiteLLM configs that stand as files of their own.
	configs []*configFile
	// envFiles are env files as starting points, see envless in stack.go.
	envFiles []*Document
	// requirements are the files of Python's pins.
	requirements []*Document
	// byName finds the first indexed workloads by their names, see named.
	byName  map[string][]*workload
	indexed int

	cluster  *scope
	skipped  []Skip
	problems []Problem
	used     map[*source.File]bool
	// noted are files whose first expression that is no PromQL was noted; included and extended are compose files that
	// others are made of.
	noted              map[*source.File]bool
	included, extended map[string]bool
}

// scope is a set of parts that reach each other by name: a compose project, a cluster as one folder or overlay
// describes it, the scripts and units of one host.
type scope struct {
	// kind is the kind of the stacks started here: compose, kubernetes, helm, flux, argo, helmfile, shell, systemd.
	kind string
	// name is the name of a stack started here: the path of the document that starts it.
	name string
	dir  string
	// origin is the document that starts what is here.
	origin model.Origin
	// parent is searched for names that are not here; nil for closed scopes (a compose project).
	parent *scope
	files  []*source.File
	// compose is the project's services after overrides.
	compose *model.Value
	// dotenv is the project's .env file, from which references are resolved; nil without one.
	dotenv *source.EnvFile
}

// reaches reports whether a part of scope o can be reached by name from s.
func (s *scope) reaches(o *scope) bool {
	for ; s != nil; s = s.parent {
		if s == o {
			return true
		}
	}
	return false
}

// workload is a container that something starts: a compose service, a container of a pod, a docker run line, a
// systemd unit, a chart's gateway. All its values carry their origins.
type workload struct {
	scope           *scope
	name, namespace string
	// origin is the container as a whole: a finding about it stands on its key or first key.
	origin model.Origin
	dir    string // folder of the file that starts it
	labels map[string]string
	// owner is the kind of object: Deployment, StatefulSet, compose, docker, systemd, shell, chart, ...
	owner    string
	platform string // kubernetes, compose, docker, systemd, shell

	image *model.Value // text, nil when the image is not written
	// built is true when the image is built here, on top of image.
	built bool
	// command and args are the words that replace the image's entrypoint and command; nil when not written.
	command, args *source.Args
	env           *model.Value // map of texts; Open when unseen names may be there
	mounts        []mount
	// workdir is the folder the container starts in, "" when it is not written.
	workdir   string
	ports     *model.Value // list of maps
	replicas  *model.Value // int or unknown, nil when not written
	rollout   *model.Value
	resources *model.Value // shape ResourcesPart
	pod       *model.Value // shape PodPart without platform
	probes    []*model.Value
	gpu       *model.Value // shape GPUPart
	helm      *model.Value // shape HelmPart
	// hostnames are names by which others in the scope reach it directly (compose).
	hostnames []string

	// config is a LiteLLM config that a chart renders from its values; configOpen says it stands somewhere
	// unseen instead.
	config       *model.Value
	configUnseen bool
	container    string
	// process is the program of a script or unit, which is known from the start.
	process *program
	// inContainer is true for a script's process that containers of the files run instead of the host; imageVaries when the
	// image that runs it cannot be told.
	inContainer, imageVaries bool
	// valuesOpen says that values of its chart may be set out of sight: what is not written is not known.
	valuesOpen bool
	// envFrom and envList are a pod's sources of variables, resolved when all ConfigMaps are known.
	envFrom []envFrom
	envList []envItem
	// secrets are names of Secrets that the environment refers to.
	secrets []string
	// part forces what the workload is when its chart says so: gateway, engine, router; empty means by image
	// and command.
	part string
	// version is what a chart says of the product's version when the image's tag does not.
	version, versionFrom string
	siblings             []*model.Value // shape SiblingPart
	routerKind           string
	// flags are arguments that a chart writes before the words of its values; model is the model it serves.
	flags []chartFlag
	model *model.Value
	// graph names the Dynamo graph a service belongs to.
	graph string
	// routerConfig is a router's own configuration document, when a chart or ConfigMap carries it.
	routerConfig *model.Value
	settings     map[string]*model.Value // settings that a chart's values carry without argument or variable
	// settingsOpen says that more of them may be set out of sight.
	settingsOpen bool
}

// envFrom is one source of a pod's environment.
type envFrom struct {
	name, prefix string
	secret       bool
	origin       model.Origin
}

// envItem is one entry of a container's env list.
type envItem struct {
	name string
	item *model.Value
}

// stackName is the name of the stack a workload starts: the document that starts it.
func (wl *workload) stackName() string {
	if wl.scope.name != clusterScope || wl.origin.File == nil {
		return wl.scope.name
	}
	f, _ := wl.origin.File.Outer(source.Span{})
	return f.Path
}

// start is the document that starts a workload.
func (wl *workload) start() model.Origin {
	if wl.scope.origin.File != nil {
		return wl.scope.origin
	}
	return wl.origin
}

// clusterScope is the name of the scope that all plain manifests of a root share.
const clusterScope = "cluster"

// mount puts a file or folder into a container.
type mount struct {
	// target is the path in the container.
	target string
	// file is the path of a file or folder in the root; empty when another field says what it is.
	file string
	// configMap and key name a key of a ConfigMap; an empty key means the whole map as a folder, items its
	// renamed keys (path to key).
	configMap, key string
	items          map[string]string
	secret         bool // configMap is a Secret
	// nested is a text that a file carries for the container (compose configs.content).
	nested *source.File
	// unseen is true for volumes whose content is not in the files.
	unseen bool
	origin model.Origin
}

// configMap is a ConfigMap or Secret, or what generates one.
type configMap struct {
	scope           *scope
	name, namespace string
	dir             string
	secret          bool
	// data has the texts by key; nil for a key whose value is not visible (Secret managers, SOPS).
	data map[string]*datum
	// open is true when more keys may exist than are seen.
	open bool
}

// datum is one value of a ConfigMap.
type datum struct {
	// file is the text as a file: a nested one for a block scalar, a real one for a generated ConfigMap.
	file   *source.File
	origin model.Origin
	value  string
	known  bool
}

// service is a Kubernetes Service.
type service struct {
	scope           *scope
	name, namespace string
	dir             string
	selector        map[string]string
	value           *model.Value // shape ServicePart without target
	headless        bool
	// suffix says that name is only the end of the name, behind a release that is not known.
	suffix bool
}

// autoscaler is an HPA, ScaledObject, or PodAutoscaler.
type autoscaler struct {
	scope                  *scope
	dir, namespace         string
	targetKind, targetName string
	target                 *workload    // when the chart names it
	value                  *model.Value // shape AutoscalerPart without target
	queries                []*query     // of its metrics, nil for those without one
	placed                 bool         // some stack holds it
}

// dbServer is a Postgres server.
type dbServer struct {
	scope           *scope
	name, namespace string
	dir             string
	hosts           []string // names of the services that lead to it
	secrets         []string // names of Secrets its operator makes with a URI
	value           *model.Value
	wl              *workload // the container, for a server that is one
}

// dbPooler is a pooler in front of a server.
type dbPooler struct {
	scope           *scope
	name, namespace string
	dir             string
	hosts           []string
	server          string // name of the server it leads to
	value           *model.Value
	wl              *workload
}

// query is one PromQL text.
type query struct {
	scope *scope
	dir   string
	value *model.Value // shape QueryPart without target
	// product is vllm, litellm, router or empty.
	product string
	// target is set for triggers of an autoscaler, which come with it.
	target *model.Value
	placed bool
}

// ingress leads from outside to a Service.
type ingress struct {
	scope          *scope
	dir, namespace string
	backends       []string // names of Services
	value          *model.Value
}

// scrape is a Prometheus scrape.
type scrape struct {
	scope          *scope
	dir, namespace string
	selector       map[string]string // labels of the Service or pod it selects
	value          *model.Value
}

// configFile is a LiteLLM config as a file.
type configFile struct {
	doc  *Document
	used bool
}

// maxHeld is how many bytes of configs keep their trees, which are many times as large, until their stacks are built. The
// configs beyond are read again then.
const maxHeld = 512 << 10

// mayWait says whether the only document of a file may be read again when its stack is built.
func mayWait(d *Document) bool { return d.Kind == LiteLLMConfig && d.Root.Get("include") == nil }

// Skip is a file that was left out, and why.
type Skip struct{ File, Reason string }

// Problem is a file that could not be read as what it is; it becomes a parse-error finding.
type Problem struct {
	File *source.File
	Span source.Span
	Text string
	// Read is true where the file was read all the same, and only its own program refuses it.
	Read bool
}

// nearness orders places by how close they are to dir: the number of path elements that do not lie on the way
// they share.
func nearness(dir, other string) int {
	a, b := splitDir(dir), splitDir(other)
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return len(a) - n + len(b) - n
}

func splitDir(dir string) []string {
	if dir == "." || dir == "" {
		return nil
	}
	return strings.Split(dir, "/")
}

// nearest returns the item closest to dir, and false when two are equally close.
func nearest[T any](items []T, dir string, of func(T) string) (best T, ok bool) {
	dist := -1
	for _, it := range items {
		d := nearness(dir, of(it))
		switch {
		case dist < 0 || d < dist:
			best, dist, ok = it, d, true
		case d == dist:
			ok = false
		}
	}
	return best, ok
}

// problem notes a file that its parser refuses.
func (w *world) problem(f *source.File, err error) {
	p := problemOf(f, err)
	docs, _ := w.ws.yamlOf(p.File)
	w.problems = append(w.problems, p.behind(docs))
}

// problemOf is the place and the text of a parser's error.
func problemOf(f *source.File, err error) Problem {
	p := Problem{File: f, Text: err.Error()}
	if se, ok := err.(*source.SyntaxError); ok {
		p.Span = source.Span{Start: se.Offset, End: se.Offset}
		p.Text = se.Msg
		if se.File != nil {
			p.File = se.File
		}
	}
	return p
}

// behind says what of a file is read in spite of a problem: the documents before it.
func (p Problem) behind(docs []source.Document) Problem {
	if slices.ContainsFunc(docs, func(d source.Document) bool { return d.Root != nil }) {
		p.Read, p.Text = true, "the file cannot be read from here on: "+p.Text
	}
	return p
}

// lineProblem notes a line that the reader of a file does not take, where the rest of the file is read all the same.
func (w *world) lineProblem(f *source.File, err error, what string) {
	p := problemOf(f, err)
	p.Read, p.Text = true, what+": "+p.Text
	w.problems = append(w.problems, p)
}

// skip notes a file that is left out.
func (w *world) skip(name, reason string) { w.skipped = append(w.skipped, Skip{name, reason}) }

// skipOnce notes a file that is left out, unless it is noted already.
func (w *world) skipOnce(name, reason string) {
	if !slices.ContainsFunc(w.skipped, func(s Skip) bool { return s.File == name }) {
		w.skip(name, reason)
	}
}

// resolvePath returns a path written in a file relative to that file's folder; false when it leaves the root
// or is absolute.
func resolvePath(dir, p string) (string, bool) {
	if p == "" || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.Contains(p, "\x00") {
		return "", false
	}
	q := path.Join(dir, p)
	if q == ".." || strings.HasPrefix(q, "../") {
		return "", false
	}
	return q, true
}

// nodeOrigin is the origin of a value of a YAML or JSON file.
func nodeOrigin(f *source.File, n *source.Node, from model.Source) model.Origin {
	o := model.Origin{Source: from, File: f, Node: n, Span: n.Span()}
	if k := n.KeyNode(); k != nil {
		o.Key = k.Span()
	}
	return o
}
