.PHONY: build test ci generate fuzz release-snapshot

build:
	go build -o agentlint ./cmd/agentlint

test:
	go test ./...

ci:
	.ci/run

generate:
	go generate ./...

# make fuzz PACKAGE=./internal/source TARGET=FuzzParseYAML TIME=1m
fuzz:
	go test $(PACKAGE) -run '^$$' -fuzz '^$(TARGET)$$' -fuzztime $(or $(TIME),1m)

release-snapshot:
	goreleaser release --snapshot --clean
