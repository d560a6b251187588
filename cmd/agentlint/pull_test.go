package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/github/githubtest"
)

// pullRequest is a real repository with a pull request, a job's checkout of its merge commit, and GitHub.
type pullRequest struct {
	t      *testing.T
	server *githubtest.Server
	// dir is the author's clone, checkout that of the job.
	dir, checkout string
	event         string
	env           []string
	fork          bool
}

func newPullRequest(t *testing.T, files map[string]string) *pullRequest {
	t.Helper()
	temp := t.TempDir()
	p := &pullRequest{t: t, server: githubtest.New(t), dir: filepath.Join(temp, "author"), event: filepath.Join(temp, "event.json")}
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.git("init", "-q", "-b", "main")
	p.git("config", "uploadpack.allowAnySHA1InWant", "true")
	p.write(files)
	p.commit("start")
	p.git("checkout", "-q", "-b", "feature")
	return p
}

func (p *pullRequest) run(dir, name string, args ...string) string {
	p.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid", "GIT_AUTHOR_DATE=2026-11-30T00:00:00Z", "GIT_COMMITTER_DATE=2026-11-30T00:00:00Z")
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%s %s: %v", name, strings.Join(args, " "), err)
	}
	return string(out)
}

func (p *pullRequest) git(args ...string) string {
	p.t.Helper()
	return strings.TrimSpace(p.run(p.dir, "git", args...))
}

