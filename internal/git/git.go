// Package git reads revisions of a repository out of its objects. It runs the git program with fixed arguments and
// without hooks, pagers, filters and the network, never changes the repository, and never looks at a working copy
// through the repository's own configuration.
package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
)

// Repo is a repository seen from one folder of its working copy.
type Repo struct {
	// dir is the folder; paths are relative to it.
	dir string
	// prefix is the way from the top of the working copy to dir, with a slash at its end, "" for the top.
	prefix string
	top    string
	// trusted lets git read a repository that belongs to another user.
	trusted bool

	mu    sync.Mutex
	batch *batch
}

// maxList bounds what git prints of one list of names.
const maxList = 512 << 20

// Open returns the repository around a folder. Trusted says that the owner of the folder need not be the user, as in
// the containers of a CI job.
func Open(ctx context.Context, dir string, trusted bool) (*Repo, error) {
	r := &Repo{dir: dir, trusted: trusted}
	out, err := r.run(ctx, "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(string(out), "\n")
	if len(lines) < 2 {
		return nil, fmt.Errorf("git: no working copy around %s", dir)
	}
	r.top, r.prefix = lines[0], lines[1]
	return r, nil
}

// Prefix returns the way from the top of the working copy to the folder, with a slash at its end; "" for the top.
func (r *Repo) Prefix() string { return r.prefix }

// Top returns the folder at the top of the working copy.
func (r *Repo) Top() string { return filepath.FromSlash(r.top) }

// command returns a git process. Whatever the repository's configuration says, it runs nothing else.
func (r *Repo) command(ctx context.Context, args ...string) *exec.Cmd {
	null := "/dev/null"
	if runtime.GOOS == "windows" {
		null = "NUL"
	}
	fixed := []string{
		"--no-pager", "--no-replace-objects", "--literal-pathspecs", "-C", r.dir, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + null,
		"-c", "core.quotePath=false", "-c", "core.untrackedCache=false",
	}
	if r.trusted {
		fixed = append(fixed, "-c", "safe.directory=*")
	}
	cmd := exec.CommandContext(ctx, "git", append(fixed, args...)...)
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		switch {
		// The hook of another repository may run agentlint; tracing would mix into what git says.
		case name == "GIT_DIR", name == "GIT_WORK_TREE", name == "GIT_INDEX_FILE", name == "GIT_PREFIX", name == "GIT_NAMESPACE", name == "GIT_OBJECT_DIRECTORY",
			name == "GIT_ALTERNATE_OBJECT_DIRECTORIES", name == "GIT_EXTERNAL_DIFF", strings.HasPrefix(name, "GIT_TRACE"), name == "GIT_CURL_VERBOSE", name == "LC_ALL":
			continue
		}
		cmd.Env = append(cmd.Env, v)
	}
	cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1", "GIT_ATTR_NOSYSTEM=1", "LC_ALL=C")
	return cmd
}

// run returns what git prints.
func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := r.command(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &limited{w: &stderr, left: 4 << 10}
	var stdout bytes.Buffer
	out := &limited{w: &stdout, left: maxList}
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("git is not installed")
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, &Error{Args: args, Text: firstLine(stderr.String()), err: err}
	case out.cut:
		return nil, fmt.Errorf("git %s: prints more than %d MiB", args[0], maxList>>20)
	}
	return stdout.Bytes(), nil
}

// Error is a git command that failed.
type Error struct {
	Args []string
	// Text is the first line that git printed on stderr.
	Text string
	err  error
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("git %s: %s", e.Args[0], e.err)
	}
	return fmt.Sprintf("git %s: %s", e.Args[0], e.Text)
}

func (e *Error) Unwrap() error { return e.err }

func firstLine(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	for _, p := range []string{"fatal: ", "error: "} {
		s = strings.TrimPrefix(s, p)
	}
	return s
}

// limited keeps the beginning of what is written.
type limited struct {
	w    io.Writer
	left int
	cut  bool
}

func (l *limited) Write(p []byte) (int, error) {
	n := len(p)
	if n > l.left {
		p, l.cut = p[:l.left], true
	}
	l.left -= len(p)
	if _, err := l.w.Write(p); err != nil {
		return 0, err
	}
	return n, nil
}

// ErrUnknownRevision is the error of a revision that is not in the repository: mistyped, or not fetched.
var ErrUnknownRevision = errors.New("no such revision")

// Commit returns the full name of the commit that a revision names.
func (r *Repo) Commit(ctx context.Context, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n\r") {
		return "", fmt.Errorf("%q: %w", rev, ErrUnknownRevision)
	}
	out, err := r.run(ctx, "rev-parse", "--verify", "--quiet", rev+"^{commit}")
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) {
			return "", fmt.Errorf("%q: %w", rev, ErrUnknownRevision)
		}
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !IsObject(id) {
		return "", fmt.Errorf("%q: %w", rev, ErrUnknownRevision)
	}
	// A name of forty digits is taken as it is, so the object itself is asked for.
	if _, err := r.run(ctx, "cat-file", "-e", id+"^{tree}"); err != nil {
		return "", fmt.Errorf("%q: %w", rev, ErrUnknownRevision)
	}
	return id, nil
}

