package fixers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/secret"
	"agentlint/internal/source"
)

func redacted(s string) string { return secret.Redact(s) }

// textKind is the language of a text that holds command lines.
type textKind uint8

const (
	shellText textKind = iota
	composeText
	unitText
	dockerText
	textKinds
)

// programsOf returns the command lines of a text in one of the languages, scripts inside their words included.
func programsOf(f *source.File, kind textKind) []source.Program {
	var out []source.Program
	switch kind {
	case shellText:
		s, _ := source.ParseShell(f)
		if s == nil {
			return nil
		}
		commands := s.Commands(nil)
		for i := range commands {
			out = append(out, commands[i].Programs(nil)...)
		}
	case composeText:
		a, _ := source.ComposeWords(f, nil)
		out = source.Programs(source.JoinArgs(a), nil)
	case unitText:
		u := source.ParseUnit(f)
		for _, key := range [...]string{"ExecStartPre", "ExecStart", "ExecStartPost"} {
			for _, a := range u.Commands(key, nil) {
				out = append(out, source.Programs(source.JoinArgs(&a), nil)...)
			}
		}
	case dockerText:
		d := source.ParseDockerfile(f)
		for i := range d.Stages {
			out = append(out, source.Programs(d.Stages[i].Line(), nil)...)
		}
	}
	return out
}

// wordLine is a command line in a text as it is now.
type wordLine struct {
	kind textKind
	// strict is true when "$" and "%" mean something to a reader even in quotes.
	strict bool
	line   *source.CommandLine
	splice // how the words of the line must change
}

// splice is a change of a list of words: n of them from number place on become texts.
type splice struct {
	place, n int
	texts    []string
}

// of returns the words after the change.
func (x *splice) of(words []string) []string {
	return slices.Concat(words[:x.place], x.texts, words[x.place+x.n:])
}

// numbers returns those of the words that come for old ones, which keep theirs when there are as many, and have none
// otherwise.
func (x *splice) numbers(old []int) []int {
	if len(x.texts) == x.n {
		return old
	}
	return slices.Repeat([]int{-1}, len(x.texts))
}

// lineage is what became of the words of the command lines of a text: for each line the numbers that its words
// had at first, -1 for new ones.
type lineage struct {
	kind  textKind
	lines [][]int
}

// textOf returns the view of the text that a word stands in, which is the one around scripts in words.
func (s *Session) textOf(f *source.File) (*view, error) {
	for {
		h, n := f.Host()
		if h == nil || n != nil {
			return s.view(f)
		}
		f = h
	}
}

// spanKeys are the places of words in the outermost file, comparable between two readings of a text.
func spanKeys(words []source.CommandWord) []source.Span {
	out := make([]source.Span, len(words))
	for i := range words {
		w := &words[i]
		_, out[i] = w.Args.File.Outer(w.Span)
		if w.Args.Form == source.ListItems {
			out[i] = source.Span{Start: -1, End: -1}
		}
	}
	return out
}

// reading is a command line in one language: the number of the line in the text.
type reading struct {
	kind textKind
	k    int
	// from is where the words of the loader's line begin in it.
	from int
}

// find returns the languages in which the view's text holds the line that a loader read, the first one first.
func (v *view) find(line *source.CommandLine) ([]reading, error) {
	if out := v.found[line]; out != nil {
		return out, nil
	}
	want := spanKeys(line.Words)
	var out []reading
	for kind := range textKinds {
		// A compose command is a text inside a file; units and Dockerfiles are files.
		if (v.host != nil) != (kind == composeText) && kind != shellText {
			continue
		}
		var programs []source.Program
		if v.cur == v.orig {
			programs = v.programs(kind)
		} else {
			programs = programsOf(v.orig, kind)
		}
		for k, p := range programs {
			have := spanKeys(p.Line.Words)
			from := 0
			for from+len(want) <= len(have) && !slices.Equal(have[from:from+len(want)], want) {
				from++
			}
			if from+len(want) <= len(have) {
				out = append(out, reading{kind, k, from})
				break
			}
		}
	}
	if len(out) == 0 {
		return nil, refuse(ReasonForm, "the command line depends on variables")
	}
	if v.host == nil && len(out) > 1 && out[0].kind == shellText {
		// To a shell a unit or a Dockerfile is only by chance a script.
		out = out[1:]
	}
	if v.found == nil {
		v.found = map[*source.CommandLine][]reading{}
	}
	v.found[line] = out
	return out, nil
}

// lineParts are the words of a command line by the texts they stand in.
type lineParts struct {
	parts map[*source.Args]*source.CommandLine
	// places are the numbers of the line's words in their parts.
	places []int
}

