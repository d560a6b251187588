package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/knowledge"
	"agentlint/internal/model"
	"agentlint/internal/policy"
	"agentlint/policies"
)

//go:embed bundle.rego
var entryPoint string

// EntryPoint is the rule of a bundle that holds all findings.
const EntryPoint = "data.agentlint.bundle.findings"

// policyJSON is what the entry point of a bundle knows of a policy.
type policyJSON struct {
	Category   string             `json:"category"`
	Title      string             `json:"title"`
	Severity   model.Severity     `json:"severity"`
	Confidence string             `json:"confidence"`
	Messages   map[string]string  `json:"messages"`
	Parameters map[string]float64 `json:"parameters"`
	Ranges     []rangeJSON        `json:"ranges"`
}

type rangeJSON struct {
	Product string      `json:"product"`
	Bounds  []boundJSON `json:"bounds"`
}

type boundJSON struct {
	Op      string `json:"op"`
	Version string `json:"version"`
}

// member is one policy of a bundle.
type member struct {
	meta *model.Meta
	pkg  string // as a reference: agentlint.custom.images.allowed
	file string
	text string
}

// Write returns an OPA bundle of the built-in policies and users' ones, with the library that they use and an entry point
// that gives the findings of `agentlint check` for the output of `agentlint model`. The same policies give the same bytes.
func Write(own *policy.Custom, revision string) ([]byte, error) {
	files := map[string]string{}
	for _, name := range policies.LibraryFiles(policies.Files()) {
		text, err := policies.Read(name)
		if err != nil {
			return nil, err
		}
		files["agentlint/"+name] = text
	}
	members, err := builtin()
	if err != nil {
		return nil, err
	}
	mine, rest := own.Bundle()
	for _, x := range mine {
		members = append(members, member{meta: x.Meta, pkg: x.Package, file: unique(files, ownPath(x.Path)), text: x.Text})
		files[members[len(members)-1].file] = x.Text
	}
	for _, f := range rest {
		files[unique(files, ownPath(f.Path))] = f.Text
	}
	for _, m := range members {
		files[m.file] = m.text
	}
	known := map[string]any{}
	for _, m := range members {
		j, err := describe(m.meta)
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", m.meta.ID, err)
		}
		known[m.meta.ID] = j
	}
	newest := map[string]string{}
	for _, p := range []*knowledge.Product{knowledge.LiteLLM, knowledge.VLLM} {
		newest[p.Name()] = p.Newest().String()
	}
	data := map[string]any{"agentlint": map[string]any{"custom": own.Data()}}
	for name, v := range map[string]any{"agentlint/bundle/policies/data.json": known, "agentlint/bundle/newest/data.json": newest, "data.json": data} {
		b, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return nil, err
		}
		files[name] = string(b) + "\n"
	}
	files["agentlint/bundle/bundle.rego"] = withData(entryPoint)
	files["agentlint/bundle/answers.rego"] = answers(members)
	manifest, err := json.Marshal(map[string]any{"revision": revision, "roots": []string{"agentlint"}, "rego_version": 1})
	if err != nil {
		return nil, err
	}
	files[".manifest"] = string(manifest) + "\n"
	return pack(files)
}

// withData names the documents that the entry point reads.
func withData(src string) string {
	return strings.Replace(src, "import data.agentlint.lib\n", "import data.agentlint.bundle.newest\nimport data.agentlint.bundle.policies\nimport data.agentlint.lib\n", 1)
}

func builtin() ([]member, error) {
	var out []member
	for _, p := range policy.Builtin() {
		m, err := p.Meta()
		if err != nil {
			return nil, err
		}
		text, err := policies.Read(p.File)
		if err != nil {
			return nil, err
		}
		out = append(out, member{meta: m, pkg: "agentlint.rules[" + strconv.Quote(p.ID) + "]", file: "agentlint/rules/" + p.File, text: text})
	}
	return out, nil
}

// ownPath is the place of a user's file in a bundle.
func ownPath(name string) string {
	return path.Join("agentlint/custom", strings.TrimPrefix(path.Clean("/"+name), "/agentlint/custom/"))
}

// unique returns a name that no file has yet, with the same base.
func unique(files map[string]string, name string) string {
	for i, free := 1, name; ; i++ {
		if _, taken := files[free]; !taken {
			return free
		}
		free = path.Join(path.Dir(name), strconv.Itoa(i), path.Base(name))
	}
}

func describe(m *model.Meta) (*policyJSON, error) {
	j := &policyJSON{Category: m.Category, Title: m.Title, Severity: m.Severity, Confidence: m.Confidence.String(), Messages: m.Messages, Parameters: map[string]float64{}, Ranges: []rangeJSON{}}
	if j.Messages == nil {
		j.Messages = map[string]string{}
	}
	for _, p := range m.Parameters {
		j.Parameters[p.Name] = p.Default
	}
	for _, text := range m.Applies {
		r, err := knowledge.ParseRange(text)
		if err != nil {
			return nil, err
		}
		if r.Product == "" {
			continue
		}
		x := rangeJSON{Product: r.Product, Bounds: []boundJSON{}}
		for _, b := range r.Bounds() {
			x.Bounds = append(x.Bounds, boundJSON{b.Op, b.Version.String()})
		}
		j.Ranges = append(j.Ranges, x)
	}
	return j, nil
}

// answers prints the rules that ask each policy when it has something to do.
func answers(members []member) string {
	var b strings.Builder
	b.WriteString("# The policies of this bundle, and what a stack must have for each to be asked.\npackage agentlint.bundle\n\nimport data.agentlint.bundle.policies\n")
	for _, m := range members {
		id := strconv.Quote(m.meta.ID)
		fmt.Fprintf(&b, "\nanswers[%s] := data.%s.findings if asks(%s)\n\nmissing[%s] := data.%s.unchecked if asks(%s)\n\nasks(%s) if {\n\treads[%s]\n\twhen[%s]\n\tin_range(policies[%s])\n}\n",
			id, m.pkg, id, id, m.pkg, id, id, id, id, id)
		condition(&b, "reads", id, m.meta.Inputs[:min(1, len(m.meta.Inputs))], true)
		condition(&b, "when", id, m.meta.When, false)
	}
	return b.String()
}

// condition prints the rules of one of which the path must exist, or may. Filled says that an empty list does not count.
func condition(b *strings.Builder, rule, id string, names []string, filled bool) {
	if len(names) == 0 {
		fmt.Fprintf(b, "\n%s[%s] := true\n", rule, id)
		return
	}
	for _, name := range names {
		if rest, ok := strings.CutPrefix(name, "engine."); ok {
			name = "engines.*." + rest
		}
		ref, list := "input", []string{}
		for element := range strings.SplitSeq(name, ".") {
			if element == "*" {
				ref += "[_]"
			} else {
				ref += "[" + strconv.Quote(element) + "]"
			}
			list = append(list, strconv.Quote(element))
		}
		fmt.Fprintf(b, "\n%s[%s] := true if {\n\tvalue := %s\n", rule, id, ref)
		if filled {
			b.WriteString("\tvalue != []\n")
		} else {
			b.WriteString("\tis_any(value)\n")
		}
		fmt.Fprintf(b, "}\n\n%s[%s] := true if unseen([%s])\n", rule, id, strings.Join(list, ", "))
	}
}

// pack writes a bundle in the order of names, without times.
func pack(files map[string]string) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(files[name])), Typeflag: tar.TypeReg}); err != nil {
			return nil, err
		}
		if _, err := w.Write([]byte(files[name])); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
