package knowledge

import (
	"cmp"
	"slices"
	"strings"
)

// Suggestion is a name that the release has and that is close to one it has not.
type Suggestion struct {
	Entry Entry
	// Distance counts the letters that were added, dropped, replaced or swapped with their neighbour; 0 is the same name in another section.
	// Case, and dash against underscore, do not count, but names that differ in nothing else have distance 1.
	Distance int
}

// maxSuggestions bounds what the Nearest functions return.
const maxSuggestions = 5

// NearestSettings returns the keys that name may stand for, best first: the same name in another section ("this key belongs under
// router_settings"), then close names, those of the own section first. The cut-off is a third of the letters, at least one.
func (r Release) NearestSettings(section, name string) []Suggestion {
	var out []Suggestion
	for e := range r.Product.All(KindSetting) {
		out = r.suggest(out, e, name)
	}
	return best(out, section)
}

// Nearest returns the names of a table's section that are close to name, best first.
func (r Release) Nearest(k Kind, section, name string) []Suggestion {
	var out []Suggestion
	for e := range r.Product.Entries(k, section) {
		out = r.suggest(out, e, name)
	}
	return best(out, section)
}

func (r Release) suggest(out []Suggestion, e Entry, name string) []Suggestion {
	limit := max(1, len(name)/3)
	d := Distance(name, e.Name, limit)
	if d > limit || e.presence(r.Version) != Present {
		return out
	}
	return append(out, Suggestion{e, d})
}

func best(s []Suggestion, section string) []Suggestion {
	slices.SortStableFunc(s, func(a, b Suggestion) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance),
			cmp.Compare(foreign(a, section), foreign(b, section)),
			strings.Compare(a.Entry.Name, b.Entry.Name),
			strings.Compare(a.Entry.Section, b.Entry.Section))
	})
	return s[:min(len(s), maxSuggestions)]
}

func foreign(s Suggestion, section string) int {
	if s.Entry.Section == section {
		return 0
	}
	return 1
}

// Distance returns the Damerau-Levenshtein distance of two names as Suggestion counts it (optimal string alignment: no part is edited
// twice), or limit+1 as soon as it exceeds limit.
func Distance(a, b string, limit int) int {
	const longest = 128
	if a == b {
		return 0
	}
	if len(a) > longest || len(b) > longest || len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	var foldedA, foldedB [longest]byte
	for i := range len(a) {
		foldedA[i] = fold(a[i])
	}
	for j := range len(b) {
		foldedB[j] = fold(b[j])
	}
	limit = min(limit, longest)
	// Cells further than limit from the diagonal are above it: only a band is worked out, with a cell of far on each side.
	far := uint8(limit + 1)
	var rows [3][longest + 2]uint8
	prev2, prev, cur := &rows[0], &rows[1], &rows[2]
	for j := range min(len(b), limit+1) + 1 {
		prev[j] = uint8(j)
	}
	leastBefore := uint8(0)
	for i := 1; i <= len(a); i++ {
		from, to := max(1, i-limit), min(len(b), i+limit)
		cur[from-1], cur[to+1] = far, far
		if from == 1 {
			cur[0] = uint8(i)
		}
		least := cur[from-1]
		for j := from; j <= to; j++ {
			x, y := foldedA[i-1], foldedB[j-1]
			cost := uint8(1)
			if x == y {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x == foldedB[j-2] && foldedA[i-2] == y {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
			least = min(least, d)
		}
		// A swap reaches two rows back.
		if least >= far && leastBefore >= far {
			return limit + 1
		}
		leastBefore = least
		prev2, prev, cur = prev, cur, prev2
	}
	return max(1, min(int(prev[len(b)]), limit+1))
}

func fold(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + 'a' - 'A'
	case c == '-', c == ' ':
		return '_'
	}
	return c
}

// Closest returns the word that name is most likely a misspelling of, counted as Distance does it with a third of the letters as the
// limit, or "" when none is close. A word that differs in case only wins, then the first of equally close ones.
func Closest(name string, words []string) string {
	limit := max(1, len(name)/3)
	found := ""
	for _, w := range words {
		if strings.EqualFold(name, w) {
			return w
		}
		if d := Distance(name, w, limit); d <= limit {
			found, limit = w, d-1
		}
	}
	return found
}
