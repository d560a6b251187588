package report

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"agentlint/internal/model"
)

// styles print words in colour. The zero value prints them as they are and touches no terminal library.
type styles struct {
	on                                      bool
	err, warn, info, undecided, dim, strong lipgloss.Style
}

// newStyles returns the styles of a report. Colours are the sixteen of the terminal's own theme, and nothing asks the
// terminal for its background.
func newStyles(o *Options) styles {
	if !o.Color {
		return styles{}
	}
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.ANSI)
	r.SetHasDarkBackground(true)
	color := func(c string) lipgloss.Style { return r.NewStyle().Foreground(lipgloss.Color(c)).Inline(true) }
	return styles{
		on:        true,
		err:       color("9").Bold(true),
		warn:      color("11").Bold(true),
		info:      color("12").Bold(true),
		undecided: color("13").Bold(true),
		dim:       color("12"),
		strong:    r.NewStyle().Bold(true).Inline(true),
	}
}

func (s *styles) severity(v model.Severity, text string) string {
	if !s.on {
		return text
	}
	switch v {
	case model.Error:
		return s.err.Render(text)
	case model.Warning:
		return s.warn.Render(text)
	case model.Info:
		return s.info.Render(text)
	}
	return s.undecided.Render(text)
}

func (s *styles) faint(text string) string {
	if !s.on {
		return text
	}
	return s.dim.Render(text)
}

func (s *styles) bold(text string) string {
	if !s.on {
		return text
	}
	// Each line is styled by itself, so that none of them leaves the terminal in bold.
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = s.strong.Render(l)
	}
	return strings.Join(lines, "\n")
}

// link makes text a hyperlink (OSC 8) where the terminal knows them.
func link(o *Options, url, text string) string {
	if !o.Links || url == "" {
		return text
	}
	return "\x1b]8;;" + clean(url) + "\x1b\\" + text + "\x1b]8;;\x1b\\"
}
