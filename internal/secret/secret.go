// Package secret finds texts that look like secrets, by the name they are set under or by their own shape, so that
// no output shows them. It errs on the side of finding: a text wrongly taken for a secret is hidden, no more.
package secret

import (
	"sort"
	"strings"
)

// Mask stands in for a secret in redacted text.
const Mask = "[redacted]"

// maxValue bounds what is looked at behind one name, in bytes.
const maxValue = 2048

// Span is a range of bytes of the text that was searched.
type Span struct{ Start, End int }

// Redact returns text with every secret replaced by [Mask].
func Redact(text string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	pos := 0
	for _, s := range found {
		b.WriteString(text[pos:s.Start])
		b.WriteString(Mask)
		pos = s.End
	}
	b.WriteString(text[pos:])
	return b.String()
}

// In reports whether text holds a secret.
func In(text string) bool { return len(Find(text)) > 0 }

// Value reports whether value, set under name, is a secret: by the name when the value is no reference and no
// placeholder, or by its own shape.
func Value(name, value string) bool {
	if named(name) && !harmless(value) {
		return true
	}
	return In(value)
}

// harmless reports whether a value under the name of a secret is none: a placeholder, a switch, the path of a file, or one of
// them behind an authentication scheme.
func harmless(value string) bool {
	value = strings.Trim(strings.TrimSpace(value), `"'`)
	if n := scheme(value); n > 0 && n < len(value) {
		value = strings.TrimSpace(value[n:])
	}
	switch strings.ToLower(value) {
	case "1", "yes", "no", "on", "off":
		return true
	}
	return Placeholder(value) || filePath(value)
}

// filePath reports whether a value is the path of a file: words between slashes of which the first is a folder of
// the system, or the last has an extension.
func filePath(value string) bool {
	for i := 0; i < len(value); i++ {
		if !isWord(value[i]) && value[i] != '/' && value[i] != '~' {
			return false
		}
	}
	for _, dir := range [...]string{"/app/", "/etc/", "/home/", "/mnt/", "/opt/", "/run/", "/secrets/", "/srv/", "/tmp/", "/usr/", "/var/", "/vault/"} {
		if strings.HasPrefix(value, dir) {
			return true
		}
	}
	for _, ext := range [...]string{".cer", ".conf", ".crt", ".env", ".ini", ".json", ".key", ".p12", ".pem", ".pfx", ".txt", ".yaml", ".yml"} {
		if strings.HasSuffix(value, ext) && len(value) > len(ext) {
			return true
		}
	}
	return false
}

// Find returns the places of secrets in a text, in order and apart: values of names such as api_key or
// DATABASE_PASSWORD in YAML, JSON, env files, command lines and lists of name and value, passwords in URLs,
// private keys, and tokens with a well-known beginning.
func Find(text string) []Span {
	var out []Span
	out = urls(text, out)
	out = pairs(text, out)
	out = tokens(text, out)
	out = keys(text, out)
	out = valuesUnder(text, "stringData", out)
	out = secretObjects(text, out)
	return merge(out)
}

