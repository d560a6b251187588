package loaders

import (
	"path"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// argument is one flag of a command line.
type argument struct {
	name    string // canonical: without dashes, "-" for "_" up to the first dot
	word    string // as written, without "=value"
	inline  bool
	flag    int // index of its word
	values  []int
	texts   []string
	unknown bool
}

// flagSpec tells how a program reads its flags. Without knowledge of a flag the next word that is no flag is
// its value.
type flagSpec interface {
	// arity returns the canonical name of a flag and how many values it takes: 0, 1 or -1 for one or more.
	// ok is false for a flag the program does not have.
	arity(word string) (name string, n int, ok bool)
}

// noSpec knows no flags.
type noSpec struct{}

func (noSpec) arity(string) (string, int, bool) { return "", 0, false }

// canonicalFlag strips the dashes of a flag and writes "-" for "_" up to the first dot.
func canonicalFlag(word string) string {
	name := strings.TrimLeft(word, "-")
	head, tail, dotted := strings.Cut(name, ".")
	head = strings.ReplaceAll(head, "_", "-")
	if dotted {
		return head + "." + tail
	}
	return head
}

// isFlag reports whether a word is a flag: dashes and a letter. A negative number is a value.
func isFlag(s string) bool {
	t := strings.TrimLeft(s, "-")
	if len(t) == len(s) || t == "" || len(s)-len(t) > 2 {
		return false
	}
	return t[0] >= 'a' && t[0] <= 'z' || t[0] >= 'A' && t[0] <= 'Z'
}

// readFlags reads a program's arguments: flags in order, and the positions of the words that are none.
func readFlags(p *program, spec flagSpec) (flags []argument, positional []int) {
	words := p.line.Words
	for i := p.first; i < len(words); i++ {
		w := words[i]
		if w.Text == "--" {
			for i++; i < len(words); i++ {
				positional = append(positional, i)
			}
			break
		}
		if w.Unknown && !isFlag(w.Text) || !isFlag(w.Text) {
			positional = append(positional, i)
			continue
		}
		word, val, inline := strings.Cut(w.Text, "=")
		a := argument{word: word, inline: inline, flag: i, name: canonicalFlag(word)}
		n := -2
		if name, ar, ok := spec.arity(word); ok {
			a.name, n = name, ar
		}
		if inline {
			a.values, a.texts, a.unknown = []int{i}, []string{val}, w.Unknown
			flags = append(flags, a)
			continue
		}
		for i+1 < len(words) && n != 0 && !isFlag(words[i+1].Text) && words[i+1].Text != "--" {
			i++
			a.values = append(a.values, i)
			a.texts = append(a.texts, words[i].Text)
			a.unknown = a.unknown || words[i].Unknown
			if n != -1 {
				break
			}
		}
		flags = append(flags, a)
	}
	return flags, positional
}

// argumentOrigin is the origin of a flag, or of its value with the given number.
func argumentOrigin(line *source.CommandLine, a *argument, value int) model.Origin {
	w := line.Words[a.flag]
	o := model.Origin{Source: model.FromArgs, File: w.Args.File, Key: w.Span, Span: w.Span,
		Arg: &model.Argument{Line: line, Flag: a.flag, Values: a.values}}
	if a.inline {
		// The flag's own part of the word is its key.
		o.Key = source.Span{Start: w.Span.Start, End: w.Span.Start + len(a.word)}
	}
	if value >= 0 && value < len(a.values) {
		v := line.Words[a.values[value]]
		o.File, o.Span = v.Args.File, v.Span
		if a.inline && v.Span.Len() == len(v.Text) {
			o.Span.Start += len(a.word) + 1
		}
	}
	return o
}

// argumentText is the value of an argument that is a part of a word.
func argumentText(line *source.CommandLine, flag, word int, text string, skip int) *model.Value {
	a := argument{flag: flag, values: []int{word}, word: line.Words[flag].Text}
	o := argumentOrigin(line, &a, 0)
	if w := line.Words[word]; w.Span.Len() == len(w.Text) {
		o.Span.Start += skip
	}
	if line.Words[word].Unknown {
		return model.NewUnknown(o)
	}
	return model.NewText(text, o)
}

// argsMap returns the arguments of a program as a map from flag to list of texts; the last of repeated flags wins
// and the earlier ones are its losers. each is called for every flag in order.
func argsMap(p *program, spec flagSpec, each func(a *argument)) *model.Value {
	m := model.NewMap(model.Origin{})
	if len(p.line.Words) > p.first {
		m.Origin = lineOrigin(p.line)
	}
	flags, positional := readFlags(p, spec)
	for i := range flags {
		a := &flags[i]
		if each != nil {
			each(a)
		}
		list := model.NewList(argumentOrigin(p.line, a, -1))
		for j, t := range a.texts {
			o := argumentOrigin(p.line, a, j)
			if p.line.Words[a.values[j]].Unknown {
				list.Append(model.NewUnknown(o))
			} else {
				list.Append(model.NewText(t, o))
			}
		}
		m.Override(a.name, list)
	}
	for _, i := range positional {
		// An unresolved word may be any flag: ${EXTRA_ARGS}.
		if p.line.Words[i].Unknown {
			m.Open = true
		}
	}
	return m
}

// lineOrigin is the place of a command line: the key of the list or text that holds its last words.
func lineOrigin(line *source.CommandLine) model.Origin {
	if len(line.Words) == 0 {
		return model.Origin{}
	}
	a := line.Words[len(line.Words)-1].Args
	o := model.Origin{Source: model.FromArgs, File: a.File, Node: a.Node, Span: a.Span}
	if a.Node != nil {
		if k := a.Node.KeyNode(); k != nil {
			o.Key = k.Span()
		}
		if host, scalar := a.File.Host(); host != nil && a.Node == nil {
			o.Node = scalar
		}
	} else if host, scalar := a.File.Host(); host != nil {
		o = nodeOrigin(host, scalar, model.FromArgs)
	}
	return o
}

// liteLLMFlags are the flags of the proxy's command line.
type liteLLMFlags struct{}

func (liteLLMFlags) arity(word string) (string, int, bool) {
	if word == "-c" {
		return "config", 1, true
	}
	return flagArity(knowledge.LiteLLM.At(knowledge.LiteLLM.Newest()), word)
}

// vllmFlags are the flags of vllm serve at a release.
type vllmFlags struct{ release knowledge.Release }

func (s vllmFlags) arity(word string) (string, int, bool) { return flagArity(s.release, word) }

// flagArity reads a flag's row of the knowledge base; unique prefixes count as argparse reads them. The negative
// form of a flag keeps its own name.
func flagArity(r knowledge.Release, word string) (string, int, bool) {
	name := canonicalFlag(word)
	head, _, dotted := strings.Cut(name, ".")
	spelling := word
	if strings.HasPrefix(word, "--") {
		spelling = "--" + head
	}
	f, presence := r.Flag(spelling)
	if presence == knowledge.Unknown && !dotted && strings.HasPrefix(word, "--") {
		if m := r.FlagsWithPrefix(spelling); len(m) == 1 {
			f, presence = r.Flag(m[0].Name)
		}
	}
	switch {
	case presence == knowledge.Unknown:
		return "", 0, false
	case dotted:
		return name, 1, true
	case f.Negative:
		return head, 0, true
	}
	n := 1
	switch {
	case f.Type == "bool" || f.Type == "store_true" || f.Type == "flag":
		n = 0
	case strings.HasPrefix(f.Type, "list"):
		n = -1
	}
	return strings.TrimLeft(f.Name, "-"), n, true
}

// argsOf reads a written command: a list, one word an item, or a text that is split into words without a shell,
// as compose does.
func argsOf(v *model.Value, lookup source.Lookup) *source.Args {
	n := v.Origin.Node.Deref()
	f := v.Origin.File
	if n == nil || f == nil {
		return nil
	}
	switch n.Kind {
	case source.List:
		a := &source.Args{File: f, Form: source.ListItems, Node: n, Span: n.Span()}
		for i, c := range n.Children {
			w := source.Word{Span: c.Span(), Node: c}
			if s, ok := v.At(i).Scalar(); ok {
				w.Text = s
			} else {
				w.Text, w.Unknown = c.Text, true
			}
			a.Words = append(a.Words, w)
		}
		return a
	case source.Scalar:
		a, err := source.ComposeWords(source.Nested(f, n), lookup)
		if err != nil {
			return nil
		}
		return a
	}
	return nil
}

// commands returns the simple commands of a line with the environment each has: the line itself, or those of the
// script after sh -c.
func commands(line *source.CommandLine, lookup source.Lookup) []source.Command {
	words := line.Words
	for i := 0; i+1 < len(words) && i < 4; i++ {
		switch path.Base(words[i].Text) {
		case "sh", "bash", "ash", "dash", "zsh":
		default:
			continue
		}
		for j := i + 1; j+1 < len(words) && strings.HasPrefix(words[j].Text, "-"); j++ {
			if strings.HasSuffix(words[j].Text, "c") {
				return scriptOf(&words[j+1], lookup)
			}
		}
	}
	return nil
}

// scriptOf reads the script that stands in one word of a command line.
func scriptOf(w *source.CommandWord, lookup source.Lookup) []source.Command {
	var f *source.File
	switch {
	case w.Node != nil && w.Node.Kind == source.Scalar && w.Args.Form == source.ListItems:
		f = source.Nested(w.Args.File, w.Node)
	default:
		f = source.NestedWord(w.Args.File, &w.Word)
	}
	if f == nil {
		return nil
	}
	// A script that its parser refuses is still split into words.
	s, _ := source.ParseShell(f)
	if s == nil {
		return nil
	}
	return s.Commands(lookup)
}
