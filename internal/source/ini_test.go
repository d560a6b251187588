package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func showINI(f *INIFile) string {
	var b strings.Builder
	for _, e := range f.Entries {
		fmt.Fprintf(&b, "%s|%s|%s|%s|%q", e.Section, f.File.Text(e.KeySpan), f.File.Text(e.ValueSpan), f.File.Text(e.ContentSpan), e.Value)
		if e.Include {
			b.WriteString(" include")
		}
		b.WriteString("\n")
	}
	for _, e := range f.Errors {
		p := f.File.Position(e.Offset)
		fmt.Fprintf(&b, "%d:%d: %s\n", p.Line, p.Column, e.Msg)
	}
	return b.String()
}

func TestParseINI(t *testing.T) {
	tests := []struct {
		name    string
		dialect INIDialect
		in      string
		want    string
	}{
		{"pgbouncer", INIPgBouncer, "\ufeff; c\n[databases]\nlitellm = host=pg port=5432 pool_size=5\n* =\n\n[pgbouncer]\r\n# c\r\n\tpool_mode=transaction\r\nmax_client_conn = 100 ; no comment\r\n%include /etc/x.ini\n",
			"databases|litellm|host=pg port=5432 pool_size=5|host=pg port=5432 pool_size=5|\"host=pg port=5432 pool_size=5\"\ndatabases|*|||\"\"\n" +
				"pgbouncer|pool_mode|transaction|transaction|\"transaction\"\npgbouncer|max_client_conn|100 ; no comment|100 ; no comment|\"100 ; no comment\"\n" +
				"pgbouncer|%include|/etc/x.ini|/etc/x.ini|\"/etc/x.ini\" include\n"},
		{"pgbouncer, errors", INIPgBouncer, "a=1\n[x\n[x]\nb\n=c\n", "1:1: setting outside a section\n2:1: section header without ]\n4:1: line without '='\n5:1: no name before '='\n"},
		{"postgres", INIPostgres, "# c\nmax_connections = 200\t# c\nshared_buffers 4GB\n  Log_Line_Prefix = '%m ''x'' \\n' # c\nwork_mem='4MB'#c\nexample.a$b = on\ninclude 'x.conf'\r\n",
			"|max_connections|200|200|\"200\"\n|shared_buffers|4GB|4GB|\"4GB\"\n|Log_Line_Prefix|'%m ''x'' \\n'|%m ''x'' \\n|\"%m 'x' \\n\"\n" +
				"|work_mem|'4MB'|4MB|\"4MB\"\n|example.a$b|on|on|\"on\"\n|include|'x.conf'|x.conf|\"x.conf\" include\n"},
		{"postgres, errors", INIPostgres, "a =\nb = 1 2\n= 3\nc = 'x\nd\ne = 4\n[x]\nf = *\ng = -1.5e+3\n",
			"|e|4|4|\"4\"\n|g|-1.5e+3|-1.5e+3|\"-1.5e+3\"\n1:4: setting a without a value\n2:7: text after the value of b\n3:1: no name at the start of the line\n4:5: quote without an end\n5:2: setting d without a value\n7:1: no name at the start of the line\n8:5: value of f needs quotes\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, showINI(ParseINI(NewFile("x", []byte(tt.in)), tt.dialect))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestINIGet(t *testing.T) {
	f := ParseINI(NewFile("postgresql.conf", []byte("max_connections = 100\nMax_Connections = 200\n")), INIPostgres)
	if e := f.Get("", "max_connections"); e == nil || e.Value != "200" {
		t.Errorf("%+v", e)
	}
	if f.Get("", "x") != nil {
		t.Error("a setting that is not there")
	}
}

func FuzzINI(f *testing.F) {
	f.Add("[a]\nb = c\n", uint8(0))
	f.Add("a = 'x\\101' # c\n", uint8(1))
	f.Fuzz(func(t *testing.T, in string, d uint8) {
		x := ParseINI(NewFile("x", []byte(in)), INIDialect(d%2))
		last := 0
		for _, e := range x.Entries {
			if e.Span.Start < last || e.Span.End > len(in) || !e.Span.Contains(e.KeySpan) || !e.ValueSpan.Contains(e.ContentSpan) || e.ValueSpan.Start < e.KeySpan.End {
				t.Fatalf("%+v of %q", e, in)
			}
			last = e.Span.End
		}
	})
}
