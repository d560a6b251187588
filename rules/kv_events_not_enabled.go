package rules

import (
	"regexp"
	"strings"
	"sync"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID: "kv-events-not-enabled", Title: "A KV events configuration publishes nothing", Category: "kv-events",
		Why: "`--kv-events-config` alone switches nothing on: `enable_kv_cache_events` is false by default, and without it no " +
			"event leaves the engine, whatever endpoint and topic say. vLLM logs a warning at most, and a router that reads " +
			"the events sees an engine that caches nothing. Before 0.11.1 the publisher had a default of its own, `null`, so " +
			"there `\"publisher\":\"zmq\"` is needed too; from 0.11.1 it follows `enable_kv_cache_events`.",
		Remedy: "Write `\"enable_kv_cache_events\":true` (below 0.11.1 also `\"publisher\":\"zmq\"`) into the configuration, or " +
			"remove the argument when no events are wanted.",
		Severity: model.Error, Confidence: model.High,
		Inputs: []string{"engine.args", "engine.env"}, When: []string{"engines.*.kv_events"}, Applies: []string{"vllm>=0.9"},
		Fix: model.Safe, FixTitle: "enable the KV events", Question: "Should this engine publish KV events?", Since: "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.33.0", File: "vllm/config/kv_events.py", Symbol: "enable_kv_cache_events: bool = False", Checked: "2026-11-29",
				Note: "False by default at every release since 0.9.0."},
			{Artefact: "vllm 0.11.0", File: "vllm/config/kv_events.py", Symbol: `publisher: str = "null"`, Checked: "2026-11-29",
				Note: "The default is the text null; from 0.11.1 it is None and becomes zmq with enabled events."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.Engines() {
			if runtime, _ := e.Text("runtime"); runtime == "vllm" && e.Get("kv_events") != nil {
				kvEventsOff(p, e)
			}
		}
	},
})

// kvEventsOff reports a configuration of an engine with which nothing is published.
func kvEventsOff(p *Pass, e Part) {
	at := func(key string) []any { return []any{"kv_events", key} }
	if e.State(at("enable_kv_cache_events")...) == model.Unseen || e.State(at("publisher")...) == model.Unseen {
		return
	}
	name, _ := e.Text("name")
	publisher, written := e.Text(at("publisher")...)
	old := !e.AtLeast("0.11.1")
	switch {
	case e.IsTrue(at("enable_kv_cache_events")...):
		if !old || publisher == "zmq" {
			return
		}
		what := "no publisher, and its default is null before vLLM 0.11.1"
		if written {
			what = "publisher null"
		}
		kvEventsFix(p.Report(e.At(at("enable_kv_cache_events")...), "--kv-events-config of %s enables events and has %s: nothing is published; write \"publisher\":\"zmq\"",
			model.Quote(name), what), e, true)
	case e.Absent(at("enable_kv_cache_events")...):
		if publisher == "null" {
			return
		}
		kvEventsFix(p.Report(e.At(at("enable_kv_cache_events")...), "--kv-events-config of %s has no enable_kv_cache_events, which is false by default: nothing is published and a router never learns what the engine caches",
			model.Quote(name)), e, old && publisher != "zmq")
	case publisher == "zmq":
		// Switched off beside a publisher: one of the two is a mistake.
		r := p.Report(e.At(at("enable_kv_cache_events")...), "--kv-events-config of %s has publisher zmq and enable_kv_cache_events false: nothing is published and a router never learns what the engine caches",
			model.Quote(name))
		if text, ok := kvEventsText(e); ok {
			if on := kvEventsFalse().ReplaceAllString(text, "${1}true"); on != text {
				r.Fix(model.Fix{Safety: model.Unsafe, Ops: []model.Op{model.Set(e.At("args", "kv-events-config"), on)}})
			}
		}
	}
}

var kvEventsFalse = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`("enable_kv_cache_events"\s*:\s*)false`)
})

// kvEventsText is the JSON text of the argument, when the argument is one that is seen as a whole.
func kvEventsText(e Part) (string, bool) {
	list := e.Get("args", "kv-events-config")
	if list.Len() != 1 {
		return "", false
	}
	text, ok := list.Items()[0].AsText()
	return text, ok && strings.HasPrefix(strings.TrimSpace(text), "{")
}

// kvEventsFix adds what is missing behind the brace that opens the text, or as dotted arguments.
func kvEventsFix(r *Report, e Part, publisher bool) {
	enable := e.Absent("kv_events", "enable_kv_cache_events")
	text, ok := kvEventsText(e)
	if !ok {
		return
	}
	if strings.Contains(text, `"publisher"`) {
		publisher = false
	}
	add := ""
	if enable {
		add += `"enable_kv_cache_events":true`
	}
	if publisher {
		if add != "" {
			add += ","
		}
		add += `"publisher":"zmq"`
	}
	head, rest, _ := strings.Cut(text, "{")
	if add == "" {
		return
	}
	if strings.TrimSpace(rest) != "}" {
		add += ","
	}
	r.Fix(model.Fix{Ops: []model.Op{model.Set(e.At("args", "kv-events-config"), head+"{"+add+rest)}})
}
