package source

import (
	"path"
	"slices"
	"strings"
)

// Program is one process that a command line starts, found behind the programs that only start another one
// (exec, env, nice, sh -c "...").
type Program struct {
	// Line is the words from the program's name on.
	Line *CommandLine
	// Env is what the words and scripts on the way set in its environment, each name once.
	Env []Assignment
	// OpenEnv is true when a program or script on the way adds variables that are not in the files (doppler run,
	// op run, source .env).
	OpenEnv bool
	// Command is the command of a script that the program is started by, nil outside scripts.
	Command *Command
}

// maxScriptDepth bounds scripts inside the words of scripts.
const maxScriptDepth = 5

// maxPrograms bounds the programs of one command line.
const maxPrograms = 10_000

// Programs returns what a command line starts, in order: one program for most, all commands of the script for
// sh -c. lookup gives the variables of the environment it runs in.
func Programs(line *CommandLine, lookup Lookup) []Program {
	if line == nil {
		return nil
	}
	var out []Program
	programs(line, lookup, Program{}, 0, &out)
	return out
}

// Programs returns what a command of a script starts, with the variables the script exports to it.
func (c *Command) Programs(lookup Lookup) []Program {
	var out []Program
	programs(JoinArgs(&c.Args), lookup, Program{Env: c.Environment(), OpenEnv: c.OpenEnv, Command: c}, 0, &out)
	return out
}

func programs(line *CommandLine, lookup Lookup, p Program, depth int, out *[]Program) {
	words := line.Words
	for range len(line.Words) + 1 {
		if len(words) == 0 || len(*out) >= maxPrograms {
			return
		}
		rest := skipWrapper(words, &p)
		if len(rest) == len(words) {
			break
		}
		words = rest
	}
	p.Line = &CommandLine{Words: words}
	text, args := scriptWord(words)
	if text < 0 || depth >= maxScriptDepth {
		*out = append(*out, p)
		return
	}
	f, holes := wordFile(&words[text])
	s, _ := parseShell(f, holes)
	s.programs(words[args:], lookup, p, depth, out)
}

// Programs returns what a script starts that the program p runs, with args behind the script's name. lookup gives the
// variables of the environment that p runs in.
func (s *Script) Programs(p Program, args []CommandWord, lookup Lookup) []Program {
	var out []Program
	run := *s
	run.programs(args, lookup, p, 0, &out)
	return out
}

func (s *Script) programs(args []CommandWord, lookup Lookup, p Program, depth int, out *[]Program) {
	if len(args) > 0 {
		s.positional = []Pieces{}
		for _, w := range args {
			x := Piece{Text: w.Text, Quoted: true}
			if w.Unknown {
				x.Ref = &Reference{}
			}
			s.positional = append(s.positional, Pieces{x})
		}
	}
	env := p.Env
	look := func(name string) (string, Binding) {
		for _, a := range slices.Backward(env) {
			if a.Name != name {
				continue
			}
			if a.Unknown || a.Conditional {
				return "", Hidden
			}
			return a.Value, Bound
		}
		if p.OpenEnv {
			return "", Hidden
		}
		if lookup == nil {
			return "", Unbound
		}
		return lookup(name)
	}
	commands := s.Commands(look)
	for i := range commands {
		c := &commands[i]
		if len(c.Words) == 0 {
			continue
		}
		inner := Program{Env: mergeEnv(env, c.Environment()), OpenEnv: p.OpenEnv || c.OpenEnv, Command: c}
		programs(JoinArgs(&c.Args), lookup, inner, depth+1, out)
	}
}

// mergeEnv returns a with the assignments of b, which win.
func mergeEnv(a, b []Assignment) []Assignment {
	out := make([]Assignment, 0, len(a)+len(b))
	for _, x := range a {
		if !slices.ContainsFunc(b, func(y Assignment) bool { return y.Name == x.Name && !y.Conditional }) {
			out = append(out, x)
		}
	}
	return append(out, b...)
}

