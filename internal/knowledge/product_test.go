package knowledge

import (
	"slices"
	"strings"
	"testing"
)

func TestAt(t *testing.T) {
	for _, c := range []struct {
		p           *Product
		asked, want string
		match       Match
		note        string
	}{
		{LiteLLM, "1.102.0", "1.102.0", Exact, ""},
		{LiteLLM, "1.102", "1.102.0", Exact, ""},
		{LiteLLM, "1.83.14-stable.patch.1", "1.83.14", Exact, ""},
		{LiteLLM, "1.107.0", "1.106.12", Nearest, "LiteLLM 1.107.0 is no release in the tables, read as 1.106.12"},
		{LiteLLM, "99.0.0", LiteLLM.Newest().String(), Newer, "LiteLLM 99.0.0 is newer than the tables, read as " + LiteLLM.Newest().String()},
		{LiteLLM, "1.20.0", LiteLLM.Oldest().String(), Older, "LiteLLM 1.20.0 is older than the tables, read as " + LiteLLM.Oldest().String()},
		{LiteLLM, "", LiteLLM.Newest().String(), Assumed, "LiteLLM version unknown, read as " + LiteLLM.Newest().String()},
		{VLLM, "0.29.0rc2", "0.29.0", Exact, ""},
		{VLLM, "0.8.5.post1", "0.8.5.post1", Exact, ""},
	} {
		var v Version
		if c.asked != "" {
			v = MustVersion(c.asked)
		}
		r := c.p.At(v)
		if r.Version.String() != c.want || r.Match != c.match || r.Note() != c.note {
			t.Errorf("%s.At(%q) = %s, %d, %q, want %s, %d, %q", c.p, c.asked, r.Version, r.Match, r.Note(), c.want, c.match, c.note)
		}
	}
}

func TestMissingReleasesAreNotReleases(t *testing.T) {
	missing := MustVersion("1.74.15.post2") // on the index without a wheel
	if !slices.Contains(LiteLLM.Missing(), missing) || slices.Contains(LiteLLM.Releases(), missing) {
		t.Fatalf("%s is not missing", missing)
	}
	if r := LiteLLM.At(missing); r.Match != Nearest || r.Version.String() != "1.74.15" {
		t.Errorf("%s is read as %s (%d), want the nearest, 1.74.15", missing, r.Version, r.Match)
	}
	if e, _ := LiteLLM.At(Version{}).Metric("litellm_total_tokens"); e.Until().String() != "1.74.15" || e.RemovedIn().String() != "1.75.0" {
		t.Errorf("litellm_total_tokens ends with %s, removed in %s", e.Until(), e.RemovedIn())
	}
}

func TestByName(t *testing.T) {
	if ByName("litellm") != LiteLLM || ByName("vllm") != VLLM || ByName("ray") != nil {
		t.Error("ByName does not return the products of the tables")
	}
}

func TestSessionAffinityBoundary(t *testing.T) {
	e, p := LiteLLM.At(MustVersion("1.81.6")).EnumValue("optional_pre_call_checks", "session_affinity")
	if p != NotYet || e.Since().String() != "1.81.14" {
		t.Errorf("session_affinity at 1.81.6 is %s since %s, want not yet since 1.81.14", p, e.Since())
	}
	if _, p := LiteLLM.At(MustVersion("1.81.16")).EnumValue("optional_pre_call_checks", "session_affinity"); p != Present {
		t.Errorf("session_affinity at 1.81.16 is %s", p)
	}
	if values := LiteLLM.At(MustVersion("1.102.0")).Enum("optional_pre_call_checks"); len(values) != 8 || !slices.Contains(values, "session_affinity") {
		t.Errorf("optional_pre_call_checks at 1.102.0 = %v", values)
	}
}

func TestNegativeFlagHasItsOwnReleases(t *testing.T) {
	f, p := VLLM.At(MustVersion("0.6.0")).Flag("--no-enable-prefix-caching")
	if p != NotYet || f.Since().String() != "0.6.5" {
		t.Errorf("--no-enable-prefix-caching at 0.6.0 = %s since %s, want %s since 0.6.5", p, f.Since(), NotYet)
	}
}

