package source

import (
	"slices"
	"strings"
)

// Arity is how many words a flag takes as values.
type Arity uint8

// The arities, named after what argparse calls them.
const (
	ArityUnknown  Arity = iota // the next word is the value unless it looks like a flag
	AritySwitch                // none
	ArityOne                   // one
	ArityOptional              // none or one, nargs="?"
	ArityMany                  // one or more, nargs="+"
	ArityAny                   // any number, nargs="*"
)

// FlagInfo is what a program knows of one of its flags.
type FlagInfo struct {
	// Name is the flag's own name, without dashes.
	Name  string
	Arity Arity
	// Negated is true for an option that turns the flag off (--no-x, --disable-x of a flag x).
	Negated bool
}

// FlagSpec is the flags of a program. Options are asked for with their dashes, "_" replaced by "-" in long ones
// up to the first dot: "--max-model-len", "-tp".
type FlagSpec interface {
	Lookup(option string) (FlagInfo, bool)
	// Prefix returns the options that begin with prefix, for programs that accept unique prefixes.
	Prefix(prefix string) []string
}

// FlagValue is one value of a flag.
type FlagValue struct {
	Text string
	// Unknown is true when the value, or a part of it, is not in the files.
	Unknown bool
	// Index is the word that holds the value: that of the flag when it is written --flag=value.
	Index int
	// Span is where the text stands in the file of that word, without quotes around it; the whole word where
	// that cannot be told.
	Span Span
}

// Flag is one use of a flag.
type Flag struct {
	// Name is the flag's name as the spec gives it, else as written without dashes and with "-" for "_" up to
	// the first dot. A path behind the flag (--speculative-config.method) is part of it.
	Name string
	// Path is what follows the first dot of Name, empty without one.
	Path string
	// Append is true for --a.list+ and --a.list+=v, which add to a list.
	Append bool
	// Option is the flag as written, without a value: "--max_model_len".
	Option string
	// Index is the word that holds the flag, NameSpan where Option stands in the file of that word.
	Index    int
	NameSpan Span
	Values   []FlagValue
	// Attached is true when the value is in the same word (--flag=value, -O3).
	Attached bool
	Negated  bool
	// Known is false for a flag that the spec does not have, and without a spec. Ambiguous lists what a prefix
	// could stand for when that is more than one flag.
	Known     bool
	Ambiguous []string
}

// Value returns the text of the first value and whether it is there and known.
func (f *Flag) Value() (string, bool) {
	if f == nil || len(f.Values) == 0 || f.Values[0].Unknown {
		return "", false
	}
	return f.Values[0].Text, true
}

// Flags is a command line read as flags and positional words.
type Flags struct {
	Line  *CommandLine
	Flags []Flag
	// Positionals are the indices of the words that belong to no flag.
	Positionals []int
	// Open is true when a word that is not known may be, or hold, further flags.
	Open bool
}

// Last returns the last use of a flag, which is the one that counts for most programs, or nil.
func (f *Flags) Last(name string) *Flag {
	for i := range slices.Backward(f.Flags) {
		if f.Flags[i].Name == name {
			return &f.Flags[i]
		}
	}
	return nil
}

// All returns all uses of a flag in order.
func (f *Flags) All(name string) []*Flag {
	var out []*Flag
	for i := range f.Flags {
		if f.Flags[i].Name == name {
			out = append(out, &f.Flags[i])
		}
	}
	return out
}

// FlagSyntax is how a program reads its command line.
type FlagSyntax struct {
	// Spec may be nil: then a word after a flag is its value unless it looks like a flag itself.
	Spec FlagSpec
	// Clustered allows short flags in one word (-it, -p8000:8000), as docker does.
	Clustered bool
	// Leading ends the flags at the first positional word, as docker run does.
	Leading bool
	// Greedy gives a flag with one value the next word even when that begins with a dash, as click and pflag do.
	Greedy bool
}

// ParseFlags reads a command line as Python's argparse does; spec may be nil.
func ParseFlags(line *CommandLine, spec FlagSpec) *Flags {
	return FlagSyntax{Spec: spec}.Parse(line)
}

// Parse reads a command line. The first word is a flag or positional already: the program's name must have been
// cut off.
func (s FlagSyntax) Parse(line *CommandLine) *Flags {
	p := flagParser{FlagSyntax: s, out: &Flags{Line: line}, words: line.Words}
	for p.i < len(p.words) {
		w := &p.words[p.i]
		switch {
		case w.Text == "--" && !w.Unknown:
			p.i++
			for ; p.i < len(p.words); p.i++ {
				p.positional()
			}
			return p.out
		case p.isFlag(w):
			p.flag(w)
		default:
			p.positional()
			if s.Leading {
				for p.i++; p.i < len(p.words); p.i++ {
					p.positional()
				}
				return p.out
			}
			p.i++
		}
	}
	return p.out
}

type flagParser struct {
	FlagSyntax
	out   *Flags
	words []CommandWord
	i     int
}

func (p *flagParser) positional() {
	p.out.Open = p.out.Open || p.words[p.i].Unknown
	p.out.Positionals = append(p.out.Positionals, p.i)
}

