package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	api "github.com/google/go-github/v62/github"

	"agentlint/internal/model"
	"agentlint/internal/report"
)

// The bounds of one review.
const (
	// batchSize is how many comments one review carries.
	batchSize = 30
	// DefaultComments is how many comments a pull request has at most.
	DefaultComments = 50
)

// Review is what is to be said about a pull request.
type Review struct {
	Access
	// Number is that of the pull request. Head is the commit that was checked, "" for whichever is newest.
	Number int
	Head   string
	// Document has the findings. Its paths start at Prefix below Root, the top of the working copy.
	Document *report.Document
	Root     string
	Prefix   string
	// Level is the mildest severity that is commented, MaxComments the most comments at a time.
	Level       model.Severity
	MaxComments int
	// Summary keeps one comment with the figures before and after.
	Summary bool
	// DryRun reads and plans, and changes nothing.
	DryRun bool
}

// Outcome is what a review did.
type Outcome struct {
	// Posted, Edited, Removed and Kept count comments; Body counts findings that stand in the review's text.
	Posted, Edited, Removed, Kept, Body int
	// Answered are comments that stay although their finding is gone or moved, because somebody answered.
	Answered int
	Summary  string // "", "written", "updated" or "kept"
	// Skipped says why nothing was done: the pull request moved on or is closed.
	Skipped string
	// Notes are what a reader of the log should know.
	Notes []string
}

// Line says in one line what was done.
func (o *Outcome) Line() string {
	if o.Skipped != "" {
		return "no review: " + o.Skipped
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(o.Posted, "posted")
	add(o.Edited, "changed")
	add(o.Removed, "removed")
	add(o.Kept, "kept")
	add(o.Answered, "left because they were answered")
	s := "review comments: none"
	if len(parts) > 0 {
		s = "review comments: " + strings.Join(parts, ", ")
	}
	if o.Body > 0 {
		s += fmt.Sprintf("; %s in the review's text", count(o.Body, "finding"))
	}
	if o.Summary != "" {
		s += "; summary " + o.Summary
	}
	return s
}

// state is what the pull request holds of this program's doing.
type state struct {
	comments []*api.PullRequestComment
	answered map[int64]bool
	reviews  []*api.PullRequestReview
	summary  *api.IssueComment
}

// Post brings the pull request in step with the findings. It returns [ErrDenied] in the chain when the token may not
// write; nothing was changed then.
func (r *Review) Post(ctx context.Context) (*Outcome, error) {
	c, err := r.client()
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return nil, fmt.Errorf("working copy: %w", err)
	}
	defer root.Close()
	out := &Outcome{}
	head, changed, skipped, err := r.head(ctx, c)
	if err != nil {
		return nil, err
	}
	if skipped != "" {
		out.Skipped = skipped
		return out, nil
	}
	files, err := all(func(o api.ListOptions) ([]*api.CommitFile, *api.Response, error) {
		return c.PullRequests.ListFiles(ctx, c.owner, c.name, r.Number, &o)
	})
	if err != nil {
		return nil, plain("list the files of the pull request", err)
	}
	p := &placement{ctx: ctx, client: c, root: root, prefix: r.Prefix, diff: map[string]*api.CommitFile{}, files: map[string]*placedFile{}}
	if changed > len(files) {
		out.Notes = append(out.Notes, fmt.Sprintf("GitHub lists %d of %d changed files: findings in the others stand in the review's text", len(files), changed))
	}
	for _, f := range files {
		p.diff[f.GetFilename()] = f
	}
	st, err := r.read(ctx, c)
	if err != nil {
		return nil, err
	}
	list := r.shown()
	w := &work{Review: r, client: c, ctx: ctx, out: out, head: head, place: p}
	w.plan(st, list)
	if r.DryRun {
		w.count()
		return out, nil
	}
	// The pull request may have moved on while this was read; an unchanged answer costs nothing.
	if _, _, skipped, err := r.head(ctx, c); err != nil || skipped != "" {
		out.Skipped = skipped
		return out, err
	}
	return out, w.apply(st, list)
}

