package knowledge

import (
	"fmt"
	"iter"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
)

// Product is one program whose releases are in the tables.
type Product struct {
	name, title string
	releases    *table
	tables      [kinds]*table
	// others finds the rows of flags by their other spellings; scans counts the searches made without it.
	others struct {
		once  sync.Once
		scans atomic.Int32
		rows  map[string][]int
	}
}

// LiteLLM is the gateway: litellm on the Python package index, with its proxy.
var LiteLLM = &Product{
	name: "litellm", title: "LiteLLM", releases: &litellmReleases,
	tables: [kinds]*table{&litellmSettings, &litellmFlags, &litellmEnvs, &litellmMetrics, &litellmEnums, &litellmConstants, &litellmRoutes},
}

// VLLM is the engine: vllm on the Python package index.
var VLLM = &Product{
	name: "vllm", title: "vLLM", releases: &vllmReleases,
	tables: [kinds]*table{&vllmSettings, &vllmFlags, &vllmEnvs, &vllmMetrics, &vllmEnums, nil, nil},
}

// ByName returns the product with the name that ranges and targets use: litellm or vllm; nil for any other.
func ByName(name string) *Product {
	switch name {
	case LiteLLM.name:
		return LiteLLM
	case VLLM.name:
		return VLLM
	}
	return nil
}

// Name returns the name in ranges and targets: litellm or vllm.
func (p *Product) Name() string { return p.name }

// String returns the name as its makers write it, for messages.
func (p *Product) String() string { return p.title }

// releaseColumns is the header of the tables of releases. The state is read (the tables were extracted from it) or missing (on the index, but its
// artefact could not be read; the note says why).
const releaseColumns = "version\tstate\tnote"

// release returns row i of the releases table; the state is read or missing.
func (p *Product) release(i int) (v Version, state string) {
	line := p.releases.line(i)
	text, rest := cell(line)
	state, _ = cell(rest)
	return MustVersion(text), state
}

// read returns the first release from row i in steps that the tables were read from, or the zero value when there is none.
func (p *Product) read(i, step int) Version {
	for ; i >= 0 && i < p.releases.len(); i += step {
		if v, state := p.release(i); state == "read" {
			return v
		}
	}
	return Version{}
}

// Newest returns the newest release in the tables.
func (p *Product) Newest() Version { return p.read(p.releases.len()-1, -1) }

// Oldest returns the oldest release in the tables.
func (p *Product) Oldest() Version { return p.read(0, +1) }

// Releases returns the releases that the tables were read from, oldest first.
func (p *Product) Releases() []Version { return p.withState("read") }

// Missing returns the releases that the index serves and that could not be read, oldest first: the tables say nothing about them.
func (p *Product) Missing() []Version { return p.withState("missing") }

func (p *Product) withState(state string) []Version {
	var out []Version
	for i := range p.releases.len() {
		if v, s := p.release(i); s == state {
			out = append(out, v)
		}
	}
	return out
}

// position returns how many releases are not after v.
func (p *Product) position(v Version) int {
	return sort.Search(p.releases.len(), func(i int) bool {
		r, _ := p.release(i)
		return r.Compare(v) > 0
	})
}

// neighbour returns the release step places from v in the list, or the zero value beyond its ends.
func (p *Product) neighbour(v Version, step int) Version {
	return p.read(p.position(v)-1+step, step)
}

// Match says how well a release in the tables stands for the version that was asked for.
type Match uint8

const (
	Exact   Match = iota // the tables were read from that release
	Assumed              // no version was given: the newest release is used
	Newer                // newer than the tables: their newest release is used
	Older                // older than the tables: their oldest release is used
	Nearest              // between two releases in the tables: the older of the two is used
)

// Release is a product at a version. Methods answer for the release Version, which Match relates to Asked.
type Release struct {
	Product *Product
	Asked   Version
	Version Version
	Match   Match
}

