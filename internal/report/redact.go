package report

import (
	"path"
	"slices"
	"sort"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/secret"
	"agentlint/internal/source"
)

// mask is what stands in the place of a secret.
const mask = secret.Mask

// redact replaces what looks like a secret in a text of our own making, which may quote a file.
func redact(s string) string { return secret.Redact(s) }

// Secrets remembers the secrets of files, which are looked for in whole files: a key may stand lines above its value.
type Secrets map[*source.File][]secret.Span

func (m Secrets) of(f *source.File) []secret.Span {
	all, ok := m[f]
	if !ok {
		find := secret.Find
		if envFile(f.Path) {
			find = secret.FindEnv
		}
		all = find(string(f.Bytes))
		m[f] = all
	}
	return all
}

// envFile reports whether a path is that of an env file: .env, .env.prod, gateway.env, env.sample.
func envFile(name string) bool {
	base := strings.ToLower(path.Base(name))
	return path.Ext(base) == ".env" || strings.HasPrefix(base, ".env.") || strings.HasPrefix(base, "env.") || base == "env"
}

// in returns the secrets in a part of a file, relative to its start.
func (m Secrets) in(f *source.File, part source.Span) []source.Span {
	all := m.of(f)
	var out []source.Span
	for i := sort.Search(len(all), func(i int) bool { return all[i].End > part.Start }); i < len(all) && all[i].Start < part.End; i++ {
		out = append(out, source.Span{Start: max(0, all[i].Start-part.Start), End: min(part.Len(), all[i].End-part.Start)})
	}
	return out
}

// hasSecret reports whether the edits of a fix would show a secret.
func hasSecret(x *engine.Fix) bool {
	return slices.ContainsFunc(x.Edits, func(e engine.FileEdit) bool { return secret.In(e.Text) })
}

// figures returns the figures of a finding without secrets.
func figures(f *engine.Finding) []model.Figure {
	out := make([]model.Figure, len(f.Figures))
	for i, g := range f.Figures {
		g.Name, g.Unit, g.Formula = redact(g.Name), redact(g.Unit), redact(g.Formula)
		out[i] = g
	}
	return out
}

// RedactTree masks the secrets in a tree of plain values: those that stand under the name of one, and those that look
// like one.
func RedactTree(v any) any { return redactTree("", v) }

func redactTree(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, w := range v {
			under := k
			// What a setting holds stands under its name: settings.master_key.value.
			if k == "value" || k == "default" {
				under = name
			}
			v[k] = redactTree(under, w)
		}
		// A list of variables or flags has names and values side by side.
		if key, ok := v["name"].(string); ok {
			for _, k := range []string{"value", "values"} {
				if w, ok := v[k]; ok {
					v[k] = redactTree(key, w)
				}
			}
		}
		return v
	case []any:
		for i, w := range v {
			under := name
			// The value of a flag may be the next item.
			if flag, ok := before(v, i).(string); ok && strings.HasPrefix(flag, "--") && !strings.Contains(flag, "=") {
				under = flag
			}
			v[i] = redactTree(under, w)
		}
		return v
	case string:
		if name != "" && secret.Value(name, v) {
			return mask
		}
		if strings.ContainsAny(v, "=:") || len(v) > 8 {
			return redact(v)
		}
	}
	return v
}

// before returns the item before the one at i, nil for the first.
func before(list []any, i int) any {
	if i == 0 {
		return nil
	}
	return list[i-1]
}

// Covers reports whether a secret takes all of a span of a file, but for its quotes: what stands around it says so (a flag
// before it, a Secret's stringData) when the value alone does not.
func (m Secrets) Covers(f *source.File, span source.Span) bool {
	all := m.of(f)
	i := sort.Search(len(all), func(i int) bool { return all[i].End > span.Start })
	return i < len(all) && all[i].Start < span.End && all[i].Start <= span.Start+1 && all[i].End >= span.End-1
}

// FileLine returns a line of a file as it may be shown: without control characters and secrets.
func FileLine(f *source.File, line int) string {
	span := f.Line(line)
	return show(f.Text(span), Secrets{}.in(f, span)).text
}
