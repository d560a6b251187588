package policy

import (
	"sync"

	"agentlint/internal/policy/plan"

	"github.com/open-policy-agent/opa/v1/ast"
)

// capabilities is what policies may use: pure functions of their arguments. There is nothing of the network, the
// host, the clock or randomness, and nothing that reads files. One value is shared by every parse and compile,
// because OPA sorts all its builtins anew for each module that is given none.
var capabilities = sync.OnceValue(func() *ast.Capabilities {
	plan.Builtins(guardBuiltins)
	return &ast.Capabilities{
		Builtins: []*ast.Builtin{
			ast.Assign, ast.Equality, ast.Equal, ast.NotEqual, ast.LessThan, ast.LessThanEq, ast.GreaterThan, ast.GreaterThanEq,
			ast.Member, ast.MemberWithKey,
			ast.Plus, ast.Minus, ast.Multiply, ast.Divide, ast.Rem, ast.Abs, ast.Ceil, ast.Floor, ast.Round,
			ast.And, ast.Or, ast.Intersection, ast.Union,
			ast.Count, ast.Sum, ast.Product, ast.Max, ast.Min, ast.Sort,
			ast.ArrayConcat, ast.ArraySlice, ast.ArrayReverse,
			ast.ObjectGet, ast.ObjectKeys, ast.ObjectUnion, ast.ObjectUnionN, ast.ObjectRemove, ast.ObjectFilter, ast.ObjectSubset,
			ast.NumbersRange, ast.NumbersRangeStep,
			ast.Concat, ast.Contains, ast.StartsWith, ast.EndsWith, ast.AnyPrefixMatch, ast.AnySuffixMatch, ast.IndexOf, ast.IndexOfN,
			ast.Lower, ast.Upper, ast.Split, ast.Replace, ast.ReplaceN, ast.Substring, ast.StringReverse, ast.StringCount,
			ast.Trim, ast.TrimLeft, ast.TrimPrefix, ast.TrimRight, ast.TrimSuffix, ast.TrimSpace, ast.Sprintf, ast.FormatInt,
			ast.RegexMatch, ast.RegexIsValid, ast.RegexFind, ast.RegexFindAllStringSubmatch, ast.RegexReplace, ast.RegexSplit,
			ast.GlobMatch, ast.GlobQuoteMeta,
			ast.ToNumber, ast.IsNumber, ast.IsString, ast.IsBoolean, ast.IsArray, ast.IsSet, ast.IsObject, ast.IsNull, ast.TypeNameBuiltin,
			ast.JSONUnmarshal, ast.JSONIsValid, ast.JSONMarshal, ast.Base64Decode, ast.Base64IsValid,
			ast.UnitsParse, ast.UnitsParseBytes, ast.SemVerCompare, ast.SemVerIsValid, ast.ParseDurationNanos,
			ast.WalkBuiltin, ast.ReachableBuiltin, ast.CryptoSha256, ast.Print, ast.InternalPrint,
		},
		FutureKeywords: []string{"in", "every", "contains", "if"},
		Features:       []string{ast.FeatureRegoV1, ast.FeatureRefHeads, ast.FeatureRefHeadStringPrefixes, ast.FeatureRegoV1Import, ast.FeatureKeywordsInRefs},
		AllowNet:       []string{},
	}
})
