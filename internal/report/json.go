package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// Schema is the name and version of the JSON format; docs/schema/findings.schema.json describes it.
const Schema = "agentlint.findings/v1"

type jsonReport struct {
	Schema     string          `json:"schema"`
	Tool       jsonTool        `json:"tool"`
	Stacks     []jsonStack     `json:"stacks"`
	Findings   []jsonFinding   `json:"findings"`
	Unchecked  []jsonUnchecked `json:"unchecked"`
	Suppressed int             `json:"suppressed"`
	Skipped    []jsonSkipped   `json:"skipped"`
	Summary    jsonSummary     `json:"summary"`
	Since      *Changes        `json:"since,omitempty"`
}

type jsonTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonStack struct {
	Name     string        `json:"name"`
	Files    []string      `json:"files"`
	Versions []jsonVersion `json:"versions"`
}

type jsonVersion struct {
	Product string `json:"product"`
	Part    string `json:"part"`
	Version string `json:"version"`
	From    string `json:"from"`
}

type jsonFinding struct {
	Rule        string         `json:"rule"`
	Category    string         `json:"category"`
	Severity    string         `json:"severity"`
	Confidence  string         `json:"confidence"`
	Message     string         `json:"message"`
	Stacks      []string       `json:"stacks"`
	File        string         `json:"file"`
	Start       jsonPosition   `json:"start"`
	End         jsonPosition   `json:"end"`
	Path        []any          `json:"path"`
	Related     []jsonRelated  `json:"related"`
	Figures     []model.Figure `json:"figures"`
	Fixes       []jsonFix      `json:"fixes"`
	Undecided   *jsonUndecided `json:"undecided,omitempty"`
	Fingerprint string         `json:"fingerprint"`
	URL         string         `json:"url"`
	Since       *findingChange `json:"since,omitempty"`
}

type jsonPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Offset int `json:"offset"`
}

type jsonRelated struct {
	File    string       `json:"file"`
	Start   jsonPosition `json:"start"`
	End     jsonPosition `json:"end"`
	Message string       `json:"message"`
}

type jsonFix struct {
	Title    string     `json:"title"`
	Safety   string     `json:"safety"`
	Question string     `json:"question,omitempty"`
	Refused  string     `json:"refused,omitempty"`
	Edits    []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	Text  string `json:"text"`
}

type jsonUndecided struct {
	Needs   []string `json:"needs"`
	WouldBe string   `json:"would_be"`
}

type jsonUnchecked struct {
	Rule  string   `json:"rule"`
	Stack string   `json:"stack"`
	Needs []string `json:"needs"`
}

type jsonSkipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

type jsonSummary struct {
	Error     int         `json:"error"`
	Warning   int         `json:"warning"`
	Info      int         `json:"info"`
	Undecided int         `json:"undecided"`
	Fixable   jsonFixable `json:"fixable"`
}

type jsonFixable struct {
	Safe   int `json:"safe"`
	Unsafe int `json:"unsafe"`
}

// writeJSON prints everything as one JSON object, a part of a list at a time: a run over thousands of files finds more than
// is worth to have in memory twice.
func writeJSON(put func([]byte) error, r *engine.Result, o *Options) error {
	for i := range r.Findings {
		for _, g := range r.Findings[i].Figures {
			if x := cmp.Or(g.Limit, new(float64)); !finite(g.Value) || !finite(*x) {
				return fmt.Errorf("rule %s: figure %s is no number", r.Findings[i].Rule, g.Name)
			}
		}
	}
	var since *json.RawMessage
	if c := ChangesOf(r); c != nil {
		b, err := json.Marshal(c)
		if err != nil {
			return err
		}
		since = (*json.RawMessage)(&b)
	}
	c := Count(r.Findings)
	p := newPrinter(put)
	p.member("schema", Schema)
	p.member("tool", jsonTool{"agentlint", o.Version})
	p.list("stacks", len(r.Stacks), func(i int) any { return stackToJSON(&r.Stacks[i]) })
	p.list("findings", len(r.Findings), func(i int) any { return toJSON(r.Findings[i]) })
	p.list("unchecked", len(r.Unchecked), func(i int) any {
		u := &r.Unchecked[i]
		return &jsonUnchecked{u.Rule, u.Stack, full(u.Needs)}
	})
	p.member("suppressed", r.Suppressed)
	p.list("skipped", len(r.Skipped), func(i int) any { return &jsonSkipped{r.Skipped[i].File, redact(r.Skipped[i].Reason)} })
	p.member("summary", jsonSummary{c.Error, c.Warning, c.Info, c.Undecided, jsonFixable{c.Safe, c.Unsafe}})
	if since != nil {
		p.member("since", since)
	}
	return p.close()
}

func finite(x float64) bool { return !math.IsInf(x, 0) && !math.IsNaN(x) }

func stackToJSON(s *engine.StackSummary) *jsonStack {
	j := &jsonStack{Name: s.Name, Files: full(s.Files), Versions: []jsonVersion{}}
	for _, v := range s.Versions {
		j.Versions = append(j.Versions, jsonVersion{v.Product, v.Part, v.Version, v.From})
	}
	return j
}

func toJSON(f *engine.Finding) *jsonFinding {
	path, start, end := where(f.Location)
	j := &jsonFinding{
		Rule: f.Rule, Category: f.Category, Severity: f.Severity.String(), Confidence: f.Confidence.String(),
		Message: redact(f.Message), Stacks: full(f.Stacks), File: path, Start: position(start), End: position(end), Path: f.Path,
		Related: []jsonRelated{}, Figures: figures(f), Fixes: []jsonFix{}, Fingerprint: f.Fingerprint, URL: f.URL, Since: changeOf(f),
	}
	if j.Path == nil {
		j.Path = []any{}
	}
	if f.Severity == model.Undecided {
		j.Undecided = &jsonUndecided{full(f.Needs), f.WouldBe.String()}
	}
	for _, x := range f.Related {
		path, start, end := where(x.Location)
		j.Related = append(j.Related, jsonRelated{path, position(start), position(end), redact(x.Message)})
	}
	for i := range f.Fixes {
		j.Fixes = append(j.Fixes, fixToJSON(&f.Fixes[i]))
	}
	return j
}

// secretEdit is why a fix is printed without its edits.
const secretEdit = "the edit holds a secret, which only agentlint fix may write"

func fixToJSON(x *engine.Fix) jsonFix {
	j := jsonFix{Title: redact(x.Title), Safety: x.Safety.String(), Question: redact(x.Question), Refused: redact(x.Refused), Edits: []jsonEdit{}}
	if x.Refused == "" && hasSecret(x) {
		j.Refused = secretEdit
	}
	if j.Refused == "" {
		for _, e := range x.Edits {
			j.Edits = append(j.Edits, jsonEdit{e.File.Path, e.Start, e.End, e.Text})
		}
	}
	return j
}

func position(p source.Position) jsonPosition { return jsonPosition{p.Line, p.Column, p.Offset} }

// full returns a list that is never null.
func full(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
