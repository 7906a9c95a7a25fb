package session

import "testing"

// Labs of several packages make runs side by side: no two have a file of one name.
func TestRawNames(t *testing.T) {
	s := &Session{Made: Made{Work: t.TempDir()}}
	seen := make(map[string]bool)
	for range 2 {
		l := &Lab{Job: s}
		for range 3 {
			name := l.rawName()
			if seen[name] {
				t.Errorf("%s is used twice", name)
			}
			seen[name] = true
		}
	}
}
