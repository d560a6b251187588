package fixers

import (
	"fmt"
	"slices"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// doSetting makes an operation at a setting of pgbouncer.ini or postgresql.conf. ok is false when the text holds no
// setting there.
func (s *Session) doSetting(v *view, key, value source.Span, op model.Op) (ok bool, err error) {
	var dialects []source.INIDialect
	var at source.INIEntry
	for _, d := range [...]source.INIDialect{source.INIPgBouncer, source.INIPostgres} {
		f := source.ParseINI(v.cur, d)
		if len(f.Errors) > 0 {
			continue
		}
		if i := slices.IndexFunc(f.Entries, func(e source.INIEntry) bool {
			return e.KeySpan == key && e.ContentSpan.Contains(value) || e.KeySpan == key && e.ValueSpan.Contains(value)
		}); i >= 0 {
			dialects = append(dialects, d)
			at = f.Entries[i]
		}
	}
	if len(dialects) == 0 {
		return false, nil
	}
	type setting struct{ section, key, value string }
	read := func(f *source.File, d source.INIDialect) ([]setting, int) {
		p := source.ParseINI(f, d)
		var out []setting
		for _, e := range p.Entries {
			out = append(out, setting{e.Section, e.Key, e.Value})
		}
		return out, len(p.Errors)
	}
	try := func(change func(i int, x setting) (setting, bool), tries ...[]source.Edit) error {
		var first error
		for _, edits := range tries {
			restore := s.snapshot()
			err := v.edit(edits, &patch{}, func(next *source.File) error {
				for _, d := range dialects {
					before := source.ParseINI(v.cur, d).Entries
					var want []setting
					for _, e := range before {
						same := 0
						if e.KeySpan == at.KeySpan {
							same = 1
						}
						if x, keep := change(same, setting{e.Section, e.Key, e.Value}); keep {
							want = append(want, x)
						}
					}
					if got, errs := read(next, d); errs > 0 || !slices.Equal(got, want) {
						return fmt.Errorf("the settings are not as intended")
					}
				}
				return nil
			})
			if err == nil {
				return nil
			}
			restore()
			if first == nil {
				first = err
			}
		}
		return refuse(ReasonVerify, "the edited file does not read back as intended: %v", first)
	}
	switch op.Kind {
	case model.OpSet:
		text, err := asText(op.Value)
		if err != nil {
			return true, err
		}
		if strings.ContainsAny(text, "\r\n") {
			return true, refuse(ReasonForm, "a setting is one line")
		}
		set := func(same int, x setting) (setting, bool) {
			if same == 1 {
				x.value = text
			}
			return x, true
		}
		return true, try(set,
			[]source.Edit{edit(at.ContentSpan.Start, at.ContentSpan.End, text)},
			[]source.Edit{edit(at.ValueSpan.Start, at.ValueSpan.End, "'"+strings.ReplaceAll(text, "'", "''")+"'")},
			[]source.Edit{edit(at.ValueSpan.Start, at.ValueSpan.End, " "+text)})
	case model.OpRename:
		rename := func(same int, x setting) (setting, bool) {
			if same == 1 {
				x.key = op.Name
			}
			return x, true
		}
		return true, try(rename, []source.Edit{edit(key.Start, key.End, op.Name)})
	case model.OpRemove:
		w := v.writer()
		drop := func(same int, x setting) (setting, bool) { return x, same == 0 }
		return true, try(drop, []source.Edit{w.cut(w.lineStart(key.Start), w.nextLine(at.Span.End))})
	case model.OpInsertComment:
		w := v.writer()
		line := w.lineStart(key.Start)
		same := func(_ int, x setting) (setting, bool) { return x, true }
		return true, try(same, []source.Edit{edit(line, line, commentLines(op.Name, "", w.nl))})
	}
	return false, nil
}
