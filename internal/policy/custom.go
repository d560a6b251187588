package policy

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
	"agentlint/policies"
)

// CustomPrefix starts the ids of users' policies, so that they never meet those of later built-in rules.
const CustomPrefix = "custom/"

// CustomPackage is the package below which everything lives that users write.
const CustomPackage = "agentlint.custom"

// IsCustom reports whether an id is that of a user's policy.
func IsCustom(id string) bool { return strings.HasPrefix(id, CustomPrefix) }

// The bounds of users' policies. A file of maxPolicyFile bytes cannot hold anything so nested that the compiler, which
// is recursive, runs out of stack.
const (
	maxPolicyFile = 256 << 10
	maxPolicies   = 2000
	maxSourceSize = 16 << 20
)

// File is one file of users' policies.
type File struct {
	// Name is how messages name the file. Path is its place below the directory or bundle it was found in, with slashes.
	Name, Path string
	Text       string
	// Data is the content of a document, which stands below data at the folders of Path; nil for Rego.
	Data map[string]any
	// Bundled is true for files of an OPA bundle, in which agentlint's own policies may stand beside the users'.
	Bundled bool
}

// IsTest reports whether a file holds tests.
func (f *File) IsTest() bool { return strings.HasSuffix(f.Name, "_test.rego") }

// Custom are the policies of users, checked and compiled. It is safe for concurrent use.
type Custom struct {
	// Advice is what could be better about the policies. It is filled by [LoadCustom] when it is asked for.
	Advice Problems

	list     []*Policy
	units    map[string]*customUnit
	modules  map[string]*ast.Module
	tests    map[string]bool
	sources  []File
	data     map[string]any
	compiler *ast.Compiler
	store    storage.Store
	txn      storage.Transaction
	budget   Budget

	cover *coverage // what was evaluated, nil when nobody asks

	// running is held for reading by evaluations, and for writing by one that must have the memory to itself.
	running sync.RWMutex
	spent   atomic.Int64 // steps of the whole run

	mu     sync.Mutex
	costs  map[string]int64  // steps by id
	broken map[string]string // policies that are not evaluated any more, with the reason
}

// customUnit is what is evaluated of one policy.
type customUnit struct {
	pkg                 string
	findings, unchecked ast.Body // nil when the policy has no such rule
}

// CustomOptions say how users' policies are checked and bounded.
type CustomOptions struct {
	// Tests compiles test files too. Advise looks for what could be better.
	Tests, Advise bool
	// Budget bounds evaluations; its zero fields are those of [DefaultCustomBudget].
	Budget Budget

	// Cover notes what is evaluated.
	Cover bool

	loadTime time.Duration // of the compilation, for tests
}

// Policies returns the policies in the order of ids. The slice must not be changed.
func (c *Custom) Policies() []*Policy {
	if c == nil {
		return nil
	}
	return c.list
}

// Meta returns the metadata of a policy by its id or a former one, nil when there is none.
func (c *Custom) Meta(id string) *model.Meta {
	for _, p := range c.Policies() {
		if m, err := p.Meta(); err == nil && (m.ID == id || slices.Contains(m.Aliases, strings.TrimPrefix(id, CustomPrefix))) {
			return m
		}
	}
	return nil
}

// Metas returns the metadata of all policies in the order of ids.
func (c *Custom) Metas() []*model.Meta {
	var out []*model.Meta
	for _, p := range c.Policies() {
		if m, err := p.Meta(); err == nil {
			out = append(out, m)
		}
	}
	return out
}

// LoadCustom checks and compiles users' policies. The error is of type [Problems] and names the place of each mistake.
func LoadCustom(ctx context.Context, files []File, o CustomOptions) (*Custom, error) {
	l := newCustomLoader(files, o)
	var problems Problems
	if err := guarded(ctx, cmp.Or(o.loadTime, loadTime), func() { problems = l.load() }); err != nil {
		return nil, Problems{{File: culprit(ctx, files, o), Message: "cannot be compiled: " + err.Error()}}
	}
	if len(problems) > 0 {
		return nil, problems.sorted()
	}
	l.c.Advice = l.advice.sorted()
	if o.Cover {
		l.c.cover = &coverage{hits: map[string]map[int]bool{}}
	}
	return l.c, nil
}

