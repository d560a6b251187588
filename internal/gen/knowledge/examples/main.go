// Command examples checks the tables against the example configurations that the LiteLLM wheels carry: every example must satisfy the JSON Schema
// of its own release, and each of its keys must be in the tables at that release.
//
//	go run -C internal/gen ./knowledge/examples -cache DIR          check, and print what differs
//	go run -C internal/gen ./knowledge/examples -cache DIR -write   also write the keys that were found to internal/knowledge/testdata
//
// DIR is what "python3 litellm.py examples" prints. The texts stay there; only names of keys enter the repository.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"gopkg.in/yaml.v3"

	"agentlint/internal/knowledge"
)

// out is where -write puts the keys, seen from the root of this module.
const out = "../knowledge/testdata/litellm_example_keys.tsv"

// excused are differences that are faults of the example, with the reason: "file key" for an unknown key, "file" for the schema.
var excused = map[string]string{}

func main() {
	cache := flag.String("cache", "", "folder with the examples, one folder per release")
	write := flag.Bool("write", false, "write the keys of the examples to internal/knowledge/testdata")
	flag.Parse()
	if err := run(*cache, *write); err != nil {
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(1)
	}
}

// found is where a key was seen: in the examples of releases first to last.
type found struct{ first, last knowledge.Version }

func run(cache string, write bool) error {
	releases, err := os.ReadDir(cache)
	if err != nil {
		return err
	}
	var versions []knowledge.Version
	for _, r := range releases {
		v, err := knowledge.ParseVersion(r.Name())
		if err != nil {
			return err
		}
		versions = append(versions, v)
	}
	slices.SortFunc(versions, knowledge.Version.Compare)
	keys := map[[2]string]found{}
	differences := map[string][]string{} // what -> releases
	files := 0
	for _, v := range versions {
		release := knowledge.LiteLLM.At(v)
		text, err := knowledge.Schema(release)
		if err != nil {
			return err
		}
		schema, err := jsonschema.CompileString("litellm.json", string(text))
		if err != nil {
			return fmt.Errorf("schema of %s: %w", v, err)
		}
		root := filepath.Join(cache, v.String())
		err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name := filepath.Base(path)
			report := func(what string) {
				if _, ok := excused[what]; !ok {
					differences[what] = append(differences[what], v.String())
				}
			}
			var config map[string]any
			if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&config); err != nil {
				report(name + ": " + err.Error())
				return nil
			}
			if !isConfig(config) {
				return nil
			}
			files++
			for _, k := range keysOf(config) {
				if _, presence := release.Setting(k[0], k[1]); presence != knowledge.Present {
					report(fmt.Sprintf("%s %s.%s: %s", name, k[0], k[1], presence))
					continue
				}
				seen, ok := keys[k]
				if !ok {
					seen.first = v
				}
				seen.last = v
				keys[k] = seen
			}
			if err := schema.Validate(plain(config)); err != nil {
				report(name + ": " + reason(err))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("%d example configurations of %d releases, %d keys\n", files, len(versions), len(keys))
	if write {
		if err := writeKeys(keys); err != nil {
			return err
		}
	}
	if len(differences) > 0 {
		var lines []string
		for what, in := range differences {
			lines = append(lines, fmt.Sprintf("%s (%s to %s)", what, in[0], in[len(in)-1]))
		}
		slices.Sort(lines)
		return fmt.Errorf("%d differences:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	return nil
}

// isConfig tells a proxy configuration from the other YAML files of the wheel.
func isConfig(config map[string]any) bool {
	for _, key := range []string{"model_list", "general_settings", "litellm_settings", "router_settings"} {
		if _, ok := config[key]; ok {
			return true
		}
	}
	return false
}

// keysOf returns section and name of every key of a configuration whose section is in the tables and reads nothing but its own keys.
func keysOf(config map[string]any) [][2]string {
	var out [][2]string
	add := func(section string, mapping any) {
		if m, ok := mapping.(map[string]any); ok {
			for name := range m {
				out = append(out, [2]string{section, name})
			}
		}
	}
	add("", config)
	for _, section := range []string{"general_settings", "litellm_settings", "router_settings"} {
		add(section, config[section])
	}
	each := func(list any, visit func(map[string]any)) {
		items, _ := list.([]any)
		for _, item := range items {
			if m, ok := item.(map[string]any); ok {
				visit(m)
			}
		}
	}
	each(config["model_list"], func(m map[string]any) { add("model_list", m) })
	each(config["guardrails"], func(m map[string]any) { add("guardrails", m) })
	if servers, ok := config["mcp_servers"].(map[string]any); ok {
		for _, server := range servers {
			add("mcp_servers", server)
		}
	}
	if general, ok := config["general_settings"].(map[string]any); ok {
		add("coordination_redis", general["coordination_redis"])
		each(general["pass_through_endpoints"], func(m map[string]any) { add("pass_through_endpoints", m) })
	}
	return out
}

// plain turns mappings with keys of other types into mappings of texts, as JSON has them, and dates into texts.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[k] = plain(x)
		}
		return m
	case map[any]any:
		m := make(map[string]any, len(v))
		for k, x := range v {
			m[fmt.Sprint(k)] = plain(x)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, x := range v {
			l[i] = plain(x)
		}
		return l
	case fmt.Stringer:
		return v.String()
	}
	return v
}

// reason returns the deepest cause of a schema error with its place.
func reason(err error) string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err.Error()
	}
	for len(invalid.Causes) > 0 {
		invalid = invalid.Causes[0]
	}
	return invalid.InstanceLocation + ": " + invalid.Message
}

func writeKeys(keys map[[2]string]found) error {
	var lines []string
	for k, f := range keys {
		lines = append(lines, strings.Join([]string{k[0], k[1], f.first.String(), f.last.String()}, "\t"))
	}
	slices.Sort(lines)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return err
	}
	text := "section\tname\tfirst\tlast\n" + strings.Join(lines, "\n") + "\n"
	return os.WriteFile(out, []byte(text), 0o644)
}
