package rules

import (
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
)

// litellmPin is a place at which the deployment names a release of LiteLLM.
type litellmPin struct {
	// At is the place, Version the release, zero for a range or a bare digest.
	At      model.Path
	Version knowledge.Version
	// Image is true for a container image, false for a Python requirement; Specifier is that of the requirement, Digest
	// that of the image.
	Image             bool
	Specifier, Digest string
	// Locked is true for an entry with hashes, which an edit would leave behind.
	Locked bool
}

// litellmPins returns the places that name the gateway's release: its image, and the requirements beside it.
func (p *Pass) litellmPins() []litellmPin {
	var out []litellmPin
	if image := p.Get("gateway", "image"); image != nil {
		pin := litellmPin{At: model.Path{"gateway", "image", "tag"}, Image: true}
		pin.Digest, _ = image.Get("digest").AsText()
		tagged := image.Get("tag").Known()
		if text, ok := image.Get("version").AsText(); ok && tagged {
			pin.Version, _ = knowledge.ParseVersion(text)
		}
		if pin.Digest != "" && !tagged {
			pin.At = model.Path{"gateway", "image", "digest"}
		}
		if !pin.Version.IsZero() || pin.Digest != "" {
			out = append(out, pin)
		}
	}
	for r := range p.Parts("requirements") {
		if name, _ := r.Text("name"); name != "litellm" {
			continue
		}
		pin := litellmPin{At: r.At("specifier")}
		pin.Specifier, _ = r.Text("specifier")
		if text, ok := r.Text("version"); ok {
			pin.Version, _ = knowledge.ParseVersion(text)
		}
		pin.Locked = r.IsTrue("locked")
		out = append(out, pin)
	}
	return out
}

// repin is the operation that names another release at the place of a pin; false when the place is not written in a form
// that holds it.
func (p *Pass) repin(pin litellmPin, v knowledge.Version) (model.Op, bool) {
	if !pin.Image {
		// The place is the whole line of the requirement.
		return model.ReplaceText(pin.At, pin.Version.String(), v.String()), !pin.Version.IsZero() && !pin.Locked
	}
	tag, ok := p.Text("gateway", "image", "tag")
	if !ok || pin.Digest != "" || !strings.Contains(tag, pin.Version.String()) {
		return model.Op{}, false
	}
	name, _ := p.Text("gateway", "name")
	for _, at := range [...]model.Path{
		{"gateway", "helm", "values", "image", "tag"}, {"gateway", "helm", "values", "gateway", "image", "tag"},
		{"compose", "services", name, "image"}, {"gateway", "pod", "spec", "container", "image"},
	} {
		if text, ok := p.Text(at...); ok && strings.HasSuffix(text, tag) {
			return model.Set(at, strings.TrimSuffix(text, tag)+strings.Replace(tag, pin.Version.String(), v.String(), 1)), true
		}
	}
	return model.Op{}, false
}

// admits reports whether a requirement's specifier allows a release: comma-separated clauses of ==, !=, <, <=, >, >= and ~=.
func admits(specifier string, v knowledge.Version) bool {
	for clause := range strings.SplitSeq(specifier, ",") {
		clause = strings.ReplaceAll(strings.TrimSpace(clause), " ", "")
		if clause == "" {
			continue
		}
		if base, ok := strings.CutPrefix(clause, "~="); ok {
			w, err := knowledge.ParseVersion(base)
			if err != nil {
				return false
			}
			i := strings.LastIndexByte(base, '.')
			if i < 0 || v.Compare(w) < 0 || !strings.HasPrefix(v.String()+".", base[:i]+".") {
				return false
			}
			continue
		}
		if base, ok := strings.CutPrefix(clause, "=="); ok && strings.HasSuffix(base, ".*") {
			if !strings.HasPrefix(v.String()+".", strings.TrimSuffix(base, "*")) {
				return false
			}
			continue
		}
		if base, ok := strings.CutPrefix(clause, "!="); ok {
			if w, err := knowledge.ParseVersion(base); err != nil || v.Compare(w) == 0 {
				return false
			}
			continue
		}
		r, err := knowledge.ParseRange("litellm" + clause)
		if err != nil || !r.Contains(v) {
			return false
		}
	}
	return true
}

// newestAdmitted reports whether a release is the newest that a specifier allows, of those that the tables know and itself: a
// range that allows a later one resolves to that.
func newestAdmitted(specifier string, v knowledge.Version) bool {
	if !admits(specifier, v) {
		return false
	}
	for _, other := range knowledge.LiteLLM.Releases() {
		if other.Compare(v) > 0 && admits(specifier, other) {
			return false
		}
	}
	return true
}

// cleanRelease returns the oldest known release after v that no advisory on vulnerabilities affects, zero when there is
// none.
func cleanRelease(v knowledge.Version) knowledge.Version {
	for _, other := range knowledge.LiteLLM.Releases() {
		if other.Compare(v) <= 0 {
			continue
		}
		clean := true
		for _, a := range knowledge.Affecting("litellm", other) {
			clean = clean && a.Kind != "vulnerability" && a.Kind != "compromised"
		}
		if clean {
			return other
		}
	}
	return knowledge.Version{}
}
