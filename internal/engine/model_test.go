package engine

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"agentlint/internal/model"
)

var update = flag.Bool("update", false, "rewrite the want section of testdata/model")

// TestModel loads the files of each case and answers the questions of its want section: a line "== NAME" for each
// stack in order, then lines "PATH = VALUE @ FILE:LINE:COLUMN", VALUE being absent or unseen for what is not known.
// Paths are written as model.Path prints them. -update fills in the answers and the stacks.
func TestModel(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/model/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			fsys := fstest.MapFS{}
			want := -1
			for i, f := range ar.Files {
				if f.Name == "want" {
					want = i
					continue
				}
				fsys[f.Name] = &fstest.MapFile{Data: f.Data}
			}
			if want < 0 {
				t.Fatal("no want section")
			}
			stacks, err := Stacks(context.Background(), Options{FS: fsys})
			if err != nil {
				t.Fatal(err)
			}
			got := answers(stacks, string(ar.Files[want].Data))
			if *update {
				ar.Files[want].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if !bytes.Equal([]byte(got), ar.Files[want].Data) {
				t.Errorf("got:\n%s\nwant:\n%s", got, ar.Files[want].Data)
			}
		})
	}
}

// answers answers the questions of a want section. Questions before the first stack go to the only stack.
func answers(stacks []*model.Stack, want string) string {
	questions := map[string][]string{}
	name := ""
	var order []string
	for line := range strings.Lines(want) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "== "); ok {
			name = rest
			order = append(order, name)
			continue
		}
		p, _, _ := strings.Cut(line, " =")
		if p != "" {
			questions[name] = append(questions[name], p)
		}
	}
	var b strings.Builder
	for _, s := range stacks {
		fmt.Fprintf(&b, "== %s\n", s.Name)
		list := questions[s.Name]
		if len(stacks) == 1 {
			list = append(questions[""], list...)
		}
		for _, q := range list {
			fmt.Fprintf(&b, "%s = %s\n", q, answer(s, q))
		}
	}
	return b.String()
}

func answer(s *model.Stack, q string) string {
	p := parsePath(q)
	switch s.State(p...) {
	case model.Absent:
		return "absent"
	case model.Unseen:
		return "unseen"
	}
	v := s.Get(p...)
	text, ok := v.Scalar()
	if !ok {
		text = fmt.Sprint(v.Plain())
	}
	o := v.Origin
	if o.File == nil && o.Block() == nil {
		if o.Source != 0 {
			return text + " @ " + o.Source.String()
		}
		return text
	}
	loc := locate(s, p, false)
	pos := loc.File.Position(loc.Span.Start)
	return fmt.Sprintf("%s @ %s:%d:%d", text, loc.File.Path, pos.Line, pos.Column)
}

// parsePath reads what model.Path.String writes.
func parsePath(s string) model.Path {
	var p model.Path
	for s != "" {
		switch {
		case s[0] == '.':
			s = s[1:]
		case s[0] == '[':
			end := strings.IndexByte(s, ']')
			if s[1] == '"' {
				end = strings.Index(s, `"]`) + 1
				k, err := strconv.Unquote(s[1:end])
				if err != nil {
					panic(err)
				}
				p = append(p, k)
			} else {
				n, err := strconv.Atoi(s[1:end])
				if err != nil {
					panic(err)
				}
				p = append(p, n)
			}
			s = s[end+1:]
		default:
			end := strings.IndexAny(s, ".[")
			if end < 0 {
				end = len(s)
			}
			p = append(p, s[:end])
			s = s[end:]
		}
	}
	return p
}
