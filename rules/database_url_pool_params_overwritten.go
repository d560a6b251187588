package rules

import (
	"fmt"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "database-url-pool-params-overwritten",
		Title:    "The pool parameters in the database URL do not run",
		Category: "database",
		Why: "At its start the `litellm` command writes `connection_limit` and `pool_timeout` into DATABASE_URL and DIRECT_URL, from\n" +
			"`database_connection_pool_limit` (10 when nothing is written) and `database_connection_pool_timeout` (60 s), over whatever the\n" +
			"URL says. So a URL with `connection_limit=5` and four workers opens up to 40 connections and not 20, and one with\n" +
			"`connection_limit=50` never opens more than 10 a worker. The URL of a read replica keeps its own numbers.",
		Remedy: "Write the numbers under `general_settings`: `database_connection_pool_limit` and `database_connection_pool_timeout`\n" +
			"(`database_connection_timeout` from 1.85.0 on), and take them out of the URL. `database_extra_connection_params` (1.85.7 and\n" +
			"newer) wins over both.",
		Severity:   model.Warning,
		Confidence: model.High,
		Inputs:     []string{"gateway.env", "gateway.config", "database"},
		When:       []string{"database.urls"},
		Fix:        model.Safe,
		FixTitle:   "move the numbers to general_settings",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "def append_query_params", Checked: "2026-11-29",
				Note: "Run with 1.102.0: connection_limit=5 in the URL became 10 without a setting, and the setting's number with one; other parameters stayed."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "database_connection_pool_timeout", Checked: "2026-11-29"},
		},
	},
	Check: func(p *Pass) {
		for u := range p.databaseURLs("DATABASE_URL", "DIRECT_URL") {
			p.poolParameters(u)
		}
	},
})

// poolParameters reports the pool parameters of a URL that LiteLLM replaces by other numbers.
func (p *Pass) poolParameters(u databaseURL) {
	var written, running []string
	fix := model.Fix{}
	for _, x := range [...]struct {
		name     string
		settings []string
		fallback float64
	}{
		{"connection_limit", []string{"database_connection_pool_limit"}, 10},
		{"pool_timeout", []string{"database_connection_timeout", "database_connection_pool_timeout"}, 60},
	} {
		text, ok := u.Text("params", x.name)
		if !ok {
			continue
		}
		number, ok := decimal(u.Get("params", x.name))
		if !ok {
			continue
		}
		runs, from, ok := p.poolSetting(x.name, x.settings, x.fallback)
		if !ok {
			p.Unchecked(generalSettings(x.settings[len(x.settings)-1]).String())
			continue
		}
		if runs == number {
			continue
		}
		parameter := x.name + "=" + text
		written = append(written, parameter)
		running = append(running, fmt.Sprintf("%s (%s)", model.Number(runs), from))
		setting := x.settings[len(x.settings)-1]
		if from == "the default" && number == float64(int64(number)) {
			fix.Ops = append(fix.Ops, model.Set(generalSettings(setting), int64(number)))
		}
		if raw, ok := p.Text(u.text...); ok {
			if op, ok := dropParameter(u.text, raw, parameter); ok {
				fix.Ops = append(fix.Ops, op)
			}
		}
	}
	if len(written) == 0 {
		return
	}
	verb, object := "does", "it"
	if len(written) > 1 {
		verb, object = "do", "them"
	}
	r := p.Report(u.At("host"), "%s in %s %s not run: LiteLLM replaces %s at the start by %s; the place for it is general_settings", strings.Join(written, " and "), u.name, verb, object,
		strings.Join(running, " and "))
	if p.Get("gateway", "config").Known() && len(fix.Ops) > 0 {
		r.Fix(fix)
	}
}

// poolSetting returns the number that LiteLLM writes over a parameter of the URL, and where it is from.
func (p *Pass) poolSetting(parameter string, settings []string, fallback float64) (value float64, from string, ok bool) {
	var places []model.Path
	if p.AtLeast("1.85.7") {
		places = append(places, generalSettings("database_extra_connection_params", parameter))
	}
	for _, s := range settings {
		if s != "database_connection_timeout" || p.AtLeast("1.85.0") {
			places = append(places, generalSettings(s))
		}
	}
	for _, at := range places {
		switch p.State(at...) {
		case model.Unseen:
			return 0, "", false
		case model.Present:
			v := p.Get(at...)
			if v.Kind == model.Null {
				continue
			}
			x, ok := decimal(v)
			return x, strings.TrimPrefix(at.String(), "gateway.config.general_settings."), ok
		}
	}
	return fallback, "the default", true
}

// dropParameter takes a parameter out of the query of a URL.
func dropParameter(at model.Path, url, parameter string) (model.Op, bool) {
	for _, x := range [...]struct{ from, to string }{{"?" + parameter + "&", "?"}, {"&" + parameter, ""}, {"?" + parameter, ""}} {
		if strings.Count(url, x.from) == 1 {
			return model.ReplaceText(at, x.from, x.to), true
		}
	}
	return model.Op{}, false
}