// head returns the commit to comment on and the number of changed files, or why there is nothing to do.
func (r *Review) head(ctx context.Context, c *client) (head string, files int, skipped string, err error) {
	pr, _, err := c.PullRequests.Get(ctx, c.owner, c.name, r.Number)
	if err != nil {
		return "", 0, "", plain("read the pull request", err)
	}
	head = pr.GetHead().GetSHA()
	switch {
	case pr.GetState() == "closed":
		return "", 0, "the pull request is closed", nil
	case r.Head != "" && head != r.Head:
		return "", 0, "the pull request has a newer commit, whose own run reviews it", nil
	}
	return head, pr.GetChangedFiles(), "", nil
}

// shown returns the findings to speak of, the most severe first.
func (r *Review) shown() []*report.DocumentFinding {
	var list []*report.DocumentFinding
	for i := range r.Document.Findings {
		f := &r.Document.Findings[i]
		if s, ok := model.ParseSeverity(f.Severity); ok && s >= r.Level {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b *report.DocumentFinding) int {
		x, _ := model.ParseSeverity(a.Severity)
		y, _ := model.ParseSeverity(b.Severity)
		return cmp.Compare(y, x)
	})
	return list
}

// read finds this program's earlier comments on all pages.
func (r *Review) read(ctx context.Context, c *client) (*state, error) {
	s := &state{answered: map[int64]bool{}}
	comments, err := all(func(o api.ListOptions) ([]*api.PullRequestComment, *api.Response, error) {
		return c.PullRequests.ListComments(ctx, c.owner, c.name, r.Number, &api.PullRequestListCommentsOptions{ListOptions: o})
	})
	if err != nil {
		return nil, plain("list the comments of the pull request", err)
	}
	reviews, err := all(func(o api.ListOptions) ([]*api.PullRequestReview, *api.Response, error) {
		return c.PullRequests.ListReviews(ctx, c.owner, c.name, r.Number, &o)
	})
	if err != nil {
		return nil, plain("list the reviews of the pull request", err)
	}
	var notes []*api.IssueComment
	if r.Summary {
		notes, err = all(func(o api.ListOptions) ([]*api.IssueComment, *api.Response, error) {
			return c.Issues.ListComments(ctx, c.owner, c.name, r.Number, &api.IssueListCommentsOptions{ListOptions: o})
		})
		if err != nil {
			return nil, plain("list the comments of the pull request", err)
		}
	}
	own := r.owner(ctx, c)
	for _, x := range comments {
		if to := x.GetInReplyTo(); to != 0 {
			s.answered[to] = true
		} else if markedKey(x.GetBody()) != "" && own(x.GetUser()) {
			s.comments = append(s.comments, x)
		}
	}
	for _, x := range reviews {
		if marked(x.GetBody(), reviewMark) && own(x.GetUser()) {
			s.reviews = append(s.reviews, x)
		}
	}
	for _, x := range notes {
		if s.summary == nil && marked(x.GetBody(), summaryMark) && own(x.GetUser()) {
			s.summary = x
		}
	}
	return s, nil
}

// owner returns a test for the user that the token stands for: anybody can write our marks, and what a person wrote is
// not ours to change. The token of a job cannot ask who it is; it is a bot, and so is the author of its comments.
func (r *Review) owner(ctx context.Context, c *client) func(*api.User) bool {
	login, asked := "", false
	return func(u *api.User) bool {
		if !asked {
			asked = true
			if me, _, err := c.Users.Get(ctx, ""); err == nil {
				login = me.GetLogin()
			}
		}
		if login != "" {
			return u.GetLogin() == login
		}
		return u.GetType() == "Bot"
	}
}

// work is one run.
type work struct {
	*Review
	client *client
	ctx    context.Context
	out    *Outcome
	head   string
	place  *placement

	post    []*desired
	edit    []edited
	remove  []int64
	outside []*report.DocumentFinding
	// commented is the number of findings that have a comment in the end.
	commented int
	// wrote is set by the first change: a token that was denied one before has changed nothing.
	wrote bool
}

type edited struct {
	id   int64
	body string
}

