package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/engine"
	"agentlint/internal/model"
)

// htmlStyle is the whole style of the page. Colours follow the reader's system; nothing is loaded from anywhere.
const htmlStyle = `
:root{color-scheme:light dark;--paper:#fff;--ink:#1c2128;--soft:#57606a;--line:#d0d7de;--panel:#f6f8fa;--accent:#0969da;--error:#b3261e;--warning:#8a5a00;--info:#0b5cad;--undecided:#6f42c1}
@media (prefers-color-scheme:dark){:root{--paper:#0d1117;--ink:#e6edf3;--soft:#9da7b3;--line:#30363d;--panel:#161b22;--accent:#58a6ff;--error:#ff7b72;--warning:#e3b341;--info:#79c0ff;--undecided:#d2a8ff}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:72rem;padding:1.5rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.4rem;margin:0 0 .5rem}h2{font-size:1.1rem;margin:2rem 0 .5rem;border-bottom:1px solid var(--line);padding-bottom:.25rem}
h3{font-size:1rem;margin:0;font-weight:600}
a{color:var(--accent)}
.counts{display:flex;flex-wrap:wrap;gap:.5rem;margin:0;padding:0;list-style:none}
.counts li{border:1px solid var(--line);border-radius:.4rem;padding:.2rem .7rem}
.counts b{font-variant-numeric:tabular-nums}
.error{--mark:var(--error)}.warning{--mark:var(--warning)}.info{--mark:var(--info)}.undecided{--mark:var(--undecided)}
.tag{color:var(--mark);font-weight:700}
fieldset{border:1px solid var(--line);border-radius:.4rem;margin:.5rem 0;padding:.3rem .8rem}
legend{color:var(--soft);padding:0 .3rem}
label{margin-right:1rem;white-space:nowrap}
input:focus-visible,a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
article{border:1px solid var(--line);border-left:4px solid var(--mark);border-radius:.4rem;margin:.8rem 0;padding:.7rem 1rem}
summary{cursor:pointer;font-weight:600;margin-top:1rem}
article p{margin:.4rem 0}
.soft{color:var(--soft)}
code,pre,svg text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
pre{background:var(--panel);border-radius:.4rem;font-size:13px;line-height:1.4;margin:.5rem 0;overflow-x:auto;padding:.6rem .8rem}
pre .place{color:var(--soft)}pre .caret{color:var(--mark);font-weight:700}
.scroll{overflow-x:auto}
.file{display:none}
.bar{display:grid;grid-template-columns:6rem 1fr 7rem;gap:.2rem .6rem;align-items:center;font-size:13px;margin:.4rem 0;max-width:36rem}
.bar .track{height:.7rem;border-radius:.2rem;background:var(--panel);border:1px solid var(--line)}
.bar .fill{display:block;height:100%;background:var(--mark)}
.bar .limit{background:var(--soft)}
.bar .number{font-variant-numeric:tabular-nums}
svg.stack{max-width:none}
svg .box{fill:var(--panel);stroke:var(--line)}svg .store{stroke:var(--accent)}svg .control{stroke-dasharray:3 2}
svg text{fill:var(--ink);font-size:12px;text-anchor:middle}svg text.first{font-weight:700}
svg .edge{fill:none;stroke:var(--soft)}svg .dotted{stroke-dasharray:4 3}svg .head{fill:var(--soft)}
@media print{body{max-width:none;padding:0}fieldset{display:none}article,pre{break-inside:avoid}pre{white-space:pre-wrap;overflow:visible}}
`

// writeHTML prints one page that needs nothing else: the stacks as drawings, findings by file with their code frames,
// figures as bars against their limits. Filters are check boxes that style sheets read; there is no script.
func writeHTML(b *bytes.Buffer, r *engine.Result, o *Options) error {
	findings := r.Findings
	var severities, categories []string
	for i := len(severityOrder) - 1; i >= 0; i-- {
		name := severityOrder[i].String()
		if slices.ContainsFunc(findings, func(f *engine.Finding) bool { return f.Severity == severityOrder[i] }) {
			severities = append(severities, name)
		}
	}
	for _, f := range findings {
		if c := classOf(f.Category); !slices.Contains(categories, c) {
			categories = append(categories, c)
		}
	}
	slices.Sort(categories)
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
	b.WriteString("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n")
	b.WriteString("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>agentlint</title>\n<style>" + htmlStyle)
	for _, s := range severities {
		fmt.Fprintf(b, "body:has(#s-%s:not(:checked)) article.%s{display:none}\n", s, s)
	}
	for _, c := range categories {
		fmt.Fprintf(b, "body:has(#c-%s:not(:checked)) article.c-%s{display:none}\n", c, c)
	}
	writeHTMLFileStyle(b, findings)
	b.WriteString("</style>\n</head>\n<body>\n<h1>agentlint</h1>\n")
	writeHTMLCounts(b, r)
	if len(severities)+len(categories) > 0 {
		b.WriteString("<form aria-label=\"filter\">\n")
		filter(b, "severity", "s-", severities, o.Level)
		filter(b, "category", "c-", categories, model.Undecided)
		b.WriteString("</form>\n")
	}
	b.WriteString("<main>\n")
	writeHTMLStacks(b, r)
	if len(findings) > 0 {
		b.WriteString("<p class=\"soft none\">Nothing of what is ticked above: tick more to see what was found.</p>\n")
	}
	for _, group := range byFile(findings) {
		path, _, _ := where(group[0].Location)
		if path == "" {
			path = "no file"
		}
		fmt.Fprintf(b, "<section class=\"file\">\n<h2>%s</h2>\n", htmlText(path))
		for _, f := range group {
			writeHTMLFinding(b, f, len(r.Stacks), o)
		}
		b.WriteString("</section>\n")
	}
	writeHTMLRest(b, r)
	b.WriteString("</main>\n</body>\n</html>\n")
	return nil
}

