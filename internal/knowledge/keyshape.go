package knowledge

import (
	"math"
	"strings"
)

// KeyShape is how the keys of a hosted API begin, and how many characters follow at least.
type KeyShape struct {
	Provider string // LiteLLM's word, for people
	Prefix   string
	Least    int
	Source   string
}

// keyShapes are in the order in which they are tried, longer beginnings first. Those of litellm 1.102.0 are what its log filter
// hides; the others are what the vendors' consoles hand out, as their documentation shows it.
var keyShapes = [...]KeyShape{
	{"anthropic", "sk-ant-", 20, "litellm 1.102.0, litellm/types/llms/anthropic.py"},
	{"openrouter", "sk-or-", 20, "openrouter.ai/docs/api-reference/authentication"},
	{"openai", "sk-proj-", 20, "platform.openai.com/docs/api-reference/authentication"},
	{"openai", "sk-svcacct-", 20, "platform.openai.com/docs/api-reference/authentication"},
	{"openai", "sk-", 18, "litellm 1.102.0, litellm/litellm_core_utils/secret_redaction.py"},
	{"gemini", "AIza", 35, "litellm 1.102.0, litellm/litellm_core_utils/secret_redaction.py"},
	{"vertex_ai", "ya29.", 20, "litellm 1.102.0, litellm/litellm_core_utils/secret_redaction.py"},
	{"bedrock", "AKIA", 16, "litellm 1.102.0, litellm/litellm_core_utils/secret_redaction.py"},
	{"bedrock", "ASIA", 16, "litellm 1.102.0, litellm/litellm_core_utils/secret_redaction.py"},
	{"databricks", "dapi", 32, "litellm 1.102.0, litellm/litellm_core_utils/secret_redaction.py"},
	{"groq", "gsk_", 20, "console.groq.com/docs/api-reference"},
	{"huggingface", "hf_", 20, "huggingface.co/docs/hub/security-tokens"},
	{"nvidia_nim", "nvapi-", 20, "docs.nvidia.com/nim"},
	{"perplexity", "pplx-", 20, "docs.perplexity.ai/getting-started"},
	{"replicate", "r8_", 20, "replicate.com/docs/reference/http"},
	{"xai", "xai-", 20, "docs.x.ai/docs/tutorial"},
	{"cerebras", "csk-", 20, "inference-docs.cerebras.ai/quickstart"},
	{"fireworks_ai", "fw_", 16, "docs.fireworks.ai/getting-started"},
	{"together_ai", "tgp_v1_", 20, "docs.together.ai/docs/quickstart"},
}

// minKeyEntropy is the least entropy of what follows a key's beginning, in bits a character: random letters and digits have
// four and more, words put together and repeated characters less.
const minKeyEntropy = 3.2

// FindKeyShape returns the shape of a text that is the key of a hosted API: its beginning, its length and the randomness of the
// rest say so.
func FindKeyShape(s string) (KeyShape, bool) {
	for i := range keyShapes {
		k := &keyShapes[i]
		if s == "" || s[0] != k.Prefix[0] {
			continue
		}
		body, ok := strings.CutPrefix(s, k.Prefix)
		if !ok {
			continue
		}
		if len(body) < k.Least || strings.ContainsAny(body, " \t\n{}$/") || !random(body) {
			return KeyShape{}, false
		}
		return *k, true
	}
	return KeyShape{}, false
}

// random reports whether a text looks drawn at random: letters and digits mixed, few of them often.
func random(s string) bool {
	var count [256]int
	digits, letters := 0, 0
	for i := range len(s) {
		c := s[i]
		count[c]++
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
			letters++
		}
	}
	if digits < 2 || letters < 2 {
		return false
	}
	entropy := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			entropy -= p * math.Log2(p)
		}
	}
	return entropy >= minKeyEntropy
}
