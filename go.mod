module agentlint

go 1.26
