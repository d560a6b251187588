// Command release writes a release into action.yml: its version, and the checksums of its archives, so that the action
// runs exactly what was built. It is the second commit of a release (docs/releasing.md).
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	root := flag.String("root", "../..", "the module's directory")
	flag.Parse()
	if flag.NArg() != 2 {
		log.Fatal("usage: release vX.Y.Z checksums.txt")
	}
	checksums, err := os.ReadFile(flag.Arg(1))
	if err != nil {
		log.Fatal(err)
	}
	version, err := write(filepath.Join(*root, "action.yml"), flag.Arg(0), checksums)
	if err != nil {
		log.Fatal(err)
	}
	minor := version[:strings.LastIndexByte(version, '.')]
	fmt.Printf("action.yml names %[1]s. Now:\n\n  git commit -am \"action: release %[1]s\"\n  git tag -f v%[2]s && git tag -f v%[3]s\n  git push origin HEAD && git push -f origin v%[2]s v%[3]s\n",
		version, minor[:strings.IndexByte(minor, '.')], minor)
}

// archives are the systems and architectures that the action installs on.
var archives = []string{"darwin_amd64.tar.gz", "darwin_arm64.tar.gz", "linux_amd64.tar.gz", "linux_arm64.tar.gz", "windows_amd64.zip", "windows_arm64.zip"}

// write puts the version of a tag and the checksums of its archives into an action.
func write(file, tag string, checksums []byte) (version string, err error) {
	if !regexp.MustCompile(`^v(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$`).MatchString(tag) {
		return "", fmt.Errorf("tag %q: want vX.Y.Z", tag)
	}
	version = tag[1:]
	sums := map[string]string{}
	line := regexp.MustCompile(`^([0-9a-f]{64}) [ *](\S+)$`)
	for text := range strings.Lines(string(checksums)) {
		text = strings.TrimRight(text, "\r\n")
		m := line.FindStringSubmatch(text)
		if m == nil {
			return "", fmt.Errorf("checksums: %q is no line of sha256sum", text)
		}
		sums[m[2]] = m[1]
	}
	var block strings.Builder
	block.WriteString("        RELEASE_CHECKSUMS: |\n")
	for _, a := range archives {
		name := "agentlint_" + version + "_" + a
		if sums[name] == "" {
			return "", fmt.Errorf("checksums: there is none of %s", name)
		}
		fmt.Fprintf(&block, "          %s  %s\n", sums[name], name)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "        RELEASE_VERSION: ") })
	if at < 0 || at+1 >= len(lines) || !strings.HasPrefix(lines[at+1], "        RELEASE_CHECKSUMS: ") {
		return "", errors.New("action.yml: RELEASE_VERSION and RELEASE_CHECKSUMS are not where they should be")
	}
	end := at + 2
	for end < len(lines) && strings.HasPrefix(lines[end], "          ") {
		end++
	}
	var out bytes.Buffer
	out.WriteString(strings.Join(lines[:at], ""))
	fmt.Fprintf(&out, "        RELEASE_VERSION: %q\n%s", version, block.String())
	out.WriteString(strings.Join(lines[end:], ""))
	return version, os.WriteFile(file, out.Bytes(), 0o644)
}
