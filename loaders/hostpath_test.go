package loaders

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
)

// TestHostPath joins a script with the config and the env file that it names from another folder than its own.
func TestHostPath(t *testing.T) {
	const run = "#!/bin/sh\ndocker run --env-file %etc/gateway.env -v \"%etc/litellm.yaml:/app/config.yaml:ro\" ghcr.io/berriai/litellm:v1.102.4 --config /app/config.yaml\n"
	const process = "#!/bin/sh\nset -a; . \"%etc/gateway.env\"\nlitellm --config \"%etc/litellm.yaml\"\n"
	for _, c := range []struct {
		script, folder string
		joined         bool
	}{
		{run, "", true}, // started from above
		{run, "./", true},
		{run, "$PWD/", true},
		{run, "${PWD}/", true},
		{run, "$ROOT/", true},
		{run, "${ROOT}/", true},
		{run, "$(dirname \"$0\")/../../", true},
		{run, "$(cd \"$(dirname \"$0\")/..\" && pwd)/", true},
		{run, "$(git rev-parse --show-toplevel)/", true},
		{run, "../", true},
		{run, "$HOME/", false},
		{run, "../../", false},
		{run, "/srv/", false},
		{process, "", true},
		{process, "$HOME/", false},
	} {
		text := strings.ReplaceAll(c.script, "%", c.folder)
		fsys := fstest.MapFS{
			"host/bin/gateway.sh":   {Data: []byte(text)},
			"host/etc/gateway.env":  {Data: []byte("LITELLM_MASTER_KEY=sk-1\nNUM_WORKERS=3\n")},
			"host/etc/litellm.yaml": {Data: []byte("model_list: [{model_name: a, litellm_params: {model: openai/x}}]\n")},
		}
		set, err := Load(context.Background(), fsys, nil, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		joined := false
		for _, s := range set.Stacks {
			if s.Name == "host/bin/gateway.sh" {
				joined = s.Root.At("gateway", "config", "model_list").Len() == 1
				if workers, ok := s.Root.At("gateway", "env", "NUM_WORKERS").AsText(); c.script == run && joined != (ok && workers == "3") {
					t.Errorf("%q: the config is joined: %v, the env file: %v", c.folder, joined, ok)
				}
			}
		}
		if joined != c.joined {
			t.Errorf("%q joined: %v, want %v", text, joined, c.joined)
		}
	}
}
