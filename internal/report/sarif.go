package report

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// The types below are the part of SARIF 2.1.0 that is written.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool              sarifTool         `json:"tool"`
	AutomationDetails sarifID           `json:"automationDetails"`
	ColumnKind        string            `json:"columnKind"`
	Invocations       []sarifInvocation `json:"invocations"`
	Results           []sarifResult     `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version"`
	Rules   []sarifRule `json:"rules"`
}

type sarifID struct {
	ID string `json:"id"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool                `json:"executionSuccessful"`
	Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
}

type sarifNotification struct {
	Level          string    `json:"level"`
	Message        sarifText `json:"message"`
	AssociatedRule *sarifRef `json:"associatedRule,omitempty"`
	Descriptor     *sarifRef `json:"descriptor,omitempty"`
}

type sarifRef struct {
	ID string `json:"id"`
}

type sarifText struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown,omitempty"`
}

type sarifRule struct {
	ID                   string          `json:"id"`
	ShortDescription     sarifText       `json:"shortDescription"`
	FullDescription      sarifText       `json:"fullDescription"`
	Help                 sarifText       `json:"help"`
	HelpURI              string          `json:"helpUri,omitempty"`
	DefaultConfiguration sarifLevel      `json:"defaultConfiguration"`
	Properties           sarifProperties `json:"properties"`
}

type sarifLevel struct {
	Level string `json:"level"`
}

type sarifProperties struct {
	Tags             []string `json:"tags"`
	Precision        string   `json:"precision"`
	ProblemSeverity  string   `json:"problem.severity"`
	SecuritySeverity string   `json:"security-severity,omitempty"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Kind                string            `json:"kind,omitempty"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations"`
	RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Fixes               []sarifFix        `json:"fixes,omitempty"`
	Properties          sarifExtra        `json:"properties"`
}

type sarifExtra struct {
	Confidence string         `json:"confidence"`
	Stacks     []string       `json:"stacks,omitempty"`
	Figures    []model.Figure `json:"figures,omitempty"`
	Needs      []string       `json:"needs,omitempty"`
	WouldBe    string         `json:"wouldBe,omitempty"`
}

type sarifLocation struct {
	ID               int           `json:"id,omitempty"`
	PhysicalLocation sarifPhysical `json:"physicalLocation"`
	Message          *sarifText    `json:"message,omitempty"`
}

type sarifPhysical struct {
	ArtifactLocation sarifURI    `json:"artifactLocation"`
	Region           sarifRegion `json:"region"`
}

type sarifURI struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	ArtifactLocation sarifURI           `json:"artifactLocation"`
	Replacements     []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	DeletedRegion   sarifRegion  `json:"deletedRegion"`
	InsertedContent sarifContent `json:"insertedContent"`
}

// sarifContent is text of a file, which may be empty, unlike that of a message.
type sarifContent struct {
	Text string `json:"text"`
}

// writeSARIF prints SARIF 2.1.0 as GitHub's code scanning reads it. Undecided findings are results of kind open.
func writeSARIF(b *bytes.Buffer, r *engine.Result, o *Options) error {
	run := sarifRun{
		Tool:              sarifTool{sarifDriver{Name: "agentlint", Version: o.Version, Rules: []sarifRule{}}},
		AutomationDetails: sarifID{"agentlint/"},
		ColumnKind:        "unicodeCodePoints",
		Invocations:       []sarifInvocation{{ExecutionSuccessful: len(r.Faults) == 0}},
		Results:           []sarifResult{},
	}
	for _, f := range r.Faults {
		text, _, _ := strings.Cut(f.Text, "\n")
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			Level: "error", Message: sarifText{Text: redact("rule " + f.Rule + " failed on " + f.Stack + ": " + text)}, Descriptor: &sarifRef{"internal-fault"},
		})
	}
	index := map[string]int{}
	lines := hashes{}
	for _, f := range r.Findings {
		k, ok := index[f.Rule]
		if !ok {
			k = len(run.Tool.Driver.Rules)
			index[f.Rule] = k
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(f, o))
		}
		run.Results = append(run.Results, sarifResultOf(f, k, lines))
	}
	if o.Folder != "" {
		move := func(u *sarifURI) { u.URI = uri(o.Folder) + "/" + u.URI }
		for i := range run.Results {
			x := &run.Results[i]
			for j := range x.Locations {
				move(&x.Locations[j].PhysicalLocation.ArtifactLocation)
			}
			for j := range x.RelatedLocations {
				move(&x.RelatedLocations[j].PhysicalLocation.ArtifactLocation)
			}
			for j := range x.Fixes {
				for k := range x.Fixes[j].Changes {
					move(&x.Fixes[j].Changes[k].ArtifactLocation)
				}
			}
		}
	}
	return encode(b, sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

// maxDescription is how long GitHub lets the descriptions of a rule be.
const maxDescription = 1024

func sarifRuleOf(f *engine.Finding, o *Options) sarifRule {
	m, ok := o.rule(f.Rule)
	if !ok {
		m = model.Meta{ID: f.Rule, Title: f.Title, Category: f.Category, Severity: f.Severity, Confidence: f.Confidence}
	}
	title := m.Title
	if title == "" {
		title = m.ID
	}
	why := strings.Join(strings.Fields(m.Why), " ")
	if why == "" {
		why = title
	}
	help := strings.TrimSpace(m.Why)
	if m.Remedy != "" {
		help = strings.TrimSpace(help + "\n\n" + strings.TrimSpace(m.Remedy))
	}
	if help == "" {
		help = title
	}
	rule := sarifRule{
		ID: m.ID, ShortDescription: sarifText{Text: limit(title, maxDescription)}, FullDescription: sarifText{Text: limit(why, maxDescription)},
		Help: sarifText{Text: help, Markdown: help}, DefaultConfiguration: sarifLevel{sarifLevelOf(m.Severity)},
		Properties: sarifProperties{Tags: []string{m.Category}, Precision: m.Confidence.String(), ProblemSeverity: problemSeverity(m.Severity)},
	}
	if u, err := url.Parse(f.URL); err == nil && (u.Scheme == "https" || u.Scheme == "http") {
		rule.HelpURI = f.URL
	}
	switch m.Category {
	case "security", "secrets", "engine-security":
		// GitHub shows such rules as security alerts: high from 7.0, medium from 4.0.
		if m.Category != "security" {
			rule.Properties.Tags = append(rule.Properties.Tags, "security")
		}
		rule.Properties.SecuritySeverity = [...]string{"1.0", "3.0", "5.5", "8.0"}[m.Severity]
	}
	return rule
}

// limit cuts text to n bytes at a character.
func limit(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:runeStart(s, n-3)] + "..."
}

