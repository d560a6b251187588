package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"agentlint/internal/config"
	"agentlint/internal/engine"
	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/report"
	"agentlint/internal/secret"
	"agentlint/internal/source"
	"agentlint/loaders"
)

func (a *app) explainCommand() *cobra.Command {
	var s settings
	cmd := &cobra.Command{
		Use:   "explain ID|SETTING|FILE:LINE",
		Short: "say why a rule exists, what a setting is, or what a line of a file does",
		Long: `explain tells about
  a rule: why it exists, what to write instead, where the facts were read
  a setting, flag, environment variable or metric of LiteLLM or vLLM: type, default by version, since and until
  a line of a file: what is set there, by whom, what it overrides, which findings speak of it`,
		Example: `  agentlint explain hpa-on-memory
  agentlint explain request_timeout
  agentlint explain --max-num-queued-reqs --target vllm=0.29
  agentlint explain deploy/values.yaml:12`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return &usageError{text: fmt.Sprintf("%s takes one name, found %d", cmd.CommandPath(), len(args)), command: cmd.CommandPath()}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			out, err := a.explain(args[0], &s)
			if err != nil {
				return err
			}
			_, err = fmt.Fprint(a.Out, a.safe(out))
			return err
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return newRulebook().ids, cobra.ShellCompDirectiveDefault
		},
	}
	s.register(cmd)
	s.registerPolicies(cmd)
	return cmd
}

// explainArgs puts the name of a flag that is to be explained behind "--", where it is no flag of agentlint.
func explainArgs(args []string) []string {
	if len(args) < 2 || args[0] != "explain" || slices.Contains(args, "--") {
		return args
	}
	flags, names := []string{args[0]}, []string{"--"}
	for i := 1; i < len(args); i++ {
		name, _, inline := strings.Cut(strings.TrimLeft(args[i], "-"), "=")
		switch {
		case !strings.HasPrefix(args[i], "-"):
			names = append(names, args[i])
		case name == "help" || name == "h":
			flags = append(flags, args[i])
		case name == "config" || name == "target" || name == "assume" || name == "policy":
			flags = append(flags, args[i])
			if !inline && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
		default:
			names = append(names, args[i])
		}
	}
	return append(flags, names...)
}

func (a *app) explain(name string, s *settings) (string, error) {
	if file, line, ok := fileLine(name); ok {
		return a.explainLine(file, line, s)
	}
	targets, err := config.ParseTargets(s.target)
	if err != nil {
		return "", misuse("--target: %s", err)
	}
	b := newRulebook()
	if policy.IsCustom(name) {
		here, err := s.targets(nil)
		if err != nil {
			return "", err
		}
		own, err := a.policies(here[0], s)
		if err != nil {
			return "", err
		}
		if own != nil {
			b = newRulebook(own)
		}
		if _, ok := b.rule(name); !ok {
			return "", b.unknown(name)
		}
	}
	if m, ok := b.rule(name); ok {
		return explainRule(&m), nil
	}
	if text := explainName(name, targets); text != "" {
		return text, nil
	}
	if near := closestName(name, b.ids); near != "" {
		return "", misuse("nothing is known of %q: did you mean %s?", name, near)
	}
	return "", misuse("nothing is known of %q: want a rule, a setting, flag, variable or metric of LiteLLM or vLLM, or FILE:LINE", name)
}

// fileLine splits FILE:LINE. It asks for an existing file, since names of metrics hold colons too.
func fileLine(name string) (file string, line int, ok bool) {
	i := strings.LastIndexByte(name, ':')
	if i <= 0 {
		return "", 0, false
	}
	line, err := strconv.Atoi(name[i+1:])
	if err != nil || line < 0 {
		return "", 0, false
	}
	// FILE:LINE:COLUMN, as findings are printed.
	if j := strings.LastIndexByte(name[:i], ':'); j > 0 {
		if first, err := strconv.Atoi(name[j+1 : i]); err == nil && first > 0 {
			return name[:j], first, true
		}
	}
	return name[:i], line, true
}