// IsObject reports whether a text is the full name of an object.
func IsObject(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Parents returns the parents that a commit names, also those that a shallow clone does not have.
func (r *Repo) Parents(ctx context.Context, commit string) ([]string, error) {
	if !IsObject(commit) {
		return nil, fmt.Errorf("%q: %w", commit, ErrUnknownRevision)
	}
	out, err := r.run(ctx, "cat-file", "commit", commit)
	if err != nil {
		return nil, err
	}
	var parents []string
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if id, ok := strings.CutPrefix(line, "parent "); ok && IsObject(id) {
			parents = append(parents, id)
		}
	}
	return parents, nil
}

// MergeBase returns the newest commit that two commits have in common, as far as the clone shows it.
func (r *Repo) MergeBase(ctx context.Context, a, b string) (string, error) {
	if !IsObject(a) || !IsObject(b) {
		return "", ErrUnknownRevision
	}
	out, err := r.run(ctx, "merge-base", a, b)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !IsObject(id) {
		return "", ErrUnknownRevision
	}
	return id, nil
}

// Renames returns the files that have another name in the index than in a commit, new name to old, as git's rename
// detection sees it.
func (r *Repo) Renames(ctx context.Context, commit string) (map[string]string, error) {
	out, err := r.run(ctx, "diff-index", "--cached", "--name-status", "-z", "-M", "--diff-filter=R", "--no-ext-diff", "--no-textconv", "--relative", commit)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if strings.HasPrefix(fields[i], "R") {
			names[fields[i+2]] = fields[i+1]
		}
	}
	return names, nil
}

// LastCommit returns the newest commit that changed a file, "" when none did.
func (r *Repo) LastCommit(ctx context.Context, name string) (string, error) {
	out, err := r.run(ctx, "log", "-1", "--format=%H", "--no-show-signature", "--no-ext-diff", "--no-textconv", "--", name)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !IsObject(id) {
		return "", nil
	}
	return id, nil
}

// Fetch fetches one commit from a remote repository without its history. It is the only use of the network. Header is
// sent with the requests, "" for none; it stays out of the arguments, which other users may see.
func (r *Repo) Fetch(ctx context.Context, remote, commit, url, header string) error {
	if !IsObject(commit) || strings.HasPrefix(remote, "-") {
		return fmt.Errorf("fetch %q: %w", commit, ErrUnknownRevision)
	}
	cmd := r.command(ctx, "-c", "protocol.allow=never", "-c", "protocol.https.allow=always", "-c", "protocol.http.allow=always", "-c", "protocol.ssh.allow=always", "-c", "protocol.file.allow=always",
		"fetch", "--quiet", "--no-tags", "--depth=1", "--no-recurse-submodules", "--no-write-fetch-head", remote, commit)
	if header != "" && url != "" {
		cmd.Env = append(cmd.Env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http."+url+".extraheader", "GIT_CONFIG_VALUE_0="+header)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &limited{w: &stderr, left: 4 << 10}
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return &Error{Args: []string{"fetch"}, Text: firstLine(stderr.String()), err: err}
	}
	return nil
}

// Blob returns the content of a file in a commit, at most limit bytes of it. The path is relative to the folder.
func (r *Repo) Blob(ctx context.Context, commit, name string, limit int) ([]byte, error) {
	return r.object(commit+":"+r.prefix+name, limit)
}

// batch is a running git cat-file --batch.
type batch struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// errMissing is returned for an object that is not in the clone.
var errMissing = errors.New("not in the repository")

// errTooLarge is returned for an object over the limit.
var errTooLarge = errors.New("too large")

// object returns the content of a blob.
func (r *Repo) object(name string, limit int) ([]byte, error) {
	if strings.ContainsAny(name, "\n\x00") {
		return nil, errMissing
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.batch == nil {
		cmd := r.command(context.Background(), "cat-file", "--batch")
		in, err := cmd.StdinPipe()
		if err != nil {
			return nil, err
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			return nil, err
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		r.batch = &batch{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 64<<10)}
	}
	b, err := r.batch.read(name, limit)
	if err != nil && !errors.Is(err, errMissing) && !errors.Is(err, errTooLarge) {
		r.stop()
	}
	return b, err
}

// read asks for one object.
func (b *batch) read(name string, limit int) ([]byte, error) {
	if _, err := io.WriteString(b.in, name+"\n"); err != nil {
		return nil, err
	}
	head, err := b.out.ReadString('\n')
	if err != nil {
		return nil, err
	}
	fields := strings.Fields(head)
	if len(fields) < 3 || !IsObject(fields[0]) {
		return nil, errMissing
	}
	size, err := strconv.Atoi(fields[len(fields)-1])
	if err != nil || size < 0 {
		return nil, fmt.Errorf("git cat-file: %q", strings.TrimSpace(head))
	}
	if fields[1] != "blob" || size > limit {
		if _, err := io.CopyN(io.Discard, b.out, int64(size)+1); err != nil {
			return nil, err
		}
		if size > limit {
			return nil, errTooLarge
		}
		return nil, errMissing
	}
	out := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, out); err != nil {
		return nil, err
	}
	return out[:size:size], nil
}

// stop ends the running process.
func (r *Repo) stop() {
	if r.batch == nil {
		return
	}
	r.batch.in.Close()
	// Its exit code says nothing that its answers did not.
	_ = r.batch.cmd.Wait()
	r.batch = nil
}

// Close ends what the repository keeps running.
func (r *Repo) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stop()
}
