package knowledge

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// compiled lists every table with the header that its reader expects.
var compiled = []struct {
	file, columns string
	table         *table
}{
	{"advisories", advisoryColumns, &advisories},
	{"chart_versions", chartVersionColumns, &chartVersions},
	{"charts", chartColumns, &charts},
	{"gpus", gpuColumns, &gpus},
	{"models", geometryColumns, &models},
	{"tool_parsers", toolParserColumns, &toolParsers},
	{"litellm_releases", releaseColumns, &litellmReleases},
	{"litellm_settings", entryColumns, &litellmSettings},
	{"litellm_flags", entryColumns, &litellmFlags},
	{"litellm_envs", entryColumns, &litellmEnvs},
	{"litellm_metrics", entryColumns, &litellmMetrics},
	{"litellm_enums", entryColumns, &litellmEnums},
	{"litellm_constants", entryColumns, &litellmConstants},
	{"litellm_routes", entryColumns, &litellmRoutes},
	{"vllm_releases", releaseColumns, &vllmReleases},
	{"vllm_settings", entryColumns, &vllmSettings},
	{"vllm_flags", entryColumns, &vllmFlags},
	{"vllm_envs", entryColumns, &vllmEnvs},
	{"vllm_metrics", entryColumns, &vllmMetrics},
	{"vllm_enums", entryColumns, &vllmEnums},
}

func TestTablesMatchData(t *testing.T) {
	files, err := filepath.Glob("data/*.tsv")
	if err != nil || len(files) != len(compiled) {
		t.Errorf("data has %d tables, the package %d (%v)", len(files), len(compiled), err)
	}
	for _, c := range compiled {
		data, err := os.ReadFile("data/" + c.file + ".tsv")
		if err != nil {
			t.Error(err)
			continue
		}
		header, body, _ := strings.Cut(string(data), "\n")
		if header != c.columns {
			t.Errorf("%s.tsv has the columns %q, its reader expects %q", c.file, header, c.columns)
		}
		if body != c.table.text {
			t.Errorf("%s_table.go is older than data/%[1]s.tsv: run go generate ./internal/knowledge", c.file)
			continue
		}
		at := 0
		for i, line := range strings.SplitAfter(body, "\n") {
			if line == "" {
				continue
			}
			if i >= c.table.len() || int(c.table.at[i]) != at {
				t.Errorf("%s_table.go: offset of line %d is wrong", c.file, i+2)
				break
			}
			at += len(line)
		}
	}
}

