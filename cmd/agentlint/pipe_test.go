//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestClosedPipe runs the program with a reader that goes away: the exit code stays that of the findings, nothing is
// said, and files that were asked for are whole.
func TestClosedPipe(t *testing.T) {
	dir := t.TempDir()
	bin := binary(t)
	var models strings.Builder
	models.WriteString("model_list:\n")
	for i := range 200 {
		fmt.Fprintf(&models, "- model_name: m%d\n  litellm_params:\n    model: openai/x\n    timeout: 99999\n", i)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(models.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"pretty", "json"} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(bin, "check", "--only=request-timeout-very-long", "--format="+format, "--output=json=out.json")
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, w, &stderr
		err = cmd.Run()
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 {
			t.Errorf("%s: %v, want exit code 1", format, err)
		}
		if stderr.Len() > 0 {
			t.Errorf("%s: stderr says %s", format, &stderr)
		}
		b, err := os.ReadFile(filepath.Join(dir, "out.json"))
		if err != nil || !bytes.HasSuffix(b, []byte("}\n")) {
			t.Errorf("%s: the file is not whole: %v", format, err)
		}
	}
}
