package fixers

import (
	"path"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// doArgs makes an operation at an argument of a command line, whichever way the line is written.
func (s *Session) doArgs(p place, op model.Op, st *model.Stack) error {
	arg := p.origin.Arg()
	line := arg.Line
	if p.isLaunch() {
		return s.setLaunch(p, op)
	}
	if arg.Flag < 0 || len(p.rest) > 0 && arg.Flag < 0 {
		if op.Kind != model.OpSet && op.Kind != model.OpAppend || len(p.rest) == 0 || len(p.rest) > 2 {
			return refuse(ReasonNoPlace, "it is not written in a file")
		}
		name, ok := p.rest[0].(string)
		if !ok || len(p.rest) == 2 && p.rest[1] != 0 {
			return refuse(ReasonNoPlace, "it is not written in a file")
		}
		return s.addFlag(line, flagSpelling(op.At, name), op.Value)
	}
	if len(p.rest) > 0 {
		if n, ok := p.rest[0].(int); !ok || len(p.rest) > 1 || n != len(arg.Values) || op.Kind != model.OpSet {
			return refuse(ReasonNoPlace, "it is not written in a file")
		}
		text, err := asText(op.Value)
		if err != nil {
			return err
		}
		return s.addValues(line, arg, []string{text})
	}
	// One value of several, or the flag.
	values := arg.Values
	one := -1
	if n, ok := op.At[len(op.At)-1].(int); ok && n < len(arg.Values) {
		one = n
		values = arg.Values[n : n+1]
	}
	switch op.Kind {
	case model.OpSet:
		texts, err := flagTexts(op.Value)
		if err != nil {
			return err
		}
		if _, list := asItems(op.Value); list && one < 0 && len(texts) > 0 && len(values) == 1 && values[0] == arg.Flag {
			return s.splitFlag(line, arg.Flag, texts)
		}
		return s.setValues(line, arg, values, texts, one >= 0)
	case model.OpAppend:
		texts, err := flagTexts(op.Value)
		if err != nil {
			return err
		}
		return s.addValues(line, arg, texts)
	case model.OpRemove:
		if one >= 0 && len(arg.Values) > 1 {
			return s.removeWords(line, values)
		}
		if err := s.removeFlag(arg); err != nil {
			return err
		}
		// The flag may be repeated; the one before would count then.
		for i := range p.value.Losers() {
			o := &p.value.Losers()[i]
			if o.Arg() != nil && o.Arg().Line == line && o.Arg().Flag >= 0 {
				if err := s.removeFlag(o.Arg()); err != nil {
					return err
				}
			}
		}
		return nil
	case model.OpRename:
		name := op.Name
		if !strings.HasPrefix(name, "-") {
			name = "--" + name
		}
		old, _, inline := strings.Cut(line.Words[arg.Flag].Text, "=")
		if !strings.HasPrefix(old, "-") {
			return refuse(ReasonForm, "the argument is no flag")
		}
		if !inline {
			return s.setWord(line, arg.Flag, name)
		}
		return s.setPart(line, arg.Flag, 0, len(old), name)
	case model.OpReplaceText:
		for _, i := range slices.Backward(values) {
			w := line.Words[i]
			from := 0
			if i == arg.Flag {
				from = strings.IndexByte(w.Text, '=') + 1
			}
			found, err := occurrences(w.Text[from:], op)
			if err != nil {
				return err
			}
			for _, at := range slices.Backward(found) {
				if err := s.setPart(line, i, from+at, from+at+len(op.From), op.Name); err != nil {
					return err
				}
			}
		}
		return nil
	case model.OpMove:
		return s.moveArgument(p, op, st, values, one >= 0)
	case model.OpInsertComment:
		w := line.Words[arg.Flag]
		if w.Args.Form == source.ListItems && w.Node != nil {
			v, n, err := s.item(&w)
			if err != nil {
				return err
			}
			return v.write(func(w *writer) (*change, error) { return w.comment(n, op.Name) })
		}
		return refuse(ReasonForm, "a command line has no place for a comment")
	}
	return refuse(ReasonInput, "unknown operation %q", op.Kind)
}

// flagSpelling returns a flag of the model's name as its program spells it: LiteLLM's have underscores.
func flagSpelling(at model.Path, name string) string {
	if strings.HasPrefix(name, "-") {
		return name
	}
	if len(at) > 0 && at[0] == "gateway" {
		r := knowledge.LiteLLM.At(knowledge.LiteLLM.Newest())
		for _, spelling := range [...]string{"--" + name, "--" + strings.ReplaceAll(name, "-", "_")} {
			if f, p := r.Flag(spelling); p == knowledge.Present {
				return f.Written
			}
		}
	}
	return "--" + name
}

// flagTexts returns the words of a flag's value: none for true and for a flag without one.
func flagTexts(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case bool:
		if v {
			return nil, nil
		}
		return nil, refuse(ReasonInput, "a flag is not set to false; it is removed or negated")
	}
	if items, ok := asItems(v); ok {
		var out []string
		for _, x := range items {
			text, err := asText(x)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
		}
		return out, nil
	}
	text, err := asText(v)
	return []string{text}, err
}

