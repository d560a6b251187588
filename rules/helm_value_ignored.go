package rules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "helm-value-ignored",
		Title:    "A value of the chart has no effect",
		Category: "schema",
		Why: "Helm accepts any value, and a template that does not come to it says nothing. In litellm-helm `args` replaces the whole command\n" +
			"line, so that `numWorkers` beside it is not passed on; `proxy_config` is not rendered when `proxyConfigMap.create` is false;\n" +
			"`db.endpoint` and `db.url` are not used while `db.deployStandalone` is true, which it is by default; `replicaCount` gives way to\n" +
			"an autoscaler; and the probes' numbers are keys from 1.83 on only, older charts ignore them. What the file says is then not what runs.",
		Remedy:     "Remove the value, or the one that keeps it from being used; write workers that `args` would hide as `--num_workers` into `args`. For a key that the chart does not have yet update the chart.",
		Severity:   model.Warning,
		Severities: []model.Severity{model.Info},
		Confidence: model.Medium,
		Inputs:     []string{"gateway.helm"},
		When:       []string{"gateway.helm.values"},
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm-helm 1.102.0", File: "templates/deployment.yaml", Symbol: ".Values.args", Checked: "2026-11-29"},
			{Artefact: "litellm-helm 1.102.0", File: "templates/_helpers.tpl", Symbol: ".Values.db.deployStandalone", Checked: "2026-11-29",
				Note: "db.useExisting stands in the else branch."},
			{Artefact: "agentlint", File: "internal/knowledge/data/charts.tsv", Symbol: "proxyConfigMap.create", Checked: "2026-11-29",
				Note: "What each key of a chart needs to be rendered, and the versions that have it."},
		},
	},
	Check: func(p *Pass) {
		c := p.chart()
		if c == nil {
			return
		}
		groups := map[string]*ignoredValues{}
		var order []string
		add := func(key string, v *model.Value, g ignoredValues) {
			top, _, _ := strings.Cut(key, ".")
			id := top + " " + g.reason
			if groups[id] == nil {
				groups[id] = &g
				order = append(order, id)
			}
			groups[id].keys = append(groups[id].keys, key)
			groups[id].values = append(groups[id].values, v)
		}
		for k := range c.table.All() {
			if k.Kind == knowledge.KeyFixed || strings.Contains(k.Path, "[]") {
				continue
			}
			v := c.written(k.Path)
			if on, known := v.Truthy(); !on || !known || c.isDefault(k, v) || switchedOff(v) {
				continue
			}
			if g, ok := c.missing(k); ok {
				add(k.Path, v, g)
			} else if g, ok := c.unmet(k, v); ok {
				add(k.Path, v, g)
			}
		}
		for _, id := range order {
			groups[id].report(c)
		}
	},
})

// ignoredValues are values that have no effect for one reason.
type ignoredValues struct {
	keys   []string
	values []*model.Value
	// reason ends the message, by is the key that is in the way, when it is written.
	reason string
	by     string
	info   bool
}

func (g *ignoredValues) report(c *chartValues) {
	order := make([]int, len(g.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(g.values[a].Origin.Key.Start, g.values[b].Origin.Key.Start)
	})
	keys := make([]string, len(order))
	for i, k := range order {
		keys[i] = g.keys[k]
	}
	verb := "has"
	if len(keys) > 1 {
		verb = "have"
	}
	reason := g.reason
	if len(keys) > 1 {
		reason = strings.Replace(reason, "reads it", "reads them", 1)
	}
	r := c.p.Report(c.at(keys[0]), "%s %s no effect%s", shortList(keys), verb, reason).Subject(keys[0])
	if g.info {
		r.Severity(model.Info)
	}
	if g.values[order[0]].Kind == model.Map {
		r.OnKey()
	}
	if g.by != "" {
		r.RelatedKey(c.at(g.by), "%s is set here", g.by)
	}
}

