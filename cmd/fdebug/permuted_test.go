package main

import (
	"encoding/json"
	"testing"
)

// TestPermuted has a test that fails because of the order in which a library walks a map, and one
// that fails because of the order in which goroutines write (after times without a known source).
// Neither order is visible by itself. The compared content shows it, and the place named is where
// that was passed on.
func TestPermuted(t *testing.T) {
	data, _ := recordedOf(t, "permuted", map[string]string{"go.mod": "module example.com/permuted\n\ngo 1.25\n", "p_test.go": permutedTest}, "-n", "40")
	r := new(valueResult)
	if err := json.Unmarshal(data, r); err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"TestEncode": {"gob.NewEncoder(b).Encode(m)", "map order"},
		"TestWrite":  {"&b", "the order of writes"},
	}
	for _, test := range r.Tests {
		f := test.Failures[0]
		if len(f.Data) == 0 || f.Data[0].Expr != want[test.Test][0] || f.Data[0].Source != want[test.Test][1] || f.Data[0].Kind == "value" {
			t.Errorf("%s: different from run to run: %+v, want %v", test.Test, f.Data, want[test.Test])
		}
		delete(want, test.Test)
	}
	if len(want) > 0 {
		t.Errorf("not flaky: %v", want)
	}
}

const permutedTest = `package p

import (
	"bytes"
	"encoding/gob"
	"hash/maphash"
	"sync"
	"testing"
	"time"
)

func encode(t *testing.T) string {
	b := new(bytes.Buffer)
	m := map[string]int{"one": 1, "two": 2, "six": 6}
	if err := gob.NewEncoder(b).Encode(m); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEncode(t *testing.T) {
	b := new(bytes.Buffer)
	m := map[string]int{"one": 1, "two": 2, "six": 6}
	if err := gob.NewEncoder(b).Encode(m); err != nil {
		t.Fatal(err)
	}
	if want := encode(t); b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

type lines struct {
	sync.Mutex
	bytes.Buffer
}

func (l *lines) write(s string) {
	l.Lock()
	defer l.Unlock()
	l.WriteString(s)
}

type job struct {
	out  *lines
	done sync.WaitGroup
}

func TestWrite(t *testing.T) {
	var b lines
	j := job{out: &b}
	for _, s := range []string{"left ", "right "} {
		j.done.Go(func() {
			time.Sleep(time.Duration(maphash.String(maphash.MakeSeed(), s)%2000) * time.Microsecond)
			j.out.write(s)
		})
	}
	j.done.Wait()
	if b.String() != "left right " {
		t.Errorf("got %q", b.String())
	}
}
`
