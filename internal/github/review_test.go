package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"agentlint/internal/github/githubtest"
	"agentlint/internal/model"
	"agentlint/internal/report"
)

// scene is a working copy, a pull request that changes it, and findings.
type scene struct {
	t      *testing.T
	server *githubtest.Server
	root   string
	doc    *report.Document
	now    time.Time
	slept  []time.Duration
	notes  []string
	review *Review
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, server: githubtest.New(t), root: t.TempDir(), doc: &report.Document{Schema: report.Schema}, now: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)}
	s.review = &Review{Number: githubtest.Number, Head: s.server.Head, Document: s.doc, Root: s.root, Level: model.Warning, Summary: true}
	return s
}

// file writes a file whose lines from first to last are in the diff.
func (s *scene) file(name, text string, first, last int) {
	s.t.Helper()
	full := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.server.Files = append(s.server.Files, githubtest.File{Filename: name, Status: "modified", SHA: blobHash([]byte(text), ""), Patch: patchOf(text, first, last)})
}

func patchOf(text string, first, last int) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r", ""), "\n")
	var b strings.Builder
	fmt.Fprintf(&b, "@@ -%d,0 +%d,%d @@", max(0, first-1), first, last-first+1)
	for n := first; n <= last; n++ {
		b.WriteString("\n+" + lines[n-1])
	}
	return b.String()
}

// find adds a finding.
func (s *scene) find(rule, file string, line int, fixes ...report.DocumentFix) *report.DocumentFinding {
	f := report.DocumentFinding{Rule: rule, Severity: "warning", Message: "message of " + rule, File: file, Fixes: fixes, Fingerprint: rule}
	f.Start.Line, f.Start.Column, f.End.Line, f.End.Column = line, 1, line, 5
	s.doc.Findings = append(s.doc.Findings, f)
	return &s.doc.Findings[len(s.doc.Findings)-1]
}

func (s *scene) run() (*Outcome, error) {
	s.review.Access = Access{Token: githubtest.Token, URL: s.server.URL + s.server.Prefix, Repository: githubtest.Repository,
		Log: func(line string) { s.notes = append(s.notes, line) },
		sleep: func(_ context.Context, d time.Duration) error {
			s.slept = append(s.slept, d)
			s.now = s.now.Add(d)
			return nil
		},
		now: func() time.Time { return s.now }}
	return s.review.Post(context.Background())
}

func (s *scene) must() *Outcome {
	s.t.Helper()
	out, err := s.run()
	if err != nil {
		s.t.Fatal(err)
	}
	return out
}

func edit(file string, start, end int, text string) report.DocumentFix {
	return report.DocumentFix{Title: "mend it", Safety: "safe", Edits: []report.DocumentEdit{{File: file, Start: start, End: end, Text: text}}}
}

const tenLines = "l1: 1\nl2: 2\nl3: 3\nl4: 4\nl5: 5\nl6: 6\nl7: 7\nl8: 8\nl9: 9\nl10: 10\n"