// At returns the view of a version. A pre-release stands for the release it leads to, when that is in the tables. The zero version asks for the newest.
func (p *Product) At(v Version) Release {
	r := Release{Product: p, Asked: v}
	if v.IsZero() {
		r.Version, r.Match = p.Newest(), Assumed
		return r
	}
	i := p.position(v.Final())
	if i == 0 {
		r.Version, r.Match = p.Oldest(), Older
		return r
	}
	r.Version = p.read(i-1, -1)
	own, state := p.release(i - 1)
	switch {
	case r.Version.IsZero():
		r.Version, r.Match = p.Oldest(), Older
	case state == "missing" && own.Compare(v.Final()) == 0:
		r.Match = Nearest
	case r.Version.Compare(v.Final()) == 0, r.Version.Compare(v.release()) == 0:
		r.Match = Exact
	case i == p.releases.len():
		r.Match = Newer
	default:
		r.Match = Nearest
	}
	return r
}

// release returns v without its post-release part: LiteLLM's 1.83.14-stable.patch.1 is an image of the published 1.83.14 with a patch.
func (v Version) release() Version {
	v = v.Final()
	v.post = 0
	return v
}

// Note returns a half-sentence for the report when the view is not that of the asked version itself, such as
// "LiteLLM 1.111.0 is newer than the tables, read as 1.110.2"; it is empty for an exact match.
func (r Release) Note() string {
	switch r.Match {
	case Assumed:
		return fmt.Sprintf("%s version unknown, read as %s", r.Product, r.Version)
	case Newer:
		return fmt.Sprintf("%s %s is newer than the tables, read as %s", r.Product, r.Asked, r.Version)
	case Older:
		return fmt.Sprintf("%s %s is older than the tables, read as %s", r.Product, r.Asked, r.Version)
	case Nearest:
		return fmt.Sprintf("%s %s is no release in the tables, read as %s", r.Product, r.Asked, r.Version)
	}
	return ""
}

// Entry returns the row with the exact section and name, and how the release stands to it.
func (r Release) Entry(k Kind, section, name string) (Entry, Presence) {
	t := r.Product.tables[k]
	if t == nil {
		return Entry{}, Unknown
	}
	i, ok := t.search(section, name)
	if !ok {
		return Entry{}, Unknown
	}
	e := parseEntry(r.Product, k, t.line(i))
	return e, e.presence(r.Version)
}

// Entries walks the rows of a section, whatever releases have them, sorted by name. Sections of a table are listed by Sections.
func (p *Product) Entries(k Kind, section string) iter.Seq[Entry] {
	return p.entriesFrom(k, section, "")
}

// entriesFrom walks the rows of a section from the first name that is not before name.
func (p *Product) entriesFrom(k Kind, section, name string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		t := p.tables[k]
		if t == nil {
			return
		}
		i, _ := t.search(section, name)
		for ; i < t.len(); i++ {
			line := t.line(i)
			if s, _ := cell(line); s != section || !yield(parseEntry(p, k, line)) {
				return
			}
		}
	}
}

// Sections returns the sections of a table, sorted.
func (p *Product) Sections(k Kind) []string {
	var out []string
	t := p.tables[k]
	if t == nil {
		return nil
	}
	for i := 0; i < t.len(); {
		s, _ := cell(t.line(i))
		out = append(out, s)
		i, _ = t.search(s+"\x01", "")
	}
	return out
}

// All walks every row of a table, sorted by section and name.
func (p *Product) All(k Kind) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		t := p.tables[k]
		if t == nil {
			return
		}
		for i := range t.len() {
			if !yield(parseEntry(p, k, t.line(i))) {
				return
			}
		}
	}
}

// maxScans is how many flags are looked for in the table's text before an index pays.
const maxScans = 4

// otherSpellings walks the rows of flags that have a short form, an alias or a negative form of that spelling, and some
// that do not.
func (p *Product) otherSpellings(spelling string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		t := p.tables[KindFlag]
		if t == nil {
			return
		}
		if p.others.scans.Add(1) <= maxScans {
			for i := range t.len() {
				if line := t.line(i); strings.Contains(line, spelling) && !yield(parseEntry(p, KindFlag, line)) {
					return
				}
			}
			return
		}
		p.others.once.Do(func() {
			p.others.rows = map[string][]int{}
			for i := range t.len() {
				e := parseEntry(p, KindFlag, t.line(i))
				for _, list := range [...]string{e.Attr("short"), e.Attr("aliases"), e.Attr("negation")} {
					for w := range strings.SplitSeq(list, ",") {
						if rows := p.others.rows[w]; w != "" && (len(rows) == 0 || rows[len(rows)-1] != i) {
							p.others.rows[w] = append(rows, i)
						}
					}
				}
			}
		})
		for _, i := range p.others.rows[spelling] {
			if !yield(parseEntry(p, KindFlag, t.line(i))) {
				return
			}
		}
	}
}

