package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing/fstest"

	"agentlint/internal/engine"
	"agentlint/internal/knowledge"
)

//go:embed arguments.py
var argumentsScript []byte

// commandLines is how many command lines are made up for each release.
const commandLines = 300

type argument struct {
	Options []string `json:"options"`
	Type    string   `json:"type"`
}

// argumentsOf returns the arguments that the knowledge base holds for a release.
func argumentsOf(r knowledge.Release) []argument {
	var out []argument
	aliases := map[string][]string{}
	for e := range r.Present(knowledge.KindFlag, "") {
		if to := e.Attr("alias_of"); to != "" {
			aliases[to] = append(aliases[to], e.Name)
		}
	}
	for e := range r.Present(knowledge.KindFlag, "") {
		if e.Attr("alias_of") != "" || !strings.HasPrefix(e.Name, "--") {
			continue
		}
		if e.Name == "--model" || e.Name == "--config" {
			continue // the lines name their model, and have no file
		}
		options := append([]string{e.Name}, aliases[e.Name]...)
		if short := e.Attr("short"); short != "" {
			options = append(options, strings.Fields(strings.ReplaceAll(short, ",", " "))...)
		}
		out = append(out, argument{options, e.Type})
	}
	return out
}

// parserFile is where vLLM's parser stands in the source archive.
const parserFile = "vllm/utils/argparse_utils.py"

// fetchParser fetches the parser with the extractor of the knowledge base and prints the folder that it is in.
const fetchParser = `
import sys
sys.path.insert(0, "knowledge")
import artefacts
print(artefacts.sources(artefacts.Index("vllm"), sys.argv[1], [sys.argv[2]]))
`

// parserSource returns the path of vLLM's parser at a release, out of the source archive of the package index.
func (o *oracle) parserSource(release string) (string, error) {
	cmd := exec.Command("python3", "-c", fetchParser, release, parserFile)
	cmd.Env = append(os.Environ(), "AGENTLINT_KNOWLEDGE_CACHE="+o.home)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("vllm %s: the source archive cannot be had: %w: %s", release, err, errs.Bytes()[max(0, errs.Len()-300):])
	}
	lines := strings.Fields(string(b))
	if len(lines) == 0 {
		return "", fmt.Errorf("vllm %s: the index serves no source archive", release)
	}
	file := filepath.Join(lines[len(lines)-1], parserFile)
	_, err = os.Stat(file)
	return file, err
}

// randomLine makes a command line as people write them, in all the spellings that the parser takes.
func randomLine(r *rand.Rand, rel knowledge.Release, list []argument) []string {
	words := []string{"serve", "org/model"}
	for range 1 + r.IntN(6) {
		a := list[r.IntN(len(list))]
		option := a.Options[r.IntN(len(a.Options))]
		if strings.HasPrefix(option, "--") {
			switch r.IntN(6) {
			case 0:
				option = "--" + strings.ReplaceAll(option[2:], "-", "_")
			case 1:
				if cut := option[:2+r.IntN(len(option)-2)]; len(rel.FlagsWithPrefix(cut)) == 1 && a.Type != "json" {
					option = cut
				}
			}
		}
		value := []string{"x", "1", "0.5", "32K", "auto", "-1", "a=b", "http://h:1/p?q=1", "{}"}[r.IntN(9)]
		switch {
		case a.Type == "store_true":
			words = append(words, option)
		case a.Type == "bool":
			if strings.HasPrefix(option, "--") && r.IntN(3) == 0 {
				option = "--no-" + a.Options[0][2:]
			}
			words = append(words, option)
			if r.IntN(25) == 0 {
				words = append(words, "true")
			}
		case strings.HasPrefix(a.Type, "list"):
			words = append(words, option)
			for range 1 + r.IntN(3) {
				words = append(words, []string{"x", "y/z", "1"}[r.IntN(3)])
			}
		case a.Type == "json":
			switch r.IntN(3) {
			case 0:
				words = append(words, option+".method", "ngram")
			case 1:
				words = append(words, option+".nested.some_key=3")
			default:
				words = append(words, option, `{"a": 1, "b": {"c": true}}`)
			}
		case r.IntN(2) == 0 && strings.HasPrefix(option, "--"):
			words = append(words, option+"="+value)
		default:
			words = append(words, option, value)
		}
	}
	switch r.IntN(30) {
	case 0:
		words = append(words, "--no-such-flag", "1")
	case 1:
		words = append(words, "-tp", "2", "-O3")
	case 2:
		words = append(words, "-O", "2", "-dp=4")
	case 3:
		words = append(words, "-tp4")
	}
	return words
}

