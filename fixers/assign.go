package fixers

import (
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// statement is one word of a command line or one assignment of a script, unit or Dockerfile, by its text.
type statement struct {
	text   string
	name   source.Span // of an assignment, zero for a word
	assign bool
}

// statementsOf returns all words and assignments of a text in one of the languages.
func statementsOf(f *source.File, kind textKind) []statement {
	var out []statement
	add := func(list []source.Assignment) {
		for _, a := range list {
			out = append(out, statement{text: a.Name + "=" + a.Value, name: a.NameSpan, assign: true})
		}
	}
	switch kind {
	case shellText:
		s, _ := source.ParseShell(f)
		if s == nil {
			return nil
		}
		for _, c := range s.Commands(nil) {
			add(c.Assigns)
		}
	case unitText:
		add(source.ParseUnit(f).Environment())
	case dockerText:
		d := source.ParseDockerfile(f)
		for i := range d.Stages {
			add(d.Stages[i].Env)
		}
	}
	for _, p := range programsOf(f, kind) {
		for _, w := range p.Line.Words {
			out = append(out, statement{text: w.Text})
		}
		out = append(out, statement{text: "\n"})
	}
	return out
}

// doAssignment makes an operation at NAME=value in a script, a unit or a Dockerfile. ok is false when the text holds
// no such assignment there.
func (s *Session) doAssignment(v *view, key, value source.Span, op model.Op) (ok bool, err error) {
	name := v.cur.Text(key)
	kind := textKinds
	var before []statement
	for k := range textKinds {
		list := statementsOf(v.cur, k)
		if slices.ContainsFunc(list, func(x statement) bool { return x.assign && x.name == key }) {
			kind, before = k, list
			break
		}
	}
	if kind == textKinds {
		return false, nil
	}
	check := func(next *source.File, change func(statement) (statement, bool)) error {
		var want []string
		changed := false
		for _, x := range before {
			y, keep := change(x)
			changed = changed || !keep || y.text != x.text
			if keep {
				want = append(want, y.text)
			}
		}
		var got []string
		for _, x := range statementsOf(next, kind) {
			got = append(got, x.text)
		}
		if !changed || !slices.Equal(got, want) {
			return fmt.Errorf("the commands and variables are not as intended")
		}
		return nil
	}
	try := func(change func(statement) (statement, bool), tries ...[]source.Edit) error {
		var first error
		for _, edits := range tries {
			restore := s.snapshot()
			err := v.edit(edits, &patch{}, func(next *source.File) error { return check(next, change) })
			if err == nil {
				return nil
			}
			restore()
			if first == nil {
				first = err
			}
		}
		if r, ok := first.(*Refusal); ok {
			return r
		}
		return refuse(ReasonVerify, "the edited text does not read back as intended: %v", first)
	}
	switch op.Kind {
	case model.OpSet:
		text, err := asText(op.Value)
		if err != nil {
			return true, err
		}
		raw := v.cur.Text(value)
		if isTemplate(raw) || strings.Contains(raw, "$") {
			return true, refuse(ReasonTemplate, "the value refers to a variable")
		}
		l := &wordLine{kind: kind, strict: kind == unitText}
		quoted, err := l.quote(text)
		if err != nil {
			return true, err
		}
		change := func(x statement) (statement, bool) {
			if x.assign && x.name == key {
				x.text = name + "=" + text
			}
			return x, true
		}
		tries := [][]source.Edit{{edit(value.Start, value.End, quoted)}}
		if len(raw) >= 2 && (raw[0] == '"' || raw[0] == '\'') && raw[len(raw)-1] == raw[0] && !strings.ContainsAny(text, "'\"\\$`") {
			tries = slices.Insert(tries, 0, []source.Edit{edit(value.Start+1, value.End-1, text)})
		}
		return true, try(change, tries...)
	case model.OpRename:
		change := func(x statement) (statement, bool) {
			if x.assign && x.name == key {
				x.text = op.Name + strings.TrimPrefix(x.text, name)
			}
			return x, true
		}
		return true, try(change, []source.Edit{edit(key.Start, key.End, op.Name)})
	case model.OpRemove:
		w := v.writer()
		drop := func(x statement) (statement, bool) { return x, !(x.assign && x.name == key) }
		line := w.lineStart(key.Start)
		tries := [][]source.Edit{
			{w.cut(line, w.nextLine(value.End))},
			{edit(key.Start, w.blanks(value.End), "")},
			{edit(w.blanksBefore(key.Start), value.End, "")},
		}
		if w.blanks(value.End) == w.lineEnd(value.End) {
			tries[1], tries[2] = tries[2], tries[1]
		}
		// Only a line of its own goes as a whole.
		if rest := strings.TrimSpace(string(w.b[line:key.Start])); w.blanks(value.End) != w.lineEnd(value.End) || rest != "" && rest != "export" && rest != "ENV" && rest != "Environment=" {
			tries = tries[1:]
		}
		return true, try(drop, tries...)
	case model.OpInsertComment:
		w := v.writer()
		line := w.lineStart(key.Start)
		same := func(x statement) (statement, bool) { return x, true }
		restore := s.snapshot()
		indent := w.indent(w.blanks(line))
		err := v.edit([]source.Edit{edit(line, line, commentLines(op.Name, indent, w.nl))}, &patch{}, func(next *source.File) error {
			if err := check(next, same); err != nil && len(statementsOf(next, kind)) != len(before) {
				return err
			}
			return nil
		})
		if err != nil {
			restore()
			return true, refuse(ReasonVerify, "the edited text does not read back as intended: %v", err)
		}
		return true, nil
	}
	return false, nil
}

// doOption makes an operation at NAME=value or NAME in the word of a command line that sets a variable of another
// environment, as docker run -e does. ok is false when the text holds no such word there.
func (s *Session) doOption(v *view, key, value source.Span, op model.Op) (ok bool, err error) {
	name := v.cur.Text(key)
	for _, kind := range [...]textKind{shellText, unitText} {
		programs := programsOf(v.cur, kind)
		for k, p := range programs {
			at := slices.IndexFunc(p.Line.Words, func(w source.CommandWord) bool { return w.Args.File == v.cur && w.Span.Contains(key) })
			if at < 0 {
				continue
			}
			w := &p.Line.Words[at]
			own, tail, found := strings.Cut(w.Text, name)
			first := at
			switch {
			case !found || tail != "" && tail[0] != '=':
				return false, nil
			case own == "-e" || own == "--env=":
			case own == "" && at > 0 && (p.Line.Words[at-1].Text == "-e" || p.Line.Words[at-1].Text == "--env"):
				first = at - 1
			default:
				return false, nil
			}
			if err := editable(w); err != nil {
				return true, err
			}
			l := &wordLine{kind: kind, strict: kind == unitText, line: p.Line}
			var edits []source.Edit
			switch op.Kind {
			case model.OpSet:
				var text string
				text, err = asText(op.Value)
				switch {
				case err != nil:
				case tail == "":
					edits, err = l.set(at, 0, len(w.Text), w.Text+"="+text)
				default:
					edits, err = l.set(at, len(w.Text)-len(tail)+1, len(w.Text), text)
				}
			case model.OpRename:
				edits, err = l.set(at, len(own), len(own)+len(name), op.Name)
			case model.OpRemove:
				edits, err = l.remove(first, at-first+1)
			default:
				return false, nil
			}
			if err != nil {
				return true, err
			}
			restore := s.snapshot()
			if err := v.edit(edits, &patch{}, linesCheck(programs, k, &l.splice, kind)); err != nil {
				restore()
				if r, ok := err.(*Refusal); ok {
					return true, r
				}
				return true, refuse(ReasonVerify, "the edited command line does not read back as intended: %v", err)
			}
			return true, nil
		}
	}
	return false, nil
}
