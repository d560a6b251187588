package source

// EnvFile is an env file: names and values, one a line.
type EnvFile struct {
	File    *File
	Entries []EnvEntry
}

// EnvEntry is one line "NAME=value" of an env file.
type EnvEntry struct {
	Name string
	// NameSpan covers the name, ValueSpan the value as written with its quotes (zero-width after the "="
	// when empty, after the name when there is none).
	NameSpan, ValueSpan Span
	// Value is the decoded value before expansion.
	Value string
	// Bare marks a name without "=": the program's surrounding environment gives the value.
	Bare bool
}