func TestReviewLifecycle(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 2, 6)
	s.find("first", "a.yaml", 2, edit("a.yaml", 10, 11, "20"))
	s.find("second", "a.yaml", 4)
	s.find("outside", "a.yaml", 9)
	s.find("elsewhere", "b.yaml", 1)
	s.find("mild", "a.yaml", 3).Severity = "info"
	out := s.must()
	if out.Posted != 2 || out.Body != 2 || out.Summary != "written" || len(s.server.Reviews) != 1 || len(s.server.Notes) != 1 {
		t.Fatalf("%+v, %d reviews", out, len(s.server.Reviews))
	}
	if !strings.Contains(s.server.Comments[0].Body, "```suggestion\nl2: 20\n```\n") {
		t.Errorf("no suggestion:\n%s", s.server.Comments[0].Body)
	}
	for _, want := range []string{"outside", "elsewhere"} {
		if !strings.Contains(s.server.Reviews[0].Body, want) {
			t.Errorf("the review's text does not name %s:\n%s", want, s.server.Reviews[0].Body)
		}
	}

	// The same again changes nothing.
	before := len(s.server.Requests())
	if out = s.must(); out.Kept != 2 || out.Posted+out.Edited+out.Removed > 0 || out.Summary != "kept" {
		t.Errorf("%+v", out)
	}
	if n := len(s.server.Requests()); n != before {
		t.Errorf("a run without news wrote: %v", s.server.Requests()[before:])
	}
	if s.server.NotModified == 0 {
		t.Error("the pull request was transferred twice although it did not change")
	}

	// One is fixed, one says something else.
	s.doc.Findings = s.doc.Findings[1:]
	s.doc.Findings[0].Message = "another message"
	if out = s.must(); out.Removed != 1 || out.Edited != 1 || out.Posted != 0 || len(s.server.Comments) != 1 || out.Summary != "updated" {
		t.Errorf("%+v", out)
	}
	if len(s.server.Reviews) != 1 || !strings.Contains(s.server.Reviews[0].Body, "1 finding on lines") {
		t.Errorf("the review's text: %s", s.server.Reviews[0].Body)
	}

	// All is fixed.
	s.doc.Findings = nil
	if out = s.must(); out.Removed != 1 || len(s.server.Comments) != 0 || !strings.Contains(s.server.Notes[0].Body, "No findings.") {
		t.Errorf("%+v %s", out, s.server.Notes[0].Body)
	}
}

func TestForeignCommentsStay(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.must()
	mark := s.server.Comments[0].Body
	line := 3
	for _, u := range []githubtest.User{{Login: "mallory", Type: "User"}} {
		s.server.Comments = append(s.server.Comments, &githubtest.Comment{ID: 1, Path: "a.yaml", Body: mark, Line: &line, Side: "RIGHT", User: u})
		s.server.Notes = append([]*githubtest.Note{{ID: 2, Body: summaryMark, User: u}}, s.server.Notes...)
		s.server.Reviews = append(s.server.Reviews, &githubtest.Review{ID: 3, Body: reviewMark, User: u})
	}
	s.doc.Findings = nil
	s.must()
	if len(s.server.Comments) != 1 || s.server.Comments[0].ID != 1 || s.server.Notes[0].Body != summaryMark || s.server.Reviews[1].Body != reviewMark {
		t.Error("what somebody else wrote was changed")
	}

	// With a token of a person, bots are others.
	s = newScene(t)
	s.server.Login = "olivia"
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.server.Comments = []*githubtest.Comment{{ID: 1, Path: "a.yaml", Body: mark, Line: &line, Side: "RIGHT", User: githubtest.User{Login: "github-actions[bot]", Type: "Bot"}}}
	s.must()
	s.must()
	if len(s.server.Comments) != 2 || s.server.Comments[1].User.Login != "olivia" {
		t.Errorf("%d comments", len(s.server.Comments))
	}
}

func TestAnsweredCommentsStay(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.find("second", "a.yaml", 3)
	s.must()
	for _, c := range slices.Clone(s.server.Comments) {
		s.server.Comments = append(s.server.Comments, &githubtest.Comment{ID: c.ID + 100, InReplyTo: c.ID, Body: "why?", Path: c.Path, Line: c.Line, User: githubtest.User{Login: "olivia", Type: "User"}})
	}
	// One finding is gone, the line of the other is outdated.
	s.doc.Findings = s.doc.Findings[1:]
	for _, c := range s.server.Comments {
		c.Line = nil
	}
	out := s.must()
	if out.Removed+out.Posted > 0 || out.Answered != 2 || len(s.server.Comments) != 4 {
		t.Errorf("%+v, %d comments", out, len(s.server.Comments))
	}
}

func TestOutdatedCommentsMove(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.must()
	old := s.server.Comments[0].ID
	s.server.Comments[0].Line = nil
	out := s.must()
	if out.Posted != 1 || out.Removed != 1 || len(s.server.Comments) != 1 || s.server.Comments[0].ID == old || len(s.server.Reviews) != 2 {
		t.Errorf("%+v", out)
	}
	if !strings.Contains(s.server.Reviews[0].Body, "later review replaces") {
		t.Errorf("the earlier review says %s", s.server.Reviews[0].Body)
	}
}

