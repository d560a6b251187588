// Command bench measures agentlint against its neighbours in one run and prints the table of docs/performance.md:
// a cold start against a Go hello world and against conftest with 20 trivial rules, and many generated configs
// against parsing them with yaml.v3 alone. Times are medians of alternating runs; only their ratios mean anything
// on another machine.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"gopkg.in/yaml.v3"
)

func main() {
	runs := flag.Int("n", 21, "runs of each command")
	large := flag.Bool("large", true, "measure 10,000 configs too")
	conftest := flag.Bool("conftest", true, "build and measure conftest")
	flag.Parse()
	if err := bench(*runs, *large, *conftest); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(runs int, large, withConftest bool) error {
	dir, err := os.MkdirTemp("", "agentlint-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	agentlint, hello := filepath.Join(dir, "agentlint"), filepath.Join(dir, "hello")
	if err := build(root, agentlint, "./cmd/agentlint"); err != nil {
		return err
	}
	if err := build(".", hello, "./hello"); err != nil {
		return err
	}
	one := filepath.Join(dir, "one")
	if err := generate(one, 1); err != nil {
		return err
	}
	cmds := []command{
		{name: "Go hello world", argv: []string{hello}},
		{name: "agentlint version", argv: []string{agentlint, "version"}},
		{name: "agentlint check, one config", argv: []string{agentlint, "check", "--fail-on", "never", "-q", one}},
	}
	if withConftest {
		path, err := conftestCommand(dir)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: conftest left out:", err)
		} else {
			cmds = append(cmds, command{name: "conftest test, 20 trivial rules", argv: []string{path, "test", "--no-color", "-p", filepath.Join(dir, "policy"), filepath.Join(one, "config-0000.yaml")}})
		}
	}
	if err := measure(cmds, runs); err != nil {
		return err
	}
	fmt.Printf("| cold start | wall ms | CPU ms | x hello |\n|---|---|---|---|\n")
	for _, c := range cmds {
		fmt.Printf("| %s | %.1f | %.1f | %.1f |\n", c.name, ms(c.wall()), ms(c.cpu()), ratio(c.wall(), cmds[0].wall()))
	}
	sizes := []int{1000}
	if large {
		sizes = append(sizes, 10000)
	}
	fmt.Printf("\n| generated configs | yaml.v3 alone s | agentlint s | ratio | peak MiB |\n|---|---|---|---|---|\n")
	for _, n := range sizes {
		many := filepath.Join(dir, fmt.Sprint("many", n))
		if err := generate(many, n); err != nil {
			return err
		}
		cmds := []command{
			{name: "bare", inner: func() error { return parseAll(many) }},
			{name: "agentlint", argv: []string{agentlint, "check", "--fail-on", "never", "-q", "--format", "json", "--output", "json=" + filepath.Join(dir, "out.json"), many}},
		}
		if err := measure(cmds, max(3, runs/5)); err != nil {
			return err
		}
		fmt.Printf("| %d | %.2f | %.2f | %.1f | %d |\n", n, cmds[0].wall().Seconds(), cmds[1].wall().Seconds(), ratio(cmds[1].wall(), cmds[0].wall()), cmds[1].peak>>10)
	}
	return nil
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

// conftestVersion is the peer that is measured.
const conftestVersion = "v0.71.1"

// conftestCommand builds conftest and writes 20 trivial rules.
func conftestCommand(dir string) (string, error) {
	cmd := exec.Command("go", "install", "-trimpath", "-ldflags=-s -w", "github.com/open-policy-agent/conftest@"+conftestVersion)
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=-mod=mod")
	if b, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("install conftest: %w\n%s", err, b)
	}
	p := filepath.Join(dir, "policy")
	if err := os.MkdirAll(p, 0o755); err != nil {
		return "", err
	}
	for i := range 20 {
		text := fmt.Sprintf("package main\n\nimport rego.v1\n\nwarn contains msg if {\n\tinput.litellm_settings.key_%02d == true\n\tmsg := \"key %d is on\"\n}\n", i, i)
		if err := os.WriteFile(filepath.Join(p, fmt.Sprintf("rule_%02d.rego", i)), []byte(text), 0o644); err != nil {
			return "", err
		}
	}
	return filepath.Join(dir, "conftest"), nil
}

// parseAll parses all files with yaml.v3 into nodes on all cores, the floor of what a linter on that library can
// reach.
func parseAll(dir string) error {
	var names []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		return err
	}
	next := make(chan string)
	errs := make(chan error, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for name := range next {
				b, err := os.ReadFile(name)
				var n yaml.Node
				if err == nil {
					err = yaml.Unmarshal(b, &n)
				}
				if err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for _, n := range names {
		next <- n
	}
	close(next)
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
