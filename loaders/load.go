package loaders

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"agentlint/internal/heap"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Options say what is loaded and what holds where the files are silent.
type Options struct {
	// Named are paths that a person named; folders that are no starting points otherwise are read below them.
	Named   []string
	Exclude []string
	// Targets are versions by product, Facts values by name, StackFacts facts by glob of a stack's name.
	Targets    map[string]string
	Facts      map[string]any
	StackFacts map[string]map[string]any
}

// Set is what a root holds.
type Set struct {
	Stacks []*model.Stack
	// Documents are all documents in order of file, those of no stack included.
	Documents []*Document
	Problems  []Problem
	Skipped   []Skip
	// Looked counts the files seen, Read those that hold something agentlint knows.
	Looked, Read int
	// NearMisses are files that look like something agentlint knows and are not, when nothing was found.
	NearMisses []Skip
	// Workspace has every file that was read.
	Workspace *Workspace
}

// Load reads a root and builds its stacks, in the order of their names.
func Load(ctx context.Context, fsys fs.FS, overlay map[string][]byte, opts *Options) (*Set, error) {
	var stacks []*model.Stack
	set, err := load(ctx, fsys, overlay, opts, false, func(s *model.Stack) { stacks = append(stacks, s) })
	if err != nil {
		return nil, err
	}
	sort.SliceStable(stacks, func(i, j int) bool { return stacks[i].Name < stacks[j].Name })
	set.Stacks = stacks
	return set, nil
}

// Stream is Load for callers that need one stack at a time: each is yielded as soon as it is built, and nothing keeps
// what only that stack was made of. The set has no stacks.
func Stream(ctx context.Context, fsys fs.FS, overlay map[string][]byte, opts *Options, yield func(*model.Stack)) (*Set, error) {
	return load(ctx, fsys, overlay, opts, true, yield)
}

// manyFiles is from how many files on that may be configuration memory is made ready for all of them.
const manyFiles = 400

// countReadable returns how many files have names of a format that is read.
func countReadable(names []string) int {
	n := 0
	for _, name := range names {
		if formatOf(name, nil) != formatNone {
			n++
		}
	}
	return n
}

func load(ctx context.Context, fsys fs.FS, overlay map[string][]byte, opts *Options, stream bool, yield func(*model.Stack)) (*Set, error) {
	ws := NewWorkspace(fsys, overlay)
	names, err := ws.walk(opts.Named, opts.Exclude)
	if err != nil {
		return nil, err
	}
	if n := countReadable(names); n >= manyFiles {
		heap.Expect(n)
	}
	w := &world{ws: ws, opts: opts, names: names, used: map[*source.File]bool{}, noted: map[*source.File]bool{}, included: map[string]bool{}, extended: map[string]bool{}, kinds: map[*source.File]Kind{}, stream: stream}
	w.cluster = &scope{kind: "kubernetes", name: clusterScope, dir: "."}
	scans, err := w.scan(ctx, names)
	if err != nil {
		return nil, err
	}
	for _, s := range scans {
		w.docs = append(w.docs, s.docs...)
		w.problems = append(w.problems, s.problems...)
		w.skipped = append(w.skipped, s.skipped...)
	}
	read := map[*source.File]bool{}
	for _, d := range w.docs {
		read[d.File] = true
		if _, seen := w.kinds[d.File]; !seen {
			w.kinds[d.File] = d.Kind
		}
	}
	w.objects()
	set := &Set{Documents: w.docs, Looked: len(names), Workspace: ws}
	n := 0
	w.stacks(func(s *model.Stack) {
		n++
		for _, f := range s.Files {
			read[f] = true
		}
		yield(s)
	})
	set.Problems, set.Skipped = w.problems, w.skipped
	sort.SliceStable(set.Skipped, func(i, j int) bool { return set.Skipped[i].File < set.Skipped[j].File })
	set.Read = len(read)
	if n == 0 {
		set.NearMisses = nearMisses(scans)
	}
	return set, nil
}

// scanned is what one file holds.
type scanned struct {
	name     string
	docs     []*Document
	problems []Problem
	skipped  []Skip
	near     string // why it almost was something
}

// scan reads and classifies files on all cores, in the order of names.
func (w *world) scan(ctx context.Context, names []string) ([]*scanned, error) {
	out := make([]*scanned, len(names))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			var scratch source.Scratch
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(names) {
					return
				}
				out[i] = w.scanFile(names[i], &scratch)
			}
		})
	}
	wg.Wait()
	return out, ctx.Err()
}