func TestPages(t *testing.T) {
	s := newScene(t)
	s.server.PerPage = 3
	for i := range 10 {
		s.file(fmt.Sprintf("f%d.yaml", i), tenLines, 1, 10)
		s.find("rule", fmt.Sprintf("f%d.yaml", i), 2)
	}
	if out := s.must(); out.Posted != 10 {
		t.Errorf("%+v", out)
	}
	s.doc.Findings = s.doc.Findings[:9]
	if out := s.must(); out.Kept != 9 || out.Removed != 1 || out.Posted != 0 {
		t.Errorf("%+v", out)
	}
}

func TestBatchesAndCap(t *testing.T) {
	s := newScene(t)
	var b strings.Builder
	for n := range 80 {
		fmt.Fprintf(&b, "k%d: 1\n", n)
	}
	s.file("a.yaml", b.String(), 1, 80)
	for n := range 80 {
		s.find(fmt.Sprintf("rule-%d", n), "a.yaml", n+1)
	}
	s.doc.Findings[79].Severity = "error"
	out := s.must()
	if out.Posted != DefaultComments || out.Body != 30 || len(s.server.Reviews) != 2 {
		t.Errorf("%+v, %d reviews", out, len(s.server.Reviews))
	}
	if !slices.ContainsFunc(s.server.Comments, func(c *githubtest.Comment) bool { return strings.Contains(c.Body, "rule-79") }) {
		t.Error("the error is not among the comments")
	}
	before := len(s.server.Requests())
	if out = s.must(); out.Kept != DefaultComments || len(s.server.Requests()) != before {
		t.Errorf("%+v, %v", out, s.server.Requests()[before:])
	}
}

func TestDenied(t *testing.T) {
	for name, setup := range map[string]func(*githubtest.Server){
		"fork":    func(s *githubtest.Server) { s.ReadOnly = true },
		"private": func(s *githubtest.Server) { s.Private = true },
	} {
		s := newScene(t)
		setup(s.server)
		s.file("a.yaml", tenLines, 1, 10)
		s.find("first", "a.yaml", 2)
		_, err := s.run()
		if !errors.Is(err, ErrDenied) {
			t.Errorf("%s: %v", name, err)
		}
		if len(s.server.Comments)+len(s.server.Reviews)+len(s.server.Notes) > 0 {
			t.Errorf("%s: something was posted", name)
		}
		if strings.Contains(fmt.Sprint(err), githubtest.Token) {
			t.Error("the token is in the error")
		}
	}
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.review.Access = Access{}
	if _, err := s.review.Post(context.Background()); err == nil || !strings.Contains(err.Error(), "no token") {
		t.Errorf("no token: %v", err)
	}
}

// refuseOnce answers the next matching request with a code.
func refuseOnce(s *githubtest.Server, method string, times, code int, header map[string]string, body string) {
	s.Fail = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != method || times == 0 {
			return false
		}
		times--
		for k, v := range header {
			w.Header().Set(k, v)
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(body))
		return true
	}
}

