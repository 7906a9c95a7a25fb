package freedom

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// notesOf returns 40 runs; every fourth fails. The test's goroutine comes to blocks 1, 2 and 3 at 10, 50 and
// 60, and fails at 65 or comes to block 4 at 80.
func notesOf(notes func(run int, failed bool) []trace.Note) *Runs {
	other := told{{5, 20}, {6, 40}}
	r := runsOf([2]told{{{1, 10}, {2, 50}, {3, 60}, {4, 80}}, other}, [2]told{{{1, 10}, {2, 50}, {3, 60}, {-1, 65}}, other})
	for i, x := range r.List {
		x.Trace.Notes = notes(i, x.Failed)
	}
	return r
}

// said returns notes of the test's goroutine after block 2, at 55 and later.
func said(kind trace.ActKind, values ...int64) (list []trace.Note) {
	for i, v := range values {
		list = append(list, trace.Note{Kind: kind, Goroutine: 1, Event: 2, Time: 55 + int64(i), Value: v})
	}
	return list
}

// fifth returns a for every fifth run, whatever its outcome, and b for the others.
func fifth(run int, a, b []trace.Note) []trace.Note {
	if run%5 == 0 {
		return a
	}
	return b
}

// TestAnswersByChance has answers that nothing goes with: no more may be told as likely than the level says.
func TestAnswersByChance(t *testing.T) {
	const sets, shuffles = 20, 50
	told := 0
	for set := range uint64(sets) {
		rng := rand.New(rand.NewPCG(set, 1))
		r := notesOf(func(int, bool) (list []trace.Note) {
			first := rng.Int64N(3)
			list = slices.Concat(
				said(trace.ActRead, rng.Int64N(100), rng.Int64N(4)), said(trace.ActDir, 0b11<<3|[]int64{0, 1, 3, 4, 6, 7}[rng.IntN(6)]),
				said(trace.ActLimits, 40_000+first, 40_000+rng.Int64N(3)), said(trace.ActCrypto, 0, rng.Int64N(2)))
			for event := range int64(3) {
				if rng.IntN(2) == 0 {
					list = append(list, trace.Note{Kind: trace.ActGC, Goroutine: 1, Event: event, Time: 10 + 20*event})
				}
			}
			return list
		})
		list, err := Observe(r)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range fact.ByChance(r.Failed(), list, shuffles, set) {
			told += int(bit(p <= stats.Strong))
		}
	}
	t.Logf("%d of %d shuffled outcomes have a likely cause", told, sets*shuffles)
	if float64(told) > 0.015*sets*shuffles {
		t.Errorf("%d of %d shuffled outcomes have a likely cause", told, sets*shuffles)
	}
}

// TestAnswers is about what the system answers, where it decides and where it does not.
func TestAnswers(t *testing.T) {
	listing := map[string]int64{"abc": 0b11_0_00, "bac": 0b11_1_00, "cab": 0b11_1_10, "cba": 0b11_1_11} // see trace.Note
	gc := func(goroutine int32, event, time int64) []trace.Note {
		return []trace.Note{{Kind: trace.ActGC, Goroutine: goroutine, Event: event, Time: time, Value: 1}}
	}
	for _, c := range []struct {
		name    string
		kind    string // of the fact that comes first, "" for none of any kind
		measure Measure
		block   int
		notes   func(run int, failed bool) []trace.Note
	}{
		{"a short read", "read", Size, 2, func(i int, failed bool) []trace.Note {
			if failed {
				return said(trace.ActRead, 3)
			}
			return said(trace.ActRead, 10+int64(i%3))
		}},
		{"a second read", "read", Size, 2, func(i int, failed bool) []trace.Note {
			if failed {
				return said(trace.ActRead, 5, 9)
			}
			return said(trace.ActRead, 5, 8)
		}},
		{"short reads in both outcomes", "", "", 0, func(i int, failed bool) []trace.Note {
			return fifth(i, said(trace.ActRead, 3), said(trace.ActRead, 10))
		}},
		{"a read after the failed check", "", "", 0, func(i int, failed bool) []trace.Note {
			list := said(trace.ActRead, int64(5+bit(failed)))
			list[0].Time = 70
			return list
		}},
		{"a read that failing runs do not come to", "", "", 0, func(i int, failed bool) []trace.Note {
			if failed {
				return nil
			}
			return fifth(i, said(trace.ActRead, 3), said(trace.ActRead, 10))
		}},
		{"the first entry of a directory", "dir", First, 2, func(i int, failed bool) []trace.Note {
			if failed {
				return said(trace.ActDir, listing["bac"])
			}
			return said(trace.ActDir, listing["abc"])
		}},
		{"any order of a directory", "", "", 0, func(i int, failed bool) []trace.Note {
			return fifth(i, said(trace.ActDir, listing["cba"]), said(trace.ActDir, listing["abc"]))
		}},
		{"a port that is taken", "limits", Refused, 2, func(i int, failed bool) []trace.Note {
			if failed {
				return said(trace.ActLimits, -98)
			}
			return said(trace.ActLimits, 0)
		}},
		{"a port refused in both outcomes", "", "", 0, func(i int, failed bool) []trace.Note {
			return fifth(i, said(trace.ActLimits, 0, -98), said(trace.ActLimits, 0, -98))
		}},
		{"two equal draws of three", "crypto/rand", Twice, 2, func(i int, failed bool) []trace.Note {
			if failed {
				return said(trace.ActCrypto, 0, 0, 2)
			}
			return said(trace.ActCrypto, 0, 0, 0, 1) // a failing run would not have come to the fourth one
		}},
		{"equal draws in both outcomes", "", "", 0, func(i int, failed bool) []trace.Note {
			return fifth(i, said(trace.ActCrypto, 0, 1), said(trace.ActCrypto, 0, 0))
		}},
		{"draws that are equal to one elsewhere", "", "", 0, func(i int, failed bool) []trace.Note {
			list := said(trace.ActCrypto, 0, int64(bit(failed)))
			list[0].Event = 1
			return list
		}},
		{"a collection", "gc", HowMany, 3, func(i int, failed bool) []trace.Note {
			if failed {
				return gc(0, 0, 55)
			}
			return nil
		}},
		{"a collection just there", "gc", Recent, 3, func(i int, failed bool) []trace.Note {
			if failed {
				return gc(1, 2, 55)
			}
			return [][]trace.Note{gc(1, 1, 15), nil, gc(1, 3, 62)}[i%3]
		}},
		{"collections in both outcomes", "", "", 0, func(i int, failed bool) []trace.Note {
			return fifth(i, gc(1, 2, 55), gc(1, 1, 15))
		}},
		{"a collection after the failed check", "", "", 0, func(i int, failed bool) []trace.Note {
			if failed {
				return gc(1, 4, 70)
			}
			return nil
		}},
	} {
		facts, err := Rank(notesOf(c.notes))
		if err != nil {
			t.Fatal(err)
		}
		if len(facts) == 0 || !facts[0].Stands() {
			if c.kind != "" {
				t.Errorf("%s: nothing", c.name)
			}
			continue
		}
		f := facts[0]
		s := f.What.(*Seen)
		if f.Kind != c.kind || s.Measure != c.measure || s.At[0].Block != c.block || f.Table != (stats.Table{FailTaken: 10, PassNot: 30}) {
			t.Errorf("%s: got %s %s at block %d, %+v, want %s %s at block %d", c.name, f.Kind, s.Measure, s.At[0].Block, f.Table, c.kind, c.measure, c.block)
		}
	}
}
