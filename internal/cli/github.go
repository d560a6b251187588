package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"encoding/base64"

	"github.com/spf13/cobra"

	"agentlint/internal/git"
	"agentlint/internal/github"
	"agentlint/internal/model"
	"agentlint/internal/report"
)

// pull are the flags and variables that name a pull request.
type pull struct {
	event  string
	number int
}

func (p *pull) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.event, "event", "", "the `FILE` with the event (default $GITHUB_EVENT_PATH)")
	cmd.Flags().IntVar(&p.number, "pull-request", 0, "`NUMBER` of the pull request where the event names none")
}

func (a *app) githubCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "github",
		Short: "review a pull request from a job of GitHub Actions",
		Long: `github is what the action runs. It reads the variables that GitHub sets in a job (GITHUB_EVENT_PATH,
GITHUB_REPOSITORY, GITHUB_API_URL, ...) and the token in GITHUB_TOKEN, which goes to GitHub's host only
and is printed nowhere.`,
		Example: `  agentlint check --since "$(agentlint github base)" --output json=findings.json
  agentlint github review --findings findings.json`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.reviewCommand(), a.baseCommand(), a.diffCommand(), a.outputsCommand())
	return cmd
}

func (a *app) reviewCommand() *cobra.Command {
	var p pull
	var r reviewing
	cmd := &cobra.Command{
		Use:   "review",
		Short: "post findings as a review with suggestions, and keep it up to date",
		Long: `review posts the findings of a report (agentlint check --format json) as one review: comments on lines of
the diff with suggestions, and in its text what no line of the diff can hold. Run again, it keeps what is
unchanged, changes what says something else, and removes what is gone, unless somebody answered it.
One summary has the figures before and after when the report was made with --since.

A token that may only read, as in jobs for forks, gets annotations and the step's summary instead.

Exit code: 0 posted, or fallen back for want of rights; 2 wrong usage, an event or a report that cannot
be read, or GitHub out of reach.`,
		Example: `  agentlint check --since "$BASE" --output json=findings.json
  agentlint github review --findings findings.json --dry-run`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error { return a.review(&p, &r) },
	}
	p.register(cmd)
	f := cmd.Flags()
	f.StringVar(&r.findings, "findings", "", "the `FILE` with the report")
	f.StringVar(&r.level, "level", "warning", "mildest `SEVERITY` that is commented: error, warning, info or undecided")
	f.IntVar(&r.comments, "max-comments", github.DefaultComments, "the most comments at a time; the rest stands in the review's text")
	f.BoolVar(&r.summary, "summary", true, "keep one comment with what changed")
	f.BoolVar(&r.dryRun, "dry-run", false, "say what would be done")
	completeWords(cmd, "level", levels())
	return cmd
}

type reviewing struct {
	findings, level string
	comments        int
	summary, dryRun bool
}

// read returns the event that started the job, nil when there is no pull request in it and none was named.
func (a *app) readEvent(p *pull) (*github.Event, error) {
	name := p.event
	if name == "" {
		name = os.Getenv("GITHUB_EVENT_PATH")
	}
	e := &github.Event{Name: os.Getenv("GITHUB_EVENT_NAME"), Repository: os.Getenv("GITHUB_REPOSITORY")}
	switch {
	case p.number < 0:
		return nil, misuse("--pull-request %d: want a positive number", p.number)
	case name == "" && p.number == 0:
		return nil, misuse("no event: want --event FILE, GITHUB_EVENT_PATH or --pull-request NUMBER")
	case name != "":
		raw, err := readBounded(name)
		if err != nil {
			return nil, misuse("event %s: %s", name, reason(err))
		}
		if e, err = github.ParseEvent(e.Name, raw); err != nil {
			return nil, misuse("event %s: %s", name, err)
		}
	}
	if p.number > 0 && e.Number != p.number {
		e.Number = p.number
	}
	if e.Number == 0 {
		return nil, nil
	}
	return e, nil
}

// access returns how GitHub is reached.
func (a *app) access(e *github.Event) github.Access {
	api := os.Getenv("GITHUB_API_URL")
	if api == "" {
		api = "https://api.github.com"
	}
	repository := os.Getenv("GITHUB_REPOSITORY")
	if repository == "" {
		repository = e.Repository
	}
	return github.Access{Token: token(), URL: api, Repository: repository, Log: func(line string) { a.note("%s", line) }}
}

