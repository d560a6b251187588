package report

import (
	"slices"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/source"
)

// mask is what stands in the place of a secret.
const mask = "***"

// redact replaces what looks like a secret in a text of our own making, which may quote a file.
func redact(s string) string {
	spans := findSecrets(s)
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	last := 0
	for _, x := range spans {
		b.WriteString(s[last:x.Start])
		b.WriteString(mask)
		last = x.End
	}
	b.WriteString(s[last:])
	return b.String()
}

// secretsOf returns the secrets in a part of a file, relative to its start.
func secretsOf(f *source.File, part source.Span) []source.Span {
	return findSecrets(f.Text(part))
}

// hasSecret reports whether an edit of the fix would show a secret.
func hasSecret(x *engine.Fix) bool {
	return slices.ContainsFunc(x.Edits, func(e engine.FileEdit) bool { return len(findSecrets(e.Text)) > 0 })
}

// findSecrets returns the secrets in a line of text.
func findSecrets(s string) []source.Span {
	var out []source.Span
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "sk-") && (i == 0 || !isWord(s[i-1])) {
			end := i
			for end < len(s) && (isWord(s[end]) || s[end] == '-') {
				end++
			}
			if end-i > 8 {
				out = append(out, source.Span{Start: i, End: end})
			}
			i = end
		}
	}
	return out
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
