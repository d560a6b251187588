package rules

import (
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "database-url-not-postgres",
		Title:    "The database is no Postgres",
		Category: "database",
		Why: "LiteLLM's schema is for Postgres alone, and its URL has to begin with `postgresql://` or `postgres://`. SQLite and MySQL are\n" +
			"not supported, and the forms of SQLAlchemy and JDBC (`postgresql+asyncpg://`, `jdbc:postgresql://`) are not understood. From\n" +
			"1.91.0 on the gateway does not start: DATABASE_URL uses unsupported scheme 'sqlite'. Older ones fail in the query engine.",
		Remedy:     "Write `postgresql://USER:PASSWORD@HOST:5432/DATABASE`, without the name of a driver.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.env", "gateway.config"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/db/db_url_settings.py", Symbol: "def unsupported_db_scheme", Checked: "2026-11-30",
				Note: "Run with 1.102.0 and 1.110.2: sqlite and postgresql+asyncpg end with 1 at the start; with 1.102.0 also mysql, jdbc:postgresql and an address without a scheme. postgres and POSTGRESQL pass."},
			{Artefact: "litellm 1.102.0", File: "litellm/proxy/proxy_cli.py", Symbol: `for _db_env in ("DATABASE_URL", "DIRECT_URL"):`, Checked: "2026-11-30",
				Note: "First in 1.91.0, absent in 1.90.0."},
		},
	},
	Check: func(p *Pass) {
		for _, flag := range [...]string{"IAM_TOKEN_DB_AUTH", "AZURE_POSTGRESQL_AUTH"} {
			if p.Root.At("gateway", "env", flag) != nil {
				return // the URL is built from its parts
			}
		}
		for _, name := range [...]string{"DATABASE_URL", "DIRECT_URL"} {
			at := model.Path{"gateway", "env", name}
			if name == "DATABASE_URL" {
				switch written := generalSettings("database_url"); p.connectionKey(written) {
				case model.Present:
					at = p.urlText(name)
				case model.Unseen:
					p.Unchecked(written.String())
					continue
				}
			}
			p.noteUnseen(at)
			text, ok := p.Text(at...)
			if !ok || !foreignURL(text) {
				continue
			}
			scheme := model.Quote(urlScheme(text))
			if p.AtLeast("1.91.0") {
				p.Report(at, "%s is no Postgres URL: the gateway does not start (%s uses unsupported scheme '%s')", name, name, scheme)
			} else {
				p.Report(at, "%s is no Postgres URL but one with %s: the query engine, which knows Postgres alone, fails", name, scheme)
			}
		}
	},
})

// foreignURL reports whether a text is for certain the address of a database that is not written as one of Postgres. A text
// that something is still put into is not, and neither is a word that stands for an address.
func foreignURL(text string) bool {
	head, _, url := strings.Cut(text, "://")
	if strings.ContainsAny(head, "$<{}[%_ ") || !url && !(strings.Contains(text, "@") && strings.Contains(text, "/")) {
		return false
	}
	scheme := urlScheme(text)
	return scheme != "postgresql" && scheme != "postgres"
}

// urlScheme is the scheme of a URL as Python's urlsplit finds it, in lower case; a URL without one has LiteLLM's word for it.
func urlScheme(text string) string {
	scheme, _, ok := strings.Cut(text, ":")
	if !ok || scheme == "" || !alphabetic(scheme[0]) {
		return "<missing scheme>"
	}
	for i := range len(scheme) {
		if c := scheme[i]; !alphabetic(c) && (c < '0' || c > '9') && c != '+' && c != '-' && c != '.' {
			return "<missing scheme>"
		}
	}
	return strings.ToLower(scheme)
}

func alphabetic(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