// writeHTMLFileStyle shows a file only while one of its findings is shown. A style sheet cannot ask whether a finding
// is, so it names each pair of severity and category that occurs.
func writeHTMLFileStyle(b *bytes.Buffer, findings []*engine.Finding) {
	var pairs [][2]string
	for _, f := range findings {
		if p := [2]string{f.Severity.String(), classOf(f.Category)}; !slices.Contains(pairs, p) {
			pairs = append(pairs, p)
		}
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return strings.Compare(a[0]+" "+a[1], b[0]+" "+b[1]) })
	for _, p := range pairs {
		on := fmt.Sprintf("body:has(#s-%s:checked):has(#c-%s:checked)", p[0], p[1])
		fmt.Fprintf(b, "%s .file:has(>article.%s.c-%s){display:block}%s .none{display:none}\n", on, p[0], p[1], on)
	}
}

// openStacks is how many deployments are shown unfolded: more of them would bury the findings.
const openStacks = 2

func writeHTMLStacks(b *bytes.Buffer, r *engine.Result) {
	if len(r.Stacks) == 0 {
		return
	}
	open := ""
	if len(r.Stacks) <= openStacks {
		open = " open"
	}
	fmt.Fprintf(b, "<details%s><summary>%s</summary>\n", open, plural(len(r.Stacks), "deployment"))
	for _, s := range r.Stacks {
		fmt.Fprintf(b, "<h2>%s</h2>\n<p class=\"soft\">%s</p>\n", htmlText(s.Title()), htmlText(redact(s.Line)))
		if s.Stack != nil {
			fmt.Fprintf(b, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">\n%s</div>\n", htmlText("diagram of "+s.Title()), SVG(s.Stack))
		}
	}
	b.WriteString("</details>\n")
}

var severityOrder = [...]model.Severity{model.Undecided, model.Info, model.Warning, model.Error}

// classOf is a category as a class and an id: letters, digits and dashes only.
func classOf(category string) string {
	out := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return '-'
	}, strings.ToLower(category))
	if out == "" {
		return "none"
	}
	return out
}

// byFile groups findings by file in order of appearance.
func byFile(findings []*engine.Finding) [][]*engine.Finding {
	var out [][]*engine.Finding
	for _, f := range findings {
		k := slices.IndexFunc(out, func(g []*engine.Finding) bool { return g[0].File == f.File })
		if k < 0 {
			k = len(out)
			out = append(out, nil)
		}
		out[k] = append(out[k], f)
	}
	return out
}

func writeHTMLCounts(b *bytes.Buffer, r *engine.Result) {
	if len(r.Stacks) == 0 && len(r.Findings) == 0 {
		fmt.Fprintf(b, "<p>No LiteLLM or vLLM configuration found (%s looked at).</p>\n", plural(r.FilesLooked, "file"))
		return
	}
	if len(r.Findings) == 0 {
		fmt.Fprintf(b, "<p>No findings in %s.</p>\n", plural(r.FilesRead, "file"))
		return
	}
	c := Count(r.Findings)
	b.WriteString("<ul class=\"counts\">\n")
	for _, x := range []struct {
		n           int
		class, noun string
	}{{c.Error, "error", "errors"}, {c.Warning, "warning", "warnings"}, {c.Info, "info", "info"}, {c.Undecided, "undecided", "undecided"}} {
		if x.n > 0 {
			fmt.Fprintf(b, "<li class=\"%s\"><b>%d</b> <span class=\"tag\">%s</span></li>\n", x.class, x.n, x.noun)
		}
	}
	fmt.Fprintf(b, "<li><b>%d</b> repaired by agentlint fix</li>\n<li><b>%d</b> with a decision</li>\n</ul>\n", c.Safe, c.Unsafe)
}

