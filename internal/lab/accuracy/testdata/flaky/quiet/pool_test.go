package quiet

import (
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"
)

func TestAllTicketsAreDone(t *testing.T) {
	d := NewDesk()
	var want []uint64
	for i := range 12 {
		want = append(want, d.Add(fmt.Sprint("ticket ", i)))
	}
	for w := range 3 {
		go d.Work(fmt.Sprint("worker ", w))
	}
	polls := d.Wait()
	slices.Sort(want)
	if got := d.Done(); !slices.Equal(got, want) {
		t.Errorf("after %d polls %v are done, want %v", polls, got, want)
	}
}

func TestAnnounce(t *testing.T) {
	l, err := Announce()
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	data, err := io.ReadAll(c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.RFC3339Nano, string(data[:len(data)-1])); err != nil {
		t.Errorf("%q is no time: %v", data, err)
	}
}
