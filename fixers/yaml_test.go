package fixers

import (
	"testing"

	"agentlint/internal/model"
)

type P = model.Path

func TestYAMLEdits(t *testing.T) {
	comment := func(at P, text string) model.Op { return model.Op{Kind: model.OpInsertComment, At: at, Name: text} }
	move := func(at, to P) model.Op { return model.Op{Kind: model.OpMove, At: at, To: to} }
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     string
	}{
		// Set.
		{"int", "a: 1 # c\nb: 2\n", model.Set(P{"a"}, 42), "a: 42 # c\nb: 2\n"},
		{"bool for text", "a: \"true\"\n", model.Set(P{"a"}, true), "a: true\n"},
		{"text for bool", "a: yes\n", model.Set(P{"a"}, "yes"), "a: \"yes\"\n"},
		{"plain text stays plain", "a: x\n", model.Set(P{"a"}, "y z"), "a: y z\n"},
		{"single quotes stay", "a: 'x'\n", model.Set(P{"a"}, "it's"), "a: 'it''s'\n"},
		{"double quotes stay", "a: \"x\"\n", model.Set(P{"a"}, "y"), "a: \"y\"\n"},
		{"needs quotes", "a: x\n", model.Set(P{"a"}, "1.5"), "a: \"1.5\"\n"},
		{"needs quotes for a comment", "a: x\n", model.Set(P{"a"}, "y # z"), "a: \"y # z\"\n"},
		{"float for PyYAML", "a: 1\n", model.Set(P{"a"}, 1e-6), "a: 1.0e-06\n"},
		{"whole float", "a: 1\n", model.Set(P{"a"}, 2.0), "a: 2.0\n"},
		{"null", "a: 1\n", model.Set(P{"a"}, nil), "a: null\n"},
		{"empty value", "a:\nb: 2\n", model.Set(P{"a"}, 1), "a: 1\nb: 2\n"},
		{"empty value with anchor", "a: &x\nb: 2\n", model.Set(P{"a"}, 1), "a: &x 1\nb: 2\n"},
		{"empty item", "a:\n-\n- 2\n", model.Set(P{"a", 0}, 1), "a:\n- 1\n- 2\n"},
		{"empty in braces", "a: {b: , c: 1}\n", model.Set(P{"a", "b"}, 1), "a: {b: 1, c: 1}\n"},
		{"absent in braces", "a: {b, c: 1}\n", model.Set(P{"a", "b"}, 1), "a: {b : 1, c: 1}\n"},
		{"absent after ?", "? a\nb: 1\n", model.Set(P{"a"}, 1), "? a\n: 1\nb: 1\n"},
		{"flow pair", "a: [p: ]\n", model.Set(P{"a", 0, "p"}, 1), "a: [p: 1]\n"},
		{"literal", "a: |\n  x\n  y\nb: 1\n", model.Set(P{"a"}, "z"), "a: z\nb: 1\n"},
		{"literal with a comment", "a: | # why\n  x\n  y\nb: 1\n", model.Set(P{"a"}, "z"), "a: z # why\nb: 1\n"},
		{"folded keep", "a: >+\n  x\n\nb: 1\n", model.Set(P{"a"}, "z"), "a: z\nb: 1\n"},
		{"multi-line plain", "a: x\n  y\nb: 1\n", model.Set(P{"a"}, "z"), "a: z\nb: 1\n"},
		{"CRLF", "a: 1\r\nb: 2\r\n", model.Set(P{"b"}, 3), "a: 1\r\nb: 3\r\n"},
		{"no final newline", "a: 1", model.Set(P{"a"}, 2), "a: 2"},
		{"BOM", "\ufeffa: 1\n", model.Set(P{"a"}, 2), "\ufeffa: 2\n"},
		{"unicode before", "ä: {ö: 日本, z: 1}\n", model.Set(P{"ä", "z"}, 2), "ä: {ö: 日本, z: 2}\n"},
		{"line separator", "a: 1 # x\u2028b: 2\n", model.Set(P{"b"}, 3), "a: 1 # x\u2028b: 3\n"},
		{"scalar to list stays on its line", "a: x # c\n", model.Set(P{"a"}, []any{"x"}), "a: [x] # c\n"},
		{"scalar to list as the file does", "l:\n  - p\nm:\n  - q\na: x # c\nb: 1\n", model.Set(P{"a"}, []any{"x"}), "l:\n  - p\nm:\n  - q\na: [x] # c\nb: 1\n"},
		{"scalar to map", "a: x # c\nb: 1\n", model.Set(P{"a"}, map[string]any{"k": "v", "j": 1}), "a: # c\n  j: 1\n  k: v\nb: 1\n"},
		{"item to map", "a:\n  - x\n  - y\n", model.Set(P{"a", 0}, map[string]any{"k": "v", "j": 1}), "a:\n  - j: 1\n    k: v\n  - y\n"},
		{"map to scalar", "a:\n  k: v\n  j: 1\nb: 2\n", model.Set(P{"a"}, 1), "a: 1\nb: 2\n"},
		{"map item to scalar", "a:\n  - k: v\n    j: 1\n  - y\n", model.Set(P{"a", 0}, "x"), "a:\n  - x\n  - y\n"},
		{"flow map to scalar", "a: {k: v}\nb: 2\n", model.Set(P{"a"}, 1), "a: 1\nb: 2\n"},
		{"map to map", "a:\n  k: v # keep\n  j: 1\n", model.Set(P{"a"}, map[string]any{"k": "v", "l": 2}), "a:\n  k: v # keep\n  l: 2\n"},
		{"list to list", "a:\n  - x # 1\n  - y # 2\n  - z # 3\n", model.Set(P{"a"}, []any{"x", "z"}), "a:\n  - x # 1\n  - z # 3\n"},
		{"list to longer list", "a: [x, z]\n", model.Set(P{"a"}, []any{"x", "w", "z"}), "a: [x, w, z]\n"},
		{"list to empty", "a:\n  - x\nb: 1\n", model.Set(P{"a"}, []any{}), "a: []\nb: 1\n"},

		// Insert.
		{"last key", "a:\n  b: 1\nc: 2\n", model.Set(P{"a", "x"}, 1), "a:\n  b: 1\n  x: 1\nc: 2\n"},
		{"after a comment on the line", "a:\n  b: 1 # c\nc: 2\n", model.Set(P{"a", "x"}, 1), "a:\n  b: 1 # c\n  x: 1\nc: 2\n"},
		{"after deeper comments", "a:\n  b:\n    d: 1\n    # more of b\n  # of a\nc: 2\n", model.Set(P{"a", "x"}, 1), "a:\n  b:\n    d: 1\n    # more of b\n  x: 1\n  # of a\nc: 2\n"},
		{"four spaces", "a:\n    b:\n        c: 1\n", model.Set(P{"a", "x"}, map[string]any{"w": 1}), "a:\n    b:\n        c: 1\n    x:\n        w: 1\n"},
		{"missing section", "a:\n  b: 1\n", model.Set(P{"s", "x"}, 1), "a:\n  b: 1\ns:\n  x: 1\n"},
		{"missing section after a blank line", "a:\n  b: 1\n\nc:\n  d: 1\n", model.Set(P{"s", "x"}, 1), "a:\n  b: 1\n\nc:\n  d: 1\n\ns:\n  x: 1\n"},
		{"empty section", "a:\nb: 1\n", model.Set(P{"a", "x"}, 1), "a:\n  x: 1\nb: 1\n"},
		{"empty section with comments", "a: # c\n    # d: 1\nb: 1\n", model.Set(P{"a", "x"}, 1), "a: # c\n    x: 1\n    # d: 1\nb: 1\n"},
		{"null section", "a: null # c\nb: 1\n", model.Set(P{"a", "x"}, 1), "a: # c\n  x: 1\nb: 1\n"},
		{"tilde section", "a: ~\nb: 1\n", model.Set(P{"a", "x"}, 1), "a:\n  x: 1\nb: 1\n"},
		{"empty braces", "a: {} # c\nb: 1\n", model.Set(P{"a", "x"}, 1), "a: # c\n  x: 1\nb: 1\n"},
		{"empty braces with a comment inside", "a: { # c\n}\nb: 1\n", model.Set(P{"a", "x"}, 1), "a: { # c\nx: 1 }\nb: 1\n"},
		{"empty braces in braces", "a: {b: {}}\n", model.Set(P{"a", "b", "x"}, 1), "a: {b: {x: 1}}\n"},
		{"empty root", "{}\n", model.Set(P{"x"}, 1), "x: 1\n"},
		{"empty root after a marker", "--- {}\n", model.Set(P{"x"}, 1), "--- \nx: 1\n"},
		{"empty list", "a: []\n", model.Append(P{"a"}, "x"), "a: [x]\n"},
		{"empty list of maps", "a: [] # c\nb: 1\n", model.Append(P{"a"}, map[string]any{"k": 1, "l": 2}), "a: # c\n  - k: 1\n    l: 2\nb: 1\n"},
		{"null list", "a:\nb: 1\n", model.Append(P{"a"}, "x"), "a:\n  - x\nb: 1\n"},
		{"missing list", "a:\n  b: 1\n", model.Append(P{"a", "l"}, "x"), "a:\n  b: 1\n  l:\n    - x\n"},
		{"missing list as other lists", "a:\n  b:\n  - 1\n", model.Append(P{"a", "l"}, "x"), "a:\n  b:\n  - 1\n  l:\n  - x\n"},
		{"missing list as other flow lists", "a:\n  b: [1]\n", model.Append(P{"a", "l"}, "x"), "a:\n  b: [1]\n  l: [x]\n"},
		{"item", "a:\n  - x\n  - y # c\nb: 1\n", model.Append(P{"a"}, "z"), "a:\n  - x\n  - y # c\n  - z\nb: 1\n"},
		{"item not indented", "a:\n- x\nb: 1\n", model.Append(P{"a"}, "z"), "a:\n- x\n- z\nb: 1\n"},
		{"item with wide dash", "a:\n-   x\nb: 1\n", model.Append(P{"a"}, map[string]any{"k": 1, "l": 2}), "a:\n-   x\n-   k: 1\n    l: 2\nb: 1\n"},
		{"item as its neighbours are quoted", "a:\n  - \"x\"\n", model.Append(P{"a"}, "z"), "a:\n  - \"x\"\n  - \"z\"\n"},
		{"item in brackets", "a: [x, y] # c\n", model.Append(P{"a"}, "z"), "a: [x, y, z] # c\n"},
		{"item in brackets with comma", "a: [x, y, ]\n", model.Append(P{"a"}, "z"), "a: [x, y, z, ]\n"},
		{"item in brackets on lines", "a: [\n  x,\n  y # c\n]\n", model.Append(P{"a"}, "z"), "a: [\n  x,\n  y, # c\n  z\n]\n"},
		{"item in brackets on lines with comma", "a: [\n  x,\n  y, # c\n]\n", model.Append(P{"a"}, "z"), "a: [\n  x,\n  y, # c\n  z,\n]\n"},
		{"key in braces", "a: {b: 1}\n", model.Set(P{"a", "x"}, "v"), "a: {b: 1, x: v}\n"},
		{"key in braces after a null", "a: {b: }\n", model.Set(P{"a", "x"}, 1), "a: {b: , x: 1}\n"},
		{"nested collection in braces", "a: {b: 1}\n", model.Set(P{"a", "x", "w"}, []any{"p", "q,r"}), "a: {b: 1, x: {w: [p, \"q,r\"]}}\n"},
		{"map in a list item", "a:\n- k: 1\n- j: 2\n", model.Set(P{"a", 0, "x"}, 1), "a:\n- k: 1\n  x: 1\n- j: 2\n"},
		{"quoted keys", "\"a\": 1\n\"b\": 2\n", model.Set(P{"c"}, 3), "\"a\": 1\n\"b\": 2\n\"c\": 3\n"},
		{"no final newline, insert", "a:\n  b: 1", model.Set(P{"a", "x"}, 1), "a:\n  b: 1\n  x: 1"},
		{"no final newline after a literal", "a: |\n  x", model.Set(P{"b"}, 1), "a: |-\n  x\nb: 1"},
		{"after keep", "a: |+\n  x\n\nb: 1\n", model.Set(P{"c"}, 1), "a: |+\n  x\n\nb: 1\nc: 1\n"},
		{"after keep at the end", "b: 1\na: |+\n  x\n\n", model.Set(P{"c"}, 1), "b: 1\na: |+\n  x\n\nc: 1\n"},
		{"CRLF, insert", "a:\r\n  b: 1\r\n", model.Set(P{"a", "x", "w"}, 1), "a:\r\n  b: 1\r\n  x:\r\n    w: 1\r\n"},
		{"in the first of two documents", "a: 1\n---\nb: 1\n", model.Set(P{"x"}, 1), "a: 1\nx: 1\n---\nb: 1\n"},
		{"before a document's end", "a: 1\n...\n", model.Set(P{"x"}, 1), "a: 1\nx: 1\n...\n"},

		// Remove.
		{"key", "a: 1\nb: 2\nc: 3\n", model.Remove(P{"b"}), "a: 1\nc: 3\n"},
		{"key with comments", "a: 1\n\n# about b\nb: 2 # here\n  # deeper\n\n# about c\nc: 3\n", model.Remove(P{"b"}), "a: 1\n\n\n# about c\nc: 3\n"},
		{"section header stays", "m:\n  # Timeouts\n  t: 6000\n  r: 3\n", model.Remove(P{"m", "t"}), "m:\n  # Timeouts\n  r: 3\n"},
		{"comment that names the key goes", "m:\n  # t is too long\n  t: 6000\n  r: 3\n", model.Remove(P{"m", "t"}), "m:\n  r: 3\n"},
		{"licence stays", "# licence\na: 1\n\nb: 2\n", model.Remove(P{"a"}), "# licence\n\nb: 2\n"},
		{"last key", "m:\n  a: 1\n  b: 2 # c\nn: 1\n", model.Remove(P{"m", "b"}), "m:\n  a: 1\nn: 1\n"},
		{"only key", "m: # c\n  a: 1\nn: 1\n", model.Remove(P{"m", "a"}), "m: {} # c\nn: 1\n"},
		{"only key with anchor", "m: &x\n  a: 1\nn: 1\n", model.Remove(P{"m", "a"}), "m: &x {}\nn: 1\n"},
		{"only key of a list item", "m:\n  - a: 1 # c\n  - b\n", model.Remove(P{"m", 0, "a"}), "m:\n  - {} # c\n  - b\n"},
		{"only item", "m:\n- a\nn: 1\n", model.Remove(P{"m", 0}), "m: []\nn: 1\n"},
		{"only root key", "a: 1\n", model.Remove(P{"a"}), "{}\n"},
		{"first key after a dash", "- a: 1 # x\n  # about b\n  b: 2\n", model.Remove(P{0, "a"}), "- # about b\n  b: 2\n"},
		{"first item after a dash", "- - a\n  - b\n", model.Remove(P{0, 0}), "- - b\n"},
		{"item", "m:\n  - a\n  - b: 1\n    c: 2\n  - d\n", model.Remove(P{"m", 1}), "m:\n  - a\n  - d\n"},
		{"last line without newline", "a: 1\nb: 2", model.Remove(P{"b"}), "a: 1"},
		{"E1", "a: |+\n  x\nb: 1\n\nc: 2\n", model.Remove(P{"b"}), "a: |+\n  x\nc: 2\n"},
		{"E2", "a: |\n  x\nb: 1\n     \nc: 2\n", model.Remove(P{"b"}), "a: |\n  x\nc: 2\n"},
		{"blank line stays below strip", "a: |\n  x\nb: 1\n\nc: 2\n", model.Remove(P{"b"}), "a: |\n  x\n\nc: 2\n"},
		{"E3", "a: |\n  x\nb: 1\n  # c\nc: 2\n", model.Remove(P{"b"}), "a: |\n  x\nc: 2\n"},
		{"E4", "? |+\n  x\nb: 1\n\nc: 2\n", model.Remove(P{"b"}), "? |+\n  x\nc: 2\n"},
		{"E5", "a: {k0: , k1: 1}\n", model.Remove(P{"a", "k1"}), "a: {k0: , }\n"},
		{"E6 colon", "a: [x :, y]\n", model.Remove(P{"a", 1}), "a: [x :, ]\n"},
		{"E6 dash", "[-, b ]\n", model.Remove(P{1}), "[-,  ]\n"},
		{"E6 tag", "a: [x, !!str , z]\n", model.Remove(P{"a", 2}), "a: [x, !!str , ]\n"},
		{"E7", "a: [x, 'y'# c\n ]\n", model.Remove(P{"a", 1}), "a: [x # c\n ]\n"},
		{"E7 lines", "a: [\n x,# c\n y]\n", model.Remove(P{"a", 1}), "a: [\n x,# c\n ]\n"},
		{"E8", "a: [\n  x\n  , y\n  ,\n]\n", model.Remove(P{"a", 1}), "a: [\n  x\n  ,\n]\n"},
		{"E8 only", "a: [x, ]\n", model.Remove(P{"a", 0}), "a: []\n"},
		{"flow middle", "a: [x, y, z]\n", model.Remove(P{"a", 1}), "a: [x, z]\n"},
		{"flow last", "a: {x: 1, y: 2}\n", model.Remove(P{"a", "y"}), "a: {x: 1}\n"},
		{"flow only", "a: {x: 1}\n", model.Remove(P{"a", "x"}), "a: {}\n"},
		{"flow lines", "a: [\n  x, # 1\n  y, # 2\n  z # 3\n]\n", model.Remove(P{"a", 1}), "a: [\n  x, # 1\n  z # 3\n]\n"},
		{"flow last line", "a: [\n  x, # 1\n  y # 2\n]\n", model.Remove(P{"a", 1}), "a: [\n  x # 1\n]\n"},
		{"flow pair", "a: [x: 1, y]\n", model.Remove(P{"a", 0, "x"}), "a: [{}, y]\n"},
		{"flow pair item", "a: [x: 1, y]\n", model.Remove(P{"a", 0}), "a: [y]\n"},
		{"duplicate keys go together", "a: 1\nb: 2\na: 3\n", model.Remove(P{"a"}), "b: 2\n"},

		// Rename.
		{"rename", "a: 1 # c\nb: 2\n", model.Rename(P{"a"}, "z"), "z: 1 # c\nb: 2\n"},
		{"rename quoted", "'a': 1\n", model.Rename(P{"a"}, "z"), "'z': 1\n"},
		{"rename to a typed word", "a: 1\n", model.Rename(P{"a"}, "on"), "\"on\": 1\n"},
		{"rename a map", "m:\n  a:\n    x: 1\n", model.Rename(P{"m", "a"}, "z"), "m:\n  z:\n    x: 1\n"},
		{"rename in braces", "m: {a: 1}\n", model.Rename(P{"m", "a"}, "z"), "m: {z: 1}\n"},

		// Comments.
		{"comment", "m:\n  a: 1\n", comment(P{"m", "a"}, "why"), "m:\n  # why\n  a: 1\n"},
		{"comment above an item", "m:\n  - a: 1\n", comment(P{"m", 0, "a"}, "why\nso"), "m:\n  # why\n  # so\n  - a: 1\n"},
		{"comment in braces", "m: {a: 1}\n", comment(P{"m", "a"}, "why"), "# why\nm: {a: 1}\n"},

		// Replace text.
		{"replace", "q: sum(vllm:a) + vllm:a_b + vllm:a\n", model.ReplaceText(P{"q"}, "vllm:a", "vllm:z"), "q: sum(vllm:z) + vllm:a_b + vllm:z\n"},
		{"replace in a literal", "q: |\n  sum(vllm:a)\n  / vllm:b\n", model.ReplaceText(P{"q"}, "vllm:b", "vllm:z"), "q: |\n  sum(vllm:a)\n  / vllm:z\n"},
		{"replace in quotes", "q: \"\\\"x\\\" vllm:a\"\n", model.ReplaceText(P{"q"}, "vllm:a", "v\"z"), "q: \"\\\"x\\\" v\\\"z\"\n"},
		{"replace in folded", "q: >\n  a\n  b\n  c\n", model.ReplaceText(P{"q"}, "b", "z"), "q: >\n  a\n  z\n  c\n"},

		// Move.
		{"move", "a:\n  x: 1 # why\n  y: 2\nb:\n  z: 3\n", move(P{"a", "x"}, P{"b", "x"}), "a:\n  y: 2\nb:\n  z: 3\n  x: 1 # why\n"},
		{"move to a missing section", "a:\n  x:\n    - 1\n    # c\n  y: 2\n", move(P{"a", "x"}, P{"b", "c", "w"}), "a:\n  y: 2\nb:\n  c:\n    w:\n      - 1\n      # c\n"},
		{"move to an empty section", "a:\n  x: 1\n  y: 2\nb:\nc: 1\n", move(P{"a", "x"}, P{"b", "x"}), "a:\n  y: 2\nb:\n  x: 1\nc: 1\n"},
		{"move the only key", "a:\n  x: 'q' # why\nb:\n  z: 3\n", move(P{"a", "x"}, P{"b", "x"}), "a: {}\nb:\n  z: 3\n  x: 'q' # why\n"},
		{"move up", "a:\n  # about x\n  x: |\n    t\n     u\n  y: 2\n", move(P{"a", "x"}, P{"x"}), "a:\n  y: 2\n# about x\nx: |\n  t\n   u\n"},
		{"move within the map is a rename", "a:\n  x: 1\n  y: 2\n", move(P{"a", "x"}, P{"a", "z"}), "a:\n  z: 1\n  y: 2\n"},
		{"move an item", "a:\n  - x\n  # why\n  - k: 1\n    l: 2\nb:\n- y\n- z\n", move(P{"a", 1}, P{"b", 1}), "a:\n  - x\nb:\n- y\n# why\n- k: 1\n  l: 2\n- z\n"},

		// What a later key overrides.
		{"remove what is overridden", "a: 1\nb: 2\na: 3\n", model.Remove(P{"a", model.Loser(0)}), "b: 2\na: 3\n"},
		{"remove the first of three", "a: 1\na: 2\na: 3\n", model.Remove(P{"a", model.Loser(1)}), "a: 2\na: 3\n"},
		{"move out of what is overridden", "a:\n  # about x\n  x: 1 # why\n  z: 3\nb: 1\na:\n  y: 2\n", move(P{"a", model.Loser(0), "x"}, P{"a", "x"}),
			"a:\n  z: 3\nb: 1\na:\n  y: 2\n  # about x\n  x: 1 # why\n"},
		{"move an item out of what is overridden", "a:\n  - x\n  - z\na:\n  - y\n", move(P{"a", model.Loser(0), 1}, P{"a", 0}), "a:\n  - x\na:\n  - z\n  - y\n"},
		{"set in what is overridden", "a:\n  x: 1\na:\n  y: 2\n", model.Set(P{"a", model.Loser(0), "x"}, 3), "a:\n  x: 3\na:\n  y: 2\n"},
		{"add to what is overridden", "a:\n  x: 1\na:\n  y: 2\n", model.Set(P{"a", model.Loser(0), "z"}, 3), "a:\n  x: 1\n  z: 3\na:\n  y: 2\n"},
		{"move out of braces", "a: {x: 1, y: 2}\nb:\n  z: 3\n", move(P{"a", "x"}, P{"b", "x"}), "a: {y: 2}\nb:\n  z: 3\n  x: 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan(t, c.in, c.op)
			if err != nil {
				t.Fatalf("%q %v: %v", c.in, c.op, err)
			}
			if got != c.want {
				t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
			}
		})
	}
}