// plan compares what is there with what should be.
func (w *work) plan(st *state, list []*report.DocumentFinding) {
	limit := w.MaxComments
	if limit <= 0 {
		limit = DefaultComments
	}
	have := map[string]*api.PullRequestComment{}
	used := map[int64]bool{}
	for _, x := range st.comments {
		key := markedKey(x.GetBody())
		old := have[key]
		// Of two for one finding, the one that is answered or still on its line stays.
		if old == nil || !st.answered[old.GetID()] && (st.answered[x.GetID()] || old.GetLine() == 0 && x.GetLine() != 0) {
			have[key] = x
		}
	}
	seen := map[string]bool{}
	for _, f := range list {
		d, ok := w.place.place(f)
		if !ok {
			if w.commented < limit && w.keepAnswered(f, have, used, st) {
				continue
			}
			w.outside = append(w.outside, f)
			continue
		}
		if seen[d.key] {
			continue
		}
		seen[d.key] = true
		if w.commented >= limit {
			w.outside = append(w.outside, f)
			continue
		}
		w.commented++
		x := have[d.key]
		switch {
		case x == nil:
			w.post = append(w.post, d)
			continue
		case x.GetLine() == d.last && startOf(x) == d.first && x.GetPath() == d.path:
			if sameBody(x.GetBody(), d.body) {
				w.out.Kept++
			} else {
				w.edit = append(w.edit, edited{x.GetID(), d.body})
			}
		case st.answered[x.GetID()]:
			// The conversation is there, on whatever line.
			w.out.Answered++
		default:
			w.post = append(w.post, d)
			continue // the old one is removed below
		}
		used[x.GetID()] = true
	}
	for _, x := range st.comments {
		switch id := x.GetID(); {
		case used[id]:
		case st.answered[id]:
			w.out.Answered++
		default:
			w.remove = append(w.remove, id)
		}
	}
}

// keepAnswered reports whether a finding that no line can hold any more has a comment that was answered.
func (w *work) keepAnswered(f *report.DocumentFinding, have map[string]*api.PullRequestComment, used map[int64]bool, st *state) bool {
	name, ok := w.place.path(f.File)
	if !ok {
		return false
	}
	x := have[keyOf(name, f.Fingerprint)]
	if x == nil || !st.answered[x.GetID()] || used[x.GetID()] {
		return false
	}
	used[x.GetID()] = true
	w.commented++
	w.out.Answered++
	return true
}

// startOf is the first line of a comment.
func startOf(x *api.PullRequestComment) int {
	if n := x.GetStartLine(); n > 0 {
		return n
	}
	return x.GetLine()
}

// count fills in what would be done.
func (w *work) count() {
	w.out.Posted, w.out.Edited, w.out.Removed, w.out.Body = len(w.post), len(w.edit), len(w.remove), len(w.outside)
}

// apply makes the changes: what is new first, so that a failure loses nothing.
func (w *work) apply(st *state, list []*report.DocumentFinding) error {
	if err := w.review(st); err != nil {
		return w.failed(err)
	}
	for _, e := range w.edit {
		_, _, err := w.client.PullRequests.EditComment(w.ctx, w.client.owner, w.client.name, e.id, &api.PullRequestComment{Body: &e.body})
		if gone(err) && w.wrote {
			continue
		}
		if err != nil {
			return w.failed(plain("change a comment", err))
		}
		w.wrote = true
		w.out.Edited++
	}
	for _, id := range w.remove {
		_, err := w.client.PullRequests.DeleteComment(w.ctx, w.client.owner, w.client.name, id)
		if gone(err) && w.wrote {
			continue
		}
		if err != nil {
			return w.failed(plain("remove a comment", err))
		}
		w.wrote = true
		w.out.Removed++
	}
	w.out.Body = len(w.outside)
	if w.Summary {
		return w.summarise(st, list)
	}
	return nil
}

// failed says of an error after the first change that some changes were made, and that it is no missing right.
func (w *work) failed(err error) error {
	if !w.wrote {
		return err
	}
	return fmt.Errorf("%s (before that: %s; the next run goes on)", err, w.out.Line())
}

// gone reports whether something is no longer there.
func gone(err error) bool {
	var answer *api.ErrorResponse
	return errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode == 404
}

