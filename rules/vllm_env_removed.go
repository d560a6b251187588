package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-env-removed",
		Title:    "A variable that the engine's release no longer reads",
		Category: "engine-args",
		Why: `A variable that is gone has no effect, and vLLM only warns in its log. What it switched runs with its default: ` + "`VLLM_ATTENTION_BACKEND`" + ` (gone from 0.15.0 on) no longer chooses the backend, ` + "`VLLM_USE_V1=0`" + `
(0.11.1) no longer brings the old engine back, ` + "`VLLM_RPC_TIMEOUT`" + ` (0.23.0) no longer lengthens a timeout.`,
		Remedy:   `Write the argument that took its place, or remove the variable; the message names it.`,
		Severity: model.Warning, Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.env", "engine.image"},
		Fix:        model.Unsafe, FixTitle: "write the argument instead",
		Question: "The release runs with its default today. Is the old setting still wanted?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.14.1", File: "vllm/envs.py", Symbol: "VLLM_ATTENTION_BACKEND", Checked: "2026-11-29",
				Note: "The last release with it. The variables of every release from 0.4.1 to 0.33.0 were read out of this file."},
			{Artefact: "vllm 0.29.0", File: "vllm/envs.py", Symbol: "Unknown vLLM environment variable detected", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			r := e.VLLM()
			for _, name := range e.Get("env").Keys() {
				if !strings.HasPrefix(name, "VLLM_") {
					continue
				}
				row, presence := r.Env(name)
				if presence != knowledge.Gone && presence != knowledge.Between || e.readElsewhere(name) {
					continue
				}
				at := e.At("env", name)
				if o := e.Get("env").Get(name).OriginOr(model.Origin{}); o.Source == model.FromChart {
					continue // the chart's own template writes it
				}
				if e.Unread() {
					e.uncheckedRelease()
					continue
				}
				value, known := e.Text("env", name)
				if name == "VLLM_USE_V1" && value == "1" {
					p.Report(at, "VLLM_USE_V1=1 is read by no release from vLLM 0.11.1 on, and V1 is the only engine: the variable is harmless and can go").OnKey().
						Severity(model.Info).Fix(model.Fix{Title: "remove it", Ops: []model.Op{model.Remove(at)}})
					continue
				}
				gone := (&writtenFlag{release: r, Flag: knowledge.Flag{Entry: row}}).goneSince()
				instead := ""
				switch text := row.Instead(); {
				case strings.HasPrefix(text, "nothing"):
					instead = "; drop it" + strings.TrimPrefix(text, "nothing")
				case text != "":
					instead = "; use " + text
				}
				report := p.Report(at, "%s is read by no release from vLLM %s on and the engine runs %s, so it does nothing%s", name, gone, e.Release(), instead).OnKey()
				if fix, ok := e.withoutVariable(row, at, value, known); ok {
					report.Fix(fix)
				}
			}
		}
	},
})

// readElsewhere reports whether another engine of the stack takes a variable from the same place and its release reads
// it, or may do so.
func (q Part) readElsewhere(name string) bool {
	own := q.Value.At("env", name)
	for _, v := range q.pass.Root.Get("engines").Items() {
		if env := v.Get("env"); !v.Known() || env != nil && !env.Known() {
			return true // not seen, so it may
		}
	}
	for e := range q.pass.Parts("engines") {
		other := e.Value.At("env", name)
		if e.Index == q.Index || other == nil || own.Origin.File == nil || other.Origin.File != own.Origin.File || other.Origin.Span != own.Origin.Span {
			continue
		}
		if _, presence := e.VLLM().Env(name); presence == knowledge.Present {
			return true
		}
	}
	return false
}

// substituted reports whether a value is what compose or a shell makes of a reference: written elsewhere it would be the
// reference's value of today.
func substituted(v *model.Value) bool {
	return v != nil && v.Origin.File != nil && strings.Contains(v.Origin.File.Text(v.Origin.Span), "$")
}

// withoutVariable is the change from a variable that is gone to what took its place.
func (q Part) withoutVariable(row knowledge.Entry, at model.Path, value string, known bool) (model.Fix, bool) {
	if strings.HasPrefix(row.Attr("instead"), "nothing") {
		return model.Fix{Title: "remove it", Ops: []model.Op{model.Remove(at)}}, true
	}
	if row.RenamedTo == "" || row.Attr("instead") != "" {
		return model.Fix{}, false
	}
	if !strings.HasPrefix(row.RenamedTo, "--") {
		if _, p := q.VLLM().Env(row.RenamedTo); p != knowledge.Present || !q.Absent("env", row.RenamedTo) {
			return model.Fix{}, false
		}
		return model.Fix{Title: "rename it to " + row.RenamedTo, Ops: []model.Op{model.Rename(at, row.RenamedTo)}}, true
	}
	f, p := q.VLLM().Flag(row.RenamedTo)
	flag := strings.TrimPrefix(row.RenamedTo, "--")
	if p != knowledge.Present || !known || value == "" || !q.Absent("args", flag) || substituted(q.Get("env").Get(row.Name)) {
		return model.Fix{}, false
	}
	var set any = value
	if f.Part != "" || f.Type == "bool" {
		switch strings.ToLower(value) {
		case "1", "true":
			set = "true"
		case "0", "false":
			set = "false"
		default:
			if f.Type == "bool" {
				return model.Fix{}, false
			}
		}
		if f.Part == "" {
			if set == "false" {
				return model.Fix{}, false
			}
			set = true
		}
	}
	return model.Fix{Title: "write " + row.RenamedTo, Ops: []model.Op{model.Remove(at), model.Set(q.At("args", flag), set)}}, true
}
