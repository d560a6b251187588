package fixers

import (
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// envDialects are all programs that read env files.
var envDialects = [...]source.EnvDialect{source.EnvCompose, source.EnvPython, source.EnvDocker, source.EnvSystemd}

// variable is one assignment of an env file in the reading of one dialect.
type variable struct {
	name, value string
	set         bool
	at          int // where the name stands, 0 for one that an edit brings in
}

// same reports whether two readings have the same variables, wherever they stand.
func same(a, b []variable) bool {
	return slices.EqualFunc(a, b, func(x, y variable) bool { return x.name == y.name && x.value == y.value && x.set == y.set })
}

func variablesOf(f *source.File, d source.EnvDialect) []variable {
	e := source.ParseEnv(f, d)
	out := make([]variable, len(e.Entries))
	for i, x := range e.Entries {
		out[i] = variable{x.Name, x.Pieces.String(), !x.Bare, x.NameSpan.Start}
	}
	return out
}

// envText plans edits of an env file as it is now. Other programs may read it, too, so an edit is preferred that means
// the same to all that read the file as its loader did.
type envText struct {
	view     *view
	dialects []source.EnvDialect
	// known is the program that the loader had in mind; nil when it is not known.
	known *source.EnvDialect
}

func (s *Session) envText(o *model.Origin) (*envText, error) {
	v, err := s.view(o.File)
	if err != nil {
		return nil, err
	}
	e := &envText{view: v}
	if o.Env() != nil {
		e.known = &o.Env().Dialect
	}
	for _, d := range envDialects {
		parsed := source.ParseEnv(v.orig, d)
		if o.Env() == nil {
			if len(parsed.Errors) == 0 {
				e.dialects = append(e.dialects, d)
			}
			continue
		}
		for i := range parsed.Entries {
			x := &parsed.Entries[i]
			if x.NameSpan == o.Env().NameSpan && x.Pieces.String() == o.Env().Pieces.String() {
				e.dialects = append(e.dialects, d)
			}
		}
	}
	if len(e.dialects) == 0 {
		return nil, refuse(ReasonFile, "%s has lines that no reader of env files takes", v.orig.Path)
	}
	return e, nil
}

// entries returns the assignments of the file as it is now.
func (e *envText) entries() []source.EnvEntry {
	d := e.dialects[0]
	if e.known != nil {
		d = *e.known
	}
	return source.ParseEnv(e.view.cur, d).Entries
}

// make makes the first of some edits after which every reader has the variables that change says.
func (e *envText) make(change func(before []variable) []variable, tries ...[]source.Edit) error {
	dialects := e.dialects
	check := func(next *source.File) error {
		for _, d := range dialects {
			if want := change(variablesOf(e.view.cur, d)); !same(variablesOf(next, d), want) {
				return fmt.Errorf("the variables are not as intended")
			}
			if a, b := len(source.ParseEnv(next, d).Errors), len(source.ParseEnv(e.view.cur, d).Errors); a > b {
				return fmt.Errorf("a line is refused")
			}
		}
		return nil
	}
	var first error
	for {
		for _, edits := range tries {
			restore := e.view.session.snapshot()
			err := e.view.edit(edits, &patch{}, check)
			if err == nil {
				return nil
			}
			restore()
			if first == nil {
				first = err
			}
		}
		// Where readers disagree, the one that does read the file decides.
		if e.known == nil || len(dialects) == 1 {
			break
		}
		dialects = []source.EnvDialect{*e.known}
	}
	if r, ok := first.(*Refusal); ok {
		return r
	}
	return refuse(ReasonVerify, "the edited env file does not read back as intended: %v", first)
}

// doEnv makes an operation at a variable of an env file.
func (s *Session) doEnv(p place, op model.Op, st *model.Stack) error {
	e, err := s.envText(p.origin)
	if err != nil {
		return err
	}
	if p.origin.Env() == nil || len(p.rest) > 0 {
		name, ok := "", false
		if len(p.rest) == 1 {
			name, ok = p.rest[0].(string)
		}
		if !ok || op.Kind != model.OpSet {
			return refuse(ReasonNoPlace, "it is not written in a file")
		}
		text, err := asText(op.Value)
		if err != nil {
			return err
		}
		return e.add(name, text)
	}
	at, err := e.view.span(p.origin.Env().NameSpan)
	if err != nil {
		return err
	}
	entries := e.entries()
	i := slices.IndexFunc(entries, func(x source.EnvEntry) bool { return x.NameSpan == at })
	if i < 0 {
		return refuse(ReasonConflict, "another operation changed the line")
	}
	x := entries[i]
	switch op.Kind {
	case model.OpSet:
		text, err := asText(op.Value)
		if err != nil {
			return err
		}
		if !x.Bare && x.Pieces.String() == text && x.Pieces.Literal() {
			return nil
		}
		if !x.Pieces.Literal() || isTemplate(e.view.cur.Text(x.ValueSpan)) {
			return refuse(ReasonTemplate, "the value refers to a variable")
		}
		if text == "${"+x.Name+"}" {
			return refuse(ReasonInput, "an env file holds the value itself")
		}
		return e.set(x, text)
	case model.OpRemove:
		return e.remove(x.Name)
	case model.OpRename:
		if slices.ContainsFunc(entries, func(y source.EnvEntry) bool { return y.Name == op.Name }) {
			return refuse(ReasonExists, "%q is set too", op.Name)
		}
		rename := func(before []variable) []variable {
			out := slices.Clone(before)
			for k := range out {
				if out[k].name == x.Name {
					out[k].name = op.Name
				}
			}
			return out
		}
		var edits []source.Edit
		for _, y := range entries {
			if y.Name == x.Name {
				edits = append(edits, edit(y.NameSpan.Start, y.NameSpan.End, op.Name))
			}
		}
		return e.make(rename, edits)
	case model.OpReplaceText:
		return e.view.replaceIn(x.ContentSpan, op)
	case model.OpInsertComment:
		line := e.view.cur.Line(e.view.cur.LineAt(x.Span.Start)).Start
		keep := func(before []variable) []variable { return before }
		return e.make(keep, []source.Edit{edit(line, line, commentLines(op.Name, "", e.view.newline()))})
	case model.OpMove:
		if !x.Pieces.Literal() || x.Bare {
			return refuse(ReasonUnknown, "the value is not in the files")
		}
		if err := s.do(st, model.Op{Kind: model.OpSet, At: op.To, Value: x.Pieces.String()}); err != nil {
			return err
		}
		return s.do(st, model.Op{Kind: model.OpRemove, At: op.At})
	}
	return refuse(ReasonInput, "unknown operation %q", op.Kind)
}

// spellings returns ways to write a value, the preferred quotes first.
func spellings(text string, quote byte) []string {
	single, double := "'"+text+"'", quoteDouble(text)
	switch quote {
	case '\'':
		return []string{single, double, text}
	case '"':
		return []string{double, single, text}
	}
	return []string{text, double, single}
}

func (e *envText) set(x source.EnvEntry, text string) error {
	if strings.ContainsAny(text, "\r\n") {
		return refuse(ReasonForm, "an env file holds one line a value")
	}
	change := func(before []variable) []variable {
		out := slices.Clone(before)
		for i := range out {
			if out[i].at == x.NameSpan.Start {
				out[i].value, out[i].set = text, true
			}
		}
		return out
	}
	var tries [][]source.Edit
	if x.Bare {
		for _, s := range spellings(text, 0) {
			tries = append(tries, []source.Edit{edit(x.NameSpan.End, x.NameSpan.End, "="+s)})
		}
		return e.make(change, tries...)
	}
	if x.Quote != 0 {
		tries = append(tries, []source.Edit{edit(x.ContentSpan.Start, x.ContentSpan.End, text)})
	}
	for _, s := range spellings(text, x.Quote) {
		tries = append(tries, []source.Edit{edit(x.ValueSpan.Start, x.ValueSpan.End, s)})
	}
	return e.make(change, tries...)
}

// add writes a new variable below the last one.
func (e *envText) add(name, text string) error {
	if strings.ContainsAny(text, "\r\n") {
		return refuse(ReasonForm, "an env file holds one line a value")
	}
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 || r == '-' || !isKeyByte(byte(r)) }) {
		return refuse(ReasonInput, "%q is no name of a variable", name)
	}
	entries := e.entries()
	if slices.ContainsFunc(entries, func(y source.EnvEntry) bool { return y.Name == name }) {
		return refuse(ReasonConflict, "%q is set", name)
	}
	w := e.view.writer()
	at, quote, prefix := len(w.b), byte(0), ""
	if n := len(entries); n > 0 {
		last := entries[n-1]
		at = w.nextLine(last.Span.End)
		quote = last.Quote
		if last.Exported {
			prefix = "export "
		}
	}
	before, after := "", w.nl
	if !w.closed(at) {
		before, after = w.nl, ""
	}
	change := func(before []variable) []variable {
		return append(slices.Clone(before), variable{name: name, value: text, set: true})
	}
	var tries [][]source.Edit
	for _, s := range spellings(text, quote) {
		for _, p := range [...]string{prefix, ""} {
			tries = append(tries, []source.Edit{edit(at, at, before+p+name+"="+s+after)})
		}
	}
	return e.make(change, tries...)
}

