package schema

import (
	"fmt"
	"reflect"
	"strings"

	"agentlint/internal/model"
)

// Conform returns what is wrong with a stack's tree against [model.Shape]: keys that the shape has not, keys that it
// wants and that are neither known nor unknown, and values of another kind. Unknown is a list of its own that the tree
// need not hold.
func Conform(root *model.Value) []string {
	c := &conformer{}
	c.value(nil, root, reflect.TypeFor[model.Shape]())
	return c.faults
}

type conformer struct{ faults []string }

func (c *conformer) fail(p model.Path, format string, args ...any) {
	c.faults = append(c.faults, p.String()+": "+fmt.Sprintf(format, args...))
}

func (c *conformer) value(p model.Path, v *model.Value, t reflect.Type) {
	if v.Kind == model.Unknown {
		return
	}
	switch t.Kind() {
	case reflect.Pointer:
		c.value(p, v, t.Elem())
	case reflect.Interface:
	case reflect.Struct:
		c.structure(p, v, t)
	case reflect.Map:
		if v.Kind != model.Map {
			c.fail(p, "want a map")
			return
		}
		for i, k := range v.Keys() {
			c.value(p.With(k), v.Items()[i], t.Elem())
		}
	case reflect.Slice:
		if v.Kind != model.List {
			c.fail(p, "want a list")
			return
		}
		for i, w := range v.Items() {
			c.value(p.With(i), w, t.Elem())
		}
	case reflect.String:
		if v.Kind != model.Text {
			c.fail(p, "want a text")
		}
	case reflect.Bool:
		if v.Kind != model.Bool {
			c.fail(p, "want true or false")
		}
	case reflect.Int:
		if _, ok := v.AsInt(false); !ok {
			c.fail(p, "want a whole number")
		}
	case reflect.Float64:
		if _, ok := v.AsFloat(false); !ok {
			c.fail(p, "want a number")
		}
	}
}

func (c *conformer) structure(p model.Path, v *model.Value, t reflect.Type) {
	if v.Kind != model.Map {
		c.fail(p, "want a map")
		return
	}
	known := map[string]bool{}
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		known[key] = true
		w := v.Get(key)
		switch {
		case w != nil:
			c.value(p.With(key), w, f.Type)
		case options != "omitempty" && !v.Open && !(len(p) == 0 && key == "unknown"):
			c.fail(p.With(key), "missing")
		}
	}
	for _, k := range v.Keys() {
		if !known[k] {
			c.fail(p.With(k), "not in the shape")
		}
	}
}
