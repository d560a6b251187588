// Package policy runs rules that are written in Rego. It hosts OPA's compiler and evaluator as a library: policies
// see a stack as plain values and answer with findings in paths, and one query evaluates all that a run enables.
package policy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"

	"agentlint/internal/model"
	"agentlint/internal/policy/plan"
	"agentlint/policies"
)

// Policy is one rule in Rego. Its METADATA is read when it is asked for.
type Policy struct {
	policies.Entry

	gate   func() (*model.Gate, error)
	header func() (*Header, error)
	source func() (string, error)
	unit   func() *plan.Unit
	// custom is true for a policy of users.
	custom bool
}

func newPolicy(e policies.Entry, source func() (string, error)) *Policy {
	p := &Policy{Entry: e, source: source, unit: func() *plan.Unit { return nil }}
	p.gate = sync.OnceValues(func() (*model.Gate, error) { return model.NewGate(e.Inputs, e.When, e.Applies) })
	p.header = sync.OnceValues(func() (*Header, error) {
		src, err := source()
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", e.File, err)
		}
		return ParseHeader(e.File, src)
	})
	return p
}

// Builtin returns the policies that are part of agentlint, in the order of ids. The slice must not be changed.
var Builtin = sync.OnceValue(func() []*Policy {
	list := make([]*Policy, 0, len(policies.Index()))
	for _, e := range policies.Index() {
		p := newPolicy(e, func() (string, error) { return policies.Read(e.File) })
		p.unit = sync.OnceValue(p.plan)
		list = append(list, p)
	}
	return list
})

// Meta reads the policy's METADATA.
func (p *Policy) Meta() (*model.Meta, error) {
	h, err := p.header()
	if err != nil {
		return nil, err
	}
	return &h.Meta, nil
}

// Open reports whether the policy has anything to do in a stack: its first input exists, one of its when paths
// does, and its version ranges hold.
func (p *Policy) Open(s *model.Stack) bool {
	g, err := p.gate()
	return err != nil || g.Open(s)
}

// Host evaluates policies. It compiles what it is asked to run when it is first asked, and is safe for concurrent
// use.
type Host struct {
	byID map[string]*Policy
	opts Options

	defaults func() *plan.Object // of the parameters

	mu      sync.Mutex // held while compiling
	grown   int
	broken  map[string]error // policies that do not compile
	current atomic.Pointer[program]
}

// Options say how a host checks and bounds what it runs.
type Options struct {
	// Strict runs the compiler's checks, with the input's schema when it is not nil, and makes errors of builtin
	// functions faults instead of undefined values. Built-in policies pass these checks in their tests, so a run does
	// without.
	Strict bool
	Schema any
	// Interpret compiles the source of policies that have a plan too. Strict does the same.
	Interpret bool
	// Budget bounds the evaluation of one stack.
	Budget Budget
}

// NewHost returns a host of some policies.
func NewHost(list []*Policy, o Options) *Host {
	h := &Host{byID: make(map[string]*Policy, len(list)), opts: o}
	for _, p := range list {
		h.byID[p.ID] = p
	}
	h.defaults = sync.OnceValue(func() *plan.Object {
		o := parametersObject(list, nil)
		o.Sort()
		return o
	})
	return h
}

// Default returns the host of the built-in policies. There is one for the process, so that each is compiled once.
var Default = sync.OnceValue(func() *Host { return NewHost(Builtin(), Options{}) })

// program is a set of compiled policies.
type program struct {
	ids      map[string]bool
	compiler *ast.Compiler
	query    ast.Body
	store    storage.Store
	txn      storage.Transaction
}

func (pr *program) covers(list []*Policy) bool {
	return !slices.ContainsFunc(list, func(p *Policy) bool { return !pr.ids[p.ID] })
}

// maxGrown is how often a host compiles for policies it had not been asked for before; the next time it compiles
// all it has.
const maxGrown = 2

