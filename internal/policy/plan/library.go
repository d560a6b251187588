package plan

import (
	"agentlint/internal/model"
)

// libraryFunction returns the twin in Go of a function of the library, nil when it has none. Twins know the stack, so
// they need not search input.unknown.
func libraryFunction(name string) nativeFunc {
	switch name {
	case "unknown_paths":
		return func(ev *Evaluator, _ []Value) (Value, bool) { return ev.input.unknownPaths(), true }
	case "unknown":
		return state(func(v Value, unknown bool) Value { return holds(unknown) })
	case "present":
		return state(func(v Value, unknown bool) Value { return holds(!unknown && v != nil) })
	case "absent":
		return state(func(v Value, unknown bool) Value { return holds(!unknown && v == nil) })
	case "value":
		return func(ev *Evaluator, args []Value) (Value, bool) {
			v, unknown, ok := ev.input.look(args[0])
			switch {
			case !ok:
				return nil, false
			case unknown:
				return nil, true
			case v == nil:
				return args[1], true
			}
			return v, true
		}
	}
	return nil
}

// holds is the value of a rule that is true or not defined.
func holds(is bool) Value {
	if is {
		return true
	}
	return nil
}

func state(is func(v Value, unknown bool) Value) nativeFunc {
	return func(ev *Evaluator, args []Value) (Value, bool) {
		v, unknown, ok := ev.input.look(args[0])
		if !ok {
			return nil, false
		}
		return is(v, unknown), true
	}
}

// look returns what stands at a path of the stack, nil for nothing, and whether something stands there, or may stand
// there, that the files do not show. ok is false for a path that it does not follow.
func (in *Input) look(path Value) (v Value, unknown, ok bool) {
	if order(path) != orderArray || length(path) == 0 {
		return nil, false, false
	}
	here := in.stack.Root
	for i := range length(path) {
		if hidden(here) {
			return nil, true, true
		}
		unknown = unknown || here.Open
		var w *model.Value
		switch key := at(path, i).(type) {
		case string:
			if i == 0 && (key == "unknown" || key == "parameters" || key == "enabled") {
				return nil, false, false
			}
			w = here.Get(key)
		case int64:
			if here.Kind == model.List && key >= 0 && key < int64(here.Len()) {
				w = here.Items()[key]
			}
		case Decimal:
			return nil, false, false
		}
		if w == nil {
			return nil, unknown, true
		}
		here = w
	}
	v = of(here)
	return v, v == nil, true
}
