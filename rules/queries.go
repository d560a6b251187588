package rules

import (
	"fmt"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// seriesUse is one vLLM series in a query, or in a setting of a router, with the release that should export it.
type seriesUse struct {
	query Part
	// at is the text that holds the name.
	at model.Path
	// name is as written, metric as vLLM spells it.
	name, metric string
	release      knowledge.Release
	// pinned is false when no file names the release and the newest known one is assumed.
	pinned bool
}

// vllmSeries yields every use of a vLLM series. The series that the production-stack router exports itself are none.
func (p *Pass) vllmSeries(yield func(u seriesUse)) {
	for i, e := range p.Stack.Root.Get("engines").Items() {
		if !e.Known() {
			// An engine of which nothing is seen may be of any release.
			p.Unchecked(model.Path{"engines", i}.String())
			return
		}
	}
	for q := range p.Queries() {
		release, pinned := p.queriedRelease(q)
		for m := range p.Parts(q.At("metrics")...) {
			if product, _ := m.Text("product"); product != "vllm" {
				continue
			}
			name, _ := m.Text("name")
			metric, _ := m.Text("metric")
			yield(seriesUse{query: q, at: q.At("text"), name: name, metric: metric, release: release, pinned: pinned})
		}
	}
	for r := range p.Parts("routers") {
		args := r.Get("args")
		for _, flag := range args.Keys() {
			for i, v := range args.Get(flag).Items() {
				if s, ok := v.AsText(); ok && strings.HasPrefix(s, "vllm:") && isMetricName(s) {
					release, pinned := p.newestEngine()
					yield(seriesUse{query: r, at: r.At("args", flag, i), name: s, metric: s, release: release, pinned: pinned})
				}
			}
		}
	}
}

func isMetricName(s string) bool {
	for i := range len(s) {
		if c := s[i]; c != '_' && c != ':' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

// queriedRelease is the release of the engine that a query's scaler targets, else of the stack's newest engine.
func (p *Pass) queriedRelease(q Part) (knowledge.Release, bool) {
	if part, _ := q.Text("target", "part"); part == "engine" {
		name, _ := q.Text("target", "name")
		for e := range p.Parts("engines") {
			if n, _ := e.Text("name"); n == name {
				return e.VLLM(), pinnedRelease(e)
			}
		}
	}
	return p.newestEngine()
}

// newestEngine is the newest release among the stack's vLLM engines; without one, the newest known.
func (p *Pass) newestEngine() (knowledge.Release, bool) {
	best, pinned := knowledge.VLLM.At(knowledge.VLLM.Newest()), false
	var newest knowledge.Version
	for e := range p.Parts("engines") {
		if r, _ := e.Text("runtime"); r != "vllm" || !pinnedRelease(e) {
			continue
		}
		if v := e.Version(); newest.IsZero() || v.Compare(newest) > 0 {
			newest, best, pinned = v, e.VLLM(), true
		}
	}
	return best, pinned
}

// pinnedRelease reports whether the files name an engine's release.
func pinnedRelease(e Part) bool {
	s, _ := e.Text("version_source")
	return s != "" && s != "newest" && s != "unknown"
}

// effect says what the query does without data.
func (u *seriesUse) effect() string { return emptyQuery(u.query) }

// emptyQuery says what a query without data does to whoever reads it.
func emptyQuery(q Part) string {
	where, _ := q.Text("where")
	name, _ := q.Text("name")
	if name != "" {
		name = " " + model.Quote(name)
	}
	switch where {
	case "dashboard":
		return "panel" + name + " stays empty"
	case "alert":
		return "alert" + name + " never fires"
	case "recording":
		return "record" + name + " has no value"
	case "keda", "hpa", "adapter":
		return "the scaler sees no load"
	}
	return "the router reads nothing"
}

// assumption says that no file names the release. A named release is left out, so that one query about several
// stacks is one finding.
func (u *seriesUse) assumption() string {
	if u.pinned {
		return ""
	}
	return fmt.Sprintf(" (no engine version is pinned: the newest known, %s, is assumed)", u.release.Version)
}

// renamed is the series written so that it names another metric: prefix and suffix stay as they are written.
func (u *seriesUse) renamed(old, name string) (string, bool) {
	old, name = strings.TrimPrefix(old, "vllm:"), strings.TrimPrefix(name, "vllm:")
	i := strings.Index(u.name, old)
	if i < 0 {
		return "", false
	}
	return u.name[:i] + name + u.name[i+len(old):], true
}

// beside reports whether the query also names another metric, as compatibility expressions do, or may.
func (u *seriesUse) beside(name string) bool {
	text, ok := u.query.Text("text")
	return !ok || strings.Contains(text, strings.TrimPrefix(name, "vllm:"))
}

// rename is the fix that replaces a series' name in its text.
func (u *seriesUse) rename(to string) model.Fix {
	return model.Fix{Ops: []model.Op{{Kind: model.OpReplaceText, At: u.at, From: u.name, Name: to, Occurrence: -1}}}
}
