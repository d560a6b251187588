package knowledge

import "strings"

// bareModels are beginnings of the names that LiteLLM recognises without a provider, because its price list has them as models
// of OpenAI, Anthropic or Cohere (litellm 1.102.0, litellm/model_prices_and_context_window_backup.json, the keys without a
// slash of these providers). gpt-oss is no model of OpenAI's API.
var bareModels = [...]string{
	"chatgpt-", "claude-", "codex-mini", "command", "computer-use-", "dall-e-", "embed-", "ft:gpt-", "ft:o", "gpt-3", "gpt-4", "gpt-5", "gpt-6", "gpt-audio", "gpt-image", "gpt-realtime",
	"omni-moderation", "sora-", "text-embedding-", "text-moderation", "tts-1", "whisper-1",
}

// reasoning are OpenAI's models that are named by a letter and a number: the name itself, or what stands before a dash.
var reasoning = [...]string{"o1", "o3", "o4"}

// BareModel reports whether LiteLLM takes a model's name without a provider for one that it knows.
func BareModel(name string) bool {
	for _, p := range bareModels {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	for _, p := range reasoning {
		if name == p || strings.HasPrefix(name, p+"-") {
			return true
		}
	}
	return false
}