// editable refuses a word that does not stand in the file as it is.
func editable(w *source.CommandWord) error {
	switch {
	case w.Unknown || !w.Pieces.Literal():
		return refuse(ReasonTemplate, "the argument %q holds a variable", redacted(w.Text))
	case w.From != (source.Span{}):
		return refuse(ReasonForm, "the argument %q is written in a variable elsewhere", redacted(w.Text))
	}
	return nil
}

// item returns the view and the present node of a word that is a list item.
func (s *Session) item(w *source.CommandWord) (*view, *source.Node, error) {
	if w.Node == nil || w.Node.Kind == source.Alias {
		return nil, nil, refuse(ReasonAlias, "the argument is written in an anchor elsewhere")
	}
	v, err := s.view(w.Args.File)
	if err != nil {
		return nil, nil, err
	}
	n, err := v.node(w.Node)
	if err != nil {
		return nil, nil, err
	}
	return v, n, v.anchored(n, true)
}

// setWord writes another text in the place of a word.
func (s *Session) setWord(line *source.CommandLine, i int, text string) error {
	w := &line.Words[i]
	return s.setPart(line, i, 0, len(w.Text), text)
}

// setPart writes a text in the place of a part of a word.
func (s *Session) setPart(line *source.CommandLine, i, from, to int, text string) error {
	w := &line.Words[i]
	if err := editable(w); err != nil {
		return err
	}
	if w.Args.Form == source.ListItems {
		v, n, err := s.item(w)
		if err != nil {
			return err
		}
		if n.Kind != source.Scalar || !strings.HasSuffix(n.Text, w.Text[from:]) && n.Text != w.Text {
			return refuse(ReasonForm, "the argument is written in another way than it reads")
		}
		if from == 0 && to == len(w.Text) {
			return v.write(func(w *writer) (*change, error) { return w.set(n, text) })
		}
		inner, err := s.view(source.Nested(w.Args.File, w.Node))
		if err != nil {
			return err
		}
		return inner.apply(&change{tries: [][]source.Edit{{edit(from, to, text)}}})
	}
	return s.editWords(line, i, func(l *wordLine, at int) ([]source.Edit, error) { return l.set(at, from, to, text) })
}

// splitFlag writes --flag=value as the flag and values that are words of their own.
func (s *Session) splitFlag(line *source.CommandLine, flag int, texts []string) error {
	w := &line.Words[flag]
	i := strings.IndexByte(w.Text, '=')
	if i < 0 {
		return refuse(ReasonForm, "the value is glued to the flag %s", redacted(w.Text))
	}
	if err := s.setPart(line, flag, i, len(w.Text), ""); err != nil {
		return err
	}
	return s.insertWords(line, flag, texts)
}

