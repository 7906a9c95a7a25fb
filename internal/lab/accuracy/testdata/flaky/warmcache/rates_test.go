package warmcache

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// feed is the stream of a provider: a line at a time.
func feed(lines ...string) io.Reader {
	r, w := io.Pipe()
	go func() {
		for _, line := range lines {
			fmt.Fprintln(w, line)
			time.Sleep(50 * time.Microsecond)
		}
		w.Close()
	}()
	return r
}

func waitReady(t *testing.T, table *Table) {
	t.Helper()
	for range 1000 {
		time.Sleep(2 * time.Millisecond)
		if table.Ready() {
			return
		}
	}
	t.Fatal("the table does not become ready")
}

func TestConvert(t *testing.T) {
	var table Table
	go table.Load(feed("USD 0.92", "CHF 1.04", "GBP 1.17", "SEK 0.088"))
	waitReady(t, &table)

	got, err := table.Convert(100_00, "GBP", "EUR")
	if err != nil {
		t.Fatal(err)
	}
	if got != 117_00 {
		t.Errorf("100 GBP are %d cents, want 11700", got)
	}
}

func TestUnknownCurrency(t *testing.T) {
	var table Table
	if err := table.Load(strings.NewReader("USD 0.92\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := table.Convert(1, "USD", "XXX"); !errors.Is(err, ErrRate) {
		t.Errorf("Convert: %v, want %v", err, ErrRate)
	}
}

func TestBadLines(t *testing.T) {
	var table Table
	if err := table.Load(strings.NewReader("USD\nCHF -1\nGBP 1.17\n")); err != nil {
		t.Fatal(err)
	}
	if got := table.Bad(); got != 2 {
		t.Errorf("%d bad lines, want 2", got)
	}
}