// program returns compiled policies that include those of list.
func (h *Host) program(list []*Policy) (*program, error) {
	if pr := h.current.Load(); pr != nil && pr.covers(list) {
		return pr, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	old := h.current.Load()
	ids := make(map[string]bool, len(list))
	if old != nil {
		if old.covers(list) {
			return old, nil
		}
		for id := range old.ids {
			ids[id] = true
		}
		if h.grown++; h.grown > maxGrown {
			for id := range h.byID {
				ids[id] = true
			}
		}
	}
	for _, p := range list {
		ids[p.ID] = true
	}
	pr, err := h.compile(ids)
	if err != nil {
		return nil, err
	}
	h.current.Store(pr)
	return pr, nil
}

// Prepare compiles policies ahead of their first use.
func (h *Host) Prepare(list []*Policy) error {
	if _, list = h.split(list); len(list) == 0 {
		return nil
	}
	_, err := h.program(list)
	return err
}

// checks are the compiler's stages that only refuse modules. Built-in policies pass them in their tests.
func checks() []ast.StageID {
	return []ast.StageID{
		ast.StageCheckUnusedImports, ast.StageCheckKeywordOverrides, ast.StageCheckDuplicateImports, ast.StageCheckVoidCalls,
		ast.StageCheckRuleConflicts, ast.StageCheckUndefinedFuncs, ast.StageCheckRecursion, ast.StageCheckTypes,
		ast.StageCheckUnsafeBuiltins, ast.StageCheckDeprecatedBuiltins, ast.StageBuildRequiredCapabilities,
	}
}

// compile compiles the policies with some ids, and the files of the library that they need.
func (h *Host) compile(ids map[string]bool) (*program, error) {
	modules := make(map[string]*ast.Module, len(ids)+4)
	add := func(name string, read func() (string, error)) error {
		if modules[name] != nil {
			return nil
		}
		src, err := read()
		if err != nil {
			return fmt.Errorf("read policy %s: %w", name, err)
		}
		m, err := parseModule(name, src)
		if err != nil {
			return err
		}
		modules[name] = m
		return nil
	}
	if err := add(policies.Main, func() (string, error) { return policies.Read(policies.Main) }); err != nil {
		return nil, err
	}
	needed := map[string]bool{}
	for id := range ids {
		p := h.byID[id]
		if err := add(p.File, p.source); err != nil {
			return nil, err
		}
		for _, rule := range p.Lib {
			needed[rule] = true
		}
	}
	if len(needed) > 0 {
		if err := add(libDir, func() (string, error) { return librarySource(needed) }); err != nil {
			return nil, err
		}
	}
	c := ast.NewCompiler().WithCapabilities(capabilities()).WithDefaultRegoVersion(ast.RegoV1)
	switch {
	case !h.opts.Strict:
		c = c.WithSkipStages(checks()...)
	case h.opts.Schema != nil:
		schemas := ast.NewSchemaSet()
		schemas.Put(ast.SchemaRootRef, h.opts.Schema)
		c = c.WithSchemas(schemas).WithUseTypeCheckAnnotations(true).WithStrict(true)
	default:
		c = c.WithStrict(true)
	}
	if c.Compile(modules); c.Failed() {
		return nil, fmt.Errorf("compile policies: %w", c.Errors)
	}
	store := inmem.New()
	txn, err := store.NewTransaction(context.Background())
	if err != nil {
		return nil, fmt.Errorf("open policy store: %w", err)
	}
	return &program{ids: ids, compiler: c, query: findingsQuery(), store: store, txn: txn}, nil
}

// librarySource returns one module with some rules of the library. In its files each rule is a paragraph, with
// comments above it, so that nothing else need be parsed.
func librarySource(needed map[string]bool) (string, error) {
	var b strings.Builder
	b.WriteString("package agentlint.lib\n")
	for _, name := range policies.Files() {
		if name == policies.Main || !strings.HasPrefix(name, libDir+"/") {
			continue
		}
		src, err := policies.Read(name)
		if err != nil {
			return "", err
		}
		for paragraph := range strings.SplitSeq(src, "\n\n") {
			for strings.HasPrefix(paragraph, "#") {
				_, paragraph, _ = strings.Cut(paragraph, "\n")
			}
			if needed[leadingName(paragraph)] {
				b.WriteString(paragraph)
				b.WriteByte('\n')
			}
		}
	}
	return b.String(), nil
}

func leadingName(s string) string {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			return s[:i]
		}
	}
	return s
}

// findingsVar is the variable of the query that holds its answer.
const findingsVar = "findings"

// findingsQuery is findings = data.agentlint.main.findings.
func findingsQuery() ast.Body {
	ref := ast.Ref{ast.DefaultRootDocument, ast.StringTerm("agentlint"), ast.StringTerm("main"), ast.StringTerm("findings")}
	return ast.NewBody(ast.Equality.Expr(ast.VarTerm(findingsVar), ast.NewTerm(ref)))
}

// withoutHeader blanks the comments above the package clause, which hold a policy's documentation, keeping line
// numbers.
func withoutHeader(src string) string {
	i := strings.Index(src, "\npackage ")
	if i < 0 {
		return src
	}
	return strings.Repeat("\n", strings.Count(src[:i+1], "\n")) + src[i+1:]
}

// Run evaluates policies that are open for a stack: those that have a plan by it, the others by OPA's evaluator.
// Parameters are the user's, by rule id and name. A policy that fails has an outcome with an error and does not touch
// the others. Outcomes without findings, unchecked facts and errors are left out.
func (h *Host) Run(ctx context.Context, s *model.Stack, list []*Policy, parameters map[string]map[string]float64) []model.Outcome {
	planned, rest := h.split(list)
	out := h.runPlans(ctx, s, planned, parameters)
	if len(rest) == 0 {
		return out
	}
	out = append(out, h.interpret(ctx, s, rest, parameters)...)
	slices.SortStableFunc(out, func(a, b model.Outcome) int { return strings.Compare(a.Rule, b.Rule) })
	return out
}

