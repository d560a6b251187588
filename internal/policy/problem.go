package policy

import (
	"slices"
	"strconv"
	"strings"
)

// Problem is one mistake in users' policies.
type Problem struct {
	File string
	// Line and Column count from 1; 0 when the problem is no place in the file.
	Line, Column int
	Message      string
	// Advice says that the policy works, but should be another one.
	Advice bool
}

// Error returns path:line:column: message.
func (p Problem) Error() string {
	out := p.File
	for _, n := range []int{p.Line, p.Column} {
		if n > 0 {
			out += ":" + strconv.Itoa(n)
		}
	}
	return out + ": " + p.Message
}

// Problems are the mistakes in users' policies, in the order of files and lines.
type Problems []Problem

func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// maxProblems bounds how many mistakes are reported at once.
const maxProblems = 50

// sorted returns the problems in order, each once, and no more than a person reads.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		if d := strings.Compare(a.File, b.File); d != 0 {
			return d
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	ps = slices.Compact(ps)
	return ps[:min(len(ps), maxProblems)]
}
