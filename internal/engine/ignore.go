package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// The rules that ignores themselves can break.
const (
	unusedIgnore  = "unused-ignore"
	ignoreExpired = "ignore-expired"
)

// ignores applies the ignore comments of files and the ignore entries of the configuration to findings. It reads
// nothing but its fields.
type ignores struct {
	// Files are the outermost files that were read.
	Files   []*source.File
	Entries []Ignore
	// Today is compared with "until", as YYYY-MM-DD.
	Today string
	// Whole says that everything under the root was read, so that an entry for a file nobody read is rotten.
	Whole bool
	// Rule returns the present id of a rule by its id or a former one. IDs are all ids, for suggestions.
	Rule func(name string) (id string, ok bool)
	IDs  []string
	// Ran reports whether a rule was evaluated for the file in this run.
	Ran func(rule string, f *source.File) bool
	// Rel returns the path that globs are matched with.
	Rel func(f *source.File) string
}

// directive is one ignore comment.
type directive struct {
	file *source.File // outermost
	// span is the comment from its "#", whole the bytes to delete with it; names are the rules' names with their
	// places.
	span, whole source.Span
	names       []named
	reason      string
	until       string
	// covers are the bytes in which it silences findings; empty when nothing follows it.
	covers []source.Span
	// fault says why the directive does not count.
	fault string
}

type named struct {
	text string
	id   string
	span source.Span
	used bool
}

// apply returns the findings that no ignore silences, those that one does, and findings about the
// ignores themselves: without reason, for no rule, expired, or silencing nothing. These have the severity of their
// rule and no stacks, fingerprint and category yet.
func (g *ignores) apply(findings []*Finding) (kept, about, silenced []*Finding) {
	found := map[*source.File][]*directive{}
	var all []*directive
	for _, f := range g.Files {
		ds := g.directives(f)
		if len(ds) > 0 {
			found[f] = ds
			all = append(all, ds...)
		}
	}
	used := make([]bool, len(g.Entries))
	paths := make([]IgnorePath, len(g.Entries))
	for i, e := range g.Entries {
		paths[i], _ = ParseIgnorePath(e.Path)
	}
	kept = make([]*Finding, 0, len(findings))
	for _, x := range findings {
		hit := false
		for _, d := range found[x.File] {
			hit = d.silences(x, g.Today) || hit
		}
		for i := range g.Entries {
			if g.matches(&g.Entries[i], paths[i], x) {
				used[i] = true
				hit = hit || !expired(g.Entries[i].Until, g.Today)
			}
		}
		if hit {
			silenced = append(silenced, x)
			continue
		}
		kept = append(kept, x)
	}
	for _, d := range all {
		about = append(about, g.complain(d)...)
	}
	for i := range g.Entries {
		if x := g.complainEntry(&g.Entries[i], used[i]); x != nil {
			about = append(about, x)
		}
	}
	return kept, about, silenced
}

func expired(until, today string) bool { return until != "" && today > until }

// silences reports whether the directive silences a finding. An expired one silences nothing, but counts as used.
func (d *directive) silences(x *Finding, today string) bool {
	if d.fault != "" {
		return false
	}
	at := x.Span.Start
	if !slices.ContainsFunc(d.covers, func(s source.Span) bool { return s.Start <= at && at <= s.End }) {
		return false
	}
	hit := false
	for i := range d.names {
		if d.names[i].id == x.Rule {
			d.names[i].used, hit = true, true
		}
	}
	return hit && !expired(d.until, today)
}

func (g *ignores) matches(e *Ignore, p IgnorePath, x *Finding) bool {
	return e.Rule == x.Rule && x.File != nil && g.inFiles(e, x.File) && p.leads(x.Path)
}

func (g *ignores) inFiles(e *Ignore, f *source.File) bool {
	if len(e.Files) == 0 {
		return true
	}
	name := g.Rel(f)
	return slices.ContainsFunc(e.Files, func(glob string) bool {
		ok, err := doublestar.Match(strings.TrimPrefix(glob, "./"), name)
		return err == nil && ok
	})
}

