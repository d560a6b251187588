package loaders

import (
	"io/fs"
	"slices"
	"testing"
	"testing/fstest"
)

func TestReadBehindLinks(t *testing.T) {
	fsys := fstest.MapFS{
		"real/config.yaml":         {Data: []byte("a: 1\n")},
		"real/compose.yaml":        {Data: []byte("services: {}\n")},
		"docs/values.yaml":         {Data: []byte("b: 1\n")},
		"config.yaml":              {Data: []byte("real/config.yaml"), Mode: fs.ModeSymlink | 0o777},
		"again.yaml":               {Data: []byte("./config.yaml"), Mode: fs.ModeSymlink | 0o777},
		"folder":                   {Data: []byte("real"), Mode: fs.ModeSymlink | 0o777},
		"site/up.yaml":             {Data: []byte("../folder/config.yaml"), Mode: fs.ModeSymlink | 0o777},
		"site/values.yaml":         {Data: []byte("../docs/values.yaml"), Mode: fs.ModeSymlink | 0o777},
		"site/docker-compose.yaml": {Data: []byte("../real/compose.yaml"), Mode: fs.ModeSymlink | 0o777},
		"real/docker-compose.yaml": {Data: []byte("compose.yaml"), Mode: fs.ModeSymlink | 0o777},
		"out.yaml":                 {Data: []byte("../../etc/passwd"), Mode: fs.ModeSymlink | 0o777},
	}
	want := map[string]string{
		"config.yaml": "real/config.yaml", "again.yaml": "real/config.yaml", "folder/config.yaml": "real/config.yaml", "site/up.yaml": "real/config.yaml",
		"real/config.yaml": "real/config.yaml", "site/values.yaml": "docs/values.yaml",
		// Compose looks for its neighbours beside the link.
		"site/docker-compose.yaml": "site/docker-compose.yaml", "real/docker-compose.yaml": "real/compose.yaml",
	}
	for _, walked := range []bool{false, true} {
		w := NewWorkspace(fsys, nil)
		if walked {
			names, err := w.walk(nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range []string{"real/config.yaml", "docs/values.yaml", "site/docker-compose.yaml"} {
				if !slices.Contains(names, n) {
					t.Errorf("the walk lists %q, without %s", names, n)
				}
			}
			if slices.Contains(names, "config.yaml") {
				t.Errorf("the walk lists a link: %q", names)
			}
		}
		for name, path := range want {
			f, err := w.Read(name)
			if err != nil || f.Path != path {
				t.Errorf("%s, walked %v: %v, %v", name, walked, f, err)
				continue
			}
			if again, _ := w.Read(path); again != f {
				t.Errorf("%s and %s are two files", name, path)
			}
		}
		for _, name := range []string{"out.yaml"} {
			if f, err := w.Read(name); err == nil {
				t.Errorf("%s is read as %s", name, f.Path)
			}
		}
	}
	// What stands in for a link in the overlay is a file of its own.
	w := NewWorkspace(fsys, map[string][]byte{"config.yaml": []byte("c: 1\n")})
	if f, err := w.Read("config.yaml"); err != nil || string(f.Bytes) != "c: 1\n" {
		t.Errorf("overlay: %v, %v", f, err)
	}
	// The overlay of the target is what the link shows.
	w = NewWorkspace(fsys, map[string][]byte{"real/config.yaml": []byte("c: 1\n")})
	if f, err := w.Read("config.yaml"); err != nil || string(f.Bytes) != "c: 1\n" {
		t.Errorf("overlay behind a link: %v, %v", f, err)
	}
}