// foreignReasons say why files of other tools are left out.
var foreignReasons = []struct{ ext, what string }{
	{".tf", "Terraform"}, {".tfvars", "Terraform"}, {".hcl", "HCL"}, {".tftpl", "a Terraform template"}, {".jsonnet", "Jsonnet"}, {".libsonnet", "Jsonnet"},
	{".nix", "Nix"}, {".j2", "a Jinja template"}, {".jinja", "a Jinja template"}, {".jinja2", "a Jinja template"}, {".tpl", "a Helm template"}, {".gotmpl", "a Go template"},
}

// scanFile reads one file into documents.
func (w *world) scanFile(name string, scratch *source.Scratch) *scanned {
	s := &scanned{name: name}
	fm := formatOf(name, nil)
	if fm == formatNone && path.Ext(name) != "" {
		return s
	}
	f, err := w.ws.Read(name)
	if err != nil {
		if fm != formatNone {
			s.skipped = append(s.skipped, Skip{name, reasonOf(err)})
		}
		return s
	}
	if fm == formatNone {
		fm = formatOf(name, f.Bytes)
	}
	if isBinary(f.Bytes) && fm != formatNone && !isUTF16(f.Bytes) {
		s.skipped = append(s.skipped, Skip{name, "binary file"})
		return s
	}
	if isUTF16(f.Bytes) && fm != formatNone {
		if mentions(bytes.ReplaceAll(f.Bytes, []byte{0}, nil)) {
			s.problems = append(s.problems, Problem{File: f, Text: "file is UTF-16, not UTF-8"})
		}
		return s
	}
	add := func(k Kind) { s.docs = append(s.docs, &Document{Kind: k, File: f}) }
	has := func(words ...string) bool {
		for _, x := range words {
			if strings.Contains(string(f.Bytes), x) {
				return true
			}
		}
		return false
	}
	switch fm {
	case formatYAML, formatJSON:
		w.scanYAML(s, f, scratch)
	case formatEnv:
		add(EnvText)
	case formatShell:
		if has("litellm", "vllm", "sglang", "dynamo", "docker run", "podman run") {
			add(Shell)
		}
	case formatDockerfile:
		if has("litellm", "vllm", "sglang", "dynamo") {
			add(Dockerfile)
		}
	case formatSystemd:
		if has("litellm", "vllm", "sglang", "dynamo", "docker run", "podman run") {
			add(Systemd)
		}
	case formatINI:
		if has("[pgbouncer]") {
			add(PgBouncerINI)
		}
	case formatConf:
		if has("max_connections") {
			add(PostgresConf)
		}
	case formatRequirements:
		if has("litellm", "vllm") {
			add(Requirements)
		}
	case formatForeign:
		if has("litellm", "vllm") {
			for _, r := range foreignReasons {
				if strings.HasSuffix(name, r.ext) {
					s.skipped = append(s.skipped, Skip{name, r.what + " is not read"})
					break
				}
			}
		}
	}
	return s
}

func isUTF16(b []byte) bool {
	return len(b) > 1 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff)
}

func reasonOf(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, ": "); i >= 0 {
		return s[i+2:]
	}
	return s
}

// scanYAML reads a YAML or JSON file. A file that its parser refuses is a problem only when it speaks of what
// agentlint knows; a pure template is skipped with a note.
func (w *world) scanYAML(s *scanned, f *source.File, scratch *source.Scratch) {
	if !worthParsing(f.Bytes) {
		return
	}
	if d := w.glance(f, scratch); d != nil {
		s.docs = append(s.docs, d)
		return
	}
	docs, err := w.ws.yaml(f)
	if err != nil {
		switch {
		case isTemplate(f.Bytes), helmTemplate(f.Bytes):
			if mentions(f.Bytes) {
				s.skipped = append(s.skipped, Skip{f.Path, "a template as a whole: its values are not known before it is rendered"})
			}
			return
		case mentions(f.Bytes):
			p := Problem{File: f, Text: err.Error()}
			if se, ok := err.(*source.SyntaxError); ok {
				p.Span = source.Span{Start: se.Offset, End: se.Offset}
				p.Text = se.Msg
			}
			if strings.HasSuffix(f.Path, ".json") {
				// JSON with comments and the like belongs to editors, so this is no finding.
				s.skipped = append(s.skipped, Skip{f.Path, fmt.Sprintf("line %d: no JSON: %s", f.LineAt(p.Span.Start), p.Text)})
				break
			}
			s.problems = append(s.problems, p.behind(docs))
		}
	}
	for _, d := range docs {
		if d.Root == nil {
			continue
		}
		kind, alias := classify(d.Root)
		if kind == "" {
			if s.near == "" {
				s.near = nearReason(d.Root)
			}
			continue
		}
		s.docs = append(s.docs, &Document{Kind: kind, File: f, Root: d.Root, Index: d.Index, Alias: alias})
	}
	if len(docs) == 1 && len(s.docs) == 1 && mayWait(s.docs[0]) {
		w.held.Add(int64(len(f.Bytes)))
	}
}

