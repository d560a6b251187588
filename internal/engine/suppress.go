package engine

import (
	"slices"

	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/internal/source"
	"agentlint/rules"
)

// suppress applies the ignores of files and of the configuration to the findings of a run, and adds those about the
// ignores themselves.
func (c *collector) suppress(r *Result, all []*checked) {
	byFile := map[*source.File][]*checked{}
	var files []*source.File
	for _, s := range all {
		for _, f := range s.files {
			if byFile[f] == nil {
				files = append(files, f)
			}
			byFile[f] = append(byFile[f], s)
		}
	}
	for _, x := range c.findings {
		if f := x.File; byFile[f] == nil && !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	undecided := map[[2]string]bool{}
	for _, u := range r.Unchecked {
		undecided[[2]string{u.Rule, u.Stack}] = true
	}
	g := &ignores{
		Files: files, Entries: c.opts.Ignores, Today: c.opts.Today, Whole: len(c.opts.Paths) == 0,
		Rule: func(name string) (string, bool) {
			if policy.IsCustom(name) {
				own := c.opts.Custom
				if own == nil {
					// Another run has the policies.
					return name, true
				}
				if m := own.Meta(name); m != nil {
					return m.ID, true
				}
				return "", false
			}
			if m := MetaOf(name); m != nil {
				return m.ID, true
			}
			return "", false
		},
		IDs: ruleIDs(c.opts),
		// A rule that could not decide may need the ignore once it can.
		Ran: func(rule string, f *source.File) bool {
			meta := c.sel.meta(rule)
			if meta == nil || !c.sel.on(meta.ID, meta.Category) {
				return false
			}
			ran := false
			for _, s := range byFile[f] {
				if undecided[[2]string{meta.ID, s.Name}] {
					return false
				}
				ran = ran || slices.Contains(s.open, meta.ID)
			}
			return ran
		},
		Rel: func(f *source.File) string { return f.Path },
	}
	kept, about, silenced := g.apply(c.findings)
	c.findings, r.Suppressed, r.silenced = kept, len(silenced), silenced
	for _, f := range about {
		meta := c.sel.meta(f.Rule)
		if meta == nil || !c.sel.on(meta.ID, meta.Category) {
			continue
		}
		f.Category, f.Title = meta.Category, meta.Title
		f.Severity, _ = c.sel.severity(&model.Finding{Rule: f.Rule, Severity: f.Severity}, meta, nil, c.opts)
		for _, s := range byFile[f.File] {
			f.Stacks = append(f.Stacks, s.Name)
		}
		c.findings = append(c.findings, f)
	}
}

// ruleIDs returns the ids of all rules, for suggestions.
func ruleIDs(o *Options) []string {
	var ids []string
	for _, r := range rules.All() {
		ids = append(ids, r.Meta.ID)
	}
	for _, p := range policy.Builtin() {
		ids = append(ids, p.ID)
	}
	for _, p := range o.Custom.Policies() {
		ids = append(ids, p.ID)
	}
	return ids
}