func TestFlag(t *testing.T) {
	at := func(v string) Release { return VLLM.At(MustVersion(v)) }
	for _, c := range []struct {
		version, written, name, part string
		negative                     bool
		presence                     Presence
	}{
		{"0.33.0", "--max-model-len", "--max-model-len", "", false, Present},
		{"0.33.0", "--max_model_len", "--max-model-len", "", false, Present},
		{"0.33.0", "max_model_len", "--max-model-len", "", false, Present},
		{"0.33.0", "-tp", "--tensor-parallel-size", "", false, Present},
		{"0.33.0", "--no-enable-prefix-caching", "--enable-prefix-caching", "", true, Present},
		{"0.33.0", "--disable-prefix-caching", "--enable-prefix-caching", "", true, Present},
		{"0.32.0", "--disable-prefix-caching", "", "", false, Unknown},
		{"0.33.0", "--speculative-config.num_tokens", "--speculative-config", "num_tokens", false, Present},
		{"0.33.0", "--swap-space", "--swap-space", "", false, Gone},
		{"0.28.0", "--max-num-queued-reqs", "--max-num-queued-reqs", "", false, NotYet},
		{"0.32.0", "--disable-log-requests", "--disable-log-requests", "", false, Gone},
		{"0.33.0", "--disable-log-requests", "--enable-log-requests", "", true, Present},
		{"0.33.0", "--no-headless", "", "", false, Unknown},
		{"0.33.0", "--no-such-flag", "", "", false, Unknown},
	} {
		f, p := at(c.version).Flag(c.written)
		if p != c.presence || f.Name != c.name || f.Negative != c.negative || f.Part != c.part {
			t.Errorf("vLLM %s %s = %q negative %v part %q, %s, want %q %v %q, %s", c.version, c.written, f.Name, f.Negative, f.Part, p, c.name, c.negative, c.part, c.presence)
		}
	}
	if f, _ := at("0.33.0").Flag("--swap-space"); f.RemovedIn().IsZero() || f.RemovedIn().Compare(f.Until()) <= 0 {
		t.Errorf("--swap-space was removed in %q", f.RemovedIn())
	}
	names := func(entries []Entry) string {
		var s []string
		for _, e := range entries {
			s = append(s, e.Name)
		}
		return strings.Join(s, " ")
	}
	if got := names(at("0.33.0").FlagsWithPrefix("--tensor-par")); got != "--tensor-parallel-size" {
		t.Errorf("--tensor-par is a prefix of %q", got)
	}
	if got := names(at("0.33.0").FlagsWithPrefix("--disable-a")); got != "--disable-access-log-for-endpoints --disable-auto-tool-choice" {
		t.Errorf("--disable-a is a prefix of %q", got)
	}
	if got := names(at("0.32.0").FlagsWithPrefix("--disable-a")); got != "--disable-access-log-for-endpoints" {
		t.Errorf("in 0.32.0 --disable-a is a prefix of %q", got)
	}
	for v, want := range map[string]string{"0.33.0": "--optimization-level", "0.11.0": "--compilation-config"} {
		if f, p := at(v).Flag("-O"); p != Present || f.Name != want {
			t.Errorf("-O of %s is %s, %s", v, f.Name, p)
		}
	}
	if _, p := LiteLLM.At(MustVersion("1.102.0")).Flag("--num_workers"); p != Present {
		t.Errorf("litellm --num_workers is %s", p)
	}
}

