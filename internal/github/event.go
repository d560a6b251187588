// Package github speaks with GitHub about a pull request: it reads the event that started a job, maps findings to the
// pull request's diff, and keeps one review, its comments and one summary in step with them. Everything that GitHub
// answers and everything in the event is untrusted.
package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"agentlint/internal/git"
)

// Event is what is used of the event that started a job.
type Event struct {
	// Name is that of GITHUB_EVENT_NAME.
	Name string
	// Number is that of the pull request, 0 for an event of another kind.
	Number int
	// Head and Base are the commits of the pull request.
	Head, Base string
	// Repository has the pull request, HeadRepository its branch ("" for a fork that was deleted).
	Repository, HeadRepository string
}

type eventJSON struct {
	PullRequest *struct {
		Number int     `json:"number"`
		Head   refJSON `json:"head"`
		Base   refJSON `json:"base"`
	} `json:"pull_request"`
	Repository *struct {
		FullName string `json:"full_name"`
	} `json:"repository"`
	WorkflowRun *struct {
		HeadSHA        string `json:"head_sha"`
		Event          string `json:"event"`
		HeadRepository *struct {
			FullName string `json:"full_name"`
		} `json:"head_repository"`
	} `json:"workflow_run"`
}

type refJSON struct {
	SHA  string `json:"sha"`
	Repo *struct {
		FullName string `json:"full_name"`
	} `json:"repo"`
}

// ParseEvent reads the file that GITHUB_EVENT_PATH names.
func ParseEvent(name string, content []byte) (*Event, error) {
	var j eventJSON
	if err := json.Unmarshal(content, &j); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("no JSON (byte %d)", syntax.Offset)
		}
		return nil, err
	}
	e := &Event{Name: name}
	if j.Repository != nil {
		e.Repository = j.Repository.FullName
	}
	switch {
	case j.PullRequest != nil:
		p := j.PullRequest
		e.Number, e.Head, e.Base = p.Number, p.Head.SHA, p.Base.SHA
		if p.Head.Repo != nil {
			e.HeadRepository = p.Head.Repo.FullName
		}
		if p.Base.Repo != nil {
			e.Repository = p.Base.Repo.FullName
		}
		if e.Number <= 0 {
			return nil, fmt.Errorf("pull_request.number is %d", e.Number)
		}
		if !git.IsObject(e.Base) {
			return nil, errors.New("pull_request.base.sha is no commit")
		}
	case j.WorkflowRun != nil:
		e.Head = j.WorkflowRun.HeadSHA
		if j.WorkflowRun.HeadRepository != nil {
			e.HeadRepository = j.WorkflowRun.HeadRepository.FullName
		}
	default:
		return e, nil
	}
	if !git.IsObject(e.Head) {
		return nil, errors.New("the event's head is no commit")
	}
	if e.Repository != "" && !IsRepository(e.Repository) || e.HeadRepository != "" && !IsRepository(e.HeadRepository) {
		return nil, errors.New("the name of a repository is none")
	}
	return e, nil
}

// Fork reports whether the pull request comes from another repository. One whose repository was deleted does.
func (e *Event) Fork() bool {
	return e.Head != "" && !strings.EqualFold(e.HeadRepository, e.Repository)
}

// Untrusted reports whether the job has the rights of the base repository while the working copy may be that of a fork:
// then nothing of the working copy may steer it.
func (e *Event) Untrusted() bool {
	return (e.Name == "pull_request_target" || e.Name == "workflow_run") && e.Fork()
}

// IsRepository reports whether a text is OWNER/NAME.
func IsRepository(s string) bool {
	owner, name, ok := strings.Cut(s, "/")
	return ok && isName(owner) && isName(name) && len(s) < 200
}

func isName(s string) bool {
	if s == "" || s == "." || s == ".." {
		return false
	}
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}
