package plan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"sync/atomic"

	"agentlint/internal/model"
)

// Unit is a plan that is ready to run. It is safe for concurrent use.
type Unit struct {
	sum       uint64
	constants []Value
	callees   []Callee
	functions []function

	library *Unit
	targets []target
	// entries are the functions with the names of entryNames, -1 for those that are not there.
	entries [3]int
}

// function is a function of a unit.
type function struct {
	name    string
	params  int
	encoded string
	read    atomic.Pointer[body]
}

// code returns the code of a function of u.
func (f *function) code(u *Unit) *body {
	b := f.read.Load()
	if b == nil {
		b = readBody(f.encoded, f.params)
		b.dear = u.dear(b.blocks)
		u.remember(b.blocks)
		f.read.Store(b)
	}
	return b
}

// remember numbers the paths of the input that code reads, so that each is followed once for a stack.
func (u *Unit) remember(blocks [][]Statement) {
	for _, b := range blocks {
		for i := range b {
			s := &b[i]
			u.remember(s.Blocks)
			if s.Op != Path || s.A != InputLocal {
				continue
			}
			var path strings.Builder
			for _, a := range s.Args {
				if a >= 0 || int(-a) > len(u.constants) || s.known == math.MaxUint8 {
					break
				}
				name, ok := u.constants[-a-1].(string)
				if !ok {
					break
				}
				path.WriteString(name)
				path.WriteByte(0)
				s.known++
			}
			if s.known > 0 {
				s.B = Operand(pathNumber(path.String()))
			}
		}
	}
}

// knownPaths are the paths of the input that plans read; each has a number.
var knownPaths struct {
	sync.Mutex
	numbers map[string]int
}

func pathNumber(path string) int {
	knownPaths.Lock()
	defer knownPaths.Unlock()
	n, ok := knownPaths.numbers[path]
	if !ok {
		if knownPaths.numbers == nil {
			knownPaths.numbers = map[string]int{}
		}
		n = len(knownPaths.numbers)
		knownPaths.numbers[path] = n
	}
	return n
}

// path returns what stands at the path of a statement.
func (ev *Evaluator) path(u *Unit, locals []Value, s *Statement) Value {
	if s.known == 0 {
		return along(u.read(locals, s.A), u, locals, s.Args)
	}
	n := int(s.B)
	if n >= len(ev.paths) {
		ev.paths = append(ev.paths, make([]memo, n+1-len(ev.paths))...)
	}
	known := &ev.paths[n]
	if !known.done {
		known.value, known.done = along(ev.input, u, locals, s.Args[:s.known]), true
		ev.read = append(ev.read, n)
	}
	if known.value == nil || int(s.known) == len(s.Args) {
		return known.value
	}
	return along(known.value, u, locals, s.Args[s.known:])
}

// dear reports whether code loops or calls other code, so that keeping its value costs less than working it out again.
func (u *Unit) dear(blocks [][]Statement) bool {
	for _, b := range blocks {
		for i := range b {
			s := &b[i]
			switch s.Op {
			case Scan, CallRule:
				return true
			case Call, Check:
				if u.targets != nil && !u.targets[s.A].native.there() {
					return true
				}
			}
			if u.dear(s.Blocks) {
				return true
			}
		}
	}
	return false
}

// target is what a callee of a unit stands for: a function, one written in Go, or a function with a twin in Go that
// answers most calls.
type target struct {
	unit   *Unit
	index  int
	native native
}

// Sum identifies the sources that the plan was made of.
func (u *Unit) Sum() uint64 { return u.sum }

// Link connects a unit with the library's, which is linked with itself. It fails when something that the unit calls is
// not there. A unit must be linked before it runs.
func (u *Unit) Link(library *Unit) error {
	u.library = library
	for i, name := range entryNames() {
		u.entries[i] = u.function(name)
	}
	u.targets = make([]target, len(u.callees))
	for i, c := range u.callees {
		t := &u.targets[i]
		switch c.Kind {
		case Own:
			t.unit = u
		case Library:
			t.unit = library
		}
		switch t.unit {
		case nil:
			if t.native = builtinFunction(c.Name); !t.native.there() {
				return fmt.Errorf("plan calls %s, which is not there", c.Name)
			}
			continue
		case library:
			t.native = libraryFunction(c.Name)
		}
		if t.index = t.unit.function(c.Name); t.index < 0 {
			return fmt.Errorf("plan calls %s, which is not there", c.Name)
		}
	}
	return nil
}

