package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"agentlint/internal/engine"
	"agentlint/internal/model"
	"agentlint/internal/source"
)

// runWith runs a command line in an empty folder with a run of the test's own.
func runWith(t *testing.T, run func(context.Context, engine.Options) (*engine.Result, error), args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.Mkdir(".git", 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GITHUB_ACTIONS", "")
	var out, errs bytes.Buffer
	a := &app{Streams: Streams{In: strings.NewReader(""), Out: &out, Err: &errs}, ctx: context.Background(), run: run}
	code = a.execute(args)
	return code, out.String(), errs.String()
}

func TestFaultsOfRules(t *testing.T) {
	f := source.NewFile("a.yaml", []byte("x: 1\n"))
	run := func(context.Context, engine.Options) (*engine.Result, error) {
		return &engine.Result{
			Findings: []*engine.Finding{{Rule: "r", Severity: model.Error, Message: "still reported", Location: model.Location{File: f}}},
			Faults:   []engine.Fault{{Rule: "broken", Stack: "s", Text: "rule broken: panic: index out of range\ngoroutine 1"}},
		}, nil
	}
	code, out, errs := runWith(t, run, "check", "--format", "concise")
	if code != exitFault || !strings.Contains(out, "still reported") {
		t.Errorf("exit code %d, stdout %s", code, out)
	}
	if !strings.HasPrefix(errs, "agentlint: internal fault: rule broken on s: panic: index out of range\n") || strings.Contains(errs, "goroutine") || !strings.Contains(errs, "please report it") {
		t.Errorf("stderr %s", errs)
	}
	t.Setenv("AGENTLINT_TRACE", "1")
	if _, _, errs := runWith(t, run, "check"); !strings.Contains(errs, "goroutine 1") {
		t.Errorf("with a trace: %s", errs)
	}
}

func TestErrorOfARun(t *testing.T) {
	code, _, errs := runWith(t, func(context.Context, engine.Options) (*engine.Result, error) { return nil, errors.New("disk on fire") }, "check")
	if code != exitUsage || errs != "agentlint: check .: disk on fire\n" {
		t.Errorf("exit code %d, stderr %q", code, errs)
	}
}

func TestPanicIsAFault(t *testing.T) {
	t.Chdir(t.TempDir())
	var out, errs bytes.Buffer
	code := Main([]string{"check"}, Streams{In: nil, Out: panicky{}, Err: &errs})
	if code != exitFault || !strings.Contains(errs.String(), "internal fault: the writer broke") {
		t.Errorf("exit code %d, stderr %s, stdout %s", code, &errs, &out)
	}
}

type panicky struct{}

func (panicky) Write([]byte) (int, error) { panic("the writer broke") }

func TestOptionsOfTheCommandLine(t *testing.T) {
	var got engine.Options
	run := func(_ context.Context, o engine.Options) (*engine.Result, error) {
		got = o
		return &engine.Result{}, nil
	}
	code, _, errs := runWith(t, run, "check", "--target", "litellm=1.102,vllm=0.29", "--assume", "redis=false", "--assume", "engine_replicas.coder=4", "--profile", "agentic", "--only", "request-timeout-very-long,limits/*", "--skip", "caching/*")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, errs)
	}
	if !reflect.DeepEqual(got.Targets, map[string]string{"litellm": "1.102", "vllm": "0.29"}) || got.Profile != "agentic" ||
		!reflect.DeepEqual(got.Facts, map[string]any{"redis": false, "engine_replicas": map[string]any{"coder": int64(4)}}) ||
		!reflect.DeepEqual(got.Only, []string{"request-timeout-very-long", "limits/*"}) || !reflect.DeepEqual(got.Skip, []string{"caching/*"}) {
		t.Errorf("options %+v", got)
	}
	if got.Named || len(got.Paths) > 0 || len(got.Today) != len(time.DateOnly) {
		t.Errorf("options %+v", got)
	}
}

