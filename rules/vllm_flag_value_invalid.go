package rules

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "vllm-flag-value-invalid",
		Title:    "A flag has a value that the engine's release rejects",
		Category: "engine-args",
		Why: `vLLM checks choices, numbers and JSON of its arguments at start and stops on the first that it rejects. What is accepted changes from release to release: ` + "`--prefix-caching-hash-algo builtin`" + `
went with 0.10.2, ` + "`--kv-cache-dtype fp8_per_token_head`" + ` came with 0.20.0, ` + "`--limit-mm-per-prompt image=4`" + ` must be JSON from 0.10.0 on, ` + "`-O`" + ` takes a level from 0 to 3 from 0.12 on and no JSON, and
` + "`--tokenizer-mode slow`" + ` is refused from 0.31 on.`,
		Remedy:   `Write a value that the release accepts; the message names them.`,
		Severity: model.Error, Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Inputs:     []string{"engine.args", "engine.image"},
		Fix:        model.Unsafe, FixTitle: "use an accepted value",
		Question: "Is that the value that was meant?",
		Since:    "0.1",
		Evidence: []model.Evidence{
			{Artefact: "vllm 0.29.0", File: "vllm/engine/arg_utils.py", Symbol: "def get_kwargs", Checked: "2026-11-29",
				Note: "Choices and types of every flag were read out of the releases from 0.4.1 to 0.33.0."},
			{Artefact: "vllm 0.27.1", File: "vllm/config/attention.py", Symbol: "AttentionBackendEnum[value.upper()]", Checked: "2026-11-30",
				Note: "The backends of --attention-backend, --mamba-backend and --mm-encoder-attn-backend are found in any case."},
			{Artefact: "vllm 0.9.2", File: "vllm/engine/arg_utils.py", Symbol: "def nullable_kvs", Checked: "2026-11-29",
				Note: "key=value pairs for --limit-mm-per-prompt; gone in 0.10.0."},
			{Artefact: "vllm 0.29.0", File: "vllm/utils/argparse_utils.py", Symbol: "Convert -O <n> to --optimization-level <n>", Checked: "2026-11-29",
				Note: "From 0.12.0 on; -O was --compilation-config before."},
			{Artefact: "vllm 0.31.0", File: "vllm/config/model.py", Symbol: "TokenizerMode = Literal", Checked: "2026-11-29",
				Note: "Without slow, which 0.30.0 still turns into hf with the slow tokenizer."},
		},
	},
	Check: func(p *Pass) {
		for e := range p.VLLMEngines() {
			plugin := e.pluginImage()
			for w := range e.writtenFlags() {
				value, ok := w.Text("values", 0)
				if !ok || !w.accepted() || w.dotted() {
					continue
				}
				if problem := invalidValue(w, value); problem.text != "" {
					if problem.dated && e.Unread() {
						e.uncheckedRelease()
						continue
					}
					problem.report(p, w, value, plugin)
				}
			}
			for f := range e.flags() {
				checkLevel(p, e, f)
			}
		}
	},
})

// valueProblem is why a value is rejected.
type valueProblem struct {
	text string
	// instead is a value that is accepted and most likely meant; empty when nobody knows.
	instead string
	// unsure is true where a release that is newer than the tables, or a plugin, may accept the value.
	unsure bool
	// dated is true where another release accepts the value.
	dated bool
}

func (x valueProblem) report(p *Pass, w writtenFlag, value string, plugin bool) {
	r := p.Report(w.At("values", 0), "%s %s: %s, so vLLM %s stops at start", model.Quote(w.word), model.Quote(value), x.text, w.engine.Release())
	if x.unsure && (plugin || w.release.Match == knowledge.Newer) {
		r.Severity(model.Info)
	}
	if x.instead != "" && w.editable() {
		r.Fix(model.Fix{Title: "write " + x.instead, Ops: []model.Op{model.Set(w.arg().With(0), x.instead)}})
	}
}

// invalidValue says why the release rejects a value; the zero value when it accepts it, or when that is not known.
func invalidValue(w writtenFlag, value string) valueProblem {
	e, v := w.entry(), w.release.Version
	switch e.Name {
	case "--gpu-memory-utilization", "--device-memory-utilization", "--tool-call-parser", "--reasoning-parser":
		return valueProblem{} // rules of their own
	case "--limit-mm-per-prompt":
		if keyValue().MatchString(value) && v.Compare(knowledge.MustVersion("0.10.0")) >= 0 {
			return valueProblem{text: "from 0.10.0 on it must be JSON such as '" + jsonOfPairs(value) + "'", instead: jsonOfPairs(value), dated: true}
		}
		return valueProblem{}
	case "--optimization-level":
		return levelProblem(value)
	}
	if choices := e.Choices(v); choices != nil && e.Type != "list" && e.Type != "json" {
		return choiceProblem(e, v, choices, value)
	}
	if value == "" || value == "None" {
		return valueProblem{}
	}
	switch e.Type {
	case "int":
		if _, err := strconv.ParseInt(strings.ReplaceAll(strings.TrimSpace(value), "_", ""), 10, 64); err != nil {
			return intProblem(e, v, value)
		}
	case "float":
		if _, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(value), "_", ""), 64); err != nil {
			return valueProblem{text: "it is no number"}
		}
	}
	return positive(e, v, value)
}

