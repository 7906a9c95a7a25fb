package hang

import "testing"

// TestMostOften has a wait that one goroutine ended in three passing runs, and another one in two.
func TestMostOften(t *testing.T) {
	often, seldom := wakerKey{block: 7}, wakerKey{block: 3}
	wakes := map[wakerKey][]wake{seldom: {{key: seldom}, {key: seldom}}, often: {{key: often}, {key: often}, {key: often}}}
	if got := mostOften(wakes); len(got) != 3 || got[0].key != often {
		t.Errorf("got %+v, want the three of block 7", got)
	}
	if got := mostOften(nil); got != nil {
		t.Errorf("got %+v for no wakes", got)
	}
}
