package engine

import (
	"fmt"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// summarise describes a stack in one line: what was understood, so that a reader sees what the findings rest on.
func summarise(s *model.Stack) StackSummary {
	sum := StackSummary{Name: s.Name, Versions: s.Versions, Stack: s}
	for _, f := range s.Files {
		sum.Files = append(sum.Files, f.Path)
	}
	sum.Unread = unread(s)
	var parts []string
	if gw := s.Root.Get("gateway"); gw != nil {
		line := "gateway LiteLLM " + versionOf(s, "gateway")
		processes := number(gw.Get("workers")) + " worker" + plural(gw.Get("workers"))
		if r := gw.Get("replicas"); r.Get("max").Known() {
			processes += " x " + span(r) + " replica" + plural(r.Get("max"))
		}
		parts = append(parts, line+", "+processes)
	}
	if n := s.Root.Get("groups").Len(); n > 0 {
		parts = append(parts, count(n, "model group"))
	}
	if n := s.Root.Get("engines").Len(); n > 0 {
		line := count(n, "engine")
		if v := versionsOf(s, "engine "); v != "" {
			line += " " + v
		}
		parts = append(parts, line)
	}
	var kinds []string
	routers := map[string]int{}
	for _, r := range s.Root.Get("routers").Items() {
		kind, _ := r.Get("kind").AsText()
		if routers[kind] == 0 {
			kinds = append(kinds, kind)
		}
		routers[kind]++
	}
	for _, kind := range kinds {
		if n := routers[kind]; n > 1 {
			parts = append(parts, strconv.Itoa(n)+" routers "+kind)
		} else {
			parts = append(parts, "router "+kind)
		}
	}
	if db := s.Root.At("database", "server"); db != nil && db.Get("max_connections").Known() {
		parts = append(parts, "Postgres "+number(db.Get("max_connections")))
	}
	if n := s.Root.Get("autoscalers").Len(); n > 0 {
		parts = append(parts, count(n, "autoscaler"))
	}
	if n := s.Root.Get("queries").Len(); n > 0 {
		parts = append(parts, count(n, "query"))
	}
	sum.Line = strings.Join(parts, "; ")
	return sum
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return strconv.Itoa(n) + " " + strings.TrimSuffix(what, "y") + "ies"
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func number(v *model.Value) string {
	if v != nil && v.Kind == model.Int && v.Int < 0 {
		return "?"
	}
	if s, ok := v.Scalar(); ok {
		return s
	}
	return "?"
}

func plural(v *model.Value) string {
	if n, ok := v.AsInt(false); ok && n == 1 {
		return ""
	}
	return "s"
}

func span(r *model.Value) string {
	lo, hi := number(r.Get("min")), number(r.Get("max"))
	if lo == hi {
		return hi
	}
	return fmt.Sprintf("%s-%s", lo, hi)
}

// versionOf is the version of a part with the place it comes from.
func versionOf(s *model.Stack, part string) string {
	for _, v := range s.Versions {
		if v.Part == part {
			return v.Version + " (" + v.From + ")" + readAs(v)
		}
	}
	return "(version unknown)"
}

// versionsOf lists the different versions of some parts.
func versionsOf(s *model.Stack, prefix string) string {
	var out []string
	for _, v := range s.Versions {
		if strings.HasPrefix(v.Part, prefix) {
			t := productTitle(v.Product) + " " + v.Version + readAs(v)
			if v.From == model.AssumedNewest {
				t += " (assumed)"
			}
			if !contains(out, t) {
				out = append(out, t)
			}
		}
	}
	return strings.Join(out, ", ")
}

// readAs says which release of the tables stands for one that they do not reach.
func readAs(v model.VersionNote) string {
	p := knowledge.ByName(v.Product)
	if p == nil {
		return ""
	}
	version, err := knowledge.ParseVersion(v.Version)
	if err != nil {
		return ""
	}
	switch r := p.At(version); r.Match {
	case knowledge.Newer, knowledge.Older:
		return ", read as " + r.Version.String()
	}
	return ""
}

func productTitle(name string) string {
	switch name {
	case "vllm":
		return "vLLM"
	case "litellm":
		return "LiteLLM"
	case "sglang":
		return "SGLang"
	case "dynamo":
		return "Dynamo"
	}
	return name
}

// written are the places of the model that facts stand for.
var written = [...]struct {
	fact string
	path model.Path
}{
	{"database_pool_limit", model.Path{"gateway", "settings", "database_pool_limit", "value"}},
	{"gateway_replicas", model.Path{"gateway", "replicas", "max"}},
	{"gateway_workers", model.Path{"gateway", "workers"}},
	{"pooler_pool_size", model.Path{"database", "pooler", "pool_size"}},
	{"postgres_max_connections", model.Path{"database", "server", "max_connections"}},
}

// unread returns the facts that are written and could not be read.
func unread(s *model.Stack) []Unread {
	var out []Unread
	for _, w := range written {
		v := s.Root.At(w.path...)
		if v == nil || v.Kind != model.Unknown || v.Origin.File == nil || v.Origin.Span.Len() == 0 {
			continue
		}
		f, span := v.Origin.File.Outer(v.Origin.Span)
		out = append(out, Unread{Fact: w.fact, File: f.Path, Line: f.LineAt(span.Start)})
	}
	return out
}
