package source

import (
	"path"
	"slices"
	"strings"
)

// ContainerRun is a "docker run", "podman run" or "nerdctl run" line.
type ContainerRun struct {
	Flags *Flags
	// Image is nil when none is written.
	Image *CommandWord
	// Command is the words after the image; Entrypoint the value of --entrypoint, nil without.
	Command    *CommandLine
	Entrypoint *FlagValue
	// Env are the variables of -e in order; one without "=" is unknown. OpenEnv is true when there may be more.
	Env     []Assignment
	OpenEnv bool
	// EnvFiles are the values of --env-file, which are in the dialect [EnvDocker].
	EnvFiles []FlagValue
	Mounts   []Mount
}

// Mount is a volume of -v or --mount.
type Mount struct {
	Source, Target string
	// SourceSpan and TargetSpan stand in the file of the word that holds the mount; SourceSpan is empty for a
	// volume without a source.
	SourceSpan, TargetSpan Span
	// Bind is true when Source is a path of the host, not the name of a volume.
	Bind    bool
	Unknown bool
	// Index is the word that holds the mount.
	Index int
}

// containerFlags is the flags of run: those that take no value; all others take one.
type containerFlags struct{}

func (containerFlags) Lookup(option string) (FlagInfo, bool) {
	name := option
	switch option {
	case "-a":
		name = "attach"
	case "-c":
		name = "cpu-shares"
	case "-d":
		name = "detach"
	case "-e":
		name = "env"
	case "-h":
		name = "hostname"
	case "-i":
		name = "interactive"
	case "-l":
		name = "label"
	case "-m":
		name = "memory"
	case "-p":
		name = "publish"
	case "-P":
		name = "publish-all"
	case "-q":
		name = "quiet"
	case "-t":
		name = "tty"
	case "-u":
		name = "user"
	case "-v":
		name = "volume"
	case "-w":
		name = "workdir"
	case "--net":
		name = "network"
	default:
		if !strings.HasPrefix(option, "--") {
			return FlagInfo{}, false
		}
		name = option[2:]
	}
	switch name {
	case "detach", "interactive", "tty", "publish-all", "quiet", "rm", "rmi", "init", "privileged", "read-only", "read-only-tmpfs",
		"replace", "tls-verify", "no-hosts", "no-hostname", "env-host", "http-proxy", "sig-proxy", "passwd", "oom-kill-disable",
		"no-healthcheck", "disable-content-trust", "use-api-socket", "unsetenv-all", "help":
		return FlagInfo{Name: name, Arity: AritySwitch}, true
	}
	return FlagInfo{Name: name, Arity: ArityOne}, true
}

func (containerFlags) Prefix(string) []string { return nil }

// ParseContainerRun reads the command line of a container tool. ok is false when it is anything but run or create.
func ParseContainerRun(line *CommandLine) (run *ContainerRun, ok bool) {
	words := line.Words
	if len(words) == 0 {
		return nil, false
	}
	switch path.Base(words[0].Text) {
	case "docker", "podman", "nerdctl":
	default:
		return nil, false
	}
	i := skipOptions(words, 1, "-c --config --context -H --host -l --log-level --tlscacert --tlscert --tlskey --connection --url "+
		"--identity --root --runroot --namespace -n --address -a")
	if i < len(words) && words[i].Text == "container" {
		i++
	}
	if i >= len(words) || words[i].Text != "run" && words[i].Text != "create" {
		return nil, false
	}
	rest := &CommandLine{Words: words[i+1:]}
	r := &ContainerRun{Command: &CommandLine{}}
	r.Flags = FlagSyntax{Spec: containerFlags{}, Clustered: true, Leading: true, Greedy: true}.Parse(rest)
	if p := r.Flags.Positionals; len(p) > 0 {
		r.Image = &rest.Words[p[0]]
		r.Command = &CommandLine{Words: rest.Words[p[0]+1:]}
		// An unknown word in the place of the image may be flags, and the image a later word.
		r.OpenEnv = r.Image.Unknown && !strings.ContainsAny(r.Image.Text, "/:")
	}
	for i := range r.Flags.Flags {
		r.flag(&r.Flags.Flags[i])
	}
	return r, true
}

func (r *ContainerRun) flag(f *Flag) {
	if len(f.Values) == 0 {
		return
	}
	v := &f.Values[0]
	w := &r.Flags.Line.Words[v.Index]
	from := len(w.Text) - len(v.Text)
	switch f.Name {
	case "entrypoint":
		r.Entrypoint = v
	case "env-file":
		r.EnvFiles = append(r.EnvFiles, *v)
	case "env":
		a := assignmentAt(w, from)
		if a.Name == "" || strings.ContainsAny(a.Name, "$`{*") {
			r.OpenEnv = true
			return
		}
		r.Env = append(r.Env, a)
	case "volume":
		if m, ok := volume(w, from); ok {
			m.Index = v.Index
			r.Mounts = append(r.Mounts, m)
		}
	case "mount":
		if m, ok := mount(w, from); ok {
			m.Index = v.Index
			r.Mounts = append(r.Mounts, m)
		}
	}
}

// volume reads source:target:options.
func volume(w *CommandWord, from int) (Mount, bool) {
	text := w.Text[from:]
	m := Mount{Unknown: w.Unknown && !w.knownFrom(from)}
	// Colons inside ${X:-y} separate nothing.
	cuts := []int{-1}
	depth := 0
	for i := range len(text) {
		switch {
		case text[i] == '{':
			depth++
		case text[i] == '}':
			depth--
		case text[i] == ':' && depth <= 0 && (i != 1 || !windowsDrive(text)):
			cuts = append(cuts, i)
		}
	}
	cuts = append(cuts, len(text))
	part := func(k int) (string, Span) {
		a, b := cuts[k]+1, cuts[k+1]
		return text[a:b], w.Sub(from+a, from+b)
	}
	if len(cuts) == 2 {
		m.Target, m.TargetSpan = part(0)
		m.SourceSpan = Span{m.TargetSpan.Start, m.TargetSpan.Start}
		return m, m.Target != ""
	}
	m.Source, m.SourceSpan = part(0)
	m.Target, m.TargetSpan = part(1)
	m.Bind = m.Source != "" && strings.ContainsAny(m.Source[:1], "./~$`\\") || windowsDrive(m.Source)
	return m, m.Target != ""
}

// windowsDrive reports whether a path starts with a drive letter.
func windowsDrive(s string) bool {
	return len(s) > 2 && isNameStart(s[0]) && s[0] != '_' && s[1] == ':' && s[2] == '\\'
}

// mount reads type=bind,source=x,target=y.
func mount(w *CommandWord, from int) (Mount, bool) {
	m := Mount{Unknown: w.Unknown && !w.knownFrom(from)}
	at := from
	for field := range strings.SplitSeq(w.Text[from:], ",") {
		key, value, _ := strings.Cut(field, "=")
		sp := func() Span { return w.Sub(at+len(key)+1, at+len(field)) }
		switch {
		case key == "type":
			m.Bind = value == "bind"
		case slices.Contains([]string{"source", "src"}, key):
			m.Source, m.SourceSpan = value, sp()
		case slices.Contains([]string{"target", "destination", "dst"}, key):
			m.Target, m.TargetSpan = value, sp()
		}
		at += len(field) + 1
	}
	return m, m.Target != ""
}
