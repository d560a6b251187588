package knowledge

import (
	"slices"
	"strings"
	"testing"
)

func TestToolParsers(t *testing.T) {
	for id, want := range map[string]string{
		"Qwen/Qwen3-8B":                             "hermes,qwen3_json",
		"Qwen/Qwen3-Coder-30B-A3B-Instruct":         "qwen3_coder,qwen3_xml",
		"Qwen/Qwen3-Coder-30B-A3B-Instruct-FP8":     "qwen3_coder,qwen3_xml",
		"RedHatAI/Qwen3-8B-FP8-dynamic":             "hermes,qwen3_json",
		"deepseek-ai/DeepSeek-R1":                   "deepseek_v3",
		"deepseek-ai/DeepSeek-R1-Distill-Qwen-32B":  "",
		"deepseek-ai/DeepSeek-V3.2-Exp":             "deepseek_v31,deepseek_v32",
		"deepseek-ai/DeepSeek-V3.2":                 "deepseek_v32",
		"mistralai/Mistral-Small-3.2-24B-Instruct":  "mistral",
		"unsloth/something":                         "",
		"NousResearch/Hermes-3-Llama-3.1-8B":        "hermes,qwen3_json",
		"someone/Qwen3-8B-finetuned":                "",
		"/models/qwen3-8b":                          "",
		"qwen3-8b":                                  "",
		"Qwen/Qwen3-8B/x":                           "",
		"meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama4_pythonic,llama4_json,llama3_json,pythonic",
		strings.Repeat("a", 300) + "/Qwen3-8B":      "",
	} {
		got, ok := ToolParsers(id)
		if strings.Join(got, ",") != want || ok != (want != "") {
			t.Errorf("%s: %v %t, want %s", id, got, ok, want)
		}
	}
}

// Every parser of the table is one that some release has.
func TestToolParsersExist(t *testing.T) {
	var known []string
	for _, v := range VLLM.Releases() {
		known = append(known, VLLM.At(v).Enum("tool_call_parser")...)
	}
	for i := range toolParsers.len() {
		line := toolParsers.line(i)
		for parser := range strings.SplitSeq(column(line, 2), ",") {
			if !slices.Contains(known, parser) {
				t.Errorf("tool_parsers.tsv line %d: no release has %s", i+2, parser)
			}
		}
		if column(line, 4) == "" {
			t.Errorf("tool_parsers.tsv line %d: no source", i+2)
		}
	}
}
