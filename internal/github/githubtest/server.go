// Package githubtest is a Server that behaves like the part of GitHub's REST interface that agentlint uses. Only tests use it.
package githubtest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"agentlint/internal/git"
)

// Token is the token that the Server takes.
const Token = "ghs_0123456789abcdefghijklmnopqrstuvwxyz"

// Repository has the pull request, whose number is 7.
const (
	Repository = "acme/gateway"
	Number     = 7
)

// The limits of GitHub.
const (
	maxBody  = 65_536
	maxBatch = 30 // agentlint's own
)

// Server answers like GitHub: in pages, with ETags, with 422 for lines outside the diff, with 403 for tokens that may
// only read, and with whatever Fail does.
type Server struct {
	t *testing.T
	// URL is the root of the interface.
	URL string

	mu sync.Mutex
	// Prefix stands in front of all paths: "/api/v3" of GitHub Enterprise Server.
	Prefix string
	// Head is the pull request's newest commit, State "open" or "closed".
	Head, State string
	// Changed is the number of changed files when it is not that of Files.
	Changed int
	Files   []File
	// Blobs are contents by their names.
	Blobs    map[string]string
	Comments []*Comment
	Reviews  []*Review
	Notes    []*Note
	// MergeBase is what a comparison answers, "" for 404.
	MergeBase string
	// Login is the token's user, "" for the token of a job, which may not ask who it is.
	Login string
	// ReadOnly is the token of a job for a fork; Private hides the repository from it.
	ReadOnly, Private bool
	PerPage           int
	// Log has the requests, NotModified the number of answers that the client had.
	Log         []string
	NotModified int
	// Fail answers a request instead of the server; it returns false for those that it lets through.
	Fail func(w http.ResponseWriter, r *http.Request) bool

	nextID int64
}

// The objects of the interface, as far as they are used.
type (
	User struct {
		Login string `json:"login"`
		Type  string `json:"type"`
	}
	File struct {
		SHA      string `json:"sha"`
		Filename string `json:"filename"`
		Status   string `json:"status"`
		Patch    string `json:"patch,omitempty"`
	}
	Comment struct {
		ID        int64  `json:"id"`
		Path      string `json:"path"`
		Body      string `json:"body"`
		Line      *int   `json:"line"`
		StartLine *int   `json:"start_line"`
		Side      string `json:"side"`
		InReplyTo int64  `json:"in_reply_to_id,omitempty"`
		CommitID  string `json:"commit_id"`
		User      User   `json:"user"`
	}
	Review struct {
		ID    int64  `json:"id"`
		Body  string `json:"body"`
		State string `json:"state"`
		User  User   `json:"user"`
	}
	Note struct {
		ID   int64  `json:"id"`
		Body string `json:"body"`
		User User   `json:"user"`
	}
)

// New returns a running server with an open pull request.
func New(t *testing.T) *Server {
	t.Helper()
	s := &Server{t: t, State: "open", Head: strings.Repeat("a", 40), PerPage: 100, nextID: 1000, Blobs: map[string]string{}}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.URL = h.URL
	return s
}

// Requests returns the requests so far that changed something.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []string
	for _, l := range s.Log {
		if !strings.HasPrefix(l, "GET ") {
			out = append(out, l)
		}
	}
	return out
}

