package pages

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestPagesAreUpToDate(t *testing.T) {
	const root = "../.."
	want, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, page := range want {
		got, err := os.ReadFile(filepath.Join(root, Dir, name))
		if err != nil || !bytes.Equal(got, page) {
			t.Errorf("%s/%s is stale: run go generate ./policies ./rules", Dir, name)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, Dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if want[filepath.Base(f)] == nil {
			t.Errorf("%s/%s is the page of no rule", Dir, filepath.Base(f))
		}
	}
}