// optionName returns the option at the start of a word, "" when the word holds none: it must be written out,
// whatever its value is.
func optionName(text string) string {
	if len(text) < 2 || text[0] != '-' {
		return ""
	}
	n := 1
	if text[1] == '-' {
		n = 2
	}
	start := n
	for n < len(text) && (isNameStart(text[n]) || '0' <= text[n] && text[n] <= '9' || strings.IndexByte("-.+", text[n]) >= 0) {
		n++
	}
	if n == start {
		return ""
	}
	return text[:n]
}

// isFlag reports whether a word is a flag to argparse: it begins with a dash, is no number, and, unless it
// is a known option, has no blank in it.
func (p *flagParser) isFlag(w *CommandWord) bool {
	option := optionName(w.Text)
	if option == "" {
		return false
	}
	rest := w.Text[len(option):]
	if rest == "" || rest[0] == '=' {
		if p.Spec != nil {
			if _, ok := p.Spec.Lookup(normalOption(option)); ok {
				return true
			}
		}
		if rest == "" {
			return !isNumber(w.Text)
		}
		// --flag=value with blanks in the value.
		return true
	}
	if strings.ContainsAny(w.Text, " \t\n") && option[1] == '-' {
		return false
	}
	// -O{"level": 3}, or an option with an unknown part.
	return option[1] != '-' && !isNumber(w.Text)
}

// isNumber reports whether a word is a negative number, which argparse takes for a value.
func isNumber(s string) bool {
	s, neg := strings.CutPrefix(s, "-")
	if !neg || s == "" {
		return false
	}
	digits, dots := 0, 0
	for i := range len(s) {
		switch {
		case '0' <= s[i] && s[i] <= '9':
			digits++
		case s[i] == '.':
			dots++
		case s[i] == '_' && digits > 0, (s[i] == 'e' || s[i] == 'E') && digits > 0, i > 0 && (s[i] == '-' || s[i] == '+') && s[i-1]|0x20 == 'e':
		default:
			return false
		}
	}
	return digits > 0 && dots <= 1
}

// normalOption replaces "_" by "-" up to the first dot of a long option.
func normalOption(option string) string {
	if !strings.HasPrefix(option, "--") || !strings.Contains(option, "_") {
		return option
	}
	head, tail, dot := strings.Cut(option, ".")
	head = strings.ReplaceAll(head, "_", "-")
	if dot {
		return head + "." + tail
	}
	return head
}

// resolve finds what an option stands for.
func (p *flagParser) resolve(f *Flag) Arity {
	option := normalOption(f.Option)
	trimmed, list := strings.CutSuffix(option, "+")
	head, path, dotted := strings.Cut(trimmed, ".")
	f.Name = strings.TrimLeft(option, "-")
	arity := ArityUnknown
	if dotted {
		f.Path, f.Append = path, list
		f.Name = strings.TrimLeft(trimmed, "-")
		arity = ArityOne
	}
	if p.Spec == nil {
		return arity
	}
	info, ok := p.Spec.Lookup(option)
	if ok {
		f.Known, f.Name, f.Path, f.Append, f.Negated = true, info.Name, "", false, info.Negated
		return info.Arity
	}
	if dotted {
		if info, ok = p.lookup(head, f); ok {
			f.Known, f.Name = true, info.Name+"."+path
		}
		return ArityOne
	}
	if info, ok = p.lookup(option, f); ok {
		f.Known, f.Name, f.Negated = true, info.Name, info.Negated
		return info.Arity
	}
	return arity
}

// lookup asks for an option, its negation, or what it is a unique prefix of.
func (p *flagParser) lookup(option string, f *Flag) (FlagInfo, bool) {
	if info, ok := p.Spec.Lookup(option); ok {
		return info, true
	}
	positive, no := strings.CutPrefix(option, "--no-")
	if no {
		if info, ok := p.Spec.Lookup("--" + positive); ok && info.Arity == AritySwitch {
			info.Negated = !info.Negated
			return info, true
		}
	}
	if !strings.HasPrefix(option, "--") {
		return FlagInfo{}, false
	}
	candidates := p.Spec.Prefix(option)
	if len(candidates) == 1 {
		return p.Spec.Lookup(candidates[0])
	}
	if len(candidates) == 0 && no {
		for _, c := range p.Spec.Prefix("--" + positive) {
			if info, ok := p.Spec.Lookup(c); ok && info.Arity == AritySwitch {
				candidates = append(candidates, c)
			}
		}
		if len(candidates) == 1 {
			info, ok := p.Spec.Lookup(candidates[0])
			info.Negated = !info.Negated
			return info, ok
		}
	}
	f.Ambiguous = candidates
	return FlagInfo{}, false
}