func (s *Server) user() User {
	if s.Login != "" {
		return User{s.Login, "User"}
	}
	return User{"github-actions[bot]", "Bot"}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Log = append(s.Log, r.Method+" "+r.URL.Path)
	if r.Header.Get("Authorization") != "Bearer "+Token {
		s.answer(w, r, 401, map[string]string{"message": "Bad credentials"})
		return
	}
	if s.Fail != nil && s.Fail(w, r) {
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, s.Prefix)
	if !ok {
		s.answer(w, r, 404, map[string]string{"message": "Not Found"})
		return
	}
	if path == "/user" {
		if s.Login == "" {
			s.answer(w, r, 403, map[string]string{"message": "Resource not accessible by integration"})
			return
		}
		s.answer(w, r, 200, s.user())
		return
	}
	rest, ok := strings.CutPrefix(path, "/repos/"+Repository+"/")
	if !ok || s.Private {
		s.answer(w, r, 404, map[string]string{"message": "Not Found"})
		return
	}
	if r.Method != http.MethodGet && s.ReadOnly {
		s.answer(w, r, 403, map[string]string{"message": "Resource not accessible by integration", "documentation_url": "https://docs.github.com/rest"})
		return
	}
	switch method := r.Method; {
	case method == "GET" && rest == "pulls/7":
		changed := s.Changed
		if changed == 0 {
			changed = len(s.Files)
		}
		s.answer(w, r, 200, map[string]any{"number": 7, "state": s.State, "changed_files": changed, "head": map[string]string{"sha": s.Head}})
	case method == "GET" && rest == "pulls/7/files":
		page(s, w, r, s.Files[:min(3000, len(s.Files))])
	case method == "GET" && rest == "pulls/7/comments":
		page(s, w, r, s.Comments)
	case method == "GET" && rest == "pulls/7/reviews":
		page(s, w, r, s.Reviews)
	case method == "GET" && rest == "issues/7/comments":
		page(s, w, r, s.Notes)
	case method == "GET" && strings.HasPrefix(rest, "compare/"):
		if s.MergeBase == "" {
			s.answer(w, r, 404, map[string]string{"message": "Not Found"})
			return
		}
		s.answer(w, r, 200, map[string]any{"merge_base_commit": map[string]string{"sha": s.MergeBase}})
	case method == "GET" && strings.HasPrefix(rest, "git/blobs/"):
		if b, ok := s.Blobs[rest[len("git/blobs/"):]]; ok {
			_, _ = w.Write([]byte(b))
			return
		}
		s.answer(w, r, 404, map[string]string{"message": "Not Found"})
	case method == "POST" && rest == "pulls/7/reviews":
		s.createReview(w, r)
	case method == "PUT" && strings.HasPrefix(rest, "pulls/7/reviews/"):
		for _, x := range s.Reviews {
			if strconv.FormatInt(x.ID, 10) == rest[len("pulls/7/reviews/"):] {
				x.Body = s.body(r).Body
				s.answer(w, r, 200, x)
				return
			}
		}
		s.answer(w, r, 404, map[string]string{"message": "Not Found"})
	case method == "POST" && rest == "pulls/7/comments":
		c := s.body(r)
		if text := s.invalid(&c); text != "" {
			s.answer(w, r, 422, map[string]string{"message": text})
			return
		}
		c.ID, c.User = s.id(), s.user()
		s.Comments = append(s.Comments, &c)
		s.answer(w, r, 201, c)
	case strings.HasPrefix(rest, "pulls/comments/"):
		i := slices.IndexFunc(s.Comments, func(c *Comment) bool { return strconv.FormatInt(c.ID, 10) == rest[len("pulls/comments/"):] })
		switch {
		case i < 0:
			s.answer(w, r, 404, map[string]string{"message": "Not Found"})
		case method == "PATCH":
			s.Comments[i].Body = s.body(r).Body
			s.answer(w, r, 200, s.Comments[i])
		case method == "DELETE":
			s.Comments = slices.Delete(s.Comments, i, i+1)
			w.WriteHeader(204)
		}
	case method == "POST" && rest == "issues/7/comments":
		n := &Note{s.id(), s.body(r).Body, s.user()}
		s.Notes = append(s.Notes, n)
		s.answer(w, r, 201, n)
	case method == "PATCH" && strings.HasPrefix(rest, "issues/comments/"):
		for _, n := range s.Notes {
			if strconv.FormatInt(n.ID, 10) == rest[len("issues/comments/"):] {
				n.Body = s.body(r).Body
				s.answer(w, r, 200, n)
				return
			}
		}
		s.answer(w, r, 404, map[string]string{"message": "Not Found"})
	default:
		s.t.Errorf("unexpected request %s %s", method, r.URL)
		s.answer(w, r, 404, map[string]string{"message": "Not Found"})
	}
}

