package report

import (
	"bytes"
	"unicode/utf8"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// The types below are reviewdog's diagnostic format (reviewdog, proto/rdf). Its columns count UTF-8 bytes.
type rdReport struct {
	Source      rdSource       `json:"source"`
	Diagnostics []rdDiagnostic `json:"diagnostics"`
}

type rdSource struct {
	Name string `json:"name"`
}

type rdDiagnostic struct {
	Message     string         `json:"message"`
	Location    rdLocation     `json:"location"`
	Severity    string         `json:"severity"`
	Code        rdCode         `json:"code"`
	Suggestions []rdSuggestion `json:"suggestions,omitempty"`
	Related     []rdRelated    `json:"relatedLocations,omitempty"`
}

type rdLocation struct {
	Path  string  `json:"path"`
	Range rdRange `json:"range"`
}

type rdRange struct {
	Start rdPosition `json:"start"`
	End   rdPosition `json:"end"`
}

type rdPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

type rdCode struct {
	Value string `json:"value"`
	URL   string `json:"url,omitempty"`
}

type rdSuggestion struct {
	Range rdRange `json:"range"`
	Text  string  `json:"text"`
}

type rdRelated struct {
	Message  string     `json:"message"`
	Location rdLocation `json:"location"`
}

// writeRDJSON prints reviewdog's rdjson. A fix is a suggestion when all of its edits are in the finding's file.
func writeRDJSON(b *bytes.Buffer, r *engine.Result, o *Options) error {
	out := rdReport{Source: rdSource{"agentlint"}, Diagnostics: []rdDiagnostic{}}
	for _, f := range shown(r, o) {
		severity := "INFO"
		switch f.Severity {
		case model.Error:
			severity = "ERROR"
		case model.Warning:
			severity = "WARNING"
		}
		d := rdDiagnostic{Message: redact(f.Message), Location: rdPlace(f.Location), Severity: severity, Code: rdCode{f.Rule, f.URL}}
		for _, x := range f.Related {
			d.Related = append(d.Related, rdRelated{redact(x.Message), rdPlace(x.Location)})
		}
		if x := fixOf(f); x != nil && !hasSecret(x) {
			for _, e := range x.Edits {
				if e.File != f.File {
					d.Suggestions = nil
					break
				}
				d.Suggestions = append(d.Suggestions, rdSuggestion{rdRangeOf(e.File, e.Span), e.Text})
			}
		}
		out.Diagnostics = append(out.Diagnostics, d)
	}
	return encode(b, out)
}

func rdPlace(l model.Location) rdLocation {
	if l.File == nil {
		return rdLocation{Range: rdRange{rdPosition{1, 1}, rdPosition{1, 1}}}
	}
	return rdLocation{l.File.Path, rdRangeOf(l.File, l.Span)}
}

func rdRangeOf(f *source.File, s source.Span) rdRange {
	return rdRange{byteColumn(f, s.Start), byteColumn(f, max(s.Start, s.End))}
}

// byteColumn is a position with its column in bytes.
func byteColumn(f *source.File, offset int) rdPosition {
	p := f.Position(offset)
	start := f.Line(p.Line).Start
	for start > p.Offset && !utf8.RuneStart(f.Bytes[start]) {
		start--
	}
	return rdPosition{p.Line, p.Offset - start + 1}
}