func explainRule(m *model.Meta) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n", m.ID, m.Title)
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "  %-11s %s\n", name, text)
		}
	}
	row("category", m.Category)
	severities := m.Severity.String()
	for i, s := range m.Severities {
		if i == 0 {
			severities += " (also "
		} else {
			severities += ", "
		}
		severities += s.String()
		if i == len(m.Severities)-1 {
			severities += ")"
		}
	}
	row("severity", severities)
	row("confidence", m.Confidence.String())
	row("applies", strings.Join(m.Applies, ", "))
	row("reads", strings.Join(m.Inputs, ", "))
	row("since", m.Since)
	row("once named", strings.Join(m.Aliases, ", "))
	switch m.Fix {
	case model.Safe:
		row("fix", strings.TrimSpace(m.FixTitle+" (agentlint fix)"))
	case model.Unsafe:
		row("fix", strings.TrimSpace(m.FixTitle+" (agentlint fix --unsafe --only "+m.ID+")"))
		row("asks", m.Question)
	}
	section := func(title, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n", title, indent(strings.TrimSpace(text)))
		}
	}
	section("Why", m.Why)
	section("What to write", m.Remedy)
	if len(m.Parameters) > 0 {
		b.WriteString("\nParameters (rules: {" + m.ID + ": {NAME: VALUE}} in " + config.FileName + ")\n")
		for _, p := range m.Parameters {
			fmt.Fprintf(&b, "  %s: %s %s (default): %s\n", p.Name, strconv.FormatFloat(p.Default, 'f', -1, 64), p.Unit, p.Why)
		}
	}
	if len(m.Evidence) > 0 {
		b.WriteString("\nRead in\n")
		for _, e := range m.Evidence {
			fmt.Fprintf(&b, "  %s, %s", e.Artefact, e.File)
			if e.Symbol != "" {
				fmt.Fprintf(&b, ": %s", e.Symbol)
			}
			if e.Checked != "" {
				fmt.Fprintf(&b, " (%s)", e.Checked)
			}
			b.WriteByte('\n')
			if e.Note != "" {
				fmt.Fprintf(&b, "    %s\n", e.Note)
			}
		}
	}
	fmt.Fprintf(&b, "\nTo accept a finding: # agentlint: ignore[%s] and the reason, on its line or the line above.\n", m.ID)
	return b.String()
}

func indent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

// products are those of the knowledge base, the gateway first.
func products() []*knowledge.Product {
	return []*knowledge.Product{knowledge.LiteLLM, knowledge.VLLM}
}

// explainName tells what the knowledge base has of a name, "" when nothing.
func explainName(name string, targets map[string]string) string {
	section, key := "", name
	var b strings.Builder
	for _, p := range products() {
		found := p.Find(name)
		if len(found) == 0 && !strings.HasPrefix(name, "-") {
			// section.key, as the configuration nests it.
			if i := strings.LastIndexByte(name, '.'); i > 0 {
				section, key = name[:i], name[i+1:]
				found = slices.DeleteFunc(p.Find(key), func(e knowledge.Entry) bool { return e.Section != section })
			} else {
				found = p.Find("--" + name)
			}
		}
		for _, e := range found {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			writeEntry(&b, p, e, targets[p.Name()])
		}
	}
	if b.Len() > 0 {
		if ids := rulesAbout(key); len(ids) > 0 {
			fmt.Fprintf(&b, "\nrules that speak of it: %s\n", strings.Join(ids, ", "))
		}
	}
	return b.String()
}

// kindName names a kind of entry in the singular.
func kindName(k knowledge.Kind) string {
	switch k {
	case knowledge.KindSetting:
		return "setting"
	case knowledge.KindFlag:
		return "flag"
	case knowledge.KindEnv:
		return "environment variable"
	case knowledge.KindMetric:
		return "metric"
	case knowledge.KindEnum:
		return "value"
	case knowledge.KindConstant:
		return "constant"
	}
	return "route"
}

func writeEntry(b *strings.Builder, p *knowledge.Product, e knowledge.Entry, target string) {
	where := ""
	switch {
	case e.Section != "" && e.Kind == knowledge.KindEnum:
		where = " of " + e.Section
	case e.Section != "":
		where = " in " + e.Section
	}
	fmt.Fprintf(b, "%s (%s %s%s)\n", e.Name, p, kindName(e.Kind), where)
	row := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "  %-11s %s\n", name, text)
		}
	}
	row("type", e.Type)
	defaults := e.Defaults()
	for i, d := range defaults {
		text := d.Value
		if text == "" {
			text = `""`
		}
		if len(defaults) > 1 {
			text += " from " + d.At.String()
		}
		name := "default"
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-11s %s\n", name, text)
	}
	if list := e.Choices(p.Newest()); len(list) > 0 {
		row("values", strings.Join(list, ", "))
	}
	for i, s := range e.Spans() {
		from, to := s.From.String(), s.To.String()
		if s.From.IsZero() {
			from = p.Oldest().String() + " or earlier"
		}
		if s.To.IsZero() {
			to = "the newest, " + p.Newest().String()
		}
		name := "releases"
		if i > 0 {
			name = ""
		}
		fmt.Fprintf(b, "  %-11s %s to %s\n", name, from, to)
	}
	if v := e.Deprecated(); !v.IsZero() {
		row("deprecated", "since "+v.String())
	}
	if v := e.RemovedIn(); !v.IsZero() {
		row("removed", "in "+v.String())
	}
	row("replaced by", e.RenamedTo)
	if target != "" {
		if v, err := knowledge.ParseVersion(target); err == nil {
			row("at "+target, atRelease(p.At(v), e))
		}
	}
	row("source", e.Source)
}