// partOf returns the words of a line that stand in the same text as number i, and its number among them.
func (s *Session) partOf(line *source.CommandLine, i int) (*source.CommandLine, int) {
	p := s.lines[line]
	if p == nil {
		p = &lineParts{parts: map[*source.Args]*source.CommandLine{}, places: make([]int, len(line.Words))}
		for k, w := range line.Words {
			part := p.parts[w.Args]
			if part == nil {
				part = &source.CommandLine{}
				p.parts[w.Args] = part
			}
			p.places[k] = len(part.Words)
			part.Words = append(part.Words, w)
		}
		s.lines[line] = p
	}
	return p.parts[line.Words[i].Args], p.places[i]
}

// editWords plans an edit of the line that word number i of a loader's line stands in, makes it, and verifies that the
// text then has the same command lines with this change.
func (s *Session) editWords(line *source.CommandLine, i int, plan func(l *wordLine, at int) ([]source.Edit, error)) error {
	w := &line.Words[i]
	v, err := s.textOf(w.Args.File)
	if err != nil {
		return err
	}
	// Only the words in this text can be told by their place; a line may have others in a list or in another text.
	part, at := s.partOf(line, i)
	readings, err := v.find(part)
	if err != nil {
		return err
	}
	kind, k := readings[0].kind, readings[0].k
	at += readings[0].from
	before := v.programs(kind)
	lin := v.words(kind)
	if v.lineage == nil && len(v.moves) > 0 {
		return refuse(ReasonConflict, "another operation changed the script")
	}
	if lin.kind != kind || len(lin.lines) != len(before) || k >= len(before) || len(lin.lines[k]) != len(before[k].Line.Words) {
		return refuse(ReasonConflict, "another operation changed the script")
	}
	now := slices.Index(lin.lines[k], at)
	if now < 0 {
		return refuse(ReasonConflict, "another operation removed the argument")
	}
	l := &wordLine{kind: kind, line: before[k].Line}
	for _, r := range readings {
		l.strict = l.strict || r.kind == composeText || r.kind == unitText
	}
	edits, err := plan(l, now)
	if err != nil {
		return err
	}
	f := l.line.Words[now].Args.File
	for {
		h, n := f.Host()
		if h == nil || n != nil {
			break
		}
		if edits, err = f.HostEdits(edits); err != nil {
			return refuse(ReasonForm, "%v", err)
		}
		f = h
	}
	if s.batch != nil {
		if err := v.stage(edits, &patch{}); err != nil {
			return err
		}
		s.batch.stage[len(s.batch.stage)-1].line = &lineEdit{kind: kind, readings: readings, own: len(part.Words), k: k, splice: l.splice}
		return nil
	}
	check := func(next *source.File) error {
		want := make([][]string, len(before))
		for i, p := range before {
			want[i] = wordTexts(p.Line)
		}
		want[k] = l.of(want[k])
		if err := sameLines(next, kind, want); err != nil {
			return err
		}
		for _, r := range readings[1:] {
			if !r.reads(programsOf(next, r.kind), want[k], readings[0].from, len(part.Words)+len(want[k])-len(before[k].Line.Words)) {
				return errDifferent
			}
		}
		return nil
	}
	restore := s.snapshot()
	if err := v.edit(edits, &patch{}, check); err != nil {
		restore()
		if _, ok := err.(*Refusal); ok {
			return err
		}
		return refuse(ReasonVerify, "the edited command line does not read back as intended: %v", err)
	}
	next := &lineage{kind: kind, lines: slices.Clone(lin.lines)}
	ids := lin.lines[k]
	next.lines[k] = slices.Concat(ids[:l.place], l.numbers(ids[l.place:l.place+l.n]), ids[l.place+l.n:])
	v.lineage = next
	return nil
}

// words returns what became of the words of the command lines of the text.
func (v *view) words(kind textKind) *lineage {
	if v.lineage != nil {
		return v.lineage
	}
	r := v.now()
	if r.lineage[kind] == nil {
		lin := &lineage{kind: kind}
		for _, p := range v.programs(kind) {
			ids := make([]int, len(p.Line.Words))
			for i := range ids {
				ids[i] = i
			}
			lin.lines = append(lin.lines, ids)
		}
		r.lineage[kind] = lin
	}
	return r.lineage[kind]
}

// reads reports whether the line of the reading is the part of some words that begins with number first and has own
// words.
func (r *reading) reads(programs []source.Program, words []string, first, own int) bool {
	part := words[first:min(len(words), first+own)]
	if r.k >= len(programs) || len(programs[r.k].Line.Words) < r.from+len(part) {
		return false
	}
	return slices.Equal(wordTexts(programs[r.k].Line)[r.from:r.from+len(part)], part)
}

