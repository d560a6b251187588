// Package sourcetest writes random files for property tests.
package sourcetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// YAML returns a random YAML file. About one in three is refused by parsers.
func YAML(r *rand.Rand) string {
	g := &generator{r: r}
	return g.file()
}

// generator writes random YAML of every construct: block and flow containers, complex and absent keys and
// values, all scalar styles, properties, comments and line ends. Some of it is refused by the parser.
type generator struct {
	r       *rand.Rand
	nl      string
	depth   int
	anchors []string
}

func (g *generator) n(n int) int             { return g.r.IntN(n) }
func (g *generator) pick(s ...string) string { return s[g.n(len(s))] }
func (g *generator) one(n int) bool          { return g.n(n) == 0 }

func (g *generator) file() string {
	g.nl = g.pick("\n", "\n", "\n", "\r\n", "\r")
	var b strings.Builder
	if g.one(10) {
		b.WriteString("\ufeff")
	}
	docs := 1
	if g.one(4) {
		docs += g.n(3)
	}
	for i := range docs {
		g.anchors = nil
		if i > 0 || g.one(4) {
			b.WriteString(g.comments(0))
			if g.one(6) && (i == 0 || strings.HasSuffix(b.String(), "..."+g.nl)) {
				b.WriteString("%YAML 1.1" + g.pick("", " # d") + g.nl)
			}
			b.WriteString("---" + g.pick("", "", " # start", " ") + g.nl)
		}
		switch g.n(12) {
		case 0:
			b.WriteString(g.comments(0))
		case 1:
			b.WriteString(strings.TrimLeft(g.rest(-1), " \t"))
		default:
			b.WriteString(g.block(0))
		}
		b.WriteString(g.comments(0))
		if g.one(6) {
			b.WriteString("..." + g.nl)
		}
	}
	s := b.String()
	if g.one(5) {
		s = strings.TrimRight(s, "\r\n")
	}
	return s
}

func (g *generator) comments(indent int) string {
	if !g.one(4) {
		return ""
	}
	var b strings.Builder
	for range 1 + g.n(2) {
		if g.one(3) {
			b.WriteString(g.pick("", " ", "   ") + g.nl)
			continue
		}
		b.WriteString(strings.Repeat(" ", g.n(2)*(indent+g.n(2))) + "#" + g.pick(" c", "x: y", " 'q", "é [", "") + g.nl)
	}
	return b.String()
}

func (g *generator) end() string {
	return g.pick("", "", "", " ", " # c", "  # it's: {", "\t# é") + g.nl
}

// block writes a map or list at a column; the first line is not indented.
func (g *generator) block(indent int) string {
	g.depth++
	defer func() { g.depth-- }()
	pad := strings.Repeat(" ", indent)
	var b strings.Builder
	list := g.one(3)
	for i := range 1 + g.n(5) {
		if i > 0 {
			b.WriteString(g.comments(indent))
			b.WriteString(pad)
		}
		switch {
		case list:
			b.WriteString("-" + g.entry(indent))
		case g.one(12):
			b.WriteString("?" + g.entry(indent))
			if g.one(3) {
				b.WriteString(g.comments(indent))
				break
			}
			b.WriteString(pad + ":" + g.entry(indent))
		default:
			if g.one(10) {
				b.WriteString(g.properties())
			}
			b.WriteString(g.key() + g.pick("", "", "", " ") + ":" + g.rest(indent))
		}
	}
	return b.String()
}

// entry writes what follows "-", "?" or ":" of a complex entry.
func (g *generator) entry(indent int) string {
	if g.depth < 4 && g.one(3) {
		k := 1 + g.n(3)
		return strings.Repeat(" ", k) + g.block(indent+1+k)
	}
	return g.rest(indent)
}

// rest writes the value after a colon, to the end of its last line.
func (g *generator) rest(indent int) string {
	props := ""
	if g.one(8) {
		props = " " + strings.TrimRight(g.properties(), " ")
		if g.one(4) {
			props += g.pick("", " # p") + g.nl + g.comments(indent+1) + strings.Repeat(" ", indent+1)
		}
	}
	blank := g.pick(" ", " ", " ", "  ", "\t")
	switch k := g.n(14); {
	case k < 2:
		return props + g.end()
	case k < 5:
		return props + blank + g.plain(indent) + g.end()
	case k == 5:
		return props + blank + g.quoted(indent) + g.end()
	case k < 8:
		return props + " " + g.blockScalar(indent)
	case k < 10:
		return props + blank + g.flow(indent) + g.end()
	case k == 10 && len(g.anchors) > 0:
		return " *" + g.anchors[g.n(len(g.anchors))] + g.end()
	case g.depth < 4:
		step := 1 + g.n(4)
		return props + g.end() + g.comments(indent+step) + strings.Repeat(" ", indent+step) + g.block(indent+step)
	}
	return props + blank + g.word() + g.end()
}

