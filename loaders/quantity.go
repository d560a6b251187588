package loaders

import (
	"math"
	"strconv"
	"strings"
	"time"

	"agentlint/internal/model"
)

// parseBytes reads an amount of memory in bytes: Kubernetes quantities (4Gi, 1.5G, 512M, 1e9, 100m) and compose
// sizes (2g, 512mb, 1024k).
func parseBytes(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	i := strings.LastIndexAny(s, "0123456789.") + 1
	if i == 0 {
		return 0, false
	}
	x, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || math.IsInf(x, 0) || x < 0 {
		return 0, false
	}
	unit := s[i:]
	switch unit {
	case "":
		return x, true
	case "m":
		// Kubernetes' milli; compose's mega is read by composeBytes.
		return x / 1000, true
	}
	power, ok := map[byte]float64{'k': 1, 'K': 1, 'M': 2, 'G': 3, 'T': 4, 'P': 5, 'E': 6}[unit[0]]
	if !ok {
		return 0, false
	}
	switch unit[1:] {
	case "":
		return x * math.Pow(1000, power), true
	case "i":
		return x * math.Pow(1024, power), true
	}
	return 0, false
}

// parseComposeBytes reads a compose size: every unit is a power of 1024, in any case, with or without "b".
func parseComposeBytes(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimSuffix(strings.TrimSuffix(s, "b"), "i")
	if s == "" {
		return 0, false
	}
	power := strings.IndexByte("kmgtp", s[len(s)-1]) + 1
	if power > 0 {
		s = s[:len(s)-1]
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(x, 0) || x < 0 {
		return 0, false
	}
	return x * math.Pow(1024, float64(power)), true
}

// parseCPUs reads a number of CPUs: 2, "0.5", "500m".
func parseCPUs(s string) (float64, bool) {
	scale := 1.0
	if t, ok := strings.CutSuffix(s, "m"); ok {
		s, scale = t, 1000
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) || x < 0 {
		return 0, false
	}
	return x / scale, true
}

// cpus is an amount of CPUs with its origin, unknown when it cannot be read.
func cpus(v *model.Value) *model.Value { return measured(v, parseCPUs) }

// memory is a Kubernetes amount of memory in bytes.
func memory(v *model.Value) *model.Value { return measured(v, parseBytes) }

// byteSize is a compose amount of memory in bytes.
func byteSize(v *model.Value) *model.Value { return measured(v, parseComposeBytes) }

func measured(v *model.Value, parse func(string) (float64, bool)) *model.Value {
	out := model.NewUnknown(v.Origin)
	if s, ok := v.Scalar(); ok {
		if x, ok := parse(s); ok {
			out = model.NewFloat(x, v.Origin)
		}
	}
	out.SetLosers(v.Losers())
	return out
}

// seconds reads a duration in seconds: a number, or Go and compose texts (30s, 1m30s).
func seconds(v *model.Value) (float64, bool) {
	if x, ok := v.AsFloat(true); ok {
		return x, true
	}
	s, ok := v.AsText()
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(s)
	return d.Seconds(), err == nil
}

// secondsOr is a duration in seconds, a default without an origin when nothing is written, unknown when it cannot
// be read.
func secondsOr(v *model.Value, def float64) *model.Value {
	if v == nil || v.Kind == model.Null {
		return model.NewFloat(def, model.Origin{Source: model.FromDefault})
	}
	if x, ok := seconds(v); ok {
		return model.NewFloat(x, v.Origin)
	}
	return model.NewUnknown(v.Origin)
}

// numberOr is a number, a default when nothing is written, unknown when it is none.
func numberOr(v *model.Value, def float64) *model.Value {
	if v == nil || v.Kind == model.Null {
		return model.NewFloat(def, model.Origin{Source: model.FromDefault})
	}
	if x, ok := v.AsFloat(true); ok {
		return model.NewFloat(x, v.Origin)
	}
	return model.NewUnknown(v.Origin)
}
