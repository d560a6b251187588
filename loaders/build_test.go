package loaders

import (
	"context"
	"testing"
	"testing/fstest"

	"agentlint/internal/model"
)

// TestBuildArgs reads the base image that a service's build hands to its Dockerfile, for every service of that image.
func TestBuildArgs(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"{BASE: \"vllm/vllm-openai:v0.29.0\"}", "0.29.0"},
		{"[\"BASE=vllm/vllm-openai:v0.30.0\"]", "0.30.0"},
		{"{BASE: \"${BASE:-vllm/vllm-openai:v0.31.0}\"}", "0.31.0"},
		{"{OTHER: x}", "0.28.0"},
		{"{}", "0.28.0"},
		// The shell that builds says it.
		{"{BASE: }", ""},
		{"[BASE]", ""},
		{"{BASE: \"${BASE}\"}", ""},
	} {
		fsys := fstest.MapFS{
			"Dockerfile": {Data: []byte("ARG BASE=vllm/vllm-openai:v0.28.0\nFROM ${BASE}\n")},
			"compose.yaml": {Data: []byte("services:\n" +
				"  first: {image: \"ours/vllm:local\", build: {context: ., args: " + c.args + "}, command: a/b}\n" +
				"  second: {image: \"ours/vllm:local\", command: a/c}\n")},
		}
		set, err := Load(context.Background(), fsys, nil, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c.want == "" {
			for _, s := range set.Stacks {
				if got, _ := s.Text("engines", 0, "version_source"); got == "image" {
					t.Errorf("%s: a version out of nothing", c.args)
				}
			}
			continue
		}
		if len(set.Stacks) != 1 {
			t.Fatalf("%s: %d stacks", c.args, len(set.Stacks))
		}
		for i, name := range []string{"first", "second"} {
			got, _ := set.Stacks[0].Text(model.Path{"engines", i, "version"}...)
			if n, _ := set.Stacks[0].Text("engines", i, "name"); got != c.want || n != name {
				t.Errorf("%s: engine %q is %q, want %q of %q", c.args, n, got, c.want, name)
			}
		}
	}
}