// scriptWord returns the index of the word that holds a script when words start a shell with -c, and that of its
// first argument; -1 otherwise.
func scriptWord(words []CommandWord) (text, args int) {
	switch path.Base(words[0].Text) {
	case "sh", "bash", "dash", "ash", "zsh", "ksh":
	case "su", "runuser":
		for i := 1; i+1 < len(words); i++ {
			if w := words[i].Text; w == "-c" || w == "-lc" || w == "--command" {
				return i + 1, len(words)
			}
		}
		return -1, 0
	case "tmux":
		if i := tmuxCommand(words); i == len(words)-1 {
			return i, len(words)
		}
		return -1, 0
	default:
		return -1, 0
	}
	run := false
	for i := 1; i < len(words); i++ {
		w := words[i].Text
		if len(w) < 2 || w[0] != '-' && w[0] != '+' {
			if !run {
				return -1, 0
			}
			// The word after the script is $0.
			return i, min(i+2, len(words))
		}
		switch {
		case w == "--":
			if run && i+1 < len(words) {
				return i + 1, min(i+3, len(words))
			}
			return -1, 0
		case strings.HasPrefix(w, "--"):
			if w == "--rcfile" || w == "--init-file" {
				i++
			}
		default:
			run = run || strings.Contains(w, "c")
			if strings.HasSuffix(w, "o") || strings.HasSuffix(w, "O") {
				i++
			}
		}
	}
	return -1, 0
}

// tmuxCommand returns the index of the first word of the command that tmux new-session runs, or -1.
func tmuxCommand(words []CommandWord) int {
	i := skipOptions(words, 1, "-c -f -L -S -T")
	if i >= len(words) || !slices.Contains([]string{"new-session", "new", "new-window", "neww", "split-window", "splitw"}, words[i].Text) {
		return -1
	}
	i = skipOptions(words, i+1, "-s -n -t -c -e -x -y -f -F -ds")
	if i >= len(words) {
		return -1
	}
	return i
}

// wordFile returns the text of a word as a file of its own, and the parts of it that are not known.
func wordFile(w *CommandWord) (*File, []Span) {
	f := w.Args.File
	if w.Args.Form == ListItems && w.Node != nil {
		f = Nested(f, w.Node)
		if f == nil {
			return NewFile(w.Args.File.Path, []byte(w.Text)), nil
		}
		if w.parts == nil {
			return f, nil
		}
	}
	parts := w.parts
	if parts == nil {
		parts = Pieces{{Span: w.Span, Text: w.Text}}
	}
	var holes []Span
	n := 0
	for _, x := range parts {
		if x.Ref != nil {
			holes = append(holes, Span{n, n + len(x.Text)})
		}
		n += len(x.Text)
	}
	return embedPieces(f, parts, w.Span.Start), holes
}

// wrapper says how a program that starts another one is written: the options that take a value in the next
// word, separated by blanks, and the number of words before the other program's name.
type wrapper struct {
	options string
	words   int
	// sub is the word that must follow for it to start anything ("run").
	sub string
	// dashes is true when the other program stands behind "--" and nothing else is understood.
	dashes bool
	// secrets is true when it adds variables.
	secrets bool
}

