package knowledge

import "strings"

// Flag is a command-line argument as it was written, resolved to its row.
type Flag struct {
	Entry
	// Written is the spelling that matched: the name itself, an alias, a short form or a negative form.
	Written string
	// Negative is true for --no-x and, from vLLM 0.33, for the --enable-x or --disable-x counterpart of a boolean.
	Negative bool
	// Part is what follows the first dot of a dotted JSON argument: method in --speculative-config.method.
	Part string
}

// pairedBooleans is the first vLLM release whose parser accepts --disable-x for every boolean --enable-x and the reverse
// (vllm 0.33.0, vllm/utils/argparse_utils.py, EnableDisableAction).
const pairedBooleans = "0.33.0"

// Flag returns the argument with that spelling. Underscores count as dashes up to the first dot for vLLM, whose parser reads them so; leading
// dashes may be left out. Negative forms, aliases, short forms and dotted JSON arguments are resolved. A prefix is not: see FlagsWithPrefix.
func (r Release) Flag(name string) (Flag, Presence) {
	spelling, part := r.Product.spelling(name)
	if spelling == "-O" && r.Product == VLLM {
		return r.optimizationFlag()
	}
	f := Flag{Written: spelling, Part: part}
	var presence Presence
	if f.Entry, presence = r.Entry(KindFlag, "", spelling); presence == Present {
		f.Entry = r.canonical(f.Entry)
		return f, Present
	}
	best := Flag{Written: spelling, Part: part}
	bestPresence := Unknown
	consider := func(e Entry, negative bool, p Presence) {
		if p == Unknown || bestPresence == Present || bestPresence != Unknown && p != Present {
			return
		}
		if spans := e.Attr("negated"); negative && spans != "" {
			// The flag is the negative form, with its own releases.
			e.spans = spans
		}
		best.Entry, best.Negative, bestPresence = e, negative, p
	}
	consider(f.Entry, false, presence)
	if base, ok := strings.CutPrefix(spelling, "--no-"); ok {
		if e, p := r.Entry(KindFlag, "", "--"+base); p != Unknown && e.Attr("negation") != "" {
			consider(r.canonical(e), true, r.negated(e))
		}
	}
	if e, p := r.counterpart(spelling); p != Unknown {
		consider(e, true, p)
	}
	if bestPresence != Present {
		for e := range r.Product.otherSpellings(spelling) {
			if hasWord(e.Attr("short"), spelling) || hasWord(e.Attr("aliases"), spelling) {
				consider(e, false, e.presence(r.Version))
			} else if hasWord(e.Attr("negation"), spelling) {
				consider(e, true, r.negated(e))
			}
		}
	}
	return best, bestPresence
}

// optimizationFlag is what -O3, -O=3 and -O 3 stand for: vLLM rewrites them before argparse sees them (vllm 0.12.0,
// vllm/utils/argparse_utils.py; --compilation-config in older releases).
func (r Release) optimizationFlag() (Flag, Presence) {
	e, p := r.Entry(KindFlag, "", "--optimization-level")
	if p != Present {
		e, p = r.Entry(KindFlag, "", "--compilation-config")
	}
	return Flag{Entry: e, Written: "-O"}, p
}

// canonical returns the argument that e is another long name of, or e.
func (r Release) canonical(e Entry) Entry {
	if name := e.Attr("alias_of"); name != "" {
		if base, p := r.Entry(KindFlag, "", name); p == Present {
			return base
		}
	}
	return e
}

// negated says how the release stands to the negative form of e: vLLM gave many arguments theirs later than the argument.
func (r Release) negated(e Entry) Presence {
	if spans := e.Attr("negated"); spans != "" {
		e.spans = spans
	}
	return e.presence(r.Version)
}

// counterpart finds the boolean that --enable-x or --disable-x negates in a release that pairs them.
func (r Release) counterpart(spelling string) (Entry, Presence) {
	other := r.paired(spelling)
	if other == "" {
		return Entry{}, Unknown
	}
	e, p := r.Entry(KindFlag, "", other)
	if p == Unknown || e.Type != "bool" {
		return Entry{}, Unknown
	}
	return e, p
}

// paired returns --disable-x for --enable-x and the reverse in a release that pairs them, else "".
func (r Release) paired(spelling string) string {
	if r.Product != VLLM || r.Version.Compare(MustVersion(pairedBooleans)) < 0 {
		return ""
	}
	if x, ok := strings.CutPrefix(spelling, "--enable-"); ok {
		return "--disable-" + x
	}
	if x, ok := strings.CutPrefix(spelling, "--disable-"); ok {
		return "--enable-" + x
	}
	return ""
}

// spelling brings a flag into the form of the table and splits a dotted part off.
func (p *Product) spelling(name string) (flag, part string) {
	flag = name
	if p == VLLM {
		flag, part, _ = strings.Cut(name, ".")
		flag = strings.ReplaceAll(flag, "_", "-")
	}
	if !strings.HasPrefix(flag, "-") {
		flag = "--" + flag
	}
	return flag, part
}

// FlagsWithPrefix returns the arguments of the release that start with prefix, also those that pair another one, under
// the name that pairs it. Python's argparse accepts a prefix that belongs to one argument only.
func (r Release) FlagsWithPrefix(prefix string) []Entry {
	spelling, _ := r.Product.spelling(prefix)
	var out []Entry
	for e := range r.Product.entriesFrom(KindFlag, "", spelling) {
		if !strings.HasPrefix(e.Name, spelling) {
			break
		}
		if e.presence(r.Version) == Present {
			out = append(out, e)
		}
	}
	// A beginning shorter than --enable- belongs to many flags anyway.
	if other := r.paired(spelling); other != "" {
		for e := range r.Product.entriesFrom(KindFlag, "", other) {
			if !strings.HasPrefix(e.Name, other) {
				break
			}
			if e.Type == "bool" && e.presence(r.Version) == Present {
				e.Name = r.paired(e.Name)
				out = append(out, e)
			}
		}
	}
	return out
}

func hasWord(list, word string) bool {
	for w := range strings.SplitSeq(list, ",") {
		if w == word {
			return w != ""
		}
	}
	return false
}
