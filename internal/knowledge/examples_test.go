package knowledge

import (
	"os"
	"strings"
	"testing"
)

// The keys of the example configurations in the LiteLLM wheels, each with the first and last release whose examples have it
// (written by internal/gen/knowledge/examples), must be known to those releases.
func TestKeysOfUpstreamExamplesAreKnown(t *testing.T) {
	data, err := os.ReadFile("testdata/litellm_example_keys.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")[1:]
	if len(lines) < 50 {
		t.Fatalf("only %d keys", len(lines))
	}
	for _, line := range lines {
		cells := strings.Split(line, "\t")
		for _, version := range cells[2:] {
			if _, p := LiteLLM.At(MustVersion(version)).Setting(cells[0], cells[1]); p != Present {
				t.Errorf("LiteLLM %s: its example has %q in %q, which is %s", version, cells[1], cells[0], p)
			}
		}
	}
}