func wrapperOf(name string) (wrapper, bool) {
	switch name {
	case "exec":
		return wrapper{options: "-a"}, true
	case "nohup", "setsid", "time", "command", "builtin", "unbuffer", "catatonit", "opentelemetry-instrument", "ddtrace-run":
		return wrapper{options: "-o --output -f --format"}, true
	case "tini", "dumb-init", "docker-init":
		return wrapper{options: "-p -e --rewrite -r"}, true
	case "nice":
		return wrapper{options: "-n"}, true
	case "ionice":
		return wrapper{options: "-c -n --class --classdata"}, true
	case "chrt", "taskset":
		return wrapper{options: "-T -P -D", words: 1}, true
	case "stdbuf":
		return wrapper{options: "-i -o -e"}, true
	case "timeout":
		return wrapper{options: "-k -s --kill-after --signal", words: 1}, true
	case "numactl":
		return wrapper{options: "-N -C -m -i -p --cpunodebind --physcpubind --membind --interleave --preferred"}, true
	case "sudo", "doas":
		return wrapper{options: "-u -g -C -h -p -r -t -U -D --user --group --chdir"}, true
	case "screen":
		return wrapper{options: "-S -dmS -DmS -L -Logfile -c -e -h -p -s -t -T"}, true
	case "gosu", "su-exec", "setpriv", "chpst":
		return wrapper{options: "--reuid --regid --groups -u", words: 1}, true
	case "uv", "poetry", "pipenv", "pdm", "rye", "pixi", "hatch":
		return wrapper{sub: "run", options: "--with --with-requirements --python -p --project --directory --env-file --extra " +
			"--group --index-url --index --default-index --package --environment -e -C"}, true
	case "conda", "mamba", "micromamba":
		return wrapper{sub: "run", options: "-n --name -p --prefix --cwd"}, true
	case "doppler", "op", "infisical", "dotenvx", "teller", "vault-env", "envconsul", "chamber", "aws-vault", "dotenv", "phase":
		return wrapper{dashes: true, secrets: true}, true
	case "srun", "nsys", "kubectl", "oc", "flux", "newrelic-admin", "ray":
		return wrapper{dashes: true}, true
	}
	return wrapper{}, false
}

// skipWrapper returns words without the first program when that only starts another one, else words.
func skipWrapper(words []CommandWord, p *Program) []CommandWord {
	if words[0].Unknown {
		return words
	}
	name := path.Base(words[0].Text)
	switch name {
	case "env":
		return skipEnv(words, p)
	case "tmux":
		// One word is a text for a shell, several are the command.
		if i := tmuxCommand(words); i > 0 && i < len(words)-1 {
			return words[i:]
		}
		return words
	}
	w, ok := wrapperOf(name)
	if !ok {
		return words
	}
	if w.dashes {
		for i, x := range words {
			if x.Text == "--" && i+1 < len(words) {
				p.OpenEnv = p.OpenEnv || w.secrets
				return words[i+1:]
			}
		}
		return words
	}
	i := 1
	if w.sub != "" {
		if i >= len(words) || words[i].Text != w.sub {
			return words
		}
		i++
	}
	i = skipOptions(words, i, w.options) + w.words
	if i >= len(words) {
		return words
	}
	return words[i:]
}

// skipOptions returns the index of the first word from i on that is no option.
func skipOptions(words []CommandWord, i int, valued string) int {
	for i < len(words) {
		t := words[i].Text
		if t == "--" {
			return i + 1
		}
		if len(t) < 2 || t[0] != '-' {
			return i
		}
		i++
		if slices.Contains(strings.Fields(valued), t) {
			i++
		}
	}
	return i
}

func skipEnv(words []CommandWord, p *Program) []CommandWord {
	i := skipOptions(words, 1, "-u --unset -C --chdir")
	var env []Assignment
	for ; i < len(words); i++ {
		n := nameLen(words[i].Text)
		if n == 0 || n >= len(words[i].Text) || words[i].Text[n] != '=' {
			break
		}
		env = append(env, AssignmentOf(&words[i]))
	}
	if i >= len(words) {
		return words
	}
	p.Env = mergeEnv(p.Env, env)
	return words[i:]
}

// AssignmentOf reads a word NAME=VALUE, as env takes it; a word without "=" is the name of a variable whose value
// comes from the surrounding environment, so unknown.
func AssignmentOf(w *CommandWord) Assignment { return assignmentAt(w, 0) }

// assignmentAt reads the assignment in the text of w from a byte on.
func assignmentAt(w *CommandWord, from int) Assignment {
	name, value, found := strings.Cut(w.Text[from:], "=")
	at := from + len(name)
	a := Assignment{File: w.Args.File, Name: name, Value: value, Exported: true, Span: w.Span, NameSpan: w.Sub(from, at)}
	if !found {
		a.Unknown = true
		a.ValueSpan = Span{a.NameSpan.End, a.NameSpan.End}
		return a
	}
	a.Unknown = w.Unknown && !w.knownFrom(at+1)
	a.ValueSpan = w.Sub(at+1, len(w.Text))
	return a
}
