package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "callback-unknown",
		Title:    "A callback does not exist",
		Category: "observability",
		Why: `What callbacks names and LiteLLM does not know is imported as a Python object: a bare name has no module, so the
gateway stops at the start with ValueError: Empty module name. Under success_callback and failure_callback an unknown
name is kept in the list and never matched: nothing is logged, without a message.`,
		Remedy: `Write the name of an integration, or module.object for a callback of your own (a file beside the config). A name that
callback_settings declares with callback_type generic_api is known too. A few integrations, such as sentry, wandb and
lunary, exist only for success_callback and failure_callback.`,
		Severity:   model.Error,
		Severities: []model.Severity{model.Warning, model.Info},
		Confidence: model.High,
		Inputs:     []string{"gateway.config", "gateway.image"},
		When: []string{"gateway.config.litellm_settings.callbacks", "gateway.config.litellm_settings.success_callback",
			"gateway.config.litellm_settings.failure_callback"},
		Fix:      model.Safe,
		FixTitle: "write the name that exists",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/common_utils/callback_utils.py", Symbol: "def initialize_callbacks_on_proxy", Checked: "2026-11-29",
				Note: "Run: get_instance_fn of a bare name raises ValueError: Empty module name."},
			{Artefact: "litellm 1.102.0", File: "litellm/litellm_core_utils/litellm_logging.py", Symbol: "litellm.success_callback", Checked: "2026-11-29",
				Note: "Names of success_callback are compared one by one; one that matches nothing is passed over."},
		},
	},
	Check: func(p *Pass) {
		for _, list := range callbackLists {
			p.callbacks(list)
		}
	},
})

// callbackList is a setting that lists callbacks.
type callbackList struct {
	key   string
	enums []string // of the names it accepts
	// unknown is what a gateway does with a name it does not know.
	unknown string
}

var callbackLists = [...]callbackList{
	{"callbacks", []string{"callback"}, "does not start with it (Empty module name)"},
	{"success_callback", []string{"callback", "success_callback"}, "logs nothing to it"},
	{"failure_callback", []string{"callback", "success_callback"}, "logs nothing to it"},
}

// ownCallback reports whether a name leads to a callback of one's own: a dotted path, an address, a name of
// callback_settings.
func (p *Pass) ownCallback(name string) bool {
	return name == "" || strings.ContainsAny(name, "./: ") || p.State("gateway", "config", "callback_settings", name) != model.Absent
}

// callback returns the row of a callback's name in the enumerations, of the one that has it at the gateway's release when
// there are several.
func (p *Pass) callback(name string, enums []string) (e knowledge.Entry, presence knowledge.Presence) {
	for _, enum := range enums {
		if f, q := p.LiteLLM().EnumValue(enum, name); presence == knowledge.Unknown || q == knowledge.Present {
			e, presence = f, q
		}
	}
	return e, presence
}

// callbacks reports the names of a list that no release knows.
func (p *Pass) callbacks(list callbackList) {
	if p.Root.At("gateway", "config", "litellm_settings").Get(list.key) == nil {
		return
	}
	at := model.Path{"gateway", "config", "litellm_settings", list.key}
	p.noteUnseen(at)
	for item := range p.Parts(at...) {
		name, ok := item.AsText()
		if !ok || p.ownCallback(name) {
			continue
		}
		if _, presence := p.callback(name, list.enums); presence != knowledge.Unknown {
			continue
		}
		found := p.nearValues(name, list.enums...)
		if p.newerThanTables() && len(found) == 0 {
			continue
		}
		effect, end := "is imported as a Python module, so the gateway does not start (Empty module name)", didYouMean(found)
		if list.key != "callbacks" {
			effect = "logs nothing, without a message"
		} else if _, presence := p.LiteLLM().EnumValue("success_callback", name); presence == knowledge.Present {
			end = "; it exists only for success_callback and failure_callback"
		}
		r := p.Report(item.Path(), "%s in %s is no callback of any LiteLLM release up to %s and %s%s", model.Quote(name), list.key, newest(), effect, end)
		switch {
		case p.newerThanTables():
			r.Severity(model.Info)
		case list.key != "callbacks":
			r.Severity(model.Warning)
		}
		if len(found) == 1 && !p.lists(at, found[0]) {
			r.Fix(model.Fix{Title: "write " + found[0], Ops: []model.Op{model.Set(item.Path(), found[0])}})
		}
	}
}
