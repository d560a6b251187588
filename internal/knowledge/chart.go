package knowledge

import (
	"iter"
	"slices"
	"strconv"
	"strings"
)

// ChartTable is a Helm chart whose values are known: which keys each version has, their defaults, and what a template makes of them.
type ChartTable struct {
	name    string
	title   string
	aliases string
}

// chartTables are the charts in data/charts.tsv.
var chartTables = [...]ChartTable{
	{"litellm", "LiteLLM componentized chart", "componentized"},
	{"litellm-helm", "LiteLLM classic chart", "classic"},
	{"vllm-stack", "vLLM production-stack chart", "production-stack"},
}

// Chart returns the table of a chart by its name, a common name (classic, componentized, production-stack) or a reference whose last part is the name
// (oci://ghcr.io/berriai/litellm-helm, vllm/vllm-stack:0.1.10). A dependency's alias is no chart name.
func Chart(name string) (*ChartTable, bool) {
	name = strings.ToLower(strings.TrimRight(strings.TrimSpace(name), "/"))
	name = name[strings.LastIndexByte(name, '/')+1:]
	name, _, _ = strings.Cut(name, "@")
	name, _, _ = strings.Cut(name, ":")
	for i := range chartTables {
		if c := &chartTables[i]; name != "" && (name == c.name || name == c.aliases) {
			return c, true
		}
	}
	return nil, false
}

// Charts returns every chart in the tables, sorted by name.
func Charts() []*ChartTable {
	out := make([]*ChartTable, len(chartTables))
	for i := range chartTables {
		out[i] = &chartTables[i]
	}
	return out
}

// Name returns the chart's own name: litellm-helm, litellm or vllm-stack.
func (c *ChartTable) Name() string { return c.name }

// String returns a name for messages.
func (c *ChartTable) String() string { return c.title }

// chartVersionColumns is the header of data/chart_versions.tsv: the versions that the chart carried in its repository, the application versions that stood
// beside each, and the first LiteLLM release that was published after it.
const chartVersionColumns = "chart\tversion\tapp\treleased_with\tdate\tsource"

// renumbered is the first version of the LiteLLM charts in a registry that is the number of the LiteLLM release they install.
const renumbered = "1.81.0"

// Newest returns the newest form of the chart.
func (c *ChartTable) Newest() Version {
	if c.name != "vllm-stack" {
		return LiteLLM.Newest()
	}
	var newest Version
	for v := range c.versions() {
		if v.version.Compare(newest) > 0 {
			newest = v.version
		}
	}
	return newest
}

type chartVersion struct {
	version, releasedWith Version
	apps                  string
}

func (c *ChartTable) versions() iter.Seq[chartVersion] {
	return func(yield func(chartVersion) bool) {
		i, _ := chartVersions.search(c.name, "")
		for ; i < chartVersions.len(); i++ {
			name, rest := cell(chartVersions.line(i))
			if name != c.name {
				return
			}
			var v chartVersion
			text, rest := cell(rest)
			v.version = MustVersion(text)
			v.apps, rest = cell(rest)
			if text, _ = cell(rest); text != "" {
				v.releasedWith = MustVersion(text)
			}
			if !yield(v) {
				return
			}
		}
	}
}

