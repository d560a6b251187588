package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentlint/internal/policy"
)

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func names(files []policy.File) string {
	var out []string
	for _, f := range files {
		out = append(out, f.Name)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func TestReadFolder(t *testing.T) {
	dir := t.TempDir()
	outside := t.TempDir()
	write(t, outside, map[string]string{"secret.rego": "package x"})
	write(t, dir, map[string]string{
		"repo/.git/HEAD": "", "repo/.gitignore": "*.cache.rego\n", "repo/p/a.rego": "package a", "repo/p/sub/b_test.rego": "package b", "repo/p/x.cache.rego": "package x",
		"repo/p/.hidden/c.rego": "package c", "repo/p/README.md": "", "repo/p/sub/.gitignore": "d.rego\n", "repo/p/sub/d.rego": "package d",
		"repo/p/data.json": `{"agentlint": {"custom": {"a": 1}}}`, "repo/p/agentlint/custom/teams/data.yaml": "limit: 3\n", "repo/p/other.json": "{",
		"repo/file.rego": "package f", "repo/text.txt": "",
	})
	p := filepath.Join(dir, "repo", "p")
	link := func(to, from string) {
		if err := os.Symlink(to, from); err != nil {
			t.Skip("links cannot be made here")
		}
	}
	link("a.rego", filepath.Join(p, "inside.rego"))
	link("..", filepath.Join(p, "loop"))
	files, err := Read(p, "policies")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(files), "policies/a.rego policies/agentlint/custom/teams/data.yaml policies/data.json policies/inside.rego policies/sub/b_test.rego"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	i := slices.IndexFunc(files, func(f policy.File) bool { return strings.HasSuffix(f.Name, "data.yaml") })
	if files[i].Path != "agentlint/custom/teams/data.yaml" || len(files[i].Data) != 1 {
		t.Errorf("document %+v", files[i])
	}
	if files, err := ReadBelow(filepath.Join(dir, "repo"), "file.rego", "file.rego"); err != nil || names(files) != "file.rego" {
		t.Errorf("%v %v", files, err)
	}
	link(p, filepath.Join(dir, "named"))
	if files, err := Read(filepath.Join(dir, "named"), "named"); err != nil || len(files) != 5 {
		t.Errorf("a link that a person names: %v %v", files, err)
	}
	link(outside, filepath.Join(dir, "repo", "away"))
	link(filepath.Join(outside, "secret.rego"), filepath.Join(p, "out.rego"))
	for _, c := range []struct {
		name, want string
		below      bool
	}{
		{"p", "p/out.rego: a link that leads out of the folder", false},
		{"p", "p/out.rego: a link that leads out", true},
		{"away", "escapes", true},
		{"../outside", "escapes", true},
		{"p/x.cache.rego", "git leaves it out", true},
		{"text.txt", "want a folder", false},
		{"gone", "no such file", false},
		{"p/.hidden/gone", "no such file", true},
	} {
		var err error
		if c.below {
			_, err = ReadBelow(filepath.Join(dir, "repo"), c.name, c.name)
		} else {
			_, err = Read(filepath.Join(dir, "repo", c.name), c.name)
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestReadBounds(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"large/a.rego": strings.Repeat("#", maxFile+1), "list/a.rego": "package a", "list/data.json": "[1]", "bad/a.rego": "", "bad/data.yaml": "a: [", "odd/a.rego": "", "odd/data.yaml": "a: .nan"})
	write(t, dir, map[string]string{"deep/" + strings.Repeat("d/", maxDepth+2) + "a.rego": "package a"})
	for name, want := range map[string]string{"large": "larger than 1 MiB", "list": "want an object", "bad": "data.yaml: yaml", "odd": "JSON cannot", "deep": "nested deeper"} {
		if _, err := Read(filepath.Join(dir, name), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// archive returns a bundle of files; a name that ends with "@" is a link to its text.
func archive(t testing.TB, files [][2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: f[0], Mode: 0o644, Size: int64(len(f[1]))}
		if name, ok := strings.CutSuffix(f[0], "@"); ok {
			h = &tar.Header{Name: name, Typeflag: tar.TypeSymlink, Linkname: f[1]}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeSymlink {
			if _, err := w.Write([]byte(f[1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestReadBundle(t *testing.T) {
	dir := t.TempDir()
	good := archive(t, [][2]string{
		{".manifest", "{}"}, {"/agentlint/custom/a/x.rego", "package agentlint.custom.a.x"}, {"lib/main.rego", "package agentlint.main"},
		{"agentlint/custom/data.json", `{"b": 1}`}, {"policy.wasm", "\x00asm"}, {"link.rego@", "/etc/passwd"},
	})
	write(t, dir, map[string]string{
		"good.tar.gz": string(good), "text.tar.gz": "not gzip", "cut.tar.gz": string(good[:len(good)/2]), "up.tar.gz": string(archive(t, [][2]string{{"a/../../x.rego", "package x"}})),
		"bomb.tar.gz": string(archive(t, [][2]string{{"a.rego", strings.Repeat("# \n", maxFile)}})),
		"many.tar.gz": string(archive(t, slices.Repeat([][2]string{{"a.rego", "package a"}}, maxRead+2))),
	})
	files, err := Read(filepath.Join(dir, "good.tar.gz"), "good.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := names(files), "good.tar.gz/agentlint/custom/a/x.rego good.tar.gz/agentlint/custom/data.json good.tar.gz/lib/main.rego"; got != want || !files[0].Bundled {
		t.Errorf("got %s", got)
	}
	for name, want := range map[string]string{"text": "not a bundle", "cut": "not a bundle", "up": "leaves the bundle", "bomb": "larger than 1 MiB", "many": "there are more than"} {
		if _, err := Read(filepath.Join(dir, name+".tar.gz"), name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

func FuzzBundle(f *testing.F) {
	f.Add(archive(f, [][2]string{{"a.rego", "package a"}, {"data.json", "{}"}}))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		name := filepath.Join(dir, "x.tar.gz")
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
		_, _ = Read(name, "x.tar.gz")
	})
}
