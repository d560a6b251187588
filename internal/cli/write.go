package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// replaceFile writes a file beside the old one and renames it, so that a failure half-way leaves the old content. A
// symbolic link keeps pointing where it points.
func replaceFile(name string, content []byte, mode fs.FileMode) (err error) {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