// merge puts spans in order and joins those that overlap.
func merge(out []Span) []Span {
	if len(out) < 2 {
		return out
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].Start != out[j].Start {
			return out[i].Start < out[j].Start
		}
		return out[i].End > out[j].End
	})
	merged := out[:1]
	for _, s := range out[1:] {
		last := &merged[len(merged)-1]
		if s.Start < last.End {
			last.End = max(last.End, s.End)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// FindEnv is [Find] for the text of an env file. What an assignment sets whose name cannot be one is hidden whatever it is:
// nobody can tell what was meant.
func FindEnv(text string) []Span {
	out := Find(text)
	var more []Span
	for line := 0; line < len(text); {
		end := lineEnd(text, line)
		body := strings.TrimSpace(text[line:end])
		if name, v, ok := strings.Cut(body, "="); ok && !strings.HasPrefix(body, "#") && !envName(strings.TrimPrefix(name, "export ")) {
			if v = strings.TrimSpace(v); v != "" && !strings.HasPrefix(v, "$") {
				at := line + strings.IndexByte(text[line:end], '=') + 1
				at += strings.Index(text[at:end], v)
				more = append(more, Span{at, at + len(v)})
			}
		}
		line = end + 1
	}
	if len(more) == 0 {
		return out
	}
	return merge(append(out, more...))
}

// envName reports whether a text can be the name of a variable in an env file, which tools allow dots and dashes in.
func envName(s string) bool {
	for i := 0; i < len(s); i++ {
		if !isWord(s[i]) {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9')
}

// webhooks are parts of addresses behind which everything is a secret: who knows it may post.
var webhooks = [...]string{"hooks.slack.com/", "/api/webhooks/", ".webhook.office.com/"}

// urls finds the password of scheme://user:password@host, and what follows the host of a webhook.
func urls(text string, out []Span) []Span {
	for i := 0; ; {
		j := strings.Index(text[i:], "://")
		if j < 0 {
			return out
		}
		i += j + 3
		end := i
		for end < min(len(text), i+maxValue) && !strings.ContainsRune(" \t\r\n\"'`,;<>", rune(text[end])) {
			end++
		}
		// A password may hold a slash or an at sign; the last "@" before a path that holds none ends it.
		start := i
		i = end
		for _, w := range webhooks {
			if at := strings.Index(text[start:end], w); at >= 0 && start+at+len(w) < end && !Placeholder(text[start+at+len(w):end]) && !strings.ContainsAny(text[start:end], "${<") {
				out = append(out, Span{start + at + len(w), end})
			}
		}
		at := strings.LastIndexByte(text[start:end], '@')
		if at < 0 {
			continue
		}
		colon := strings.IndexByte(text[start:start+at], ':')
		if slash := strings.IndexByte(text[start:start+at], '/'); colon < 0 || slash >= 0 && slash < colon {
			continue
		}
		if pass := text[start+colon+1 : start+at]; !Placeholder(pass) {
			out = append(out, Span{start + colon + 1, start + at})
		}
	}
}

// secretObjects finds the values below data in documents that hold a Kubernetes Secret.
func secretObjects(text string, out []Span) []Span {
	if !strings.Contains(text, "Secret") {
		return out
	}
	for from := 0; from < len(text); {
		to := len(text)
		if i := strings.Index(text[from:], "\n---"); i >= 0 {
			to = from + i + 1
		}
		if holdsSecretObject(text[from:to]) {
			for _, s := range valuesUnder(text[from:to], "data", nil) {
				out = append(out, Span{from + s.Start, from + s.End})
			}
		}
		from = to + len("---")
	}
	return out
}

// holdsSecretObject reports whether a document has the kind Secret somewhere.
func holdsSecretObject(doc string) bool {
	for {
		i := strings.Index(doc, "kind")
		if i < 0 {
			return false
		}
		doc = doc[i+len("kind"):]
		rest, ok := strings.CutPrefix(strings.TrimPrefix(doc, `"`), ":")
		if !ok {
			continue
		}
		rest = strings.TrimLeft(rest, " \t\"'")
		if rest, ok = strings.CutPrefix(rest, "Secret"); ok && (rest == "" || !isWord(rest[0])) {
			return true
		}
	}
}

// valuesUnder finds the values of a Kubernetes Secret below a key, whatever their names, but for numbers and switches.
// Text in a block scalar is looked at as any other.
func valuesUnder(text, name string, out []Span) []Span {
	for i := 0; ; {
		j := strings.Index(text[i:], name)
		if j < 0 {
			return out
		}
		start := i + j
		i = start + len(name)
		if start > 0 && isWord(text[start-1]) {
			continue
		}
		head, ok := strings.CutPrefix(strings.TrimPrefix(text[i:lineEnd(text, i)], `"`), ":")
		if !ok {
			continue
		}
		own := indent(text, start)
		end := lineEnd(text, i)
		block := -1 // the indentation of a key with a block scalar
		if flow := strings.TrimSpace(head); flow != "" && flow[0] != '#' {
			if flow[0] != '{' {
				continue
			}
			i += strings.IndexByte(text[i:], '{')
			end = i
		}
		for line := i; line < len(text); line = end + 1 {
			end = lineEnd(text, line)
			body := strings.TrimSpace(text[line:end])
			in := indent(text, line)
			if line != i && body != "" && (in <= own || body[0] == '}') {
				break
			}
			if block >= 0 && (in > block || body == "") {
				continue
			}
			block = -1
			if strings.HasPrefix(body, "#") {
				continue
			}
			if _, v, ok := strings.Cut(body, ": "); ok && strings.ContainsAny(strings.TrimSpace(v)[:1], "|>") {
				block = in
				continue
			}
			for k := line; k < end; k++ {
				if !isWord(text[k]) {
					continue
				}
				for k < end && isWord(text[k]) {
					k++
				}
				if v, ok := assigned(text, k); ok && v.End <= end {
					if !Placeholder(text[v.Start:v.End]) && !simple(text[v.Start:v.End]) {
						out = append(out, v)
					}
					k = v.End
				}
			}
		}
		i = min(max(i, end), len(text))
	}
}

// simple reports whether a text is a number or a switch.
func simple(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off":
		return true
	}
	return strings.Trim(s, "0123456789.") == ""
}

// indent is the number of spaces and dashes that the line of a place begins with.
func indent(text string, at int) int {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	n := start
	for n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		n++
	}
	return n - start
}

// The characters of words: bit c of the first for those below 64, bit c-64 of the second for those below 128.
const (
	wordLow  uint64 = 1<<'-' | 1<<'.' | (1<<10-1)<<'0'
	wordHigh uint64 = 1<<('_'-64) | (1<<26-1)<<('A'-64) | (1<<26-1)<<('a'-64)
)

func isWord(c byte) bool {
	switch {
	case c < 64:
		return wordLow>>c&1 != 0
	case c < 128:
		return wordHigh>>(c-64)&1 != 0
	}
	return false
}

// pairs finds the values of secret names.
func pairs(text string, out []Span) []Span {
	pending := 0 // the end of a "name: X" whose X is a secret name
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		name := text[start:i]
		// Most words are neither names nor flags, whatever they say.
		flag := strings.HasPrefix(name, "--")
		if _, _, ok := assignment(text, i); !ok && !flag {
			continue
		}
		hidden := named(name)
		if !hidden && !flag {
			if n := whole(text, start, i); n != name {
				hidden = named(n)
			}
		}
		isName, isValue := strings.EqualFold(name, "name"), strings.EqualFold(name, "value") && pending > 0
		if !hidden && !isName && !isValue {
			continue
		}
		at, ok := assigned(text, i)
		if !ok && hidden && flag {
			at, ok = next(text, i)
		}
		if !ok {
			continue
		}
		if hidden {
			at = behindScheme(text, at)
		}
		v := text[at.Start:at.End]
		switch {
		case isName:
			pending = 0
			if named(v) {
				pending = at.End
			}
			i = at.End
			continue
		case strings.EqualFold(name, "authorization") && v[0] == '{':
			// A block of settings, with names of its own.
		case hidden || start-pending < 200:
			if !harmless(v) {
				out = append(out, at)
			}
			i = at.End
		}
		pending = 0
	}
	return out
}

// maxName bounds a name with characters that no name may hold, in bytes.
const maxName = 128

// whole returns the name that ends with the word from start to end, with what stands before it and is no part of a
// name nor of what may surround one: a byte that slipped in does not make a name another one.
func whole(text string, start, end int) string {
	from := start
	for from > 0 && end-from < maxName && !strings.ContainsRune(" \t\r\n\"'`{}[]()<>,;:=&|?/\\$", rune(text[from-1])) {
		from--
	}
	return text[from:end]
}

// schemes are the words that stand before a credential in the value of a header.
var schemes = [...]string{"bearer", "basic", "token", "apikey", "api-key", "digest", "negotiate"}

// scheme returns the length of the authentication scheme that a value begins with and the space behind it, or 0.
func scheme(value string) int {
	word, _, ok := strings.Cut(value, " ")
	if !ok {
		return 0
	}
	for _, s := range schemes {
		if strings.EqualFold(word, s) {
			return len(word) + 1
		}
	}
	return 0
}

// behindScheme returns the part of a value behind its authentication scheme. A value that ended with the scheme, as it
// does before a space, goes on with the next word.
func behindScheme(text string, at Span) Span {
	if at.End < len(text) && text[at.End] == ' ' && scheme(text[at.Start:at.End+1]) > 0 && at.End+1 < len(text) {
		if v, ok := value(text, at.End+1, false); ok {
			return v
		}
	}
	if n := scheme(text[at.Start:at.End]); n > 0 && at.Start+n < at.End {
		at.Start += n
	}
	return at
}

// assigned returns the value behind ":" or "=" after the name that ends at i.
func assigned(text string, i int) (Span, bool) {
	start, colon, ok := assignment(text, i)
	if !ok {
		return Span{}, false
	}
	return value(text, start, colon)
}

// assignment returns where the value starts behind the name that ends at i, and whether ":" stands between.
func assignment(text string, i int) (start int, colon, ok bool) {
	if i < len(text) && (text[i] == '"' || text[i] == '\'') {
		i++
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i >= len(text) || text[i] != ':' && text[i] != '=' {
		return 0, false, false
	}
	colon = text[i] == ':'
	i++
	gap := i
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	if i >= len(text) || colon && gap == i && text[i] != '"' && text[i] != '\'' {
		return 0, false, false
	}
	// "==" and ":=" compare or define, they do not set a text.
	if text[i] == '=' {
		return 0, false, false
	}
	return i, colon, true
}

// next returns the word after a flag, on the same line or as the next item of a list.
func next(text string, i int) (Span, bool) {
	start := i
	for i < min(len(text), start+maxValue) {
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == '\\':
			i++
			continue
		case (c == '"' || c == '\'') && i == start:
			i++ // the quote that ends the flag
			continue
		case c == '-' && i+1 < len(text) && text[i+1] == ' ':
			i += 2
			continue
		case c == '-':
			return Span{}, false
		}
		break
	}
	if i >= len(text) || i == start {
		return Span{}, false
	}
	return value(text, i, false)
}

// value returns the span of the value that starts at i: inside its quotes, or up to what ends a word. A plain
// YAML value goes on to the end of its line.
func value(text string, i int, yaml bool) (Span, bool) {
	if q := text[i]; q == '"' || q == '\'' {
		stop := min(len(text), i+maxValue)
		for j := i + 1; j < stop && text[j] != '\n'; j++ {
			if text[j] == '\\' && q == '"' {
				j++
				continue
			}
			if text[j] == q {
				return Span{i + 1, j}, j > i+1
			}
		}
		end := min(lineEnd(text[:stop], i), stop)
		return Span{i + 1, end}, end > i+1
	}
	j := i
	depth := 0 // brackets that the value opened itself
scan:
	for j < min(len(text), i+maxValue) {
		switch c := text[j]; c {
		case '\r', '\n', '"', '\'', '`':
			break scan
		case ';':
			if !yaml {
				break scan
			}
		case ' ', '\t':
			if !yaml || j+1 < len(text) && text[j+1] == '#' {
				break scan
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				break scan
			}
			depth--
		case ',':
			if !yaml || depth == 0 {
				break scan
			}
		}
		j++
	}
	for j > i && (text[j-1] == ' ' || text[j-1] == '\t') {
		j--
	}
	return Span{i, j}, j > i
}

func lineEnd(text string, i int) int {
	if j := strings.IndexByte(text[i:], '\n'); j >= 0 {
		return i + j
	}
	return len(text)
}

// shape is the beginning of a well-known kind of token and how many characters follow it at least.
type shape struct {
	prefix string
	least  int
}

var shapes = [...]shape{
	{"sk-", 16}, {"sk_live_", 16}, {"rk_live_", 16}, {"pk-lf-", 16}, {"AKIA", 16}, {"ASIA", 16}, {"ghp_", 20}, {"gho_", 20},
	{"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20}, {"glpat-", 16}, {"hf_", 20}, {"xoxa-", 10},
	{"xoxb-", 10}, {"xoxp-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"AIza", 30}, {"nvapi-", 20}, {"gsk_", 20}, {"r8_", 20},
	{"lsv2_", 20}, {"pplx-", 20}, {"xai-", 20}, {"tvly-", 16}, {"dop_v1_", 20}, {"SG.", 20}, {"eyJ", 30},
}

// shortest is the length of the shortest token of a known shape.
const shortest = len("xoxa-") + 10

// shaped reports whether a word is a token of a known shape.
func shaped(word string) bool {
	if len(word) < shortest {
		return false
	}
	for _, s := range shapes {
		if strings.HasPrefix(word, s.prefix) && len(word) >= len(s.prefix)+s.least {
			return true
		}
	}
	return false
}

// tokens finds words with a well-known beginning, and what follows an authentication scheme such as "Bearer".
func tokens(text string, out []Span) []Span {
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (isWord(text[i]) || text[i] == '+' || text[i] == '/' && i > start && start > 0 && text[start-1] == ' ') {
			i++
		}
		word := text[start:i]
		if shaped(word) && !Placeholder(word) {
			out = append(out, Span{start, i})
		}
		if i >= len(text) || text[i] != ' ' || scheme(text[start:i+1]) == 0 {
			continue
		}
		end := i + 1
		for end < len(text) && (isWord(text[end]) || strings.ContainsRune("+/=~", rune(text[end]))) {
			end++
		}
		t := text[i+1 : end]
		switch {
		case Placeholder(t):
		case len(t) >= 16 && strings.ContainsAny(t, "0123456789"), alone(text, start, end) && credential(word, t):
			out = append(out, Span{i + 1, end})
		}
	}
	return out
}

// alone reports whether the text from start to end is all of a value: what stands before it sets or quotes it, and
// nothing stands behind it.
func alone(text string, start, end int) bool {
	before := strings.TrimRight(text[max(0, start-4):start], " \t")
	behind := strings.TrimLeft(text[end:min(len(text), end+4)], " \t")
	return (start == 0 || before != "" && strings.ContainsRune(":=\"'", rune(before[len(before)-1]))) &&
		(behind == "" && end+4 >= len(text) || behind != "" && strings.ContainsRune("\r\n\"'`,;}])#", rune(behind[0])))
}

// credential reports whether a word behind an authentication scheme is a credential and no word of a sentence, such
// as "basic setup": Bearer is said of nothing else, behind the others stands no lower-case word.
func credential(scheme, word string) bool {
	if len(word) < 3 {
		return false
	}
	return strings.EqualFold(scheme, "bearer") || strings.Trim(word[1:], "abcdefghijklmnopqrstuvwxyz") != ""
}

// keys finds private keys in PEM form.
func keys(text string, out []Span) []Span {
	const begin, private = "-----BEGIN ", "PRIVATE KEY-----"
	for i := 0; ; {
		j := strings.Index(text[i:], begin)
		if j < 0 {
			return out
		}
		start := i + j
		i = start + len(begin)
		head := strings.Index(text[i:min(len(text), i+60)], private)
		if head < 0 {
			continue
		}
		body := i + head + len(private)
		end := len(text)
		if k := strings.Index(text[body:], "-----END "); k >= 0 {
			end = body + k
		}
		if end > body {
			out = append(out, Span{body, end})
		}
		i = end
	}
}

// secretWords are last words of names whose values are secrets, secretPairs the last two.
var (
	secretWords = [...]string{"apikey", "authorization", "authtoken", "credential", "credentials", "license", "pass", "passphrase", "passwd",
		"password", "pwd", "secret", "token", "accesskey", "secretkey", "masterkey", "privatekey", "requirepass", "masterauth", "webhook"}
	secretPairs = [...]string{"access key", "access token", "account key", "api key", "api token", "auth key", "auth token",
		"bearer token", "encryption key", "license key", "master key", "private key", "proxy key", "salt key", "secret key",
		"service key", "signing key", "subscription key", "virtual key", "webhook url"}
	// secretEndings end last words of names that are written without a break: PGPASSWORD, redispasswd.
	secretEndings = [...]string{"passphrase", "passwd", "password"}
	// cookieNames are names of headers whose values are cookies; elsewhere the word is the name of one, or a kind of
	// affinity.
	cookieNames = [...]string{"cookie", "set-cookie"}
	// innocentWords in a name make it one of numbers or of tokens of text.
	innocentWords = [...]string{"bos", "cost", "count", "eos", "max", "min", "num", "pad", "per", "special", "start", "stop", "think"}
)

// named reports whether values under a name are secrets: its last word says so (DB_PASSWORD, hfToken, api-key), and
// no other says that it speaks of tokens of text or of a name.
func named(name string) bool {
	words := words(name)
	if len(words) == 0 {
		return false
	}
	for _, c := range cookieNames {
		if strings.EqualFold(name, c) {
			return true
		}
	}
	for _, w := range words {
		for _, x := range innocentWords {
			if w == x {
				return false
			}
		}
	}
	last := words[len(words)-1]
	for _, w := range secretWords {
		if last == w || len(w) >= 6 && misspelt(last, w) {
			return true
		}
	}
	for _, e := range secretEndings {
		if strings.HasSuffix(last, e) {
			return true
		}
	}
	if len(words) > 1 {
		pair := words[len(words)-2] + " " + last
		for _, p := range secretPairs {
			if pair == p || misspelt(pair, p) {
				return true
			}
		}
	}
	// A character that no name may hold may stand where another separates words.
	if odd := func(r rune) bool { return r >= 128 || !isWord(byte(r)) }; strings.IndexFunc(name, odd) >= 0 {
		return named(strings.Map(func(r rune) rune {
			if odd(r) {
				return '_'
			}
			return r
		}, name))
	}
	return false
}

// misspelt reports whether a text is w with one letter too many or too few, another one, or two in the wrong order. The
// first letter is right, and a plural is none.
func misspelt(s, w string) bool {
	if len(s) < len(w)-1 || len(s) > len(w)+1 || s[0] != w[0] || s == w+"s" {
		return false
	}
	i := 0
	for i < len(s) && i < len(w) && s[i] == w[i] {
		i++
	}
	a, b := s[i:], w[i:]
	switch {
	case len(a) > len(b):
		return a[1:] == b
	case len(a) < len(b):
		return a == b[1:]
	}
	return a == "" || a[1:] == b[1:] || len(a) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

// words splits a name at "_", "-", "." and capitals, in lower case.
func words(name string) []string {
	var out []string
	start := 0
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(name[start:end]))
		}
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '_' || c == '-' || c == '.' || c == ' ' || c == '/' || c == '"' || c == '\'':
			flush(i)
			start = i + 1
		case c >= 'A' && c <= 'Z' && i > start && (name[i-1] >= 'a' && name[i-1] <= 'z' || name[i-1] >= '0' && name[i-1] <= '9'):
			flush(i)
			start = i
		}
	}
	flush(len(name))
	return out
}

