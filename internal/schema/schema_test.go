package schema

import (
	"bytes"
	"os"
	"testing"
)

func TestPublishedAreUpToDate(t *testing.T) {
	const root = "../.."
	for name, write := range Published() {
		want, err := write(root)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(root + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go run -C internal/gen ./schema", name)
		}
	}
}
