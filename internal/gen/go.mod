module agentlint/internal/gen

go 1.26.7

require agentlint v0.0.0

replace agentlint => ../..
