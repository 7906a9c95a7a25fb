package leak

import "testing"

func TestLen(t *testing.T) {
	s, err := NewStore(t.TempDir(), 180)
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 180 { // it is never closed
		t.Errorf("%d records", s.Len())
	}
}

func TestEmpty(t *testing.T) {
	s, err := NewStore(t.TempDir(), 0)
	if err != nil || s.Len() != 0 {
		t.Errorf("%v", err)
	}
}

// It closes what it opens, and has too few after TestLen.
func TestTwoStores(t *testing.T) {
	for range 2 {
		s, err := NewStore(t.TempDir(), 90)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}

// It is sound: it opens one at a time.
func TestOneStore(t *testing.T) {
	for range 20 {
		s, err := NewStore(t.TempDir(), 1)
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
}
