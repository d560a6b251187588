package rules

import (
	"strconv"
	"strings"

	"agentlint/internal/model"
)

// generalSettings is the path of a key of general_settings.
func generalSettings(keys ...any) model.Path {
	return model.Path{"gateway", "config", "general_settings"}.With(keys...)
}

// databaseURL is one URL of the gateway's database.
type databaseURL struct {
	Part
	// name is the setting that holds it, text the path of its text, for fixes.
	name string
	text model.Path
}

// databaseURLs returns the URLs of the gateway's Postgres that have one of some names and whose host is known.
func (p *Pass) databaseURLs(names ...string) func(yield func(databaseURL) bool) {
	return func(yield func(databaseURL) bool) {
		for u := range p.Parts("database", "urls") {
			name, _ := u.Text("name")
			scheme, _ := u.Text("scheme")
			if !u.Get("host").Known() || !strings.HasPrefix(scheme, "postgres") {
				continue
			}
			for _, n := range names {
				if n == name && !yield(databaseURL{u, name, p.urlText(name)}) {
					return
				}
			}
		}
	}
}

// urlText is the path at which the text of a database URL stands.
func (p *Pass) urlText(name string) model.Path {
	if name == "DATABASE_URL" {
		if written, ok := p.Text(generalSettings("database_url")...); ok {
			if !reference(written) {
				return generalSettings("database_url")
			}
			name = strings.TrimPrefix(written, "os.environ/")
		}
	}
	return model.Path{"gateway", "env", name}
}

// decimal is the number that a scalar is, also one written as text.
func decimal(v *model.Value) (float64, bool) {
	if s, ok := v.AsText(); ok {
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		return x, err == nil
	}
	return v.AsFloat(false)
}
