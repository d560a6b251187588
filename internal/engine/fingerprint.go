package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"agentlint/internal/model"
)

// itemNames are the keys by which a list item is named in fingerprints, so that an inserted item does not change
// those after it.
var itemNames = []string{"model_name", "name", "id", "alert", "record", "title", "metric", "type"}

// fingerprints fills in the fingerprint of each finding: rule, file, path in the file with items by name, and
// which occurrence of the same it is. Neither lines nor message, stack or severity count.
func fingerprints(fs []Finding) {
	seen := map[string]int{}
	for i := range fs {
		f := &fs[i]
		if f.place == "" {
			f.place = namedPath(f)
		}
		key := f.Rule + "\x00" + f.File.Path + "\x00" + f.place
		n := seen[key]
		seen[key]++
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(n)))
		f.Fingerprint = hex.EncodeToString(sum[:16])
	}
}

// namedPath is the finding's path with list items by name, from the stack where the item has one.
func namedPath(f *Finding) string {
	var b strings.Builder
	if f.Stack == nil || f.Origin == nil {
		for _, e := range f.Path {
			fmt.Fprintf(&b, "/%v", e)
		}
		return b.String()
	}
	for i, e := range f.Origin.At {
		if n, ok := e.(int); ok {
			if name := itemName(f.Stack.Root.At(f.Origin.At[:i+1]...)); name != "" {
				b.WriteString("/" + name)
				continue
			}
			e = n
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
