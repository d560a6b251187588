// Command browser opens the HTML report in a real headless browser and checks what only a browser can: that it loads
// without errors, that the filters hide and show findings, that a finding is found by searching the page, that every
// control can be reached with the keyboard, and that the page prints.
//
//	go run -C internal/gen ./browser
//
// It needs chromium on the PATH.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"agentlint/internal/engine"
	"agentlint/internal/report"
)

func main() {
	log.SetFlags(0)
	if err := run("../.."); err != nil {
		log.Fatal(err)
	}
}

// harness loads the report in a frame, works it as a reader would, and leaves what it saw in its own document.
const harness = `<!DOCTYPE html><meta charset="utf-8"><iframe id="f" src="report.html" width="1200" height="900"></iframe><pre id="out"></pre>
<script>
document.getElementById("f").onload = e => {
  const w = e.target.contentWindow, d = w.document, out = {}
  const shown = () => [...d.querySelectorAll("article")].filter(a => w.getComputedStyle(a).display !== "none").length
  out.articles = d.querySelectorAll("article").length
  out.shown = shown()
  const empty = () => [...d.querySelectorAll(".file")].filter(s => w.getComputedStyle(s).display !== "none" && ![...s.querySelectorAll("article")].some(a => w.getComputedStyle(a).display !== "none")).length
  const visible = () => [...d.querySelectorAll(".file article")].filter(a => a.getClientRects().length > 0).length
  out.agree = empty() === 0 && visible() === shown()
  out.filters = {}
  for (const box of d.querySelectorAll("input[type=checkbox]")) {
    const before = box.checked
    box.checked = false
    out.filters[box.id] = shown()
    out.agree = out.agree && empty() === 0 && visible() === shown()
    box.checked = before
  }
  for (const box of d.querySelectorAll("input[type=checkbox]")) box.checked = true
  out.all = shown()
  const code = d.querySelector("article h3 code")
  out.found = code ? w.find(code.textContent, true, false, true) : true
  out.focusable = [...d.querySelectorAll("input, summary, a, pre, .scroll")].filter(x => { x.focus(); return d.activeElement === x }).length
  out.controls = d.querySelectorAll("input, summary, a, pre, .scroll").length - d.querySelectorAll("details:not([open]) .scroll").length
  out.wide = d.documentElement.scrollWidth <= w.innerWidth
  const none = d.querySelector(".none")
  out.said = !none || w.getComputedStyle(none).display === "none"
  for (const box of d.querySelectorAll("input[type=checkbox]")) box.checked = false
  out.said = out.said && (!none || w.getComputedStyle(none).display !== "none")
  for (const box of d.querySelectorAll("input[type=checkbox]")) box.checked = true
  e.target.width = 360
  out.narrow = d.documentElement.scrollWidth <= w.innerWidth
  out.scripts = d.querySelectorAll("script").length
  out.images = d.querySelectorAll("svg[role=img]").length
  document.getElementById("out").textContent = JSON.stringify(out)
}
</script>`

// seen is what the harness leaves behind.
type seen struct {
	Articles, Shown, All, Focusable, Controls, Scripts, Images int
	Filters                                                    map[string]int
	Found, Wide, Narrow, Agree, Said                           bool
}

func run(root string) error {
	for _, example := range []string{"flawed", "fixed"} {
		r, err := engine.Run(context.Background(), engine.Options{Root: filepath.Join(root, "testdata/real", example), Today: time.Now().Format(time.DateOnly)})
		if err != nil {
			return err
		}
		var page bytes.Buffer
		if err := report.Write(&page, "html", r, report.Options{Version: "devel"}); err != nil {
			return err
		}
		if err := open(example, page.Bytes(), len(r.Findings), len(r.Stacks)); err != nil {
			return fmt.Errorf("%s: %w", example, err)
		}
	}
	return nil
}

func open(example string, page []byte, findings, stacks int) error {
	dir, err := os.MkdirTemp("", "agentlint-page")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, b := range map[string][]byte{"report.html": page, "harness.html": []byte(harness)} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			return err
		}
	}
	dom, err := chromium(dir, "--dump-dom", "harness.html")
	if err != nil {
		return err
	}
	m := regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`).FindSubmatch(dom)
	if m == nil || len(m[1]) == 0 {
		return errors.New("the page did not load")
	}
	var s seen
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &s); err != nil {
		return err
	}
	var faults []string
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	check(s.Articles == findings && s.All == findings, "%d findings, %d on the page, %d with every filter on", findings, s.Articles, s.All)
	check(s.Images == stacks, "%d stacks, %d drawings", stacks, s.Images)
	for box, n := range s.Filters {
		check(n <= s.Shown, "unchecking %s shows more", box)
	}
	hides := false
	for _, n := range s.Filters {
		hides = hides || n < s.Shown
	}
	check(findings == 0 || hides, "no filter hides anything")
	check(s.Found, "searching the page does not find a finding")
	check(s.Focusable == s.Controls, "%d of %d controls take the focus", s.Focusable, s.Controls)
	check(s.Wide, "the page scrolls sideways")
	check(s.Narrow, "the page scrolls sideways at 360 pixels")
	check(s.Agree, "a file is shown without its findings, or a finding hidden with its file")
	check(s.Said, "the page does not say that the filters hide everything")
	check(s.Scripts == 0, "the page holds %d scripts", s.Scripts)
	if _, err := chromium(dir, "--print-to-pdf="+filepath.Join(dir, "page.pdf"), "report.html"); err != nil {
		return err
	}
	st, err := os.Stat(filepath.Join(dir, "page.pdf"))
	check(err == nil && st.Size() > 5000, "the page does not print: %v", err)
	if len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	fmt.Printf("%s: %d findings, %d drawings, %d filters, %d controls by keyboard, prints\n", example, s.Articles, s.Images, len(s.Filters), s.Focusable)
	return nil
}

// chromium runs the browser on a page of dir and returns what it prints. A message on the page's console is an error.
func chromium(dir, what, page string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--allow-file-access-from-files", "--window-size=1280,1000", "--virtual-time-budget=20000", "--enable-logging=stderr", what, "file://"+filepath.Join(dir, page))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("chromium: %w", err)
	}
	for line := range strings.Lines(stderr.String()) {
		if strings.Contains(line, ":CONSOLE") {
			return nil, fmt.Errorf("the page says: %s", strings.TrimSpace(line))
		}
	}
	return stdout.Bytes(), nil
}