// entryNames are the rules that are asked for by name.
func entryNames() [3]string { return [...]string{"findings", "unchecked", "measures"} }

// entry returns the index of a rule.
func (u *Unit) entry(name string) int {
	for i, known := range entryNames() {
		if name == known {
			return u.entries[i]
		}
	}
	return u.function(name)
}

// function returns the index of a function by its name, -1 when there is none.
func (u *Unit) function(name string) int {
	i := sort.Search(len(u.functions), func(i int) bool { return u.functions[i].name >= name })
	if i == len(u.functions) || u.functions[i].name != name {
		return -1
	}
	return i
}

// Evaluator runs plans for one stack after the other. It is used by one goroutine at a time.
type Evaluator struct {
	ctx   context.Context
	input *Input
	limit int64

	steps int64
	err   error
	// library and rules are what the rules of the library and of the unit that runs are worth.
	library, rules []memo
	// libraryCalls and calls are the values of functions of one argument.
	libraryCalls, calls map[call]Value
	// groups are the entries of model groups.
	groups map[*model.Value]Value
	// several and selfHosted are the groups of the stack with more than one deployment, and those of servers of one's own.
	several, selfHosted Value
	// keys are those of model_list entries, see modelKeys.
	keys      []string
	keysKnown bool
	// paths are what stands at paths of the input, by their numbers; read are the numbers that were asked for.
	paths []memo
	read  []int
	// stack has the locals and arguments of the calls that are under way.
	stack  []Value
	result Value
	stock  stock
	// values is what Eval returned.
	values []Value
}

// call is a function with its argument: a value of the stack, a text or a whole number.
type call struct {
	function int
	argument Value
}

// memo is what a rule is worth.
type memo struct {
	done  bool
	value Value
}

// Start begins with a stack. A run ends with an error after some steps, or when the context does.
func (ev *Evaluator) Start(ctx context.Context, in *Input, limit int64) {
	ev.ctx, ev.input, ev.limit = ctx, in, limit
	if ev.calls == nil {
		ev.libraryCalls, ev.calls = map[call]Value{}, map[call]Value{}
	}
}

// Stop lets go of the stack.
func (ev *Evaluator) Stop() {
	ev.ctx, ev.input, ev.result = nil, nil, nil
	clear(ev.library)
	clear(ev.rules)
	clear(ev.libraryCalls)
	clear(ev.calls)
	clear(ev.groups)
	ev.several, ev.selfHosted = nil, nil
	clear(ev.keys)
	ev.keys, ev.keysKnown = ev.keys[:0], false
	ev.stock.reset()
	for _, n := range ev.read {
		ev.paths[n] = memo{}
	}
	ev.read = ev.read[:0]
	clear(ev.values[:cap(ev.values)])
	clear(ev.stack[:cap(ev.stack)])
}

// Eval returns what rules of a policy are worth, nil for one that is not defined or does not exist.
// The slice is the evaluator's: the next call changes it, and what the values hold is gone after [Evaluator.Stop].
func (ev *Evaluator) Eval(u *Unit, rules ...string) (out []Value, err error) {
	ev.steps, ev.err = 0, nil
	ev.library = grown(ev.library, len(u.library.functions))
	ev.rules = grown(ev.rules, len(u.functions))
	clear(ev.rules[:len(u.functions)])
	clear(ev.calls)
	out = ev.values[:0]
	for _, name := range rules {
		var v Value
		if i := u.entry(name); i >= 0 {
			v = ev.call(u, i, nil)
		}
		if ev.err != nil {
			return nil, ev.err
		}
		out = append(out, v)
	}
	ev.values = out
	return out, nil
}

func grown(list []memo, n int) []memo {
	if n > len(list) {
		list = append(list, make([]memo, n-len(list))...)
	}
	return list
}

