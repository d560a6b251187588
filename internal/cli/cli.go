// Package cli turns a command line into an engine run and an exit code.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentlint/internal/engine"
	"agentlint/internal/knowledge"
	"agentlint/internal/policy"
	"agentlint/internal/report"
	"agentlint/internal/secret"
)

// Streams are the input and outputs of one invocation.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// The exit codes.
const (
	exitClean    = 0
	exitFindings = 1 // findings at or above --fail-on, or a patch to apply
	exitUsage    = 2 // wrong usage, configuration or policy
	exitFault    = 3 // a fault of agentlint itself
)

// app is one invocation.
type app struct {
	Streams
	ctx context.Context
	// code is the exit code of a command that ended without an error.
	code int
	run  func(context.Context, engine.Options) (*engine.Result, error)
	// own are the users' policies that were loaded, those of each root.
	own []*policy.Custom
	// fork is what [app.base] returns.
	fork     *base
	baseOnce sync.Once
}

// usageError is a mistake of the person who typed the command, with the text that mends it.
type usageError struct {
	text string
	// command is the command whose help tells more.
	command string
}

func (e *usageError) Error() string { return e.text }

func misuse(format string, args ...any) error { return &usageError{text: fmt.Sprintf(format, args...)} }

// Main runs one command line (without the program name) and returns the exit code: 0 clean, 1 findings, 2 wrong usage
// or configuration, 3 an internal fault.
func Main(args []string, s Streams) (code int) {
	// A reader that closes its end early (| head) is no fault: writes fail with EPIPE and the exit code stays that of
	// the findings.
	signal.Ignore(syscall.SIGPIPE)
	a := &app{Streams: s, ctx: context.Background(), run: engine.Run}
	defer func() {
		if x := recover(); x != nil {
			a.fault(fmt.Sprint(x), debug.Stack())
			code = exitFault
		}
	}()
	return a.execute(args)
}

func (a *app) execute(args []string) int {
	root := a.rootCommand()
	root.SetArgs(explainArgs(args))
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	err := root.ExecuteContext(a.ctx)
	var usage *usageError
	switch {
	case err == nil:
		return a.code
	case errors.Is(err, syscall.EPIPE):
		return a.code
	case errors.As(err, &usage):
		a.complain("%s", usage.text)
		if usage.command != "" {
			a.complain("%s --help shows how it is used", usage.command)
		}
	default:
		a.complain("%s", err)
	}
	return exitUsage
}

// complain prints an error on stderr. Its text may quote files and their names.
func (a *app) complain(format string, args ...any) {
	text := strings.TrimRight(fmt.Sprintf(format, args...), "\n")
	fmt.Fprintln(a.Err, a.safe("agentlint: "+secret.Redact(text)))
}

// safe makes text of several lines safe to print on a terminal or a CI log.
func (a *app) safe(text string) string {
	out := report.Clean(text)
	if inActions() {
		out = string(report.Neutralise([]byte(out)))
	}
	return out
}

// fault reports a fault of the program itself.
func (a *app) fault(text string, stack []byte) {
	a.complain("internal fault: %s", text)
	if os.Getenv("AGENTLINT_TRACE") != "" {
		fmt.Fprintln(a.Err, a.safe(string(stack)))
	}
	a.complain("this is a bug of agentlint %s: please report it with the command and, if you may, the file (AGENTLINT_TRACE=1 prints more)", Version())
}

func inActions() bool { return os.Getenv("GITHUB_ACTIONS") == "true" }

// rootCommand builds the command tree.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "agentlint",
		Short: "lint LiteLLM gateways and the vLLM engines behind them",
		Long: `agentlint reads everything that decides how a LiteLLM gateway and the vLLM engines behind it run
in production, and says what will hurt, where it is written, how large the effect is, and how to
change it.`,
		Example: `  agentlint check              # what is wrong under this folder
  agentlint fix --diff         # what agentlint would change`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return a.unknownCommand(cmd, args)
			}
			return a.start()
		},
	}
	root.AddCommand(a.checkCommand(), a.fixCommand(), a.explainCommand(), a.rulesCommand(), a.modelCommand(), a.schemaCommand(), a.policyCommand(), a.versionCommand(), a.initCommand(), a.githubCommand())
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.HiddenDefaultCmd = false
	return root
}

// unknownCommand says what may have been meant by a word that is no command.
func (a *app) unknownCommand(cmd *cobra.Command, args []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	if name := knowledge.Closest(args[0], names); name != "" {
		return &usageError{text: fmt.Sprintf("unknown command %q: did you mean %s %s?", args[0], cmd.CommandPath(), strings.Join(append([]string{name}, args[1:]...), " "))}
	}
	if _, err := os.Stat(args[0]); err == nil && !cmd.HasParent() {
		return &usageError{text: fmt.Sprintf("unknown command %q: did you mean agentlint check %s?", args[0], strings.Join(args, " "))}
	}
	return &usageError{text: fmt.Sprintf("unknown command %q", args[0]), command: cmd.CommandPath()}
}

// flagError says what may have been meant by a flag that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	e := &usageError{text: err.Error(), command: cmd.CommandPath()}
	var missing *pflag.NotExistError
	if errors.As(err, &missing) {
		name := missing.GetSpecifiedName()
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := knowledge.Closest(name, names); near != "" && missing.GetSpecifiedShortnames() == "" {
			e.text, e.command = fmt.Sprintf("unknown flag --%s: did you mean --%s?", name, near), ""
		}
	}
	return e
}

// noArgs refuses arguments of a command that takes none.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return &usageError{text: fmt.Sprintf("%s takes no arguments, found %q", cmd.CommandPath(), args[0]), command: cmd.CommandPath()}
	}
	return nil
}

// oneOf checks the value of a flag against a list.
func oneOf(flag, value string, words []string) error {
	for _, w := range words {
		if w == value {
			return nil
		}
	}
	text := fmt.Sprintf("%s %q: want one of %s", flag, value, strings.Join(words, ", "))
	near := knowledge.Closest(value, words)
	for _, w := range words {
		if near == "" && len(value) > 2 && strings.HasPrefix(w, value) {
			near = w
		}
	}
	if near != "" {
		text = fmt.Sprintf("%s %q: did you mean %s?", flag, value, near)
	}
	return &usageError{text: text}
}
