package cases

import (
	"bytes"
	"fmt"
	"strings"

	"agentlint/internal/engine"
)

// MostUnknowns is how many values of a stack a case usually makes unknown in turn.
const MostUnknowns = 400

// Verdict is what came of running a case in all the ways that the format promises.
type Verdict struct {
	// Result is that of the first run, over the files as they stand in the case.
	Result *engine.Result
	// Lines are what the rule printed, and After the files after its fixes.
	Lines string
	After map[string][]byte
	// Problems are what is wrong, each a text that may have several lines.
	Problems []string
}

func (v *Verdict) fail(format string, args ...any) {
	v.Problems = append(v.Problems, fmt.Sprintf(format, args...))
}

// Verify runs a case: alone, with all rules on, with CRLF line ends, after its fix, and with values made unknown, at most
// so many. With update the case takes over what the rule printed and fixed.
func (c *Case) Verify(update bool, unknowns int) (*Verdict, error) {
	v := &Verdict{}
	var err error
	if v.Result, err = c.Run(c.Input); err != nil {
		return nil, err
	}
	v.Lines = v.clean("alone", v.Result, c.Rule)
	after, fixed, refused, err := c.Fix(c.Input)
	if err != nil {
		v.fail("%v", err)
	}
	v.After = after
	if update {
		c.Want, c.Fixed = v.Lines, Changed(c.Input, after)
	}
	if v.Lines != c.Want {
		v.fail("got\n%s\nwant\n%s", v.Lines, c.Want)
	}
	v.fix(c, fixed, refused)
	all, err := c.RunAll(c.Input)
	if err != nil {
		return nil, err
	}
	if got := v.clean("with all rules on", all, c.Rule); got != v.Lines {
		v.fail("with all rules on\n%s\nalone\n%s", got, v.Lines)
	}
	crlf, err := c.Run(CRLF(c.Input))
	if err != nil {
		return nil, err
	}
	if got := v.clean("with CRLF", crlf, c.Rule); got != v.Lines {
		v.fail("with CRLF line ends\n%s\nwith LF\n%s", got, v.Lines)
	}
	fixedCRLF, _, _, err := c.Fix(CRLF(c.Input))
	if err != nil {
		v.fail("with CRLF: %v", err)
	}
	for name, want := range CRLF(after) {
		if got := fixedCRLF[name]; !bytes.Equal(got, want) {
			v.fail("the fix with CRLF line ends makes of %s\n%q\nwant\n%q", name, got, want)
		}
	}
	for _, s := range v.Result.Stacks {
		hidden, err := Gated(c.Rule, c.Policies, s.Stack)
		if err != nil {
			v.fail("%v", err)
		}
		for _, at := range hidden {
			v.fail("the when paths of the rule hide a finding at %s", at)
		}
		if c.Steady != "" {
			continue
		}
		faults, err := Unknowns(c.Rule, c.Policies, s.Stack, unknowns)
		if err != nil {
			v.fail("%v", err)
		}
		for _, f := range faults {
			v.fail("a value that is unknown makes a finding: %s", f)
		}
	}
	return v, nil
}

// clean returns the rule's lines of a result, which must have no faults.
func (v *Verdict) clean(how string, r *engine.Result, rule string) string {
	for _, f := range r.Faults {
		v.fail("%s: fault of %s in %s: %s", how, f.Rule, f.Stack, strings.TrimSpace(f.Text))
	}
	return Lines(r, rule)
}

// fix holds the files after the fixes against the case.
func (v *Verdict) fix(c *Case, r *engine.Result, refused []string) {
	if r == nil {
		return
	}
	for _, x := range refused {
		if len(c.Fixed) > 0 {
			v.fail("a fix was refused: %s", x)
		}
	}
	changed := Changed(c.Input, v.After)
	if len(c.Fixed) > 0 {
		for _, name := range c.Files() {
			if !bytes.Equal(changed[name], c.Fixed[name]) {
				v.fail("fixed/%s: got\n%s\nwant\n%s", name, changed[name], c.Fixed[name])
			}
		}
	}
	for _, f := range r.Findings {
		if f.Rule == c.Rule && len(f.Fixes) > 0 && len(f.Fixes[0].Edits) > 0 {
			v.fail("after its fix the rule still says: %s", f.Message)
		}
	}
	v.clean("after the fix", r, c.Rule)
}
