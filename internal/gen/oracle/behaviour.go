package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

// probes say what is done with the ready proxies of a question and what was seen, in the words of a prediction.
var probes = map[string]func(l *lab, ports []int) (string, error){
	"starts":  func(*lab, []int) (string, error) { return "starts", nil },
	"limit":   probeLimit,
	"session": probeSession(map[string]string{"x-litellm-session-id": "@"}, nil),
	"session-metadata": probeSession(nil, func(id string) map[string]any {
		return map[string]any{"metadata": map[string]any{"session_id": id}}
	}),
	"session-user": probeSession(nil, func(id string) map[string]any { return map[string]any{"user": id} }),
	"same-prompt":  probeSamePrompt,
	"admission":    probeAdmission,
	"drain":        probeDrain,
	"attempts":     probeAttempts,
	"timeout":      probeTimeout,
	"spread":       probeSpread,
	"open":         probeOpen,
	"path":         probePath,
	"background":   probeBackground,
	"fallback":     probeFallback,
}

// authSource is a custom_auth that gives every key a limit of ten requests a minute and a team of its own.
const authSource = `from litellm.proxy._types import UserAPIKeyAuth
async def limited(request, api_key):
    return UserAPIKeyAuth(api_key=api_key, token=api_key, team_id="team-" + api_key, rpm_limit=10)
async def free(request, api_key):
    return UserAPIKeyAuth(api_key=api_key, token=api_key, team_id="team-" + api_key)
`

