// Command bench measures agentlint against its neighbours in one run: a cold start against a Go hello world and against
// conftest with 20 trivial rules, many generated configs against parsing them with yaml.v3 alone and against actionlint
// on workflows of the same size, and 50 policies of users against the same 50 in conftest. Times are medians of
// alternating runs; only their ratios mean anything on another machine.
//
//	go -C internal/bench run .          # prints the tables
//	go -C internal/bench run . -write   # also writes them into docs/performance.md
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"agentlint/internal/bench/bare"
)

func main() {
	runs := flag.Int("n", 21, "runs of each command")
	large := flag.Bool("large", true, "measure 10,000 configs too")
	peers := flag.Bool("peers", true, "build and measure conftest and actionlint")
	write := flag.Bool("write", false, "write the tables into docs/performance.md")
	flag.Parse()
	var tables strings.Builder
	if err := bench(io.MultiWriter(os.Stdout, &tables), *runs, *large, *peers); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	if *write {
		if err := writePage("../../docs/performance.md", tables.String()); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

// The tables stand between these lines of the page.
const (
	pageStart = "<!-- bench -->\n"
	pageEnd   = "<!-- end -->"
)

func writePage(name, tables string) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	head, rest, ok := strings.Cut(string(b), pageStart)
	_, tail, ended := strings.Cut(rest, pageEnd)
	if !ok || !ended {
		return fmt.Errorf("%s: no %q with a %q after it", name, strings.TrimSpace(pageStart), pageEnd)
	}
	return os.WriteFile(name, []byte(head+pageStart+tables+pageEnd+tail), 0o644)
}

func bench(w io.Writer, runs int, large, peers bool) error {
	dir, err := os.MkdirTemp("", "agentlint-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	agentlint, hello, yamlparse, one := in("agentlint"), in("hello"), in("yamlparse"), in("one")
	if err := build(root, agentlint, "./cmd/agentlint"); err != nil {
		return err
	}
	if err := build(".", hello, "./hello"); err != nil {
		return err
	}
	if err := build(".", yamlparse, "./yamlparse"); err != nil {
		return err
	}
	if err := generate(one, 1); err != nil {
		return err
	}
	conftest, actionlint := "", ""
	if peers {
		conftest = install(dir, "github.com/open-policy-agent/conftest", conftestVersion)
		actionlint = install(dir, "github.com/rhysd/actionlint/cmd/actionlint", actionlintVersion)
	}
	check := func(args ...string) []string {
		return append([]string{agentlint, "check", "--fail-on", "never", "-q"}, args...)
	}
	if err := coldStart(w, runs, []command{
		{name: "Go hello world", argv: []string{hello}},
		{name: "agentlint version", argv: []string{agentlint, "version"}},
		{name: "agentlint check, one config, all rules", argv: check(one)},
	}, conftest, in("trivial"), filepath.Join(one, "config-0000.yaml")); err != nil {
		return err
	}
	sizes := []int{1000}
	if large {
		sizes = append(sizes, 10000)
	}
	json := []string{"--format", "json"}
	fmt.Fprintf(w, "\n| many files | s | x yaml.v3 | peak MiB |\n|---|---|---|---|\n")
	for _, n := range sizes {
		many, workflows := in(fmt.Sprint("many", n)), in(fmt.Sprint("workflows", n))
		if err := generate(many, n); err != nil {
			return err
		}
		cmds := []command{
			{name: "yaml.v3 alone, a program on all cores", argv: []string{yamlparse, many}},
			{name: "the same in a process that is warm", inner: func() error { return bare.ParseAll(many) }},
			{name: "agentlint check, all rules", argv: check(append(json, many)...)},
		}
		if actionlint != "" && n == 1000 {
			if err := generateWorkflows(workflows, n); err != nil {
				return err
			}
			cmds = append(cmds, command{name: "actionlint, workflows of the same size", argv: append([]string{actionlint, "-shellcheck=", "-pyflakes=", "-no-color"}, list(workflows)...)})
		}
		times := max(3, runs/2)
		if n > 1000 {
			times = 3
		}
		if err := measure(cmds, times); err != nil {
			return err
		}
		for _, c := range cmds {
			peak := "-"
			if c.peak > 0 {
				peak = fmt.Sprint(c.peak >> 10)
			}
			fmt.Fprintf(w, "| %d: %s | %.2f | %.1f | %s |\n", n, c.name, c.wall().Seconds(), ratio(c.wall(), cmds[0].wall()), peak)
		}
	}
	return ownPolicies(w, max(3, runs/5), check, conftest, in)
}

// coldStart measures one command after the other on one file.
func coldStart(w io.Writer, runs int, cmds []command, conftest, policies, file string) error {
	if conftest != "" {
		if err := os.MkdirAll(policies, 0o755); err != nil {
			return err
		}
		for i := range 20 {
			text := fmt.Sprintf("package main\n\nimport rego.v1\n\nwarn contains msg if {\n\tinput.litellm_settings.key_%02d == true\n\tmsg := \"key %d is on\"\n}\n", i, i)
			if err := os.WriteFile(filepath.Join(policies, fmt.Sprintf("rule_%02d.rego", i)), []byte(text), 0o644); err != nil {
				return err
			}
		}
		cmds = append(cmds, command{name: "conftest test, 20 trivial rules", argv: []string{conftest, "test", "--no-color", "-p", policies, file}})
	}
	if err := measure(cmds, runs); err != nil {
		return err
	}
	fmt.Fprintf(w, "| cold start | wall ms | CPU ms | x hello |\n|---|---|---|---|\n")
	for _, c := range cmds {
		fmt.Fprintf(w, "| %s | %.1f | %.1f | %.1f |\n", c.name, ms(c.wall()), ms(c.cpu()), ratio(c.wall(), cmds[0].wall()))
	}
	return nil
}

// ownPolicies measures 50 policies of users on 1,000 configs, each of them a stack, against the same 50 in conftest, both
// with one policy subtracted.
func ownPolicies(w io.Writer, runs int, check func(...string) []string, conftest string, in func(string) string) error {
	const stacks, policies = 1000, 50
	if err := generatePolicies(in("ours"), in("theirs"), policies); err != nil {
		return err
	}
	if err := generatePolicies(in("ours1"), in("theirs1"), 1); err != nil {
		return err
	}
	many := in(fmt.Sprint("many", stacks))
	cmds := []command{
		{name: "agentlint, 1 policy", argv: check("--only", "custom/*", "--policy", in("ours1"), many)},
		{name: "agentlint, 50 policies", argv: check("--only", "custom/*", "--policy", in("ours"), many)},
	}
	if conftest != "" {
		cmds = append(cmds,
			command{name: "conftest, 1 policy", argv: []string{conftest, "test", "--no-color", "-p", in("theirs1"), many}},
			command{name: "conftest, 50 policies", argv: []string{conftest, "test", "--no-color", "-p", in("theirs"), many}})
	}
	if err := measure(cmds, runs); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n| users' policies on 1,000 configs | s | us per policy and stack |\n|---|---|---|\n")
	for i, c := range cmds {
		per := "-"
		if i%2 == 1 {
			per = fmt.Sprintf("%.1f", float64((c.wall()-cmds[i-1].wall()).Microseconds())/stacks/(policies-1))
		}
		fmt.Fprintf(w, "| %s | %.2f | %s |\n", c.name, c.wall().Seconds(), per)
	}
	return nil
}

// list names the files of a folder.
func list(dir string) []string {
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		panic(err) // the pattern is fixed
	}
	return names
}

// command is one thing that is measured: a process, or with inner a function of this process.
type command struct {
	name  string
	argv  []string
	inner func() error

	walls, cpus []time.Duration
	peak        int64 // KiB
}

func (c *command) wall() time.Duration { return median(c.walls) }
func (c *command) cpu() time.Duration  { return median(c.cpus) }

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	if len(d) == 0 {
		return 0
	}
	return d[len(d)/2]
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func ratio(a, b time.Duration) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// measure runs commands in turn, so that a slow moment of the machine hits all of them.
func measure(cmds []command, runs int) error {
	for range runs {
		for i := range cmds {
			if err := cmds[i].run(); err != nil {
				return fmt.Errorf("%s: %w", cmds[i].name, err)
			}
		}
	}
	return nil
}

func (c *command) run() error {
	start := time.Now()
	if c.inner != nil {
		err := c.inner()
		c.walls = append(c.walls, time.Since(start))
		runtime.GC()
		return err
	}
	cmd := exec.Command(c.argv[0], c.argv[1:]...)
	var out strings.Builder
	cmd.Stderr = &out
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	c.walls = append(c.walls, time.Since(start))
	c.cpus = append(c.cpus, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = max(c.peak, ru.Maxrss)
	}
	return nil
}

func build(dir, out, pkg string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, b)
	}
	return nil
}

// The releases of the peers that are measured.
const (
	conftestVersion   = "v0.71.1"
	actionlintVersion = "v1.7.12"
)

// install builds a program from the module proxy into a folder; "" with a note when it cannot be had.
func install(dir, pkg, version string) string {
	cmd := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w", pkg+"@"+version)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
	if b, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %s left out: %v\n%s", pkg, err, b)
		return ""
	}
	return filepath.Join(dir, filepath.Base(pkg))
}