func newCustomLoader(files []File, o CustomOptions) *customLoader {
	return &customLoader{
		opts: o,
		c: &Custom{
			units: map[string]*customUnit{}, modules: map[string]*ast.Module{}, tests: map[string]bool{}, costs: map[string]int64{}, broken: map[string]string{},
			sources: files, budget: o.Budget.orCustom(), data: map[string]any{},
		},
		byID: map[string]string{}, packages: map[string][]string{},
	}
}

// oneTime bounds the compilation of one policy, when all of them took too long.
const oneTime = time.Second

// culprit returns the file without which policies could be compiled in time.
func culprit(ctx context.Context, files []File, o CustomOptions) string {
	var helpers []File
	for _, f := range files {
		if !strings.Contains(f.Text, "findings") {
			helpers = append(helpers, f)
		}
	}
	for _, f := range files {
		if f.Data != nil {
			continue
		}
		l := newCustomLoader(append(helpers[:len(helpers):len(helpers)], f), o)
		if err := guarded(ctx, oneTime, func() { l.load() }); err != nil {
			return f.Name
		}
	}
	return "policies"
}

// customLoader builds a [Custom].
type customLoader struct {
	opts     CustomOptions
	c        *Custom
	byID     map[string]string   // file by id
	packages map[string][]string // files of policies by package
	library  map[string]bool     // rules of the library that are used
	problems Problems
	advice   Problems
}

func (l *customLoader) fail(file string, at *ast.Location, format string, args ...any) {
	p := Problem{File: file, Message: fmt.Sprintf(format, args...)}
	if at != nil {
		p.Line, p.Column = at.Row, at.Col
	}
	l.problems = append(l.problems, p)
}

func (l *customLoader) load() Problems {
	size := 0
	for i := range l.c.sources {
		f := &l.c.sources[i]
		if size += len(f.Text); size > maxSourceSize || i >= maxPolicies {
			l.fail(f.Name, nil, "there are more policies than %d files or %d MiB", maxPolicies, maxSourceSize>>20)
			return l.problems
		}
		switch {
		case f.Data != nil:
			l.document(f)
		case f.IsTest() && !l.opts.Tests:
		default:
			l.module(f)
		}
	}
	if len(l.problems) > 0 {
		return l.problems
	}
	slices.SortFunc(l.c.list, func(a, b *Policy) int { return strings.Compare(a.ID, b.ID) })
	l.references()
	if len(l.problems) > 0 {
		return l.problems
	}
	l.compile()
	if len(l.problems) == 0 && l.opts.Advise {
		l.advise()
	}
	return l.problems
}

// document adds a data document. Users' documents stand below the same package as their policies.
func (l *customLoader) document(f *File) {
	value := any(f.Data)
	if dir := path.Dir(f.Path); dir != "." {
		folders := strings.Split(dir, "/")
		for _, name := range slices.Backward(folders) {
			value = map[string]any{name: value}
		}
	}
	root, _ := value.(map[string]any)
	agentlint, _ := root["agentlint"].(map[string]any)
	for _, top := range slices.Sorted(maps.Keys(root)) {
		if top != "agentlint" && !f.Bundled {
			l.fail(f.Name, nil, "data.%s: documents live under data.%s, as {\"agentlint\": {\"custom\": ...}}", top, CustomPackage)
			return
		}
	}
	for _, second := range slices.Sorted(maps.Keys(agentlint)) {
		if second != "custom" {
			if f.Bundled {
				continue
			}
			l.fail(f.Name, nil, "data.agentlint.%s is agentlint's own: documents live under data.%s", second, CustomPackage)
			return
		}
		custom, ok := agentlint[second].(map[string]any)
		if !ok || !mergeData(l.c.data, custom) {
			l.fail(f.Name, nil, "data.%s: two documents say different things", CustomPackage)
		}
	}
}

// mergeData adds the entries of a document to another one, and reports whether they agree.
func mergeData(to, from map[string]any) bool {
	for k, v := range from {
		old, there := to[k]
		if !there {
			to[k] = v
			continue
		}
		a, ok1 := old.(map[string]any)
		b, ok2 := v.(map[string]any)
		if !ok1 || !ok2 || !mergeData(a, b) {
			return false
		}
	}
	return true
}