// chartValues are the values of the gateway's chart with what is known of the chart.
type chartValues struct {
	p     *Pass
	table *knowledge.ChartTable
	form  knowledge.Version
	// certain is true when the chart's own version says which form it has.
	certain bool
	// undated is true when nothing says which form it has.
	undated bool
	version string
}

// chart returns the gateway's chart, nil when it is none that the tables have.
func (p *Pass) chart() *chartValues {
	name, ok := p.Text("gateway", "helm", "chart")
	table, known := knowledge.Chart(name)
	if !ok || !known || p.State("gateway", "helm", "chart_version") == model.Unseen || p.State("gateway", "image", "version") == model.Unseen {
		return nil
	}
	version := func(at ...any) knowledge.Version {
		text, _ := p.Text(at...)
		v, err := knowledge.ParseVersion(text)
		if err != nil {
			return knowledge.Version{}
		}
		return v
	}
	c := &chartValues{p: p, table: table}
	chart, app := version("gateway", "helm", "chart_version"), version("gateway", "image", "version")
	c.form, c.certain = table.Form(chart, app)
	c.undated = table.BuildNumber(chart) && app.IsZero()
	c.version, _ = p.Text("gateway", "helm", "chart_version")
	return c
}

func (c *chartValues) at(key string) model.Path {
	return model.Path{"gateway", "helm", "values"}.With(model.Dotted(key)...)
}

// written is the value of a key as the user wrote it, nil for none.
func (c *chartValues) written(key string) *model.Value {
	v := c.p.Root.At(c.at(key)...)
	if v == nil || v.Origin.Source == model.FromChart || v.Origin.Source == model.FromDefault {
		return nil
	}
	return v
}

// isDefault reports whether a value is one that the chart has had as its default, so that it was most likely copied.
func (c *chartValues) isDefault(k knowledge.ChartKey, v *model.Value) bool {
	text, err := json.Marshal(v.Plain())
	var own any
	if err != nil || json.Unmarshal(text, &own) != nil {
		return false
	}
	for _, d := range k.Defaults() {
		var was any
		if json.Unmarshal([]byte(d.Value), &was) == nil && reflect.DeepEqual(own, was) {
			return true
		}
	}
	return false
}

// missing says whether the chart's version has a key not yet, or no longer.
func (c *chartValues) missing(k knowledge.ChartKey) (g ignoredValues, ok bool) {
	which := c.table.Name() + " " + c.version
	if c.version == "" {
		which = fmt.Sprintf("%s (its version is not written, %s assumed)", c.table.Name(), c.form)
	}
	g.info = !c.certain
	if c.undated {
		return g, false
	}
	// The image's tag may be what dates the chart.
	if g.info && strings.HasPrefix(k.Path, "image.") {
		return g, false
	}
	switch k.At(c.form) {
	case knowledge.NotYet:
		g.reason = fmt.Sprintf(" with %s: the chart reads it from %s on", which, k.Since())
	case knowledge.Gone:
		g.reason = fmt.Sprintf(" with %s: the chart reads it no longer from %s on", which, k.Before())
	default:
		return g, false
	}
	return g, true
}

// notIgnored are keys of which the chart says at once, by failing to render, that they cannot be used so.
var notIgnored = [...]string{"database.writer.useAzureEntraAuth", "gateway.keda.enabled", "gateway.serviceMonitor.enabled"}

// unmet says whether another value keeps the chart from using a key.
func (c *chartValues) unmet(k knowledge.ChartKey, v *model.Value) (g ignoredValues, ok bool) {
	if k.At(c.form) != knowledge.Present || slices.Contains(notIgnored[:], k.Path) {
		return g, false
	}
	for _, need := range k.Needs() {
		on, known, fixed := c.holds(need.Path)
		switch {
		case !known || need.Value != "":
			return g, false
		case on != need.Not:
			continue
		}
		// A block that is switched off is off with all that stands in it, and one whose switch has no effect is reported there.
		if block, is := strings.CutSuffix(need.Path, ".enabled"); is && !need.Not && (k.Path == block || strings.HasPrefix(k.Path, block+".")) {
			return g, false
		}
		if block, _, is := cutLast(k.Path); is && c.dead(block+".enabled", k.Path) {
			return g, false
		}
		return c.because(k, v, need, fixed)
	}
	return g, false
}

