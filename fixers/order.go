package fixers

import (
	"fmt"
	"strconv"

	"agentlint/internal/model"
)

// A number in a fix is often computed from other values of the same engine or gateway. So of the fixes of one part those
// without a number are made first, then those that change a number, rule by rule, then those that add one: each is
// computed anew on what the others left.
const (
	rankOther = iota
	rankChange
	rankAdd
)

// rankOf says when a fix is made, see above.
func rankOf(st *model.Stack, x *Fix) int {
	rank := rankOther
	for i := range x.Ops {
		op := &x.Ops[i]
		if op.Kind != model.OpSet && op.Kind != model.OpAppend || !isNumber(op.Value) {
			continue
		}
		if st != nil && op.Kind == model.OpSet && st.Root != nil && len(st.Locate(op.At).Missing) == 0 {
			return rankChange
		}
		rank = rankAdd
	}
	return rank
}

// isNumber reports whether a value is a number, or a text that is one.
func isNumber(v any) bool {
	switch v := v.(type) {
	case int, int64, float64:
		return true
	case string:
		_, err := strconv.ParseFloat(v, 64)
		return err == nil
	}
	return false
}

// part is a piece of a stack whose values go into each other's numbers.
type part struct {
	stack *model.Stack
	name  string
}

// partsOf are the parts that a fix changes: the gateway, an engine, a router.
func partsOf(st *model.Stack, x *Fix) []part {
	var out []part
	for i := range x.Ops {
		at := x.Ops[i].At
		if len(at) < 2 {
			continue
		}
		switch at[0] {
		case "gateway":
			out = append(out, part{st, "gateway"})
		case "engines", "routers":
			out = append(out, part{st, fmt.Sprint(at[0], " ", at[1])})
		}
	}
	return out
}

// turn returns the candidates whose turn it is, and whether others wait for them.
func turn(list []*candidate) (now []*candidate, waiting bool) {
	type first struct {
		rank int
		rule string
	}
	firsts := map[part]first{}
	ranks := make([]int, len(list))
	for rank := rankOther; rank <= rankAdd; rank++ {
		for i, c := range list {
			if rank == rankOther {
				ranks[i] = rankOf(c.f.Stack, c.x)
			}
			if ranks[i] != rank {
				continue
			}
			for _, p := range partsOf(c.f.Stack, c.x) {
				if _, taken := firsts[p]; !taken {
					firsts[p] = first{rank, c.f.Rule}
				}
			}
		}
	}
	for i, c := range list {
		wait := false
		for _, p := range partsOf(c.f.Stack, c.x) {
			f := firsts[p]
			wait = wait || ranks[i] != f.rank || f.rank == rankChange && c.f.Rule != f.rule
		}
		if wait {
			waiting = true
		} else {
			now = append(now, c)
		}
	}
	return now, waiting
}
