package report

import (
	"fmt"
	"strconv"
	"strings"

	"agentlint/internal/model"
)

// diagram is a stack as boxes and arrows.
type diagram struct {
	nodes []node
	edges []edge
}

// nodeShape is how a node is drawn.
type nodeShape uint8

const (
	box nodeShape = iota
	rounded
	cylinder
	hexagon
)

type node struct {
	id    string
	shape nodeShape
	lines []string
}

type edge struct {
	from, to, label string
	dotted          bool
}

func (d *diagram) add(shape nodeShape, lines ...string) string {
	id := "n" + strconv.Itoa(len(d.nodes))
	d.nodes = append(d.nodes, node{id, shape, lines})
	return id
}

func (d *diagram) join(from, to, label string, dotted bool) {
	if from == "" || to == "" {
		return
	}
	for _, e := range d.edges {
		if e == (edge{from, to, label, dotted}) {
			return
		}
	}
	d.edges = append(d.edges, edge{from, to, label, dotted})
}

// maxNodes bounds a diagram; what is more is one node that says how many.
const maxNodes = 60

// draw lays out a stack: gateway, groups, routers, engines, database, Redis, autoscalers.
func draw(s *model.Stack) *diagram {
	d := &diagram{}
	root := s.Root
	gateway := ""
	if g := root.Get("gateway"); g != nil {
		lines := []string{"gateway LiteLLM" + word(g.Get("version"))}
		if n := amount(g.Get("workers"), "worker"); n != "" {
			lines = append(lines, n)
		}
		if n := replicas(g.Get("replicas")); n != "" {
			lines = append(lines, n)
		}
		gateway = d.add(box, lines...)
	}
	parts := map[string]string{"gateway ": gateway}
	left := 0
	part := func(list, kind string, describe func(v *model.Value) []string, shape nodeShape) {
		for _, v := range root.Get(list).Items() {
			name, _ := v.Get("name").AsText()
			if len(d.nodes) >= maxNodes {
				left++
				continue
			}
			parts[kind+" "+name] = d.add(shape, describe(v)...)
		}
	}
	part("engines", "engine", func(v *model.Value) []string {
		name, _ := v.Get("name").AsText()
		runtime, _ := v.Get("runtime").AsText()
		lines := []string{"engine " + name, strings.TrimSpace(runtime + word(v.Get("version")))}
		if n := replicas(v.Get("replicas")); n != "" {
			lines = append(lines, n)
		}
		if gpu, ok := v.At("gpu", "count").AsInt(false); ok {
			text := strconv.FormatInt(gpu, 10) + " GPU"
			if name, ok := v.At("gpu", "name").AsText(); ok {
				text += " " + name
			}
			lines = append(lines, text)
		}
		return lines
	}, box)
	part("routers", "router", func(v *model.Value) []string {
		kind, _ := v.Get("kind").AsText()
		lines := []string{"router " + kind + word(v.Get("version"))}
		if mode, ok := v.Get("mode").AsText(); ok {
			lines = append(lines, mode)
		}
		if n := replicas(v.Get("replicas")); n != "" {
			lines = append(lines, n)
		}
		return lines
	}, hexagon)
	for _, v := range root.Get("routers").Items() {
		name, _ := v.Get("name").AsText()
		for _, t := range v.Get("targets").Items() {
			engine, _ := t.AsText()
			d.join(parts["router "+name], parts["engine "+engine], "", false)
		}
	}
	outside := ""
	for _, g := range root.Get("groups").Items() {
		name, _ := g.Get("name").AsText()
		if len(d.nodes) >= maxNodes {
			left++
			continue
		}
		deployments := g.Get("deployments").Items()
		lines := []string{name}
		if len(deployments) > 1 {
			lines = append(lines, fmt.Sprintf("%d deployments", len(deployments)))
		}
		id := d.add(rounded, lines...)
		d.join(gateway, id, "", false)
		for _, x := range deployments {
			kind, _ := x.At("target", "kind").AsText()
			target, _ := x.At("target", "name").AsText()
			switch to := parts[kind+" "+target]; {
			case to != "":
				d.join(id, to, "", false)
			case kind == "external":
				if outside == "" {
					outside = d.add(rounded, "hosted APIs")
				}
				d.join(id, outside, "", false)
			}
		}
	}
	if db := root.Get("database"); db != nil {
		to := gateway
		if p := db.Get("pooler"); p != nil {
			kind, _ := p.Get("kind").AsText()
			lines := []string{"pooler " + kind}
			if n := amount(p.Get("pool_size"), "server connection"); n != "" {
				lines = append(lines, n)
			}
			id := d.add(box, lines...)
			d.join(gateway, id, "", false)
			to = id
		}
		lines := []string{"Postgres"}
		if n, ok := db.At("server", "max_connections").AsInt(false); ok {
			lines = append(lines, fmt.Sprintf("max_connections %d", n))
		}
		d.join(to, d.add(cylinder, lines...), "", false)
	}
	for _, r := range root.At("redis", "instances").Items() {
		use, _ := r.Get("use").AsText()
		kind, _ := r.Get("kind").AsText()
		d.join(gateway, d.add(cylinder, "Redis "+kind, use), "", false)
	}
	for _, v := range root.Get("autoscalers").Items() {
		kind, _ := v.Get("kind").AsText()
		target, _ := v.At("target", "part").AsText()
		name, _ := v.At("target", "name").AsText()
		if target == "gateway" {
			name = ""
		}
		to := parts[target+" "+name]
		if to == "" {
			continue
		}
		lines := []string{kind}
		for _, m := range v.Get("metrics").Items() {
			metric, _ := m.Get("kind").AsText()
			lines = append(lines, metric)
		}
		d.join(d.add(hexagon, lines...), to, "scales", true)
	}
	if left > 0 {
		d.add(rounded, fmt.Sprintf("and %d more", left))
	}
	return d
}

