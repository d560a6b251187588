package knowledge

import "strings"

// Metric is a time series as a query names it, resolved to its row.
type Metric struct {
	Entry
	// Suffix is what the series adds to the metric's name: _total, _bucket, _sum, _count, _created, or nothing.
	Suffix string
	// Exposed is false when the name is a metric but no series of it: a counter without _total, a histogram without _bucket, _sum or _count.
	Exposed bool
}

// Metric returns the metric behind a series name. vLLM's may be written with vllm:, vllm_ or ray_vllm_.
func (r Release) Metric(series string) (Metric, Presence) {
	name := series
	if r.Product == VLLM {
		name = strings.TrimPrefix(name, "ray_")
		if rest, ok := strings.CutPrefix(name, "vllm_"); ok {
			name = "vllm:" + rest
		}
	}
	var best Metric
	var presence Presence
	consider := func(suffix string) {
		base := strings.TrimSuffix(name, suffix)
		e, p := r.Entry(KindMetric, "", base)
		if p == Unknown {
			return
		}
		m := Metric{Entry: e, Suffix: suffix, Exposed: exposes(e.Type, suffix)}
		// A name can be a metric of its own and a series of another; what a scrape returns at this release wins.
		if better(m, p) > better(best, presence) {
			best, presence = m, p
		}
	}
	consider("")
	for _, suffix := range [...]string{"_total", "_bucket", "_sum", "_count", "_created", "_info"} {
		if strings.HasSuffix(name, suffix) {
			consider(suffix)
		}
	}
	return best, presence
}

func better(m Metric, p Presence) int {
	switch {
	case p == Present && m.Exposed:
		return 4
	case m.Exposed:
		return 3
	case p == Present:
		return 2
	case p != Unknown:
		return 1
	}
	return 0
}

func exposes(typ, suffix string) bool {
	switch typ {
	case "counter":
		return suffix == "_total" || suffix == "_created"
	case "histogram":
		return suffix == "_bucket" || suffix == "_sum" || suffix == "_count" || suffix == "_created"
	case "summary":
		return suffix == "" || suffix == "_sum" || suffix == "_count" || suffix == "_created"
	case "info":
		return suffix == "_info"
	}
	return suffix == ""
}

// Series returns the names that a scrape of the metric returns, without the _created ones.
func (e Entry) Series() []string {
	var suffixes []string
	switch e.Type {
	case "counter":
		suffixes = []string{"_total"}
	case "histogram":
		suffixes = []string{"_bucket", "_sum", "_count"}
	case "summary":
		suffixes = []string{"", "_sum", "_count"}
	case "info":
		suffixes = []string{"_info"}
	default:
		suffixes = []string{""}
	}
	out := make([]string, len(suffixes))
	for i, s := range suffixes {
		out[i] = e.Name + s
	}
	return out
}

// IsFraction reports whether a vLLM gauge runs from 0 to 1, whatever its name says (vllm 0.29.0, vllm/v1/metrics/loggers.py: "1 means 100 percent
// usage"; vllm 0.8.5, vllm/engine/metrics.py for the older ones).
func IsFraction(metric string) bool {
	switch strings.TrimPrefix(metric, "vllm:") {
	case "kv_cache_usage_perc", "gpu_cache_usage_perc", "cpu_cache_usage_perc", "gpu_prefix_cache_hit_rate", "cpu_prefix_cache_hit_rate":
		return true
	}
	return false
}
