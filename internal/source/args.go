package source

// Form is the way a list of words is written, which decides how one can be edited.
type Form uint8

// The forms of word lists.
const (
	ListItems Form = iota // one YAML or JSON list item a word
	ShellText             // one text split by a shell: a script line, a compose string, the item after sh -c
	ExecJSON              // Dockerfile exec form
	KeyValues             // a mapping that a chart turns into flags (vllm --config file)
)

// Word is one word of a command line with the bytes it was read from.
type Word struct {
	Text string
	Span Span
	// Unknown is true when a part of the word is an expansion whose value is not in the files; Text then holds
	// the word as written.
	Unknown bool
	// Node is the list item the word is, or stands in; nil in plain text files.
	Node *Node
}

// Args is a command line as written: words in order, possibly out of several places (command and args of
// a container), each with its span in File.
type Args struct {
	File *File
	Form Form
	// Node is the list or scalar that holds the words, nil in plain text files.
	Node *Node
	// Span covers all words, and the bytes an appended word goes after.
	Span  Span
	Words []Word
}
