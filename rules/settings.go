package rules

import (
	"iter"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// settingSections are the parts of LiteLLM's config in which every key that is read is known: another one is dropped
// or becomes a dead attribute. Elsewhere unknown keys are handed on, to a provider or a Redis client.
var settingSections = [...]string{"general_settings", "litellm_settings", "router_settings"}

// setting is a key of such a section as it is written, with what the gateway's release makes of it.
type setting struct {
	Section, Name string
	Value         *model.Value
	Entry         knowledge.Entry
	Presence      knowledge.Presence
}

// Path is where the key is written.
func (s *setting) Path() model.Path { return model.Path{"gateway", "config", s.Section, s.Name} }

type oddSettingsKey struct{}

// oddSettings returns the keys of a section of the gateway's config that are no settings which the release just reads:
// unknown ones, those of other releases, and those that the proxy sets itself. Keys that only hold an anchor or say that
// they are an extension (x-...) are left out, and so is what is no name of a setting in any release.
func (p *Pass) oddSettings(section string) iter.Seq[setting] {
	if v := p.Root.At("gateway", "config").Get(section); v != nil && v.Kind != model.Map {
		p.noteUnseen(model.Path{"gateway", "config", section})
	}
	all := p.Memo(oddSettingsKey{}, func() any { return p.findOddSettings() }).([]setting)
	return func(yield func(setting) bool) {
		for _, s := range all {
			if s.Section == section && !yield(s) {
				return
			}
		}
	}
}

func (p *Pass) findOddSettings() (out []setting) {
	r := p.LiteLLM()
	for _, section := range settingSections {
		m := p.Get("gateway", "config", section)
		for i, name := range m.Keys() {
			v := m.Items()[i]
			if !settingName(name) || v.Origin.Node != nil && v.Origin.Node.Anchor() != "" {
				continue
			}
			e, presence := r.Setting(section, name)
			if presence != knowledge.Present || managed(e) {
				out = append(out, setting{section, name, v, e, presence})
			}
		}
	}
	return out
}

// managed reports whether the proxy sets a key itself, so that what is written there is not used.
func managed(e knowledge.Entry) bool { return e.Attr("managed") != "" }

func settingName(s string) bool {
	if s == "" || s[0] == '_' || s[0] == '.' || strings.HasPrefix(s, "x-") {
		return false
	}
	for i := range len(s) {
		if c := s[i]; c != '_' && c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// homes returns the other sections in which the release reads a key, "" being the top level. The settings of single
// deployments, caches and guardrails are no homes: a key that is meant for all has no place there.
func (p *Pass) homes(s setting) []string {
	var out []string
	r := p.LiteLLM()
	for _, section := range append(settingSections[:], "") {
		if section == s.Section || section == "litellm_settings" && libraryVariable(s.Name) {
			continue
		}
		if e, presence := r.Setting(section, s.Name); presence == knowledge.Present && !managed(e) {
			out = append(out, section)
		}
	}
	return out
}

// libraryVariables are variables of the litellm module that litellm_settings can set like any other, but that are no
// settings, or have a name so common that a key of another section does not mean them.
var libraryVariables = [...]string{
	"adapters", "api_base", "api_key", "api_version", "caching", "client_session", "config_path", "email", "encoding", "error_logs", "headers",
	"log_level", "logging", "max_tokens", "model_cost", "name", "organization", "project", "proxy_auth", "responses", "retry", "telemetry", "timezone",
	"token",
}

func libraryVariable(name string) bool {
	_, found := slices.BinarySearch(libraryVariables[:], name)
	return found
}

// misplaced reports whether a key that is unknown in its section has its one place in another. Timeouts exist in many
// places under similar names, so nobody knows which one is meant; what the router refuses at the start is another rule's
// matter.
func (p *Pass) misplaced(s setting) bool {
	return s.Presence == knowledge.Unknown && len(p.homes(s)) == 1 && !strings.HasSuffix(s.Name, "timeout") &&
		!(s.Section == "router_settings" && rejectedByRouter(s.Name))
}

// unknownSettings walks the keys of a section that no release reads there, without those that have their one place in
// another section, which setting-in-wrong-section reports.
func (p *Pass) unknownSettings(section string) iter.Seq[setting] {
	return func(yield func(setting) bool) {
		for s := range p.oddSettings(section) {
			if s.Presence == knowledge.Unknown && !p.misplaced(s) && !yield(s) {
				return
			}
		}
	}
}

// near returns the names that a word is most likely a misspelling of: those at the smallest distance that is 1, or at
// most 2 from eight letters on, sorted.
func near(word string, names iter.Seq[string]) (found []string, distance int) {
	limit := 1
	if len(word) >= 8 {
		limit = 2
	}
	for n := range names {
		if d := knowledge.Distance(word, n, limit); d <= limit {
			if d < limit {
				limit, found = d, nil
			}
			found = append(found, n)
		}
	}
	slices.Sort(found)
	return found, limit
}

// nearSettings returns the keys of the section that a key is most likely a misspelling of.
func (p *Pass) nearSettings(s setting) (found []string, distance int) {
	names, ok := p.settings[s.Section]
	if !ok {
		for e := range p.LiteLLM().Present(knowledge.KindSetting, s.Section) {
			names = append(names, e.Name)
		}
		if p.settings == nil {
			p.settings = map[string][]string{}
		}
		p.settings[s.Section] = names
	}
	return near(s.Name, slices.Values(names))
}

// newerThanTables reports whether the gateway runs a release that the tables do not reach, so that a name they lack may
// be new.
func (p *Pass) newerThanTables() bool { return p.LiteLLM().Match == knowledge.Newer }

// pinned reports whether the files or the command line say which release the gateway runs.
func (p *Pass) pinned() bool {
	s, _ := p.Text("gateway", "version_source")
	return s != "newest" && s != "unknown" && s != ""
}

// newest is the newest LiteLLM release of the tables, for messages.
func newest() string { return knowledge.LiteLLM.Newest().String() }

// hint says of a misspelt or misplaced key what people should know: the near keys or the places that read it.
func (p *Pass) hint(s setting, found []string) string {
	if len(found) > 0 {
		return "; the key that is read is " + strings.Join(found, " or ")
	}
	var places []string
	for _, home := range p.homes(s) {
		if home == "" {
			home = "the top level"
		}
		places = append(places, home)
	}
	if len(places) > 0 {
		return "; it is read under " + strings.Join(places, " and ")
	}
	return ""
}

// renameSetting adds the fix that renames a key to the only one it can mean, unless that one is set too.
func (p *Pass) renameSetting(r *Report, s setting, found []string, safety model.Safety) {
	if len(found) != 1 || !p.Absent("gateway", "config", s.Section, found[0]) {
		return
	}
	r.Fix(model.Fix{Title: "rename it to " + found[0], Safety: safety, Ops: []model.Op{model.Rename(s.Path(), found[0])}})
}

// plural reports whether two names differ by a final s only.
func plural(a, b string) bool { return a+"s" == b || b+"s" == a }

// noteUnseen records under unchecked that a value is written and not seen, also an item of a list.
func (p *Pass) noteUnseen(at model.Path) {
	v := p.Root.At(at...)
	if v == nil {
		return
	}
	if !v.Known() {
		p.Unchecked(at.String())
		return
	}
	if v.Kind == model.List {
		for i, item := range v.Items() {
			if !item.Known() {
				p.Unchecked(at.With(i).String())
			}
		}
	}
}

// reference reports whether a text of the config names an environment variable that stands for it.
func reference(s string) bool { return strings.HasPrefix(s, "os.environ/") }

// nearValues returns the accepted values of an enumeration that a word is most likely a misspelling of.
func (p *Pass) nearValues(word string, enums ...string) []string {
	r := p.LiteLLM()
	found, _ := near(word, func(yield func(string) bool) {
		for _, enum := range enums {
			for _, v := range r.Enum(enum) {
				if !yield(v) {
					return
				}
			}
		}
	})
	return slices.Compact(found)
}

// plain returns the scalar node that a value of the config was written as without quotes in a file that PyYAML reads,
// nil for any other value.
func plain(v *model.Value) *source.Node {
	n := v.Origin.Node
	if n == nil || n.Kind != source.Scalar || n.Style != source.Plain || n.Tag() != "" || n.Empty {
		return nil
	}
	return n
}

// rejectedByRouter reports whether a key under router_settings stops the start from 1.81.3 on.
func rejectedByRouter(name string) bool {
	return name == "health_check_interval" || name == "health_check_concurrency"
}

// described says in a message what a value of the wrong kind is.
func described(v *model.Value) string {
	switch v.Kind {
	case model.Null:
		return "empty"
	case model.List:
		return "a list"
	case model.Map:
		return "a mapping"
	case model.Text:
		return "the text " + model.Quote(v.Text)
	}
	text, _ := v.Scalar()
	return text
}

// connectionKey says whether a key of a Redis connection is written with something behind it. What a variable holds that it
// refers to is another rule's matter.
func (p *Pass) connectionKey(at model.Path) model.State {
	if v := p.Get(at...); v != nil && (v.Kind == model.Null || v.Kind == model.Text && v.Text == "") {
		return model.Absent
	}
	return p.State(at...)
}