func token() string { return strings.TrimSpace(os.Getenv("GITHUB_TOKEN")) }

// hideToken takes the token out of a text, should anything ever have put it there.
func hideToken(err error) string {
	text := err.Error()
	if t := token(); len(t) > 3 {
		text = strings.ReplaceAll(text, t, "***")
	}
	return text
}

func (a *app) review(p *pull, r *reviewing) error {
	if r.findings == "" {
		return &usageError{text: "want --findings FILE", command: "agentlint github review"}
	}
	if err := oneOf("--level", r.level, levels()); err != nil {
		return err
	}
	level, _ := model.ParseSeverity(r.level)
	if r.comments < 1 || r.comments > 500 {
		return misuse("--max-comments %d: want 1 to 500", r.comments)
	}
	e, err := a.readEvent(p)
	if err != nil {
		return err
	}
	raw, err := readReport(r.findings)
	if err != nil {
		return misuse("--findings %s: %s", r.findings, reason(err))
	}
	doc, err := report.Decode(raw)
	if err != nil {
		return misuse("--findings %s: %s", r.findings, err)
	}
	if e == nil {
		a.note("no review: the event is that of no pull request")
		return nil
	}
	if token() == "" {
		return misuse("GITHUB_TOKEN is not set: the token of the job (github.token) posts the review")
	}
	root, folder := repositoryTop()
	w := github.Review{
		Access: a.access(e), Number: e.Number, Head: e.Head, Document: doc, Root: root, Prefix: folder,
		Level: level, MaxComments: r.comments, Summary: r.summary, DryRun: r.dryRun,
	}
	out, err := w.Post(a.ctx)
	switch {
	case errors.Is(err, github.ErrDenied):
		why := "the token may only read"
		if e.Fork() {
			why = "the pull request comes from a fork, whose jobs may only read"
		}
		a.note("no review: %s (%s); annotations and the summary of the step take its place", why, hideToken(err))
		return a.fallBack(doc, level, folder)
	case err != nil:
		a.note("the review is not complete: annotations take its place")
		if err := a.fallBack(doc, level, folder); err != nil {
			return err
		}
		return errors.New("review: " + hideToken(err))
	}
	for _, n := range out.Notes {
		a.note("%s", n)
	}
	_, err = fmt.Fprintln(a.Out, a.safe(out.Line()))
	return err
}

// fallBack says as annotations and in the step's summary what a review would have said.
func (a *app) fallBack(doc *report.Document, level model.Severity, folder string) error {
	if summary := os.Getenv("GITHUB_STEP_SUMMARY"); summary != "" {
		if err := appendSummary(summary, []byte(github.SummaryText(doc, level, folder))); err != nil {
			a.note("summary of the step: %s", reason(err))
		}
	}
	return report.WriteAnnotations(a.Out, doc, level, folder)
}

// maxReport bounds the report that is read.
const maxReport = 64 << 20

func readReport(name string) ([]byte, error) {
	st, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if st.Size() > maxReport {
		return nil, fmt.Errorf("larger than %d MiB", maxReport>>20)
	}
	return os.ReadFile(name)
}

// repositoryTop returns the nearest folder above the working directory with a .git, and the way from there to it.
func repositoryTop() (top, folder string) {
	cwd, err := os.Getwd()
	if err != nil {
		return ".", ""
	}
	for d := cwd; ; {
		if exists(filepath.Join(d, ".git")) {
			if rel, err := filepath.Rel(d, cwd); err == nil && rel != "." {
				return d, filepath.ToSlash(rel)
			}
			return d, ""
		}
		up := filepath.Dir(d)
		if up == d {
			return cwd, ""
		}
		d = up
	}
}

// repositoryFolder is the way from the top of the repository to the working directory.
func repositoryFolder() string {
	_, folder := repositoryTop()
	return folder
}

func (a *app) baseCommand() *cobra.Command {
	var p pull
	cmd := &cobra.Command{
		Use:   "base",
		Short: "print the commit that a pull request is compared with, and fetch it",
		Long: `base prints the commit to give to agentlint check --since, fetched where a shallow clone lacks it: of the
merge commit that a job checks out, the side of the base; else the newest commit that both have in
common. It prints nothing when there is none to be had, and says why on stderr.`,
		Example: `  agentlint github base
  agentlint check --since "$(agentlint github base)"`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := a.readEvent(&p)
			if err != nil {
				return err
			}
			if e == nil {
				a.note("no base: the event is that of no pull request")
				return nil
			}
			commit, err := a.baseOf(e)
			if err != nil {
				a.note("no base: %s", hideToken(err))
				return nil
			}
			_, err = fmt.Fprintln(a.Out, commit)
			return err
		},
	}
	p.register(cmd)
	return cmd
}

