package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The bounds of one run.
const (
	// requestTimeout bounds one attempt of one request.
	requestTimeout = 60 * time.Second
	// maxAttempts is how often a request is sent at most.
	maxAttempts = 6
	// maxWait is how long a run waits in sum for limits to end.
	maxWait = 10 * time.Minute
	// maxResponse bounds one answer.
	maxResponse = 64 << 20
	// writePause is what GitHub asks to leave between requests that change something (rest/using-the-rest-api,
	// best practices).
	writePause = time.Second
	// limitPause is the least wait at a secondary limit that names none; it doubles.
	limitPause = 60 * time.Second
)

// transport adds the token to requests to one host and no other, waits when GitHub asks to, repeats what may be
// repeated, and does not transfer twice what did not change.
type transport struct {
	base  http.RoundTripper
	host  *url.URL
	token string
	sleep func(context.Context, time.Duration) error
	now   func() time.Time
	log   func(string)

	waited    time.Duration
	lastWrite time.Time
	cached    map[string]*answer
}

// answer is a response that was read whole.
type answer struct {
	*http.Response
	body []byte
}

func (a *answer) response(req *http.Request) *http.Response {
	r := *a.Response
	r.Request = req
	r.Header = a.Header.Clone()
	r.Body = io.NopCloser(bytes.NewReader(a.body))
	r.ContentLength = int64(len(a.body))
	return &r
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != t.host.Host || req.URL.Scheme != t.host.Scheme {
		return nil, fmt.Errorf("%s leads to another host than %s", req.URL.Redacted(), t.host.Host)
	}
	ctx := req.Context()
	write := req.Method != http.MethodGet && req.Method != http.MethodHead
	key := req.URL.String() + " " + req.Header.Get("Accept")
	for attempt := 1; ; attempt++ {
		if write {
			if pause := t.lastWrite.Add(writePause).Sub(t.now()); !t.lastWrite.IsZero() && pause > 0 {
				if err := t.sleep(ctx, pause); err != nil {
					return nil, err
				}
			}
			t.lastWrite = t.now()
		}
		a, err := t.send(req, key)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		wait := time.Duration(0)
		switch {
		case err != nil:
			// Whether a POST arrived is not known, and sending it again could say everything twice.
			if req.Method == http.MethodPost || attempt == maxAttempts {
				return nil, err
			}
			wait = time.Second << (attempt - 1)
		case limited(a):
			wait = t.limitWait(a, attempt)
			if attempt == maxAttempts || t.waited+wait > maxWait {
				t.log(fmt.Sprintf("gave up waiting for the rate limit of %s (%s)", t.host.Host, wait.Round(time.Second)))
				return a.response(req), nil
			}
			t.log(fmt.Sprintf("waiting %s for the rate limit of %s", wait.Round(time.Second), t.host.Host))
		case a.StatusCode >= 500 && a.StatusCode != http.StatusNotImplemented && req.Method != http.MethodPost && attempt < maxAttempts:
			wait = time.Second << (attempt - 1)
		default:
			if a.StatusCode == http.StatusNotModified {
				if old := t.cached[key]; old != nil {
					return old.response(req), nil
				}
			}
			if req.Method == http.MethodGet && a.StatusCode == http.StatusOK && a.Header.Get("ETag") != "" && len(a.body) < 1<<20 {
				t.cached[key] = a
			}
			return a.response(req), nil
		}
		t.waited += wait
		if err := t.sleep(ctx, wait); err != nil {
			return nil, err
		}
	}
}

// send sends a request once and reads the answer whole.
func (t *transport) send(req *http.Request, key string) (*answer, error) {
	ctx, cancel := context.WithTimeout(req.Context(), requestTimeout)
	defer cancel()
	out := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return nil, err
		}
		out.Body = body
	}
	out.Header.Set("Authorization", "Bearer "+t.token)
	out.Header.Set("User-Agent", "agentlint")
	if old := t.cached[key]; old != nil && req.Method == http.MethodGet {
		out.Header.Set("If-None-Match", old.Header.Get("ETag"))
	}
	resp, err := t.base.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxResponse {
		return nil, errors.New("the answer is too large")
	}
	return &answer{resp, body}, nil
}

// limited reports whether an answer says that a primary or secondary limit is reached; a 403 without such words is a
// right that is missing.
func limited(a *answer) bool {
	switch a.StatusCode {
	case http.StatusTooManyRequests:
		return true
	case http.StatusForbidden:
		return a.Header.Get("Retry-After") != "" || a.Header.Get("X-RateLimit-Remaining") == "0" ||
			bytes.Contains(bytes.ToLower(a.body), []byte("secondary rate limit"))
	}
	return false
}

// limitWait is how long to wait: what the answer says, else a minute that doubles.
func (t *transport) limitWait(a *answer, attempt int) time.Duration {
	if s, err := strconv.Atoi(strings.TrimSpace(a.Header.Get("Retry-After"))); err == nil && s >= 0 && s < 1<<20 {
		return time.Duration(s) * time.Second
	}
	if a.Header.Get("X-RateLimit-Remaining") == "0" {
		if at, err := strconv.ParseInt(a.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil {
			return max(time.Second, time.Unix(at, 0).Sub(t.now())+time.Second)
		}
	}
	return limitPause << (attempt - 1)
}

// sleep waits, unless the run is cancelled.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
