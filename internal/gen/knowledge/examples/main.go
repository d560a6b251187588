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

// excused are keys of examples that are faults of the example, with the reason. They are left out before the example is checked.
var excused = []struct{ file, section, key, reason string }{
	{"_new_secret_config.yaml", "general_settings", "check_managed_files_batch_cost", "no code of 1.73.6 reads it"},
	{"_new_secret_config.yaml", "general_settings", "custom_auth_settings", "read by the enterprise package from 1.71.1, the example came with 1.71.0"},
	{"_new_secret_config.yaml", "litellm_settings", "alerting", "belongs under general_settings"},
	{"_new_secret_config.yaml", "litellm_settings", "disable_no_log_param", "the variable is global_disable_no_log_param"},
	{"_new_secret_config.yaml", "litellm_settings", "model_group_alias", "belongs under router_settings"},
	{"_new_secret_config.yaml", "litellm_settings", "stream", "a field of requests"},
	{"load_balancer.yaml", "model_list", "rpm", "belongs under litellm_params"},
	{"load_balancer.yaml", "model_list", "tpm", "belongs under litellm_params"},
	{"proxy_config.yaml", "general_settings", "block_robots", "came with 1.67.5, read by a package of its own from 1.69"},
	{"proxy_config.yaml", "general_settings", "store_prompts_in_cold_storage", "no code of 1.75 reads it, cold_storage_custom_logger switches it on"},
	{"proxy_config.yaml", "litellm_settings", "verbose", "the variable is set_verbose"},
}

// unstartable are examples that LiteLLM itself refuses, with the reason.
var unstartable = map[string]string{
	"langfuse_config.yaml": "its entry of model_list has no litellm_params, so the start ends with a KeyError",
}

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
			report := func(what string) { differences[what] = append(differences[what], v.String()) }
			var config map[string]any
			if err := yaml.NewDecoder(bytes.NewReader(data)).Decode(&config); err != nil {
				report(name + ": " + err.Error())
				return nil
			}
			if !isConfig(config) {
				return nil
			}
			files++
			forgive(name, config)
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
			if err := schema.Validate(plain(config)); err != nil && unstartable[name] == "" {
				report(name + ": " + reason(err))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("%d example configurations of %d releases, %d keys\n", files, len(versions), len(keys))
	for _, e := range excused {
		fmt.Printf("left out: %s %s.%s: %s\n", e.file, e.section, e.key, e.reason)
	}
	for file, reason := range unstartable {
		fmt.Printf("not checked against the schema: %s: %s\n", file, reason)
	}
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

// forgive takes the excused keys out of an example.
func forgive(file string, config map[string]any) {
	for _, e := range excused {
		if e.file != file {
			continue
		}
		switch section := config[e.section].(type) {
		case map[string]any:
			delete(section, e.key)
		case []any:
			for _, item := range section {
				if m, ok := item.(map[string]any); ok {
					delete(m, e.key)
				}
			}
		}
	}
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
