package rules

import (
	"strings"
	"testing"
)

func TestChanging(t *testing.T) {
	for text, want := range map[string]string{
		`{{ strftime_now("%Y-%m-%d %H:%M") }}`:             "strftime_now every minute",
		`{{ strftime_now('%d %b %Y') }}`:                   "strftime_now every day",
		`{{ strftime_now("%H") }}`:                         "strftime_now every hour",
		`{{ strftime_now("%T") }}`:                         "strftime_now every second",
		`{{ strftime_now(format) }}`:                       "strftime_now with every request",
		`Hello {{ current_date }}`:                         "current_date every day",
		`{{ datetime.now() }}`:                             "datetime with every request",
		`{{session_id}}`:                                   "session_id with every session",
		`{{ message.date }}`:                               "",
		`{{ "the time is now" }}`:                          "",
		`{% if date is defined %}x{% endif %}`:             "",
		`{# {{ now() }} #}`:                                "",
		`{% set d = strftime_now("%d") %}{{ d }}`:          "d every day",
		`{% set d = strftime_now("%d") %}`:                 "",
		`{%- set x = "{{" -%}{{ now() }}`:                  "now with every request",
		strings.Repeat("x", 150) + `{{ now() }}`:           "now with every request",
		strings.Repeat("x", 201) + `{{ now() }}`:           "",
		"{#" + strings.Repeat("x", 300) + "#}{{ now() }}":  "now with every request",
		strings.Repeat("é", 150) + `{{ now() }}`:           "now with every request",
		`{{ "` + strings.Repeat("x", 200) + `" + now() }}`: "",
		`{{ now(`:                    "",
		`{{ "unclosed }}{{ now() }}`: "now with every request",
		`{{ bos_token }}{{ timestamp_format }}{{ messages[0]['date'] }} sunday`: "",
	} {
		got := ""
		if x := changing(text); len(x) > 0 {
			got = x[0].name + " " + x[0].every
			if !strings.HasPrefix(text[x[0].at:], x[0].name) {
				t.Errorf("%s: at %d", text, x[0].at)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func FuzzChanging(f *testing.F) {
	f.Add(`{% set d = strftime_now("%d") %}{{ d }}`)
	f.Add(`{{ "{#" }}{{ now(`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, x := range changing(text) {
			if !strings.HasPrefix(text[x.at:], x.name) {
				t.Errorf("%q: %s is not at %d", text, x.name, x.at)
			}
		}
	})
}
