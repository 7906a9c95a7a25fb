package runner

import (
	"testing"
	"time"
)

// TestOwnFrames removes the recorder's frames, and nothing else.
func TestOwnFrames(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"dump",
			"goroutine 7 [running]:\nruntime.fdebugPanic()\n\t/go/src/runtime/fdebug.go:250 +0x1\nm.TestX(0xc0)\n\t/m/x_test.go:9 +0x1d\nfdebugrt.(*Buf).Put(...)\n\t/cache/farm/src/fdebugrt/fdebugrt.go:33\ntesting.tRunner(0xc0)\n\t/go/src/testing/testing.go:1690 +0xf4\ncreated by testing.(*T).Run in goroutine 1\n\t/go/src/testing/testing.go:1743 +0x390\n",
			"goroutine 7 [running]:\nm.TestX(0xc0)\n\t/m/x_test.go:9 +0x1d\ntesting.tRunner(0xc0)\n\t/go/src/testing/testing.go:1690 +0xf4\ncreated by testing.(*T).Run in goroutine 1\n\t/go/src/testing/testing.go:1743 +0x390\n"},
		{"race report",
			"Read at 0x00c0 by goroutine 7:\n  m.F()\n      /m/x.go:5 +0x3\n  runtime.FdebugMore()\n      /go/src/runtime/fdebug.go:80 +0x3\n\n",
			"Read at 0x00c0 by goroutine 7:\n  m.F()\n      /m/x.go:5 +0x3\n\n"},
		{"the last frame, without a newline", "m.F()\n\t/m/x.go:5\nfdebugval.Value()\n\t/f/v.go:7 +0x1", "m.F()\n\t/m/x.go:5\n"},
		{"what a timer runs", "m.F()\n\t/m/x.go:5\ntime.fdebugAfterFunc.func1()\n\t/go/src/time/fdebug.go:7 +0x1\nruntime.(*fdebugG).stamp()\n\t/go/src/runtime/fdebug.go:7 +0x1\n", "m.F()\n\t/m/x.go:5\n"},
		{"a user's words", "fdebugrt. is a name\nand no frame\n", "fdebugrt. is a name\nand no frame\n"},
		{"a user's package", "github.com/fdebug/fdebug/trace.Open(0x1)\n\t/src/trace/open.go:7 +0x1\n", "github.com/fdebug/fdebug/trace.Open(0x1)\n\t/src/trace/open.go:7 +0x1\n"},
	} {
		if got := withoutOwnFrames(c.text); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestFast checks the time of a test that took less than it can report, however its lines were
// read.
func TestFast(t *testing.T) {
	p := newParser(time.Now)
	p.Write([]byte("\x16=== RUN   TestX\n\x16--- PASS: TestX (0.00s)\n\x16=== RUN   TestY\n\x16--- PASS: TestY (0.02s)\n\x16PASS\n"))
	for i, want := range []time.Duration{0, 20 * time.Millisecond} {
		if o := p.finish(Exit{})[i]; o.Elapsed != want {
			t.Errorf("%s took %v, want %v", o.Test, o.Elapsed, want)
		}
	}
}
