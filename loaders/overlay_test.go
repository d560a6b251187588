package loaders

import (
	"context"
	"testing"
	"testing/fstest"
)

// TestOverlayNamesFilesOnce replaces files whose folders do not sort like their paths.
func TestOverlayNamesFilesOnce(t *testing.T) {
	text := []byte("model_list: []\n")
	fsys := fstest.MapFS{}
	overlay := map[string][]byte{"new.yaml": text}
	for _, name := range []string{"a/c.yaml", "a-b/c.yaml", "a.b/c.yaml", "a0/c.yaml", "b.yaml"} {
		fsys[name] = &fstest.MapFile{Data: text}
		overlay[name] = text
	}
	for range 20 {
		set, err := Load(context.Background(), fsys, overlay, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int{}
		for _, d := range set.Documents {
			seen[d.File.Path]++
		}
		if len(seen) != len(overlay) {
			t.Fatalf("read %v", seen)
		}
		for name, n := range seen {
			if n != 1 {
				t.Fatalf("%s is read %d times", name, n)
			}
		}
	}
}