// intProblem judges a text that is no plain whole number.
func intProblem(e knowledge.Entry, v knowledge.Version, value string) valueProblem {
	if e.Name == "--max-model-len" && value == "auto" {
		if v.Compare(knowledge.MustVersion("0.14.0")) >= 0 {
			return valueProblem{}
		}
		return valueProblem{text: "auto is accepted from 0.14.0 on"}
	}
	n, ok := knowledge.HumanInt(value)
	switch {
	case ok && e.Holds("size", v):
		return valueProblem{}
	case ok:
		return valueProblem{text: "it takes a plain whole number", instead: strconv.FormatInt(n, 10)}
	case e.Holds("size", v):
		return valueProblem{text: "it is no whole number with one of the suffixes k, m, g and t (25.6k) or K, M, G and T (32K)"}
	}
	return valueProblem{text: "it is no whole number"}
}

// positive judges numbers that must be 1 at least (vllm 0.29.0, config/parallel.py, config/scheduler.py, config/cache.py).
func positive(e knowledge.Entry, v knowledge.Version, value string) valueProblem {
	switch e.Name {
	case "--tensor-parallel-size", "--pipeline-parallel-size", "--data-parallel-size", "--max-num-seqs", "--block-size":
		if n, ok := knowledge.HumanInt(value); ok && n < 1 && v.Compare(knowledge.MustVersion("0.29.0")) >= 0 {
			return valueProblem{text: "it must be 1 at least"}
		}
	}
	return valueProblem{}
}

// choiceProblem judges a value of a flag with a list of accepted ones.
func choiceProblem(e knowledge.Entry, v knowledge.Version, choices []string, value string) valueProblem {
	if accepts(e, choices, value) || e.Type == "int" && value == "None" {
		return valueProblem{}
	}
	var earlier, later knowledge.Version
	for _, c := range e.ChoiceHistory() {
		if !accepts(e, strings.Split(c.Value, ","), value) {
			continue
		}
		if c.At.Compare(v) <= 0 {
			earlier = c.At
		} else if later.IsZero() {
			later = c.At
		}
	}
	x := valueProblem{}
	switch {
	case !later.IsZero():
		x.text, x.dated = "it is accepted from "+later.String()+" on", true
	case !earlier.IsZero():
		x.text, x.dated = "it is accepted up to "+lastWith(e, v, value).String(), true
	case e.Type == "choice|str":
		return x // any other text may be the name of something registered
	default:
		x.text, x.unsure = "it is none of the accepted values", true
	}
	if near := knowledge.Closest(value, choices); near != "" && later.IsZero() && earlier.IsZero() {
		x.instead = near
	}
	x.text += ", which are " + shortList(choices)
	if !later.IsZero() || !earlier.IsZero() {
		x.text = strings.Replace(x.text, ", which are ", "; accepted are ", 1)
	}
	return x
}

// accepts reports whether a value is one of the accepted ones. Names of enumerations are looked up in upper case, so any
// spelling of them will do.
func accepts(e knowledge.Entry, choices []string, value string) bool {
	if e.Attr("case") == "any" {
		return slices.ContainsFunc(choices, func(c string) bool { return strings.EqualFold(c, value) })
	}
	return slices.Contains(choices, value)
}

// lastWith is the last release before v that accepts a value.
func lastWith(e knowledge.Entry, v knowledge.Version, value string) knowledge.Version {
	var last knowledge.Version
	for _, r := range knowledge.VLLM.Releases() {
		if r.Compare(v) < 0 && accepts(e, e.Choices(r), value) {
			last = r
		}
	}
	return last
}

// shortList lists at most eight values.
func shortList(values []string) string {
	if len(values) > 8 {
		return strings.Join(values[:8], ", ") + " and others"
	}
	return strings.Join(values, ", ")
}

// keyValue matches the old form of --limit-mm-per-prompt: image=4,video=1.
var keyValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z_]+=[0-9]+(,[A-Za-z_]+=[0-9]+)*$`)
})

// jsonOfPairs writes image=4,video=1 as JSON.
func jsonOfPairs(value string) string {
	var fields []string
	for pair := range strings.SplitSeq(value, ",") {
		k, n, _ := strings.Cut(pair, "=")
		fields = append(fields, strconv.Quote(k)+":"+n)
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// levelProblem judges an optimisation level.
func levelProblem(value string) valueProblem {
	if len(value) == 1 && value[0] >= '0' && value[0] <= '3' {
		return valueProblem{}
	}
	if strings.HasPrefix(value, "{") {
		return valueProblem{text: "from 0.12 on it takes a level from 0 to 3, and JSON belongs to --compilation-config (-cc)", dated: true}
	}
	return valueProblem{text: "the levels are 0 to 3"}
}

// checkLevel judges -O, which is --optimization-level from 0.12 on: -O3, -O 3, -O=3.
func checkLevel(p *Pass, e Part, f flag) {
	if !strings.HasPrefix(f.word, "-O") || strings.Contains(f.word, ".") || !e.AtLeast("0.12.0") {
		return
	}
	at := f.At("word")
	value := f.word[len("-O"):]
	if value == "" {
		var ok bool
		if value, ok = f.Text("values", 0); !ok {
			return
		}
		at = f.At("values", 0)
	}
	if x := levelProblem(value); x.text != "" {
		if x.dated && e.Unread() {
			e.uncheckedRelease()
			return
		}
		p.Report(at, "-O %s: %s, so vLLM %s stops at start", model.Quote(value), x.text, e.Release())
	}
}