func (p *flagParser) flag(w *CommandWord) {
	f := Flag{Option: optionName(w.Text), Index: p.i}
	rest := w.Text[len(f.Option):]
	if f.Option[1] != '-' && p.short(w, &f) {
		return
	}
	f.NameSpan = w.Sub(0, len(f.Option))
	arity := p.resolve(&f)
	p.i++
	if rest != "" {
		f.Attached = true
		from := len(w.Text) - len(rest)
		if rest[0] == '=' {
			from++
		}
		f.Values = []FlagValue{p.value(f.Index, from)}
		p.out.Flags = append(p.out.Flags, f)
		return
	}
	p.follow(&f, arity)
	p.out.Flags = append(p.out.Flags, f)
}

// short reads a short option whose value is attached without "=", or several options in one word. It returns
// false when the word is one option.
func (p *flagParser) short(w *CommandWord, f *Flag) bool {
	if p.Spec == nil {
		return false
	}
	if _, ok := p.Spec.Lookup(f.Option); ok {
		return false
	}
	head, _, dotted := strings.Cut(f.Option, ".")
	if dotted {
		if _, ok := p.Spec.Lookup(head); ok {
			return false
		}
	}
	var cluster []Flag
	for at := 1; at < len(w.Text); at++ {
		info, ok := p.Spec.Lookup("-" + w.Text[at:at+1])
		if !ok || info.Arity == AritySwitch && !p.Clustered && at+1 < len(w.Text) {
			return false
		}
		g := Flag{Name: info.Name, Option: "-" + w.Text[at:at+1], Index: p.i, Known: true, Negated: info.Negated, NameSpan: w.Sub(at, at+1)}
		if at == 1 {
			g.NameSpan = w.Sub(0, 2)
		}
		if info.Arity == AritySwitch {
			cluster = append(cluster, g)
			continue
		}
		index := p.i
		p.i++
		if at+1 < len(w.Text) {
			from := at + 1
			if w.Text[from] == '=' {
				from++
			}
			g.Attached = true
			g.Values = []FlagValue{p.value(index, from)}
		} else {
			p.follow(&g, info.Arity)
		}
		p.out.Flags = append(append(p.out.Flags, cluster...), g)
		return true
	}
	p.i++
	p.out.Flags = append(p.out.Flags, cluster...)
	return true
}

// value is the text of word i from the byte at from on.
func (p *flagParser) value(i, from int) FlagValue {
	w := &p.words[i]
	return FlagValue{Text: w.Text[from:], Unknown: w.Unknown && !w.knownFrom(from), Index: i, Span: w.Sub(from, len(w.Text))}
}

// follow takes the words after a flag that are its values.
func (p *flagParser) follow(f *Flag, arity Arity) {
	limit := 1
	switch arity {
	case AritySwitch:
		return
	case ArityMany, ArityAny:
		limit = len(p.words)
	}
	for len(f.Values) < limit && p.i < len(p.words) {
		w := &p.words[p.i]
		greedy := p.Greedy && arity == ArityOne
		if !greedy && (w.Text == "--" && !w.Unknown || p.isFlag(w)) {
			return
		}
		// An unknown word where it is not sure that there is a value may as well be a flag.
		p.out.Open = p.out.Open || w.Unknown && arity != ArityOne
		f.Values = append(f.Values, p.value(p.i, 0))
		p.i++
	}
}

// knownFrom reports whether no reference stands in the text of the word from a byte on.
func (w *CommandWord) knownFrom(from int) bool {
	if w.parts == nil || isTemplate(w.Text[from:]) {
		return false
	}
	n := 0
	for _, x := range w.parts {
		n += len(x.Text)
		if x.Ref != nil && n > from {
			return false
		}
	}
	return true
}

// Sub returns where a part of the word's text stands in the file of its list, or the whole word where that
// cannot be told.
func (w *CommandWord) Sub(from, to int) Span {
	f := w.Args.File
	parts := w.parts
	var inner *File
	if w.Args.Form == ListItems && w.Node != nil {
		if inner = Nested(f, w.Node); inner == nil {
			return w.Span
		}
		if parts == nil {
			parts = Pieces{{Span: Span{0, len(inner.Bytes)}, Text: inner.text()}}
		}
	}
	if parts == nil {
		parts = Pieces{{Span: w.Span, Text: w.Text}}
	}
	file := f
	if inner != nil {
		file = inner
	}
	s, ok := subSpan(file, parts, from, to)
	if !ok {
		return w.Span
	}
	if inner != nil {
		e := inner.outer
		s = Span{e.offset(s.Start), max(e.offset(s.Start), e.offset(s.End))}
	}
	return s
}

// subSpan returns where the text of parts from a byte to another stands in f.
func subSpan(f *File, parts Pieces, from, to int) (Span, bool) {
	var s Span
	found := false
	n := 0
	for _, x := range parts {
		a, b := max(from, n), min(to, n+len(x.Text))
		if a < b || from == to && n <= from && from <= n+len(x.Text) && !found {
			t := x.Span
			if x.exact(f.Bytes) {
				t = Span{x.Span.Start + a - n, x.Span.Start + b - n}
			}
			if found && t.Start < s.End {
				return Span{}, false
			}
			if !found {
				s = t
			}
			s.End = t.End
			found = true
		}
		n += len(x.Text)
	}
	return s, found
}
