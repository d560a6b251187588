//go:build unix

package fixers

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives a new file the owner and group of the one it replaces, where the system permits it.
func keepOwner(f *os.File, old fs.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		if f.Chown(int(s.Uid), int(s.Gid)) != nil {
			_ = f.Chown(-1, int(s.Gid))
		}
	}
}
