package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"

	"gopkg.in/yaml.v3"

	"agentlint/internal/cases"
	"agentlint/internal/engine"
	"agentlint/internal/model"
)

//go:embed load.py
var loadScript []byte

// predictionsFile holds what agentlint predicts of the configurations in the cases of the rules: a line "release, case,
// file, starts or refuses, rules" each.
const predictionsFile = "oracle/starts.tsv"

// refusal matches the messages that say that the proxy does not start.
var refusal = regexp.MustCompile(`(gateway|proxy|LiteLLM) (does not|will not|cannot|refuses to) start|stops the start|so it does not start|LiteLLM refuses the config|stops the gateway at the start`)

// afterLoading are rules about what a gateway refuses when the configuration is loaded already; questions about the
// behaviour ask that.
var afterLoading = []string{"database-url-not-postgres", "master-key-missing", "master-key-weak"}

// configuration is a LiteLLM configuration in a case of a rule, as it stands or after the case's fixes.
type configuration struct {
	rule, name, file string
	files            map[string][]byte
}

func (c configuration) key() string { return c.name + ":" + c.file }

// configurations returns the files of all cases that the proxy could load by itself.
func configurations() ([]configuration, error) {
	metas, err := engine.Metas()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(metas, func(a, b *model.Meta) int { return strings.Compare(a.ID, b.ID) })
	var out []configuration
	seen := map[string]bool{}
	for _, m := range metas {
		list, err := cases.Load(root+"/testdata/rules", m.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			name := m.ID + "/" + strings.TrimSuffix(filepath.Base(c.Path), ".txtar")
			add := func(name, file string, files map[string][]byte) {
				if text := string(files[file]); isConfig(files[file]) && !seen[text] {
					seen[text] = true
					out = append(out, configuration{m.ID, name, file, files})
				}
			}
			for _, f := range c.Files() {
				add(name, f, c.Input)
			}
			for _, f := range slices.Sorted(maps.Keys(c.Fixed)) {
				after := maps.Clone(c.Input)
				maps.Copy(after, c.Fixed)
				add(name+" fixed", f, after)
			}
		}
	}
	return out, nil
}

// isConfig reports whether a file is a configuration of LiteLLM by itself.
func isConfig(b []byte) bool {
	var doc map[string]yaml.Node
	if bytes.Contains(b, []byte("{{")) || yaml.Unmarshal(b, &doc) != nil {
		return false
	}
	for _, other := range []string{"kind", "services", "image", "resources", "gateway"} {
		if _, ok := doc[other]; ok {
			return false
		}
	}
	for _, key := range []string{"model_list", "litellm_settings", "general_settings", "router_settings"} {
		if n, ok := doc[key]; ok && (n.Kind == yaml.MappingNode || n.Kind == yaml.SequenceNode) {
			return true
		}
	}
	return false
}

// predictStart returns what agentlint predicts of one configuration, started with the variables that the proxy is asked
// with and no others, and the rules that say so.
func predictStart(c configuration, release string) (string, []string, error) {
	files := fstest.MapFS{"compose.yaml": &fstest.MapFile{Data: composeFile(c, release)}}
	for name, b := range c.files {
		if name == c.file || strings.HasSuffix(name, ".py") || strings.HasSuffix(name, ".yaml") && isConfig(b) {
			files[name] = &fstest.MapFile{Data: b}
		}
	}
	r, err := engine.Run(context.Background(), engine.Options{Root: ".", FS: files, Today: "2026-11-29"})
	if err != nil {
		return "", nil, fmt.Errorf("%s: %w", c.key(), err)
	}
	var ids []string
	for _, f := range r.Findings {
		if slices.Contains(afterLoading, f.Rule) {
			continue
		}
		if f.Severity == model.Error && f.File != nil && f.File.Path == c.file && refusal.MatchString(f.Message) && !slices.Contains(ids, f.Rule) {
			ids = append(ids, f.Rule)
		}
	}
	slices.Sort(ids)
	if len(ids) > 0 {
		return "refuses", ids, nil
	}
	return "starts", nil, nil
}

// composeFile starts a configuration as the proxy that is asked is started.
func composeFile(c configuration, release string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "services:\n  litellm:\n    image: ghcr.io/berriai/litellm:v%s\n    command: [--config, %q]\n    volumes: [\"./:/app\"]\n    environment:\n", release, "/app/"+c.file)
	env := environment(c)
	for _, name := range slices.Sorted(maps.Keys(env)) {
		fmt.Fprintf(&b, "      %s: %q\n", name, strings.ReplaceAll(env[name], "$", "$$"))
	}
	return b.Bytes()
}