// remove takes all lines of a variable out, since an earlier one would count once the last is gone.
func (e *envText) remove(name string) error {
	w := e.view.writer()
	entries := e.entries()
	var edits, bare []source.Edit
	for i, x := range entries {
		if x.Name != name {
			continue
		}
		line := w.lineStart(x.Span.Start)
		start, end := line, w.nextLine(x.Span.End)
		// The comment above goes along when it speaks of this variable alone.
		head := line
		for {
			above, ok := w.above(head)
			if !ok || !w.isCommentLine(above) || i > 0 && above < entries[i-1].Span.End {
				break
			}
			head = above
		}
		next := end >= len(w.b) || w.isBlankLine(end) || w.isCommentLine(end)
		_, inside := w.above(head)
		if containsWord(string(w.b[head:line]), name) || inside && (next || !w.belowBlank(head)) {
			start = head
		}
		edits = append(edits, behind(edits, w.cut(start, end)))
		bare = append(bare, behind(bare, w.cut(line, end)))
	}
	change := func(before []variable) []variable {
		return slices.DeleteFunc(slices.Clone(before), func(v variable) bool { return v.name == name })
	}
	return e.make(change, edits, bare)
}

// behind keeps an edit from reaching into the one before it.
func behind(list []source.Edit, e source.Edit) source.Edit {
	if k := len(list) - 1; k >= 0 {
		e.Start = max(e.Start, list[k].End)
	}
	return e
}