// module parses one file and finds out what it is: a policy, a helper or a test.
func (l *customLoader) module(f *File) {
	m := l.parse(f)
	if m == nil {
		return
	}
	pkg := packagePath(m)
	at := m.Package.Location
	if !under(pkg, CustomPackage) {
		if f.Bundled {
			return // agentlint's own policies, or those of another program in the same bundle
		}
		text := strings.Join(pkg, ".")
		if under(pkg, "agentlint") {
			l.fail(f.Name, at, "package %s is agentlint's own: policies live under %s.<category>, such as %s.images", text, CustomPackage, CustomPackage)
		} else {
			l.fail(f.Name, at, "package %s: policies live under %s.<category>, such as %s.images.%s", text, CustomPackage, CustomPackage, identifier(f.Name))
		}
		return
	}
	if old := l.c.modules[f.Name]; old != nil {
		l.fail(f.Name, nil, "is given twice")
		return
	}
	if f.IsTest() {
		l.c.modules[f.Name], l.c.tests[f.Name] = m, true
		return
	}
	rules := ruleNames(m)
	_, finds := rules["findings"]
	_, misses := rules["unchecked"]
	for _, r := range m.Rules {
		if name := ruleName(r); (name == "findings" || name == "unchecked") && r.Head.RuleKind() != ast.MultiValue {
			l.fail(f.Name, r.Location, "%s must be a set: write %s contains {...} if {...}", name, name)
			return
		}
	}
	l.c.modules[f.Name] = m
	if finds || misses {
		l.policy(f, m, pkg)
		return
	}
	// A file with the documentation of a policy and no findings is one that somebody forgot to finish.
	if text, _, _, err := splitHeader(f.Text); err == nil && strings.Contains(text, "severity:") {
		hint := ""
		for _, other := range []string{"deny", "violation", "warn", "finding"} {
			if at := rules[other]; at != nil {
				hint = fmt.Sprintf(" (it has %s: agentlint asks for findings)", other)
			}
		}
		l.fail(f.Name, at, "the policy has no findings%s: write findings contains {\"at\": [...], ...} if {...}", hint)
	}
}

// policy adds the policy of one module.
func (l *customLoader) policy(f *File, m *ast.Module, pkg []string) {
	at := m.Package.Location
	h, problems := parseHeader(f.Name, f.Text)
	if len(problems) > 0 {
		l.problems = append(l.problems, problems...)
		return
	}
	if len(pkg) < 3 {
		l.fail(f.Name, at, "package %s has no category: policies live under %s.<category>, such as %s.images", CustomPackage, CustomPackage, CustomPackage)
		return
	}
	name := strings.Join(pkg, ".")
	id := strings.Join(pkg[3:], "-")
	if id == "" {
		id = identifier(f.Name)
	}
	id = strings.ReplaceAll(id, "_", "-")
	if other := l.packages[name]; len(other) > 0 {
		l.fail(f.Name, at, "package %s holds the policy of %s already, and their findings would be one: write package %s.%s", name, other[0], strings.Join(pkg[:3], "."), strings.ReplaceAll(identifier(f.Name), "-", "_"))
		return
	}
	l.packages[name] = append(l.packages[name], f.Name)
	if !model.IsID(id) {
		l.fail(f.Name, at, "id %q: want lower-case words and digits, joined by -", id)
		return
	}
	if other, ok := l.byID[id]; ok {
		l.fail(f.Name, at, "there are two policies with the id %s: the other one is %s", CustomPrefix+id, other)
		return
	}
	l.byID[id] = f.Name
	h.ID = CustomPrefix + id
	category := strings.ReplaceAll(pkg[2], "_", "-")
	switch {
	case h.Category == "":
		h.Category = category
	case strings.ReplaceAll(h.Category, "_", "-") != category:
		l.headerFault(f, h, "category", "category %q is not that of package %s", h.Category, name)
	}
	if !l.header(f, h) {
		return
	}
	e := policies.Entry{
		ID: h.ID, File: f.Name, Category: h.Category, Severity: h.Severity, Confidence: h.Confidence, Fix: h.Fix,
		Inputs: h.Inputs, When: h.When, Applies: h.Applies, Parameters: h.Parameters,
	}
	p := newPolicy(e, func() (string, error) { return f.Text, nil })
	p.header = func() (*Header, error) { return h, nil }
	p.unit = func() *plan.Unit { return nil }
	p.custom = true
	unit := &customUnit{pkg: name}
	for _, r := range m.Rules {
		switch ruleName(r) {
		case "findings":
			unit.findings = answerQuery(pkg, "findings")
		case "unchecked":
			unit.unchecked = answerQuery(pkg, "unchecked")
		}
	}
	l.c.units[h.ID] = unit
	l.c.list = append(l.c.list, p)
}