func TestLimits(t *testing.T) {
	const secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
	at := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name   string
		method string
		times  int
		code   int
		header map[string]string
		body   string
		slept  time.Duration
		fails  bool
	}{
		{"retry after", "POST", 1, 403, map[string]string{"Retry-After": "7"}, secondary, 7 * time.Second, false},
		{"secondary without a time", "POST", 2, 403, nil, secondary, 60*time.Second + 120*time.Second, false},
		{"primary", "GET", 1, 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(at.Unix() + 90)}, `{"message":"API rate limit exceeded"}`, 91 * time.Second, false},
		{"429", "GET", 1, 429, map[string]string{"Retry-After": "3"}, `{}`, 3 * time.Second, false},
		{"primary far away", "GET", 9, 403, map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": fmt.Sprint(at.Unix() + 3600)}, `{"message":"API rate limit exceeded"}`, 0, true},
		{"for ever", "POST", 99, 403, nil, secondary, 60*time.Second + 120*time.Second + 240*time.Second, true},
		{"server error on reading", "GET", 2, 502, nil, "<html>", 3 * time.Second, false},
		{"server error on writing", "POST", 1, 502, nil, "<html>", 0, true},
	} {
		s := newScene(t)
		s.file("a.yaml", tenLines, 1, 10)
		s.find("first", "a.yaml", 2)
		s.review.Summary = false
		refuseOnce(s.server, c.method, c.times, c.code, c.header, c.body)
		_, err := s.run()
		if (err != nil) != c.fails {
			t.Errorf("%s: %v", c.name, err)
		}
		if errors.Is(err, ErrDenied) {
			t.Errorf("%s is taken for a missing right: %v", c.name, err)
		}
		var slept time.Duration
		for _, d := range s.slept {
			if c.method == http.MethodGet && !c.fails && c.times > 1 || d != writePause {
				slept += d
			}
		}
		if slept != c.slept {
			t.Errorf("%s: waited %v, want %s", c.name, s.slept, c.slept)
		}
		want := 1
		if c.fails {
			want = 0
		}
		if len(s.server.Comments) != want {
			t.Errorf("%s: %d comments", c.name, len(s.server.Comments))
		}
	}
}

func TestWritesAreApart(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.must()
	if !slices.Contains(s.slept, writePause) {
		t.Errorf("slept %v between review and summary", s.slept)
	}
}

// TestRefusedLines has GitHub know less of a diff than it said.
func TestRefusedLines(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.find("second", "a.yaml", 9)
	patch := s.server.Files[0].Patch
	s.server.Fail = func(_ http.ResponseWriter, r *http.Request) bool {
		// The diff shrinks after it was listed.
		s.server.Files[0].Patch = patch
		if r.Method != http.MethodGet {
			s.server.Files[0].Patch = patchOf(tenLines, 1, 5)
		}
		return false
	}
	for range 2 {
		out := s.must()
		if len(s.server.Comments) != 1 || len(s.server.Reviews) != 1 || out.Body != 1 || !strings.Contains(s.server.Reviews[0].Body, "second") {
			t.Fatalf("%+v, %d comments, %d reviews", out, len(s.server.Comments), len(s.server.Reviews))
		}
	}
}

// TestLinesThatAreNotThere takes a report that names more lines than there are.
func TestLinesThatAreNotThere(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2).End.Line = 1 << 28
	s.find("second", "a.yaml", 1<<28)
	if out := s.must(); out.Posted != 1 || *s.server.Comments[0].Line != 2 || out.Body != 1 {
		t.Errorf("%+v", out)
	}
}

func TestMovedOn(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.server.Head = strings.Repeat("b", 40)
	if out := s.must(); !strings.Contains(out.Skipped, "newer commit") || len(s.server.Comments) > 0 {
		t.Errorf("%+v", out)
	}
	s.review.Head = s.server.Head
	s.server.State = "closed"
	if out := s.must(); !strings.Contains(out.Skipped, "closed") || len(s.server.Comments) > 0 {
		t.Errorf("%+v", out)
	}
	// It moves while the lists are read.
	s.server.State = "open"
	s.server.Fail = func(_ http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/reviews") {
			s.server.Head = strings.Repeat("c", 40)
		}
		return false
	}
	if out := s.must(); out.Skipped == "" || len(s.server.Comments) > 0 {
		t.Errorf("%+v", out)
	}
}

