package promql

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func names(q *Query) []string {
	var out []string
	for _, s := range q.Selectors {
		out = append(out, s.Name)
	}
	return out
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string // nil when the text is no query
	}{
		{`sum(rate(vllm:prefix_cache_hits_total[5m]))`, []string{"vllm:prefix_cache_hits_total"}},
		{`rate(a[$__rate_interval]) / rate(b[${__interval}])`, []string{"a", "b"}},
		{`a{namespace="$namespace", pod=~"$pod"} > $limit`, []string{"a"}},
		{`topk([[k]], a)`, []string{"a"}},
		{`{__name__="a"}`, []string{"a"}},
		{`{__name__=~"a|b:c"}`, []string{"a", "b:c"}},
		{`{__name__=~"a.*"}`, []string{}},
		{`{"a", job="x"}`, []string{"a"}},
		{`sum by ($group) (a offset 1h)`, []string{"a"}},
		{`max_over_time(sum(a)[1h:5m])`, []string{"a"}},
		{`a or b unless c`, []string{"a", "b", "c"}},
		{`sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)`, nil},
		{`label_values(a, pod)`, nil},
		{`vllm:8000/metrics`, []string{"vllm:8000", "metrics"}},
		{``, nil},
		{`sum(`, nil},
		{strings.Repeat("(", 5000) + "a" + strings.Repeat(")", 5000), nil},
	} {
		q, ok := Parse(c.text)
		if ok != (c.want != nil) {
			t.Errorf("Parse(%.60q) = %v, want %v", c.text, ok, c.want != nil)
			continue
		}
		if ok && !slices.Equal(names(q), c.want) {
			t.Errorf("Parse(%q) selects %v, want %v", c.text, names(q), c.want)
		}
	}
}

// TestSpans checks that a selector's span is its name in the text as written, also behind template variables and
// text that is not ASCII.
func TestSpans(t *testing.T) {
	text := `sum(rate(vllm:a_total{team="café"}[$__rate_interval])) / sum(${x}_b) + vllm:c`
	q, ok := Parse(text)
	if !ok {
		t.Fatal("no query")
	}
	for _, s := range q.Selectors {
		if s.Span.IsZero() {
			continue
		}
		if got := text[s.Span.Start:s.Span.End]; got != s.Name && !strings.Contains(got, "$") {
			t.Errorf("%s stands at %q", s.Name, got)
		}
	}
}

func TestRatios(t *testing.T) {
	for _, c := range []struct {
		text              string
		rated, aggregated bool
		labels            []string
	}{
		{`a / b`, false, false, nil},
		{`rate(a[5m]) / rate(b[5m])`, true, false, nil},
		{`sum(rate(a[5m])) / sum(rate(b[5m]))`, true, true, nil},
		{`sum by (pod) (increase(a[5m])) / sum by (pod) (increase(b[5m]))`, true, true, []string{"pod", "pod"}},
		{`avg(a / b)`, false, true, nil},
	} {
		q, ok := Parse(c.text)
		if !ok {
			t.Fatal(c.text)
		}
		r := q.Ratios()
		if len(r) != 1 || len(r[0].Left) != 1 || len(r[0].Right) != 1 {
			t.Fatalf("%s: %+v", c.text, r)
		}
		if r[0].Left[0].Rated != c.rated || r[0].Right[0].Rated != c.rated || r[0].Aggregated != c.aggregated || !slices.Equal(r[0].Labels, c.labels) {
			t.Errorf("%s: %+v", c.text, r[0])
		}
	}
}