// errSteps is the end of a run that takes too long.
var errSteps = errors.New("evaluation took too many steps")

// The outcomes of a block: it came to its end, or is left for a number of blocks more than itself, or returned a
// value, or failed.
const (
	atEnd    = -1
	returned = -2
	failed   = -3
)

// call returns the value of a function.
func (ev *Evaluator) call(u *Unit, index int, args []Value) Value {
	f := &u.functions[index]
	switch f.params {
	case 0:
		rules := ev.rules
		if u == u.library {
			rules = ev.library
		}
		known := &rules[index]
		if !known.done {
			known.value = ev.run(u, f, nil)
			known.done = ev.err == nil
		}
		return known.value
	case 1:
		switch args[0].(type) {
		case *model.Value, int64, string:
		default:
			return ev.run(u, f, args)
		}
		if !f.code(u).dear {
			return ev.run(u, f, args)
		}
		calls, this := ev.calls, call{index, args[0]}
		if u == u.library {
			calls = ev.libraryCalls
		}
		v, ok := calls[this]
		if !ok {
			if v = ev.run(u, f, args); ev.err == nil {
				calls[this] = v
			}
		}
		return v
	}
	return ev.run(u, f, args)
}

// run runs the code of a function. Where the locals of a call are few they lie on the stack of the goroutine, where they
// are set without a word to the garbage collector.
func (ev *Evaluator) run(u *Unit, f *function, args []Value) Value {
	code := f.code(u)
	switch n := code.locals; {
	case n <= fewLocals:
		return ev.runFew(u, code, args)
	case n <= someLocals:
		return ev.runSome(u, code, args)
	default:
		locals := ev.frame(n, code.shared)
		v := ev.blocks(u, code, locals, args)
		ev.stack = ev.stack[:len(ev.stack)-n]
		return v
	}
}

const (
	fewLocals  = 8
	someLocals = 20
)

func (ev *Evaluator) runFew(u *Unit, code *body, args []Value) Value {
	var locals [fewLocals]Value
	return ev.blocks(u, code, locals[:code.locals], args)
}

func (ev *Evaluator) runSome(u *Unit, code *body, args []Value) Value {
	var locals [someLocals]Value
	return ev.blocks(u, code, locals[:code.locals], args)
}

// blocks runs the blocks of a function.
func (ev *Evaluator) blocks(u *Unit, code *body, locals, args []Value) Value {
	locals[InputLocal] = ev.input
	for i, p := range code.params {
		locals[p] = args[i]
	}
	for _, block := range code.blocks {
		switch ev.exec(u, locals, block) {
		case returned:
			return ev.result
		case failed:
			return nil
		}
	}
	return nil
}

// frame returns the n locals of a call, the first of which are not set.
func (ev *Evaluator) frame(n, first int) []Value {
	start := len(ev.stack)
	if start+n > cap(ev.stack) {
		// Frames of callers stay where they are.
		ev.stack = make([]Value, start, 2*(start+n)+512)
	}
	ev.stack = ev.stack[:start+n]
	locals := ev.stack[start : start+n : start+n]
	clear(locals[:first])
	return locals
}

// fail ends the run.
func (ev *Evaluator) fail(err error) int {
	if ev.err == nil {
		ev.err = err
	}
	return failed
}

func (u *Unit) read(locals []Value, o Operand) Value {
	if o < 0 {
		return u.constants[-o-1]
	}
	return locals[o]
}

// answer returns the value of a call.
func (ev *Evaluator) answer(u *Unit, locals []Value, s *Statement) (v Value) {
	t, done := &u.targets[s.A], false
	switch f := &t.native; {
	case f.one != nil:
		v, done = f.one(ev, u.read(locals, s.Args[0]))
	case f.two != nil:
		v, done = f.two(ev, u.read(locals, s.Args[0]), u.read(locals, s.Args[1]))
	case f.none != nil:
		v, done = f.none(ev)
	}
	if done {
		return v
	}
	start := len(ev.stack)
	for _, a := range s.Args {
		ev.stack = append(ev.stack, u.read(locals, a))
	}
	args := ev.stack[start:]
	if t.native.list != nil {
		v, done = t.native.list(ev, args)
	}
	if !done && t.unit != nil {
		v = ev.call(t.unit, t.index, args)
	}
	ev.stack = ev.stack[:start]
	return v
}

