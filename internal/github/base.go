package github

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	api "github.com/google/go-github/v62/github"

	"agentlint/internal/git"
)

// MergeBase asks for the newest commit that the base and the head of a pull request have in common, which a shallow
// clone cannot tell.
func (a *Access) MergeBase(ctx context.Context, base, head string) (string, error) {
	c, err := a.client()
	if err != nil {
		return "", err
	}
	if !git.IsObject(base) || !git.IsObject(head) {
		return "", errors.New("compare: no commits")
	}
	cmp, _, err := c.Repositories.CompareCommits(ctx, c.owner, c.name, base, head, &api.ListOptions{PerPage: 1})
	if err != nil {
		return "", plain("compare", err)
	}
	id := cmp.GetMergeBaseCommit().GetSHA()
	if !git.IsObject(id) {
		return "", errors.New("compare: the answer names no commit")
	}
	return id, nil
}

// Diff returns what a pull request changes as a diff with the names of files, as git prints it.
func (a *Access) Diff(ctx context.Context, number int) (string, error) {
	c, err := a.client()
	if err != nil {
		return "", err
	}
	files, err := all(func(o api.ListOptions) ([]*api.CommitFile, *api.Response, error) {
		return c.PullRequests.ListFiles(ctx, c.owner, c.name, number, &o)
	})
	if err != nil {
		return "", plain("list the files of the pull request", err)
	}
	var b strings.Builder
	for _, f := range files {
		patch := f.GetPatch()
		if patch == "" || f.GetFilename() == "" {
			continue
		}
		if _, err := git.ParseHunks(patch); err != nil {
			return "", fmt.Errorf("%s: %w", f.GetFilename(), err)
		}
		old := f.GetPreviousFilename()
		if old == "" {
			old = f.GetFilename()
		}
		fmt.Fprintf(&b, "--- %s\n+++ %s\n%s\n", diffName("a/", old), diffName("b/", f.GetFilename()), strings.TrimSuffix(patch, "\n"))
	}
	return b.String(), nil
}

// diffName quotes a name that would not survive on a line as it is.
func diffName(side, name string) string {
	if strings.ContainsAny(name, "\"\\\t\r\n") {
		return strconv.Quote(side + name)
	}
	return side + name
}
