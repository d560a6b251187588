package loaders

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestUnreadConfig checks that a config which a gateway is told to read, and which cannot be read, is not passed over in
// silence. One that is missing may be on the machine that runs the gateway.
func TestUnreadConfig(t *testing.T) {
	write := func(text string) func(string) error {
		return func(name string) error { return os.WriteFile(name, []byte(text), 0o644) }
	}
	outside := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(outside, []byte("model_list: []\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	starts := map[string]string{
		"compose.yaml":    "services:\n  proxy:\n    image: ghcr.io/berriai/litellm:v1.102.0\n    command: --config /app/config.yaml\n    volumes: [./conf/gateway:/app/config.yaml]\n",
		"start.sh":        "litellm --config conf/gateway\n",
		"litellm.service": "[Service]\nExecStart=/usr/bin/litellm --config conf/gateway\n",
	}
	for _, tt := range []struct {
		name  string
		write func(string) error
		skip  string
		fault string
	}{
		{"missing", func(string) error { return nil }, "", ""},
		{"readable", write("model_list: []\n"), "", ""},
		{"folder", func(name string) error { return os.Mkdir(name, 0o755) }, "not a regular file", ""},
		{"link out of the root", func(name string) error { return os.Symlink(outside, name) }, "escapes", ""},
		{"list", write("[[1]]"), "no mapping", ""},
		{"lists in lists", write(strings.Repeat("[", 20000)), "", "max depth"},
		{"maps in maps", write("a: " + strings.Repeat("{a: ", 3000) + strings.Repeat("}", 3000)), "", "nested deeper"},
		{"not UTF-8", write("model_list: \"\xff\"\n"), "", "UTF-8"},
	} {
		for start, text := range starts {
			t.Run(tt.name+"/"+start, func(t *testing.T) {
				dir := t.TempDir()
				if err := os.WriteFile(filepath.Join(dir, start), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
				if err := os.Mkdir(filepath.Join(dir, "conf"), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := tt.write(filepath.Join(dir, "conf", "gateway")); err != nil {
					t.Fatal(err)
				}
				fsys, err := OpenRoot(dir)
				if err != nil {
					t.Fatal(err)
				}
				set, err := Load(t.Context(), fsys, nil, &Options{})
				if err != nil {
					t.Fatal(err)
				}
				var skips, faults []string
				for _, s := range set.Skipped {
					skips = append(skips, s.File+": "+s.Reason)
				}
				for _, p := range set.Problems {
					faults = append(faults, p.File.Path+": "+p.Text)
				}
				for _, x := range []struct {
					got  []string
					want string
				}{{skips, tt.skip}, {faults, tt.fault}} {
					text := strings.Join(x.got, "\n")
					if x.want == "" && text != "" || x.want != "" && (len(x.got) != 1 || !strings.HasPrefix(text, "conf/gateway: ") || !strings.Contains(text, x.want)) {
						t.Errorf("skipped or refused %q, want %q", text, x.want)
					}
				}
			})
		}
	}
}
