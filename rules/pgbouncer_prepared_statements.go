package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "pgbouncer-prepared-statements",
		Title:    "Prepared statements go through a transaction pooler",
		Category: "database",
		Why: "In transaction mode PgBouncer gives every transaction another server connection, while Prisma prepares its statements once and\n" +
			"runs them by name. The connection that gets the call does not know the statement, or has another one of that name, so\n" +
			"requests fail with `prepared statement \"s0\" does not exist` or `already exists`. PgBouncer keeps track of them itself from\n" +
			"1.21 on with `max_prepared_statements` above 0, which is the default from 1.24 on.",
		Remedy: "Set `general_settings.database_disable_prepared_statements: true` (read from 1.90.0 on, and in 1.85.7 and 1.88.6), or the\n" +
			"variable DATABASE_DISABLE_PREPARED_STATEMENTS (1.100 and newer), or write `pgbouncer=true` into DATABASE_URL, which every\n" +
			"release passes on. Migrations go around the pooler with DIRECT_URL.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"gateway.env", "gateway.config", "database"},
		When:       []string{"database.urls"},
		Fix:        model.Safe,
		FixTitle:   "set database_disable_prepared_statements",
		Question:   "Does the pooler run in transaction mode?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: "if disable_prepared_statements:", Checked: "2026-11-29",
				Note: "Writes pgbouncer=true into the URL. Not in 1.89.0."},
			{Artefact: "pgbouncer 1.24.0", File: "NEWS.md", Symbol: "max_prepared_statements", Checked: "2026-11-29",
				Note: "Named prepared statements from 1.21.0 with max_prepared_statements above 0; on by default from 1.24.0."},
		},
	},
	Check: func(p *Pass) {
		for u := range p.databaseURLs("DATABASE_URL") {
			severity, why := p.transactionPooler(u)
			if why == "" || !p.prepares(u) {
				continue
			}
			r := p.Report(u.At("host"), "DATABASE_URL points at %s and prepared statements are on: requests fail with \"prepared statement s0 does not exist\"; %s", why, p.unprepared()).
				Severity(severity)
			if mode := (model.Path{"database", "pooler", "mode"}); p.Get(mode...).Known() {
				r.Related(mode, "transactions of one connection are spread over others")
			}
			fix := model.Fix{}
			if severity == model.Info {
				fix.Safety = model.Unsafe
			}
			switch {
			case p.readsPreparedSetting() && p.Get("gateway", "config").Known():
				fix.Ops = []model.Op{model.Set(generalSettings("database_disable_prepared_statements"), true)}
			case p.AtLeast("1.100.0") && p.Absent("gateway", "config") && !p.Absent("gateway", "env"):
				fix.Ops = []model.Op{model.Set(model.Path{"gateway", "env", "DATABASE_DISABLE_PREPARED_STATEMENTS"}, "true")}
			default:
				continue
			}
			r.Fix(fix)
		}
	},
})

// transactionPooler says what makes a URL lead through a pooler in transaction mode, "" when nothing does, and how bad
// that is.
func (p *Pass) transactionPooler(u databaseURL) (model.Severity, string) {
	host, _ := u.Text("host")
	target, _ := u.Text("target")
	if target != "pooler" {
		port, _ := u.Text("port")
		switch {
		case target == "server" || p.Get("database", "pooler").Known():
			return 0, ""
		case strings.Contains(host, "pgbouncer"):
			return model.Info, model.Quote(host) + ", by its name a PgBouncer, whose mode the files do not show,"
		case port == "6432":
			return model.Info, "port 6432, by its number a PgBouncer, whose mode the files do not show,"
		}
		return 0, ""
	}
	pooler := model.Path{"database", "pooler"}
	mode, ok := p.Text(pooler.With("mode")...)
	if kind, _ := p.Text(pooler.With("kind")...); kind == "pod" || !ok || mode != "transaction" && mode != "statement" {
		if p.State(pooler.With("mode")...) == model.Unseen {
			p.Unchecked(pooler.With("mode").String())
		}
		return 0, ""
	}
	name, _ := p.Text(pooler.With("name")...)
	why := "the pooler " + model.Quote(name) + " in " + mode + " mode"
	if n, ok := p.Int(pooler.With("max_prepared_statements")...); ok {
		if n > 0 {
			return 0, ""
		}
		return model.Error, why
	}
	if !p.Absent(pooler.With("max_prepared_statements")...) {
		return 0, ""
	}
	if at := pooler.With("image", "version"); p.State(at...) == model.Unseen {
		p.Unchecked(at.String())
		return 0, ""
	} else if text, ok := p.Text(at...); ok {
		if v, err := knowledge.ParseVersion(text); err == nil {
			if v.Final().Compare(knowledge.MustVersion("1.24.0")) >= 0 {
				return 0, ""
			}
			return model.Error, why + " (PgBouncer " + text + ")"
		}
	}
	return model.Info, why + " (unless it is PgBouncer 1.24 or newer)"
}

// prepares reports whether nothing that the release reads switches prepared statements off.
func (p *Pass) prepares(u databaseURL) bool {
	for _, x := range [...]struct{ name, off string }{{"pgbouncer", "true"}, {"statement_cache_size", "0"}} {
		if s, _ := u.Text("params", x.name); s == x.off || u.State("params", x.name) == model.Unseen {
			return false
		}
	}
	off := func(at model.Path) bool {
		switch p.State(at...) {
		case model.Absent:
			return false
		case model.Unseen:
			p.Unchecked(at.String())
			return true
		}
		s, _ := p.Get(at...).Scalar()
		return strings.EqualFold(strings.TrimSpace(s), "true")
	}
	if p.readsPreparedSetting() && off(generalSettings("database_disable_prepared_statements")) {
		return false
	}
	if p.AtLeast("1.85.7") && off(generalSettings("database_extra_connection_params", "pgbouncer")) {
		return false
	}
	return !p.AtLeast("1.100.0") || !off(model.Path{"gateway", "env", "DATABASE_DISABLE_PREPARED_STATEMENTS"})
}

// readsPreparedSetting reports whether the release reads database_disable_prepared_statements: it came with 1.90.0 and was
// carried back to 1.85.7 and 1.88.6.
func (p *Pass) readsPreparedSetting() bool {
	return p.AtLeast("1.90.0") || p.AtLeast("1.88.6") && !p.AtLeast("1.89.0") || p.AtLeast("1.85.7") && !p.AtLeast("1.86.0")
}

// unprepared says how the release is told to do without prepared statements.
func (p *Pass) unprepared() string {
	if p.readsPreparedSetting() {
		return "set general_settings.database_disable_prepared_statements to true"
	}
	return "write pgbouncer=true into the URL (database_disable_prepared_statements is read from 1.90.0 on)"
}
