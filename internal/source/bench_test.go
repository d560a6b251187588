package source

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// liteLLMConfig writes a LiteLLM config of about 4 KB, with the comments, quotes and anchors people use.
func liteLLMConfig(seed uint64) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	fmt.Fprintf(&b, "# gateway %d\nx-defaults: &defaults\n  timeout: 600\n  stream_timeout: 60\n\nmodel_list:\n", seed)
	for i := range 8 + r.IntN(8) {
		fmt.Fprintf(&b, "  - model_name: coder-%d # group\n    litellm_params:\n      <<: *defaults\n      model: hosted_vllm/Qwen/Qwen3-Coder-%dB\n", i/2, 7*(i+1))
		fmt.Fprintf(&b, "      api_base: http://vllm-%d.inference.svc.cluster.local:8000/v1\n      api_key: os.environ/VLLM_KEY_%d\n      rpm: %d\n      tpm: %d\n", i, i, r.IntN(1000), r.IntN(1000000))
		fmt.Fprintf(&b, "    model_info:\n      mode: chat\n      input_cost_per_token: %de-7\n      supports_function_calling: true\n", r.IntN(9)+1)
	}
	b.WriteString("\nlitellm_settings:\n  drop_params: true\n  request_timeout: 600\n  callbacks: [\"prometheus\", 'otel']\n  fallbacks:\n    - coder-0: [coder-1, coder-2]\n  cache: true\n  cache_params:\n    type: redis\n    host: os.environ/REDIS_HOST\n    ttl: 600\n")
	b.WriteString("\nrouter_settings:\n  routing_strategy: simple-shuffle\n  num_retries: 2\n  # failover\n  allowed_fails: 3\n  cooldown_time: 30\n")
	b.WriteString("\ngeneral_settings:\n  master_key: os.environ/LITELLM_MASTER_KEY\n  database_url: os.environ/DATABASE_URL\n  database_connection_pool_limit: 10\n  alerting: [\"slack\"]\n  notes: |\n    Call the platform team before changing\n    anything here: it pages.\n")
	return []byte(b.String())
}

func configs(n int) (out [][]byte, size int64) {
	for i := range n {
		c := liteLLMConfig(uint64(i))
		out = append(out, c)
		size += int64(len(c))
	}
	return out, size
}

func bareYAML(b []byte) error {
	dec := yaml.NewDecoder(bytes.NewReader(b))
	for {
		var n yaml.Node
		if err := dec.Decode(&n); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// BenchmarkBareYAML is yaml.v3 alone, the measure of BenchmarkParseYAML.
func BenchmarkBareYAML(b *testing.B) {
	files, size := configs(100)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if err := bareYAML(f); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkParseYAML(b *testing.B) {
	files, size := configs(100)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range files {
			if _, err := ParseYAML(NewFile("config.yaml", f)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// linearInput is a text of any size: a head, a body of n bytes and a tail. In some the value of a holds another text, which is edited;
// some are refused.
type linearInput struct {
	name, head   string
	body         func(n int) string
	tail         string
	edit, refuse bool
}

// linearInputs are texts that could cost more than their size.
func linearInputs() []linearInput {
	many := func(format string) func(n int) string {
		return func(n int) string {
			var b strings.Builder
			for i := 0; b.Len() < n; i++ {
				fmt.Fprintf(&b, format, i)
			}
			return b.String()
		}
	}
	return []linearInput{
		{name: "columns", head: "a: [", body: many("한%d, "), tail: "y]\n"},
		{name: "null columns", head: "a: {", body: many("한%d: , "), tail: "y: z}\n"},
		{name: "absent columns", head: "a: {", body: many("한%d, "), tail: "y}\n"},
		{name: "anchored nulls", head: "[é, ", body: many("&x%[1]d , "), tail: "]\n"},
		{name: "comments", body: many("k%d: 1\n# c\n"), tail: ""},
		{name: "documents", body: many("---\na: é%d\n"), tail: ""},
		{name: "literal", head: "a: |\n", body: many("  x%d: é\n"), edit: true},
		{name: "plain lines", head: "a: x\n", body: many("  x%d y\n"), edit: true},
		{name: "escapes", head: "a: \"", body: many(`\n\u00e9%d`), tail: "\"\n", edit: true},
		{name: "masked", head: "[", body: many(`{"a":"b\/\ud83d\ude00%d"},`), tail: "1]"},
		{name: "open lists", body: many("[%.0d"), refuse: true},
		{name: "broken at the end", body: many("k%d: 1\n"), tail: "x: [\n", refuse: true},
	}
}

// read reads a text of about n bytes, with its comments and, where it holds another text, an edit of that.
func (c linearInput) read(t testing.TB, n int) {
	f := NewFile("a", []byte(c.head+c.body(n)+c.tail))
	docs, err := ParseYAML(f)
	if (err != nil) != c.refuse {
		t.Fatalf("error %v", err)
	}
	Comments(f, docs)
	if c.edit {
		in := Nested(f, docs[0].Root.Get("a"))
		if _, _, err := in.OuterEdits([]Edit{{Span{0, 1}, "z"}}); err != nil {
			if _, _, err := in.OuterEdits([]Edit{{Span{0, 0}, "z"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Four times the text allocates about four times as much. What it costs in time, BenchmarkYAMLLinear says.
func TestYAMLLinear(t *testing.T) {
	for _, c := range linearInputs() {
		t.Run(c.name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				c.read(t, n)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				c.read(t, n)
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			if small, large := allocated(20<<10), allocated(80<<10); large > 6*small {
				t.Errorf("80 KB allocate %d bytes, 20 KB %d", large, small)
			}
		})
	}
}

// BenchmarkYAMLLinear reports how many times as long four times the text takes.
func BenchmarkYAMLLinear(b *testing.B) {
	for _, c := range linearInputs() {
		b.Run(c.name, func(b *testing.B) {
			small, large := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				start := time.Now()
				c.read(b, 20<<10)
				between := time.Now()
				c.read(b, 80<<10)
				small, large = min(small, between.Sub(start)), min(large, time.Since(between))
			}
			b.ReportMetric(float64(large)/float64(small), "times")
		})
	}
}