func (g *generator) properties() string {
	tag := g.pick("!!str", "!t", "!<tag:x,2026:y>", "!")
	if g.one(3) {
		return tag + " "
	}
	name := fmt.Sprintf("x%d", g.n(5))
	g.anchors = append(g.anchors, name)
	switch g.n(4) {
	case 0:
		return "&" + name + " " + tag + " "
	case 1:
		return tag + "  &" + name + " "
	}
	return "&" + name + " "
}

func (g *generator) key() string {
	k := g.pick("k", "key", "é", "a b", "😀", "k#", "<<", "-k", "1", "?k") + fmt.Sprint(g.n(30))
	switch g.n(6) {
	case 0:
		return "'" + k + "'"
	case 1:
		return `"\"` + k + `"`
	}
	return k
}

func (g *generator) word() string {
	return g.pick("x", "yes", "0x1f", "é😀", "a#b", "a:b", "http://x/y?z", "-1", "e\u0301", "n\u00a0b", "it's", "a,b", "x]", "null", "~", "%x", "a\\b", "=", "{{") + g.pick("", "", "1")
}

func (g *generator) plain(indent int) string {
	s := g.pick("x", "yes", "é😀", "a#b", "-1", "it's", "null", "~")
	for range g.n(4) {
		s += g.pick(" ", " ", "  ", "\t", g.nl+strings.Repeat(" ", indent+1+g.n(3)), " "+g.nl+g.nl+strings.Repeat(" ", indent+2)) + g.pick("x", "-", "é", "a:b", "'q'", "&y", "\"", "- z", "*")
	}
	return s
}

func (g *generator) quoted(indent int) string {
	fold := g.pick(" ", g.nl+strings.Repeat(" ", indent+1), " "+g.nl+g.nl+strings.Repeat(" ", indent+3))
	if g.one(2) {
		return "'" + g.pick("", "it''s", "# no", "a: [", "\"", "é") + g.pick("", fold+"''", fold+"x", "\\") + "'"
	}
	return `"` + g.pick("", `\"`, `\\`, "# no", "]}'", `\u00e9\x41\n`, "😀", `\/`, `\ud83d\ude00`) + g.pick("", fold+"x", fold+`\t`, "\\"+g.nl+" y") + `"`
}

func (g *generator) blockScalar(indent int) string {
	header := g.pick("|", ">") + g.pick("", "", "-", "+")
	step := 1 + g.n(4)
	if g.one(5) {
		if indent < 0 {
			indent = 0
		}
		header = header[:1] + fmt.Sprint(step) + header[1:]
	}
	pad := strings.Repeat(" ", max(indent, 0)+step)
	s := header + g.pick("", "", " ", " # h", "# h") + g.nl
	for range g.n(4) {
		if g.one(4) {
			s += g.pick("", " ", pad, pad+"  ") + g.nl
			continue
		}
		s += pad + g.pick("", "", "", "", "", "", " ", "  ", "\t") + g.pick("x", "k: v", "# c", "- é", "'", "[", "%", "y  ", "|", "---") + g.nl
	}
	return s
}

func (g *generator) flow(indent int) string {
	g.depth++
	defer func() { g.depth-- }()
	gap := func() string {
		return g.pick("", " ", " ", "  ", "\t", g.nl+strings.Repeat(" ", indent+1), " # f [,'"+g.nl+strings.Repeat(" ", indent+2))
	}
	item := func() string {
		s := ""
		if g.one(8) {
			s = g.properties()
		}
		switch k := g.n(8); {
		case k < 2 && g.depth < 6:
			return s + g.flow(indent)
		case k == 2:
			return s + g.quoted(indent)
		case k == 3 && len(g.anchors) > 0:
			return "*" + g.anchors[g.n(len(g.anchors))] + " "
		}
		return s + g.pick("x", "é", "a b", "-1", "a#b", "yes", "x-", "'y'", "😀", "a:b")
	}
	list := g.one(2)
	var b strings.Builder
	b.WriteString(g.pick("{", "{"))
	if list {
		b.Reset()
		b.WriteString("[")
	}
	for i := range g.n(4) {
		if i > 0 {
			b.WriteString(gap() + ",")
		}
		b.WriteString(gap())
		if list && !g.one(6) {
			b.WriteString(item())
			continue
		}
		if g.one(6) {
			b.WriteString("?" + g.pick(" ", g.nl+strings.Repeat(" ", indent+1)))
		}
		b.WriteString(item())
		if list || !g.one(6) {
			b.WriteString(g.pick("", "", " ") + ":" + g.pick(" ", " ", " # v"+g.nl+strings.Repeat(" ", indent+1)))
			if !g.one(5) {
				b.WriteString(item())
			}
		}
	}
	b.WriteString(gap())
	if g.one(6) && b.Len() > 4 {
		b.WriteString("," + gap())
	}
	if list {
		return b.String() + "]"
	}
	return b.String() + "}"
}
