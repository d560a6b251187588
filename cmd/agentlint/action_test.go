package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// action is what the tests read of action.yml.
type action struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run string
			Env            map[string]string
			Dir            string `yaml:"working-directory"`
		}
	}
}

func readAction(t *testing.T, file string) action {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(b, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestActionScriptsHoldNoExpressions keeps inputs out of the text of scripts, where they would be code.
func TestActionScriptsHoldNoExpressions(t *testing.T) {
	for _, s := range readAction(t, "../../action.yml").Runs.Steps {
		if strings.Contains(s.Run, "${{") {
			t.Errorf("the script of step %s holds an expression", s.ID)
		}
		if s.Shell != "bash" {
			t.Errorf("step %s has the shell %q", s.ID, s.Shell)
		}
	}
}

// runAction runs the steps of the action as GitHub's runner does, in dir, and returns what they print and put out.
func runAction(t *testing.T, dir string, inputs map[string]string, env ...string) (log string, outputs map[string]string, failed bool) {
	t.Helper()
	return runSteps(t, readAction(t, "../../action.yml"), dir, inputs, env...)
}

func runSteps(t *testing.T, a action, dir string, inputs map[string]string, env ...string) (log string, outputs map[string]string, failed bool) {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	context := map[string]string{"github.token": "ghs_of-the-job"}
	for name, v := range inputs {
		if _, ok := a.Inputs[name]; !ok {
			t.Fatalf("the action has no input %q", name)
		}
		context["inputs."+name] = v
	}
	expression := regexp.MustCompile(`\$\{\{ *([a-z.-]+) *\}\}`)
	expand := func(s string) string {
		return expression.ReplaceAllStringFunc(s, func(e string) string { return context[expression.FindStringSubmatch(e)[1]] })
	}
	for name, in := range a.Inputs {
		if _, given := inputs[name]; !given {
			context["inputs."+name] = expand(in.Default)
		}
	}
	for i, s := range a.Runs.Steps {
		script := filepath.Join(temp, "script.sh")
		output := filepath.Join(temp, "output")
		if err := os.WriteFile(script, []byte(s.Run), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(output, nil, 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", script)
		cmd.Dir = filepath.Join(dir, expand(s.Dir))
		cmd.Env = append(os.Environ(), "GITHUB_ACTIONS=true", "CI=true", "GITHUB_OUTPUT="+output, "GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"),
			"GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+temp, "GITHUB_EVENT_NAME=push", "GITHUB_WORKSPACE="+dir, "RUNNER_OS=Linux", "RUNNER_ARCH=X64")
		cmd.Env = append(cmd.Env, env...)
		for name, v := range s.Env {
			cmd.Env = append(cmd.Env, name+"="+expand(v))
		}
		out, err := cmd.CombinedOutput()
		log += string(out)
		b, readErr := os.ReadFile(output)
		if readErr != nil {
			t.Fatal(readErr)
		}
		for line := range strings.Lines(string(b)) {
			name, v, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
			context["steps."+s.ID+".outputs."+name] = v
		}
		if err != nil {
			failed = true
			if i < len(a.Runs.Steps)-1 {
				break
			}
		}
	}
	outputs = map[string]string{}
	for name, o := range a.Outputs {
		outputs[name] = expand(o.Value)
	}
	return log, outputs, failed
}

const slowConfig = "model_list: []\nlitellm_settings:\n  request_timeout: 6000\n"

func TestAction(t *testing.T) {
	if testing.Short() {
		t.Skip("the programs that it builds are without the race detector")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(".git/HEAD", "")
	write("deploy here/config.yaml", slowConfig)
	write("only.yaml", "rules: {request-timeout-very-long: warning}\n")
	write("off.yaml", "rules: {request-timeout-very-long: off}\n")

	log, outputs, failed := runAction(t, dir, map[string]string{"paths": "deploy here\n\n", "config": "only.yaml", "sarif": "out.sarif"})
	if !failed || outputs["exit-code"] != "1" || outputs["sarif"] != "out.sarif" {
		t.Errorf("failed %v, outputs %v\n%s", failed, outputs, log)
	}
	if !strings.Contains(log, "::warning file=deploy here/config.yaml,line=3,") {
		t.Errorf("no annotation:\n%s", log)
	}
	for name, want := range map[string]string{"out.sarif": `"version": "2.1.0"`, "summary.md": "request-timeout-very-long"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
	}

	// The rest runs the program that the first run installed.
	bin := binary(t)
	log, outputs, failed = runAction(t, dir, map[string]string{"install-mode": "path", "binary": bin, "config": "off.yaml", "working-directory": "deploy here", "summary": "false", "fail-on": "never"})
	if !failed || outputs["exit-code"] != "2" {
		t.Errorf("a configuration that is not there: failed %v, outputs %v\n%s", failed, outputs, log)
	}
	log, outputs, failed = runAction(t, dir, map[string]string{"install-mode": "path", "binary": bin, "fail-on": "never"})
	if failed || outputs["exit-code"] != "0" {
		t.Errorf("fail-on never: failed %v, outputs %v\n%s", failed, outputs, log)
	}

	// Inputs are data, whatever they hold.
	for _, evil := range []string{"$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\"; touch pwned; \"", "--output=json=pwned", "x\nexit-code=0"} {
		log, outputs, failed = runAction(t, dir, map[string]string{"install-mode": "path", "binary": bin, "paths": evil, "config": "only.yaml"})
		if _, err := os.Stat(filepath.Join(dir, "pwned")); err == nil {
			t.Fatalf("the input %q ran", evil)
		}
		if !failed || outputs["exit-code"] != "2" {
			t.Errorf("path %q: failed %v, outputs %v\n%s", evil, failed, outputs, log)
		}
	}
	if log, _, failed = runAction(t, dir, map[string]string{"install-mode": "docker"}); !failed || !strings.Contains(log, "install-mode must be release, go or path") {
		t.Errorf("install-mode docker: %s", log)
	}
}

// TestActionWords refuses what an input does not take, before anything is read.
func TestActionWords(t *testing.T) {
	for input, want := range map[string]string{
		"only-new": "only-new must be true or false", "review": "review must be true or false",
		"annotations": "annotations must be true, false or auto", "summary": "summary must be true or false",
	} {
		log, outputs, failed := runAction(t, t.TempDir(), map[string]string{"install-mode": "path", "binary": "false", input: "$(exit 0)"})
		if !failed || outputs["exit-code"] != "2" || !strings.Contains(log, want) {
			t.Errorf("%s: %v\n%s", input, outputs, log)
		}
	}
}

// TestActionOutputs counts, and annotates with paths from the top of the repository.
func TestActionOutputs(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{".git/HEAD": "", "deploy/.agentlint.yaml": "rules: {request-timeout-very-long: warning}\n", "deploy/config.yaml": slowConfig} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	log, outputs, failed := runAction(t, dir, map[string]string{"install-mode": "path", "binary": binary(t), "working-directory": "deploy", "sarif": "out.sarif", "fail-on": "error"})
	if failed || outputs["findings"] != "1" || outputs["errors"] != "0" || outputs["warnings"] != "1" || outputs["since"] != "" || outputs["exit-code"] != "0" {
		t.Errorf("failed %v, outputs %v\n%s", failed, outputs, log)
	}
	if !strings.Contains(log, "::warning file=deploy/config.yaml,line=3,") {
		t.Errorf("the annotation:\n%s", log)
	}
	b, err := os.ReadFile(filepath.Join(dir, "deploy/out.sarif"))
	if err != nil || !strings.Contains(string(b), `"uri": "deploy/config.yaml"`) {
		t.Errorf("%v\n%s", err, b)
	}
	if b, err := os.ReadFile(outputs["report"]); err == nil && !strings.Contains(string(b), "agentlint.findings/v1") {
		t.Errorf("the report holds %s", b)
	}
}

// release writes archives and checksums as a release has them, and an action that names them.
func release(t *testing.T, program string) (a action, folder string) {
	t.Helper()
	dir := t.TempDir()
	folder = filepath.Join(dir, "v9.8.7")
	script := "set -e; mkdir -p v9.8.7 x; printf '%s' \"$PROGRAM\" >x/agentlint; chmod +x x/agentlint; cp x/agentlint x/agentlint.exe; cd x;" +
		"for p in linux_amd64 linux_arm64 darwin_amd64 darwin_arm64; do tar -czf ../v9.8.7/agentlint_9.8.7_$p.tar.gz agentlint; done;" +
		"cd ../v9.8.7; for p in amd64 arm64; do cp agentlint_9.8.7_linux_$p.tar.gz agentlint_9.8.7_windows_$p.zip; done; sha256sum agentlint_* >checksums.txt"
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PROGRAM="+program)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "action.yml"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "run", "-C", "../../internal/gen", "./release", "-root", dir, "v9.8.7", filepath.Join(folder, "checksums.txt")).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return readAction(t, filepath.Join(dir, "action.yml")), folder
}

// TestActionInstallsItsRelease downloads from a server what the documented command wrote into the action.
func TestActionInstallsItsRelease(t *testing.T) {
	a, folder := release(t, "#!/bin/sh\necho the release ran: \"$@\"\n")
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(folder))))
	defer server.Close()
	inputs := map[string]string{"release-url": server.URL, "summary": "false"}
	for _, system := range [][2]string{{"Linux", "X64"}, {"Linux", "ARM64"}, {"macOS", "ARM64"}} {
		log, outputs, failed := runSteps(t, a, t.TempDir(), inputs, "RUNNER_OS="+system[0], "RUNNER_ARCH="+system[1])
		if failed || !strings.Contains(log, "the release ran: check ") || outputs["exit-code"] != "0" {
			t.Errorf("%v: failed %v, %v\n%s", system, failed, outputs, log)
		}
	}
	for _, c := range []struct{ os, arch, want string }{{"Linux", "ARM", "there is no release for ARM"}, {"Solaris", "X64", "there is no release for Solaris"}} {
		if log, _, failed := runSteps(t, a, t.TempDir(), inputs, "RUNNER_OS="+c.os, "RUNNER_ARCH="+c.arch); !failed || !strings.Contains(log, c.want) {
			t.Errorf("%s %s: %s", c.os, c.arch, log)
		}
	}
	// An archive that was changed after the release does not run.
	if err := os.WriteFile(filepath.Join(folder, "agentlint_9.8.7_linux_amd64.tar.gz"), []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if log, _, failed := runSteps(t, a, t.TempDir(), inputs); !failed || !strings.Contains(log, "has the checksum") || strings.Contains(log, "the release ran") {
		t.Errorf("a changed archive: %s", log)
	}
	if err := os.Remove(filepath.Join(folder, "agentlint_9.8.7_linux_amd64.tar.gz")); err != nil {
		t.Fatal(err)
	}
	if log, _, failed := runSteps(t, a, t.TempDir(), inputs); !failed || !strings.Contains(log, "cannot be downloaded") {
		t.Errorf("no archive: %s", log)
	}
}

// TestHookPatterns holds the files of the hooks against names that a deployment has.
func TestHookPatterns(t *testing.T) {
	b, err := os.ReadFile("../../.pre-commit-hooks.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Entry, Language, Files string
		Serial                     bool `yaml:"require_serial"`
	}
	if err := yaml.Unmarshal(b, &hooks); err != nil {
		t.Fatal(err)
	}
	for _, h := range hooks {
		// Go has no verbose mode: blanks count there, and none is meant.
		re := regexp.MustCompile(strings.Join(strings.Fields(strings.TrimPrefix(h.Files, "(?x)")), ""))
		for _, name := range []string{"config.yaml", "deploy/values-prod.yml", ".env", "deploy/.env.prod", "env.production", "gateway.env", "run.sh", "Dockerfile", "deploy/Dockerfile.vllm", "vllm.service", "pgbouncer.ini", "postgresql.conf", "dash/board.json", "requirements-prod.txt"} {
			if !re.MatchString(name) {
				t.Errorf("%s does not see %s", h.ID, name)
			}
		}
		for _, name := range []string{"main.go", "README.md", "environment.md", "logo.png", "shenv"} {
			if re.MatchString(name) {
				t.Errorf("%s sees %s", h.ID, name)
			}
		}
		if !h.Serial {
			t.Errorf("%s may run in parts, and would not see files together", h.ID)
		}
	}
}
