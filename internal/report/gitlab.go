package report

import (
	"bytes"
	"strconv"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// gitlabIssue is one issue of GitLab's code quality report, which is a subset of Code Climate's format.
type gitlabIssue struct {
	Type        string         `json:"type"`
	CheckName   string         `json:"check_name"`
	Description string         `json:"description"`
	Fingerprint string         `json:"fingerprint"`
	Severity    string         `json:"severity"`
	Categories  []string       `json:"categories"`
	Location    gitlabLocation `json:"location"`
}

type gitlabLocation struct {
	Path      string          `json:"path"`
	Positions gitlabPositions `json:"positions"`
}

type gitlabPositions struct {
	Begin gitlabPosition `json:"begin"`
	End   gitlabPosition `json:"end"`
}

type gitlabPosition struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

// writeGitLab prints a code quality report. Fingerprints must differ, so those of findings that are the same but for
// their place get a number.
func writeGitLab(b *bytes.Buffer, r *engine.Result, o *Options) error {
	out := []gitlabIssue{}
	seen := map[string]int{}
	for _, f := range shown(r, o) {
		path, start, end := where(f.Location)
		id := f.Fingerprint
		if id == "" {
			id = f.Rule + ":" + place(f.Location)
		}
		if n := seen[id]; n > 0 {
			seen[id]++
			id += "-" + strconv.Itoa(n)
		} else {
			seen[id] = 1
		}
		severity := "info"
		switch f.Severity {
		case model.Error:
			severity = "critical"
		case model.Warning:
			severity = "major"
		case model.Info:
			severity = "minor"
		}
		text := clean(redact(f.Message))
		for _, g := range f.Figures {
			text += " (" + figure(g) + ")"
		}
		out = append(out, gitlabIssue{
			Type: "issue", CheckName: f.Rule, Description: text, Fingerprint: id, Severity: severity, Categories: []string{"Bug Risk"},
			Location: gitlabLocation{path, gitlabPositions{gitlabPosition{start.Line, start.Column}, gitlabPosition{end.Line, end.Column}}},
		})
	}
	return encode(b, out)
}