// review posts the new comments in batches, and keeps the text of the newest review up to date.
func (w *work) review(st *state) error {
	var newest *api.PullRequestReview
	if n := len(st.reviews); n > 0 {
		newest = st.reviews[n-1]
	}
	var created *api.PullRequestReview
	body := w.place.reviewBody(w.commented, w.outside)
	for i := 0; i < len(w.post); i += batchSize {
		batch := w.post[i:min(i+batchSize, len(w.post))]
		text := body
		if created != nil {
			text = "agentlint, continued."
		}
		x, err := w.createReview(text, batch)
		switch {
		case refused(err):
			if err := w.oneByOne(batch); err != nil {
				return plain("post the review", err)
			}
		case err != nil:
			return plain("post the review", err)
		case created == nil:
			created = x
		}
	}
	// What GitHub refused has come into the text since.
	body = w.place.reviewBody(w.commented, w.outside)
	switch {
	case created == nil && newest == nil:
		if len(w.outside) == 0 {
			return nil
		}
		_, err := w.createReview(body, nil)
		return plain("post the review", err)
	case created == nil:
		return w.updateReview(newest, body)
	case newest != nil:
		if err := w.updateReview(newest, "agentlint: a later review replaces this one.\n\n"+reviewMark+"\n"); err != nil {
			w.out.Notes = append(w.out.Notes, err.Error())
		}
	}
	return w.updateReview(created, body)
}

// updateReview changes the text of a review that says something else.
func (w *work) updateReview(x *api.PullRequestReview, body string) error {
	if sameBody(x.GetBody(), body) {
		return nil
	}
	if _, _, err := w.client.PullRequests.UpdateReview(w.ctx, w.client.owner, w.client.name, w.Number, x.GetID(), body); err != nil {
		return plain("change the review", err)
	}
	w.wrote = true
	return nil
}

func (w *work) createReview(body string, batch []*desired) (*api.PullRequestReview, error) {
	req := &api.PullRequestReviewRequest{CommitID: &w.head, Body: &body, Event: api.String("COMMENT")}
	for _, d := range batch {
		c := &api.DraftReviewComment{Path: &d.path, Body: &d.body, Line: api.Int(d.last), Side: api.String("RIGHT")}
		if d.first < d.last {
			c.StartLine, c.StartSide = api.Int(d.first), api.String("RIGHT")
		}
		req.Comments = append(req.Comments, c)
	}
	x, _, err := w.client.PullRequests.CreateReview(w.ctx, w.client.owner, w.client.name, w.Number, req)
	if err != nil {
		return nil, err
	}
	w.wrote = true
	w.out.Posted += len(batch)
	return x, nil
}

// oneByOne posts comments by themselves where GitHub refused a review as a whole because of one of them. What it
// refuses again goes into the text of the review.
func (w *work) oneByOne(batch []*desired) error {
	for _, d := range batch {
		c := &api.PullRequestComment{CommitID: &w.head, Path: &d.path, Body: &d.body, Line: api.Int(d.last), Side: api.String("RIGHT")}
		if d.first < d.last {
			c.StartLine, c.StartSide = api.Int(d.first), api.String("RIGHT")
		}
		_, _, err := w.client.PullRequests.CreateComment(w.ctx, w.client.owner, w.client.name, w.Number, c)
		switch {
		case refused(err):
			w.out.Notes = append(w.out.Notes, fmt.Sprintf("GitHub takes no comment on %s:%d", d.path, d.last))
			w.outside = append(w.outside, d.finding)
			w.commented--
		case err != nil:
			return err
		default:
			w.wrote = true
			w.out.Posted++
		}
	}
	return nil
}

// summarise keeps the one summary.
func (w *work) summarise(st *state, list []*report.DocumentFinding) error {
	body := w.place.summaryBody(w.Document, list)
	c := w.client
	if st.summary == nil {
		s := w.Document.Since
		if len(list) == 0 && (s == nil || len(s.Fixed) == 0 && len(s.Figures) == 0 && len(s.Diagrams) == 0) {
			return nil
		}
		if _, _, err := c.Issues.CreateComment(w.ctx, c.owner, c.name, w.Number, &api.IssueComment{Body: &body}); err != nil {
			return w.failed(plain("write the summary", err))
		}
		w.wrote, w.out.Summary = true, "written"
		return nil
	}
	if sameBody(st.summary.GetBody(), body) {
		w.out.Summary = "kept"
		return nil
	}
	if _, _, err := c.Issues.EditComment(w.ctx, c.owner, c.name, st.summary.GetID(), &api.IssueComment{Body: &body}); err != nil {
		return w.failed(plain("change the summary", err))
	}
	w.wrote, w.out.Summary = true, "updated"
	return nil
}
