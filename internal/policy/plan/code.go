// Package plan evaluates policies that were planned ahead of time. A plan is what OPA's planner makes of a policy
// (its documented intermediate representation, made for WebAssembly): functions of simple statements over local
// variables. Nothing is parsed or compiled when a plan runs, and the values of a stack are read in place.
package plan

// Op is the kind of a statement. The comment says what its operands are; those of OPA's that no planned policy has are
// left out.
type Op uint8

// The statements. One that is not defined ends its block.
const (
	Return      Op = iota // A
	Call                  // C = callee A (Args)
	CallRule              // C = the rule without arguments at the path Args, below data
	Blocks                // Blocks in turn
	Break                 // out of A blocks more than this one
	Dot                   // C = A[B]
	Len                   // C = the number of items of A
	Scan                  // for B, C in A: Blocks[0]
	Not                   // Blocks[0] is not defined
	Assign                // C = A
	AssignOnce            // C = A, an error when C has another value
	Reset                 // C is not defined
	MakeArray             // C = [], with room for A items
	MakeObject            // C = {}
	MakeSet               // C = set()
	Equal                 // A == B
	NotEqual              // A != B
	IsArray               // A
	IsObject              // A
	IsSet                 // A
	IsDefined             // A
	IsUndefined           // A
	Append                // add A to the array C
	Insert                // put B under A in the object C
	InsertOnce            // the same, an error when another value stands there
	Merge                 // C = the objects A and B merged
	Add                   // add A to the set C

	// Those that planned policies get when their statements are made fewer.
	Path         // C = A[Args[0]][Args[1]]...
	Check        // callee A (Args) is not false
	Less         // A < B
	LessOrEqual  // A <= B
	List         // C = [Args...]
	Record       // C = {Args[0]: Args[1], ...}, the keys are constants in order
	IsCollection // A is an array, an object or a set
	ops
)

// Operand is a local variable, or with a negative number a constant of the unit: -1 is the first. Of statements that
// say so it is a number.
type Operand int32

// InputLocal is the local variable that holds the input document.
const InputLocal = 0

// Statement is one statement of a block.
type Statement struct {
	Op Op
	// known is how many of the keys of a Path are those of the path of the input with number B, see [Unit.remember].
	known   uint8
	A, B, C Operand
	Args    []Operand
	Blocks  [][]Statement
}

// Function is one rule or function of a policy. A rule is a function without parameters.
type Function struct {
	// Name is the path below the package, joined with dots.
	Name string
	// Params are the locals that hold the arguments.
	Params []Operand
	// Locals is the number of local variables. The first of them, Shared, are not set when the function starts; the
	// others are set before they are read.
	Locals, Shared int
	Blocks         [][]Statement
}

// CalleeKind says where a callee is found.
type CalleeKind uint8

// The kinds of callees: a function of the same unit, of the library, a built-in function of Rego.
const (
	Own CalleeKind = iota
	Library
	Builtin
	calleeKinds
)

// Callee is something that a unit calls.
type Callee struct {
	Kind CalleeKind
	Name string
}

// Code is a plan: that of one policy, or of the library. Functions are in the order of names.
type Code struct {
	// Sum identifies the source that the plan was made of, see [Sum].
	Sum       uint64
	Constants []Value
	Callees   []Callee
	Functions []Function
}
