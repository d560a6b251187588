package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"agentlint/internal/config"
	"agentlint/internal/engine"
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/source"
	"agentlint/rules"
)

// settings are the flags that decide what is checked; check, fix, explain and model share them.
type settings struct {
	only, skip      []string
	configuration   string
	profile, target string
	assume          []string
	stdinFilename   string
	baseline        string
	updateBaseline  bool
	// since is a revision, changedLines a diff: what was there before is not reported.
	since, changedLines string
	policies            []string
}

// compares reports whether findings are compared with an older state.
func (s *settings) compares() bool { return s.since != "" || s.changedLines != "" }

func (s *settings) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.configuration, "config", "", "configuration `FILE` instead of the "+config.FileName+" at the root")
	f.StringVar(&s.target, "target", "", "`VERSIONS` where the files name none: litellm=1.102,vllm=0.29")
	f.StringArrayVar(&s.assume, "assume", nil, "a `FACT` that no file shows: postgres_max_connections=200 (repeatable)")
}

// registerRules adds the flags of commands that evaluate rules.
func (s *settings) registerRules(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringSliceVar(&s.only, "only", nil, "check these `RULES` only: ids or category/*")
	f.StringSliceVar(&s.skip, "skip", nil, "leave out these `RULES`: ids or category/*")
	f.StringVar(&s.profile, "profile", "", "default, agentic or strict")
	f.StringVar(&s.stdinFilename, "stdin-filename", "", "read the file `NAME` from stdin instead of the disk")
	f.StringVar(&s.baseline, "baseline", "", "do not report the findings that `FILE` holds")
	s.registerPolicies(cmd)
	rules := func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return newRulebook().ids, cobra.ShellCompDirectiveNoFileComp
	}
	complete(cmd, "only", rules)
	complete(cmd, "skip", rules)
	completeWords(cmd, "profile", config.Profiles())
}

// registerPolicies adds the flag that names users' policies.
func (s *settings) registerPolicies(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.policies, "policy", nil, "evaluate the policies of `PATH` too: a folder, a .rego file or an OPA bundle (repeatable)")
}

// complete and completeWords register shell completions of a flag that exists.
func complete(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("completion of --" + flag + ": " + err.Error())
	}
}

