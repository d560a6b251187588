package loaders

import (
	"bytes"
	"path"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// maxScriptChain bounds scripts that a container starts through other scripts.
const maxScriptChain = 4

// containerScripts gives containers the programs that their scripts start, and takes those scripts from the host: a script
// that an image copies, or a volume mounts, runs at the release of that image.
func (w *world) containerScripts() {
	runs := map[*source.File][]*workload{}
	for _, wl := range w.workloads {
		if wl.process != nil || wl.part != "" || wl.onHost() {
			continue
		}
		s := &scriptStart{w: w, wl: wl, lookup: scriptLookup(wl)}
		for _, x := range source.Programs(source.JoinArgs(wl.command, wl.args), envLookup(wl.env)) {
			if programOf(x.Line) != nil {
				// What the words themselves start goes before scripts.
				s.programs = nil
				break
			}
			s.follow(x, 0)
		}
		if len(s.programs) == 0 {
			continue
		}
		for i, p := range s.programs {
			c := wl
			if i > 0 {
				other := *wl
				c = &other
				c.name = wl.name + "-" + p.kind
				w.workloads = append(w.workloads, c)
			}
			c.process = p
			f := s.files[i]
			runs[f] = append(runs[f], c)
			if outer, _ := f.Outer(source.Span{}); wl.scope.kind != "kubernetes" {
				wl.scope.files = append(wl.scope.files, outer)
				w.used[outer] = true
			}
		}
	}
	for _, list := range runs {
		for _, wl := range list[1:] {
			if imageVersion(wl) != imageVersion(list[0]) {
				// What is wrong at one release of those that run the script is right at another.
				for _, wl := range list {
					wl.imageVaries = true
				}
				break
			}
		}
	}
	for _, wl := range w.workloads {
		if wl.process == nil || !wl.onHost() || wl.scope.kind != "shell" {
			continue
		}
		f := wl.scope.origin.File
		switch {
		case len(runs[f]) > 0:
			wl.inContainer = true
		case w.heldByContainer(wl, f):
			wl.imageVaries = true
		}
	}
	for _, wl := range w.workloads {
		if wl.imageVaries {
			wl.image = model.NewUnknown(wl.image.OriginOr(wl.origin))
		}
	}
}

// onHost reports whether a workload is a process of a host, outside containers.
func (wl *workload) onHost() bool { return wl.platform == "shell" || wl.platform == "systemd" }

// imageVersion is the release that a workload's image is pinned to, "" when it does not show.
func imageVersion(wl *workload) string {
	v, _ := imagePart(wl.image).Get("version").AsText()
	return v
}

// heldByContainer reports whether a script that starts a process is put into a container that may run it: by its own name, or
// with its folder into an image of the product.
func (w *world) heldByContainer(wl *workload, script *source.File) bool {
	for _, c := range w.workloads {
		if c.onHost() {
			continue
		}
		ref, _ := c.image.AsText()
		repository, _, _ := splitImage(ref)
		kind := imageKind(repository)
		for i := range c.mounts {
			m := c.mounts[i].file
			switch {
			case m == "" || kind != "" && kind != wl.process.kind:
			case m == script.Path, kind != "" && (m == "." || strings.HasPrefix(script.Path, strings.TrimSuffix(m, "/")+"/")):
				return true
			}
		}
	}
	return false
}

// scriptLookup answers a script's references to its container's environment. Of a variable that whoever runs an image may set
// the script's own default holds, as in a script of a host.
func scriptLookup(wl *workload) source.Lookup {
	lookup := envLookup(wl.env)
	if wl.owner != "dockerfile" {
		return lookup
	}
	return func(name string) (string, source.Binding) {
		if wl.env.Get(name) == nil {
			return "", source.Unbound
		}
		return lookup(name)
	}
}

// scriptStart collects the programs that the scripts of a container start.
type scriptStart struct {
	w        *world
	wl       *workload
	lookup   source.Lookup
	programs []*program
	// files are the scripts that start the programs, in the same order.
	files []*source.File
}

// follow adds what x starts when it is a script.
func (s *scriptStart) follow(x source.Program, depth int) {
	f, args := s.script(x.Line.Words)
	if f == nil || depth >= maxScriptChain {
		return
	}
	script, _ := source.ParseShell(f)
	if script == nil {
		return
	}
	for _, inner := range script.Programs(x, args, s.lookup) {
		if w := inner.Line.Words; len(w) > 0 && isAllArguments(&w[0]) {
			// The script only hands on the words of the container's command.
			for _, y := range source.Programs(&source.CommandLine{Words: args}, s.lookup) {
				y.Env, y.OpenEnv = append(inner.Env[:len(inner.Env):len(inner.Env)], y.Env...), inner.OpenEnv || y.OpenEnv
				s.add(f, y, depth)
			}
			continue
		}
		s.add(f, inner, depth)
	}
}

// add adds a program that a script starts, itself or through another script.
func (s *scriptStart) add(f *source.File, x source.Program, depth int) {
	if len(x.Line.Words) == 0 {
		return
	}
	p := programOf(x.Line)
	if p == nil {
		s.follow(x, depth+1)
		return
	}
	p.env, p.openEnv = x.Env, x.OpenEnv
	s.programs = append(s.programs, p)
	s.files = append(s.files, f)
}

// isAllArguments reports whether a word of a script stands for all of the script's arguments.
func isAllArguments(w *source.CommandWord) bool {
	f := w.Args.File
	if w.Span.Start < 0 || w.Span.End > len(f.Bytes) || w.Span.Start > w.Span.End {
		return false
	}
	switch string(f.Bytes[w.Span.Start:w.Span.End]) {
	case `"$@"`, `$@`, `"${@}"`, `${@}`:
		return true
	}
	return false
}

// script returns the shell script that words run in a container, and the words behind its name; nil when they run none, or
// one that is not in the files.
func (s *scriptStart) script(words []source.CommandWord) (*source.File, []source.CommandWord) {
	if len(words) == 0 {
		return nil, nil
	}
	at, shell := 0, false
	switch path.Base(words[0].Text) {
	case "sh", "bash", "dash", "ash", "zsh", "ksh":
		shell = true
		for at++; at < len(words) && len(words[at].Text) > 1 && strings.IndexByte("-+", words[at].Text[0]) >= 0; at++ {
			switch o := words[at].Text; {
			case strings.HasPrefix(o, "--"):
			case strings.Contains(o, "c"):
				return nil, nil
			case strings.HasSuffix(o, "o"), strings.HasSuffix(o, "O"):
				at++
			}
		}
	}
	if at >= len(words) || words[at].Unknown || words[at].Text == "" {
		return nil, nil
	}
	name := words[at].Text
	var places []string
	if strings.HasPrefix(name, "/") {
		places = []string{name}
	} else {
		if shell || strings.Contains(name, "/") {
			places = append(places, path.Join("/", s.wl.workdir, name))
		}
		if !strings.Contains(name, "/") {
			for _, dir := range [...]string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"} {
				places = append(places, path.Join(dir, name))
			}
		}
	}
	for _, p := range places {
		if f, _ := s.w.mountedFile(s.wl, p); f != nil && (shell || isShellScript(f)) && !isBinary(f.Bytes) {
			return f, words[at+1:]
		}
	}
	return nil, nil
}

// isShellScript reports whether a file is run by a shell when it is started by its name.
func isShellScript(f *source.File) bool {
	first, _, _ := bytes.Cut(f.Bytes, []byte("\n"))
	if bytes.HasPrefix(first, []byte("#!")) {
		return bytes.Contains(first, []byte("sh"))
	}
	return formatOf(f.Path, nil) == formatShell
}