// Present walks the rows of a section that the release has.
func (r Release) Present(k Kind, section string) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for e := range r.Product.Entries(k, section) {
			if e.presence(r.Version) == Present && !yield(e) {
				return
			}
		}
	}
}

// Setting returns a key of a section of the configuration file: general_settings, litellm_settings, router_settings, litellm_params, model_info,
// cache_params, "" for the top level and so on. For vLLM the sections are JSON arguments without dashes: kv_events_config, kv_transfer_config.
func (r Release) Setting(section, name string) (Entry, Presence) {
	return r.Entry(KindSetting, section, name)
}

// Env returns an environment variable.
func (r Release) Env(name string) (Entry, Presence) { return r.Entry(KindEnv, "", name) }

// Enum returns the values of an enumeration that the release accepts, sorted: routing_strategy, optional_pre_call_checks, callback, provider,
// tool_parser, reasoning_parser, ...
func (r Release) Enum(enum string) []string {
	var out []string
	for e := range r.Present(KindEnum, enum) {
		out = append(out, e.Name)
	}
	return out
}

// EnumValue returns a value of an enumeration.
func (r Release) EnumValue(enum, value string) (Entry, Presence) {
	return r.Entry(KindEnum, enum, value)
}

// SectionsOf returns the sections of the configuration file in which the release reads a key.
func (r Release) SectionsOf(name string) []string {
	var out []string
	for _, s := range r.Product.Sections(KindSetting) {
		if _, p := r.Setting(s, name); p == Present {
			out = append(out, s)
		}
	}
	return out
}

// Removed returns the rows of any kind with that name which earlier releases have and this one has not.
func (r Release) Removed(name string) []Entry {
	var out []Entry
	for _, e := range r.Product.Find(name) {
		if p := e.presence(r.Version); p == Gone || p == Between {
			out = append(out, e)
		}
	}
	return out
}

// Find returns every row whose name is name, of any kind and section. Flags may be written with underscores or without dashes, metrics as
// a series with its suffix.
func (p *Product) Find(name string) []Entry {
	var out []Entry
	r := p.At(Version{})
	for k := range Kind(kinds) {
		switch k {
		case KindFlag:
			if f, pr := r.Flag(name); pr != Unknown {
				out = append(out, f.Entry)
			}
		case KindMetric:
			if m, pr := r.Metric(name); pr != Unknown {
				out = append(out, m.Entry)
			}
		default:
			for _, s := range p.Sections(k) {
				if e, pr := r.Entry(k, s, name); pr != Unknown {
					out = append(out, e)
				}
			}
		}
	}
	return out
}

// At returns how a release stands to the row.
func (e Entry) At(r Release) Presence { return e.presence(r.Version) }

// DefaultChange is a default that differs between two releases.
type DefaultChange struct {
	Entry    Entry
	Old, New string
	In       Version // the release that brought New
}

// DefaultChanges returns the settings, flags and environment variables that both releases have and whose defaults differ, sorted by kind,
// section and name. An upgrade from one to the other changes them silently where nobody wrote a value.
func (p *Product) DefaultChanges(from, to Version) []DefaultChange {
	a, b := p.At(from).Version, p.At(to).Version
	var out []DefaultChange
	for _, k := range []Kind{KindSetting, KindFlag, KindEnv, KindConstant} {
		for e := range p.All(k) {
			if !strings.Contains(e.defaults, " | ") || e.presence(a) != Present || e.presence(b) != Present {
				continue
			}
			before, _ := e.Default(a)
			after, _ := e.Default(b)
			if before == after {
				continue
			}
			d := DefaultChange{Entry: e, Old: before, New: after}
			for c := range eachChange(e.defaults) {
				if c.At.Compare(b) <= 0 {
					d.In = c.At
				}
			}
			out = append(out, d)
		}
	}
	return out
}