// Form returns the version under which the table describes a chart, and whether that is certain. Either argument may be zero: chart is the chart's own
// version, app the release that an image tag names.
//
// LiteLLM's charts have two numberings. In the repository they go from 0.1.0 to 1.1.3; published ones are numbered like the LiteLLM release from 1.81.0,
// and 0.1.N with a build number before. Repository versions from 1.1.0 and build numbers each stand for several states, so the form is then the nearest one.
// Without a chart version, or with a build number, the image's release dates the chart; without both the newest form is meant.
func (c *ChartTable) Form(chart, app Version) (Version, bool) {
	litellm := c.name != "vllm-stack"
	switch {
	case !chart.IsZero() && (!litellm || chart.Compare(MustVersion(renumbered)) >= 0):
		return chart, true
	case !chart.IsZero() && c.name == "litellm":
		return c.Newest(), false
	case c.BuildNumber(chart) && !app.IsZero():
		return c.Form(Version{}, app)
	case !chart.IsZero():
		switch {
		case chart.Compare(MustVersion("1.1.0")) > 0:
			return c.Newest(), false
		case c.BuildNumber(chart):
			return MustVersion("0.4.0"), false
		}
		return chart, chart.Compare(MustVersion("1.1.0")) < 0
	case app.IsZero() || !litellm:
		return c.Newest(), false
	case c.name == "litellm" || app.Compare(MustVersion(renumbered)) >= 0:
		return app, false
	}
	form := MustVersion("0.1.0")
	for v := range c.versions() {
		if !v.releasedWith.IsZero() && v.releasedWith.Compare(app) <= 0 && v.version.Compare(form) > 0 {
			form = v.version
		}
	}
	return form, false
}

// BuildNumber reports whether a version is one of 0.1.N that the classic chart was published under before 1.81.0: it does not say which form that
// chart has.
func (c *ChartTable) BuildNumber(chart Version) bool {
	return c.name == "litellm-helm" && chart.Compare(MustVersion("0.1.0")) > 0 && chart.Compare(MustVersion("0.2.0")) < 0
}

// AppVersion returns the LiteLLM release that a version of a LiteLLM chart installs when image.tag is empty. It is not known for charts of other products,
// for published charts before 1.81.0, and where the repository's chart kept its version while the release moved on; a Chart.yaml at hand says it better.
func (c *ChartTable) AppVersion(chart Version) (Version, bool) {
	if chart.IsZero() || c.name == "vllm-stack" {
		return Version{}, false
	}
	if chart.Compare(MustVersion(renumbered)) >= 0 {
		return chart, true
	}
	for v := range c.versions() {
		if v.version.Compare(chart) == 0 && v.apps != "" && !strings.Contains(v.apps, " ") {
			return MustVersion(v.apps), true
		}
	}
	return Version{}, false
}

// ChartKey is one key of a chart's values.
type ChartKey struct {
	Chart *ChartTable
	// Path joins the keys with dots and writes [] for the items of a list: servingEngineSpec.modelSpec[].vllmConfig.maxModelLen. What the chart renders
	// without any key has a path in parentheses, such as (env PYTHONHASHSEED), and KeyFixed.
	Path string
	Kind ChartKeyKind
	// Order ranks keys that set environment variables of one container: of two that render the same name the higher one wins. 0 is no environment.
	// Ranks below 10 are envFrom sources.
	Order  int
	Source string

	versions, defaults, sets, renders, needs string
}

// ChartKeyKind says what may stand below a key.
type ChartKeyKind string

const (
	KeyScalar ChartKeyKind = "scalar"
	KeyList   ChartKeyKind = "list"  // a list that the chart passes on or walks; what its items hold is the user's, unless keys with [] describe it
	KeyMap    ChartKeyKind = "map"   // a mapping that the chart passes on; any key may stand below
	KeyBlock  ChartKeyKind = "block" // a mapping with known keys; these have rows of their own
	KeyFixed  ChartKeyKind = "fixed" // not a key: what the chart renders anyway, its value as the default
)

// chartColumns is the header of data/charts.tsv.
const chartColumns = "chart\tpath\tkind\tversions\tdefault\tsets\trenders\tneeds\torder\tsource"

func (c *ChartTable) parseKey(line string) ChartKey {
	k := ChartKey{Chart: c}
	var text string
	_, line = cell(line)
	k.Path, line = cell(line)
	text, line = cell(line)
	k.Kind = ChartKeyKind(text)
	k.versions, line = cell(line)
	k.defaults, line, _ = strings.Cut(line, "\t")
	k.sets, line = cell(line)
	k.renders, line = cell(line)
	k.needs, line = cell(line)
	text, line = cell(line)
	if text != "" {
		k.Order, _ = strconv.Atoi(text) // a test refuses anything else
	}
	k.Source, _ = cell(line)
	return k
}