func TestMergeFacts(t *testing.T) {
	base := map[string]any{"redis": true, "engine_replicas": map[string]any{"a": 1, "b": 2}}
	got := mergeFacts(base, map[string]any{"redis": false, "engine_replicas": map[string]any{"b": 3}})
	if want := (map[string]any{"redis": false, "engine_replicas": map[string]any{"a": 1, "b": 3}}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
	if !reflect.DeepEqual(base["engine_replicas"], map[string]any{"a": 1, "b": 2}) {
		t.Error("the configuration's facts were changed")
	}
}

func TestExplainArgs(t *testing.T) {
	for in, want := range map[string]string{
		"explain --swap-space":                    "explain -- --swap-space",
		"explain --swap-space --target vllm=0.33": "explain --target vllm=0.33 -- --swap-space",
		"explain --target=vllm=0.33 x":            "explain --target=vllm=0.33 -- x",
		"explain -h":                              "explain -h --",
		"explain -tp":                             "explain -- -tp",
		"explain -- --x":                          "explain -- --x",
		"check --swap-space":                      "check --swap-space",
	} {
		if got := strings.Join(explainArgs(strings.Fields(in)), " "); got != want {
			t.Errorf("%s became %s, want %s", in, got, want)
		}
	}
}

func TestFileLine(t *testing.T) {
	for in, want := range map[string]struct {
		file string
		line int
	}{
		"a.yaml:3":           {"a.yaml", 3},
		"a.yaml:3:20":        {"a.yaml", 3},
		"dir/a b.yaml:12":    {"dir/a b.yaml", 12},
		`C:\x\a.yaml:3`:      {`C:\x\a.yaml`, 3},
		"vllm:num_requests":  {"", 0},
		"request_timeout":    {"", 0},
		"a.yaml:0":           {"a.yaml", 0},
		":3":                 {"", 0},
		"vllm:e2e_latency:5": {"vllm:e2e_latency", 5},
	} {
		file, line, ok := fileLine(in)
		if file != want.file || line != want.line || ok != (want.file != "") {
			t.Errorf("%s is %q, %d, %v", in, file, line, ok)
		}
	}
}

func TestShellArgs(t *testing.T) {
	if got, want := shellArgs([]string{"deploy/", "a b", "it's", "$(x)", ""}), ` deploy/ 'a b' 'it'\''s' '$(x)' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestProgress(t *testing.T) {
	b := new(safeBuffer)
	done := showProgress(b, "deploy", 10*time.Millisecond)
	for range 500 {
		if b.Len() > 0 {
			break
		}
		time.Sleep(2 * time.Millisecond)
	}
	done()
	done()
	out := b.String()
	if !strings.HasPrefix(out, "\r\x1b[Kchecking deploy, 0s") || !strings.HasSuffix(out, "\r\x1b[K") {
		t.Errorf("got %q", out)
	}
	b = new(safeBuffer)
	showProgress(b, "deploy", time.Hour)()
	if b.Len() > 0 {
		t.Errorf("a short run shows %q", b.String())
	}
}

func TestWantColor(t *testing.T) {
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	tty := terminal{is: true}
	for _, c := range []struct {
		choice, noColor, term string
		t                     terminal
		want                  bool
	}{
		{"auto", "", "xterm", tty, true},
		{"auto", "1", "xterm", tty, false},
		{"auto", "", "dumb", tty, false},
		{"auto", "", "xterm", terminal{}, false},
		{"always", "1", "dumb", terminal{}, true},
		{"never", "", "xterm", tty, false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := wantColor(c.choice, c.t); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

func TestWriteFileKeepsModeAndLink(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("real", []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real", "link"); err != nil {
		t.Fatal(err)
	}
	if err := writeFile("link", []byte("new")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile("real")
	if err != nil || string(b) != "new" {
		t.Errorf("the target holds %q, %v", b, err)
	}
	if st, err := os.Lstat("link"); err != nil || st.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", st.Mode(), err)
	}
	if st, err := os.Stat("real"); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", st.Mode(), err)
	}
	left, err := os.ReadDir(".")
	if err != nil || len(left) != 2 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

func TestEveryCommandHasExamples(t *testing.T) {
	a := &app{}
	for _, c := range a.rootCommand().Commands() {
		if c.Name() == "completion" || c.Name() == "help" {
			continue
		}
		if n := strings.Count(c.Example, "agentlint "); n < 2 {
			t.Errorf("agentlint %s --help has %d examples", c.Name(), n)
		}
		if c.Short == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("agentlint %s: %q", c.Name(), c.Short)
		}
	}
}
