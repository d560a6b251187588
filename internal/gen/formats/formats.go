// Package formats holds the outputs of agentlint against programs that read them: the published schema of SARIF, and
// readers of JUnit, Checkstyle and reviewdog's format. They are no dependency of agentlint, so they are used here.
package formats
