package session

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// TestSilence lets one step go on for two and a half minutes on an output that can't be redrawn.
func TestSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := &Console{Stderr: &out, Getenv: func(string) string { return "" }}
		c.Phasef("building")
		c.Statusf("0 of 2 built")
		time.Sleep(30 * time.Second)
		c.Statusf("1 of 2 built")
		time.Sleep(2 * time.Minute)
		c.Progressf("p: not tested")
		c.Clear()
		time.Sleep(5 * time.Minute)
		c.Statusf("comparing")
		time.Sleep(30 * time.Second)
		c.Clear()
		const want = "building\n1 of 2 built, 1m0s\n1 of 2 built, 2m0s\np: not tested\n"
		if got := out.String(); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}
