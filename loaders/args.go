package loaders

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

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

// argumentOrigin is the origin of a flag, or of its value with the given number.
func argumentOrigin(line *source.CommandLine, a *source.Flag, value int) model.Origin {
	w := line.Words[a.Index]
	arg := &model.Argument{Line: line, Flag: a.Index}
	for _, v := range a.Values {
		arg.Values = append(arg.Values, v.Index)
	}
	o := model.Origin{Source: model.FromArgs, File: w.Args.File, Key: a.NameSpan, Span: a.NameSpan, Detail: &model.Detail{Arg: arg}}
	if value >= 0 && value < len(a.Values) {
		v := a.Values[value]
		o.File, o.Span = line.Words[v.Index].Args.File, v.Span
	}
	return o
}

// argumentText is the value of an argument that is a part of a word, from byte skip of its text on.
func argumentText(line *source.CommandLine, flag, word int, text string, skip int) *model.Value {
	w := line.Words[word]
	o := model.Origin{Source: model.FromArgs, File: w.Args.File, Key: line.Words[flag].Span, Span: w.Span, Detail: &model.Detail{Arg: &model.Argument{Line: line, Flag: flag, Values: []int{word}}}}
	if w.Span.Len() == len(w.Text) {
		o.Span.Start += skip
	}
	if w.Unknown {
		return model.NewUnknown(o)
	}
	return model.NewText(text, o)
}

// flagValues is the values of a flag as a list of texts that stands at the flag.
func flagValues(line *source.CommandLine, a *source.Flag) *model.Value {
	list := model.NewList(argumentOrigin(line, a, -1))
	for j, v := range a.Values {
		o := argumentOrigin(line, a, j)
		if v.Unknown {
			list.Append(model.NewUnknown(o))
		} else {
			list.Append(model.NewText(v.Text, o))
		}
	}
	return list
}

// flagName is the name of a flag in the model: the negative form of a flag has a name of its own, --no-x also when it is
// abbreviated.
func flagName(a *source.Flag) string {
	if a.Negated {
		if name := canonicalFlag(a.Option); !strings.HasPrefix(name, "no-") {
			return name
		}
		return "no-" + a.Name
	}
	return a.Name
}

// argsMap returns flags as a map from name to list of texts; the last of repeated flags wins and the earlier ones
// are its losers.
func argsMap(fl *source.Flags) *model.Value {
	m := model.NewMap(lineOrigin(fl.Line))
	m.Open = fl.Open
	for i := range fl.Flags {
		a := &fl.Flags[i]
		m.Override(flagName(a), flagValues(fl.Line, a))
	}
	return m
}

// lineOrigin is the place of a command line: the key of the list or text that holds its last words.
func lineOrigin(line *source.CommandLine) model.Origin {
	if len(line.Words) == 0 {
		return model.Origin{}
	}
	a := line.Words[len(line.Words)-1].Args
	whole := &model.Argument{Line: line, Flag: -1}
	// A script inside a script ("sh -c '...'") has a host without a scalar.
	for host, scalar := a.File.Host(); host != nil; host, scalar = host.Host() {
		if scalar != nil {
			o := nodeOrigin(host, scalar, model.FromArgs)
			o.Detail = &model.Detail{Arg: whole}
			return o
		}
	}
	o := model.Origin{Source: model.FromArgs, File: a.File, Node: a.Node, Span: a.Span, Detail: &model.Detail{Arg: whole}}
	if k := a.Node.KeyNode(); k != nil {
		o.Key = k.Span()
	}
	return o
}

// flagSpec is the flags of a program at a release, from the knowledge base.
type flagSpec struct{ release knowledge.Release }

// Lookup implements source.FlagSpec.
func (s flagSpec) Lookup(option string) (source.FlagInfo, bool) {
	if strings.Contains(option, ".") {
		// A field of a JSON argument is no flag: the parser asks for what stands before the dot.
		return source.FlagInfo{}, false
	}
	f, presence := s.release.Flag(option)
	if presence == knowledge.Unknown {
		return source.FlagInfo{}, false
	}
	info := source.FlagInfo{Name: canonicalFlag(f.Name), Negated: f.Negative, Arity: source.ArityOne}
	switch {
	case f.Negative || f.Type == "bool" || f.Type == "store_true" || f.Type == "flag":
		info.Arity = source.AritySwitch
	case strings.HasPrefix(f.Type, "list"):
		info.Arity = source.ArityMany
	case f.Type == "str optional" || f.Type == "bool_value":
		info.Arity = source.ArityOptional
	}
	return info, true
}

// Prefix implements source.FlagSpec.
func (s flagSpec) Prefix(prefix string) []string {
	var out []string
	for _, e := range s.release.FlagsWithPrefix(prefix) {
		out = append(out, e.Name)
	}
	return out
}

// liteLLMFlags are the flags of the proxy's command line; -c is short for --config.
func liteLLMFlags() source.FlagSpec {
	return shortConfig{flagSpec{knowledge.LiteLLM.At(knowledge.LiteLLM.Newest())}}
}

type shortConfig struct{ flagSpec }

func (s shortConfig) Lookup(option string) (source.FlagInfo, bool) {
	if option == "-c" {
		option = "--config"
	}
	return s.flagSpec.Lookup(option)
}

// argsOf reads a written command: a list, one word an item, or a text. Values that are merged or interpolated by
// their loader already say what each word is.
func argsOf(v *model.Value, how source.Expansion, lookup source.Lookup) *source.Args {
	n := v.Origin.Node.Deref()
	f := v.Origin.File
	if n == nil || f == nil {
		return nil
	}
	// What can be read of a broken command is still read.
	a, _ := source.ArgsFromNode(f, n, how, lookup)
	return a
}
