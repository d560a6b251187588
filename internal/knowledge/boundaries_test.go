package knowledge

import "testing"

// TestBoundaries holds the releases that rules and their documentation name: the first with a name and the one just before it, and the last.
func TestBoundaries(t *testing.T) {
	for _, c := range []struct {
		kind          Kind
		section, name string
		since, absent string // "" when the oldest release has it
		until         string // "" when the newest has it
	}{
		{KindEnum, "optional_pre_call_checks", "prompt_caching", "", "", ""},
		{KindEnum, "optional_pre_call_checks", "router_budget_limiting", "", "", ""},
		{KindEnum, "optional_pre_call_checks", "session_affinity", "1.81.16", "1.81.15", ""},
	} {
		e, p := LiteLLM.At(Version{}).Entry(c.kind, c.section, c.name)
		if p == Unknown {
			t.Errorf("%s %s %s is unknown", c.kind, c.section, c.name)
			continue
		}
		if since, absent, until := e.Since().String(), e.AbsentBefore().String(), e.Until().String(); since != c.since || absent != c.absent || until != c.until {
			t.Errorf("%s %s %s: since %q after %q until %q, want since %q after %q until %q", c.kind, c.section, c.name, since, absent, until, c.since, c.absent, c.until)
		}
	}
}
