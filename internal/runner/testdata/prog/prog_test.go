//go:build unix

// Package prog has a test for each way in which a test can end.
package prog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestPass(t *testing.T) { t.Log("fine") }

func TestFail(t *testing.T) {
	t.Log("starting")
	t.Errorf("got %d, want %d", 3, 4)
	t.Error("and more")
}

func TestSkip(t *testing.T) { t.Skip("not today") }

func TestSilent(t *testing.T) { t.Fail() }

func TestSub(t *testing.T) {
	t.Run("ok", func(t *testing.T) {})
	t.Run("bad name", func(t *testing.T) {
		t.Run("deep", func(t *testing.T) { t.Fatal("deep down\nsecond line") })
	})
	t.Run("skip", func(t *testing.T) { t.Skip() })
}

func TestParallel(t *testing.T) {
	for i := range 4 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			fmt.Print("no newline")
			time.Sleep(time.Millisecond)
			if i == 2 {
				t.Error("two")
			}
		})
	}
}

func check(t *testing.T, n int) {
	if n != 0 {
		t.Errorf("check %d failed", n)
	}
}

func TestHelper(t *testing.T) { check(t, 7) }

func TestPanic(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		var m map[string]int
		m["a"] = 1
	})
}

func boom() { panic(errors.New("boom 17\nsecond line")) }

func TestPanicElsewhere(t *testing.T) {
	go boom()
	time.Sleep(time.Minute)
}

func TestPanicNil(t *testing.T) {
	var p *sync.Mutex
	p.Lock()
}

func TestParallelPanicA(t *testing.T) {
	t.Parallel()
	time.Sleep(200 * time.Millisecond)
	go func() { boom() }()
	time.Sleep(time.Minute)
}

func TestParallelPanicB(t *testing.T) {
	t.Parallel()
	time.Sleep(time.Minute)
}

func TestExit(t *testing.T) {
	fmt.Println("leaving now")
	os.Exit(3)
}

func TestExitZero(t *testing.T) { os.Exit(0) }

func TestLogFatal(t *testing.T) { log.Fatal("cannot listen on 127.0.0.1:4711") }

func TestFatalError(t *testing.T) {
	var mu sync.Mutex
	mu.Unlock()
}

func TestDeadlock(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	})
}

func TestStackOverflow(t *testing.T) { limitStack(); recurse(0) }

func recurse(n int) int { return recurse(n+1) + 1 }

func TestKilled(t *testing.T) {
	p, _ := os.FindProcess(os.Getpid())
	p.Kill()
	time.Sleep(time.Minute)
}

func TestAfter(t *testing.T) {}

func TestHang(t *testing.T) {
	t.Run("sub", func(t *testing.T) {
		ready := make(chan bool)
		go time.Sleep(time.Hour) // a sleeper, so that it is no deadlock
		<-ready
	})
}

func TestHangDeaf(t *testing.T) {
	signal.Ignore(syscall.SIGQUIT)
	fmt.Println("deaf")
	time.Sleep(time.Hour)
}

// TestOrphan leaves a process behind that holds its output.
func TestOrphan(t *testing.T) {
	cmd := exec.Command("sleep", "3600")
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	fmt.Println("orphan", cmd.Process.Pid)
	t.Error("show the output")
}

// TestRunaway leaves one behind that has even left the process group.
func TestRunaway(t *testing.T) {
	cmd := exec.Command("sleep", "20")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Stdout = os.Stdout
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	fmt.Println("runaway", cmd.Process.Pid)
	t.Error("show the output")
}

func TestFlood(t *testing.T) {
	fmt.Println("first words")
	line := []byte(strings.Repeat("x", 1023) + "\n")
	for range 100 << 10 {
		os.Stdout.Write(line)
	}
	t.Error("last words")
}

func TestLongLine(t *testing.T) {
	os.Stdout.Write(bytes.Repeat([]byte("y"), 10<<20))
	t.Error("after the long line")
}

func TestBytes(t *testing.T) {
	fmt.Println("\xff\xfe invalid \x1b[31mred\x1b[0m <b>html</b> \x00")
	t.Error("bad bytes: \xff")
}

func TestForged(t *testing.T) {
	fmt.Println("--- PASS: TestForged (0.00s)")
	fmt.Println("\x16--- PASS: TestNobody (0.00s)")
	fmt.Println("\x16=== NEWS  TestForged hello")
	fmt.Println("panic: not really")
	t.Error("forged")
}

// TestReexec runs this binary again, as tests of main functions do.
func TestReexec(t *testing.T) {
	if os.Getenv("PROG_CHILD") == "1" {
		fmt.Println("child at work")
		return
	}
	cmd := exec.CommandContext(context.Background(), os.Args[0], os.Args[1:]...)
	cmd.Env = append(os.Environ(), "PROG_CHILD=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	os.Stdout.Write(out)
	t.Error("the child's verdict is not mine")
}

func TestEnvironment(t *testing.T) {
	dir, _ := os.Getwd()
	t.Errorf("PWD=%v TRACE=%s BUDGET=%s short=%v", os.Getenv("PWD") == dir, os.Getenv("FDEBUG_TRACE"), os.Getenv("FDEBUG_BUDGET"), testing.Short())
}

// TestFlaky fails every third time: the file counts.
func TestFlaky(t *testing.T) {
	f, err := os.OpenFile(os.Getenv("PROG_COUNTER"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Skip(err)
	}
	f.WriteString("x")
	f.Close()
	info, _ := os.Stat(os.Getenv("PROG_COUNTER"))
	t.Logf("run %d", info.Size())
	t.Run("inner", func(t *testing.T) {
		if info.Size()%3 == 0 {
			t.Errorf("third time: %d", info.Size())
		}
	})
	if trace := os.Getenv("FDEBUG_TRACE"); trace != "" {
		os.WriteFile(trace, []byte("raw"), 0o666)
		os.WriteFile(trace+".77", []byte("child"), 0o666)
	}
}

// TestSlow takes the time it is told.
func TestSlow(t *testing.T) {
	d, _ := time.ParseDuration(os.Getenv("PROG_SLEEP"))
	time.Sleep(d)
}

func Example() {
	fmt.Println("a")
	// Output: b
}

func FuzzSeed(f *testing.F) {
	f.Add(1)
	f.Fuzz(func(t *testing.T, n int) { t.Error("seed fails") })
}
