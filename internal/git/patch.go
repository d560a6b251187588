package git

import (
	"fmt"
	"strconv"
	"strings"
)

// Hunk is one hunk of a unified diff, as lines of the new file: First to Last are shown, Added those that changed.
type Hunk struct {
	First, Last int
	Added       []int
	// Removed are the numbers of the new file's lines in front of which lines were removed.
	Removed []int
}

// Holds reports whether the hunk shows the lines from first to last.
func (h *Hunk) Holds(first, last int) bool { return h.First <= first && last <= h.Last }

// ParseHunks reads the hunks of one file. What is no diff is an error.
func ParseHunks(patch string) ([]Hunk, error) {
	var out []Hunk
	var h *Hunk
	line, oldLeft, newLeft := 0, 0, 0
	for text := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		text = strings.TrimSuffix(text, "\r")
		if h == nil || oldLeft == 0 && newLeft == 0 {
			if !strings.HasPrefix(text, "@@ ") {
				if text == "" || strings.HasPrefix(text, `\`) || h == nil {
					continue
				}
				return nil, fmt.Errorf("patch: %.40q stands where a hunk ends", text)
			}
			start, count, oldCount, err := hunkHead(text)
			if err != nil {
				return nil, err
			}
			out = append(out, Hunk{First: start, Last: start + count - 1})
			h = &out[len(out)-1]
			line, oldLeft, newLeft = start, oldCount, count
			if count == 0 {
				// A hunk without new lines names the line before it.
				h.First, h.Last, line = start+1, start, start+1
			}
			continue
		}
		mark := byte(' ')
		if text != "" {
			mark = text[0]
		}
		switch mark {
		case '+':
			h.Added = append(h.Added, line)
			line++
			newLeft--
		case '-':
			if n := len(h.Removed); n == 0 || h.Removed[n-1] != line {
				h.Removed = append(h.Removed, line)
			}
			oldLeft--
		case ' ':
			line++
			newLeft--
			oldLeft--
		case '\\':
		default:
			return nil, fmt.Errorf("patch: %.40q is no line of a hunk", text)
		}
		if oldLeft < 0 || newLeft < 0 {
			return nil, fmt.Errorf("patch: the hunk at line %d is longer than it says", h.First)
		}
	}
	if oldLeft > 0 || newLeft > 0 {
		return nil, fmt.Errorf("patch: the hunk at line %d is cut off", h.First)
	}
	return out, nil
}

// hunkHead reads "@@ -12,3 +14,5 @@ section".
func hunkHead(text string) (start, count, oldCount int, err error) {
	fields := strings.Fields(text)
	if len(fields) < 4 || fields[3] != "@@" || !strings.HasPrefix(fields[1], "-") || !strings.HasPrefix(fields[2], "+") {
		return 0, 0, 0, fmt.Errorf("patch: %.40q is no head of a hunk", text)
	}
	_, oldCount, ok1 := hunkRange(fields[1][1:])
	start, count, ok2 := hunkRange(fields[2][1:])
	if !ok1 || !ok2 {
		return 0, 0, 0, fmt.Errorf("patch: %.40q is no head of a hunk", text)
	}
	return start, count, oldCount, nil
}

// maxLine bounds the numbers of lines that a diff may name.
const maxLine = 1 << 30

func hunkRange(s string) (start, count int, ok bool) {
	a, b, two := strings.Cut(s, ",")
	start, err := strconv.Atoi(a)
	count = 1
	if err == nil && two {
		count, err = strconv.Atoi(b)
	}
	return start, count, err == nil && start >= 0 && count >= 0 && start < maxLine && count < maxLine
}

// ParsePatch reads a unified diff of several files, as git prints it, by the new names of the files.
func ParsePatch(patch string) (map[string][]Hunk, error) {
	out := map[string][]Hunk{}
	name, body := "", []string(nil)
	left, right := 0, 0
	flush := func() error {
		if name == "" || len(body) == 0 {
			body = nil
			return nil
		}
		hunks, err := ParseHunks(strings.Join(body, "\n"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		out[name] = append(out[name], hunks...)
		body = nil
		return nil
	}
	for text := range strings.SplitSeq(strings.TrimSuffix(patch, "\n"), "\n") {
		inside := left > 0 || right > 0
		switch {
		case inside:
			body = append(body, text)
			switch {
			case strings.HasPrefix(text, "+"):
				right--
			case strings.HasPrefix(text, "-"):
				left--
			case strings.HasPrefix(text, `\`):
			default:
				left--
				right--
			}
		case strings.HasPrefix(text, "diff --git "), strings.HasPrefix(text, "--- "):
			if err := flush(); err != nil {
				return nil, err
			}
			name = ""
		case strings.HasPrefix(text, "+++ "):
			var err error
			if name, err = patchName(strings.TrimSuffix(text[len("+++ "):], "\r")); err != nil {
				return nil, err
			}
		case strings.HasPrefix(text, "@@ "):
			_, count, oldCount, err := hunkHead(text)
			if err != nil {
				return nil, err
			}
			left, right = oldCount, count
			body = append(body, text)
		}
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return out, nil
}

// patchName reads the name of a file behind "+++", "" for a file that was deleted.
func patchName(s string) (string, error) {
	s, _, _ = strings.Cut(s, "\t")
	if strings.HasPrefix(s, `"`) {
		u, err := strconv.Unquote(s) // git writes the escapes of C, and bytes in octal, as Go does
		if err != nil {
			return "", fmt.Errorf("patch: the name %.60s cannot be read", s)
		}
		s = u
	}
	if s == "/dev/null" {
		return "", nil
	}
	if _, rest, ok := strings.Cut(s, "/"); ok && strings.HasPrefix(s, "b/") {
		return rest, nil
	}
	return s, nil
}
