package rules

import (
	"slices"
	"strconv"
	"strings"

	"agentlint/internal/model"
)

var _ = register(Rule{
	Meta: model.Meta{
		ID:       "price-per-million",
		Title:    "A price per million tokens stands where one per token belongs",
		Category: "cost",
		Why: `input_cost_per_token and its like are dollars for a single token. A price copied from a list per million is a million
times too high: a prompt of 1,000 tokens at 0.15 costs 150 dollars in the books, and every budget is used up at the first
request.`,
		Remedy:     "Divide by one million: 0.15 dollars per million are `0.00000015`. Write a digit before and behind the point of a power (`1.5e-07`); `1e-7` is a text in YAML, which the gateway converts.",
		Severity:   model.Error,
		Confidence: model.High,
		Inputs:     []string{"gateway.config"},
		When:       []string{"gateway.config.model_list"},
		Fix:        model.Unsafe,
		FixTitle:   "divide it by one million",
		Question:   "Is this a price in dollars per million tokens?",
		Since:      "0.1",
		Evidence: []model.Evidence{
			{Artefact: "litellm 1.102.0", File: "litellm/model_prices_and_context_window_backup.json", Symbol: "input_cost_per_token", Checked: "2026-11-29",
				Note: "OpenAI's dearest text model costs 0.0006 for a token; the few entries of 0.002 and more are slips of the list itself."},
			{Artefact: "litellm 1.102.0", File: "litellm/types/router.py", Symbol: "input_cost_per_token: float | None", Checked: "2026-11-29"},
		},
		Parameters: []model.Parameter{{Name: "dollars", Default: 0.001, Unit: "dollars per token",
			Why: "No text model costs 1,000 dollars per million tokens, and none costs less than 0.001 dollars per million."}},
	},
	Check: func(p *Pass) {
		for entry := range p.ModelList() {
			for _, block := range [...]string{"litellm_params", "model_info"} {
				values := entry.Get(block)
				for i, key := range values.Keys() {
					if !tokenPrice(key) {
						continue
					}
					price, ok := values.Items()[i].AsFloat(true)
					if !ok || price < p.Param("dollars") || !paidByToken(entry) {
						continue
					}
					at := entry.At(block, key)
					p.Report(at, "%s is %s dollars for a single token, %s for a million: a price per million that was not divided by one million", key, model.Number(price), model.Number(price*1e6)).
						Fix(model.Fix{Ops: []model.Op{model.Set(at, perToken(price))}})
				}
			}
		}
	},
})

// perToken divides a price by one million without the noise of binary fractions.
func perToken(price float64) float64 {
	x, err := strconv.ParseFloat(strconv.FormatFloat(price/1e6, 'g', 12, 64), 64)
	if err != nil {
		return price / 1e6
	}
	return x
}

// paidByToken reports whether a model is for text, by its mode or for want of one.
func paidByToken(entry Part) bool {
	mode, _ := entry.Text("model_info", "mode")
	return entry.State("model_info", "mode") != model.Unseen && (mode == "" || slices.Contains(textModes[:], mode))
}

// textModes are the modes of models that are paid by the token of text.
var textModes = [...]string{"chat", "completion", "embedding", "responses", "rerank"}

// tokenPrice reports whether a key is the price of a token of text.
func tokenPrice(key string) bool {
	if !strings.Contains(key, "cost") || !strings.Contains(key, "_cost_per_") && !strings.Contains(key, "_token_cost") {
		return false
	}
	for _, word := range [...]string{"image", "audio", "video", "second", "pixel", "character", "query", "page", "session"} {
		if strings.Contains(key, word) {
			return false
		}
	}
	return strings.Contains(key, "token")
}
