package fixers

import (
	"fmt"

	"agentlint/internal/model"
)

// Reason is the kind of a refusal, for counting.
type Reason string

// The reasons why a fix is not applied.
const (
	// ReasonAlias: the value is written in an anchor, or an anchor elsewhere depends on it.
	ReasonAlias Reason = "alias"
	// ReasonTemplate: a template expression stands where the edit would be.
	ReasonTemplate Reason = "template"
	// ReasonNoPlace: no file says the value, and none has a place for it.
	ReasonNoPlace Reason = "no-place"
	// ReasonUnknown: the value is not in the files, so nothing can be said of it.
	ReasonUnknown Reason = "unknown-value"
	// ReasonExists: the new name is taken.
	ReasonExists Reason = "exists"
	// ReasonForm: the format, or the way the value is written in it, cannot hold the change.
	ReasonForm Reason = "form"
	// ReasonSecret: the fix would write a secret.
	ReasonSecret Reason = "secret"
	// ReasonConflict: another fix of the same run changed the place; the next pass tries again.
	ReasonConflict Reason = "conflict"
	// ReasonVerify: the edited file does not read back as intended.
	ReasonVerify Reason = "verify"
	// ReasonFile: the file cannot be edited as it is (its encoding, its syntax).
	ReasonFile Reason = "file"
	// ReasonStays: the finding is still there after the fix.
	ReasonStays Reason = "finding-stays"
	// ReasonWorse: the fix brings about another finding.
	ReasonWorse Reason = "new-finding"
	// ReasonCycle: fixes undo each other.
	ReasonCycle Reason = "cycle"
	// ReasonInput: the operation itself makes no sense.
	ReasonInput Reason = "operation"
)

// Refusal is the error of a fix that is not applied.
type Refusal struct {
	Reason Reason
	// At is the path of the operation that was refused.
	At   model.Path
	Text string
}

func (r *Refusal) Error() string {
	if len(r.At) == 0 {
		return r.Text
	}
	// The path stands last: in front of a colon the name of a key would make a secret of the reason.
	return r.Text + " (" + r.At.String() + ")"
}

// refuse returns a refusal without a path, which the plan adds.
func refuse(reason Reason, format string, args ...any) error {
	return &Refusal{Reason: reason, Text: fmt.Sprintf(format, args...)}
}
