package rules

import (
	"strings"
	"unicode/utf8"

	"agentlint/internal/model"
)

// promptHead is how many characters of a template count as the start of its prompts.
const promptHead = 200

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "prompt-prefix-changes-every-request",
		Title:    "A prompt template starts with a value that changes",
		Category: "caching",
		Why: `A prefix cache and a prefix-aware router find what two prompts have in common from the first token on, in blocks of 16 tokens or more. When a chat template or prompt template
renders a time, a date or a session id in its first 200 characters, the first block already differs: with the time every prompt is computed in full, with a date
everything cached is lost at midnight, with a session id no two sessions share the system prompt and the tools.`,
		Remedy:   `Move the value behind the stable part: into the last user message, or to the end of the system prompt after instructions and tools. A time that is needed at the start can be rounded to the day.`,
		Severity: model.Info, Confidence: model.Low,
		Inputs: []string{"prompts", "files", "gateway.config", "engine.args"},
		Since:  "0.1",
		Evidence: []model.Evidence{
			{Artefact: "transformers 4.57.1", File: "transformers/utils/chat_template_utils.py", Symbol: "strftime_now", Checked: "2026-11-29",
				Note: "A function of every chat template: the clock of the server when the prompt is rendered."},
			{Artefact: "vllm 0.29.0", File: "vllm/v1/core/kv_cache_utils.py", Symbol: "hash_block_tokens", Checked: "2026-11-29",
				Note: "The hash of a block holds that of the block before it, so one other token changes all that follow."},
		},
	},
	Check: func(p *Pass) {
		for prompt := range p.Parts("prompts") {
			text, starts := prompt.head()
			if found := changing(text); len(found) > 0 {
				x, line := found[0], 0
				for line+1 < len(starts) && starts[line+1] <= x.at {
					line++
				}
				what := "the chat template"
				if kind, _ := prompt.Text("kind"); kind == "dotprompt" {
					what = "the prompt template"
				}
				p.Report(prompt.At("lines", line), "%s renders %s among its first %d characters, so the prefix of its prompts changes %s and neither cache nor router finds what they have in common", what, model.Quote(x.name), promptHead, x.every)
			}
		}
	},
})

// head returns the first lines of a template up to one that is not known, and where each begins.
func (q Part) head() (text string, starts []int) {
	var b strings.Builder
	for _, l := range q.Get("lines").Items() {
		t, ok := l.AsText()
		if !ok {
			break
		}
		starts = append(starts, b.Len())
		b.WriteString(t)
		b.WriteByte('\n')
	}
	return b.String(), starts
}

// change is a value that a template renders and that is not the same in every prompt.
type change struct {
	name  string
	at    int // byte of the template
	every string
}

// changing returns the changing values that a Jinja or Handlebars template renders among its first characters. Comments
// and statements render nothing and do not count.
func changing(text string) []change {
	var out []change
	assigned := map[string]string{} // variables of {% set %}, and how often they change
	count := 0
	for i := 0; i < len(text) && count <= promptHead; {
		var open, end string
		switch rest := text[i:]; {
		case strings.HasPrefix(rest, "{#"):
			open, end = "{#", "#}"
		case strings.HasPrefix(rest, "{%"):
			open, end = "{%", "%}"
		case strings.HasPrefix(rest, "{{"):
			open, end = "{{", "}}"
		default:
			_, n := utf8.DecodeRuneInString(rest)
			i += n
			count++
			continue
		}
		body := text[i+2:]
		n := strings.Index(body, end)
		if n < 0 {
			break
		}
		body = body[:n]
		switch open {
		case "{%":
			if name, value, ok := setStatement(body); ok {
				for _, x := range volatile(value, assigned) {
					assigned[name] = x.every
				}
			}
		case "{{":
			for _, x := range volatile(body, assigned) {
				if count+utf8.RuneCountInString(body[:x.at]) <= promptHead {
					x.at += i + 2
					out = append(out, x)
				}
			}
			count += utf8.RuneCountInString(body)
		}
		i += 2 + n + 2
	}
	return out
}

// setStatement splits {% set name = value %}.
func setStatement(body string) (name, value string, ok bool) {
	body = strings.Trim(body, "-+ \t\r\n")
	rest, ok := strings.CutPrefix(body, "set ")
	if !ok {
		return "", "", false
	}
	name, value, ok = strings.Cut(rest, "=")
	return strings.TrimSpace(name), value, ok
}

// volatile returns the names in an expression that change, leaving out texts, attributes and what stands before "is".
func volatile(expr string, assigned map[string]string) []change {
	var out []change
	for i := 0; i < len(expr); {
		c := expr[i]
		switch {
		case c == '\'' || c == '"':
			n := strings.IndexByte(expr[i+1:], c)
			if n < 0 {
				return out
			}
			i += n + 2
		case isLetter(c):
			j := i
			for j < len(expr) && (isLetter(expr[j]) || expr[j] >= '0' && expr[j] <= '9') {
				j++
			}
			name := expr[i:j]
			every := assigned[name]
			if every == "" {
				every = changes(name, expr[j:])
			}
			if every != "" && (i == 0 || expr[i-1] != '.') {
				out = append(out, change{name, i, every})
			}
			i = j
		default:
			i++
		}
	}
	return out
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// changes says how often a value changes by its name; "" for one that does not. Rest is the expression behind it.
func changes(name, rest string) string {
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "strftimenow":
		return formatChanges(rest)
	case "now", "utcnow", "datetime", "time", "timestamp", "currenttime", "currentdatetime", "currenttimestamp", "nowutc":
		return "with every request"
	case "date", "today", "currentdate", "todaydate", "datetoday", "todaysdate":
		return "every day"
	case "sessionid", "session", "conversationid", "threadid", "chatid":
		return "with every session"
	case "requestid", "traceid", "uuid", "uuid4", "random", "nonce":
		return "with every request"
	}
	return ""
}

// formatChanges says how often a date format changes, by its finest directive.
func formatChanges(rest string) string {
	i := strings.IndexAny(rest, `'"`)
	if i < 0 {
		return "with every request"
	}
	format, _, ok := strings.Cut(rest[i+1:], rest[i:i+1])
	if !ok {
		return "with every request"
	}
	finest := "every day"
	for _, d := range strings.Split(format, "%")[1:] {
		d = strings.TrimLeft(d, "-_0")
		if d == "" {
			continue
		}
		switch d[0] {
		case 'S', 's', 'f', 'X', 'c', 'T', 'r':
			return "every second"
		case 'M', 'R':
			finest = "every minute"
		case 'H', 'I', 'k', 'l', 'p':
			if finest == "every day" {
				finest = "every hour"
			}
		}
	}
	return finest
}
