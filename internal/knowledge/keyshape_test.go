package knowledge

import "testing"

func TestFindKeyShape(t *testing.T) {
	for text, want := range map[string]string{
		"sk-ant-api03-9fK2mQx7Lz1TbV8cR4nW6yE0": "anthropic",
		"sk-9fK2mQx7Lz1TbV8cR4nW6yE0":           "openai",
		"gsk_9fK2mQx7Lz1TbV8cR4nW6yE0":          "groq",
		"AKIA9FK2MQX7LZ1TBV8C":                  "bedrock",
		"hf_9fK2mQx7Lz1TbV8cR4nW6yE0":           "huggingface",
		"sk-1234":                               "",
		"sk-noop":                               "",
		"sk-my-local-test-key-for-the-team":     "", // words
		"sk-0000000000000000000000":             "", // one digit
		"sk-aaaaaaaaaaaa1111111111":             "", // two characters
		"hf_9fK2mQx7":                           "", // short
		"hf_9fK2mQx7Lz1TbV8cR4nW6yE0/model":     "", // a path
		"sk-${OPENAI_API_KEY_9fK2mQx7}":         "",
		"9fK2mQx7Lz1TbV8cR4nW6yE0":              "",
		"":                                      "",
	} {
		got, ok := FindKeyShape(text)
		if got.Provider != want || ok != (want != "") {
			t.Errorf("%s: %q, want %q", text, got.Provider, want)
		}
	}
}