// glance classifies a file whose tree need not be kept; nil says that it must be. Then it is read as any other.
func (w *world) glance(f *source.File, scratch *source.Scratch) *Document {
	if !w.stream || w.held.Load() < maxHeld || looksLikeJSON(f) {
		return nil
	}
	scratch.Reset()
	docs, err := source.ParseYAMLIn(f, scratch)
	if err != nil || len(docs) != 1 || docs[0].Root == nil {
		return nil
	}
	d := &Document{File: f, Root: docs[0].Root}
	d.Kind, d.Alias = classify(d.Root)
	if !mayWait(d) {
		return nil
	}
	d.Root = nil
	return d
}

// mentions reports whether a file speaks of a product agentlint knows.
func mentions(b []byte) bool {
	t := string(b)
	for _, m := range []string{"litellm", "vllm", "model_list", "sglang", "dynamo"} {
		if strings.Contains(t, m) {
			return true
		}
	}
	return false
}

// nearReason says why a document is almost a LiteLLM config, "" when it is not.
func nearReason(root *source.Node) string {
	m := root.Deref()
	if m == nil || m.Kind != source.Map {
		return ""
	}
	switch {
	case m.Get("model_list") != nil:
		return "has a model_list whose entries have neither model_name nor litellm_params"
	case m.Get("general_settings") != nil:
		return "has general_settings and nothing else that only LiteLLM has"
	case m.Get("litellm") != nil || m.Get("vllm") != nil:
		return "has a litellm or vllm key that holds none of the charts' values"
	}
	return ""
}

func nearMisses(scans []*scanned) []Skip {
	var out []Skip
	for _, s := range scans {
		switch {
		case len(out) == 3:
			return out
		case s.near != "":
			out = append(out, Skip{s.name, s.near})
		}
	}
	for _, s := range scans {
		if len(out) < 3 && len(s.skipped) > 0 {
			out = append(out, s.skipped[0])
		}
	}
	return out
}

// objects turns documents into the things they describe.
func (w *world) objects() {
	for _, d := range w.docs {
		switch d.Kind {
		case LiteLLMConfig, LiteLLMFragment:
			w.configs = append(w.configs, &configFile{doc: d})
		case EnvText:
			w.envFiles = append(w.envFiles, d)
		case Requirements:
			w.requirements = append(w.requirements, d)
		case PromRules:
			w.promRules(w.cluster, d.File, d.Root)
		case Dashboard:
			w.dashboard(w.cluster, d.File, d.Root)
		case AdapterRules:
			w.adapterRules(w.cluster, d.File, d.Root)
		case RayServe:
			w.rayFile(d)
		}
	}
	// What requirement files and lock files pin goes before a project's own range.
	slices.SortStableFunc(w.requirements, func(a, b *Document) int {
		switch pa, pb := isProject(a.File.Path), isProject(b.File.Path); {
		case pa == pb:
			return 0
		case pa:
			return 1
		}
		return -1
	})
	w.composeProjects()
	w.kubernetes()
	w.scripts()
	w.stackgresClusters()
	for i := 0; i < len(w.later); i++ {
		w.later[i]()
	}
	w.charts()
	w.dockerfiles()
	w.resolveEnv()
	w.containerScripts()
}

// kindOf returns the kind of a file's first document, for the list of files.
func (w *world) kindOf(f *source.File) Kind {
	if k, ok := w.kinds[f]; ok {
		return k
	}
	switch formatOf(f.Path, f.Bytes) {
	case formatEnv:
		return EnvText
	case formatINI:
		return PgBouncerINI
	case formatConf:
		return PostgresConf
	case formatDockerfile:
		return Dockerfile
	}
	return "other"
}

// yamlOf returns the documents of a file, also of a nested one.
func (w *Workspace) yamlOf(f *source.File) ([]source.Document, error) {
	if host, _ := f.Host(); host != nil {
		return parseTree(f)
	}
	return w.yaml(f)
}