// understood returns what the model holds of a command line: "refused" when a rule says that the engine does not take it,
// else its flags and values.
func understood(release string, words []string) (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "services:\n  vllm:\n    image: vllm/vllm-openai:v%s\n    entrypoint:\n      - vllm\n", release)
	for _, w := range words {
		q, err := json.Marshal(w)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "      - %s\n", q)
	}
	r, err := engine.Run(context.Background(), engine.Options{Root: ".", Today: "2026-11-29", FS: fstest.MapFS{"docker-compose.yml": {Data: []byte(b.String())}}})
	if err != nil {
		return "", err
	}
	for _, f := range r.Findings {
		switch f.Rule {
		case "vllm-flag-unknown", "vllm-boolean-flag-with-value", "vllm-flag-removed", "vllm-flag-not-yet-available":
			return "refused", nil
		}
	}
	if len(r.Stacks) != 1 {
		return "", fmt.Errorf("%q is read as %d stacks", words, len(r.Stacks))
	}
	engines := r.Stacks[0].Stack.Root.Get("engines")
	if engines.Len() != 1 {
		return "", fmt.Errorf("%q is read as %d engines", words, engines.Len())
	}
	args := engines.At(0, "args")
	held := map[string]any{}
	rel := knowledge.VLLM.At(knowledge.MustVersion(release))
	for i, name := range args.Keys() {
		values := args.Items()[i]
		base, path, dotted := strings.Cut(name, ".")
		f, _ := rel.Flag("--" + base)
		key := strings.TrimPrefix(f.Name, "--")
		if key == "" {
			key = base
		}
		var texts []string
		for _, v := range values.Items() {
			t, _ := v.AsText()
			texts = append(texts, t)
		}
		switch {
		case dotted:
			held[key+"."+path] = texts
		case f.Negative:
			held[key] = []string{"false"}
		case f.Type == "bool" || f.Type == "store_true":
			held[key] = []string{"true"}
		case f.Type == "json" && len(texts) > 0:
			var doc any
			if json.Unmarshal([]byte(texts[len(texts)-1]), &doc) != nil {
				held[key] = texts
				break
			}
			flatten(key, doc, held)
		default:
			held[key] = texts
		}
	}
	return spelled(held), nil
}

// flatten writes the fields of a JSON value under dotted names, as arguments.py does.
func flatten(name string, v any, into map[string]any) {
	if m, ok := v.(map[string]any); ok {
		for k, w := range m {
			flatten(name+"."+k, w, into)
		}
		return
	}
	if t, ok := v.(string); ok {
		into[name] = []string{t}
		return
	}
	b, _ := json.Marshal(v)
	into[name] = []string{string(b)}
}

func spelled(held map[string]any) string {
	b, _ := json.Marshal(held) // names are sorted
	return string(b)
}

func askArguments(o *oracle, release string) ([]answer, error) {
	rel := knowledge.VLLM.At(knowledge.MustVersion(release))
	list := argumentsOf(rel)
	file, err := o.parserSource(release)
	if err != nil {
		return nil, err
	}
	// The parser needs the packages regex and yaml, which the proxy's environment has.
	bin, err := o.environment(releases[0])
	if err != nil {
		return nil, err
	}
	var lines [][]string
	var out []answer
	for n := range commandLines {
		words := randomLine(rand.New(rand.NewPCG(2, uint64(n))), rel, list)
		a := answer{name: fmt.Sprintf("arguments-%d", n), question: strings.Join(words, " ")}
		if !o.asks(a.name) {
			continue
		}
		if a.predicted, err = understood(release, words); err != nil {
			return nil, err
		}
		lines, out = append(lines, words), append(out, a)
	}
	l, err := newLab(bin)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	flags, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	script, table := filepath.Join(l.dir, "arguments.py"), filepath.Join(l.dir, "flags.json")
	if err := os.WriteFile(script, argumentsScript, 0o644); err != nil {
		return nil, err
	}
	if err := os.WriteFile(table, flags, 0o644); err != nil {
		return nil, err
	}
	in, err := json.Marshal(lines)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(filepath.Join(bin, "python"), script, file, table)
	cmd.Stdin = bytes.NewReader(in)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	b, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("arguments.py: %w: %s", err, errs.Bytes()[max(0, errs.Len()-600):])
	}
	var answers []any
	if err := json.Unmarshal(b, &answers); err != nil {
		return nil, fmt.Errorf("arguments.py: %w", err)
	}
	for i, x := range answers {
		if held, ok := x.(map[string]any); ok {
			delete(held, "model_tag")
			out[i].observed = spelled(held)
			continue
		}
		out[i].observed = "refused"
		out[i].question += fmt.Sprintf(" (%v)", x)
	}
	return out, nil
}
