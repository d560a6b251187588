package loaders

import (
	"strconv"
	"strings"

	"agentlint/internal/model"
	"agentlint/internal/source"
)

// ownHosts are the names by which a command asks a server in its own container.
var ownHosts = [...]string{"localhost", "127.0.0.1", "0.0.0.0", "[::1]", "[::]"}

// addRequest adds path and port of the HTTP request that a probe's command makes to its own container: those of the
// first URL in it, with or without a scheme. Both stand at their part of the command.
func addRequest(probe, command *model.Value) {
	for _, item := range command.Items() {
		text, ok := item.AsText()
		if !ok {
			continue
		}
		at, ok := hostEnd(text)
		if !ok {
			continue
		}
		end := at
		for end < len(text) && strings.IndexByte(" \t\n\"'`)|;&<>?#,", text[end]) < 0 {
			end++
		}
		rest := text[at:end]
		port, path := "", rest
		if strings.HasPrefix(rest, ":") {
			port, path = rest[1:], ""
			if i := strings.IndexByte(port, '/'); i >= 0 {
				port, path = port[:i], port[i:]
			}
		}
		if port != "" {
			o := partOf(item.Origin, text, at+1, at+1+len(port))
			if n, err := strconv.ParseInt(port, 10, 32); err == nil {
				probe.Set("port", model.NewInt(n, o))
			} else {
				probe.Set("port", model.NewUnknown(o))
			}
		}
		o := partOf(item.Origin, text, end-len(path), end)
		switch {
		case strings.ContainsAny(path, "${}"):
			probe.Set("path", model.NewUnknown(o))
		case path == "":
			probe.Set("path", model.NewText("/", o))
		default:
			probe.Set("path", model.NewText(path, o))
		}
		return
	}
}

// hostEnd returns where the name of the own host ends in a command, followed by a port, a path or nothing.
func hostEnd(text string) (int, bool) {
	for _, host := range ownHosts {
		for from := 0; from < len(text); {
			i := strings.Index(text[from:], host)
			if i < 0 {
				break
			}
			i += from
			from = i + len(host)
			scheme := strings.HasSuffix(text[:i], "://")
			if i > 0 && !scheme && strings.IndexByte(" \t\n\"'`=", text[i-1]) < 0 {
				continue
			}
			switch {
			case from == len(text):
				if scheme {
					return from, true
				}
			case text[from] == ':' && from+1 < len(text) && text[from+1] != ':' && strings.IndexByte(" \t\n\"'`", text[from+1]) < 0, text[from] == '/' && scheme:
				return from, true
			case scheme && strings.IndexByte(" \t\n\"'`)|;&<>?#,", text[from]) >= 0:
				return from, true
			}
		}
	}
	return 0, false
}

// partOf narrows the origin of a scalar to a part of its text. Where the raw text is not the text itself, the part has no
// place of its own and stands where the scalar does.
func partOf(o model.Origin, text string, start, end int) model.Origin {
	if n := o.Node.Deref(); o.File != nil && o.Via == nil && n != nil && n.Kind == source.Scalar {
		if inner := source.Nested(o.File, n); inner != nil && string(inner.Bytes) == text {
			return model.Origin{Source: o.Source, File: inner, Key: source.Span{Start: start, End: end}, Span: source.Span{Start: start, End: end}}
		}
	}
	return model.Origin{Source: o.Source, Detail: &model.Detail{Block: model.NewText(text, o)}}
}

// headerNames are the names of the headers of a probe, in lower case: those of httpGet, or "authorization" for a command
// that writes it.
func headerNames(headers, command *model.Value) *model.Value {
	out := model.NewList(model.Origin{})
	if headers != nil {
		out.Origin, out.Open = headers.Origin, headers.Kind == model.Unknown
	}
	for _, h := range headers.Items() {
		if name, ok := h.Get("name").AsText(); ok {
			out.Append(model.NewText(strings.ToLower(name), h.Get("name").Origin))
		} else {
			out.Append(model.NewUnknown(h.Origin))
		}
	}
	for _, item := range command.Items() {
		text, ok := item.AsText()
		if !ok {
			out.Append(model.NewUnknown(item.Origin))
		} else if strings.Contains(strings.ToLower(text), "authorization") {
			out.Append(model.NewText("authorization", item.Origin))
		}
	}
	return out
}