func (p *pullRequest) write(files map[string]string) {
	p.t.Helper()
	for name, text := range files {
		full := filepath.Join(p.dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *pullRequest) commit(message string) {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", message)
}

// push makes what GitHub makes of a push to the branch: the merge commit, the list of changed files, the event, and a
// shallow checkout of the merge commit. Comments on lines that are no longer in the diff become outdated.
func (p *pullRequest) push() {
	p.t.Helper()
	head, base := p.git("rev-parse", "feature"), p.git("rev-parse", "main")
	p.git("checkout", "-q", "--detach", "main")
	p.git("merge", "-q", "--no-ff", "-m", "merge", "feature")
	merge := p.git("rev-parse", "HEAD")
	p.git("update-ref", "refs/pull/7/merge", merge)
	p.git("checkout", "-q", "feature")

	s := p.server
	s.Head = head
	s.Files, s.Blobs = nil, map[string]string{}
	start := p.git("merge-base", base, head)
	for _, line := range strings.Split(p.git("diff", "--raw", "--no-abbrev", "-M", start, head), "\n") {
		fields := strings.Fields(strings.ReplaceAll(line, "\t", " "))
		if len(fields) < 6 {
			continue
		}
		name := fields[len(fields)-1]
		f := githubtest.File{Filename: name, SHA: fields[3], Status: map[byte]string{'A': "added", 'M': "modified", 'D': "removed", 'R': "renamed"}[fields[4][0]]}
		patch := p.run(p.dir, "git", "diff", "--no-ext-diff", "-M", start, head, "--", name)
		if i := strings.Index(patch, "\n@@ "); i >= 0 {
			f.Patch = strings.TrimSuffix(patch[i+1:], "\n")
		}
		if f.Status != "removed" {
			s.Blobs[f.SHA] = p.run(p.dir, "git", "cat-file", "blob", f.SHA)
		}
		s.Files = append(s.Files, f)
	}
	repository := func(name string) map[string]any { return map[string]any{"full_name": name} }
	from := githubtest.Repository
	if p.fork {
		from = "mallory/gateway"
	}
	b, err := json.Marshal(map[string]any{
		"action": "synchronize", "number": 7, "repository": repository(githubtest.Repository),
		"pull_request": map[string]any{
			"number": 7, "state": "open", "head": map[string]any{"sha": head, "ref": "feature", "repo": repository(from)},
			"base": map[string]any{"sha": base, "ref": "main", "repo": repository(githubtest.Repository)},
		},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.event, b, 0o644); err != nil {
		p.t.Fatal(err)
	}
	p.checkout = filepath.Join(p.t.TempDir(), "gateway")
	if err := os.MkdirAll(p.checkout, 0o755); err != nil {
		p.t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "."}, {"remote", "add", "origin", "file://" + p.dir}, {"fetch", "-q", "--depth=1", "origin", merge}, {"checkout", "-q", "--detach", merge}} {
		p.run(p.checkout, "git", args...)
	}
	p.env = []string{
		"GITHUB_EVENT_NAME=pull_request", "GITHUB_EVENT_PATH=" + p.event, "GITHUB_REPOSITORY=" + githubtest.Repository, "GITHUB_API_URL=" + s.URL + s.Prefix,
		"GITHUB_WORKSPACE=" + p.checkout, "GITHUB_SHA=" + merge, "GITHUB_SERVER_URL=" + s.URL, "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
	}
}

// action runs the action in the job's checkout.
func (p *pullRequest) action(inputs map[string]string) (log string, outputs map[string]string, failed bool) {
	p.t.Helper()
	in := map[string]string{"install-mode": "path", "binary": binary(p.t), "token": githubtest.Token, "paths": "."}
	for k, v := range inputs {
		in[k] = v
	}
	log, outputs, failed = runAction(p.t, p.checkout, in, p.env...)
	if strings.Contains(log, githubtest.Token) {
		p.t.Errorf("the token is in the log:\n%s", log)
	}
	return log, outputs, failed
}

// comments are the places of this program's comments.
func (p *pullRequest) comments() []string {
	var out []string
	for _, c := range p.server.Comments {
		line := "outdated"
		if c.Line != nil {
			line = fmt.Sprint(*c.Line)
		}
		out = append(out, c.Path+":"+line)
	}
	slices.Sort(out)
	return out
}

const pullConfig = `router_settings:
  redis_host: os.environ/REDIS_HOST
  redis_port: 6379
  num_retries: 2
  timeout: 600
  allowed_fails: 3
  cooldown_time: 30
  routing_strategy: simple-shuffle
model_list:
  - model_name: chat
    litellm_params:
      model: openai/gpt-4o
      api_key: os.environ/OPENAI_API_KEY
general_settings:
  master_key: os.environ/LITELLM_MASTER_KEY
  database_connection_pool_limit: 10 # per worker
litellm_settings:
  request_timeout: 600
  drop_params: true
  json_logs: true
  num_retries: 0
  callbacks: [prometheus]
`

const pullCompose = `services:
  litellm:
    image: ghcr.io/berriai/litellm:v1.102.0
    command: ["--config", "/app/config.yaml"]
    env_file: gateway.env
    volumes: ["./config.yaml:/app/config.yaml"]
    deploy:
      replicas: 2
  db:
    image: postgres:17
    command: postgres -c max_connections=100
`

// pullRules are the rules of the stories: those that are added later change nothing in them.
var pullRules = []string{"callback-not-a-list", "database-connections-exceed-max", "env-reference-undefined", "routing-strategy-unknown"}

func pullFiles(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command(binary(t), "rules", "--format", "json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var list []struct{ Category string }
	if err := json.Unmarshal(out, &list); err != nil {
		t.Fatal(err)
	}
	conf := "rules:\n"
	for _, r := range list {
		if line := "  " + r.Category + "/*: off\n"; !strings.Contains(conf, line) {
			conf += line
		}
	}
	for _, id := range pullRules {
		conf += "  " + id + ": error\n"
	}
	return map[string]string{
		"config.yaml": pullConfig, "docker-compose.yml": pullCompose, ".agentlint.yaml": conf,
		"gateway.env": "NUM_WORKERS=4\nREDIS_HOST=redis\nDATABASE_URL=postgresql://litellm:${DB_PASSWORD}@db:5432/litellm\n",
	}
}

// change makes the branch of the story: ten replicas, three mistakes in the configuration, and a variable that is gone.
func (p *pullRequest) change() {
	p.t.Helper()
	conf := strings.NewReplacer("simple-shuffle", "least-buzy", "callbacks: [prometheus]", "callbacks: prometheus", "      api_key", "      api_base: os.environ/CHAT_API_BASE\n      api_key").Replace(pullConfig)
	p.write(map[string]string{
		"docker-compose.yml": strings.Replace(pullCompose, "replicas: 2", "replicas: 10", 1), "config.yaml": conf,
		"gateway.env": "NUM_WORKERS=4\nDATABASE_URL=postgresql://litellm:${DB_PASSWORD}@db:5432/litellm\n",
	})
	p.commit("ten replicas")
}

var commitName = regexp.MustCompile(`[0-9a-f]{12,40}`)

// transcript writes what GitHub shows.
type transcript struct {
	bytes.Buffer
	p *pullRequest
}

func (d *transcript) step(title, text, log string) {
	fmt.Fprintf(d, "\n## %s\n\n%s\n\n```\n", title, text)
	for line := range strings.Lines(log) {
		if strings.HasPrefix(line, "review comments") || strings.HasPrefix(line, "no review") || strings.HasPrefix(line, "::") {
			d.WriteString(commitName.ReplaceAllString(line, "COMMIT"))
		}
	}
	d.WriteString("```\n")
}

func (d *transcript) quote(title, body string) {
	fmt.Fprintf(d, "\n%s\n\n", title)
	for line := range strings.Lines(strings.TrimRight(commitName.ReplaceAllString(body, "COMMIT"), "\n")) {
		d.WriteString(strings.TrimRight("> "+line, " \n") + "\n")
	}
}

// TestPullRequest is the story of docs/pull-request-transcript.md, which -update writes.
func TestPullRequest(t *testing.T) {
	p := newPullRequest(t, pullFiles(t))
	d := &transcript{p: p}
	d.WriteString("# What a review looks like\n\nThis page is written by a test (`go test ./cmd/agentlint -run TestPullRequest -update`): a real repository and merge commit,\nthe steps of `action.yml` with `review: true`, and a server that answers as GitHub does.\n")
	p.change()
	p.push()
	log, outputs, failed := p.action(map[string]string{"review": "true"})
	if !failed || outputs["findings"] != "5" || outputs["errors"] != "5" || len(outputs["since"]) != 40 || outputs["exit-code"] != "1" {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
	want := []string{"config.yaml:13", "config.yaml:23", "config.yaml:8", "docker-compose.yml:8"}
	if got := p.comments(); !slices.Equal(got, want) {
		t.Errorf("comments at %v\n%s", got, log)
	}
	if strings.Contains(log, "::error") {
		t.Errorf("annotations beside the review:\n%s", log)
	}
	suggestions := 0
	for _, c := range p.server.Comments {
		suggestions += strings.Count(c.Body, "```suggestion\n")
		if c.Path == "docker-compose.yml" && (!strings.Contains(c.Body, "replicas 2 -&gt; 10, connections 80 -&gt; 400") || !strings.Contains(c.Body, "limit 97") || !strings.Contains(c.Body, "config.yaml:17: the effect is here")) {
			t.Errorf("the comment on replicas:\n%s", c.Body)
		}
	}
	if suggestions != 2 || len(p.server.Reviews) != 1 || !strings.Contains(p.server.Reviews[0].Body, "config.yaml:2") || len(p.server.Notes) != 1 {
		t.Errorf("%d suggestions, %d reviews, %d summaries", suggestions, len(p.server.Reviews), len(p.server.Notes))
	}
	if !strings.Contains(p.server.Notes[0].Body, "connections 80 -&gt; 400 of 97") {
		t.Errorf("the summary:\n%s", p.server.Notes[0].Body)
	}
	d.step("A pull request with five findings", "Ten replicas instead of two, three mistakes in `config.yaml`, and a variable that is gone from `gateway.env`.", log)
	for _, c := range p.server.Comments {
		d.quote(fmt.Sprintf("On %s, line %d:", c.Path, *c.Line), c.Body)
	}
	d.quote("The text of the review, for what no line of the diff can hold:", p.server.Reviews[0].Body)
	d.quote("The summary:", p.server.Notes[0].Body)

	// The same commit again: nothing is written.
	before := len(p.server.Requests())
	if log, _, _ = p.action(map[string]string{"review": "true"}); len(p.server.Requests()) != before {
		t.Errorf("a second run wrote %v\n%s", p.server.Requests()[before:], log)
	}

	// The second push takes a suggestion.
	b, err := os.ReadFile(filepath.Join(p.dir, "config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	p.write(map[string]string{"config.yaml": strings.Replace(string(b), "callbacks: prometheus", "callbacks: [prometheus]", 1)})
	p.commit("callbacks")
	p.push()
	log, outputs, _ = p.action(map[string]string{"review": "true"})
	if got := p.comments(); !slices.Equal(got, []string{"config.yaml:13", "config.yaml:8", "docker-compose.yml:8"}) || len(p.server.Reviews) != 1 || len(p.server.Notes) != 1 || outputs["findings"] != "4" {
		t.Errorf("comments at %v, %d reviews, outputs %v\n%s", got, len(p.server.Reviews), outputs, log)
	}
	d.step("A second push fixes one", "One comment is removed, none is posted twice.", log)

	// A run for a fork.
	p = newPullRequest(t, pullFiles(t))
	p.fork, p.server.ReadOnly = true, true
	p.change()
	p.push()
	log, outputs, failed = p.action(map[string]string{"review": "true"})
	if !failed || outputs["findings"] != "5" || strings.Count(log, "::error ") != 5 || len(p.server.Comments)+len(p.server.Reviews)+len(p.server.Notes) > 0 {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
	if !strings.Contains(log, "no review: the pull request comes from a fork, whose jobs may only read") || !strings.Contains(log, "::error file=docker-compose.yml,line=8,endLine=8,col=17,endColumn=19,title=database-connections-exceed-max::replicas 2 -> 10, connections 80 -> 400: ") {
		t.Errorf("the log of a fork:\n%s", log)
	}
	d.step("The same from a fork", "The token of its job may only read: annotations and the summary of the step.", log)

	const page = "../../docs/pull-request-transcript.md"
	if *update {
		if err := os.WriteFile(page, d.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	on, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(on, d.Bytes()) {
		t.Errorf("%s is not what the test writes (%v): go test ./cmd/agentlint -run TestPullRequest -update\n%s", page, err, d.Bytes())
	}
}

// TestReplicasOnly is a pull request that changes one number, whose effect stands in another file.
func TestReplicasOnly(t *testing.T) {
	p := newPullRequest(t, pullFiles(t))
	// The base went on in another file meanwhile, so the merge commit is neither of both.
	p.git("checkout", "-q", "main")
	p.write(map[string]string{"README.md": "x\n"})
	p.commit("readme")
	p.git("checkout", "-q", "feature")
	p.write(map[string]string{"docker-compose.yml": strings.Replace(pullCompose, "replicas: 2", "replicas: 10", 1)})
	p.commit("replicas")
	p.push()
	log, outputs, failed := p.action(nil)
	if !failed || outputs["findings"] != "1" || !strings.Contains(log, "::error file=docker-compose.yml,line=8,endLine=8,col=17,endColumn=19,title=database-connections-exceed-max::replicas 2 -> 10, connections 80 -> 400: 400 database connections, 97 accepted") {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
	if outputs["since"] != p.git("rev-parse", "main") {
		t.Errorf("compared with %s", outputs["since"])
	}
	summary, err := os.ReadFile(filepath.Join(p.checkout, "summary.md"))
	if err != nil || !strings.Contains(string(summary), "connections 80 -&gt; 400 of 97") {
		t.Errorf("the summary: %v\n%s", err, summary)
	}

	// A checkout of the branch itself has no merge commit: GitHub is asked where it starts, and without an answer the
	// changed lines decide.
	p.run(p.checkout, "git", "fetch", "-q", "--depth=1", "origin", "feature")
	p.run(p.checkout, "git", "checkout", "-q", "--detach", "FETCH_HEAD")
	p.server.MergeBase = p.git("merge-base", "main", "feature")
	if log, outputs, _ = p.action(nil); outputs["since"] != p.server.MergeBase || outputs["findings"] != "1" {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
	p.server.MergeBase = ""
	log, outputs, _ = p.action(nil)
	if outputs["since"] != "" || outputs["findings"] != "1" || !strings.Contains(log, "compared with changed lines only") || !strings.Contains(log, "line=8,") {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
	p.server.Private = true
	if log, outputs, _ = p.action(nil); outputs["findings"] != "2" || !strings.Contains(log, "everything is reported") {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
}

// TestForkCannotSteer checks the merge commit of a fork in a job with the rights of the base.
func TestForkCannotSteer(t *testing.T) {
	files := pullFiles(t)
	p := newPullRequest(t, files)
	p.fork = true
	p.change()
	p.write(map[string]string{
		".agentlint.yaml":    "rules: {database-connections-exceed-max: off, env-reference-undefined: off, callback-not-a-list: off, routing-strategy-unknown: off}\nexclude: ['*']\nbaseline: known.json\npolicies: [policies]\n",
		"known.json":         `{"schema":"agentlint.baseline/v1","findings":[]}`,
		"policies/evil.rego": "package agentlint.rules[\"custom/evil\"]\n\nfindings contains {\"at\": []}\n",
	})
	p.commit("steer")
	p.push()
	p.env = append(p.env, "GITHUB_EVENT_NAME=pull_request_target", "GITHUB_SHA="+p.git("rev-parse", "main"))
	log, outputs, failed := p.action(nil)
	if !failed || outputs["findings"] != "5" || !strings.Contains(log, "is read as the base branch has it") {
		t.Errorf("outputs %v\n%s", outputs, log)
	}
	// Policies named by the workflow are the fork's all the same, and so is a baseline.
	run := func(args ...string) string {
		cmd := exec.Command(binary(t), args...)
		cmd.Dir = p.checkout
		cmd.Env = append(append(os.Environ(), "GITHUB_ACTIONS=true"), p.env...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	if out := run("check", "--policy", "policies", "-q"); !strings.Contains(out, "policies in") || !strings.Contains(out, "are not used") || strings.Contains(out, "custom/evil") {
		t.Errorf("policies of a fork:\n%s", out)
	}
	if out := run("check", "--baseline", "known.json", "-q"); !strings.Contains(out, "known.json is not used") {
		t.Errorf("baseline of a fork:\n%s", out)
	}
	// An event that cannot be read is no reason to trust.
	if err := os.WriteFile(p.event, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := run("check", "-q"); !strings.Contains(out, "database-connections-exceed-max") {
		t.Errorf("with a broken event:\n%s", out)
	}
}

// ownPolicy is a policy that finds every gateway.
const ownPolicy = `# METADATA
# title: A gateway
# description: There is a gateway.
# custom:
#   severity: error
#   remedy: None.
#   messages:
#     main: %s
package agentlint.custom.tests.%s

findings contains {"at": ["gateway", "replicas"], "args": {}} if input.gateway
`

// TestPoliciesOfTheBase takes away, changes and hides the policies of the base in a fork: a job with the rights of the
// base runs them as they are there.
func TestPoliciesOfTheBase(t *testing.T) {
	files := pullFiles(t)
	files[".agentlint.yaml"] += "policies: [policies]\n"
	files["policies/first.rego"] = fmt.Sprintf(ownPolicy, "the first policy of the base", "first")
	files["policies/second.rego"] = fmt.Sprintf(ownPolicy, "the second policy of the base", "second")
	p := newPullRequest(t, files)
	p.fork = true
	p.change()
	if err := os.RemoveAll(filepath.Join(p.dir, "policies/second.rego")); err != nil {
		t.Fatal(err)
	}
	p.write(map[string]string{"policies/first.rego": fmt.Sprintf(ownPolicy, "the policy of a fork", "first")})
	p.commit("tame")
	p.push()
	p.env = append(p.env, "GITHUB_EVENT_NAME=pull_request_target", "GITHUB_SHA="+p.git("rev-parse", "main"))
	if log, _, failed := p.action(nil); !failed {
		t.Fatal(log)
	}
	check := func(what string) {
		t.Helper()
		cmd := exec.Command(binary(t), "check", "-q", "--format", "concise")
		cmd.Dir = p.checkout
		cmd.Env = append(append(os.Environ(), "GITHUB_ACTIONS=true"), p.env...)
		out, _ := cmd.CombinedOutput()
		for _, text := range []string{"the first policy of the base", "the second policy of the base", "the policies in policies are read as the base branch has them"} {
			if !strings.Contains(string(out), text) {
				t.Errorf("%s: no %q in\n%s", what, text, out)
			}
		}
		if strings.Contains(string(out), "the policy of a fork") {
			t.Errorf("%s: the fork's policy runs:\n%s", what, out)
		}
	}
	check("one changed, one removed")
	dir := filepath.Join(p.checkout, "policies")
	if err := os.Rename(dir, filepath.Join(p.checkout, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	check("all removed")
	if err := os.Symlink("elsewhere", dir); err != nil {
		t.Fatal(err)
	}
	check("a link in their place")
}

// TestReviewUsage holds the command's mistakes against their texts and exit codes.
func TestReviewUsage(t *testing.T) {
	p := newPullRequest(t, pullFiles(t))
	p.change()
	p.push()
	run := func(env []string, args ...string) (string, int) {
		cmd := exec.Command(binary(t), append([]string{"github"}, args...)...)
		cmd.Dir = p.checkout
		cmd.Env = append(append(append(os.Environ(), "GITHUB_STEP_SUMMARY=", "GITHUB_ACTIONS="), p.env...), env...)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	file := func(text string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "file.json")
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return name
	}
	token := []string{"GITHUB_TOKEN=" + githubtest.Token}
	report := file(`{"schema":"agentlint.findings/v1","findings":[]}`)
	for _, c := range []struct {
		name string
		env  []string
		args []string
		code int
		want string
	}{
		{"no report", token, []string{"review"}, 2, "want --findings FILE"},
		{"no such report", token, []string{"review", "--findings", "nope.json"}, 2, "nope.json: no such file"},
		{"a report that is none", token, []string{"review", "--findings", file("{}")}, 2, `schema is ""`},
		{"a folder", token, []string{"review", "--findings", "."}, 2, "not a regular file"},
		{"no token", []string{"GITHUB_TOKEN="}, []string{"review", "--findings", report}, 2, "GITHUB_TOKEN is not set"},
		{"a token with a line break", []string{"GITHUB_TOKEN=ghs_secret\nx"}, []string{"review", "--findings", report}, 2, "the token holds blanks"},
		{"a broken event", token, []string{"review", "--findings", report, "--event", file("{")}, 2, "no JSON"},
		{"an event that is a list", token, []string{"review", "--findings", report, "--event", file("[]")}, 2, "event "},
		{"an event without a commit", token, []string{"review", "--findings", report, "--event", file(`{"pull_request":{"number":7}}`)}, 2, "base.sha is no commit"},
		{"a number below zero", token, []string{"review", "--findings", report, "--event", file(`{"pull_request":{"number":-7}}`)}, 2, "number is -7"},
		{"a path as a repository", token, []string{"review", "--findings", report, "--event", file(`{"pull_request":{"number":7,"head":{"sha":"` + strings.Repeat("a", 40) + `","repo":{"full_name":"../../x"}},"base":{"sha":"` + strings.Repeat("b", 40) + `"}}}`)}, 2, "name of a repository"},
		{"an event of a push", token, []string{"review", "--findings", report, "--event", file(`{"ref":"refs/heads/main"}`)}, 0, "the event is that of no pull request"},
		{"no event", append(slices.Clone(token), "GITHUB_EVENT_PATH="), []string{"review", "--findings", report}, 2, "no event"},
		{"an address that is none", append(slices.Clone(token), "GITHUB_API_URL=ftp://x"), []string{"review", "--findings", report}, 2, "no address of an API"},
		{"GitHub is away", append(slices.Clone(token), "GITHUB_API_URL=http://127.0.0.1:1", "AGENTLINT_TEST=1"), []string{"outputs", report}, 0, "findings=0\nerrors=0\nwarnings=0\n"},
		{"a level that is none", token, []string{"review", "--findings", report, "--level", "eror"}, 2, "did you mean error"},
		{"too many comments", token, []string{"review", "--findings", report, "--max-comments", "0"}, 2, "want 1 to 500"},
		{"nothing to say", token, []string{"review", "--findings", report}, 0, "review comments: none"},
		{"a base without a token", nil, []string{"base"}, 0, p.git("rev-parse", "main")},
		{"no base", nil, []string{"base", "--event", file(`{}`)}, 0, "no base"},
		{"a diff", token, []string{"diff"}, 0, "+++ b/docker-compose.yml\n@@ "},
		{"no diff", token, []string{"diff", "--event", file(`{}`)}, 2, "no diff"},
		{"a wrong token", []string{"GITHUB_TOKEN=ghs_wrong"}, []string{"review", "--findings", report}, 0, "no review: the token may only read"},
	} {
		out, code := run(c.env, c.args...)
		if code != c.code || !strings.Contains(out, c.want) {
			t.Errorf("%s: exit code %d, want %d:\n%s", c.name, code, c.code, out)
		}
		if strings.Contains(out, githubtest.Token) || strings.Contains(out, "ghs_wrong") || strings.Contains(out, "ghs_secret") || strings.Contains(out, "panic") {
			t.Errorf("%s:\n%s", c.name, out)
		}
	}
}