// complain returns the findings about one ignore comment.
func (g *ignores) complain(d *directive) []*Finding {
	make := func(rule string, sev model.Severity, at source.Span, format string, args ...any) *Finding {
		return &Finding{
			Rule: rule, Severity: sev, Confidence: model.High, Message: fmt.Sprintf(format, args...),
			Location: model.Location{File: d.file, Span: at},
		}
	}
	if d.fault != "" {
		return []*Finding{make(unusedIgnore, model.Warning, d.span, "%s", d.fault)}
	}
	if expired(d.until, g.Today) {
		x := make(ignoreExpired, model.Warning, d.span, "this ignore of %s ended on %s (%s): decide again", joinNames(d.names), d.until, d.reason)
		return []*Finding{x}
	}
	var out []*Finding
	var idle []int
	for i, n := range d.names {
		if n.id == "" {
			out = append(out, make(unusedIgnore, model.Warning, n.span, "there is no rule %q%s", n.text, suggest(n.text, g.IDs)))
			continue
		}
		if !n.used && g.Ran(n.id, d.file) {
			idle = append(idle, i)
		}
	}
	if len(idle) == 0 {
		return out
	}
	if len(idle) == len(d.names) {
		x := make(unusedIgnore, model.Info, d.span, "this ignore of %s silences nothing", joinNames(d.names))
		x.Fixes = []Fix{{Title: "remove the ignore comment", Safety: model.Safe, Edits: []FileEdit{{File: d.file, Edit: source.Edit{Span: d.whole}}}}}
		return append(out, x)
	}
	for _, i := range idle {
		n := d.names[i]
		x := make(unusedIgnore, model.Info, n.span, "this ignore of %s silences nothing", n.id)
		// The name goes with the comma that joins it to its neighbour.
		cut := n.span
		if i+1 < len(d.names) {
			cut.End = d.names[i+1].span.Start
		} else {
			cut.Start = d.names[i-1].span.End
		}
		x.Fixes = []Fix{{Title: "remove the rule from the ignore comment", Safety: model.Safe, Edits: []FileEdit{{File: d.file, Edit: source.Edit{Span: cut}}}}}
		out = append(out, x)
	}
	return out
}

func (g *ignores) complainEntry(e *Ignore, used bool) *Finding {
	x := &Finding{Rule: unusedIgnore, Severity: model.Info, Confidence: model.High, Location: e.Place}
	switch {
	case expired(e.Until, g.Today):
		x.Rule, x.Severity = ignoreExpired, model.Warning
		x.Message = fmt.Sprintf("this ignore of %s ended on %s (%s): decide again", e.Rule, e.Until, e.Reason)
		return x
	case used:
		return nil
	}
	ran, read := false, false
	for _, f := range g.Files {
		if g.inFiles(e, f) {
			read = true
			ran = ran || g.Ran(e.Rule, f)
		}
	}
	switch {
	case ran:
		x.Message = fmt.Sprintf("this ignore of %s silences nothing", e.Rule)
	case !read && g.Whole && len(e.Files) > 0:
		x.Message = fmt.Sprintf("this ignore of %s is for files that are not there", e.Rule)
	default:
		return nil
	}
	return x
}

func joinNames(names []named) string {
	out := ""
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n.text
	}
	return out
}

func suggest(name string, words []string) string {
	if w := knowledge.Closest(name, words); w != "" {
		return fmt.Sprintf(" (did you mean %q?)", w)
	}
	return ""
}

const marker = "agentlint:"