func completeWords(cmd *cobra.Command, flag string, words []string) {
	complete(cmd, flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

// rulebook is what the command line knows of rules.
type rulebook struct {
	ids, categories []string
	own             []*policy.Custom
}

// newRulebook returns the rules of the program and those of users' policies.
func newRulebook(own ...*policy.Custom) *rulebook {
	b := &rulebook{own: own}
	for _, r := range rules.All() {
		b.ids = append(b.ids, r.Meta.ID)
		b.categories = append(b.categories, r.Meta.Category)
	}
	for _, p := range policy.Builtin() {
		b.ids = append(b.ids, p.ID)
		b.categories = append(b.categories, p.Category)
	}
	for _, c := range own {
		for _, p := range c.Policies() {
			b.ids = append(b.ids, p.ID)
			b.categories = append(b.categories, p.Category)
		}
	}
	slices.Sort(b.ids)
	b.ids = slices.Compact(b.ids)
	slices.Sort(b.categories)
	b.categories = slices.Compact(b.categories)
	return b
}

func (b *rulebook) rule(id string) (model.Meta, bool) {
	if policy.IsCustom(id) {
		for _, c := range b.own {
			if m := c.Meta(id); m != nil {
				return *m, true
			}
		}
		return model.Meta{}, false
	}
	if m := engine.MetaOf(id); m != nil {
		return *m, true
	}
	return model.Meta{}, false
}

// ids resolves the rules that a flag names.
func (b *rulebook) resolve(flag string, names []string) ([]string, error) {
	var out []string
	for _, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if name == policy.CustomPrefix+"*" {
			out = append(out, name)
			continue
		}
		if category, ok := strings.CutSuffix(name, "/*"); ok {
			if err := oneOf(flag+" "+name+": category", category, b.categories); err != nil {
				return nil, err
			}
			out = append(out, name)
			continue
		}
		if slices.Contains(b.ids, name) {
			out = append(out, name)
			continue
		}
		m, ok := b.rule(name)
		if !ok {
			return nil, b.unknown(name)
		}
		out = append(out, m.ID)
	}
	return out, nil
}

// unknown is the error for a rule that does not exist.
func (b *rulebook) unknown(name string) error {
	if policy.IsCustom(name) && len(b.own) == 0 {
		return misuse("unknown rule %q: no policies are named by policies: in %s or by --policy", name, config.FileName)
	}
	if near := knowledge.Closest(name, b.ids); near != "" {
		return misuse("unknown rule %q: did you mean %s?", name, near)
	}
	return misuse("unknown rule %q: agentlint rules lists them", name)
}

// options returns the engine's options for one root, and the baseline file ("" for none).
func (a *app) options(t *target, s *settings) (engine.Options, string, error) {
	var fail engine.Options
	own, err := a.policies(t, s)
	if err != nil {
		return fail, "", err
	}
	b := newRulebook()
	if own != nil {
		b = newRulebook(own)
	}
	conf := &config.Config{}
	dir := t.root
	if t.configuration != "" {
		var err error
		if conf, err = a.readConfig(t, b); err != nil {
			return fail, "", err
		}
		dir = filepath.Dir(t.configuration)
	}
	baseline := ""
	if conf.Baseline != "" {
		baseline = filepath.FromSlash(shownPath(t.cwd, filepath.Join(dir, filepath.FromSlash(conf.Baseline))))
	}
	if s.baseline != "" {
		baseline = s.baseline
	}
	o := engine.Options{
		Root: t.root, Paths: t.paths, Named: t.named,
		Targets: conf.Targets, Facts: conf.Facts, StackFacts: conf.StackFacts, Exclude: conf.Exclude,
		Severities: conf.Severities, Parameters: conf.Parameters, Profile: conf.Profile, Ignores: conf.Ignores,
		Today: time.Now().Format(time.DateOnly), Custom: own,
	}
	if s.since != "" && own != nil {
		if o.Revisions, err = a.revisions(t, s); err != nil {
			return fail, "", err
		}
	}
	if s.profile != "" {
		if err := oneOf("--profile", s.profile, config.Profiles()); err != nil {
			return fail, "", err
		}
		o.Profile = s.profile
	}
	if o.Only, err = b.resolve("--only", s.only); err != nil {
		return fail, "", err
	}
	if o.Skip, err = b.resolve("--skip", s.skip); err != nil {
		return fail, "", err
	}
	targets, err := config.ParseTargets(s.target)
	if err != nil {
		return fail, "", misuse("--target: %s", err)
	}
	if len(targets) > 0 {
		if o.Targets == nil {
			o.Targets = map[string]string{}
		}
		maps.Copy(o.Targets, targets)
	}
	facts, err := config.ParseFacts(s.assume)
	if err != nil {
		return fail, "", misuse("--assume: %s", err)
	}
	o.Facts = mergeFacts(o.Facts, facts)
	return o, baseline, nil
}

// mergeFacts puts facts of the command line over those of the configuration; keyed facts are merged by key.
func mergeFacts(base, over map[string]any) map[string]any {
	if len(over) == 0 {
		return base
	}
	out := maps.Clone(base)
	if out == nil {
		out = map[string]any{}
	}
	for name, v := range over {
		if m, ok := v.(map[string]any); ok {
			if old, ok := out[name].(map[string]any); ok {
				old = maps.Clone(old)
				maps.Copy(old, m)
				v = old
			}
		}
		out[name] = v
	}
	return out
}

func (a *app) readConfig(t *target, b *rulebook) (*config.Config, error) {
	if !t.explicit && leadsOut(t.root, t.configuration) {
		return nil, misuse("%s: the link leads out of the repository; name the file itself with --config", t.configurationShown())
	}
	raw, err := a.readSteering(t.configuration)
	if err != nil {
		if a.base() != nil && errors.Is(err, fs.ErrNotExist) {
			return &config.Config{}, nil
		}
		return nil, misuse("%s: %s", t.configurationShown(), reason(err))
	}
	f := source.NewFile(t.configurationShown(), raw)
	c, err := config.Parse(f, config.Known{Rule: b.rule, IDs: b.ids, Categories: b.categories, Custom: len(b.own) > 0})
	// Mistakes are shown as the file is found from here; findings speak of paths below the root.
	if rel, relErr := filepath.Rel(t.root, t.configuration); relErr == nil {
		defer func() { f.Path = filepath.ToSlash(rel) }()
	}
	var problems *config.Error
	if errors.As(err, &problems) {
		return nil, &usageError{text: "the configuration has " + count(len(problems.Problems), "mistake") + "\n" + err.Error()}
	}
	return c, err
}

// configurationShown is the configuration's path as messages name it.
func (t *target) configurationShown() string { return shownPath(t.cwd, t.configuration) }

// stdin reads the content of --stdin-filename into the options' overlay.
func (a *app) stdin(t *target, o *engine.Options) error {
	b, err := io.ReadAll(io.LimitReader(a.In, source.MaxFileSize+1))
	if err != nil {
		return fmt.Errorf("read stdin: %w", err)
	}
	if len(b) > source.MaxFileSize {
		return misuse("stdin: larger than %d MiB", source.MaxFileSize>>20)
	}
	o.Overlay = map[string][]byte{t.paths[0]: b}
	return nil
}

// targets returns the roots of a command line, with stdin in the place of a file when it is asked for.
func (s *settings) targets(args []string) ([]*target, error) {
	if s.configuration != "" {
		if _, err := os.Stat(s.configuration); err != nil {
			return nil, misuse("--config %s: %s", s.configuration, reason(err))
		}
	}
	if s.stdinFilename == "" {
		return findTargets(args, s.configuration, false)
	}
	if len(args) > 0 {
		return nil, misuse("--stdin-filename takes no paths, found %q", args[0])
	}
	out, err := findTargets([]string{s.stdinFilename}, s.configuration, true)
	if err == nil && (len(out[0].paths) != 1) {
		return nil, misuse("--stdin-filename %s: want the name of a file", s.stdinFilename)
	}
	return out, err
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