// interpret evaluates policies with OPA's evaluator.
func (h *Host) interpret(ctx context.Context, s *model.Stack, list []*Policy, parameters map[string]map[string]float64) []model.Outcome {
	pr, err := h.program(list)
	errs := map[string]error{}
	if err != nil {
		// Go on with the policies that compile.
		list, errs = h.separate(list)
		if pr, err = h.program(list); err != nil {
			errs[list[0].ID], list = err, nil
		}
	}
	if len(list) == 0 {
		return failures(errs)
	}
	in := inputOf(s, enabledTerm(list), parametersTerm(list, parameters))
	answer, err := h.eval(ctx, pr, in.term())
	if err == nil {
		return append(failures(errs), h.outcomes(s, list, answer, nil)...)
	}
	// One policy failed and took the others with it: evaluate each by itself.
	var answers []ast.Set
	for _, p := range list {
		answer, err := h.eval(ctx, pr, in.enabling(p.ID))
		if err != nil {
			errs[p.ID] = fmt.Errorf("policy %s: %w", p.ID, err)
			continue
		}
		answers = append(answers, answer)
	}
	all := ast.NewSet()
	for _, a := range answers {
		a.Foreach(all.Add)
	}
	return h.outcomes(s, list, all, errs)
}

// separate returns the policies of a list that compile alone, and the errors of the others.
func (h *Host) separate(list []*Policy) (good []*Policy, errs map[string]error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken = map[string]error{}
	}
	errs = map[string]error{}
	for _, p := range list {
		err, known := h.broken[p.ID]
		if !known {
			if _, err = h.compile(map[string]bool{p.ID: true}); err != nil {
				err = fmt.Errorf("policy %s: %w", p.ID, err)
			}
			h.broken[p.ID] = err
		}
		if err != nil {
			errs[p.ID] = err
			continue
		}
		good = append(good, p)
	}
	return good, errs
}

// failures are the outcomes of policies that failed, in the order of ids.
func failures(errs map[string]error) []model.Outcome {
	var out []model.Outcome
	for _, id := range slices.Sorted(maps.Keys(errs)) {
		out = append(out, model.Outcome{Rule: id, Err: errs[id]})
	}
	return out
}

// eval returns the set of findings.
func (h *Host) eval(ctx context.Context, pr *program, input *ast.Term) (ast.Set, error) {
	cancel := h.opts.Budget.start(ctx)
	q := topdown.NewQuery(pr.query).WithCompiler(pr.compiler).WithStore(pr.store).WithTransaction(pr.txn).
		WithInput(input).WithCancel(cancel).WithStrictBuiltinErrors(h.opts.Strict)
	var set ast.Set
	err := q.Iter(ctx, func(r topdown.QueryResult) error {
		var ok bool
		if set, ok = r[ast.Var(findingsVar)].Value.(ast.Set); !ok {
			return errors.New("findings is no set")
		}
		return nil
	})
	if cancel.spent != nil {
		return nil, cancel.spent
	}
	if err == nil && set == nil {
		err = errors.New("findings is undefined")
	}
	return set, err
}

// outcomes sorts an answer by policy.
func (h *Host) outcomes(s *model.Stack, list []*Policy, answer ast.Set, errs map[string]error) []model.Outcome {
	if answer.Len() == 0 && len(errs) == 0 {
		return nil
	}
	byID := make(map[string]*model.Outcome, len(list))
	of := func(id string) *model.Outcome {
		o := byID[id]
		if o == nil {
			o = &model.Outcome{Rule: id}
			byID[id] = o
		}
		return o
	}
	for id, err := range errs {
		of(id).Err = err
	}
	answer.Foreach(func(t *ast.Term) {
		f, ok := t.Value.(ast.Object)
		if !ok {
			return // main.rego makes objects only
		}
		id := text(f.Get(ast.InternedTerm("rule")))
		p, o := h.byID[id], of(id)
		if p == nil {
			return
		}
		if fact := f.Get(ast.InternedTerm("unchecked")); fact != nil {
			o.Unchecked = append(o.Unchecked, text(fact))
			return
		}
		if err := p.decode(s, plan.FromTerm(t), o); err != nil && o.Err == nil {
			o.Err = fmt.Errorf("policy %s: %w", id, err)
		}
	})
	out := make([]model.Outcome, 0, len(byID))
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		if o := byID[id]; len(o.Findings) > 0 || len(o.Unchecked) > 0 || o.Err != nil {
			out = append(out, *o)
		}
	}
	return out
}

func enabledTerm(list []*Policy) *ast.Term {
	ids := make([]*ast.Term, len(list))
	for i, p := range list {
		ids[i] = ast.StringTerm(p.ID)
	}
	return ast.ArrayTerm(ids...)
}

// parametersTerm returns the effective parameters of the policies that declare any.
func parametersTerm(list []*Policy, user map[string]map[string]float64) *ast.Term {
	var pairs [][2]*ast.Term
	for _, p := range list {
		if len(p.Parameters) == 0 {
			continue
		}
		values := make([][2]*ast.Term, len(p.Parameters))
		for i, d := range p.Parameters {
			x, ok := user[p.ID][d.Name]
			if !ok {
				x = d.Default
			}
			values[i] = [2]*ast.Term{ast.StringTerm(d.Name), ast.FloatNumberTerm(x)}
		}
		pairs = append(pairs, [2]*ast.Term{ast.StringTerm(p.ID), ast.ObjectTerm(values...)})
	}
	return ast.ObjectTerm(pairs...)
}