// along follows keys from a value.
func along(v Value, u *Unit, locals []Value, keys []Operand) Value {
	for _, k := range keys {
		key := u.read(locals, k)
		m, inStack := v.(*model.Value)
		name, isText := key.(string)
		if inStack && isText {
			v = of(m.Get(name))
		} else {
			v = get(v, key)
		}
		if v == nil {
			return nil
		}
	}
	return v
}

// exec runs a block.
func (ev *Evaluator) exec(u *Unit, locals []Value, block []Statement) int {
	read := func(o Operand) Value { return u.read(locals, o) }
	for i := range block {
		s := &block[i]
		if ev.steps++; ev.steps&1023 == 0 {
			if ev.steps > ev.limit {
				return ev.fail(errSteps)
			}
			if err := ev.ctx.Err(); err != nil {
				return ev.fail(err)
			}
		}
		defined := true
		switch s.Op {
		case Return:
			ev.result = read(s.A)
			return returned
		case Call:
			v := ev.answer(u, locals, s)
			if ev.err != nil {
				return failed
			}
			locals[s.C] = v
			defined = v != nil
		case Check:
			v := ev.answer(u, locals, s)
			if ev.err != nil {
				return failed
			}
			defined = v != nil && v != false
		case CallRule:
			v, found := ev.rule(u, locals, s)
			if ev.err != nil {
				return failed
			}
			if found {
				locals[s.C] = v
				if v == nil {
					return 3 // the rule is there, so that it is not defined counts
				}
			}
			defined = found
		case Blocks:
			for _, b := range s.Blocks {
				switch outcome := ev.exec(u, locals, b); outcome {
				case atEnd, 0:
				case returned, failed:
					return outcome
				default:
					return outcome - 1
				}
			}
		case Break:
			return int(s.A)
		case Dot:
			v := get(read(s.A), read(s.B))
			locals[s.C] = v
			defined = v != nil
		case Path:
			v := ev.path(u, locals, s)
			locals[s.C] = v
			defined = v != nil
		case Len:
			locals[s.C] = int64(length(read(s.A)))
		case Scan:
			if outcome := ev.scan(u, locals, s); outcome != atEnd {
				return outcome
			}
		case Not:
			switch outcome := ev.exec(u, locals, s.Blocks[0]); outcome {
			case atEnd:
				defined = false
			case 0:
			case returned, failed:
				return outcome
			default:
				return outcome - 1
			}
		case Assign:
			locals[s.C] = read(s.A)
		case AssignOnce:
			v := read(s.A)
			if old := locals[s.C]; old != nil && !equal(old, v) {
				return ev.fail(errConflict)
			}
			locals[s.C] = v
		case Reset:
			locals[s.C] = nil
		case MakeArray:
			a := ev.stock.array(int(s.A))
			a.items = a.items[:0]
			locals[s.C] = a
		case MakeObject:
			locals[s.C] = &Object{}
		case MakeSet:
			locals[s.C] = ev.stock.set()
		case Equal:
			defined = equal(read(s.A), read(s.B))
		case NotEqual:
			defined = !equal(read(s.A), read(s.B))
		case Less:
			defined = Compare(read(s.A), read(s.B)) < 0
		case LessOrEqual:
			defined = Compare(read(s.A), read(s.B)) <= 0
		case IsCollection:
			switch order(read(s.A)) {
			case orderArray, orderObject, orderSet:
			default:
				defined = false
			}
		case List:
			list := ev.stock.array(len(s.Args))
			for i, a := range s.Args {
				list.items[i] = read(a)
			}
			locals[s.C] = list
		case Record:
			o := ev.stock.object(len(s.Args) / 2)
			for i := range o.pairs {
				o.pairs[i] = pair{read(s.Args[2*i]), read(s.Args[2*i+1])}
			}
			locals[s.C] = o
		case IsArray:
			defined = order(read(s.A)) == orderArray
		case IsObject:
			defined = order(read(s.A)) == orderObject
		case IsSet:
			defined = order(read(s.A)) == orderSet
		case IsDefined:
			defined = read(s.A) != nil
		case IsUndefined:
			defined = read(s.A) == nil
		case Append:
			a := locals[s.C].(*Array)
			a.items = append(ev.stock.more(a.items), read(s.A))
		case Insert:
			locals[s.C].(*Object).insert(read(s.A), read(s.B))
		case InsertOnce:
			o, key, v := locals[s.C].(*Object), read(s.A), read(s.B)
			if old := get(o, key); old != nil && !equal(old, v) {
				return ev.fail(errKeys)
			}
			o.insert(key, v)
		case Merge:
			v, ok := merge(read(s.A), read(s.B))
			if !ok {
				return ev.fail(errConflict)
			}
			locals[s.C] = v
		case Add:
			set := locals[s.C].(*Set)
			set.items = ev.stock.more(set.items)
			set.add(read(s.A))
		}
		if !defined {
			return 0
		}
	}
	return atEnd
}