func TestManySeries(t *testing.T) {
	for _, c := range []struct {
		text string
		many bool
	}{
		{`a`, true},
		{`rate(a[1m])`, true},
		{`a > 5`, true},
		{`a * on (pod) b`, true},
		{`topk(3, a)`, true},
		{`sum by (pod) (a)`, true},
		{`sum without (pod) (a)`, true},
		{`sum(a) or b`, true},
		{`sum(a)`, false},
		{`max(a) > 1`, false},
		{`topk(1, a)`, false},
		{`scalar(a)`, false},
		{`sum(a) / sum(b)`, false},
		{`100 * sum(a)`, false},
		{`histogram_quantile(0.9, sum by (le) (rate(a_bucket[2m])))`, false},
		{`histogram_quantile(0.9, rate(a_bucket[2m]))`, true},
		{`avg_over_time(sum(a)[5m:])`, false},
		{`vector(1)`, false},
	} {
		q, ok := Parse(c.text)
		if !ok {
			t.Fatal(c.text)
		}
		if got := len(q.ManySeries(func(Selector) bool { return false })) > 0; got != c.many {
			t.Errorf("%s: many series %v, want %v", c.text, got, c.many)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`sum(rate(a[$x]))`, `{__name__=~"a|b"}`, `a[[`, `"$`, `<<.A>> / ${b:c}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		q, ok := Parse(s)
		if !ok {
			return
		}
		for _, x := range q.Selectors {
			if x.Span.Start < 0 || x.Span.End > len(s) || x.Span.Start > x.Span.End {
				t.Errorf("span %v of %q", x.Span, s)
			}
		}
		q.Ratios()
		q.ManySeries(func(Selector) bool { return false })
		q.Rates()
		q.Kept()
		for _, u := range q.Quantiles() {
			u.WithoutBuckets(func(Selector) bool { return true })
		}
	})
}

func TestThresholds(t *testing.T) {
	for text, want := range map[string]string{
		"vllm:kv_cache_usage_perc > 80":                          "> 80 [vllm:kv_cache_usage_perc] 27",
		"80 < max by (pod) (vllm:kv_cache_usage_perc{a=\"80\"})": "> 80 [vllm:kv_cache_usage_perc] 0",
		"avg_over_time(a[5m]) >= 2 and b == 1":                   ">= 2 [a] 24; == 1 [b] 35",
		"sum(a) > 3":                                             "> 3 [a] 9 sum",
		"(a * 100) > 80":                                         "> 80 [a] 12 scaled",
		"rate(a[5m]) > 80":                                       "> 80 [a] 14 scaled",
		"a > b":                                                  "",
		"a or b > 5":                                             "> 5 [b] 9",
	} {
		q, ok := Parse(text)
		if !ok {
			t.Fatalf("%s: not parsed", text)
		}
		var got []string
		for _, x := range q.Thresholds() {
			var names []string
			for _, s := range x.Selectors {
				names = append(names, s.Name)
			}
			line := fmt.Sprintf("%s %v %v %d", x.Op, x.Value, names, x.Span.Start)
			if x.Sum {
				line += " sum"
			}
			if x.Scaled {
				line += " scaled"
			}
			got = append(got, line)
		}
		if s := strings.Join(got, "; "); s != want {
			t.Errorf("%s: got %s, want %s", text, s, want)
		}
	}
}

func TestRates(t *testing.T) {
	for text, want := range map[string]string{
		`rate(a[5m])`:                                             "rate a",
		`sum(irate(a[5m])) / increase(b[1h])`:                     "irate a, increase b",
		`rate(sum by (pod) ((a))[10m:1m])`:                        "rate a",
		`increase(max_over_time(a[1m])[1h:1m])`:                   "increase",
		`rate({__name__=~"a|b"}[5m])`:                             "rate a b",
		`rate(${x}_a[5m]) + delta(b[5m]) + deriv(c[5m])`:          "rate",
		`rate((a + b)[5m:])`:                                      "rate",
		`increase(topk(3, rate(a[1m] offset 1h))[1h:] @ start())`: "increase, rate a",
	} {
		q, ok := Parse(text)
		if !ok {
			t.Errorf("%s: no query", text)
			continue
		}
		var got []string
		for _, r := range q.Rates() {
			use := r.Function
			for _, s := range r.Series {
				use += " " + s.Name
			}
			got = append(got, use)
		}
		if g := strings.Join(got, ", "); g != want {
			t.Errorf("Rates(%s) = %s, want %s", text, g, want)
		}
	}
}

func TestKept(t *testing.T) {
	for text, want := range map[string]string{
		`sum by (pod) (a)`: "a",
		`(max(a @ end()))`: "a",
		`count(a)`:         "",
		`a * 2`:            "",
		`a or b`:           "",
		`$x`:               "",
	} {
		q, ok := Parse(text)
		if !ok {
			t.Errorf("%s: no query", text)
			continue
		}
		var got []string
		for _, s := range q.Kept() {
			got = append(got, s.Name)
		}
		if g := strings.Join(got, " "); g != want {
			t.Errorf("Kept(%s) = %s, want %s", text, g, want)
		}
	}
}

func TestQuantiles(t *testing.T) {
	for text, want := range map[string]string{
		`histogram_quantile(0.9, rate(a_bucket[5m]))`:                                     "false",
		`histogram_quantile(0.9, sum by (le) (rate(a_bucket[5m])))`:                       "false",
		`histogram_quantile(0.9, sum(rate(a_bucket[5m])))`:                                "true sum",
		`histogram_quantile(0.9, sum by (pod, x) (rate(a_bucket[5m])))`:                   "true sum by (pod, x)",
		`histogram_quantile(0.9, sum without (le) (rate(a_bucket[5m])))`:                  "true sum without (le)",
		`histogram_quantile(0.9, sum without (pod) (rate(a_bucket[5m])))`:                 "false",
		`histogram_quantile(0.9, sum by (le) (sum by (pod) (rate(a_bucket[5m]))))`:        "true sum by (pod)",
		`histogram_quantile(0.9, avg by ($by) (rate(a_bucket[5m])))`:                      "false",
		`histogram_quantile(0.9, rate(a_sum[5m]))`:                                        "true ",
		`histogram_quantile(0.9, -(rate(a_sum[5m]) / 2) @ end())`:                         "",
		`histogram_quantile(0.9, -(2 * rate(a_sum[5m])))`:                                 "true ",
		`histogram_quantile(0.9, rate(a_sum[5m]) * rate(a_bucket[5m]))`:                   "false",
		`histogram_quantile(0.9, rate(a_sum[5m]) and rate(a_bucket[5m]))`:                 "true ",
		`histogram_quantile(0.9, rate(a_sum[5m]) or rate(a_bucket[5m]))`:                  "false",
		`histogram_quantile(0.9, topk(3, rate(a_sum[5m])))`:                               "true ",
		`histogram_quantile(0.9, count_values("le", a_bucket))`:                           "false",
		`histogram_quantile(0.9, label_replace(sum(a_bucket), "le", "$1", "x", "(.*)"))`:  "false",
		`histogram_quantile(0.9, label_replace(sum(a_bucket), "pod", "$1", "x", "(.*)"))`: "true sum",
		`histogram_quantile(0.9, vector(1))`:                                              "false",
		`histogram_quantile(0.9, avg_over_time(sum(rate(a_bucket[1m]))[5m:1m]))`:          "true sum",
		`histogram_quantile(0.9, rate(${x}_sum[5m]))`:                                     "false",
		`histogram_quantile(0.9, quantile_over_time(0.5, a_sum[5m]))`:                     "true ",
	} {
		q, ok := Parse(text)
		if ok != (want != "") {
			t.Errorf("%s: parsed %v", text, ok)
			continue
		}
		if !ok {
			continue
		}
		u := q.Quantiles()[0]
		got := fmt.Sprint(u.WithoutBuckets(func(s Selector) bool { return strings.HasSuffix(s.Name, "_sum") }))
		if got == "true" {
			got += " " + u.Grouping
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