// At reports whether the chart has the key in a form, and if not, whether others have it.
func (k ChartKey) At(form Version) Presence {
	var before, after bool
	for span := range strings.FieldsSeq(k.versions) {
		from, below, _ := strings.Cut(span, "..")
		below = strings.TrimPrefix(below, "<")
		switch {
		case from != "" && form.Compare(MustVersion(from)) < 0:
			after = true
		case below != "" && form.Compare(MustVersion(below)) >= 0:
			before = true
		default:
			return Present
		}
	}
	switch {
	case before && after:
		return Between
	case after:
		return NotYet
	}
	return Gone
}

// Since returns the first form that has the key, zero when the oldest has it.
func (k ChartKey) Since() Version {
	from, _, _ := strings.Cut(k.versions, "..")
	if from == "" {
		return Version{}
	}
	return MustVersion(from)
}

// Before returns the first form that has the key no longer, zero when the newest still has.
func (k ChartKey) Before() Version {
	below := k.versions[strings.LastIndex(k.versions, "..")+2:]
	if below == "" {
		return Version{}
	}
	return MustVersion(strings.TrimPrefix(below, "<"))
}

// Default returns the value in the chart's own values.yaml, as JSON. It is false when the key has none: it is only written in a comment, or null.
func (k ChartKey) Default(form Version) (string, bool) {
	v, ok := at(k.defaults, form)
	return v, ok && v != ""
}

// Defaults returns the history of the default, oldest first.
func (k ChartKey) Defaults() []Change { return history(k.defaults) }

// Sets returns the parts of the model that the key decides, such as gateway.replicas.max.
func (k ChartKey) Sets() []string { return split(k.sets) }

// Rendering is something that a template makes of a key.
type Rendering struct {
	// Kind is arg (an argument), env (a variable), envfrom (a whole secret or configmap), file (the config that the gateway reads), field (of a
	// manifest; containers[0] is the main container), object (a manifest of its own), metric (what an autoscaler follows), subchart, annotation or configmap.
	Kind string
	// Name is the argument with its dashes, the variable, the path, ...; * is whatever the user writes there.
	Name string
}

// Renders returns what the templates make of the key; none for keys that only other templates, labels and the like use.
func (k ChartKey) Renders() []Rendering {
	var out []Rendering
	for _, part := range split(k.renders) {
		kind, name, _ := strings.Cut(part, ":")
		out = append(out, Rendering{kind, name})
	}
	return out
}

// ChartCondition is a test of another key that a template makes before it uses this one.
type ChartCondition struct {
	Path string
	// Not reverses the test. Value is the text it compares with; without one the test is Helm's: not empty, zero, false or absent.
	Not   bool
	Value string
}