// sameLines returns an error unless a text has the command lines that are wanted.
func sameLines(next *source.File, kind textKind, want [][]string) error {
	after := programsOf(next, kind)
	if len(after) != len(want) {
		return fmt.Errorf("%d command lines become %d", len(want), len(after))
	}
	for i, p := range after {
		if !slices.Equal(wordTexts(p.Line), want[i]) {
			return errors.New("the words of a command line are not as intended")
		}
	}
	return nil
}

// linesCheck returns a check that a text has the same command lines as before, number k with other words.
func linesCheck(before []source.Program, k int, change *splice, kind textKind) func(*source.File) error {
	return func(next *source.File) error {
		want := make([][]string, len(before))
		for i, p := range before {
			want[i] = wordTexts(p.Line)
		}
		want[k] = change.of(want[k])
		return sameLines(next, kind, want)
	}
}

func wordTexts(line *source.CommandLine) []string {
	out := make([]string, len(line.Words))
	for i := range line.Words {
		out[i] = line.Words[i].Text
	}
	return out
}

func (l *wordLine) word(i int) *source.CommandWord { return &l.line.Words[i] }

// quote writes a word so that it is read as text, in the language of the line.
func (l *wordLine) quote(text string) (string, error) {
	if strings.ContainsRune(text, '\n') || l.strict && strings.ContainsAny(text, "$%") {
		return "", refuse(ReasonForm, "the text %q cannot be written in this command line", redacted(text))
	}
	if text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r < 0x80 && !isKeyByte(byte(r)) && !strings.ContainsRune("./:=@,+^", r)
	}) {
		return text, nil
	}
	if !strings.ContainsAny(text, "'\\") {
		return "'" + text + "'", nil
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if strings.ContainsRune("\"\\$`", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	b.WriteByte('"')
	return b.String(), nil
}

// set writes a text in the place of a part of a word.
func (l *wordLine) set(at, from, to int, text string) ([]source.Edit, error) {
	w := l.word(at)
	word := w.Text[:from] + text + w.Text[to:]
	l.splice = splice{at, 1, []string{word}}
	if w.Args.Form == source.ExecJSON {
		quoted, err := json.Marshal(word)
		if err != nil {
			return nil, err
		}
		s := l.jsonSpan(at)
		return []source.Edit{edit(s.Start, s.End, string(quoted))}, nil
	}
	raw := w.Args.File.Text(w.Span)
	// A part that stands there word for word is replaced alone, and so keeps the quotes around it.
	plain, err := l.quote(text)
	if err != nil {
		return nil, err
	}
	s := w.Sub(from, to)
	inner := w.Args.File.Text(s)
	if inner == w.Text[from:to] && (plain == text || quotedAround(w.Args.File.Bytes, s) && !strings.ContainsAny(text, "'\"\\$`")) {
		return []source.Edit{edit(s.Start, s.End, text)}, nil
	}
	if len(raw) >= 2 && (raw[0] == '"' || raw[0] == '\'') && raw[len(raw)-1] == raw[0] && !strings.ContainsAny(word, "'\"\\$`") {
		return []source.Edit{edit(w.Span.Start+1, w.Span.End-1, word)}, nil
	}
	// Only the value behind "=" takes quotes.
	head := ""
	rest := word
	if k := strings.IndexByte(rest, '='); from > 0 && k >= 0 && k < from {
		head, rest = rest[:k+1], rest[k+1:]
	}
	quoted, err := l.quote(rest)
	if err != nil {
		return nil, err
	}
	return []source.Edit{edit(w.Span.Start, w.Span.End, head+quoted)}, nil
}

// quotedAround reports whether a span is all that stands between two quotes.
func quotedAround(b []byte, s source.Span) bool {
	return s.Start > 0 && s.End < len(b) && b[s.Start-1] == b[s.End] && (b[s.End] == '"' || b[s.End] == '\'')
}

// jsonSpan returns the place of a word of an exec form with its quotes.
func (l *wordLine) jsonSpan(at int) source.Span {
	w := l.word(at)
	s, b := w.Span, w.Args.File.Bytes
	if s.Start > 0 && b[s.Start] != '"' || s.Len() == 0 || s.Len() == 1 {
		for s.Start > 0 && b[s.Start-1] == '"' && (s.Len() == 0 || b[s.Start] != '"') {
			s.Start--
		}
		for s.End < len(b) && b[s.End] == '"' && (s.End == s.Start+1 || b[s.End-1] != '"') {
			s.End++
		}
	}
	return s
}

// span returns the bytes of a word. One that is the alternative of a reference, ${X:-1}, takes the reference along.
func (l *wordLine) span(at int) source.Span {
	w := l.word(at)
	s, b := w.Span, w.Args.File.Bytes
	if s.End >= len(b) || b[s.End] != '}' {
		return s
	}
	open := strings.LastIndex(string(b[:s.Start]), "${")
	if open < 0 || strings.ContainsAny(string(b[open:s.Start]), " \t\r\n}'\"") {
		return s
	}
	return source.Span{Start: open, End: s.End + 1}
}

// gap returns what stands between a word of the same list and the one before it.
func (l *wordLine) gap(at int) (source.Span, bool) {
	if at == 0 || l.word(at-1).Args != l.word(at).Args {
		return source.Span{}, false
	}
	a, b := l.span(at-1), l.span(at)
	if a.End > b.Start {
		return source.Span{}, false
	}
	return source.Span{Start: a.End, End: b.Start}, true
}

// insert writes words after a word.
func (l *wordLine) insert(at int, texts []string) ([]source.Edit, error) {
	w := l.word(at)
	l.splice = splice{at + 1, 0, texts}
	if w.Args.Form == source.ExecJSON {
		s := l.jsonSpan(at)
		out := ""
		for _, t := range texts {
			quoted, err := json.Marshal(t)
			if err != nil {
				return nil, err
			}
			out += ", " + string(quoted)
		}
		return []source.Edit{edit(s.End, s.End, out)}, nil
	}
	quoted := make([]string, len(texts))
	for i, t := range texts {
		q, err := l.quote(t)
		if err != nil {
			return nil, err
		}
		quoted[i] = q
	}
	// A new flag goes on a line of its own where flags do.
	sep := " "
	if strings.HasPrefix(texts[0], "-") {
		for i := at; i > 0; i-- {
			if !strings.HasPrefix(l.word(i).Text, "-") {
				continue
			}
			if g, ok := l.gap(i); ok {
				if t := w.Args.File.Text(g); strings.Contains(t, "\n") && !strings.Contains(t, "#") {
					sep = t
				}
			}
			break
		}
	}
	end := l.span(at).End
	return []source.Edit{edit(end, end, sep+strings.Join(quoted, " "))}, nil
}

// insertBefore writes a word before another one.
func (l *wordLine) insertBefore(at int, text string) ([]source.Edit, error) {
	if _, ok := l.gap(at); ok {
		return l.insert(at-1, []string{text})
	}
	l.splice = splice{at, 0, []string{text}}
	if l.word(at).Args.Form == source.ExecJSON {
		quoted, err := json.Marshal(text)
		if err != nil {
			return nil, err
		}
		start := l.jsonSpan(at).Start
		return []source.Edit{edit(start, start, string(quoted)+", ")}, nil
	}
	quoted, err := l.quote(text)
	if err != nil {
		return nil, err
	}
	start := l.span(at).Start
	return []source.Edit{edit(start, start, quoted+" ")}, nil
}

// remove takes n words out, from number at on.
func (l *wordLine) remove(at, n int) ([]source.Edit, error) {
	last := at + n - 1
	l.splice = splice{at, n, nil}
	if n == len(l.line.Words) {
		return nil, refuse(ReasonForm, "nothing would be left of the command line")
	}
	w := l.word(at)
	f := w.Args.File
	if w.Args.Form == source.ExecJSON {
		a, b := l.jsonSpan(at), l.jsonSpan(last)
		if g, ok := l.gap(at); ok && g.Start > 0 {
			return []source.Edit{edit(l.jsonSpan(at-1).End, b.End, "")}, nil
		}
		if _, ok := l.gap(last + 1); last+1 < len(l.line.Words) && ok {
			return []source.Edit{edit(a.Start, l.jsonSpan(last+1).Start, "")}, nil
		}
		return []source.Edit{edit(a.Start, b.End, "")}, nil
	}
	start, end := l.span(at).Start, l.span(last).End
	before, hasBefore := l.gap(at)
	var after source.Span
	hasAfter := false
	if last+1 < len(l.line.Words) {
		after, hasAfter = l.gap(last + 1)
	}
	breaks := func(s source.Span) bool { return strings.Contains(f.Text(s), "\n") }
	switch {
	case !hasBefore && !hasAfter:
		return []source.Edit{edit(start, end, "")}, nil
	case !hasBefore || hasAfter && breaks(before) && !breaks(after):
		return []source.Edit{edit(start, after.End, "")}, nil
	}
	if strings.Contains(f.Text(before), "#") {
		return nil, refuse(ReasonForm, "a comment stands in front of the argument")
	}
	return []source.Edit{edit(before.Start, end, "")}, nil
}