// parse reads a comment, which starts with "#", and returns nil when it is no directive. base is the place of the
// comment in the file that the spans of the result speak of.
func (g *ignores) parse(comment string, base int) *directive {
	at := strings.Index(comment, marker)
	if at < 0 {
		return nil
	}
	hash := strings.LastIndexByte(comment[:at], '#')
	if hash < 0 || strings.Trim(comment[hash+1:at], " \t") != "" || hash > 0 && comment[hash-1] != ' ' && comment[hash-1] != '\t' {
		return nil
	}
	rest := comment[at+len(marker):]
	i := len(comment) - len(strings.TrimLeft(rest, " \t"))
	word := i
	for word < len(comment) && (comment[word] >= 'a' && comment[word] <= 'z' || comment[word] >= 'A' && comment[word] <= 'Z' || comment[word] == '-') {
		word++
	}
	d := &directive{span: source.Span{Start: base + hash, End: base + len(strings.TrimRight(comment, " \t\r"))}}
	const form = "write ignore[RULE] and a reason"
	if verb := comment[i:word]; verb != "ignore" {
		// Other words are prose, except those that people bring from other linters.
		if knowledge.Distance(verb, "ignore", 2) > 2 && !slices.Contains([]string{"disable", "skip", "noqa", "nolint", "suppress", "ignore-file", "ignore-next-line"}, verb) {
			return nil
		}
		d.fault = fmt.Sprintf("unknown word %q: %s", verb, form)
		return d
	}
	end := -1
	if word < len(comment) && comment[word] == '[' {
		end = strings.IndexByte(comment[word:], ']')
	}
	if end < 0 {
		d.fault = "this ignore names no rule, so it does not count: " + form
		return d
	}
	end += word
	for pos := word + 1; pos <= end; {
		stop := pos + strings.IndexAny(comment[pos:end+1], ",]")
		text := strings.Trim(comment[pos:stop], " \t")
		if text != "" {
			start := pos + strings.Index(comment[pos:stop], text)
			id, ok := g.Rule(text)
			if !ok {
				id = ""
			}
			d.names = append(d.names, named{text: text, id: id, span: source.Span{Start: base + start, End: base + start + len(text)}})
		}
		pos = stop + 1
	}
	for _, n := range d.names {
		if strings.Contains(n.text, "*") {
			d.fault = "this ignore is for more than one rule, so it does not count: name the rules"
			return d
		}
	}
	if len(d.names) == 0 {
		d.fault = "this ignore names no rule, so it does not count: " + form
		return d
	}
	var reason []string
	for _, w := range strings.Fields(comment[end+1:]) {
		if date, ok := strings.CutPrefix(w, "until="); ok && d.until == "" {
			date = strings.TrimRight(date, ",;:")
			if _, err := time.Parse(time.DateOnly, date); err != nil {
				d.fault = fmt.Sprintf("until=%s is no date, so this ignore does not count: write until=YYYY-MM-DD", date)
				return d
			}
			d.until = date
			continue
		}
		reason = append(reason, w)
	}
	d.reason = strings.TrimLeft(strings.Join(reason, " "), ":;,-—– ")
	if d.reason == "" {
		d.fault = fmt.Sprintf("this ignore of %s has no reason, so it does not count: write it after the bracket", joinNames(d.names))
	}
	return d
}

// anyElement is the element of an [IgnorePath] that stands for every key and index.
type anyElement struct{}

// IgnorePath is the path of an ignore entry: keys, indices and "*" for any one element. A finding stands at the path
// or below it.
type IgnorePath []any

// ParseIgnorePath reads a path such as model_list[*].litellm_params or data["config.yaml"]. The empty text is the
// path of everything.
func ParseIgnorePath(s string) (IgnorePath, error) {
	var p IgnorePath
	fail := func(i int, why string) (IgnorePath, error) {
		return nil, fmt.Errorf("path %q: %s at character %d", s, why, i+1)
	}
	for i := 0; i < len(s); {
		switch {
		case s[i] == '[':
			rest := s[i+1:]
			if strings.HasPrefix(rest, `"`) {
				text, err := strconv.QuotedPrefix(rest)
				if err != nil {
					return fail(i+1, "unfinished quotes")
				}
				key, _ := strconv.Unquote(text)
				if !strings.HasPrefix(rest[len(text):], "]") {
					return fail(i+1+len(text), "missing ]")
				}
				p = append(p, key)
				i += len(text) + 2
				break
			}
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return fail(i, "missing ]")
			}
			if rest[:end] == "*" {
				p = append(p, anyElement{})
			} else if n, err := strconv.Atoi(rest[:end]); err == nil && n >= 0 {
				p = append(p, n)
			} else {
				return fail(i+1, "want an index or *")
			}
			i += end + 2
		default:
			end := strings.IndexAny(s[i:], ".[")
			if end < 0 {
				end = len(s) - i
			}
			switch key := s[i : i+end]; key {
			case "":
				return fail(i, "empty element")
			case "*":
				p = append(p, anyElement{})
			default:
				p = append(p, key)
			}
			i += end
		}
		if i < len(s) && s[i] == '.' {
			i++
			if i == len(s) || s[i] == '[' {
				return fail(i, "empty element")
			}
		} else if i < len(s) && s[i] != '[' {
			return fail(i, "missing dot")
		}
	}
	return p, nil
}

// leads reports whether path is p or lies below it.
func (p IgnorePath) leads(path []any) bool {
	if len(p) > len(path) {
		return false
	}
	for i, e := range p {
		if e == (anyElement{}) || e == path[i] {
			continue
		}
		// An index may be written as a key (model_list.0), and a numeric key as an index.
		if fmt.Sprint(e) != fmt.Sprint(path[i]) {
			return false
		}
	}
	return true
}
