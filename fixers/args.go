package fixers

import "agentlint/internal/model"

func (s *Session) doArgs(p place, op model.Op, st *model.Stack) error {
	return refuse(ReasonForm, "args")
}
func (s *Session) doEnv(p place, op model.Op, st *model.Stack) error {
	return refuse(ReasonForm, "env")
}
