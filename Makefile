.PHONY: build test ci generate evidence oracle fuzz release-snapshot knowledge knowledge-examples

build:
	go build -o agentlint ./cmd/agentlint

test:
	go test ./...

ci:
	.ci/run

generate:
	go generate ./...

# Opens the released artefacts that the rules name as evidence; downloads several hundred megabytes once.
evidence:
	go run -C internal/gen ./evidence

# Asks the real LiteLLM proxy and vLLM's argument parser whether the predictions hold (docs/evidence); installs 0.8 GB a release once.
oracle:
	go run -C internal/gen ./oracle -write

# make fuzz PACKAGE=./internal/source TARGET=FuzzParseYAML TIME=1m
fuzz:
	go test $(PACKAGE) -run '^$$' -fuzz '^$(TARGET)$$' -fuzztime $(or $(TIME),1m)

release-snapshot:
	.ci/snapshot

# Reads the releases that are new on the package indexes, rewrites internal/knowledge/data and what is compiled from it (docs/knowledge.md).
knowledge:
	python3 internal/gen/knowledge/litellm.py
	python3 internal/gen/knowledge/vllm.py
	go generate ./internal/knowledge
	$(MAKE) knowledge-examples
	go test ./internal/knowledge

# Checks the tables and the JSON Schemas against the example configurations in the LiteLLM wheels.
knowledge-examples:
	go run -C internal/gen ./knowledge/examples -cache "$$(python3 internal/gen/knowledge/litellm.py examples)" -write
