package fixers

import (
	"testing"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// envStack is a stack whose gateway.env is an env file as a dialect reads it.
func envStack(f *source.File, d source.EnvDialect) *model.Stack {
	e := source.ParseEnv(f, d)
	env := model.NewMap(model.Origin{})
	for i := range e.Entries {
		x := &e.Entries[i]
		o := model.Origin{Source: model.FromEnv, File: f, Key: x.NameSpan, Span: x.ValueSpan, Detail: &model.Detail{Env: x}}
		if x.Unknown {
			env.Override(x.Name, model.NewUnknown(o))
		} else {
			env.Override(x.Name, model.NewText(x.Value, o))
		}
	}
	if len(env.Keys()) == 0 {
		env.Origin = model.Origin{Source: model.FromEnv, File: f}
	}
	root := model.NewMap(model.Origin{})
	root.Child("gateway").Set("env", env)
	return &model.Stack{Root: root}
}

func envPath(name string) P { return P{"gateway", "env", name} }

func TestEnvEdits(t *testing.T) {
	comment := model.Op{Kind: model.OpInsertComment, At: envPath("A"), Name: "why"}
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     string
	}{
		{"set", "A=1 # c\nB=2\n", model.Set(envPath("A"), 42), "A=42 # c\nB=2\n"},
		{"set in double quotes", "A=\"x\"\n", model.Set(envPath("A"), "y z"), "A=\"y z\"\n"},
		{"set in single quotes", "A='x'\n", model.Set(envPath("A"), "y#z"), "A='y#z'\n"},
		{"set empty", "A=\nB=2\n", model.Set(envPath("A"), "x"), "A=x\nB=2\n"},
		{"set bare", "A\nB=2\n", model.Set(envPath("A"), "x"), "A=x\nB=2\n"},
		{"set exported", "export A=1\n", model.Set(envPath("A"), "x"), "export A=x\n"},
		{"set CRLF", "A=1\r\nB=2\r\n", model.Set(envPath("B"), "3"), "A=1\r\nB=3\r\n"},
		{"set BOM", "\ufeffA=1\n", model.Set(envPath("A"), "3"), "\ufeffA=3\n"},
		{"set the last of two", "A=1\nA=2\n", model.Set(envPath("A"), "3"), "A=1\nA=3\n"},
		{"set bool", "A=1\n", model.Set(envPath("A"), true), "A=true\n"},
		{"add", "A=1\nB=2\n", model.Set(envPath("C"), "3"), "A=1\nB=2\nC=3\n"},
		{"add after a trailing comment", "A=1 # c\n\n# end\n", model.Set(envPath("C"), "3"), "A=1 # c\nC=3\n\n# end\n"},
		{"add exported", "export A=1\n", model.Set(envPath("C"), "3"), "export A=1\nexport C=3\n"},
		{"add quoted", "A=\"x\"\n", model.Set(envPath("C"), "3"), "A=\"x\"\nC=\"3\"\n"},
		{"add without final newline", "A=1", model.Set(envPath("C"), "3"), "A=1\nC=3"},
		{"add CRLF", "A=1\r\n", model.Set(envPath("C"), "3"), "A=1\r\nC=3\r\n"},
		{"add to an empty file", "# nothing\n", model.Set(envPath("C"), "3"), "# nothing\nC=3\n"},
		{"remove", "A=1\nB=2\nC=3\n", model.Remove(envPath("B")), "A=1\nC=3\n"},
		{"remove with its comment", "A=1\n# about B\nB=2\n\nC=3\n", model.Remove(envPath("B")), "A=1\n\nC=3\n"},
		{"group comment stays", "A=1\n\n# Redis\nB=2\nC=3\n", model.Remove(envPath("B")), "A=1\n\n# Redis\nC=3\n"},
		{"file comment stays", "# settings\nA=1\nC=3\n", model.Remove(envPath("A")), "# settings\nC=3\n"},
		{"remove below a comment and a BOM", "\ufeff# settings\nA=1\nB=2\n", model.Remove(envPath("A")), "\ufeff# settings\nB=2\n"},
		{"remove all of a name", "A=1\nB=2\nA=3\n", model.Remove(envPath("A")), "B=2\n"},
		{"remove the last line", "A=1\nB=2", model.Remove(envPath("B")), "A=1"},
		{"remove the only line", "A=1\n", model.Remove(envPath("A")), ""},
		{"rename", "A=1 # c\nB=2\n", model.Rename(envPath("A"), "Z"), "Z=1 # c\nB=2\n"},
		{"comment", "B=2\nA=1\n", comment, "B=2\n# why\nA=1\n"},
		{"replace", "A=http://a/v1 b\n", model.ReplaceText(envPath("A"), "v1", "v2"), "A=http://a/v2 b\n"},
		{"move", "A=1\nB=2\n", model.Op{Kind: model.OpMove, At: envPath("A"), To: envPath("C")}, "B=2\nC=1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile(".env", []byte(c.in))
			edits, err := Plan(envStack(f, source.EnvCompose), []model.Op{c.op})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(applied(t, f, edits)); got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestEnvRefusals(t *testing.T) {
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     Reason
	}{
		{"reference", "A=${B:-1}\n", model.Set(envPath("A"), "2"), ReasonTemplate},
		{"taken", "A=1\nB=2\n", model.Rename(envPath("A"), "B"), ReasonExists},
		{"two lines", "A=1\n", model.Set(envPath("A"), "a\nb"), ReasonForm},
		{"blank in a name", "A=1\n", model.Set(envPath("A B"), "a"), ReasonInput},
		{"secret", "A=1\n", model.Set(envPath("DB_PASSWORD"), "hunter22"), ReasonSecret},
		// docker takes quotes as part of the value, compose does not.
		{"readers disagree", "# none\n", model.Set(envPath("A"), " x # y"), ReasonVerify},
		{"missing", "A=1\n", model.Remove(envPath("C")), ReasonNoPlace},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := source.NewFile(".env", []byte(c.in))
			_, err := Plan(envStack(f, source.EnvDocker), []model.Op{c.op})
			if r, ok := err.(*Refusal); !ok || r.Reason != c.want {
				t.Errorf("got %v, want a refusal for %s", err, c.want)
			}
		})
	}
}
