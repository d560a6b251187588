package rules

import (
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "litellm-compromised-release",
		Title:    "A release with a malicious upload is pinned or allowed",
		Category: "versions",
		Why: "The uploads of 1.82.7 and 1.82.8 to PyPI steal credentials when the package is imported, 1.82.8 at every start of Python; official\n" +
			"images were not affected. 1.107.0 is reported to be compromised too, as a package and as the image tag v1.107.0. Whoever\n" +
			"installed one has to treat every key that the process could read as known to others.",
		Remedy: "Move to a clean release and rotate every credential that the environment, the config or the database held. The message\n" +
			"names the advisory or the source of the report.",
		Severity:   model.Error,
		Severities: []model.Severity{model.Info},
		Confidence: model.High,
		Confidences: []model.Confidence{
			model.Medium,
		},
		Inputs:   []string{"gateway", "requirements", "gateway.image"},
		Fix:      model.Safe,
		FixTitle: "move to a clean release",
		Since:    "0.1",
		Parameters: []model.Parameter{{Name: "report_1_107_0", Default: 1, Unit: "0 or 1",
			Why: "1.107.0 is known from a transcript of the vendor's announcement and from its absence on PyPI; 0 leaves it out."}},
		Evidence: []model.Evidence{
			{Artefact: "PYSEC-2026-2", File: "osv.dev/vulnerability/MAL-2026-2144", Checked: "2026-11-29", Note: "1.82.7 and 1.82.8 on PyPI; the index serves neither."},
			{Artefact: "litellm-check 0.1.0", File: "litellm_check", Checked: "2026-11-29", Note: "A third party's transcript of the announcement of 21 October 2026; PyPI serves no 1.107.x, which agrees."},
		},
	},
	Check: func(p *Pass) {
		pins := p.litellmPins()
		// A lock file, or another exact requirement, says what a range resolves to.
		settled := slices.ContainsFunc(pins, func(pin litellmPin) bool { return !pin.Image && !pin.Version.IsZero() }) || p.State("requirements") == model.Unseen
		for i := range p.Get("requirements").Items() {
			settled = settled || p.Get("requirements", i) == nil
		}
		for _, pin := range pins {
			for _, a := range knowledge.Advisories("litellm") {
				switch {
				case a.Kind != "compromised" || a.ID == "litellm-1.107.0" && p.Param("report_1_107_0") == 0:
				case pin.Version.IsZero() && pin.Specifier != "":
					if !settled {
						p.mayResolve(pin, a)
					}
				default:
					p.compromised(pin, a)
				}
			}
		}
	},
})

// compromised reports a pin at a release that an advisory names.
func (p *Pass) compromised(pin litellmPin, a knowledge.Advisory) {
	ofImages := slices.Contains(strings.Split(a.Attr("artefact"), ","), "image")
	fixed := knowledge.Version{}
	for f := range strings.FieldsSeq(a.Fixed) {
		fixed, _ = knowledge.ParseVersion(f)
	}
	advice := fmt.Sprintf("move to %s (or back to %s) and rotate every credential that it could read", fixed, a.Attr("pin"))
	source, _, _ := strings.Cut(a.Source, "; ")
	source, _, _ = strings.Cut(source, ", ")
	var r *Report
	switch {
	case pin.Digest != "" && pin.Digest == a.Attr("digest"):
		r = p.Report(pin.At, "the digest is that of the LiteLLM image which is reported as compromised (%s, %s): %s", a.ID, source, advice)
	case !a.Affects(pin.Version) || pin.Image && a.Attr("digest") != "" && !p.Absent("gateway", "image", "digest"):
		// Of a tag with a digest the digest runs.
		return
	case pin.Image && !ofImages:
		r = p.Report(pin.At, "LiteLLM %s is a malicious upload on PyPI (%s); the official images were not affected, one of your own that installs the package is", pin.Version, a.ID).
			Severity(model.Info)
	case a.Attr("confidence") == "medium":
		r = p.Report(pin.At, "LiteLLM %s is reported as compromised (%s): %s", pin.Version, source, advice)
	default:
		r = p.Report(pin.At, "LiteLLM %s on PyPI is a malicious upload that steals credentials when it is imported (%s): %s", pin.Version, a.ID, advice)
	}
	if a.Attr("confidence") == "medium" {
		r.Confidence(model.Medium)
	}
	if op, ok := p.repin(pin, fixed); ok && !fixed.IsZero() {
		r.Fix(model.Fix{Title: "move to " + fixed.String(), Ops: []model.Op{op}})
	}
}

// mayResolve reports a range that can resolve to a malicious upload. A release that is withdrawn from images too cannot be had
// any more, so no range is held against it.
func (p *Pass) mayResolve(pin litellmPin, a knowledge.Advisory) {
	if slices.Contains(strings.Split(a.Attr("artefact"), ","), "image") {
		return
	}
	var found []string
	for _, text := range [...]string{"1.82.7", "1.82.8"} {
		if v := knowledge.MustVersion(text); a.Affects(v) && newestAdmitted(pin.Specifier, v) {
			found = append(found, text)
		}
	}
	if len(found) == 0 {
		return
	}
	p.Report(pin.At, "the range %s can resolve to LiteLLM %s where an index or a mirror still serves it: a malicious upload that steals credentials when it is imported (%s); allow %s or later",
		model.Quote(pin.Specifier), strings.Join(found, " or "), a.ID, a.Fixed)
}