// TestMergeCommit checks a file that differs from the head, as a merge commit's does.
func TestMergeCommit(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 2, 6)
	// The base added two lines above and changed line 5.
	merged := "x: 1\ny: 1\n" + strings.Replace(tenLines, "l5: 5", "l5: 50", 1)
	if err := os.WriteFile(filepath.Join(s.root, "a.yaml"), []byte(merged), 0o644); err != nil {
		t.Fatal(err)
	}
	s.server.Blobs[s.server.Files[0].SHA] = tenLines
	at := strings.Index(merged, "2\nl3")
	s.find("first", "a.yaml", 4, edit("a.yaml", at, at+1, "20"))
	at = strings.Index(merged, "50")
	s.find("changed", "a.yaml", 7, edit("a.yaml", at, at+2, "5"))
	out := s.must()
	if out.Posted != 1 || out.Body != 1 {
		t.Fatalf("%+v", out)
	}
	c := s.server.Comments[0]
	if *c.Line != 2 || !strings.Contains(c.Body, "```suggestion\nl2: 20\n```") {
		t.Errorf("line %d:\n%s", *c.Line, c.Body)
	}

	// A content that cannot be had, or is another one, leaves only the text of the review.
	for _, blob := range []string{"", "other"} {
		s.server.Comments, s.server.Reviews, s.server.Notes = nil, nil, nil
		s.server.Blobs = map[string]string{s.server.Files[0].SHA: blob}
		if out := s.must(); out.Posted != 0 || out.Body != 2 {
			t.Errorf("%+v", out)
		}
	}
}

func TestFilesWithoutLines(t *testing.T) {
	s := newScene(t)
	s.file("big.yaml", tenLines, 1, 10)
	s.file("gone.yaml", tenLines, 1, 10)
	s.file("odd.yaml", tenLines, 1, 10)
	s.file("renamed.yaml", tenLines, 1, 10)
	s.server.Files[0].Patch = ""
	s.server.Files[1].Status = "removed"
	s.server.Files[2].Patch = "Binary files differ"
	s.server.Files[3].Status = "renamed"
	if err := os.Remove(filepath.Join(s.root, "gone.yaml")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"big.yaml", "gone.yaml", "odd.yaml", "renamed.yaml"} {
		s.find("rule", name, 2)
	}
	s.server.Changed = 3001
	out := s.must()
	if out.Posted != 1 || out.Body != 3 || len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "GitHub lists 4 of 3001 changed files") {
		t.Errorf("%+v", out)
	}
}

func TestManyFiles(t *testing.T) {
	s := newScene(t)
	for i := range 3100 {
		s.server.Files = append(s.server.Files, githubtest.File{Filename: fmt.Sprintf("f%04d.txt", i), Status: "added", SHA: strings.Repeat("0", 40), Patch: "@@ -0,0 +1 @@\n+x"})
	}
	s.server.Files = slices.Insert(s.server.Files, 2500, githubtest.File{})
	s.server.Files = s.server.Files[:2500]
	s.file("a.yaml", tenLines, 1, 10)
	for i := range 600 {
		s.server.Files = append(s.server.Files, githubtest.File{Filename: fmt.Sprintf("g%04d.txt", i), Status: "added", SHA: strings.Repeat("0", 40), Patch: "@@ -0,0 +1 @@\n+x"})
	}
	s.find("first", "a.yaml", 2)
	if out := s.must(); out.Posted != 1 || len(out.Notes) != 1 {
		t.Errorf("%+v", out)
	}
}

func TestEnterprise(t *testing.T) {
	s := newScene(t)
	s.server.Prefix = "/api/v3"
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	if out := s.must(); out.Posted != 1 {
		t.Errorf("%+v", out)
	}
}

// TestTokenStaysAtItsHost follows no redirect to another host.
func TestTokenStaysAtItsHost(t *testing.T) {
	s := newScene(t)
	thief := 0
	other := githubtest.New(t)
	other.Fail = func(http.ResponseWriter, *http.Request) bool { thief++; return false }
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.server.Fail = func(w http.ResponseWriter, r *http.Request) bool {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	}
	_, err := s.run()
	if err == nil || thief > 0 {
		t.Errorf("%d requests at another host, %v", thief, err)
	}
	if strings.Contains(fmt.Sprint(err), githubtest.Token) {
		t.Error("the token is in the error")
	}
}

