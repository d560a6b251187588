package github

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/google/go-github/v62/github"
)

// Access says how GitHub is reached.
type Access struct {
	// Token authorises requests. It is sent to the host of URL only, and printed nowhere.
	Token string
	// URL is the root of the API: https://api.github.com, or https://HOST/api/v3 of GitHub Enterprise Server.
	URL string
	// Repository is OWNER/NAME.
	Repository string
	// Log is told about waits; nil for nobody.
	Log func(string)

	sleep func(context.Context, time.Duration) error
	now   func() time.Time
}

// client is the API of one repository.
type client struct {
	*api.Client
	owner, name string
}

func (a *Access) client() (*client, error) {
	if a.Token == "" {
		return nil, errors.New("there is no token")
	}
	if strings.ContainsAny(a.Token, " \t\r\n") {
		return nil, errors.New("the token holds blanks")
	}
	u, err := url.Parse(strings.TrimSuffix(a.URL, "/") + "/")
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, fmt.Errorf("%q is no address of an API", a.URL)
	}
	if !IsRepository(a.Repository) {
		return nil, fmt.Errorf("repository %q: want OWNER/NAME", a.Repository)
	}
	t := &transport{base: http.DefaultTransport, host: u, token: a.Token, sleep: a.sleep, now: a.now, log: a.Log, cached: map[string]*answer{}}
	if t.sleep == nil {
		t.sleep = sleep
	}
	if t.now == nil {
		t.now = time.Now
	}
	if t.log == nil {
		t.log = func(string) {}
	}
	c := &client{Client: api.NewClient(&http.Client{Transport: t})}
	c.BaseURL = u
	c.owner, c.name, _ = strings.Cut(a.Repository, "/")
	return c, nil
}

// ErrDenied is the error of a token that may not do what was asked, as that of a job for a fork.
var ErrDenied = errors.New("the token has no right to do that")

// plain turns an error of the API into one that says what happened, without addresses and tokens.
func plain(what string, err error) error {
	var answer *api.ErrorResponse
	var rate *api.RateLimitError
	var abuse *api.AbuseRateLimitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &rate), errors.As(err, &abuse):
		return fmt.Errorf("%s: the rate limit is reached", what)
	case errors.As(err, &answer):
		if answer.Response == nil {
			return fmt.Errorf("%s: %s", what, answer.Message)
		}
		switch answer.Response.StatusCode {
		case http.StatusForbidden, http.StatusNotFound, http.StatusUnauthorized:
			return fmt.Errorf("%s: %w (%d %s)", what, ErrDenied, answer.Response.StatusCode, answer.Message)
		}
		return fmt.Errorf("%s: %d %s", what, answer.Response.StatusCode, answer.Message)
	}
	return fmt.Errorf("%s: %w", what, err)
}

// refused reports whether GitHub took a request for invalid.
func refused(err error) bool {
	var answer *api.ErrorResponse
	return errors.As(err, &answer) && answer.Response != nil && answer.Response.StatusCode == http.StatusUnprocessableEntity
}

// maxPages bounds a list, at a hundred entries a page.
const maxPages = 100

// all reads all pages of a list.
func all[T any](list func(o api.ListOptions) ([]T, *api.Response, error)) ([]T, error) {
	var out []T
	o := api.ListOptions{PerPage: 100, Page: 1}
	for range maxPages {
		part, resp, err := list(o)
		if err != nil {
			return nil, err
		}
		out = append(out, part...)
		if resp == nil || resp.NextPage <= o.Page {
			break
		}
		o.Page = resp.NextPage
	}
	return out, nil
}

// blobHash is the name that git gives a content, in the length of another name.
func blobHash(content []byte, like string) string {
	head := fmt.Sprintf("blob %d\x00", len(content))
	if len(like) == 64 {
		sum := sha256.Sum256(append([]byte(head), content...))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum(append([]byte(head), content...))
	return hex.EncodeToString(sum[:])
}