func TestYAMLRefusals(t *testing.T) {
	for _, c := range []struct {
		name, in string
		op       model.Op
		want     Reason
	}{
		{"alias", "a: &x 1\nb: *x\n", model.Set(P{"b"}, 2), ReasonAlias},
		{"anchor used elsewhere", "a: &x 1\nb: *x\n", model.Set(P{"a"}, 2), ReasonAlias},
		{"inside an anchor used elsewhere", "a: &x {k: 1}\nb: *x\n", model.Set(P{"a", "k"}, 2), ReasonAlias},
		{"merged value", "a: &x {k: 1}\nb:\n  <<: *x\n", model.Set(P{"b", "k"}, 2), ReasonAlias},
		{"remove what hides a merged value", "a: &x {k: 1}\nb:\n  <<: *x\n  k: 2\n", model.Remove(P{"b", "k"}), ReasonAlias},
		{"rename what hides a merged value", "a: &x {k: 1}\nb:\n  <<: [*x]\n  k: 2\n", model.Rename(P{"b", "k"}, "z"), ReasonAlias},
		{"E11 remove an anchor in use", "a: &x 1\nb: *x\n", model.Remove(P{"a"}), ReasonAlias},
		{"E11 anchor defined twice", "a: &x 1\nb: &x 2\nc: *x\n", model.Remove(P{"b"}), ReasonAlias},
		{"BOM inside", "a: 1\n\ufeffb: 2\n", model.Set(P{"a"}, 2), ReasonFile},
		{"template", "a: ${X:-1}\n", model.Set(P{"a"}, 2), ReasonTemplate},
		{"template in quotes", "a: \"{{ .x }}\"\n", model.Remove(P{"a"}), ReasonTemplate},
		{"taken name", "a: 1\nb: 2\n", model.Rename(P{"a"}, "b"), ReasonExists},
		{"secret", "a: 1\n", model.Set(P{"master_key"}, "sk-0123456789abcdef"), ReasonSecret},
		{"R1", "key0:\r|\n", model.Set(P{"key0"}, "x"), ReasonVerify},
		{"whole document", "a: 1\n", model.Remove(nil), ReasonForm},
		{"missing", "a: 1\n", model.Remove(P{"b"}), ReasonNoPlace},
		{"no such text", "a: x\n", model.ReplaceText(P{"a"}, "y", "z"), ReasonInput},
		{"not a word", "a: xy\n", model.ReplaceText(P{"a"}, "x", "z"), ReasonInput},
		{"tagged", "a: !vault x\n", model.Set(P{"a"}, "y"), ReasonForm},
		{"list index", "a: [1]\n", model.Set(P{"a", 3}, "y"), ReasonNoPlace},
		{"item in the list", "a: [x]\n", model.Append(P{"a"}, "x"), ReasonExists},
		{"nothing is overridden", "a: 1\n", model.Remove(P{"a", model.Loser(0)}), ReasonNoPlace},
		{"no such key in what is overridden", "a: {x: 1}\na: {y: 2}\n", model.Remove(P{"a", model.Loser(0), "y"}), ReasonNoPlace},
		{"an alias is overridden", "b: &x {k: 1}\na: *x\na: {y: 2}\n", model.Set(P{"a", model.Loser(0), "k"}, 2), ReasonAlias},
		{"move an item out of braces", "a: [x, y]\nb:\n  - z\n", model.Op{Kind: model.OpMove, At: P{"a", 0}, To: P{"b", 0}}, ReasonForm},
		{"move onto a key", "a:\n  x: 1\nb:\n  x: 2\n", model.Op{Kind: model.OpMove, At: P{"a", "x"}, To: P{"b", "x"}}, ReasonExists},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := plan(t, c.in, c.op)
			r, ok := err.(*Refusal)
			if !ok || r.Reason != c.want {
				t.Errorf("%q: got %q, %v, want a refusal for %s", c.in, got, err, c.want)
			}
		})
	}
}
