package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func showRun(r *ContainerRun) string {
	var b strings.Builder
	text := func(i int, s Span) string { return r.Flags.Line.Words[i].Args.File.Text(s) }
	if r.Image != nil {
		fmt.Fprintf(&b, "image %s<%s>", r.Image.Text, r.Image.Args.File.Text(r.Image.Span))
		if r.Image.Unknown {
			b.WriteString("?")
		}
		b.WriteString("\n")
	}
	if r.Entrypoint != nil {
		fmt.Fprintf(&b, "entrypoint %s\n", r.Entrypoint.Text)
	}
	for _, w := range r.Command.Words {
		fmt.Fprintf(&b, "word %s\n", w.Text)
	}
	for _, a := range r.Env {
		fmt.Fprintf(&b, "env %s<%s>=%s<%s>", a.Name, a.File.Text(a.NameSpan), a.Value, a.File.Text(a.ValueSpan))
		if a.Unknown {
			b.WriteString("?")
		}
		b.WriteString("\n")
	}
	if r.OpenEnv {
		b.WriteString("open\n")
	}
	for _, v := range r.EnvFiles {
		fmt.Fprintf(&b, "file %s<%s>\n", v.Text, text(v.Index, v.Span))
	}
	for _, m := range r.Mounts {
		fmt.Fprintf(&b, "mount %s<%s> %s<%s>", m.Source, text(m.Index, m.SourceSpan), m.Target, text(m.Index, m.TargetSpan))
		if m.Bind {
			b.WriteString(" bind")
		}
		if m.Unknown {
			b.WriteString("?")
		}
		b.WriteString("\n")
	}
	for _, f := range r.Flags.Flags {
		switch f.Name {
		case "env", "env-file", "volume", "mount", "entrypoint":
			continue
		}
		fmt.Fprintf(&b, "%s", f.Name)
		for _, v := range f.Values {
			fmt.Fprintf(&b, "=%s", v.Text)
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestParseContainerRun(t *testing.T) {
	tests := []struct{ in, want string }{
		{`docker run -d --rm --gpus all --name vllm -p 8000:8000 -v ~/.cache:/root/.cache:ro -e HF_TOKEN --env "A=x y" --env=B=$B --ipc=host \
  vllm/vllm-openai:v0.17.0 --model org/m --port 8000`,
			`image vllm/vllm-openai:v0.17.0<vllm/vllm-openai:v0.17.0>
word --model
word org/m
word --port
word 8000
env HF_TOKEN<HF_TOKEN>=<>?
env A<A>=x y<x y>
env B<B>=$B<$B>?
mount ~/.cache<~/.cache> /root/.cache</root/.cache> bind
detach rm gpus=all name=vllm publish=8000:8000 ipc=host`},
		{`podman --log-level debug container run -itP -eA=1 -w/app --net host --env-file .env --env-file=b.env --entrypoint vllm -v data:/data -v /x ghcr.io/x serve`,
			`image ghcr.io/x<ghcr.io/x>
entrypoint vllm
word serve
env A<A>=1<1>
file .env<.env>
file b.env<b.env>
mount data<data> /data</data>
mount <> /x</x>
interactive tty publish-all workdir=/app network=host`},
		{`sudo docker run --mount type=bind,src=./c.yaml,dst=/app/c.yaml,readonly -v "$PWD/c:/c" -v ${D:-/d}:/e -v 'C:\x:/y' litellm`,
			`image litellm<litellm>
mount ./c.yaml<./c.yaml> /app/c.yaml</app/c.yaml> bind
mount $PWD/c<$PWD/c> /c</c> bind?
mount /d</d> /e</e> bind
mount C:\x<C:\x> /y</y> bind`},
		{`docker run $OPTS img`, "image $OPTS<$OPTS>?\nword img\nopen"},
		{`docker run ${REG:-ghcr.io}/x -- y`, "image ghcr.io/x<${REG:-ghcr.io}/x>\nword --\nword y"},
		{`docker create -e "$X=1" x`, "image x<x>\nopen"},
		{`docker run -d`, "detach"},
	}
	for _, tt := range tests {
		s, err := ParseShell(NewFile("run.sh", []byte(tt.in)))
		if err != nil {
			t.Fatal(err)
		}
		programs := s.Commands(nil)[0].Programs(nil)
		r, ok := ParseContainerRun(programs[0].Line)
		if !ok {
			t.Errorf("%s: no run", tt.in)
			continue
		}
		want := tt.want
		if diff := cmp.Diff(want, showRun(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.in, diff)
		}
	}
	for _, in := range []string{"docker ps", "docker", "x run y", "docker compose run x", "podman --root"} {
		if _, ok := ParseContainerRun(line(t, in)); ok {
			t.Errorf("%s is no run", in)
		}
	}
	if _, ok := ParseContainerRun(&CommandLine{}); ok {
		t.Error("nothing is no run")
	}
}

func FuzzContainerRun(f *testing.F) {
	f.Add("docker run -it -e A=1 -v a:b:c --mount type=bind,src=a,dst=b --env-file x img cmd")
	f.Add("podman run -eA -v${X:-y}:z \"$I\"")
	f.Fuzz(func(t *testing.T, in string) {
		s, _ := ParseShell(NewFile("run.sh", []byte(in)))
		whole := Span{0, len(in)}
		for _, c := range s.Commands(nil) {
			for _, p := range c.Programs(nil) {
				r, ok := ParseContainerRun(p.Line)
				if !ok || p.Line.Words[0].Args.File != s.File {
					continue
				}
				for _, m := range r.Mounts {
					if !whole.Contains(m.SourceSpan) || !whole.Contains(m.TargetSpan) {
						t.Fatalf("mount %+v of %q", m, in)
					}
				}
				for _, a := range r.Env {
					if !whole.Contains(a.NameSpan) || !whole.Contains(a.ValueSpan) {
						t.Fatalf("variable %+v of %q", a, in)
					}
				}
			}
		}
	})
}