func askBehaviour(o *oracle, release string) ([]answer, error) {
	list, err := readQuestions()
	if err != nil {
		return nil, err
	}
	bin, err := o.environment(release)
	var out []answer
	for _, q := range list {
		if !o.asks(q.name) {
			continue
		}
		a := answer{name: q.name, question: q.text, rules: q.rules(), predicted: q.predicted(release)}
		switch {
		case err != nil:
			a.unanswered = err.Error()
		default:
			if wrong, err := q.holds(release); err != nil {
				a.unanswered = err.Error()
			} else if wrong != "" {
				a.observed = wrong
			} else if a.observed, err = q.ask(bin); err != nil {
				a.unanswered = err.Error()
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// ask starts the deployment of a question and returns what its probe saw. It returns an error when there was nothing to see.
func (q *question) ask(bin string) (string, error) {
	l, err := newLab(bin)
	if err != nil {
		return "", err
	}
	defer l.Close()
	l.upstream()
	l.upstream()
	everything := q.config + strings.Join(q.env, "\n")
	if strings.Contains(everything, "@REDIS") {
		if err := l.startRedis(); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(filepath.Join(l.dir, "config.yaml"), []byte(q.fill(q.config, l)), 0o644); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(l.dir, "oracle_auth.py"), []byte(authSource), 0o644); err != nil {
		return "", err
	}
	env := []string{}
	for _, kv := range q.env {
		env = append(env, q.fill(kv, l))
	}
	var ports []int
	for i := range q.replicas {
		port, err := l.proxy("proxy"+strconv.Itoa(i), q.args, env)
		if errors.Is(err, errExited) {
			if why := l.said("proxy" + strconv.Itoa(i)); why == "" {
				return "", errors.New("the proxy ended and named no error")
			}
			return "does not start", nil
		}
		if err != nil {
			return "", err
		}
		ports = append(ports, port)
	}
	return probes[q.probe](l, ports)
}

const requests = 40

// probeLimit sends more requests in one minute than a key may make, in turns to all proxies.
func probeLimit(l *lab, ports []int) (string, error) {
	if left := 60 - time.Now().Second(); left < 25 {
		time.Sleep(time.Duration(left) * time.Second)
	}
	admitted := 0
	for i := range requests {
		status, err := chat(ports[i%len(ports)], "sk-user", "q"+strconv.Itoa(i), nil, nil)
		if err != nil {
			return "", err
		}
		if status == 200 {
			admitted++
		}
	}
	return fmt.Sprintf("admitted %d", admitted), nil
}

// probeSession holds six conversations of twelve turns, and sees whether each stays at one upstream.
func probeSession(header map[string]string, body func(id string) map[string]any) func(*lab, []int) (string, error) {
	return func(l *lab, ports []int) (string, error) {
		for c := range 6 {
			id := fmt.Sprintf("conversation-%d", c)
			h := map[string]string{}
			for k, v := range header {
				h[k] = strings.ReplaceAll(v, "@", id)
			}
			var more map[string]any
			if body != nil {
				more = body(id)
			}
			for _, u := range l.ups {
				u.take()
			}
			for turn := range 12 {
				status, err := chat(ports[turn%len(ports)], masterKey, fmt.Sprintf("turn %d", turn), h, more)
				if err != nil {
					return "", err
				}
				if status != 200 {
					return fmt.Sprintf("status %d", status), nil
				}
			}
			if a, b := len(l.ups[0].take()), len(l.ups[1].take()); a > 0 && b > 0 {
				return "spread", nil
			}
		}
		return "pinned", nil
	}
}

// probeSamePrompt asks the same three times with one key and once with another.
func probeSamePrompt(l *lab, ports []int) (string, error) {
	for i := range 4 {
		key := "sk-one"
		if i == 3 {
			key = "sk-two"
		}
		status, err := chat(ports[0], key, "the same prompt", nil, map[string]any{"temperature": 0.9})
		if err != nil {
			return "", err
		}
		if status != 200 {
			return fmt.Sprintf("status %d", status), nil
		}
	}
	return fmt.Sprintf("asked %d times", len(l.ups[0].take())), nil
}

// probeAdmission sends twelve requests of a second and a half at once.
func probeAdmission(l *lab, ports []int) (string, error) {
	if _, err := chat(ports[0], masterKey, "first", nil, nil); err != nil {
		return "", err
	}
	var wg sync.WaitGroup
	status := make([]int, 12)
	errs := make([]error, 12)
	for i := range status {
		wg.Go(func() { status[i], errs[i] = chat(ports[0], masterKey, fmt.Sprintf("sleep=1.5 %d", i), nil, nil) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return "", err
	}
	answered := 0
	for _, s := range status {
		if s == 200 {
			answered++
		}
	}
	return fmt.Sprintf("answered %d of 12", answered), nil
}

// probeDrain asks for a drain without any key.
func probeDrain(l *lab, ports []int) (string, error) {
	drain, _, err := call(ports[0], "GET", "/health/drain", "", nil, nil, time.Minute)
	if err != nil {
		return "", err
	}
	ready, _, err := call(ports[0], "GET", "/health/readiness", "", nil, nil, time.Minute)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("drain %d, then readiness %d", drain, ready), nil
}

// probeAttempts asks an upstream that always fails, and counts what reaches it.
func probeAttempts(l *lab, ports []int) (string, error) {
	if _, err := chat(ports[0], masterKey, "status=500", nil, nil); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d attempts", len(l.ups[0].take())+len(l.ups[1].take())), nil
}

// probeTimeout reads the limit that the client library was given for the call to the upstream.
func probeTimeout(l *lab, ports []int) (string, error) {
	if _, err := chat(ports[0], masterKey, "hello", nil, nil); err != nil {
		return "", err
	}
	calls := l.ups[0].take()
	if len(calls) == 0 {
		return "", errors.New("nothing reached the upstream")
	}
	return strings.TrimSuffix(calls[0].header.Get("x-stainless-read-timeout"), ".0") + " s", nil
}

// probeSpread sends thirty unrelated requests.
func probeSpread(l *lab, ports []int) (string, error) {
	for i := range 30 {
		if _, err := chat(ports[0], masterKey, "q"+strconv.Itoa(i), nil, nil); err != nil {
			return "", err
		}
	}
	a, b := len(l.ups[0].take()), len(l.ups[1].take())
	switch {
	case a == 0 || b == 0:
		return "one gets all", nil
	default:
		return "both get some", nil
	}
}

// probeOpen asks without a key.
func probeOpen(l *lab, ports []int) (string, error) {
	status, err := chat(ports[0], "", "hello", nil, nil)
	if err != nil {
		return "", err
	}
	if status == 200 {
		return "open", nil
	}
	return "closed", nil
}

// probePath sees what path an upstream is asked for.
func probePath(l *lab, ports []int) (string, error) {
	status, err := chat(ports[0], masterKey, "hello", nil, nil)
	if err != nil {
		return "", err
	}
	calls := l.ups[0].take()
	if len(calls) == 0 {
		return fmt.Sprintf("status %d, nothing sent", status), nil
	}
	return "path " + calls[0].path, nil
}

// probeBackground waits for health checks that nobody asked for.
func probeBackground(l *lab, ports []int) (string, error) {
	l.ups[0].take()
	time.Sleep(15 * time.Second)
	if len(l.ups[0].take()) > 0 {
		return "checks", nil
	}
	return "no checks", nil
}

// probeFallback fails the first upstream and sees whether the second is asked.
func probeFallback(l *lab, ports []int) (string, error) {
	l.ups[0].fails = true
	status, err := chat(ports[0], masterKey, "hello", nil, nil)
	if err != nil {
		return "", err
	}
	if status == 200 && len(l.ups[1].take()) > 0 {
		return "falls back", nil
	}
	return fmt.Sprintf("status %d", status), nil
}
