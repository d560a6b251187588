package knowledge

import "testing"

func TestModelFamily(t *testing.T) {
	for name, want := range map[string]string{
		"Qwen/Qwen3-Coder-30B-A3B-Instruct":         "qwen",
		"qwen3-8b-awq":                              "qwen",
		"meta-llama/Llama-3.1-8B-Instruct":          "llama",
		"anthropic.claude-sonnet-4-20250514-v1:0":   "claude",
		"gpt-4o-mini":                               "gpt",
		"deepseek-ai/DeepSeek-R1-Distill-Llama-70B": "", // two families
		"text-embedding-3-small":                    "embedding",
		"Qwen/Qwen3-Embedding-8B":                   "embedding",
		"BAAI/bge-m3":                               "embedding",
		"whisper-1":                                 "transcription",
		"coder":                                     "",
		"dolphin-2":                                 "",
		"yi-34b":                                    "yi",
		"yielding":                                  "",
		"":                                          "",
	} {
		if got := ModelFamily(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestBareModel(t *testing.T) {
	for name, want := range map[string]bool{
		"gpt-4o": true, "o3-mini": true, "o1": true, "claude-sonnet-4": true, "text-embedding-3-small": true, "gpt-oss-20b": false, "o1x": false, "qwen3": false, "": false,
	} {
		if got := BareModel(name); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
