package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

type junitReport struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Time     string      `xml:"time,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	ClassName string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitFailure `xml:"failure,omitempty"`
	Error     *junitFailure `xml:"error,omitempty"`
	Skipped   *junitSkipped `xml:"skipped,omitempty"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}

// writeJUnit prints one suite for each file and one test for each finding: errors and warnings fail, milder findings
// and rules that could not decide are skipped tests. A stack without findings is a suite with one test that passes, so
// that a clean run does not look like one that tested nothing.
func writeJUnit(b *bytes.Buffer, r *engine.Result, o *Options) error {
	out := junitReport{Name: "agentlint"}
	suite := func(name string) *junitSuite {
		name = xmlText(name)
		i := slices.IndexFunc(out.Suites, func(s junitSuite) bool { return s.Name == name })
		if i < 0 {
			i = len(out.Suites)
			out.Suites = append(out.Suites, junitSuite{Name: name, Time: "0"})
		}
		return &out.Suites[i]
	}
	list := shown(r, o)
	for _, f := range list {
		path, start, _ := where(f.Location)
		s := suite(path)
		c := junitCase{Name: xmlText(fmt.Sprintf("%s (line %d)", f.Rule, start.Line)), ClassName: xmlText(path), Time: "0"}
		message := xmlText(clean(redact(f.Message)))
		if f.Severity >= model.Warning {
			c.Failure = &junitFailure{Message: message, Type: f.Severity.String(), Text: xmlText(Line(f))}
			s.Failures++
		} else {
			c.Skipped = &junitSkipped{Message: f.Severity.String() + ": " + message}
			s.Skipped++
		}
		s.Tests++
		s.Cases = append(s.Cases, c)
	}
	for _, st := range r.Stacks {
		if !slices.ContainsFunc(list, func(f *engine.Finding) bool { return slices.Contains(f.Stacks, st.Name) }) {
			s := suite(st.Name)
			s.Tests++
			s.Cases = append(s.Cases, junitCase{Name: "no findings", ClassName: xmlText(st.Name), Time: "0"})
		}
	}
	for _, f := range r.Faults {
		s := suite(f.Stack)
		s.Tests++
		s.Errors++
		s.Cases = append(s.Cases, junitCase{Name: xmlText(f.Rule), ClassName: xmlText(f.Stack), Time: "0", Error: &junitFailure{Message: "the rule failed", Type: "fault", Text: xmlText(clean(redact(f.Text)))}})
	}
	for _, s := range out.Suites {
		out.Tests += s.Tests
		out.Failures += s.Failures
		out.Errors += s.Errors
	}
	return encodeXML(b, out)
}
