package model

import (
	"sync"
	"sync/atomic"
	"testing"
)

func TestMemo(t *testing.T) {
	type first struct{}
	type second struct{}
	s := &Stack{}
	var made atomic.Int64
	work := func() any { return made.Add(1) }
	got := s.Memo(first{}, work)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if again := s.Memo(first{}, work); again != got {
				t.Errorf("got %v, then %v", got, again)
			}
		})
	}
	wg.Wait()
	if other := s.Memo(second{}, work); other == got || made.Load() != 2 {
		t.Errorf("another key gives %v of %d", other, made.Load())
	}
	s.Forget()
	if again := s.Memo(first{}, work); again == got {
		t.Error("nothing is forgotten")
	}
}