// atRelease says how a release stands to a name.
func atRelease(r knowledge.Release, e knowledge.Entry) string {
	text := ""
	switch e.At(r) {
	case knowledge.Present:
		text = "known"
		if d, ok := e.Default(r.Version); ok {
			text += ", default " + d
		}
	case knowledge.NotYet:
		text = "not known before " + e.Since().String()
	case knowledge.Gone:
		text = "removed in " + e.RemovedIn().String()
	default:
		text = "not in this release"
	}
	if note := r.Note(); note != "" {
		text += " (" + note + ")"
	}
	return text
}

// rulesAbout returns the rules whose text names a setting.
func rulesAbout(name string) []string {
	name = strings.TrimLeft(name, "-")
	metas, err := engine.Metas()
	if err != nil || len(name) < 4 {
		return nil
	}
	var out []string
	for _, m := range metas {
		if hasWord(m.Title+"\n"+m.Why+"\n"+m.Remedy, name) {
			out = append(out, m.ID)
		}
	}
	slices.Sort(out)
	return out
}

func hasWord(text, word string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		if (i == 0 || !isNameByte(text[i-1])) && (end == len(text) || !isNameByte(text[end])) {
			return true
		}
		from = end
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// closestName returns what a name may be a misspelling of: a rule, or a name of the knowledge base.
func closestName(name string, ids []string) string {
	words := slices.Clone(ids)
	for _, p := range products() {
		for _, k := range []knowledge.Kind{knowledge.KindSetting, knowledge.KindFlag, knowledge.KindEnv, knowledge.KindMetric} {
			for e := range p.All(k) {
				words = append(words, e.Name)
			}
		}
	}
	return knowledge.Closest(name, words)
}

// explainLine tells what a line of a file sets.
func (a *app) explainLine(file string, line int, s *settings) (string, error) {
	targets, err := findTargets([]string{file}, s.configuration, false)
	if err != nil {
		return "", err
	}
	t := targets[0]
	if len(t.paths) == 0 {
		return "", misuse("%s is a folder: want FILE:LINE", file)
	}
	o, _, err := a.options(t, s)
	if err != nil {
		return "", err
	}
	r, err := a.run(a.ctx, o)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	name := t.paths[0]
	var b strings.Builder
	text, err := lineText(filepath.Join(t.root, filepath.FromSlash(name)), line)
	if err != nil {
		return "", misuse("%s:%d: %s", file, line, reason(err))
	}
	fmt.Fprintf(&b, "%s:%d: %s\n", filepath.ToSlash(file), line, text)
	found := false
	for i := range r.Stacks {
		st := r.Stacks[i].Stack
		if st == nil {
			continue
		}
		facts := factsOn(st, name, line)
		if len(facts) == 0 {
			continue
		}
		found = true
		fmt.Fprintf(&b, "\nin %s\n", st.Name)
		for _, f := range facts {
			b.WriteString(f.text(st, t))
			b.WriteString(settingChain(st, f.path, t))
		}
	}
	if !found {
		b.WriteString("\nnothing on this line is part of a deployment that agentlint understands\n")
	}
	var about []*engine.Finding
	for _, f := range r.Findings {
		here := onLine(f.Location, name, line)
		for _, x := range f.Related {
			here = here || onLine(x.Location, name, line)
		}
		if here {
			about = append(about, f)
		}
	}
	if len(about) > 0 {
		b.WriteString("\nfindings\n")
		// Only now: what stands above was found by the paths below the root.
		relocate(r, t)
	}
	for _, f := range about {
		fmt.Fprintf(&b, "  %s\n", report.Line(f))
	}
	return b.String(), nil
}

// lineText returns a line of a file without its indentation and its secrets.
func lineText(name string, line int) (string, error) {
	raw, err := readBounded(name)
	if err != nil {
		return "", err
	}
	f := source.NewFile(name, raw)
	n := f.LineCount()
	if f.Line(n).Len() == 0 {
		n--
	}
	if line < 1 || line > n {
		return "", fmt.Errorf("the file has %s", count(n, "line"))
	}
	return strings.TrimSpace(report.FileLine(f, line)), nil
}

func onLine(l model.Location, name string, line int) bool {
	if l.File == nil || l.File.Path != name {
		return false
	}
	return l.File.LineAt(l.Span.Start) <= line && line <= l.File.LineAt(max(l.Span.Start, l.Span.End))
}

// fact is one value of a stack that a line sets, or would set if nothing else did.
type fact struct {
	path  model.Path
	value *model.Value
	// name is what the value is set under, to tell secrets.
	name string
	// loser is the origin on the line when another one wins.
	loser *model.Origin
	// handed is true for the line of a compose file that hands on what its .env file sets.
	handed bool
}

// factsOn returns the values of a stack that are written on a line. A value that several paths share is listed for
// each of them; containers count by their key.
func factsOn(s *model.Stack, name string, line int) []fact {
	var out []fact
	on := func(o *model.Origin) bool {
		if o.File == nil {
			return false
		}
		f, span := o.File.Outer(o.Span)
		if f.Path != name {
			return false
		}
		if !o.Key.IsZero() {
			_, key := o.File.Outer(o.Key)
			if f.LineAt(key.Start) == line {
				return true
			}
		}
		return f.LineAt(span.Start) == line
	}
	s.Root.Walk(func(p model.Path, v *model.Value) {
		if v.Kind == model.Map || v.Kind == model.List {
			return
		}
		// What set a setting or a version is told beside its value.
		if len(p) == 4 && p[1] == "settings" && p[3] == "source" || p[len(p)-1] == "version_source" {
			return
		}
		// What a config that is not in the files may hold is no word of the line that names it.
		if v.Kind == model.Unknown && ofUnseenConfig(s, p, v) && !slices.ContainsFunc(v.Losers(), func(l model.Origin) bool { return !samePlace(&l, &v.Origin) && on(&l) }) {
			return
		}
		switch {
		case on(&v.Origin):
			out = append(out, fact{path: slices.Clone(p), value: v, name: nameOf(s, p)})
		case v.Origin.Through() != nil && on(&v.Origin.Through().Origin):
			out = append(out, fact{path: slices.Clone(p), value: v, name: nameOf(s, p), handed: true})
		default:
			for i := range v.Losers() {
				if on(&v.Losers()[i]) {
					out = append(out, fact{path: slices.Clone(p), value: v, name: nameOf(s, p), loser: &v.Losers()[i]})
					return
				}
			}
		}
	})
	return out
}

// ofUnseenConfig reports whether a value is unknown because the gateway's config is: it could stand there.
func ofUnseenConfig(s *model.Stack, p model.Path, v *model.Value) bool {
	config := s.Root.At("gateway", "config")
	if config == nil || config.Kind != model.Unknown || !samePlace(&v.Origin, &config.Origin) {
		return false
	}
	return len(p) > 2 && (p[0] != "gateway" || p[1] == "settings")
}

// samePlace reports whether two origins are the same text of a file.
func samePlace(a, b *model.Origin) bool { return a.File == b.File && a.Span == b.Span }

// nameOf returns the name that the value at a path is set under: the flag or variable beside it, else the nearest key.
func nameOf(s *model.Stack, p model.Path) string {
	for i := len(p) - 1; i >= 0; i-- {
		k, ok := p[i].(string)
		if !ok {
			continue
		}
		if k != "value" && k != "values" {
			return k
		}
		if name, ok := s.Text(p[:i].With("name")...); ok {
			return name
		}
	}
	return ""
}

// text returns the chain of a value: where the effective one stands and what it overrides.
func (f *fact) text(s *model.Stack, t *target) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s = %s\n", f.path, f.shown())
	switch by := bySource(f.value.Origin.Source); {
	case f.loser != nil && f.value.Kind == model.Unknown && ofUnseenConfig(s, f.path, f.value):
		fmt.Fprintf(&b, "    the config that %s names goes before this line where it sets it\n", originText(&model.Origin{File: f.value.Origin.File, Span: f.value.Origin.Span}, t))
	case f.loser != nil:
		fmt.Fprintf(&b, "    set by %s, which overrides this line\n", originText(&f.value.Origin, t))
	case f.handed:
		fmt.Fprintf(&b, "    set by %s, which this line hands on\n", originText(&f.value.Origin, t))
	case f.path[len(f.path)-1] == "version" && versionFrom(s, f.path) != "":
		fmt.Fprintf(&b, "    from %s\n", versionFrom(s, f.path))
	case by != "" && f.value.Kind == model.Unknown && f.path.String() == "gateway.config":
		fmt.Fprintf(&b, "    named here%s\n", by)
	case by != "" && !f.written():
		b.WriteString("    follows from this line\n")
	case by != "":
		fmt.Fprintf(&b, "    set here%s\n", by)
		if handed := f.value.Origin.Through(); handed != nil {
			fmt.Fprintf(&b, "    handed on by %s\n", originText(&handed.Origin, t))
		}
	}
	for i := range f.value.Losers() {
		l := &f.value.Losers()[i]
		if l == f.loser || samePlace(l, &f.value.Origin) {
			continue
		}
		fmt.Fprintf(&b, "    overrides %s\n", originText(l, t))
	}
	return b.String()
}

