package source

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// sameValue reports whether v is what an oracle printed as want.
func sameValue(v Value, want string) bool {
	kind, rest, _ := strings.Cut(want, " ")
	switch v.Kind {
	case NullValue:
		return want == "null"
	case BoolValue:
		return want == fmt.Sprint("bool ", v.Bool)
	case IntValue:
		b, ok := new(big.Int).SetString(rest, 10)
		if kind != "int" || !ok {
			return false
		}
		f, _ := new(big.Float).SetInt(b).Float64()
		near := math.Abs(f-v.Float) <= 1e-12*math.Abs(f) || f == v.Float
		switch {
		case b.IsInt64():
			return b.Int64() == v.Int && near
		case b.Sign() < 0:
			return v.Int == math.MinInt64 && near
		}
		return v.Int == math.MaxInt64 && near
	case FloatValue:
		f, err := strconv.ParseFloat(rest, 64)
		return kind == "float" && err == nil && (f == v.Float || math.IsNaN(f) && math.IsNaN(v.Float))
	case TextValue:
		var s string
		return kind == "text" && json.Unmarshal([]byte(rest), &s) == nil && s == v.Text
	case DateValue:
		return want == "date"
	case OtherValue:
		// Go decodes !!binary to a string.
		return kind == "other" || kind == "text"
	case InvalidValue:
		return want == "invalid" && v.Text != ""
	}
	return false
}

func TestResolve(t *testing.T) {
	f, err := os.Open("testdata/scalars.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if strings.HasPrefix(sc.Text(), "#") {
			continue
		}
		lines++
		row := strings.Split(sc.Text(), "\t")
		var src string
		if err := json.Unmarshal([]byte(row[0]), &src); err != nil || len(row) != 4 {
			t.Fatalf("row %q: %v", row, err)
		}
		docs, err := ParseYAML(NewFile("a", []byte("k: "+src+"\n")))
		if err != nil {
			if row[3] != "invalid" {
				t.Errorf("%s: %v", row[0], err)
			}
			continue
		}
		n := docs[0].Root.Get("k")
		for i, d := range []Dialect{PyYAML, SigsYAML, GoYAML} {
			if v := Resolve(n, d); !sameValue(v, row[i+1]) {
				t.Errorf("%s in dialect %d: %v %+v, want %s", row[0], d, v.Kind, v, row[i+1])
			}
		}
	}
	if lines < 400 {
		t.Errorf("only %d scalars", lines)
	}
}

func TestResolveEdges(t *testing.T) {
	docs, err := ParseYAML(NewFile("a", []byte("=: 1\n<<: {x: 2}\na: &n 0777\nb: *n\nc: [1]\nd: "+strings.Repeat("9", 4301)+"\n")))
	if err != nil {
		t.Fatal(err)
	}
	r := docs[0].Root
	if v := Resolve(r.Children[0], PyYAML); v.Kind != TextValue || v.Text != "=" {
		t.Errorf("= as a key: %+v", v)
	}
	if v := Resolve(r.Children[2], PyYAML); v.Kind != TextValue {
		t.Errorf("<< as a key: %+v", v)
	}
	if v := Resolve(r.Get("b"), PyYAML); v.Int != 511 {
		t.Errorf("alias: %+v", v)
	}
	if v := Resolve(r.Get("c"), PyYAML); v.Kind != NoValue {
		t.Errorf("list: %+v", v)
	}
	if v := Resolve(nil, GoYAML); v.Kind != NoValue {
		t.Errorf("nil: %+v", v)
	}
	if v := Resolve(r.Get("d"), PyYAML); v.Kind != InvalidValue {
		t.Errorf("more digits than Python converts: %v", v.Kind)
	}
	if v := Resolve(r.Get("d"), GoYAML); v.Kind != FloatValue && v.Kind != TextValue {
		t.Errorf("many digits in Go: %v", v.Kind)
	}
	j, err := ParseJSON(NewFile("a", []byte(`[null, true, false, 12, -3, 1.5, 1e3, "yes", 99999999999999999999]`)))
	if err != nil {
		t.Fatal(err)
	}
	var got []any
	for _, n := range j.Children {
		got = append(got, Resolve(n, JSON).Any())
	}
	want := []any{nil, true, false, int64(12), int64(-3), 1.5, 1000.0, "yes", 1e20}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("json: %v, want %v", got, want)
	}
}