func TestTablesAreSound(t *testing.T) {
	for _, p := range []*Product{LiteLLM, VLLM} {
		releases := p.Releases()
		for i := 1; i < len(releases); i++ {
			if releases[i-1].Compare(releases[i]) >= 0 {
				t.Errorf("%s releases: %s stands before %s", p, releases[i-1], releases[i])
			}
		}
		read := map[string]bool{}
		for _, v := range releases {
			read[v.String()] = true
		}
		served := func(v Version) bool { return read[v.String()] }
		for k := range Kind(kinds) {
			for e := range p.All(k) {
				where := p.Name() + " " + k.String() + " " + e.Section + " " + e.Name
				var end Version
				spans := e.Spans()
				if len(spans) == 0 {
					t.Errorf("%s: no release", where)
				}
				for i, s := range spans {
					if !s.From.IsZero() && !served(s.From) || !s.To.IsZero() && !served(s.To) {
						t.Errorf("%s: %v to %v are not both releases", where, s.From, s.To)
					}
					if i > 0 && (end.IsZero() || s.From.IsZero() || end.Compare(s.From) >= 0) || !s.To.IsZero() && s.From.Compare(s.To) > 0 {
						t.Errorf("%s: releases %q are not in order", where, e.spans)
					}
					end = s.To
				}
				if d := e.Deprecated(); !d.IsZero() && !served(d) {
					t.Errorf("%s: deprecated in %s, which is no release", where, d)
				}
				for _, h := range [][]Change{e.Defaults(), e.ChoiceHistory()} {
					for i, c := range h {
						if !served(c.At) || i > 0 && h[i-1].At.Compare(c.At) >= 0 {
							t.Errorf("%s: history %v is not in order", where, h)
						}
						if i > 0 && h[i-1].Value == c.Value {
							t.Errorf("%s: history repeats %q at %s", where, c.Value, c.At)
						}
					}
				}
				if got, ok := p.At(Version{}).Entry(k, e.Section, e.Name); ok == Unknown || got != e {
					t.Errorf("%s: the search does not find it", where)
				}
			}
		}
	}
	for i := range models.len() {
		cells := strings.Split(models.line(i), "\t")
		for c, text := range cells[4:15] {
			if _, err := strconv.Atoi(text); err != nil && text != "" {
				t.Errorf("models.tsv line %d: column %d is %q", i+2, c+5, text)
			}
		}
		if g := parseGeometry(models.line(i)); g.FullLayers+g.WindowLayers > g.Layers || g.Layers == 0 {
			t.Errorf("models.tsv line %d: %d full and %d window layers of %d", i+2, g.FullLayers, g.WindowLayers, g.Layers)
		}
		for id := range strings.SplitSeq(cells[2], ",") {
			if !isHubID(id) {
				t.Errorf("models.tsv line %d: id %q", i+2, id)
			}
			if g, ok := Model(id); !ok || g.Match != Exact || g.Name != cells[1] {
				t.Errorf("models.tsv line %d: Model(%s) finds %q", i+2, id, g.Name)
			}
		}
		if cells[3] != strings.ToLower(cells[3]) {
			t.Errorf("models.tsv line %d: pattern %q", i+2, cells[3])
		}
		if g := parseGeometry(models.line(i)); g.Precision != "" && !slices.Contains([]string{"bf16", "fp8", "int8", "int4", "mxfp4", "nvfp4"}, g.Precision) {
			t.Errorf("models.tsv line %d: precision %q", i+2, g.Precision)
		}
	}
	for i := range gpus.len() {
		if g := parseGPU(gpus.line(i)); g.GiB <= 0 {
			t.Errorf("gpus.tsv line %d: %s has no memory", i+2, g.Name)
		}
	}
	for i := range advisories.len() {
		a := parseAdvisory(advisories.line(i))
		for part := range strings.SplitSeq(a.Affected(), " | ") {
			if r, err := ParseRange(a.Product + part); err != nil || len(r.bounds) == 0 && part != "" {
				t.Errorf("advisories.tsv line %d: affected %q: %v", i+2, part, err)
			}
		}
		for fixed := range strings.FieldsSeq(a.Fixed) {
			if _, err := ParseVersion(fixed); err != nil {
				t.Errorf("advisories.tsv line %d: fixed: %v", i+2, err)
			}
		}
	}
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{`a\tb\nc`: "a\tb\nc", `\p\q\\`: "|`\\", `plain`: "plain", `end\`: `end\`} {
		if got := unescape(in); got != want {
			t.Errorf("unescape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestSearch(t *testing.T) {
	cells := func(line string) (section, name string) {
		section, line = cell(line)
		name, _ = cell(line)
		return section, name
	}
	for _, c := range compiled {
		rows := make([]int, c.table.len())
		for i := range rows {
			rows[i] = i
		}
		for i := 0; i < c.table.len(); i += 1 + c.table.len()/50 {
			section, name := cells(c.table.line(i))
			if at, ok := c.table.search(section+"\t"+name, ""); ok {
				t.Errorf("%s: %q with a tab is found at %d", c.file, section, at)
			}
			for _, key := range [][2]string{
				{section, name}, {section, ""}, {"", ""}, {section + "\x01", ""}, {section, name + "\x01"}, {section, name + "\tx"},
				{section, name + "x"}, {section, strings.TrimRight(name, name[max(0, len(name)-1):])}, {section + "x", name}, {"\xff", "\xff"},
			} {
				want, found := slices.BinarySearchFunc(rows, key, func(row int, key [2]string) int {
					s, n := cells(c.table.line(row))
					return cmp.Or(strings.Compare(s, key[0]), strings.Compare(n, key[1]))
				})
				if got, ok := c.table.search(key[0], key[1]); got != want || ok != found {
					t.Errorf("%s: %q is at %d (%v), want %d (%v)", c.file, key, got, ok, want, found)
				}
			}
		}
	}
}