// baseOf finds the commit that a pull request is compared with, and fetches it if need be.
func (a *app) baseOf(e *github.Event) (string, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	repo, err := git.Open(a.ctx, cwd, inWorkspace(cwd))
	if err != nil {
		return "", err
	}
	defer repo.Close()
	head, err := repo.Commit(a.ctx, "HEAD")
	if err != nil {
		return "", err
	}
	base := ""
	if parents, err := repo.Parents(a.ctx, head); err == nil && len(parents) == 2 && parents[1] == e.Head {
		base = parents[0]
	}
	if base == "" && e.Base != "" {
		if id, err := repo.MergeBase(a.ctx, e.Base, head); err == nil {
			base = id
		}
	}
	access := a.access(e)
	if base == "" && e.Base != "" && access.Token != "" {
		if id, err := access.MergeBase(a.ctx, e.Base, head); err == nil {
			base = id
		}
	}
	if base == "" {
		return "", errors.New("neither the clone nor GitHub tells the commit that the pull request starts from")
	}
	if _, err := repo.Commit(a.ctx, base); err == nil {
		return base, nil
	}
	// The checkout may have left its credentials; the token of the job is tried where it has not.
	server := os.Getenv("GITHUB_SERVER_URL")
	err = repo.Fetch(a.ctx, "origin", base, "", "")
	if err != nil && access.Token != "" && server != "" {
		header := "AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+access.Token))
		err = repo.Fetch(a.ctx, "origin", base, strings.TrimSuffix(server, "/")+"/", header)
	}
	if err != nil {
		return "", fmt.Errorf("commit %s cannot be fetched: %w", base, err)
	}
	return repo.Commit(a.ctx, base)
}

func (a *app) diffCommand() *cobra.Command {
	var p pull
	cmd := &cobra.Command{
		Use:   "diff",
		Short: "print the diff of a pull request as GitHub lists it",
		Long:  `diff prints what agentlint check --changed-lines takes where the base commit cannot be had.`,
		Example: `  agentlint github diff >changes.diff
  agentlint check --changed-lines changes.diff`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			e, err := a.readEvent(&p)
			if err != nil {
				return err
			}
			if e == nil {
				return misuse("no diff: the event is that of no pull request")
			}
			access := a.access(e)
			if access.Token == "" {
				return misuse("GITHUB_TOKEN is not set")
			}
			text, err := access.Diff(a.ctx, e.Number)
			if err != nil {
				return errors.New("diff: " + hideToken(err))
			}
			_, err = a.Out.Write([]byte(text))
			return err
		},
	}
	p.register(cmd)
	return cmd
}

func (a *app) outputsCommand() *cobra.Command {
	var level string
	cmd := &cobra.Command{
		Use:   "outputs REPORT",
		Short: "print the counts of a report as outputs of a step",
		Example: `  agentlint github outputs findings.json
  agentlint github outputs findings.json --level info >>"$GITHUB_OUTPUT"`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf("--level", level, levels()); err != nil {
				return err
			}
			least, _ := model.ParseSeverity(level)
			raw, err := readReport(args[0])
			if err != nil {
				return misuse("%s: %s", args[0], reason(err))
			}
			doc, err := report.Decode(raw)
			if err != nil {
				return misuse("%s: %s", args[0], err)
			}
			counts := map[model.Severity]int{}
			findings := 0
			for _, f := range doc.Findings {
				if s, ok := model.ParseSeverity(f.Severity); ok {
					counts[s]++
					if s >= least {
						findings++
					}
				}
			}
			var b bytes.Buffer
			for _, x := range []struct {
				name string
				n    int
			}{{"findings", findings}, {"errors", counts[model.Error]}, {"warnings", counts[model.Warning]}} {
				b.WriteString(x.name + "=" + strconv.Itoa(x.n) + "\n")
			}
			_, err = a.Out.Write(b.Bytes())
			return err
		},
	}
	cmd.Flags().StringVar(&level, "level", "warning", "mildest `SEVERITY` that counts as a finding")
	completeWords(cmd, "level", levels())
	return cmd
}
