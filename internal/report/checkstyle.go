package report

import (
	"bytes"
	"encoding/xml"
	"slices"
	"strings"
	"unicode/utf8"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

type checkstyleReport struct {
	XMLName xml.Name         `xml:"checkstyle"`
	Version string           `xml:"version,attr"`
	Files   []checkstyleFile `xml:"file"`
}

type checkstyleFile struct {
	Name   string            `xml:"name,attr"`
	Errors []checkstyleError `xml:"error"`
}

type checkstyleError struct {
	Line     int    `xml:"line,attr"`
	Column   int    `xml:"column,attr"`
	Severity string `xml:"severity,attr"`
	Message  string `xml:"message,attr"`
	Source   string `xml:"source,attr"`
}

// writeCheckstyle prints the XML of Checkstyle, one file element for each file with findings.
func writeCheckstyle(b *bytes.Buffer, r *engine.Result, o *Options) error {
	out := checkstyleReport{Version: "4.3"}
	for _, f := range shown(r, o) {
		path, start, _ := where(f.Location)
		path = xmlText(path)
		i := slices.IndexFunc(out.Files, func(x checkstyleFile) bool { return x.Name == path })
		if i < 0 {
			i = len(out.Files)
			out.Files = append(out.Files, checkstyleFile{Name: path})
		}
		severity := "info"
		switch f.Severity {
		case model.Error:
			severity = "error"
		case model.Warning:
			severity = "warning"
		}
		out.Files[i].Errors = append(out.Files[i].Errors, checkstyleError{start.Line, start.Column, severity, xmlText(redact(f.Message)), "agentlint." + xmlText(f.Rule)})
	}
	return encodeXML(b, out)
}

func encodeXML(b *bytes.Buffer, v any) error {
	b.WriteString(xml.Header)
	e := xml.NewEncoder(b)
	e.Indent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	b.WriteByte('\n')
	return nil
}

// xmlText writes characters that XML 1.0 cannot hold as escapes.
func xmlText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r' || r >= 0x20 && r < 0xd800 || r >= 0xe000 && r < 0xfffe || r >= 0x10000:
			return r
		}
		return utf8.RuneError
	}, s)
}
