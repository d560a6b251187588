package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// masterKey is a key that no release refuses as weak or known.
const masterKey = "sk-oracle-0123456789abcdef0123456789"

// readyWithin is how long a proxy may take until it is ready. Alone on two cores it takes 4 to 9 seconds.
const readyWithin = 3 * time.Minute

// lab is what one question starts: upstreams, Redis, and proxies. Close stops it all.
type lab struct {
	bin   string
	dir   string
	procs []*process
	ups   []*upstream
	// redis is the port of the Redis that the question shares, 0 without.
	redis int
}

func newLab(bin string) (*lab, error) {
	dir, err := os.MkdirTemp("", "oracle-")
	return &lab{bin: bin, dir: dir}, err
}

// Close stops what the lab started. Processes that do not end by themselves are killed with their children.
func (l *lab) Close() {
	for _, p := range l.procs {
		syscall.Kill(-p.pid, syscall.SIGTERM)
	}
	for _, p := range l.procs {
		select {
		case <-p.ended:
		case <-time.After(5 * time.Second):
		}
		syscall.Kill(-p.pid, syscall.SIGKILL)
		<-p.ended
	}
	for _, u := range l.ups {
		u.server.CloseClientConnections()
		u.server.Close()
	}
	os.RemoveAll(l.dir)
}

// process is a group of processes that was started; ended is closed when the first of them is gone.
type process struct {
	pid   int
	ended chan struct{}
}

func freePort() (int, error) {
	x, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer x.Close()
	return x.Addr().(*net.TCPAddr).Port, nil
}

// spawn starts a program in the lab's directory with its output in NAME.log.
func (l *lab) spawn(name string, env []string, argv ...string) (*process, error) {
	out, err := os.Create(filepath.Join(l.dir, name+".log"))
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.Env = l.dir, out, out, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &process{cmd.Process.Pid, make(chan struct{})}
	go func() { cmd.Wait(); close(p.ended) }()
	l.procs = append(l.procs, p)
	return p, nil
}

func (l *lab) startRedis() error {
	port, err := freePort()
	if err != nil {
		return err
	}
	if _, err := l.spawn("redis", nil, "redis-server", "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"); err != nil {
		return err
	}
	for range 100 {
		if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			c.Close()
			l.redis = port
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return errors.New("redis-server did not start")
}

// clean is the environment without settings of LiteLLM, with what a question sets.
func (l *lab) clean(extra []string) []string {
	var out []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !regexp.MustCompile(`^(LITELLM_|REDIS_|DATABASE_|OPENAI_|PYTHON)`).MatchString(name) {
			out = append(out, kv)
		}
	}
	return append(append(out, "LITELLM_LOCAL_MODEL_COST_MAP=True", "LITELLM_LOCAL_BLOG_POSTS=True", "NO_PROXY=127.0.0.1", "LITELLM_LOG=WARNING", "PYTHONPATH="+l.dir, "PYTHONDONTWRITEBYTECODE=1"), extra...)
}

// errExited says that a proxy ended before it was ready.
var errExited = errors.New("does not start")

// proxy starts a proxy on the lab's NAME.yaml and waits until it is ready. The error is errExited when it ended.
func (l *lab) proxy(name string, args, env []string) (int, error) {
	port, err := freePort()
	if err != nil {
		return 0, err
	}
	argv := append([]string{filepath.Join(l.bin, "litellm"), "--config", filepath.Join(l.dir, "config.yaml"), "--host", "127.0.0.1", "--port", strconv.Itoa(port)}, args...)
	p, err := l.spawn(name, l.clean(env), argv...)
	if err != nil {
		return 0, err
	}
	for deadline := time.Now().Add(readyWithin); time.Now().Before(deadline); {
		select {
		case <-p.ended:
			return 0, errExited
		case <-time.After(150 * time.Millisecond):
		}
		if status, _, err := call(port, "GET", "/health/readiness", "", nil, nil, 3*time.Second); err == nil && status == 200 {
			return port, nil
		}
	}
	return 0, fmt.Errorf("the proxy was not ready within %s", readyWithin)
}

// said returns the last line of a log that names an error.
func (l *lab) said(name string) string {
	b, _ := os.ReadFile(filepath.Join(l.dir, name+".log"))
	last := ""
	for line := range strings.Lines(regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(string(b), "")) {
		if regexp.MustCompile(`^[\w.]*(Error|Exception)\b`).MatchString(line) {
			last = strings.TrimSpace(line)
		}
	}
	return last
}

// call makes one request on a connection of its own.
func call(port int, method, path, key string, body any, header map[string]string, within time.Duration) (int, map[string]any, error) {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		r = bytes.NewReader(b)
	}
	q, err := http.NewRequest(method, fmt.Sprintf("http://127.0.0.1:%d%s", port, path), r)
	if err != nil {
		return 0, nil, err
	}
	q.Header.Set("content-type", "application/json")
	if key != "" {
		q.Header.Set("authorization", "Bearer "+key)
	}
	for k, v := range header {
		q.Header.Set(k, v)
	}
	c := http.Client{Timeout: within, Transport: &http.Transport{DisableKeepAlives: true}}
	a, err := c.Do(q)
	if err != nil {
		return 0, nil, err
	}
	defer a.Body.Close()
	var out map[string]any
	b, err := io.ReadAll(a.Body)
	json.Unmarshal(b, &out) // an answer that is no JSON has its status
	return a.StatusCode, out, err
}

// chat asks a proxy for one completion.
func chat(port int, key, text string, header map[string]string, more map[string]any) (int, error) {
	body := map[string]any{"model": "m", "messages": []any{map[string]any{"role": "user", "content": text}}}
	for k, v := range more {
		body[k] = v
	}
	status, _, err := call(port, "POST", "/v1/chat/completions", key, body, header, 2*time.Minute)
	return status, err
}

// seen is a request that reached an upstream.
type seen struct {
	path   string
	header http.Header
}

// upstream is an engine that speaks the OpenAI API. The text of a prompt steers it: "sleep=2" waits, "status=503" refuses.
type upstream struct {
	server *httptest.Server
	mu     sync.Mutex
	calls  []seen
	fails  bool
}

var steering = regexp.MustCompile(`(sleep|status)=([0-9.]+)`)

func (l *lab) upstream() *upstream {
	u := &upstream{}
	u.server = httptest.NewServer(u)
	l.ups = append(l.ups, u)
	return u
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	w.Header().Set("content-type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/models") {
		io.WriteString(w, `{"object":"list","data":[{"id":"fake","object":"model"}]}`)
		return
	}
	u.mu.Lock()
	u.calls = append(u.calls, seen{r.URL.Path, r.Header.Clone()})
	n := len(u.calls)
	u.mu.Unlock()
	if u.fails {
		w.WriteHeader(500)
		return
	}
	for _, m := range steering.FindAllStringSubmatch(string(b), -1) {
		x, _ := strconv.ParseFloat(m[2], 64)
		if m[1] == "sleep" {
			time.Sleep(time.Duration(x * float64(time.Second)))
			continue
		}
		w.WriteHeader(int(x))
		io.WriteString(w, `{"error":{"message":"asked for","type":"x"}}`)
		return
	}
	fmt.Fprintf(w, `{"id":"c%d","object":"chat.completion","created":1,"model":"fake","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"answer %d"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`, n, n)
}

// take returns the requests since the last time.
func (u *upstream) take() []seen {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := u.calls
	u.calls = nil
	return out
}