// setValues writes the values of a flag.
func (s *Session) setValues(line *source.CommandLine, arg *model.Argument, values []int, texts []string, one bool) error {
	if one && len(texts) != 1 {
		return refuse(ReasonInput, "one value is not several")
	}
	inline := len(values) == 1 && values[0] == arg.Flag
	switch {
	case len(texts) == 0 && len(values) == 0:
		return nil
	case inline && len(texts) == 1:
		w := &line.Words[arg.Flag]
		from := strings.IndexByte(w.Text, '=') + 1
		if from == 0 {
			if strings.HasPrefix(w.Text, "-") && len(w.Text) > 2 {
				return refuse(ReasonForm, "the value is glued to the flag %s", redacted(w.Text))
			}
			from = 0 // a positional argument
		}
		return s.setPart(line, arg.Flag, from, len(w.Text), texts[0])
	case inline && len(texts) == 0:
		w := &line.Words[arg.Flag]
		i := strings.IndexByte(w.Text, '=')
		if i < 0 {
			return refuse(ReasonForm, "the value is glued to the flag %s", redacted(w.Text))
		}
		return s.setPart(line, arg.Flag, i, len(w.Text), "")
	case inline:
		return refuse(ReasonForm, "--flag=value holds one value")
	}
	n := min(len(values), len(texts))
	for i := range n {
		if line.Words[values[i]].Text == texts[i] {
			continue
		}
		if err := s.setWord(line, values[i], texts[i]); err != nil {
			return err
		}
	}
	if len(texts) > n {
		return s.addValues(line, arg, texts[n:])
	}
	return s.removeWords(line, values[n:])
}

// addValues adds values after those a flag has.
func (s *Session) addValues(line *source.CommandLine, arg *model.Argument, texts []string) error {
	after := arg.Flag
	if n := len(arg.Values); n > 0 {
		after = arg.Values[n-1]
		if after == arg.Flag {
			return refuse(ReasonForm, "--flag=value holds one value")
		}
	}
	return s.insertWords(line, after, texts)
}

// addFlag adds a flag to the end of a command line, with its value in the same word where the line writes flags so.
func (s *Session) addFlag(line *source.CommandLine, flag string, value any) error {
	texts, err := flagTexts(value)
	if err != nil {
		return err
	}
	n := len(line.Words)
	if n == 0 {
		return refuse(ReasonNoPlace, "no command line is written")
	}
	inline := false
	for i := range line.Words {
		name, _, has := strings.Cut(line.Words[i].Text, "=")
		inline = inline || has && strings.HasPrefix(name, "--")
		if name == flag {
			return refuse(ReasonConflict, "%s is set", flag)
		}
	}
	words := append([]string{flag}, texts...)
	if inline && len(texts) == 1 {
		words = []string{flag + "=" + texts[0]}
	}
	return s.insertWords(line, n-1, words)
}

// insertWords adds words after word number after.
func (s *Session) insertWords(line *source.CommandLine, after int, texts []string) error {
	w := &line.Words[after]
	if w.Args.Form == source.ListItems {
		v, err := s.view(w.Args.File)
		if err != nil {
			return err
		}
		for i, text := range texts {
			list, err := v.node(w.Args.Node)
			if err != nil {
				return err
			}
			if err := v.anchored(list, false); err != nil {
				return err
			}
			at := -1
			if w.Index+1 < len(w.Args.Words) {
				n, err := v.node(w.Node)
				if err != nil {
					return err
				}
				at = index(n) + 1 + i
			}
			if err := v.write(func(w *writer) (*change, error) { return w.insertItem(list, at, text) }); err != nil {
				return err
			}
		}
		return nil
	}
	return s.editWords(line, after, func(l *wordLine, at int) ([]source.Edit, error) { return l.insert(at, texts) })
}

// removeFlag removes a flag with its values.
func (s *Session) removeFlag(arg *model.Argument) error {
	words := append([]int{arg.Flag}, arg.Values...)
	slices.Sort(words)
	return s.removeWords(arg.Line, slices.Compact(words))
}

// removeWords removes words, which follow each other.
func (s *Session) removeWords(line *source.CommandLine, words []int) error {
	for len(words) > 0 {
		w := &line.Words[words[0]]
		if w.Args.Form == source.ListItems {
			v, n, err := s.item(w)
			if err != nil {
				return err
			}
			if err := v.write(func(w *writer) (*change, error) { return w.remove(n) }); err != nil {
				return err
			}
			words = words[1:]
			continue
		}
		k := 1
		for k < len(words) && words[k] == words[k-1]+1 && line.Words[words[k]].Args == w.Args {
			k++
		}
		for _, i := range words[:k] {
			if err := editable(&line.Words[i]); err != nil {
				return err
			}
		}
		err := s.editWords(line, words[0], func(l *wordLine, at int) ([]source.Edit, error) { return l.remove(at, k) })
		if err != nil {
			return err
		}
		words = words[k:]
	}
	return nil
}

// isLaunch reports whether the place is the words that start an engine.
func (p place) isLaunch() bool {
	return len(p.path) == 3 && p.path[0] == "engines" && p.path[2] == "command" && len(p.rest) == 0
}

