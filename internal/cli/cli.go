// Package cli turns a command line into an engine run and an exit code.
package cli

import "io"

// Streams are the input and outputs of one invocation.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// Main runs one command line (without the program name) and returns the exit code of design section 7.
func Main(args []string, s Streams) int {
	return 0
}
