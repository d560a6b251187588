package rules

import (
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-argument-not-split",
		Title:    "A list item holds a flag and its value in one string",
		Category: "engine-args",
		Why: `An exec-form list passes each item as one argument. ` + "`- --dtype auto`" + ` is therefore the single argument "--dtype auto", which the parser takes for a positional one: the engine
stops at start with "unrecognized arguments: --dtype auto".`,
		Remedy:   "Write two items, or one with an equals sign: `--dtype=auto`.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "compose"},
		When:   []string{"engine.strays"},
		Fix:    model.Safe, FixTitle: "split it into two items",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "class FlexibleArgumentParser", Checked: "2026-11-29",
				Note: "Built on argparse, whose _parse_optional takes a word with a blank in it for a positional argument."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for s := range p.Parts(e.At("strays")...) {
				text, ok := s.AsText()
				words := splitArgument(text)
				if !ok || !s.exec() || len(words) < 2 {
					continue
				}
				r := p.Report(s.Path(), "%s is one argument here: the engine stops at start with \"unrecognized arguments: %s\"; write the flag and its value as two items",
					model.Quote(text), model.Quote(text))
				rest := make([]any, len(words)-1)
				for i, w := range words[1:] {
					rest[i] = w
				}
				r.Fix(model.Fix{Ops: []model.Op{model.Rename(s.Path(), words[0]), model.Append(s.Path(), rest)}})
			}
		}
	},
})

// exec reports whether a word of a command line is an item of a list, written on one line.
func (q Part) exec() bool {
	a := q.Origin.Arg()
	if a == nil || a.Flag < 0 || a.Flag >= len(a.Line.Words) {
		return false
	}
	w := &a.Line.Words[a.Flag]
	n := w.Node.Deref()
	return w.Args.Form == source.ListItems && n != nil && n.Style != source.Literal && n.Style != source.Folded
}

// splitArgument splits a word that begins with a flag at its blanks outside quotes and brackets; nil when it does not begin
// with a flag.
func splitArgument(text string) []string {
	if len(text) < 2 || text[0] != '-' || text[1] >= '0' && text[1] <= '9' || text[1] == ' ' || text[1] == '.' {
		return nil
	}
	var words []string
	depth, quote, start := 0, byte(0), 0
	for i := 0; i <= len(text); i++ {
		switch {
		case i < len(text) && quote != 0:
			if text[i] == quote {
				quote = 0
			}
		case i < len(text) && (text[i] == '"' || text[i] == '\''):
			quote = text[i]
		case i < len(text) && strings.IndexByte("{[(", text[i]) >= 0:
			depth++
		case i < len(text) && strings.IndexByte("}])", text[i]) >= 0:
			depth--
		case i == len(text) || depth <= 0 && strings.IndexByte(" \t\n", text[i]) >= 0:
			if word := strings.TrimSpace(text[start:i]); word != "" {
				words = append(words, word)
			}
			start = i
		}
	}
	if quote != 0 || depth > 0 {
		return nil
	}
	for i, w := range words {
		if len(w) > 1 && (w[0] == '"' || w[0] == '\'') && w[len(w)-1] == w[0] {
			words[i] = w[1 : len(w)-1]
		}
	}
	return words
}
