package report

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"agentlint/internal/model"
)

// Sizes of the drawing in SVG units, which are CSS pixels.
const (
	charWidth  = 7.2 // of the 12 px monospace text
	lineHeight = 16
	boxPadding = 10
	gapAcross  = 56
	gapDown    = 18
)

// placed is a node with its place in the drawing.
type placed struct {
	node
	layer      int
	x, y, w, h float64
}

// SVG returns a stack as a drawing that needs nothing else: no font, script or network. Its colours are the custom
// properties --ink, --paper, --line and --accent of the page around it.
func SVG(s *model.Stack) string {
	d := draw(s)
	boxes := layout(d)
	width, height := 0.0, 0.0
	for _, b := range boxes {
		width, height = max(width, b.x+b.w), max(height, b.y+b.h)
	}
	width, height = width+2, height+2
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="stack" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-label="%s">`+"\n", width, height, width, height, htmlText("diagram of "+s.Name))
	at := map[string]*placed{}
	for i := range boxes {
		at[boxes[i].id] = &boxes[i]
	}
	for _, e := range d.edges {
		from, to := at[e.from], at[e.to]
		x1, y1, x2, y2 := from.x+from.w, from.y+from.h/2, to.x, to.y+to.h/2
		if to.layer <= from.layer {
			x1, x2 = from.x+from.w/2, to.x+to.w/2
		}
		middle := (x1 + x2) / 2
		class := "edge"
		if e.dotted {
			class = "edge dotted"
		}
		fmt.Fprintf(&b, `<path class="%s" d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f"/>`+"\n", class, x1, y1, middle, y1, middle, y2, x2, y2)
		fmt.Fprintf(&b, `<path class="head" d="M%.1f %.1fl-7 -4v8z"/>`+"\n", x2, y2)
	}
	for _, p := range boxes {
		rx := 2.0
		switch p.shape {
		case rounded:
			rx = 12
		case cylinder:
			rx = p.h / 2
		case hexagon:
			rx = 6
		}
		fmt.Fprintf(&b, `<rect class="box %s" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"/>`+"\n", shapeClass(p.shape), p.x, p.y, p.w, p.h, rx)
		for i, l := range p.lines {
			weight := ""
			if i == 0 {
				weight = ` class="first"`
			}
			fmt.Fprintf(&b, `<text x="%.1f" y="%.1f"%s>%s</text>`+"\n", p.x+p.w/2, p.y+boxPadding+float64(i)*lineHeight+11, weight, html.EscapeString(label(l)))
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

func shapeClass(s nodeShape) string {
	return [...]string{"part", "group", "store", "control"}[s]
}

// label is a line of a node, cut to what fits.
func label(s string) string {
	s = clean(redact(s))
	if r := []rune(s); len(r) > 40 {
		return string(r[:37]) + "..."
	}
	return s
}

// layout puts nodes into columns by their distance from the left, and into rows by where their edges come from.
func layout(d *diagram) []placed {
	out := make([]placed, len(d.nodes))
	index := map[string]int{}
	for i, n := range d.nodes {
		index[n.id] = i
		widest := 0
		for _, l := range n.lines {
			widest = max(widest, width(label(l)))
		}
		out[i] = placed{node: n, w: max(90, float64(widest)*charWidth+2*boxPadding), h: float64(len(n.lines))*lineHeight + 2*boxPadding - 4}
		if n.shape == cylinder {
			out[i].w += 12
		}
	}
	// The longest way from a node without incoming edges; as many rounds as nodes end any cycle.
	for range out {
		moved := false
		for _, e := range d.edges {
			from, to := index[e.from], index[e.to]
			if l := out[from].layer + 1; l > out[to].layer && l < len(out) {
				out[to].layer = l
				moved = true
			}
		}
		if !moved {
			break
		}
	}
	layers := 0
	for _, p := range out {
		layers = max(layers, p.layer+1)
	}
	x := 1.0
	for l := range layers {
		var column []int
		for i := range out {
			if out[i].layer == l {
				column = append(column, i)
			}
		}
		// A node stands near the nodes that lead to it.
		middle := func(i int) float64 {
			sum, n := 0.0, 0
			for _, e := range d.edges {
				if index[e.to] == i && out[index[e.from]].layer < l {
					from := out[index[e.from]]
					sum, n = sum+from.y+from.h/2, n+1
				}
			}
			if n == 0 {
				return 0
			}
			return sum / float64(n)
		}
		slices.SortStableFunc(column, func(a, b int) int {
			switch ma, mb := middle(a), middle(b); {
			case ma < mb:
				return -1
			case ma > mb:
				return 1
			}
			return 0
		})
		y, widest := 1.0, 0.0
		for _, i := range column {
			out[i].x, out[i].y = x, y
			y += out[i].h + gapDown
			widest = max(widest, out[i].w)
		}
		for _, i := range column {
			out[i].w = widest
		}
		x += widest + gapAcross
	}
	return out
}