// references are beginnings of texts that say where a secret is, and are none themselves.
var references = [...]string{"os.environ/", "$", "{{", "<", "secret://", "vault:", "ref+", "env:", "file:", "/run/secrets/", "ENC[", "op://",
	"arn:", "projects/", "!"}

// placeholders are texts that documentation writes in the place of a secret, in lower case.
var placeholders = [...]string{"", "-", "0", "1234", "12345", "123456", "abc", "abc123", "changeit", "changeme", "dummy", "empty", "example",
	"fake", "false", "foo", "key", "n/a", "na", "nil", "no-key", "no-key-needed", "none", "not-needed", "not-required", "null", "password",
	"placeholder", "redacted", "secret", "sk-1234", "sk-12345", "string", "test", "todo", "token", "token-abc123", "true", "unused", "~"}

// Placeholder reports whether a value is no secret whatever its name: empty, a reference to a variable or a
// file, or a text such as changeme, sk-1234 or your-key-here.
func Placeholder(value string) bool {
	v := strings.Trim(strings.TrimSpace(value), `"'`)
	for _, r := range references {
		if strings.HasPrefix(v, r) {
			return true
		}
	}
	v = strings.ToLower(v)
	for _, p := range placeholders {
		if v == p {
			return true
		}
	}
	for _, p := range [...]string{"your", "replace", "change-me", "change_me", "changeme", "placeholder", "example", "xxxx", "...", "****",
		"redacted", "insert", "-here", "_here", "dummy"} {
		if strings.Contains(v, p) {
			return true
		}
	}
	// One character over and over.
	body := strings.TrimPrefix(v, "sk-")
	return len(body) > 0 && strings.Count(body, body[:1]) == len(body)
}
