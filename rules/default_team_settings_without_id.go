package rules

import (
	"fmt"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "default-team-settings-without-id",
		Title:    "An entry of default_team_settings has no team_id",
		Category: "cost",
		Why: "Each entry of `default_team_settings` has to be a mapping with a `team_id` that is a text. One without it, or with a number\n" +
			"there, stops the gateway at the start: team_id missing from default_team_settings at index=0.",
		Remedy:     "Write the id of the team into each entry, in quotes when it is all digits: `- team_id: \"4711\"`.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.litellm_settings.default_team_settings"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "team_id missing from default_team_settings at index={idx}", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2: no team_id, null, 12, true, a text as entry, a mapping in place of the list and an empty value refuse to load; an empty list and an empty text as id load."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/_types.py", Symbol: "class TeamDefaultSettings", Checked: "2026-11-30", Note: "team_id: str is the one field."},
		},
	},
	Check: func(p *Pass) {
		at := model.Path{"gateway", "config", "litellm_settings", "default_team_settings"}
		p.noteUnseen(at)
		v := p.Get(at...)
		if v == nil || (v.Kind == model.Map || v.Kind == model.List) && v.Len() == 0 || v.Kind == model.Text && (v.Text == "" || reference(v.Text)) {
			return
		}
		switch v.Kind {
		case model.List:
		case model.Map, model.Text:
			p.Report(at, "default_team_settings is %s and no list: the gateway does not start (team_id missing from default_team_settings at index=0)", described(v)).OnKey()
			return
		default:
			p.Report(at, "default_team_settings is %s and no list: the gateway does not start (object is not iterable)", described(v)).OnKey()
			return
		}
		for i, entry := range v.Items() {
			item := at.With(i)
			refusal := fmt.Sprintf("the gateway does not start (team_id missing from default_team_settings at index=%d)", i)
			switch {
			case !entry.Known():
			case entry.Kind != model.Map:
				p.Report(item, "entry %d of default_team_settings is %s and no mapping: %s", i+1, described(entry), refusal)
			case p.Absent(item.With("team_id")...):
				p.Report(item, "entry %d of default_team_settings has no team_id: %s", i+1, refusal)
			default:
				p.noteUnseen(item.With("team_id"))
				if id := p.Get(item.With("team_id")...); id != nil && id.Kind != model.Text {
					p.Report(item.With("team_id"), "team_id is %s and no text: %s", described(id), refusal)
				}
			}
		}
	},
})