func TestDryRun(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	s.find("first", "a.yaml", 2)
	s.review.DryRun = true
	if out := s.must(); out.Posted != 1 || len(s.server.Requests()) > 0 {
		t.Errorf("%+v %v", out, s.server.Requests())
	}
}

// TestHostileTexts puts everything that acts in Markdown into every text.
func TestHostileTexts(t *testing.T) {
	const evil = "x\n::set-output name=a::b\n```suggestion\nrm -rf\n```\n<!-- agentlint comment v1 00000000000000000000000000000000 -->\n<img src=x onerror=alert(1)> @everyone [x](javascript:1) `c` | #1"
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	f := s.find("first", "a.yaml", 2, report.DocumentFix{Title: evil, Question: evil, Safety: "unsafe", Edits: []report.DocumentEdit{{File: "a.yaml", Start: 10, End: 11, Text: "`````"}}})
	f.Message, f.Rule, f.URL, f.Severity, f.Fingerprint = evil, evil, "https://x/)"+evil, "error", evil
	f.Figures = []model.Figure{{Name: evil, Unit: evil, Formula: evil}}
	f.Related = append(f.Related, f.Related...)
	g := s.find("second", "../../../etc/passwd", 1)
	g.Message = evil
	s.find("third", "/etc/passwd", 1)
	s.find("fourth", strings.Repeat("../", 9)+"a.yaml", 2)
	s.find("fifth", evil, 2)
	one := 1.0
	s.doc.Since = &report.Changes{Rev: evil, Figures: []report.FigureChange{{Stack: evil, Name: evil, Unit: evil, After: &one}}, Fixed: []report.ChangedPlace{{Rule: evil, File: evil, Message: evil}},
		Diagrams: []report.Diagram{{Stack: evil, After: "flowchart LR\n```\n<b>\n"}}}
	out := s.must()
	if out.Posted != 1 || out.Body != 4 {
		t.Fatalf("%+v", out)
	}
	body := s.server.Comments[0].Body
	if !strings.Contains(body, "``````suggestion\nl2: `````\n``````\n") {
		t.Errorf("the fence is no longer than the text:\n%s", body)
	}
	for _, text := range []string{body, s.server.Reviews[0].Body, s.server.Notes[0].Body} {
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "::") || strings.HasPrefix(line, "```suggestion") {
				t.Errorf("a line acts: %s", line)
			}
		}
		for _, bad := range []string{"<img", "@everyone", "[x](", "rm -rf\n"} {
			if i := strings.Index(text, bad); i >= 0 && !strings.Contains(text[max(0, i-200):i], "`") {
				t.Errorf("holds %q:\n%s", bad, text)
			}
		}
		if n := strings.Count(text, "\n<!--"); n != 1 {
			t.Errorf("%d marks:\n%s", n, text)
		}
	}
	if strings.Count(s.server.Notes[0].Body, "\n```") != 2 {
		t.Errorf("the diagram left its fence:\n%s", s.server.Notes[0].Body)
	}
	if out = s.must(); out.Kept != 1 || out.Summary != "kept" {
		t.Errorf("%+v", out)
	}
}

func TestLongTexts(t *testing.T) {
	s := newScene(t)
	s.file("a.yaml", tenLines, 1, 10)
	long := strings.Repeat("ü*", 100_000)
	s.find("first", "a.yaml", 2).Message = long
	for i := range 40 {
		s.find(fmt.Sprint("out", i), "b.yaml", 2).Message = long
	}
	s.doc.Since = &report.Changes{Rev: "main", Still: []report.ChangedPlace{{Message: long}}}
	s.must()
}