// dead reports whether a switch is written and has no effect itself.
func (c *chartValues) dead(key, below string) bool {
	k, at := c.table.Key(key, c.form)
	if key == below || at != knowledge.Present || k.Path != key || len(k.Needs()) == 0 {
		return false
	}
	v := c.written(key)
	if on, known := v.Truthy(); !on || !known {
		return false
	}
	_, unmet := c.unmet(k, v)
	return unmet
}

// because words why a condition keeps a key from being used; fixed is true when the chart's default decides it.
func (c *chartValues) because(k knowledge.ChartKey, v *model.Value, need knowledge.ChartCondition, fixed bool) (g ignoredValues, ok bool) {
	state := "true"
	other := c.written(need.Path)
	switch {
	case !need.Not && (other != nil || fixed):
		state = "false"
	case !need.Not:
		state = "not set"
	case other != nil && other.Kind != model.Bool:
		state = "set"
	}
	g.reason = fmt.Sprintf(" while %s is %s", need.Path, state)
	if other == nil && fixed {
		g.reason += ", the chart's default"
		if len(c.defaults(need.Path)) > 1 {
			g.info = !c.certain
		}
	}
	if other != nil {
		g.by = need.Path
	}
	switch k.Path {
	case "numWorkers":
		workers, known := c.p.Int("gateway", "workers")
		if own, is := v.AsInt(true); !known || is && own == workers {
			return g, false
		}
		unit := "workers"
		if workers == 1 {
			unit = "worker"
		}
		g.reason += fmt.Sprintf(": the chart passes no --num_workers on, and the gateway runs %d %s", workers, unit)
	case "replicaCount", "gateway.replicaCount":
		lo, known := c.p.Int("gateway", "replicas", "min")
		hi, also := c.p.Int("gateway", "replicas", "max")
		own, is := v.AsInt(true)
		if !known || !also || !is || other != nil && lo <= own && own <= hi {
			return g, false
		}
		g.reason += fmt.Sprintf(": the autoscaler runs %d to %d", lo, hi)
	case "proxy_config":
		name, known := c.p.Text(c.at("proxyConfigMap.name")...)
		if known {
			g.reason += fmt.Sprintf(": the gateway reads the ConfigMap %s", model.Quote(name))
		}
	}
	return g, true
}

// holds tells whether a value is true for Helm; fixed is true when the chart's default says so.
func (c *chartValues) holds(key string) (on, known, fixed bool) {
	switch c.p.State(c.at(key)...) {
	case model.Unseen:
		return false, false, false
	case model.Present:
		if v := c.written(key); v != nil {
			on, known = v.Truthy()
			return on, known, false
		}
	}
	k, at := c.table.Key(key, c.form)
	if at != knowledge.Present || k.Path != key {
		return false, true, false
	}
	text, ok := k.Default(c.form)
	if !ok {
		return false, true, false
	}
	return text != "false" && text != `""` && text != "0" && text != "{}" && text != "[]", true, true
}

// defaults is the history of a key's default.
func (c *chartValues) defaults(key string) []knowledge.Change {
	k, _ := c.table.Key(key, c.form)
	return k.Defaults()
}

// switchedOff reports whether a block says itself that it is off: postgresql.enabled is no key of the charts, and who
// writes false has what is meant.
func switchedOff(v *model.Value) bool {
	if v.Kind != model.Map {
		return false
	}
	on, ok := v.Get("enabled").AsBool()
	return ok && !on
}

// cutLast cuts a dotted name at its last dot.
func cutLast(s string) (before, after string, found bool) {
	i := strings.LastIndexByte(s, '.')
	if i < 0 {
		return "", s, false
	}
	return s[:i], s[i+1:], true
}