// setLaunch starts an engine with vllm serve instead of Python and the module of the server. The command is the one
// that was installed with that Python. Removing vllm serve leaves the start to the image.
func (s *Session) setLaunch(p place, op model.Op) error {
	arg := p.origin.Arg()
	if w := arg.Line.Words; op.Kind == model.OpRemove && p.value.Text == "serve" && len(arg.Values) == 1 && w[0].Text == "vllm" && w[1].Text == "serve" {
		return s.removeWords(arg.Line, []int{0, 1})
	}
	if op.Kind != model.OpSet || op.Value != "serve" || p.value.Text != "api_server" {
		return refuse(ReasonForm, "the words that start a program can only become vllm serve")
	}
	words := arg.Line.Words
	if len(arg.Values) != 2 || words[1].Text != "-m" {
		return refuse(ReasonForm, "Python is started with options of its own, or by something else")
	}
	dir, _ := path.Split(words[0].Text)
	if dir == "/usr/bin/" || dir == "/bin/" {
		// Where a system's Python stands, pip installs no commands.
		dir = ""
	}
	if err := s.setWord(arg.Line, 0, dir+"vllm"); err != nil {
		return err
	}
	if err := s.setWord(arg.Line, 1, "serve"); err != nil {
		return err
	}
	return s.removeWords(arg.Line, []int{2})
}

// moveArgument moves a value to the front of a program's arguments, as its positional model: the only move that a
// command line has.
func (s *Session) moveArgument(p place, op model.Op, st *model.Stack, values []int, one bool) error {
	line, arg := p.origin.Arg().Line, p.origin.Arg()
	if len(op.To) < 1 || op.To[len(op.To)-1] != "model" || len(values) != 1 {
		v := p.value
		if v.Kind == model.List && v.Len() == 1 {
			v = v.Items()[0]
		}
		if !v.Known() {
			return refuse(ReasonUnknown, "the value is not in the files")
		}
		if err := s.do(st, model.Op{Kind: model.OpSet, At: op.To, Value: v.Plain()}); err != nil {
			return err
		}
		return s.do(st, model.Op{Kind: model.OpRemove, At: op.At})
	}
	w := line.Words[values[0]]
	if err := editable(&w); err != nil {
		return err
	}
	text := w.Text
	if values[0] == arg.Flag {
		_, text, _ = strings.Cut(text, "=")
	}
	switch serve := serveWord(line, arg.Flag); {
	case serve >= 0:
		if err := s.insertWords(line, serve, []string{text}); err != nil {
			return err
		}
	case !startsWithWords(st, op.To):
		return refuse(ReasonNoPlace, "no serve command stands before it")
	case arg.Flag == 0 && values[0] == 0:
		return s.setWord(line, 0, text)
	case arg.Flag == 0 && len(arg.Values) == 1:
		return s.removeWords(line, []int{0})
	default:
		if err := s.insertFirst(line, text); err != nil {
			return err
		}
	}
	if one && len(arg.Values) > 1 {
		return s.removeWords(line, values)
	}
	return s.removeFlag(arg)
}

// serveWord is the index of the last word "serve" before another one, -1 without one.
func serveWord(line *source.CommandLine, before int) int {
	for i := before - 1; i >= 0; i-- {
		if line.Words[i].Text == "serve" {
			return i
		}
	}
	return -1
}

// startsWithWords reports whether the engine that a path leads into is started by words of a file, or by its image, with
// its arguments behind them.
func startsWithWords(st *model.Stack, at model.Path) bool {
	v := st.Root.At(at[:len(at)-1].With("command")...)
	if v == nil {
		return false
	}
	how, _ := v.AsText()
	return v.Origin.Arg() != nil || how == "image"
}

// insertFirst adds a word before all words of a command line.
func (s *Session) insertFirst(line *source.CommandLine, text string) error {
	w := &line.Words[0]
	if w.Args.Form == source.ListItems {
		v, n, err := s.item(w)
		if err != nil {
			return err
		}
		return v.write(func(w *writer) (*change, error) { return w.insertItem(n.Parent, index(n), text) })
	}
	return s.editWords(line, 0, func(l *wordLine, at int) ([]source.Edit, error) { return l.insertBefore(at, text) })
}
