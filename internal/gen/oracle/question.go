package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// question is one file of questions/. Its comment is the question, then lines "name: value":
//
//	probe: NAME        what is done with the proxies, see probes
//	replicas: 2        how many proxies stand behind a load balancer that takes turns
//	args: ...          their command line; --num_workers is the number of workers
//	env: A=b           a variable, once a line
//	says: ID [figure=N ...]   what agentlint says of the deployment; "silent: ID" for what it does not say
//	predict: ...       what the proxy will be seen to do; alternatives stand between " or "
//
// "predict 1.102.0:" and so on hold for one release. @UPSTREAM1@, @UPSTREAM2@ and @REDIS@ in config.yaml and env are the
// addresses (host:port) that the lab chose, @REDISPORT@ the port alone.
type question struct {
	name, text string
	probe      string
	replicas   int
	args, env  []string
	says       []claim
	silent     []claim
	predict    map[string]string // by release, "" for all others
	config     string
}

// claim is what agentlint says or does not say at a release, "" for all.
type claim struct {
	release, rule string
	figures       map[string]string
}

func readQuestions() ([]*question, error) {
	files, err := filepath.Glob("oracle/questions/*.txtar")
	if err != nil {
		return nil, err
	}
	var out []*question
	for _, f := range files {
		q, err := readQuestion(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		out = append(out, q)
	}
	return out, nil
}

var fieldLine = regexp.MustCompile(`^(probe|replicas|args|env|says|silent|predict)(?: (\S+))?: *(.*)$`)

func readQuestion(file string) (*question, error) {
	a, err := txtar.ParseFile(file)
	if err != nil {
		return nil, err
	}
	q := &question{name: strings.TrimSuffix(filepath.Base(file), ".txtar"), replicas: 1, predict: map[string]string{}}
	var text []string
	for line := range strings.Lines(string(a.Comment)) {
		line = strings.TrimSpace(line)
		m := fieldLine.FindStringSubmatch(line)
		if m == nil {
			if line != "" {
				text = append(text, line)
			}
			continue
		}
		release, value := m[2], m[3]
		switch m[1] {
		case "probe":
			q.probe = value
		case "replicas":
			if q.replicas, err = strconv.Atoi(value); err != nil {
				return nil, err
			}
		case "args":
			q.args = strings.Fields(value)
		case "env":
			q.env = append(q.env, value)
		case "predict":
			q.predict[release] = value
		case "says", "silent":
			c := claim{release: release, figures: map[string]string{}}
			for i, w := range strings.Fields(value) {
				if name, v, ok := strings.Cut(w, "="); ok {
					c.figures[name] = v
				} else if i == 0 {
					c.rule = w
				}
			}
			if m[1] == "says" {
				q.says = append(q.says, c)
			} else {
				q.silent = append(q.silent, c)
			}
		}
	}
	q.text = strings.Join(text, " ")
	for _, f := range a.Files {
		if f.Name == "config.yaml" {
			q.config = string(f.Data)
		}
	}
	if q.config == "" || probes[q.probe] == nil || len(q.predict) == 0 {
		return nil, fmt.Errorf("a question needs config.yaml, a known probe and a prediction")
	}
	return q, nil
}

func (q *question) rules() []string {
	ids := map[string]bool{}
	for _, c := range append(slices.Clone(q.says), q.silent...) {
		ids[c.rule] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

func (q *question) predicted(release string) string {
	if p, ok := q.predict[release]; ok {
		return p
	}
	return q.predict[""]
}

// fill writes the lab's addresses into a text.
func (q *question) fill(text string, l *lab) string {
	pairs := []string{}
	for i, u := range l.ups {
		pairs = append(pairs, fmt.Sprintf("@UPSTREAM%d@", i+1), u.server.Listener.Addr().String())
	}
	return strings.NewReplacer(append(pairs, "@REDISPORT@", strconv.Itoa(l.redis), "@REDIS@", fmt.Sprintf("127.0.0.1:%d", l.redis), "@KEY@", masterKey)...).Replace(text)
}

// deployment is the question as files that agentlint reads. Addresses of the lab get the names they would have.
func (q *question) deployment(release string) fstest.MapFS {
	names := strings.NewReplacer("@UPSTREAM1@", "vllm-a:8000", "@UPSTREAM2@", "vllm-b:8000", "@REDISPORT@", "6379", "@REDIS@", "redis:6379", "@KEY@", "os.environ/LITELLM_MASTER_KEY", "127.0.0.1", "redis")
	var b strings.Builder
	fmt.Fprintf(&b, "services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v%s\n    command: [--config, /app/config.yaml", release)
	for _, a := range q.args {
		fmt.Fprintf(&b, ", %q", a)
	}
	fmt.Fprintf(&b, "]\n    volumes: [\"./config.yaml:/app/config.yaml\"]\n    environment:\n      LITELLM_MASTER_KEY: ${LITELLM_MASTER_KEY}\n")
	for _, kv := range q.env {
		k, v, _ := strings.Cut(names.Replace(kv), "=")
		fmt.Fprintf(&b, "      %s: %q\n", k, v)
	}
	fmt.Fprintf(&b, "    deploy: {replicas: %d}\n", q.replicas)
	return fstest.MapFS{
		"config.yaml":        {Data: []byte(names.Replace(q.config))},
		"docker-compose.yml": {Data: []byte(b.String())},
	}
}

// holds says how agentlint contradicts the question's claims, "" when it does not.
func (q *question) holds(release string) (string, error) {
	r, err := engine.Run(context.Background(), engine.Options{Root: ".", FS: q.deployment(release), Today: "2026-11-29"})
	if err != nil {
		return "", err
	}
	find := func(c claim) *engine.Finding {
		for _, f := range r.Findings {
			if f.Rule == c.rule && f.Severity != model.Undecided {
				return f
			}
		}
		return nil
	}
	for _, c := range q.says {
		if c.release != "" && c.release != release {
			continue
		}
		f := find(c)
		if f == nil {
			return "agentlint does not say " + c.rule, nil
		}
		for name, want := range c.figures {
			i := slices.IndexFunc(f.Figures, func(x model.Figure) bool { return x.Name == name })
			if i < 0 || model.Number(f.Figures[i].Value) != want {
				return fmt.Sprintf("%s has no figure %s of %s", c.rule, name, want), nil
			}
		}
	}
	for _, c := range q.silent {
		if c.release != "" && c.release != release {
			continue
		}
		if f := find(c); f != nil {
			return "agentlint says " + c.rule + ": " + f.Message, nil
		}
	}
	return "", nil
}