func word(v *model.Value) string {
	if s, ok := v.Scalar(); ok && s != "" {
		return " " + s
	}
	return ""
}

func amount(v *model.Value, noun string) string {
	n, ok := v.AsInt(false)
	if !ok {
		return ""
	}
	return plural(int(n), noun)
}

func replicas(v *model.Value) string {
	low, ok1 := v.Get("min").AsInt(false)
	high, ok2 := v.Get("max").AsInt(false)
	switch {
	case ok1 && ok2 && low != high:
		return fmt.Sprintf("%d to %d replicas", low, high)
	case ok2:
		return plural(int(high), "replica")
	}
	return ""
}

// Mermaid returns a stack as a Mermaid flowchart, which GitHub renders in Markdown.
func Mermaid(s *model.Stack) string {
	d := draw(s)
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	for _, n := range d.nodes {
		open, shut := "[", "]"
		switch n.shape {
		case rounded:
			open, shut = "(", ")"
		case cylinder:
			open, shut = "[(", ")]"
		case hexagon:
			open, shut = "{{", "}}"
		}
		lines := make([]string, len(n.lines))
		for i, l := range n.lines {
			lines[i] = mermaidText(l)
		}
		fmt.Fprintf(&b, "  %s%s\"%s\"%s\n", n.id, open, strings.Join(lines, "<br/>"), shut)
	}
	for _, e := range d.edges {
		arrow := "-->"
		if e.dotted {
			arrow = "-.->"
		}
		label := ""
		if e.label != "" {
			label = "|" + mermaidText(e.label) + "|"
		}
		fmt.Fprintf(&b, "  %s %s%s %s\n", e.from, arrow, label, e.to)
	}
	return b.String()
}

// maxLabel bounds a line of a node, which may hold a name from a file.
const maxLabel = 60

// mermaidText makes text safe inside a quoted Mermaid label and the Markdown around it: everything but plain words is
// written as a character entity of Mermaid.
func mermaidText(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range clean(redact(s)) {
		if n++; n > maxLabel {
			b.WriteString("...")
			break
		}
		switch {
		case r == ' ' || r == '-' || r == '_' || r == '.' || r == '/' || r == ':' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
