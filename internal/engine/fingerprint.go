package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// itemNames are the keys by which a list item is named in fingerprints, so that an inserted item does not change
// those after it.
var itemNames = []string{"model_name", "name", "id", "alert", "record", "title", "metric", "type"}

// fingerprints fills in the fingerprint of each finding that has none: rule, file, path in the file with items by name,
// and which occurrence of the same it is, in the order of places. Neither lines nor message, stack or severity count.
func fingerprints(fs []*Finding) {
	if !slices.ContainsFunc(fs, func(f *Finding) bool { return f.Fingerprint == "" }) {
		return
	}
	order := slices.Clone(fs)
	slices.SortStableFunc(order, func(a, b *Finding) int {
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Span.Start, b.Span.Start), strings.Compare(a.Rule, b.Rule))
	})
	seen := map[[3]string]int{}
	for _, f := range order {
		if f.Fingerprint != "" {
			continue
		}
		if f.place == "" {
			f.place = plainPath(f.Path)
		}
		key := [3]string{f.Rule, f.File.Path, f.place}
		f.occurrence = seen[key]
		seen[key]++
		f.Fingerprint = f.FingerprintIn(f.File.Path)
	}
}

// FingerprintIn returns the fingerprint that a finding would have if its file had another path: that before a file was
// renamed.
func (f *Finding) FingerprintIn(file string) string {
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + file + "\x00" + f.place + "\x00" + strconv.Itoa(f.occurrence)))
	return hex.EncodeToString(sum[:16])
}

func plainPath(p []any) string {
	var b strings.Builder
	for _, e := range p {
		fmt.Fprintf(&b, "/%v", e)
	}
	return b.String()
}

// placeName is the path in the file of what stands at a path of a stack, with list items by name. What is missing, or
// comes from a default, is named below the place that the finding has instead.
func placeName(s *model.Stack, at model.Path) string {
	pl := s.Locate(at)
	own := len(pl.Missing) == 0
	for v, i := pl.Value, len(pl.Path); v != nil; i-- {
		o := &v.Origin
		for depth := 0; o.File == nil && o.Block() != nil && depth < maxBlocks; depth++ {
			o, own = &o.Block().Origin, false
		}
		if o.File != nil {
			name := originName(o)
			if !own || name == "" {
				name += "?" + modelPath(s, at)
			}
			return name
		}
		if i == 0 {
			break
		}
		v, own = s.Root.At(pl.Path[:i-1]...), false
	}
	return "?" + modelPath(s, at)
}

// originName is the path of an origin in its file, "" where the file has no paths.
func originName(o *model.Origin) string {
	var parts []string
	switch {
	case o.Arg() != nil && o.Arg().Flag >= 0 && o.Arg().Flag < len(o.Arg().Line.Words):
		flag, _, _ := strings.Cut(o.Arg().Line.Words[o.Arg().Flag].Text, "=")
		parts = append(parts, flag)
	case o.Env() != nil:
		parts = append(parts, o.Env().Name)
	}
	n := o.Node
	if o.Via != nil {
		n = o.Via
	}
	for f := o.File; f != nil; {
		for n != nil && n.Parent != nil {
			up := n.Parent
			switch {
			case up.Kind == source.Map:
				if i := n.Place(); i > 0 {
					parts = append(parts, up.Children[i-1].Text)
				}
			case len(parts) == 1 && o.Arg() != nil && n == o.Node:
				// An item of a list of arguments is named by its flag.
			case n == o.Node && !o.Key.IsZero() && o.Key.End <= len(o.File.Bytes) && n.Kind == source.Scalar:
				// An item "NAME=value".
				parts = append(parts, o.File.Text(o.Key))
			default:
				parts = append(parts, itemOf(n, n.Place()))
			}
			n = up
		}
		if id := objectName(n); id != "" {
			parts = append(parts, id)
		}
		f, n = f.Host()
	}
	slices.Reverse(parts)
	if len(parts) == 0 {
		return ""
	}
	return "/" + strings.Join(parts, "/")
}

// itemOf names an item of a list.
func itemOf(n *source.Node, index int) string {
	for _, k := range itemNames {
		if v := n.Get(k).Deref(); v != nil && v.Kind == source.Scalar && v.Text != "" {
			return k + "=" + v.Text
		}
	}
	return strconv.Itoa(index)
}

// objectName names one of several documents in a file: a Kubernetes object.
func objectName(root *source.Node) string {
	kind, name := root.Get("kind").Deref(), root.Get("metadata").Get("name").Deref()
	if kind == nil || name == nil || kind.Kind != source.Scalar || name.Kind != source.Scalar {
		return ""
	}
	return kind.Text + "=" + name.Text
}

// modelPath is a path of a stack with list items by name.
func modelPath(s *model.Stack, at model.Path) string {
	var b strings.Builder
	for i, e := range at {
		if _, ok := e.(int); ok {
			if name := itemName(s.Root.At(at[:i+1]...)); name != "" {
				b.WriteString("/" + name)
				continue
			}
		}
		fmt.Fprintf(&b, "/%v", e)
	}
	return b.String()
}

func itemName(v *model.Value) string {
	for _, k := range itemNames {
		if s, ok := v.Get(k).Scalar(); ok {
			return k + "=" + s
		}
	}
	return ""
}