// written reports whether a value stands in its place as it is. One that does not was worked out of what stands there.
func (f *fact) written() bool {
	text, ok := f.value.Scalar()
	if !ok {
		return true
	}
	file, span, ok := spanOf(&f.value.Origin, 0)
	return !ok || strings.Contains(file.Text(span), text)
}

// versionFrom is where the version of a part comes from, as the report names it; "" for another path.
func versionFrom(s *model.Stack, p model.Path) string {
	part := ""
	switch {
	case len(p) == 2 && p[0] == "gateway":
		part = "gateway"
	case len(p) == 3 && (p[0] == "engines" || p[0] == "routers"):
		name, _ := s.Text(p[:2].With("name")...)
		part = strings.TrimSuffix(p[0].(string), "s") + " " + name
	}
	for _, v := range s.Versions {
		if v.Part == part {
			return v.From
		}
	}
	return ""
}

// settingChain returns, for the effective value of a gateway's setting, where the product looks for it in order and what
// stands in each place: the chain of the number.
func settingChain(s *model.Stack, p model.Path, t *target) string {
	if len(p) != 4 || p[0] != "gateway" || p[1] != "settings" || p[3] != "value" {
		return ""
	}
	name, _ := p[2].(string)
	var parts []string
	for _, place := range loaders.SettingPlaces(name) {
		at := model.Path{"gateway", "config"}
		label := place.Key
		switch place.From {
		case model.FromEnv:
			at = model.Path{"gateway", "env", place.Key}
		case model.FromArgs:
			at, label = model.Path{"gateway", "args", place.Key}, "--"+place.Key
		default:
			at = at.With(model.Dotted(place.Key)...)
		}
		switch s.State(at...) {
		case model.Absent:
			label += " absent"
		case model.Unseen:
			label += " not in the files"
		default:
			if f, span, ok := spanOf(&s.Root.At(at...).Origin, 0); ok {
				label += fmt.Sprintf(" at %s:%d", t.show(f.Path), f.LineAt(span.Start))
			}
		}
		parts = append(parts, label)
	}
	if len(parts) == 0 {
		return ""
	}
	return "    looked for in this order: " + strings.Join(parts, "; ") + "\n"
}

