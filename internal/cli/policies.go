package cli

import (
	"errors"
	"path/filepath"
	"slices"

	"agentlint/internal/bundle"
	"agentlint/internal/config"
	"agentlint/internal/policy"
	"agentlint/internal/source"
)

// policies loads the users' policies of a root: those that its configuration names, and those of --policy. It is nil when
// there are none, which costs nothing.
func (a *app) policies(t *target, s *settings) (*policy.Custom, error) {
	files, err := a.policyFiles(t, s.policies)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	own, err := a.load(files, policy.CustomOptions{})
	if err != nil {
		return nil, err
	}
	a.own = append(a.own, own)
	return own, nil
}

// policyFiles reads the files of users' policies.
func (a *app) policyFiles(t *target, named []string) ([]policy.File, error) {
	var files []policy.File
	var seen []string
	add := func(flag, abs, shown string, read func() ([]policy.File, error)) error {
		real := abs
		if to, err := filepath.EvalSymlinks(abs); err == nil {
			real = to
		}
		if slices.Contains(seen, real) {
			return nil
		}
		seen = append(seen, real)
		list, steered, err := a.policiesOfBase(abs, shown, read)
		if !steered {
			list, err = read()
		}
		if err != nil {
			return misuse("%s %s: %s", flag, shown, err)
		}
		files = append(files, list...)
		return nil
	}
	for _, p := range a.configuredPolicies(t) {
		dir := filepath.Dir(t.configuration)
		abs := filepath.Join(dir, filepath.FromSlash(p))
		shown := shownPath(t.cwd, abs)
		if err := add(t.configurationShown()+": policies:", abs, shown, func() ([]policy.File, error) { return bundle.ReadBelow(dir, p, shown) }); err != nil {
			return nil, err
		}
	}
	for _, p := range named {
		abs, err := filepath.Abs(p)
		if err != nil {
			return nil, misuse("--policy %s: %s", p, reason(err))
		}
		if err := add("--policy", abs, p, func() ([]policy.File, error) { return bundle.Read(abs, filepath.ToSlash(filepath.Clean(p))) }); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// configuredPolicies are the paths that the configuration of a root names, relative to its folder.
func (a *app) configuredPolicies(t *target) []string {
	if t.configuration == "" {
		return nil
	}
	raw, err := a.readSteering(t.configuration)
	if err != nil {
		return nil // whoever reads the configuration says so
	}
	return config.PolicyPaths(source.NewFile(t.configurationShown(), raw))
}

// load checks and compiles users' policies.
func (a *app) load(files []policy.File, o policy.CustomOptions) (*policy.Custom, error) {
	own, err := policy.LoadCustom(a.ctx, files, o)
	var problems policy.Problems
	if errors.As(err, &problems) {
		return nil, &usageError{text: "the policies have " + count(len(problems), "mistake") + "\n" + err.Error()}
	}
	return own, err
}
