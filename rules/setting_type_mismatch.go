package rules

import (
	"strconv"
	"strings"
	"time"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "setting-type-mismatch",
		Title:    "A number of seconds is written as a text",
		Category: "schema",
		Why: "LiteLLM takes timeouts and intervals as seconds. A timeout in quotes is converted, one with a unit (`600s`, `10m`) is not: the\n" +
			"gateway starts, and each request to which that timeout applies fails with \"could not convert string to float\". Intervals are not\n" +
			"even converted from quotes: `proxy_batch_write_at: \"60\"` is a TypeError when the job that writes spend is set up, and with a\n" +
			"`health_check_interval` that is no integer the background health checks end without a message.",
		Remedy:     "Write the seconds as a number: `request_timeout: 600`.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		Fix:        model.Safe,
		FixTitle:   "write the seconds",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/router.py", Symbol: "def _get_timeout", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2: litellm.request_timeout, timeout and stream_timeout of the router, and timeout, request_timeout and stream_timeout of a deployment. \"600s\" and \"10m\" fail each call, those of stream_timeout each stream; \"600\" goes through; an empty text counts as none. With a timeout of the router beside it, litellm_settings.request_timeout: 10m stops the start of both."},
			{Artefact: "litellm 1.102.0", File: "litellm/litellm_core_utils/request_timeout_resolver.py", Symbol: "timeout: Final = float(litellm.request_timeout)", Checked: "2026-11-30"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "batch_writing_interval: Final = proxy_batch_write_at + random.randint(0, 5)", Checked: "2026-11-30"},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_server.py", Symbol: "if health_check_interval is None or not isinstance(health_check_interval, int) or health_check_interval <= 0:", Checked: "2026-11-30"},
		},
	},
	Check: func(p *Pass) {
		p.intervalText("proxy_batch_write_at", "the job that writes spend is not set up (TypeError)")
		if p.IsTrue(generalSettings("background_health_checks")...) {
			p.intervalText("health_check_interval", "the background health checks end without a message")
		}
		p.timeoutText(model.Path{"gateway", "config", "litellm_settings", "request_timeout"})
		for _, key := range [...]string{"timeout", "stream_timeout"} {
			p.timeoutText(model.Path{"gateway", "config", "router_settings", key})
		}
		for entry := range p.ModelList() {
			params := entry.Value.Get("litellm_params")
			for _, key := range [...]string{"timeout", "request_timeout", "stream_timeout"} {
				if params.Get(key) != nil {
					p.timeoutText(entry.At("litellm_params", key))
				}
			}
		}
	},
})

// timeoutText reports a timeout that Python's float does not take.
func (p *Pass) timeoutText(at model.Path) {
	p.noteUnseen(at)
	text, ok := p.Text(at...)
	if !ok || !literal(text) {
		return
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
		return
	}
	which := "request"
	if at[len(at)-1] == "stream_timeout" {
		which = "stream"
	}
	effect := "every " + which + " to which it applies fails (could not convert string to float)"
	if at[2] == "litellm_settings" && p.AtLeast("1.102.0") && p.State("gateway", "config", "router_settings", "timeout") == model.Present {
		effect = "beside the router's timeout the gateway does not start (could not convert string to float)"
	}
	r := p.Report(at, "%s is %s, which is no number of seconds: %s", at[len(at)-1], model.Quote(text), effect)
	if x := seconds(text); x != nil {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(at, x)}})
	}
}

// intervalText reports an interval of general_settings that is a text, which nothing converts.
func (p *Pass) intervalText(key, effect string) {
	at := generalSettings(key)
	p.noteUnseen(at)
	text, ok := p.Text(at...)
	if !ok || !literal(text) {
		return
	}
	r := p.Report(at, "%s is a text and no number of seconds: %s", key, effect)
	if n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64); err == nil && n > 0 {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(at, n)}})
	} else if whole, ok := seconds(text).(int64); ok {
		r.Fix(model.Fix{Ops: []model.Op{model.Set(at, whole)}})
	}
}

// literal reports whether a text is what it says: neither empty nor a reference or a template.
func literal(text string) bool {
	return strings.TrimSpace(text) != "" && !strings.HasPrefix(text, referencePrefix) && misspelledReference(text) == "" && !strings.ContainsAny(text, "${}")
}

// seconds returns the seconds of a text with a unit such as 10m, as an integer where it is one; nil for any other text.
func seconds(text string) any {
	switch d, err := time.ParseDuration(strings.TrimSpace(text)); {
	case err != nil || d <= 0:
		return nil
	case d%time.Second == 0:
		return int64(d / time.Second)
	default:
		return d.Seconds()
	}
}