// shown returns the value as a reader knows it, without secrets.
func (f *fact) shown() string {
	text, ok := f.value.Scalar()
	switch {
	case f.value.Kind == model.Unknown:
		return "(not in the files)"
	case !ok:
		return "null"
	}
	if file, span, ok := spanOf(&f.value.Origin, 0); ok && f.value.Kind == model.Text && (report.Secrets{}).Covers(file, span) {
		return model.Quote(secret.Mask)
	}
	masked, _ := report.RedactTree(map[string]any{f.name: text}).(map[string]any)
	text, _ = masked[f.name].(string)
	if f.value.Kind == model.Text {
		return model.Quote(text)
	}
	return text
}

func bySource(s model.Source) string {
	switch s {
	case model.FromEnv:
		return " as an environment variable"
	case model.FromArgs:
		return " as an argument"
	}
	return ""
}

func originText(o *model.Origin, t *target) string {
	if f, span, ok := spanOf(o, 0); ok {
		return fmt.Sprintf("%s:%d%s", t.show(f.Path), f.LineAt(span.Start), bySource(o.Source))
	}
	switch {
	case o.Note() != "":
		return o.Note()
	case o.Source == model.FromFact:
		return "a fact of the configuration or the command line"
	case o.Source == model.FromChart:
		return "the chart's default"
	}
	return "the product's default"
}
