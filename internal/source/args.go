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
	// that part as written. An unknown word outside quotes may stand for several words, or for none.
	Unknown bool
	// Pieces are the word before its references were replaced. The words that one reference gave share them, and
	// Span.
	Pieces Pieces
	// From is where Text stands word for word when that is not in the word itself: in the assignment of a
	// variable of the same script, or in an alternative. Zero otherwise.
	From Span
	// Node is the list item the word is, or stands in; nil in plain text files.
	Node *Node

	// parts are the text as pieces, unresolved references among them; nil when it has none. Their spans are
	// offsets in the file of the list, or in the text of Node for a list item.
	parts Pieces
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

// CommandLine is a whole command line: its words in order, which may stand in several places, for example in
// the command and the args of one container.
type CommandLine struct {
	Words []CommandWord
}

// CommandWord is a word of a [CommandLine] and the list it belongs to.
type CommandWord struct {
	Word
	// Args is the list, Index the word's number in it.
	Args  *Args
	Index int
}

// JoinArgs returns the command line made of all words of some lists in order. Nil lists are skipped.
func JoinArgs(lists ...*Args) *CommandLine {
	c := &CommandLine{}
	for _, a := range lists {
		if a == nil {
			continue
		}
		for i, w := range a.Words {
			c.Words = append(c.Words, CommandWord{Word: w, Args: a, Index: i})
		}
	}
	return c
}
