package knowledge

import "strings"

// families are words by which a model's name tells its family, longer ones first where one begins another. The names are those
// of the vendors' model cards, as they stand in the keys of LiteLLM's price list (litellm 1.102.0,
// litellm/model_prices_and_context_window_backup.json) and in the table of model geometries.
var families = [...]string{
	"claude", "codestral", "command", "deepseek", "devstral", "ernie", "gemini", "gemma", "glm", "gpt", "granite", "grok", "kimi", "llama", "magistral", "minimax", "ministral", "mistral", "mixtral",
	"nemotron", "nova", "olmo", "phi", "pixtral", "qwen", "qwq", "titan", "yi",
}

// uses are words that say what a model is for when it is not for text.
var uses = [...][2]string{
	{"embed", "embedding"}, {"bge-", "embedding"}, {"gte-", "embedding"}, {"e5-", "embedding"}, {"rerank", "reranking"}, {"whisper", "transcription"}, {"transcribe", "transcription"},
	{"tts", "speech"}, {"dall-e", "images"}, {"image", "images"}, {"moderation", "moderation"},
}

// ModelFamily returns the family that a model's name tells, with its use where that is no text: "llama", "qwen embedding"; "" when
// the name tells neither, or more than one family (a distilled model).
func ModelFamily(name string) string {
	name = strings.ToLower(name)
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		name = name[i+1:]
	}
	letters, starts := initials(name)
	for _, u := range uses {
		if letters&letter(u[0][0]) != 0 && strings.Contains(name, u[0]) {
			return u[1]
		}
	}
	found := ""
	for _, f := range families {
		if starts&letter(f[0]) == 0 {
			continue
		}
		i := strings.Index(name, f)
		if i < 0 || i > 0 && name[i-1] >= 'a' && name[i-1] <= 'z' {
			continue
		}
		// "yi" and "phi" are parts of other words.
		if end := i + len(f); len(f) < 4 && end < len(name) && name[end] >= 'a' && name[end] <= 'z' {
			continue
		}
		if found != "" {
			return ""
		}
		found = f
	}
	return found
}

// initials returns the letters of a name, and those that begin its words.
func initials(name string) (letters, starts uint32) {
	inWord := false
	for i := range len(name) {
		l := letter(name[i])
		letters |= l
		if !inWord {
			starts |= l
		}
		inWord = l != 0
	}
	return letters, starts
}

// letter is the bit of a small letter, 0 for another character.
func letter(c byte) uint32 {
	if c < 'a' || c > 'z' {
		return 0
	}
	return 1 << (c - 'a')
}