func sarifLevelOf(s model.Severity) string {
	switch s {
	case model.Error:
		return "error"
	case model.Warning:
		return "warning"
	case model.Info:
		return "note"
	}
	return "none"
}

func problemSeverity(s model.Severity) string {
	switch s {
	case model.Error:
		return "error"
	case model.Warning:
		return "warning"
	}
	return "recommendation"
}

func sarifResultOf(f *engine.Finding, index int, lines hashes) sarifResult {
	res := sarifResult{
		RuleID: f.Rule, RuleIndex: index, Level: sarifLevelOf(f.Severity), Message: sarifText{Text: redact(f.Message)},
		Locations:           []sarifLocation{{PhysicalLocation: sarifPlace(f.Location)}},
		PartialFingerprints: map[string]string{"agentlint/v1": f.Fingerprint},
		Properties:          sarifExtra{Confidence: f.Confidence.String(), Stacks: f.Stacks, Figures: figures(f)},
	}
	if res.Message.Text == "" {
		res.Message.Text = f.Rule
	}
	for _, g := range f.Figures {
		res.Message.Text += "\n" + figure(g)
	}
	if f.Severity == model.Undecided {
		res.Kind = "open"
		res.Properties.Needs, res.Properties.WouldBe = f.Needs, f.WouldBe.String()
	}
	if f.File != nil {
		if h := lines.of(f.File, res.Locations[0].PhysicalLocation.Region.StartLine); h != "" {
			res.PartialFingerprints["primaryLocationLineHash"] = h
		}
	}
	for i, x := range f.Related {
		text := redact(x.Message)
		if text == "" {
			text = "see here"
		}
		res.RelatedLocations = append(res.RelatedLocations, sarifLocation{ID: i + 1, PhysicalLocation: sarifPlace(x.Location), Message: &sarifText{Text: text}})
	}
	for i := range f.Fixes {
		if x := &f.Fixes[i]; x.Refused == "" && len(x.Edits) > 0 && !hasSecret(x) {
			res.Fixes = append(res.Fixes, sarifFixOf(x))
		}
	}
	return res
}

func sarifPlace(l model.Location) sarifPhysical {
	path, start, end := where(l)
	return sarifPhysical{ArtifactLocation: sarifURI{uri(path)}, Region: sarifRegion{start.Line, start.Column, end.Line, end.Column}}
}

// uri returns a relative path as a URI reference.
func uri(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	// A colon in the first segment would end a scheme.
	parts[0] = strings.ReplaceAll(parts[0], ":", "%3A")
	return strings.Join(parts, "/")
}

func sarifFixOf(x *engine.Fix) sarifFix {
	fix := sarifFix{Description: sarifText{Text: redact(x.Title)}}
	var files []*source.File
	for _, e := range x.Edits {
		if !slices.Contains(files, e.File) {
			files = append(files, e.File)
		}
	}
	for _, f := range files {
		c := sarifChange{ArtifactLocation: sarifURI{uri(f.Path)}}
		for _, e := range x.Edits {
			if e.File != f {
				continue
			}
			start, end := f.Position(e.Start), f.Position(e.End)
			// A deletion inserts an empty text: readers stumble over none (reviewdog, parser/sarif.go).
			rep := sarifReplacement{DeletedRegion: sarifRegion{start.Line, start.Column, end.Line, end.Column}, InsertedContent: sarifContent{e.Text}}
			c.Replacements = append(c.Replacements, rep)
		}
		fix.Changes = append(fix.Changes, c)
	}
	return fix
}