// answerQuery is answer = data.<package>.<rule>.
func answerQuery(pkg []string, rule string) ast.Body {
	ref := ast.Ref{ast.DefaultRootDocument}
	for _, name := range pkg {
		ref = append(ref, ast.StringTerm(name))
	}
	ref = append(ref, ast.StringTerm(rule))
	return ast.NewBody(ast.Equality.Expr(ast.VarTerm(answerVar), ast.NewTerm(ref)))
}

// answerVar is the variable of a query that holds its answer.
const answerVar = "answer"

func (l *customLoader) headerFault(f *File, h *Header, key, format string, args ...any) {
	at := h.at(key)
	l.problems = append(l.problems, Problem{File: f.Name, Line: at.line, Column: at.column, Message: "METADATA: " + fmt.Sprintf(format, args...)})
}

// header checks what a policy says of itself, and reports whether it may go on.
func (l *customLoader) header(f *File, h *Header) bool {
	before := len(l.problems)
	if len(h.Inputs) == 0 {
		h.Inputs = []string{"stack"} // which every stack has
	}
	if _, ok := h.places["confidence"]; !ok {
		h.Confidence = model.High
	}
	var missing []string
	for _, x := range [...]struct {
		key  string
		gone bool
	}{{"title", h.Title == ""}, {"description", h.Why == ""}, {"severity", h.Severity == model.Undecided}, {"remedy", h.Remedy == ""}} {
		if _, ok := h.places[x.key]; x.gone && !ok {
			missing = append(missing, x.key)
		} else if x.gone {
			l.headerFault(f, h, x.key, "%s is empty or not allowed", x.key)
		}
	}
	if len(missing) > 0 {
		l.headerFault(f, h, "", "%s %s missing (title and description stand by themselves, the rest under custom:)", strings.Join(missing, ", "), isAre(len(missing)))
	}
	for key, names := range map[string][]string{"inputs": h.Inputs, "when": h.When} {
		for _, name := range names {
			if message := wrongInput(name); message != "" {
				l.headerFault(f, h, key, "%s %q: %s", key, name, message)
			}
		}
	}
	if _, err := model.NewGate(h.Inputs, h.When, h.Applies); err != nil {
		l.headerFault(f, h, "applies", "%s", err)
	}
	for _, err := range h.CheckOwn() {
		l.headerFault(f, h, err.Key, "%s", err.Text)
	}
	return len(l.problems) == before
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// wrongInput returns what is wrong with the name of an input, "" when nothing is.
func wrongInput(name string) string {
	if rest, ok := strings.CutPrefix(name, "engine."); ok {
		name = "engines.*." + rest
	}
	var p []any
	for element := range strings.SplitSeq(name, ".") {
		if element == "*" {
			p = append(p, anyElement{})
		} else {
			p = append(p, element)
		}
	}
	message, _ := wrongPath(p)
	return message
}

// parse reads one Rego file.
func (l *customLoader) parse(f *File) *ast.Module {
	switch {
	case len(f.Text) > maxPolicyFile:
		l.fail(f.Name, nil, "the file is larger than %d KiB", maxPolicyFile>>10)
		return nil
	case !utf8.ValidString(f.Text):
		l.fail(f.Name, nil, "the file is no UTF-8 text")
		return nil
	}
	src := withoutHeader(strings.TrimPrefix(f.Text, "\ufeff"))
	if nested(src) {
		_, _, errs := ast.NewParser().WithFilename(f.Name).WithReader(strings.NewReader(src)).WithCapabilities(capabilities()).
			WithRegoVersion(ast.RegoV1).WithMaxRecursionDepth(maxNesting).Parse()
		if len(errs) > 0 {
			l.failures(errs)
			return nil
		}
	}
	m, err := ast.ParseModuleWithOpts(f.Name, src, ast.ParserOptions{Capabilities: capabilities(), RegoVersion: ast.RegoV1})
	if err != nil {
		if errs, ok := err.(ast.Errors); ok {
			l.failures(errs)
		} else {
			l.fail(f.Name, nil, "%s", err)
		}
		return nil
	}
	if m == nil || m.Package == nil {
		l.fail(f.Name, nil, "the file holds no policy")
		return nil
	}
	return m
}

// maxNesting bounds how deep terms are nested in each other.
const maxNesting = 500

// nested reports whether a source may be nested so deep that it is worth a look.
func nested(src string) bool {
	n := 0
	for i := range len(src) {
		switch src[i] {
		case '[', '(', '{':
			n++
		}
	}
	return n > maxNesting || len(src) > 16<<10
}

func packagePath(m *ast.Module) []string {
	var out []string
	for _, t := range m.Package.Path[1:] {
		s, _ := t.Value.(ast.String)
		out = append(out, string(s))
	}
	return out
}

// under reports whether a package path lies at or below a dotted one.
func under(pkg []string, dotted string) bool {
	root := strings.Split(dotted, ".")
	return len(pkg) >= len(root) && slices.Equal(pkg[:len(root)], root)
}

// identifier returns the id that a file's name stands for.
func identifier(file string) string {
	base := path.Base(strings.ReplaceAll(file, `\`, "/"))
	base = strings.TrimSuffix(base, ".rego")
	return strings.ReplaceAll(base, "_", "-")
}

// ruleNames returns the names of a module's rules with their places.
func ruleNames(m *ast.Module) map[string]*ast.Location {
	out := map[string]*ast.Location{}
	for _, r := range m.Rules {
		if name := ruleName(r); out[name] == nil {
			out[name] = r.Location
		}
	}
	return out
}

// compile compiles all modules with the parts of the library that they use, typed by the input's schema.
func (l *customLoader) compile() {
	modules := maps.Clone(l.c.modules)
	if len(l.library) > 0 {
		src, err := librarySource(l.library)
		if err == nil {
			modules[libDir], err = parseModule(libDir, src)
		}
		if err != nil {
			l.fail("policies", nil, "%s", err)
			return
		}
	}
	schema, err := inputSchema()
	if err != nil {
		l.fail("policies", nil, "%s", err)
		return
	}
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.SchemaRootRef, schema)
	c := ast.NewCompiler().WithCapabilities(capabilities()).WithDefaultRegoVersion(ast.RegoV1).WithSchemas(schemas).WithUseTypeCheckAnnotations(true).
		WithEnablePrintStatements(l.opts.Tests)
	if c.Compile(modules); c.Failed() {
		l.compileFailures(c)
		return
	}
	l.c.compiler = c
	l.c.store = inmem.NewFromObject(map[string]any{"agentlint": map[string]any{"custom": l.c.data}})
	if l.c.txn, err = l.c.store.NewTransaction(context.Background()); err != nil {
		l.fail("policies", nil, "open the data: %s", err)
	}
}

// BundleFile is a policy of users as bundles hold it.
type BundleFile struct {
	File
	Meta    *model.Meta
	Package string // as a reference below data
}

// Bundle returns the policies of users, and the helpers that they use; tests are left out.
func (c *Custom) Bundle() (mine []BundleFile, helpers []File) {
	if c == nil {
		return nil, nil
	}
	for _, f := range c.sources {
		m := c.modules[f.Name]
		if m == nil || f.IsTest() {
			continue
		}
		i := slices.IndexFunc(c.list, func(p *Policy) bool { return p.File == f.Name })
		if i < 0 {
			helpers = append(helpers, f)
			continue
		}
		meta, err := c.list[i].Meta()
		if err != nil {
			continue
		}
		mine = append(mine, BundleFile{f, meta, strings.TrimPrefix(m.Package.Path.String(), "data.")})
	}
	return mine, helpers
}

// Data returns the documents of users, as they stand below data.agentlint.custom.
func (c *Custom) Data() map[string]any {
	if c == nil {
		return map[string]any{}
	}
	return c.data
}
