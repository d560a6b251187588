// Package policies holds the rules that are written in Rego, embedded as source: <part of the model>/<rule>.rego,
// and the library they share under lib.
package policies

import (
	"embed"
	"io/fs"
	"strings"

	"agentlint/internal/model"
)

//go:generate go run -C ../internal/gen ./policies

//go:embed */*.rego plans/*.plan
var files embed.FS

// Entry is what a run must know of a policy before it reads it. The index of all entries is generated from the
// METADATA of the policies.
type Entry struct {
	ID, File   string
	Category   string
	Severity   model.Severity
	Confidence model.Confidence
	Fix        model.Safety
	// Inputs, When, Applies and Parameters are those of [model.Meta].
	Inputs, When, Applies []string
	Parameters            []model.Parameter
	// Lib are the rules of the library that the policy needs, directly or not.
	Lib []string
}

// Index returns the entries of all policies in the order of ids. The slice must not be changed.
func Index() []Entry { return index[:] }

// LibraryRule is a rule of the library, and the other rules of it that it uses.
type LibraryRule struct {
	Name string
	Uses []string
}

// Library returns the rules of the library in the order of names. The slice must not be changed.
func Library() []LibraryRule { return library[:] }

// Main is the library's file that holds the entry point, data.agentlint.main.findings.
const Main = "lib/main.rego"

// Read returns the source of a policy or library file by the name in its entry.
func Read(name string) (string, error) {
	b, err := files.ReadFile(name)
	return string(b), err
}

// Plan returns the plan of a policy, by its id, or of the library, as "lib": what the policy's source becomes when it
// is compiled ahead of time.
func Plan(id string) (string, error) {
	b, err := files.ReadFile("plans/" + id + ".plan")
	return string(b), err
}

// LibraryFiles returns the files of the library that policies use, of the names of all files, in order.
func LibraryFiles(names []string) []string {
	var out []string
	for _, name := range names {
		if strings.HasPrefix(name, "lib/") && name != Main {
			out = append(out, name)
		}
	}
	return out
}

// Files returns the names of all embedded files, sorted.
func Files() []string {
	names, err := fs.Glob(files, "*/*.rego")
	if err != nil {
		panic(err) // the pattern is constant
	}
	return names
}