// TestSecretsAreNotSuggested keeps lines with secrets out of comments.
func TestSecretsAreNotSuggested(t *testing.T) {
	const text = "general_settings:\n  master_key: sk-live-0123456789abcdef\n  x: 1\n"
	s := newScene(t)
	s.file("a.yaml", text, 1, 3)
	at := strings.Index(text, "master_key")
	s.find("first", "a.yaml", 2, edit("a.yaml", at, at+10, "salt_key"))
	s.find("second", "a.yaml", 3, edit("a.yaml", strings.Index(text, "x: 1"), len(text)-1, "y: sk-live-0123456789abcdef"))
	s.find("third", "a.yaml", 3).Message = "master_key: sk-live-0123456789abcdef"
	s.must()
	for _, b := range []string{s.server.Comments[0].Body, s.server.Comments[1].Body, s.server.Comments[2].Body, s.server.Notes[0].Body} {
		if strings.Contains(b, "0123456789abcdef ") || strings.Contains(b, "sk-live-0123456789abcdef") {
			t.Errorf("a secret:\n%s", b)
		}
	}
}

func TestSuggestions(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		edit        [3]any // start text, old, new
		line        int
		first, last int
		want        string
		none        bool
	}{
		{"a value", "a: 1\nb: 2\n", [3]any{"b: 2", "2", "3"}, 2, 2, 2, "```suggestion\nb: 3\n```\n", false},
		{"CRLF stays", "a: 1\r\nb: 2\r\n", [3]any{"b: 2", "2", "3"}, 2, 2, 2, "```suggestion\nb: 3\r\n```\n", false},
		{"a line goes", "a: 1\nb: 2\nc: 3\n", [3]any{"b: 2\n", "b: 2\n", ""}, 2, 2, 2, "```suggestion\n```\n", false},
		{"the last line goes", "a: 1\nb: 2", [3]any{"\nb: 2", "\nb: 2", ""}, 2, 1, 2, "```suggestion\na: 1\n```\n", false},
		{"a line comes", "a: 1\nb: 2\n", [3]any{"b: 2", "", "x: 9\n"}, 2, 2, 2, "```suggestion\nx: 9\nb: 2\n```\n", false},
		{"a line comes at the end", "a: 1\nb: 2\n", [3]any{"", "", ""}, 2, 2, 2, "```suggestion\nb: 2\nc: 3\n```\n", false},
		{"the finding's line belongs to it", "a: 1\nb: 2\nc: 3\n", [3]any{"c: 3", "3", "4"}, 1, 1, 3, "```suggestion\na: 1\nb: 2\nc: 4\n```\n", false},
		{"no final line end", "a: 1\nb: 2", [3]any{"b: 2", "2", "3"}, 2, 2, 2, "```suggestion\nb: 3\n```\n", false},
		{"several lines", "a: 1\nb:\n  c: 1\n  d: 2\ne: 3\n", [3]any{"b:\n", "b:\n  c: 1\n  d: 2\n", "b: {}\n"}, 2, 2, 4, "```suggestion\nb: {}\n```\n", false},
		{"nothing changes", "a: 1\n", [3]any{"1", "1", "1"}, 1, 0, 0, "", true},
		{"a NUL", "a: 1\x00\n", [3]any{"1", "1", "2"}, 1, 0, 0, "", true},
	} {
		at := strings.Index(c.text, c.edit[0].(string))
		start, end, text := at, at, c.edit[2].(string)
		if c.name == "a line comes at the end" {
			start, end, text = len(c.text), len(c.text), "c: 3\n"
		} else {
			start = at + strings.Index(c.text[at:], c.edit[1].(string))
			end = start + len(c.edit[1].(string))
		}
		got, ok := suggest([]byte(c.text), editsOf(start, end, text), c.line)
		if ok == c.none {
			t.Errorf("%s: %v", c.name, ok)
			continue
		}
		if ok && (got.first != c.first || got.last != c.last || got.block() != c.want) {
			t.Errorf("%s: lines %d to %d, %q", c.name, got.first, got.last, got.block())
		}
	}
	if _, ok := suggest([]byte("a: 1\n"), editsOf(3, 99, "x"), 1); ok {
		t.Error("an edit outside the file was taken")
	}
	if _, ok := suggest([]byte("a: 1\n"), editsOf(3, 2, "x"), 1); ok {
		t.Error("an edit that ends before it starts was taken")
	}
}