// filter prints a row of check boxes. Severities below the level start unchecked.
func filter(b *bytes.Buffer, legend, prefix string, names []string, level model.Severity) {
	fmt.Fprintf(b, "<fieldset><legend>%s</legend>\n", legend)
	for _, n := range names {
		checked := " checked"
		if s, ok := model.ParseSeverity(n); ok && s < level {
			checked = ""
		}
		fmt.Fprintf(b, "<label><input type=\"checkbox\" id=\"%s%s\" autocomplete=\"off\"%s> %s</label>\n", prefix, n, checked, n)
	}
	b.WriteString("</fieldset>\n")
}

func writeHTMLFinding(b *bytes.Buffer, f *engine.Finding, stacks int, o *Options) {
	sev := f.Severity.String()
	rule := "<code>" + htmlText(f.Rule) + "</code>"
	if strings.HasPrefix(f.URL, "https://") {
		rule = "<a href=\"" + htmlText(f.URL) + "\">" + rule + "</a>"
	}
	fmt.Fprintf(b, "<article class=\"%s c-%s\">\n<h3><span class=\"tag\">%s</span> %s</h3>\n<p>%s</p>\n", sev, classOf(f.Category), sev, rule, htmlText(redact(f.Message)))
	var frame bytes.Buffer
	plain := *o
	plain.Color, plain.Links, plain.Width = false, false, 0
	writeFrame(&frame, f, &plain, &styles{})
	if frame.Len() > 0 {
		fmt.Fprintf(b, "<pre tabindex=\"0\">%s</pre>\n", htmlFrame(frame.String()))
	}
	for _, g := range f.Figures {
		writeBar(b, g)
	}
	if f.Severity == model.Undecided && len(f.Needs) > 0 {
		fmt.Fprintf(b, "<p class=\"soft\">would be %s; needs %s</p>\n", f.WouldBe, htmlText(list(f.Needs)))
	}
	if len(f.Stacks) > 1 && stacks > 1 {
		fmt.Fprintf(b, "<p class=\"soft\">in %s</p>\n", htmlText(few(f.Stacks, 4)))
	}
	if x := fixOf(f); x != nil {
		how := "agentlint fix"
		if x.Safety == model.Unsafe {
			how = "agentlint fix --unsafe --only " + f.Rule
		}
		fmt.Fprintf(b, "<p>Fix: %s (<code>%s</code>)", htmlText(redact(x.Title)), htmlText(how))
		if x.Safety == model.Unsafe && x.Question != "" {
			fmt.Fprintf(b, "<br><span class=\"soft\">First: %s</span>", htmlText(redact(x.Question)))
		}
		b.WriteString("</p>\n")
	}
	b.WriteString("</article>\n")
}

// htmlFrame marks the places and carets of a code frame.
func htmlFrame(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, l := range lines {
		safe := htmlText(l)
		rest := strings.TrimLeft(l, " ")
		switch {
		case strings.HasPrefix(rest, "--&gt;"), strings.HasPrefix(rest, "-->"), strings.HasPrefix(rest, ":::"):
			safe = "<span class=\"place\">" + safe + "</span>"
		case strings.HasPrefix(rest, "| ") && strings.IndexAny(rest, "^-") > 0 && strings.Trim(rest[1:strings.IndexAny(rest, "^-")], " ") == "":
			safe = "<span class=\"caret\">" + safe + "</span>"
		}
		lines[i] = safe
	}
	return strings.Join(lines, "\n")
}

// writeBar prints a figure, with a limit as two bars on one scale.
func writeBar(b *bytes.Buffer, g model.Figure) {
	fmt.Fprintf(b, "<p class=\"soft\">%s</p>\n", htmlText(figure(g)))
	if g.Limit == nil || g.Value < 0 || *g.Limit < 0 {
		return
	}
	top := max(g.Value, *g.Limit)
	if top <= 0 {
		return
	}
	b.WriteString("<div class=\"bar\" aria-hidden=\"true\">\n")
	for _, x := range []struct {
		name, class string
		v           float64
	}{{g.Name, "fill", g.Value}, {"limit", "fill limit", *g.Limit}} {
		fmt.Fprintf(b, "<span>%s</span><span class=\"track\"><span class=\"%s\" style=\"width:%.1f%%\"></span></span><span class=\"number\">%s</span>\n", htmlText(redact(x.name)), x.class, 100*x.v/top, number(x.v))
	}
	b.WriteString("</div>\n")
}

func writeHTMLRest(b *bytes.Buffer, r *engine.Result) {
	if groups := Unchecked(r); len(groups) > 0 {
		b.WriteString("<h2>Not checked</h2>\n<ul>\n")
		for _, u := range groups {
			fmt.Fprintf(b, "<li>needs %s: %s</li>\n", htmlText(list(u.Needs)), htmlText(few(u.Rules, 8)))
		}
		b.WriteString("</ul>\n")
	}
	if len(r.Skipped) > 0 {
		b.WriteString("<h2>Skipped</h2>\n<ul>\n")
		for _, s := range r.Skipped {
			fmt.Fprintf(b, "<li><code>%s</code>: %s</li>\n", htmlText(s.File), htmlText(redact(s.Reason)))
		}
		b.WriteString("</ul>\n")
	}
}