var (
	errConflict = errors.New("complete rules must not produce multiple outputs")
	errKeys     = errors.New("object keys must be unique")
)

// scan runs a block for each item of a value. What it leads to is seen from the block that holds the statement.
func (ev *Evaluator) scan(u *Unit, locals []Value, s *Statement) int {
	source := u.read(locals, s.A)
	visit := func(key, value Value) (outcome int, more bool) {
		locals[s.B], locals[s.C] = key, value
		switch outcome := ev.exec(u, locals, s.Blocks[0]); outcome {
		case atEnd, 0:
			return atEnd, true
		case 1:
			return atEnd, false
		case returned, failed:
			return outcome, false
		default:
			return outcome - 2, false
		}
	}
	switch order(source) {
	case orderArray:
		list, built := source.(*Array)
		for i := range length(source) {
			var v Value
			if built {
				v = list.items[i]
			} else {
				v = item(source.(*model.Value).Items()[i])
			}
			if outcome, more := visit(int64(i), v); !more {
				return outcome
			}
		}
	case orderObject:
		if m, ok := source.(*model.Value); ok && slices.IsSorted(m.Keys()) {
			list := m.Items()
			for i, k := range m.Keys() {
				v := of(list[i])
				if v == nil {
					continue
				}
				if outcome, more := visit(k, v); !more {
					return outcome
				}
			}
			break
		}
		for _, p := range pairs(source) {
			if outcome, more := visit(p.key, p.value); !more {
				return outcome
			}
		}
	case orderSet:
		for _, v := range source.(*Set).ordered() {
			if outcome, more := visit(v, v); !more {
				return outcome
			}
		}
	}
	return atEnd
}

// rule calls the rule at a path below data that is known only now.
func (ev *Evaluator) rule(u *Unit, locals []Value, s *Statement) (v Value, found bool) {
	var name strings.Builder
	in := u
	for i, a := range s.Args {
		text, ok := u.read(locals, a).(string)
		if !ok {
			return nil, false
		}
		// A path starts with the package: agentlint.lib, or agentlint.rules and the policy's id.
		switch {
		case i == 1 && text == "lib":
			in = u.library
		case i > 2 || i == 2 && in == u.library:
			if name.Len() > 0 {
				name.WriteByte('.')
			}
			name.WriteString(text)
		}
	}
	index := in.function(name.String())
	if index < 0 || in.functions[index].params > 0 {
		return nil, false
	}
	return ev.call(in, index, nil), true
}

// merge merges two objects with all below them; false when a key has different values that are no objects.
func merge(a, b Value) (Value, bool) {
	if a == nil {
		return b, true
	}
	if b == nil {
		return a, true
	}
	if order(a) != orderObject || order(b) != orderObject {
		return nil, false
	}
	out := &Object{}
	for _, p := range pairs(a) {
		v := p.value
		if w := get(b, p.key); w != nil {
			var ok bool
			if v, ok = merge(v, w); !ok {
				return nil, false
			}
		}
		out.insert(p.key, v)
	}
	for _, p := range pairs(b) {
		if get(a, p.key) == nil {
			out.insert(p.key, p.value)
		}
	}
	return out, true
}