func TestMetric(t *testing.T) {
	for _, c := range []struct {
		p               *Product
		version, series string
		name, suffix    string
		exposed         bool
		presence        Presence
	}{
		{VLLM, "0.33.0", "vllm:num_requests_waiting", "vllm:num_requests_waiting", "", true, Present},
		{VLLM, "0.33.0", "vllm_num_requests_waiting", "vllm:num_requests_waiting", "", true, Present},
		{VLLM, "0.33.0", "ray_vllm_num_requests_waiting", "vllm:num_requests_waiting", "", true, Present},
		{VLLM, "0.33.0", "vllm:prompt_tokens_total", "vllm:prompt_tokens", "_total", true, Present},
		{VLLM, "0.33.0", "vllm:prompt_tokens", "vllm:prompt_tokens", "", false, Present},
		{VLLM, "0.33.0", "vllm:prompt_tokens_created", "vllm:prompt_tokens", "_created", true, Present},
		{VLLM, "0.33.0", "vllm:time_to_first_token_seconds_bucket", "vllm:time_to_first_token_seconds", "_bucket", true, Present},
		{VLLM, "0.33.0", "vllm:iteration_tokens_total", "vllm:iteration_tokens_total", "", false, Present},
		{VLLM, "0.33.0", "vllm:iteration_tokens_total_sum", "vllm:iteration_tokens_total", "_sum", true, Present},
		{VLLM, "0.33.0", "vllm:gpu_cache_usage_perc", "vllm:gpu_cache_usage_perc", "", true, Gone},
		{VLLM, "0.6.0", "vllm:admission_rejections_total", "vllm:admission_rejections", "_total", true, NotYet},
		{VLLM, "0.33.0", "vllm:nothing", "", "", false, Unknown},
		{LiteLLM, "1.102.0", "litellm_requests_total", "", "", false, Unknown},
		{LiteLLM, "1.102.0", "litellm_spend_metric_total", "litellm_spend_metric", "_total", true, Present},
		{LiteLLM, "1.102.0", "litellm_spend_metric", "litellm_spend_metric", "", false, Present},
		{LiteLLM, "1.102.0", "litellm_guardrail_requests_total", "litellm_guardrail_requests", "_total", true, Present},
		{LiteLLM, "1.102.0", "litellm_in_flight_requests", "litellm_in_flight_requests", "", true, Present},
	} {
		m, p := c.p.At(MustVersion(c.version)).Metric(c.series)
		if p != c.presence || m.Name != c.name || m.Suffix != c.suffix || m.Exposed != c.exposed {
			t.Errorf("%s %s %s = %q %q exposed %v, %s, want %q %q %v, %s", c.p, c.version, c.series, m.Name, m.Suffix, m.Exposed, p, c.name, c.suffix, c.exposed, c.presence)
		}
	}
	m, _ := VLLM.At(Version{}).Metric("vllm:time_to_first_token_seconds")
	if got := strings.Join(m.Series(), " "); got != "vllm:time_to_first_token_seconds_bucket vllm:time_to_first_token_seconds_sum vllm:time_to_first_token_seconds_count" {
		t.Errorf("series of a histogram: %s", got)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		limit int
		want  int
	}{
		{"service_callbacks", "service_callback", 2, 1},
		{"simple_shuffle", "simple-shuffle", 3, 1},
		{"Simple-Shuffle", "simple-shuffle", 3, 1},
		{"num_wrokers", "num_workers", 3, 1},
		{"abcd", "badc", 3, 2},
		{"ca", "abc", 5, 3},
		{"same", "same", 1, 0},
		{"drop_param", "master_key", 3, 4},
		{"", "ab", 1, 2},
		{"", "a", 1, 1},
		{strings.Repeat("a", 4000), "a", 1333, 1334},
	} {
		if got := Distance(c.a, c.b, c.limit); got != c.want {
			t.Errorf("Distance(%.20q, %.20q, %d) = %d, want %d", c.a, c.b, c.limit, got, c.want)
		}
		if got := Distance(c.b, c.a, c.limit); got != c.want {
			t.Errorf("Distance(%.20q, %.20q, %d) = %d, want %d", c.b, c.a, c.limit, got, c.want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("num_wrokers", "num_workers", 3)
	f.Fuzz(func(t *testing.T, a, b string, limit int) {
		limit = max(0, min(limit, 100))
		d := Distance(a, b, limit)
		if d != Distance(b, a, limit) || d < 0 || d > limit+1 && d > 1 {
			t.Errorf("Distance(%q, %q, %d) = %d", a, b, limit, d)
		}
		// A limit hides what is beyond it and changes nothing else.
		if whole := Distance(a, b, 128); len(a) <= 128 && len(b) <= 128 && min(whole, max(1, limit+1)) != d {
			t.Errorf("Distance(%q, %q, %d) = %d, without a limit %d", a, b, limit, d, whole)
		}
	})
}

func TestNearest(t *testing.T) {
	r := LiteLLM.At(MustVersion("1.102.0"))
	first := func(s []Suggestion) string {
		if len(s) == 0 {
			return ""
		}
		return s[0].Entry.Section + "." + s[0].Entry.Name
	}
	if got := first(r.NearestSettings("general_settings", "json_logs")); got != "litellm_settings.json_logs" {
		t.Errorf("json_logs belongs under %s", got)
	}
	if got := first(r.NearestSettings("router_settings", "enable_pre_call_check")); got != "router_settings.enable_pre_call_checks" {
		t.Errorf("enable_pre_call_check is near %s", got)
	}
	if got := first(r.Nearest(KindEnum, "routing_strategy", "simple_shuffle")); got != "routing_strategy.simple-shuffle" {
		t.Errorf("simple_shuffle is near %s", got)
	}
	if got := r.Nearest(KindEnum, "routing_strategy", "zzz"); len(got) != 0 {
		t.Errorf("zzz is near %v", got)
	}
	// Before the release that brought it, a name is no suggestion.
	if got := LiteLLM.At(MustVersion("1.80.0")).Nearest(KindEnum, "optional_pre_call_checks", "session_afinity"); len(got) != 0 {
		t.Errorf("1.80.0 suggests %v", got)
	}
}

func TestEntryHistory(t *testing.T) {
	e := Entry{Product: VLLM, spans: "0.9.0..0.10.2 0.12.0..", defaults: `0.9.0: None | 0.10.0: 'a\pb' | 0.13.0:`, choices: "0.9.0: a,b | 0.13.0: c", attrs: `negation=--no-x | note=a\pb`}
	for v, want := range map[string]Presence{"0.8.5": NotYet, "0.9.0": Present, "0.10.2": Present, "0.11.0": Between, "0.12.0": Present, "0.33.0": Present} {
		if got := e.At(VLLM.At(MustVersion(v))); got != want {
			t.Errorf("presence at %s = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[string]string{"0.6.0": "None", "0.9.0": "None", "0.10.1": "'a|b'", "0.13.0": ""} {
		if got, ok := e.Default(MustVersion(v)); got != want || !ok {
			t.Errorf("default at %s = %q, want %q", v, got, want)
		}
	}
	if got := e.Choices(MustVersion("0.12.0")); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("choices = %v", got)
	}
	if e.Attr("negation") != "--no-x" || e.Attr("note") != "a|b" || e.Attr("no") != "" {
		t.Errorf("attributes = %q %q %q", e.Attr("negation"), e.Attr("note"), e.Attr("no"))
	}
	read := Entry{Product: LiteLLM, attrs: "import=.. | presence=..1.99.4 1.102.0..1.102.4"}
	for v, want := range map[string]bool{"1.60.0": true, "1.99.4": true, "1.100.0": false, "1.102.1": true, "1.110.0": false} {
		if read.Holds("presence", MustVersion(v)) != want || !read.Holds("import", MustVersion(v)) || read.Holds("native", MustVersion(v)) {
			t.Errorf("Holds at %s is wrong", v)
		}
	}
	if _, ok := (Entry{}).Default(MustVersion("1.0")); ok {
		t.Error("a row without defaults has one")
	}
	if got := e.AbsentBefore().String(); got != "0.8.5.post1" {
		t.Errorf("absent before = %s", got)
	}
	gone := Entry{Product: VLLM, spans: "..0.10.2"}
	if p := gone.At(VLLM.At(Version{})); p != Gone || gone.RemovedIn().String() != "0.11.0" || !gone.Since().IsZero() {
		t.Errorf("gone: %s, removed in %s, since %s", p, gone.RemovedIn(), gone.Since())
	}
}

func TestRemovedAndFind(t *testing.T) {
	r := VLLM.At(MustVersion("0.33.0"))
	for _, name := range []string{"--swap-space", "swap_space", "vllm:gpu_cache_usage_perc", "VLLM_USE_V1"} {
		if got := r.Removed(name); len(got) != 1 {
			t.Errorf("Removed(%s) = %v", name, got)
		}
	}
	if got := r.Removed("--max-model-len"); len(got) != 0 {
		t.Errorf("Removed(--max-model-len) = %v", got)
	}
	if got := LiteLLM.Find("fallbacks"); len(got) < 2 {
		t.Errorf("Find(fallbacks) = %v", got)
	}
}

func TestDefaultChanges(t *testing.T) {
	found := false
	for _, d := range VLLM.DefaultChanges(MustVersion("0.19.1"), MustVersion("0.20.0")) {
		if d.Entry.Name == "--gpu-memory-utilization" {
			found = true
			if d.Old != "0.9" || d.New != "0.92" || d.In.String() != "0.20.0" {
				t.Errorf("--gpu-memory-utilization changed from %s to %s in %s", d.Old, d.New, d.In)
			}
		}
	}
	if !found {
		t.Error("--gpu-memory-utilization did not change from 0.19.1 to 0.20.0")
	}
	if got := VLLM.DefaultChanges(MustVersion("0.33.0"), MustVersion("0.33.0")); len(got) != 0 {
		t.Errorf("a release differs from itself: %v", got)
	}
}
