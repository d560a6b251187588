package knowledge

import (
	"math"
	"strconv"
	"strings"
)

// HumanInt reads an integer as vLLM's arguments for sizes do: 32768, 32k for 32000, 25.6k, 32K for 32768, up to t and T. Suffixes of binary multiples
// take no fraction (vllm 0.29.0, vllm/utils/argparse_utils.py, human_readable_int). It is false for anything else, auto included.
func HumanInt(text string) (int64, bool) {
	text = strings.TrimSpace(text)
	number, multiple := text, 1.0
	if n := len(text); n > 0 {
		if i := strings.IndexByte("kmgtKMGT", text[n-1]); i >= 0 {
			number = text[:n-1]
			multiple = math.Pow([...]float64{1000, 1024}[i/4], float64(i%4+1))
			if !unsigned(number, i < 4) {
				return 0, false
			}
			x, err := strconv.ParseFloat(number, 64)
			x = math.Trunc(x * multiple)
			return int64(x), err == nil && x < 1<<62
		}
	}
	// Python's int takes underscores between digits.
	if strings.HasPrefix(number, "_") || strings.HasSuffix(number, "_") || strings.Contains(number, "__") {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(number, "_", ""), 10, 64)
	return n, err == nil
}

// unsigned reports whether a text is digits, with a fraction where that is allowed.
func unsigned(s string, fraction bool) bool {
	whole, part, dot := strings.Cut(s, ".")
	if dot && (!fraction || part == "") || whole == "" {
		return false
	}
	for _, c := range whole + part {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
