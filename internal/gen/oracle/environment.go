package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache directory: %w", err)
	}
	dir := filepath.Join(base, "agentlint-oracle")
	return dir, os.MkdirAll(dir, 0o755)
}

// requirements prints what the proxy extra of the installed wheel needs, without other packages of LiteLLM: from 1.108 the
// extra pins releases of those that the index does not serve, and the wheel holds the whole proxy without them.
const requirements = `
import importlib.metadata, re
from packaging.requirements import Requirement
for line in importlib.metadata.requires("litellm"):
    r = Requirement(line)
    if r.name.lower().startswith("litellm") or not r.marker or "extra" not in str(r.marker):
        continue
    if any(r.marker.evaluate({"extra": e}) for e in ("proxy", "proxy-runtime")) and not r.marker.evaluate({"extra": ""}):
        r.marker = None
        print(r)
`

// environment returns the bin directory of the virtual environment that has the proxy at a release, and installs it when
// it is not there.
func (o *oracle) environment(release string) (string, error) {
	dir := filepath.Join(o.home, release)
	bin, done := filepath.Join(dir, "bin"), filepath.Join(dir, "complete")
	if _, err := os.Stat(done); err == nil {
		return bin, nil
	}
	fail := func(what string, err error) (string, error) {
		return "", fmt.Errorf("litellm %s cannot be installed: %s: %w", release, what, err)
	}
	if err := run("python3", "-m", "venv", "--clear", dir); err != nil {
		return fail("venv", err)
	}
	pip, python := filepath.Join(bin, "pip"), filepath.Join(bin, "python")
	if err := run(pip, "install", "-q", "packaging", "prometheus_client", "litellm=="+release); err != nil {
		return fail("the wheel", err)
	}
	list, err := exec.Command(python, "-c", requirements).Output()
	if err != nil {
		return fail("the extra's requirements", err)
	}
	file := filepath.Join(dir, "requirements.txt")
	if err := os.WriteFile(file, list, 0o644); err != nil {
		return fail("the extra's requirements", err)
	}
	if err := run(pip, "install", "-q", "-r", file); err != nil {
		return fail("the extra's requirements", err)
	}
	if err := run(pip, "install", "-q", "--no-deps", "litellm-proxy-extras", "litellm-enterprise"); err != nil {
		return fail("litellm-proxy-extras", err)
	}
	return bin, os.WriteFile(done, nil, 0o644)
}

func run(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}