// Needs returns the conditions that must all hold for the key to have an effect.
func (k ChartKey) Needs() []ChartCondition {
	var out []ChartCondition
	for _, part := range split(k.needs) {
		var c ChartCondition
		c.Path, c.Not = strings.CutPrefix(part, "!")
		c.Path, c.Value, _ = strings.Cut(c.Path, "=")
		out = append(out, c)
	}
	return out
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// All returns the keys of all forms of the chart, sorted by path, with what it renders without any key first.
func (c *ChartTable) All() iter.Seq[ChartKey] {
	return func(yield func(ChartKey) bool) {
		i, _ := charts.search(c.name, "")
		for ; i < charts.len(); i++ {
			line := charts.line(i)
			if name, _, _ := strings.Cut(line, "\t"); name != c.name || !yield(c.parseKey(line)) {
				return
			}
		}
	}
}

// Keys returns the keys that a form of the chart has, sorted by path, with what it renders without any key first.
func (c *ChartTable) Keys(form Version) iter.Seq[ChartKey] {
	return func(yield func(ChartKey) bool) {
		for k := range c.All() {
			if k.At(form) == Present && !yield(k) {
				return
			}
		}
	}
}

// Key returns the key that describes a path of a values file, and how the form stands to it. Items of lists may be written [], [3] or .3. A path below
// a map or a list that the chart passes on is described by that key; a path above keys by a KeyBlock. With several, one that the form has is preferred.
// The zero key comes with Unknown.
func (c *ChartTable) Key(path string, form Version) (ChartKey, Presence) {
	path = listItems(path)
	var best ChartKey
	presence := Unknown
	for p := path; p != "" && presence != Present; p = parentPath(p) {
		i, ok := charts.search(c.name, p)
		if !ok {
			continue
		}
		k := c.parseKey(charts.line(i))
		if at := k.At(form); (p == path || c.open(k)) && (presence == Unknown || at == Present) {
			best, presence = k, at
		}
	}
	if presence == Present {
		return best, presence
	}
	for _, below := range [...]string{path + ".", path + "[]"} {
		i, _ := charts.search(c.name, below)
		for ; i < charts.len(); i++ {
			line := charts.line(i)
			if !strings.HasPrefix(line, c.name+"\t"+below) {
				break
			}
			k := c.parseKey(line)
			at := k.At(form)
			if presence == Unknown || at == Present {
				best = ChartKey{Chart: c, Path: path, Kind: KeyBlock, Source: k.Source, versions: k.versions}
				presence = at
			}
			if at == Present {
				return best, at
			}
		}
	}
	return best, presence
}

// open reports whether a path below the key is the user's own.
func (c *ChartTable) open(k ChartKey) bool {
	if k.Kind == KeyMap {
		return true
	}
	if k.Kind != KeyList {
		return false
	}
	i, _ := charts.search(c.name, k.Path+"[]")
	return i == charts.len() || !strings.HasPrefix(charts.line(i), c.name+"\t"+k.Path+"[]")
}

// Default returns the chart's own value of a key in a form, as JSON; false when the chart has no such key or no value for it.
func (c *ChartTable) Default(path string, form Version) (string, bool) {
	k, p := c.Key(path, form)
	if p != Present || k.Path != listItems(path) {
		return "", false
	}
	return k.Default(form)
}

// Nearest returns the keys of a form with a similar last part under the same parent, or the same last part elsewhere, best first.
func (c *ChartTable) Nearest(path string, form Version) []string {
	path = listItems(path)
	parent, last := parentPath(path), path[strings.LastIndexByte(path, '.')+1:]
	limit := max(1, len(last)/3)
	type candidate struct {
		path string
		cost int
	}
	var found []candidate
	for k := range c.Keys(form) {
		for p := k.Path; p != ""; p = parentPath(p) {
			name := p[strings.LastIndexByte(p, '.')+1:]
			cost := -1
			if parentPath(p) == parent {
				if d := Distance(last, name, limit); d <= limit {
					cost = d
				}
			} else if strings.EqualFold(name, last) {
				cost = limit + 1
			}
			if cost >= 0 && !slices.ContainsFunc(found, func(c candidate) bool { return c.path == p }) {
				found = append(found, candidate{p, cost})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.cost - b.cost })
	var out []string
	for _, f := range found[:min(len(found), maxSuggestions)] {
		out = append(out, f.path)
	}
	return out
}

// listItems rewrites [3] and .3 as [].
func listItems(path string) string {
	if !strings.ContainsAny(path, "[0123456789") {
		return path
	}
	var b strings.Builder
	for i, part := range strings.Split(path, ".") {
		name, index, ok := strings.Cut(part, "[")
		if i > 0 && name != "" && strings.Trim(name, "0123456789") == "" {
			b.WriteString("[]")
		} else {
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(name)
		}
		if ok {
			b.WriteString(strings.Repeat("[]", strings.Count(index, "[")+1))
		}
	}
	return b.String()
}

// parentPath drops the last key or list item.
func parentPath(path string) string {
	if p, ok := strings.CutSuffix(path, "[]"); ok {
		return p
	}
	return path[:max(0, strings.LastIndexByte(path, '.'))]
}
