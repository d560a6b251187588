package loaders

import (
	"context"
	"testing"
	"testing/fstest"

	"agentlint/internal/model"
)

// TestInclude reads what config files include in LiteLLM's order: the config's own entries, then those of the included files.
func TestInclude(t *testing.T) {
	config := func(files map[string]string) *model.Stack {
		t.Helper()
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		set, err := Load(context.Background(), fsys, nil, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(set.Stacks) != 1 {
			t.Fatalf("%d stacks", len(set.Stacks))
		}
		return set.Stacks[0]
	}
	check := func(s *model.Stack, at model.Path, want string) {
		t.Helper()
		if got, _ := s.Text(at...); got != want {
			t.Errorf("%s is %q, want %q", at, got, want)
		}
	}
	models := func(name string) string {
		return "model_list: [{model_name: " + name + ", litellm_params: {model: openai/x}}]\n"
	}
	s := config(map[string]string{
		"config.yaml":  "include: [parts/a.yaml, parts/b.yaml]\ngeneral_settings: {master_key: main}\n" + models("main"),
		"parts/a.yaml": "include: [c.yaml, ../config.yaml]\n" + models("a"),
		"parts/b.yaml": "litellm_settings: {success_callback: [b]}\ngeneral_settings: {master_key: b}\n" + models("b"),
		"parts/c.yaml": "general_settings: {database_url: c}\n" + models("c"),
	})
	for i, name := range []string{"main", "a", "b", "c"} {
		check(s, model.Path{"gateway", "config", "model_list", i, "model_name"}, name)
	}
	check(s, model.Path{"gateway", "config", "general_settings", "database_url"}, "c")
	if !s.Absent("gateway", "config", "general_settings", "master_key") {
		t.Error("a section of an included file is merged")
	}
	if n := len(s.Get("gateway", "config", "general_settings").Losers()); n != 2 {
		t.Errorf("%d overridden sections, want 2", n)
	}

	// Neither file has a word of a product, and the second stands beside the first in a ConfigMap.
	s = config(map[string]string{"gateway.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: gateway}
data:
  config.yaml: |
    include: [more.yaml, config.yaml]
    general_settings: {master_key: main}
  more.yaml: |
    router_settings: {routing_strategy: more}
`})
	check(s, model.Path{"gateway", "config", "router_settings", "routing_strategy"}, "more")
	check(s, model.Path{"gateway", "config", "general_settings", "master_key"}, "main")
}

// TestIncludedOfMounted makes one stack of a config that a gateway mounts and of what it includes.
func TestIncludedOfMounted(t *testing.T) {
	section := "general_settings: {master_key: sk-1}\nmodel_list: [{model_name: m, litellm_params: {model: openai/x}}]\n"
	for name, files := range map[string]map[string]string{
		"beside": {
			"compose.yaml":        "services: {gateway: {image: \"litellm/litellm:v1.102.0\", command: \"--config /app/config.yaml\", volumes: [\"./z.yaml:/app/config.yaml\", \"./parts:/app/parts\"]}}\n",
			"z.yaml":              "include: [parts/a.yaml]\nlitellm_settings: {drop_params: true}\n",
			"parts/a.yaml":        "include: [deeper/b.yaml]\n" + section,
			"parts/deeper/b.yaml": section,
		},
		"circle": {
			"compose.yaml": "services: {gateway: {image: \"litellm/litellm:v1.102.0\", command: \"--config /app/config.yaml\", volumes: [\"./z.yaml:/app/config.yaml\"]}}\n",
			"z.yaml":       "include: [a.yaml]\nlitellm_settings: {drop_params: true}\n",
			"a.yaml":       "include: [z.yaml]\n" + section,
		},
	} {
		fsys := fstest.MapFS{}
		for path, text := range files {
			fsys[path] = &fstest.MapFile{Data: []byte(text)}
		}
		set, err := Load(context.Background(), fsys, nil, &Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range set.Stacks {
			got = append(got, s.Name)
		}
		if len(got) != 1 || got[0] != "compose.yaml" {
			t.Errorf("%s: stacks %q, want compose.yaml alone", name, got)
		}
	}
}
