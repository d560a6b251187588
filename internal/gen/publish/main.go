// Command publish gives the module its public home: it rewrites the module path in go.mod files, imports and linker
// flags, and the owner in the documentation, the hooks and the action.
//
//	go run -C internal/gen ./publish github.com/OWNER/agentlint
//
// Run once, on a clean working copy. What it does not know it leaves alone, and it says how many places it changed.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../..", "the module's directory")
	flag.Parse()
	if flag.NArg() != 1 {
		log.Fatal("usage: publish github.com/OWNER/agentlint")
	}
	changed, err := publish(*root, flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d files changed; run go build ./... and go -C internal/gen build ./..., then commit\n", changed)
}

// placeholder is the owner's name in documentation, hooks and action until there is one.
const placeholder = "OWNER"

// publish rewrites all tracked files below root and returns how many changed.
func publish(root, path string) (changed int, err error) {
	host, owner, ok := split(path)
	if !ok {
		return 0, fmt.Errorf("module path %q: want HOST/OWNER/NAME", path)
	}
	old, err := modulePath(filepath.Join(root, "go.mod"))
	if err != nil {
		return 0, err
	}
	if old == path {
		return 0, fmt.Errorf("the module path is %s already", path)
	}
	files, err := tracked(root)
	if err != nil {
		return 0, err
	}
	for _, name := range files {
		full := filepath.Join(root, name)
		st, err := os.Lstat(full)
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(full)
		if err != nil {
			return changed, err
		}
		out, err := rewrite(name, text, old, path, host, owner)
		if err != nil {
			return changed, err
		}
		if !bytes.Equal(out, text) {
			changed++
			if err := os.WriteFile(full, out, st.Mode().Perm()); err != nil {
				return changed, err
			}
		}
	}
	return changed, nil
}

func split(path string) (host, owner string, ok bool) {
	parts := strings.Split(path, "/")
	if len(parts) != 3 || !strings.Contains(parts[0], ".") || parts[1] == "" || parts[1] == placeholder || parts[2] == "" {
		return "", "", false
	}
	return parts[0], parts[1], true
}

func modulePath(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("%s: no module line", file)
}

func tracked(root string) ([]string, error) {
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), nil
}

// rewrite returns a file with the module's new path and owner.
func rewrite(name string, text []byte, old, path, host, owner string) ([]byte, error) {
	switch {
	case strings.HasPrefix(filepath.ToSlash(name), "internal/gen/publish/"):
		// This program and its test speak of the placeholder.
		return rewriteImports(name, text, old, path)
	case filepath.Ext(name) == ".go":
		text = bytes.ReplaceAll(text, []byte(placeholder+"/agentlint"), []byte(owner+"/agentlint"))
		return rewriteImports(name, text, old, path)
	case filepath.Base(name) == "go.mod":
		return rewriteModule(text, old, path), nil
	case inDocumentation(name):
		flags := regexp.MustCompile(`-X ` + regexp.QuoteMeta(old) + `/`)
		text = flags.ReplaceAll(text, []byte("-X "+path+"/"))
		text = bytes.ReplaceAll(text, []byte("github.com/"+placeholder+"/"), []byte(host+"/"+owner+"/"))
		text = bytes.ReplaceAll(text, []byte(placeholder+"/agentlint"), []byte(owner+"/agentlint"))
		for _, key := range []string{"author: ", "owner: "} {
			text = bytes.ReplaceAll(text, []byte(key+placeholder), []byte(key+owner))
		}
	}
	return text, nil
}

func inDocumentation(name string) bool {
	name = filepath.ToSlash(name)
	switch {
	case strings.HasPrefix(name, "testdata/"):
		return false
	case strings.HasPrefix(name, ".ci/"):
		return true
	}
	switch filepath.Ext(name) {
	case ".md", ".yml", ".yaml":
		return true
	}
	return false
}

// rewriteImports changes import paths, and nothing else of a Go file but linker flags in its texts.
func rewriteImports(name string, text []byte, old, path string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	at := 0
	for _, spec := range f.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		if p != old && !strings.HasPrefix(p, old+"/") {
			continue
		}
		start := fset.Position(spec.Path.Pos()).Offset
		out.Write(text[at:start])
		out.WriteString(strconv.Quote(path + strings.TrimPrefix(p, old)))
		at = start + len(spec.Path.Value)
	}
	out.Write(text[at:])
	return out.Bytes(), nil
}

// rewriteModule changes the module line and the lines that require and replace the module.
func rewriteModule(text []byte, old, path string) []byte {
	word := regexp.MustCompile(`(?m)(^|[ \t])` + regexp.QuoteMeta(old) + `(/[^ \t\n]*)?([ \t\n]|$)`)
	return word.ReplaceAll(text, []byte("${1}"+path+"${2}${3}"))
}
