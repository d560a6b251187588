package rules

import (
	"slices"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-config-overridden",
		Title:    "A key of the engine's config file is overridden on its command line",
		Category: "engine-args",
		Why: `vLLM puts the keys of the file of ` + "`--config`" + ` before the words of its command line, and of two values the last counts. A change in the file then does nothing, and nothing in the
log says so.`,
		Remedy:   `Keep the setting in one of the two places.`,
		Severity: model.Info, Confidence: model.High,
		Inputs: []string{"engine.config", "engine.args"},
		Fix:    model.Safe, FixTitle: "remove the key that has no effect",
		Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/utils/argparse_utils.py", Symbol: "# of cli > config > defaults", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			for _, c := range e.configKeys() {
				if !c.written {
					continue
				}
				for _, name := range c.names {
					list := e.Get("args", name)
					if list == nil || list.Origin.Arg() == nil {
						continue
					}
					var values []string
					for i := range list.Len() {
						text, ok := e.Text("args", name, i)
						if !ok {
							values = nil
							break
						}
						values = append(values, text)
					}
					if list.Len() > 0 && values == nil || name == c.name && slices.Equal(values, c.values) {
						continue
					}
					p.Report(c.at, "%s is set to another value on the command line, which wins: the key in the config file has no effect", model.Quote(c.key)).OnKey().
						RelatedKey(e.At("args", name), "wins").
						Fix(model.Fix{Ops: []model.Op{model.Remove(c.at)}})
				}
			}
		}
	},
})

// configKey is one key of an engine's config file.
type configKey struct {
	at  model.Path
	key string
	// name is the flag that the key becomes, names also its opposite.
	name  string
	names []string
	flag  knowledge.Flag
	// values are what the flag is given; written is false when the key becomes nothing, or when its values are not known.
	values  []string
	written bool
	// off is true for the value false.
	off bool
}

// configKeys returns the keys of an engine's config file whose flags the release has.
func (q Part) configKeys() []configKey {
	var out []configKey
	config := q.Get("config")
	r := q.VLLM()
	for i, key := range config.Keys() {
		v := config.Items()[i]
		f, presence := r.Flag("--" + key)
		if presence != knowledge.Present || f.Part != "" || !v.Known() {
			continue
		}
		c := configKey{at: q.At("config", key), key: key, flag: f, name: trimDashes(f.Name)}
		if f.Negative {
			c.name = trimDashes(f.Written)
		}
		c.names = []string{c.name, oppositeFlag(c.name)}
		switch v.Kind {
		case model.Bool:
			c.off, c.written = !v.Bool, v.Bool
		case model.List:
			c.written = true
			for _, item := range v.Items() {
				s, ok := item.Scalar()
				c.values, c.written = append(c.values, s), c.written && ok
			}
		default:
			var s string
			s, c.written = v.Scalar()
			c.values = []string{s}
		}
		out = append(out, c)
	}
	return out
}

func trimDashes(name string) string {
	for name != "" && name[0] == '-' {
		name = name[1:]
	}
	return name
}

// oppositeFlag is the name of the other form of a boolean flag.
func oppositeFlag(name string) string {
	if len(name) > len("no-") && name[:len("no-")] == "no-" {
		return name[len("no-"):]
	}
	return "no-" + name
}
