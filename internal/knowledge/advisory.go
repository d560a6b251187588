package knowledge

import "strings"

// Advisory is a release or a range of releases that should not run: compromised, vulnerable, broken or out of support.
type Advisory struct {
	Product string // litellm, vllm, ...
	ID      string // GHSA, CVE or PYSEC number, or a name for events that have none
	Kind    string // compromised, vulnerability, defect, end-of-support
	Fixed   string // the first releases without it, separated by blanks; empty when none is known
	// Severity is critical, high, medium or low as the advisory says; empty when it says nothing.
	Severity string
	Date     string // day of publication or end of support, YYYY-MM-DD
	Title    string // what happens, in one sentence
	Source   string

	affected, attrs string
}

// AdvisoriesAsOf is the day on which data/advisories.tsv was compared with its sources.
const AdvisoriesAsOf = "2026-11-29"

// advisoryColumns is the header of data/advisories.tsv.
const advisoryColumns = "product\tid\tkind\taffected\tfixed\tseverity\tdate\ttitle\tattrs\tsource"

func parseAdvisory(line string) Advisory {
	var a Advisory
	for _, field := range []*string{&a.Product, &a.ID, &a.Kind, &a.affected, &a.Fixed, &a.Severity, &a.Date, &a.Title, &a.attrs, &a.Source} {
		*field, line = cell(line)
	}
	a.Title, a.Source = unescape(a.Title), unescape(a.Source)
	return a
}

// Affects reports whether v lies in one of the affected ranges. Unlike a rule's range, an exact version is compared whole: a pre-release is
// affected as itself.
func (a Advisory) Affects(v Version) bool {
	if v.IsZero() {
		return false
	}
	for part := range strings.SplitSeq(a.affected, " | ") {
		if r, err := ParseRange(a.Product + part); err == nil && r.Contains(v) {
			return true
		}
	}
	return false
}

// Affected returns the affected ranges as written in the table, such as ">=1.82.7 <=1.82.8"; several are separated by " | ".
func (a Advisory) Affected() string { return a.affected }

// Attr returns a further property, or "": aliases (other ids, with commas), condition (what must be in use to be exposed: keys, users, admins, database,
// mcp_servers, a setting's path, ...; empty is always), exploited (yes when known to be), workaround, artefact (pypi, image), digest, pin (a clean older
// release), last (a line's last release), confidence.
func (a Advisory) Attr(key string) string { return Entry{attrs: a.attrs}.Attr(key) }

// Advisories returns the advisories of a product (litellm, vllm, ...), sorted by id.
func Advisories(product string) []Advisory {
	var out []Advisory
	i, _ := advisories.search(product, "")
	for ; i < advisories.len(); i++ {
		a := parseAdvisory(advisories.line(i))
		if a.Product != product {
			break
		}
		out = append(out, a)
	}
	return out
}

// Affecting returns the advisories of a product that affect v.
func Affecting(product string, v Version) []Advisory {
	var out []Advisory
	for _, a := range Advisories(product) {
		if a.Affects(v) {
			out = append(out, a)
		}
	}
	return out
}
