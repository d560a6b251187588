package loaders

import (
	"testing"

	"agentlint/internal/source"
)

// TestClassifyLiteLLM tells the configs of LiteLLM from those of other programs with sections of the same names.
func TestClassifyLiteLLM(t *testing.T) {
	for _, c := range []struct {
		text string
		want Kind
	}{
		{"model_list: [{model_name: a}]\ngeneral_settings: {seed: 1}\n", LiteLLMConfig},
		{"litellm_settings: {}\n", LiteLLMConfig},
		{"router_settings: {num_retries: 2}\n", LiteLLMConfig},
		{"general_settings: {master_key: x}\n", LiteLLMConfig},
		{"general_settings: {master_kye: x, alerting: [slack]}\nrouter_settings: {routing_strategy: x}\n", LiteLLMConfig},
		{"model_list: [{model_name: a}]\n", LiteLLMFragment},
		{"general_settings: {seed: 1}\nrouter_settings: none\n", ""},
		{"general_settings: {theme: dark}\nrouter_settings: {ospf: true, hops: 3}\n", ""},
		{"router_settings: {base_path: /app}\n", ""},
		{"model_name: bert\nmodel_list: [bert, roberta]\n", ""},
	} {
		docs, err := source.ParseYAML(source.NewFile("config.yaml", []byte(c.text)))
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := classifyLiteLLM(docs[0].Root); got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
	}
}
