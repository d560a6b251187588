//go:build !linux

package heap

// reserve leaves the pages of the heap to the system.
func reserve(int) {}