func (s *Server) id() int64 { s.nextID++; return s.nextID }

func (s *Server) body(r *http.Request) Comment {
	var c Comment
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		s.t.Errorf("body of %s %s: %v", r.Method, r.URL, err)
	}
	if len([]rune(c.Body)) > maxBody {
		s.t.Errorf("a body of %d characters", len([]rune(c.Body)))
	}
	return c
}

// invalid says why a comment is refused.
func (s *Server) invalid(c *Comment) string {
	if c.CommitID != "" && c.CommitID != s.Head {
		return "commit_id is not part of the pull request"
	}
	if c.Line == nil || c.Side != "RIGHT" {
		return "line is missing"
	}
	first := *c.Line
	if c.StartLine != nil {
		if first = *c.StartLine; first >= *c.Line {
			return "start_line must precede the end line"
		}
	}
	for _, f := range s.Files {
		if f.Filename != c.Path {
			continue
		}
		hunks, err := git.ParseHunks(f.Patch)
		if err != nil {
			s.t.Errorf("patch of %s: %v", f.Filename, err)
		}
		for i := range hunks {
			if hunks[i].Holds(first, *c.Line) {
				return ""
			}
		}
		return "pull_request_review_thread.line must be part of the diff"
	}
	return "pull_request_review_thread.path is invalid"
}

func (s *Server) createReview(w http.ResponseWriter, r *http.Request) {
	var in struct {
		CommitID string    `json:"commit_id"`
		Body     string    `json:"body"`
		Event    string    `json:"event"`
		Comments []Comment `json:"comments"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		s.t.Error(err)
	}
	if in.Event != "COMMENT" || in.Body == "" || in.CommitID != s.Head || len(in.Body) > maxBody {
		s.answer(w, r, 422, map[string]string{"message": "Unprocessable Entity"})
		return
	}
	if len(in.Comments) > maxBatch {
		s.t.Errorf("a review of %d comments", len(in.Comments))
	}
	for i := range in.Comments {
		if text := s.invalid(&in.Comments[i]); text != "" {
			s.answer(w, r, 422, map[string]any{"message": "Unprocessable Entity", "errors": []string{text}})
			return
		}
	}
	for i := range in.Comments {
		c := in.Comments[i]
		c.ID, c.User, c.CommitID = s.id(), s.user(), s.Head
		s.Comments = append(s.Comments, &c)
	}
	x := &Review{s.id(), in.Body, "COMMENTED", s.user()}
	s.Reviews = append(s.Reviews, x)
	s.answer(w, r, 200, x)
}

// answer writes JSON with an ETag, or 304 for one that the client has.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, code int, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		s.t.Error(err)
	}
	sum := sha256.Sum256(b)
	tag := `W/"` + hex.EncodeToString(sum[:8]) + `"`
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-RateLimit-Limit", "1000")
	w.Header().Set("X-RateLimit-Remaining", "900")
	if r.Method == http.MethodGet && code == 200 {
		w.Header().Set("ETag", tag)
		if r.Header.Get("If-None-Match") == tag {
			s.NotModified++
			w.WriteHeader(304)
			return
		}
	}
	w.WriteHeader(code)
	_, _ = w.Write(b)
}

// page answers one page of a list, with links to the others.
func page[T any](s *Server, w http.ResponseWriter, r *http.Request, list []T) {
	size := s.PerPage
	if n, err := strconv.Atoi(r.URL.Query().Get("per_page")); err == nil {
		size = min(size, n)
	}
	n, _ := strconv.Atoi(r.URL.Query().Get("page"))
	n = max(n, 1)
	from := min(len(list), (n-1)*size)
	to := min(len(list), from+size)
	if to < len(list) {
		next := *r.URL
		q := next.Query()
		q.Set("page", strconv.Itoa(n+1))
		next.RawQuery = q.Encode()
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s>; rel="next"`, r.Host, next.RequestURI()))
	}
	part := list[from:to]
	if part == nil {
		part = []T{}
	}
	s.answer(w, r, 200, part)
}
