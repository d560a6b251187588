package rules

import (
	"fmt"
	"path"
	"slices"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "include-replaces-section",
		Title:    "An included file replaces a whole section",
		Category: "schema",
		Why: "LiteLLM joins lists of an included file to those of the config that names it, so that models may be spread over files. Any\n" +
			"other key of an included file takes the place of the one that was there, and sections are one value: `general_settings` with\n" +
			"a single key in an included file removes the master key, the database and all other keys of the main file's, without a\n" +
			"message. Only a master key and a database that stand in the environment under their own names (LITELLM_MASTER_KEY,\n" +
			"DATABASE_URL) are found there then.",
		Remedy:     "Keep each section in one file: move the keys of the included file to the main one. Lists such as `model_list` may stand in both.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"files", "gateway.config"},
		When:       []string{"gateway.config.include"},
		Fix:        model.Unsafe,
		FixTitle:   "move the keys to the main file",
		Question:   "Do the settings of both files belong together? Where both have a key, the included file's value stays.",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/common_utils/config_includes.py", Symbol: "def _merged_value", Checked: "2026-11-29",
				Note: "Lists are extended, every other value is overridden; nested entries come after those of the config itself. Run with general_settings in both files: the master key of the main file is gone."},
		},
	},
	Check: func(p *Pass) {
		config := p.Get("gateway", "config")
		entries := p.Get("gateway", "config", "include")
		if entries == nil || entries.Kind != model.List || config.Origin.File == nil {
			return
		}
		for i, name := range config.Keys() {
			section := config.Items()[i]
			from := section.Origin.File
			if section.Kind != model.Map || from == nil || from == config.Origin.File || !p.AtLeast("1.102.0") && !included(config, entries, from) {
				continue
			}
			p.reportReplaced(model.Path{"gateway", "config", name}, section)
		}
	},
})

// included reports whether a config's own include list names a file.
func included(config, entries *model.Value, f *source.File) bool {
	outer, _ := config.Origin.File.Outer(source.Span{})
	for _, e := range entries.Items() {
		if name, ok := e.AsText(); ok && path.Join(path.Dir(outer.Path), name) == f.Path {
			return true
		}
	}
	return false
}

// replaced are the indices of the losers of a section that stand in other files than the section itself.
func replaced(section *model.Value) (out []int) {
	for i := range section.Losers() {
		l := &section.Losers()[i]
		if n := l.Node.Deref(); l.File != nil && l.File != section.Origin.File && n != nil && n.Kind == source.Map && l.Span != l.Key {
			out = append(out, i)
		}
	}
	return out
}

func (p *Pass) reportReplaced(at model.Path, section *model.Value) {
	losers := replaced(section)
	var gone, changed, files []string
	for _, i := range losers {
		for _, e := range section.Losers()[i].Node.Entries() {
			key := model.Quote(e.Key.Text)
			switch v := section.Get(e.Key.Text); {
			case v == nil && section.Open, slices.Contains(gone, key), slices.Contains(changed, key), v == nil && fromEnvironment(at, e):
			case v == nil:
				gone = append(gone, key)
			case v.Origin.Node != nil && fullyKnown(v) && !sameNode(v.Origin.Node, e.Value):
				changed = append(changed, key)
			}
		}
		files = append(files, fileText(section.Losers()[i].File))
	}
	text := ""
	switch {
	case len(gone) == 1:
		text = fmt.Sprintf("%s is lost", gone[0])
	case len(gone) > 1:
		text = fmt.Sprintf("these are lost: %s", shortList(gone))
	case len(changed) == 1:
		text = fmt.Sprintf("the %s there does not count", changed[0])
	case len(changed) > 1:
		text = fmt.Sprintf("these do not count there: %s", shortList(changed))
	default:
		return
	}
	r := p.Report(at, "%s of the included %s replaces that of %s as a whole, and %s", model.Quote(keyText(section)), fileText(section.Origin.File), shortList(files), text).OnKey()
	if len(losers) != 1 || len(section.Losers()) != 1 || section.Open {
		return
	}
	var ops []model.Op
	to := at.With(model.Loser(losers[0]))
	for i, key := range section.Keys() {
		v := section.Items()[i]
		if !fullyKnown(v) {
			return
		}
		op := model.Op{Kind: model.OpMove, At: at.With(key), To: to.With(key)}
		if section.Losers()[losers[0]].Node.Get(key) != nil {
			op = model.Set(op.To, v.Plain())
		}
		ops = append(ops, op)
	}
	r.Fix(model.Fix{Ops: append(ops, model.Remove(at))})
}

// fromEnvironment reports whether LiteLLM reads what an entry of a section refers to from the same variable when the entry
// is missing.
func fromEnvironment(section model.Path, e source.Entry) bool {
	if section[len(section)-1] != "general_settings" {
		return false
	}
	switch e.Key.Text {
	case "master_key":
		return isReference(e.Value, "LITELLM_MASTER_KEY")
	case "database_url":
		return isReference(e.Value, "DATABASE_URL")
	}
	return false
}

func isReference(n *source.Node, name string) bool {
	d := n.Deref()
	return d != nil && d.Text == referencePrefix+name
}

// fileText names a file in a message, and the key that it stands under when it is a text inside another file.
func fileText(f *source.File) string {
	outer, _ := f.Outer(source.Span{})
	if _, scalar := f.Host(); scalar != nil && scalar.KeyNode() != nil {
		return model.Quote(scalar.KeyNode().Text) + " in " + model.Quote(outer.Path)
	}
	return model.Quote(outer.Path)
}

// fullyKnown reports whether nothing in a value is out of sight.
func fullyKnown(v *model.Value) bool {
	known := true
	v.Each(func(x *model.Value) { known = known && x.Known() && !x.Open })
	return known
}