// environment returns the variables with which a configuration is loaded.
func environment(c configuration) map[string]string {
	env := maps.Clone(surroundings)
	for _, b := range c.files {
		for _, m := range reference.FindAllSubmatch(b, -1) {
			env[string(m[1])] = stand(string(m[1]))
		}
	}
	return env
}

func predictStarts() error {
	list, err := configurations()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, r := range releases {
		for _, c := range list {
			p, ids, err := predictStart(c, r)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, "%s\t%s\t%s\t%s\n", r, c.key(), p, strings.Join(ids, ","))
		}
	}
	return os.WriteFile(predictionsFile, b.Bytes(), 0o644)
}

// surroundings is what the deployments around the configurations have: a Redis, and the services of some callbacks.
var surroundings = map[string]string{"REDIS_HOST": "127.0.0.1", "REDIS_PORT": "6379", "REDIS_PASSWORD": "p", "QDRANT_API_BASE": "http://127.0.0.1:1", "QDRANT_URL": "http://127.0.0.1:1", "PRESIDIO_ANALYZER_API_BASE": "http://127.0.0.1:1", "PRESIDIO_ANONYMIZER_API_BASE": "http://127.0.0.1:1"}

// ownCallback is the module of callbacks that the documentation of LiteLLM shows.
const ownCallback = `from litellm.integrations.custom_logger import CustomLogger
proxy_handler_instance = CustomLogger()
`

// reference matches what stands for a variable of the environment.
var reference = regexp.MustCompile(`os\.environ/(\w+)`)

func askStarts(o *oracle, release string) ([]answer, error) {
	committed, err := os.ReadFile(predictionsFile)
	if err != nil {
		return nil, err
	}
	list, err := configurations()
	if err != nil {
		return nil, err
	}
	bin, err := o.environment(release)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(scratch)
	type load struct {
		Dir  string            `json:"dir"`
		File string            `json:"file"`
		Env  map[string]string `json:"env"`
	}
	var loads []load
	var out []answer
	for i, c := range list {
		if !o.asks(c.key()) {
			continue
		}
		p, ids, err := predictStart(c, release)
		if err != nil {
			return nil, err
		}
		line := fmt.Sprintf("%s\t%s\t%s\t%s\n", release, c.key(), p, strings.Join(ids, ","))
		if !bytes.Contains(committed, []byte(line)) {
			return nil, fmt.Errorf("%s: %s is not the prediction that was committed; run -predict and read what changed", predictionsFile, strings.TrimSpace(line))
		}
		dir := filepath.Join(scratch, fmt.Sprint(i))
		q := load{Dir: dir, File: filepath.Join(dir, c.file), Env: environment(c)}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "custom_callbacks.py"), []byte(ownCallback), 0o644); err != nil {
			return nil, err
		}
		for name, b := range c.files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				return nil, err
			}
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
				return nil, err
			}
		}
		loads = append(loads, q)
		out = append(out, answer{name: c.key(), rules: ids, question: "Does it load?", predicted: p})
	}
	texts, err := ask(filepath.Join(bin, "python"), loads)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		switch {
		case t == nil:
			out[i].unanswered = "the loader did not end"
		case *t == "":
			out[i].observed = "starts"
		default:
			out[i].observed = "refuses"
			out[i].question += " " + strings.ReplaceAll(*t, loads[i].Dir+"/", "")
		}
	}
	return out, nil
}

// stand is a value for a variable that a configuration refers to, of the kind that its name asks for.
func stand(name string) string {
	switch {
	case strings.Contains(name, "THRESHOLD"):
		return "0.72"
	case strings.Contains(name, "STRATEGY"):
		return "simple-shuffle"
	case strings.HasSuffix(name, "PORT"):
		return "6379"
	case strings.Contains(name, "REDIS") && strings.Contains(name, "URL"):
		return "redis://127.0.0.1:6379"
	case strings.Contains(name, "DATABASE"):
		return "postgresql://u:p@127.0.0.1:5432/d"
	case strings.Contains(name, "URL"), strings.Contains(name, "BASE"):
		return "http://127.0.0.1:1/v1"
	case strings.Contains(name, "HOST"):
		return "127.0.0.1"
	}
	return "sk-oracle"
}

// ask runs load.py over some configurations.
func ask(python string, loads any) ([]*string, error) {
	in, err := json.Marshal(loads)
	if err != nil {
		return nil, err
	}
	l, err := newLab("")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	cmd := exec.Command(python, "-c", string(loadScript))
	cmd.Dir, cmd.Env = l.dir, l.clean(nil)
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("load.py: %w: %s", err, errs.Bytes()[max(0, errs.Len()-600):])
	}
	var texts []*string
	if err := json.Unmarshal(b, &texts); err != nil {
		return nil, fmt.Errorf("load.py: %w", err)
	}
	return texts, nil
}
