package cli

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// terminal is what is known of an output stream.
type terminal struct {
	is    bool
	width int
}

func terminalOf(w io.Writer) terminal {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return terminal{}
	}
	t := terminal{is: true, width: 80}
	if columns, _, err := term.GetSize(f.Fd()); err == nil && columns > 0 {
		t.width = columns
	}
	return t
}

// wantColor decides on colours: --color, then NO_COLOR (https://no-color.org), then whether a terminal reads them.
func wantColor(choice string, t terminal) bool {
	switch choice {
	case "always":
		return true
	case "never":
		return false
	}
	return t.is && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// wantLinks reports whether the terminal is known to show hyperlinks.
func wantLinks(color bool, t terminal) bool {
	if !color || !t.is {
		return false
	}
	for _, name := range []string{"VTE_VERSION", "WT_SESSION", "KITTY_WINDOW_ID", "WEZTERM_PANE", "KONSOLE_VERSION"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	switch os.Getenv("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper":
		return true
	}
	return false
}

// progress shows on a terminal that a run of more than a second is alive. The returned function removes it, and may
// be called again.
func (a *app) progress(quiet bool, what string) (done func()) {
	if quiet || !terminalOf(a.Err).is || os.Getenv("TERM") == "dumb" {
		return func() {}
	}
	return showProgress(a.Err, a.safe(what), time.Second)
}

func showProgress(w io.Writer, what string, every time.Duration) (done func()) {
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		start := time.Now()
		tick := time.NewTicker(every)
		defer tick.Stop()
		shown := false
		for {
			select {
			case <-stop:
				if shown {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case <-tick.C:
				shown = true
				fmt.Fprintf(w, "\r\x1b[Kchecking %s, %ds", what, int(time.Since(start).Seconds()))
			}
		}
	}()
	return sync.OnceFunc(func() {
		close(stop)
		<-gone
	})
}
