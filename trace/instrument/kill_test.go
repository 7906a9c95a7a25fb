//go:build linux || darwin

package instrument

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/trace"
	"golang.org/x/tools/txtar"
)

var kills = flag.Int("kills", 25, "how many processes TestKill kills")

const (
	killSteps  = 200000  // of each worker
	killBudget = 1 << 20 // of every second run, so that chunks are reused
)

// killWorkers are the functions that the goroutines with a log run, by slot.
var killWorkers = []string{"m.w0", "m.w1", "m.w2", "m.w3", "m.ping", "m.pong", "m.spawner"}

// TestKill kills a traced process at random moments. Each time, the trace can be read and
// compacted, each goroutine's stream is the beginning of what it does in a run that is not
// killed, and it goes exactly as far as the log that the program itself keeps: nothing is lost.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary and runs it often")
	}
	t.Parallel()
	k := newKillTest(t)
	k.uninterrupted(t)
	rnd := rand.New(rand.NewPCG(3, 7))
	seen := make(map[string]int)
	for n := range *kills {
		after := time.Duration(rnd.Float64() * 1.2 * float64(k.wall))
		if n%5 == 0 { // while it starts
			after = time.Duration(rnd.Float64() * 0.2 * float64(k.wall))
		}
		seen[k.kill(t, n, after)]++
	}
	t.Logf("%d processes of %v: %v", *kills, k.wall.Round(time.Millisecond), seen)
	if seen["killed while tracing"] == 0 {
		t.Error("no process was killed while it wrote events")
	}
}

// TestTakeOver kills a process while it creates its file, at every stage, and offers that file to
// another process. Either the file is refused, or the process takes it. Otherwise it would create
// another one, and nobody would find its trace.
func TestTakeOver(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test binary")
	}
	if runtime.GOOS != "linux" {
		t.Skip("files are used again on Linux only")
	}
	t.Parallel()
	k := newKillTest(t)
	for _, size := range []int{0, 1000, 4096, 64 << 10, 256<<10 - 4096, 256 << 10, 256<<10 + 1000, 1 << 20} {
		name := fmt.Sprint("taken", size)
		raw := filepath.Join(k.dir, name+".raw")
		writeFile(t, raw, strings.Repeat("\x00", size))
		offered := trace.Recycle(raw) == nil
		if !offered {
			os.Remove(raw)
		}
		if offered != (size == 256<<10 || size == 1<<20) {
			t.Errorf("%d bytes: offered %v", size, offered)
		}
		k.run(t, name, killBudget, -1)
		if left, _ := filepath.Glob(raw + "*"); len(left) != 1 {
			t.Errorf("%d bytes, offered %v: left %q", size, offered, left)
		}
		if tr, err := trace.ReadRaw(raw); err != nil {
			t.Errorf("%d bytes, offered %v: %v", size, offered, err)
		} else {
			tr.Close()
		}
	}
}

// A killTest is a traced binary and what it does when it is not killed.
type killTest struct {
	dir, bin string
	step     int           // the block with which every step begins
	end      int           // the last block before a step counts as done
	wall     time.Duration // how long it takes
	whole    map[trace.GoroutineID]*killStream
}

// A killStream is the whole stream of a goroutine.
type killStream struct {
	g      *trace.Goroutine
	events []trace.Event
	steps  []int64 // positions of the events that begin a step
	ends   []int64 // positions of the events that end one
}

// newKillTest builds the program.
func newKillTest(t *testing.T) *killTest {
	ar, err := txtar.ParseFile("testdata/kill.txtar")
	if err != nil {
		t.Fatal(err)
	}
	k := &killTest{dir: t.TempDir()}
	src := filepath.Join(k.dir, "src")
	if err := os.Mkdir(src, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range ar.Files {
		writeFile(t, filepath.Join(src, f.Name), string(f.Data))
	}
	plan, err := Prepare(context.Background(), Config{Dir: src, Patterns: []string{"."}, Out: filepath.Join(k.dir, "out")})
	if err != nil {
		t.Fatal(err)
	}
	k.bin = filepath.Join(k.dir, "m.test")
	cmd := exec.Command(plan.Shadow.Go(), slices.Concat([]string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", k.bin}, plan.BuildFlags(), []string{"."})...)
	cmd.Dir, cmd.Env = src, append(os.Environ(), plan.Shadow.Env()...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for b := 1; b < len(plan.Sites.Blocks); b++ {
		bl := plan.Sites.Blocks[b]
		switch name := plan.Sites.Funcs[bl.Func].Name; {
		case name == "step" && bl.Kind == trace.BlockEntry:
			k.step = b
		case name == "do" && bl.Stmts > 0: // the last one
			k.end = b
		}
	}
	return k
}

// run executes the program. If after is not negative, it kills the program after that time. It
// returns the path of the raw trace and the log, two numbers for each worker.
func (k *killTest) run(t *testing.T, name string, budget int, after time.Duration) (raw string, log []byte, killed bool) {
	raw = filepath.Join(k.dir, name+".raw")
	logName := filepath.Join(k.dir, name+".log")
	writeFile(t, logName, strings.Repeat("\x00", 4096))
	cmd := exec.Command(k.bin, "-test.count=1")
	cmd.Env = append(os.Environ(), "FDEBUG_TRACE="+raw, "KILL_LOG="+logName, fmt.Sprint("KILL_STEPS=", killSteps))
	if budget > 0 {
		cmd.Env = append(cmd.Env, fmt.Sprint("FDEBUG_BUDGET=", budget))
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if after >= 0 {
		time.Sleep(after)
		cmd.Process.Kill()
	}
	err := cmd.Wait()
	if killed = err != nil; killed && after < 0 {
		t.Fatal(err)
	}
	return raw, []byte(readFile(t, logName)), killed
}

// uninterrupted runs the program to its end and keeps what it did.
func (k *killTest) uninterrupted(t *testing.T) {
	start := time.Now()
	raw, _, _ := k.run(t, "whole", 0, -1)
	k.wall = time.Since(start)
	if began, err := trace.Began(raw); err != nil || began.Before(start.Round(0)) || began.After(start.Round(0).Add(k.wall)) {
		t.Errorf("the trace began at %v (%v), in a run from %v to %v later", began, err, start, k.wall)
	}
	tr, err := trace.ReadRaw(raw)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	k.whole = make(map[trace.GoroutineID]*killStream)
	for _, g := range tr.Goroutines {
		s := &killStream{g: g}
		for i := range g.Chunks {
			events, err := g.Load(i, nil)
			if err != nil {
				t.Fatal(err)
			}
			s.events = append(s.events, events...)
		}
		for i, e := range s.events {
			switch b, _ := e.Block(); b {
			case k.step:
				s.steps = append(s.steps, int64(i))
			case k.end:
				s.ends = append(s.ends, int64(i))
			}
		}
		if slices.Contains(killWorkers, g.Entry.Func) && (len(s.steps) == 0 || len(s.steps) != len(s.ends)) {
			t.Fatalf("goroutine of %s begins %d steps and ends %d", g.Entry.Func, len(s.steps), len(s.ends))
		}
		k.whole[g.ID] = s
	}
	if len(k.whole) < killSteps/100 {
		t.Fatalf("%d goroutines", len(k.whole))
	}
}

// kill kills one process and checks what it left. It returns in which part of its life the
// process was killed.
func (k *killTest) kill(t *testing.T, n int, after time.Duration) string {
	budget := n % 2 * killBudget
	raw, log, killed := k.run(t, "killed", budget, after)
	defer func() {
		if n%4 < 2 || trace.Recycle(raw) != nil { // otherwise the next run takes the file over
			os.Remove(raw)
		}
	}()
	tr, err := trace.ReadRaw(raw)
	if errors.Is(err, trace.ErrEmpty) || errors.Is(err, fs.ErrNotExist) {
		if strings.Trim(string(log), "\x00") != "" {
			t.Errorf("run %d, killed after %v: %v, but the program had run", n, after, err)
		}
		return "killed before the trace"
	}
	if err != nil {
		t.Fatalf("run %d, killed after %v: %v", n, after, err)
	}
	defer tr.Close()
	if tr.Truncated != "" && (budget == 0 || strings.Contains(tr.Truncated, ";") || !strings.Contains(tr.Truncated, "budget")) {
		t.Errorf("run %d, killed after %v: %s", n, after, tr.Truncated)
	}
	if err := errors.Join(k.check(tr, log), k.compacts(raw, tr)); err != nil {
		t.Errorf("run %d, killed after %v: %v", n, after, err)
	}
	if !killed {
		return "ended before"
	}
	return "killed while tracing"
}

// check compares a trace with the whole streams and with the log.
func (k *killTest) check(tr *trace.Trace, log []byte) error {
	logged := 0
	for _, g := range tr.Goroutines {
		s := k.whole[g.ID]
		if s == nil {
			return fmt.Errorf("goroutine %v of %s is not known", g.ID, g.Entry.Func)
		}
		if err := s.begins(g); err != nil {
			return fmt.Errorf("goroutine of %s: %w", g.Entry.Func, err)
		}
		slot := slices.Index(killWorkers, g.Entry.Func)
		if slot < 0 {
			continue
		}
		begun, done := logEntry(log, slot)
		if done > 0 {
			logged++
		}
		if done > 0 && g.Len() <= s.ends[done-1] || begun < len(s.steps) && g.Len() > s.steps[begun] {
			return fmt.Errorf("goroutine of %s: %d events; it has begun %d steps and done %d", g.Entry.Func, g.Len(), begun, done)
		}
	}
	for slot := range killWorkers {
		if _, done := logEntry(log, slot); done > 0 {
			logged--
		}
	}
	if logged != 0 {
		return errors.New("a worker that has done steps is not in the trace")
	}
	return nil
}

func logEntry(log []byte, slot int) (begun, done int) {
	word := func(i int) int { return int(binary.LittleEndian.Uint64(log[64*slot+8*i:])) }
	return word(0), word(1)
}

// begins returns how g is not the beginning of s, or nil if it is.
func (s *killStream) begins(g *trace.Goroutine) error {
	if len(g.Chunks) > len(s.g.Chunks) {
		return fmt.Errorf("%d chunks, want at most %d", len(g.Chunks), len(s.g.Chunks))
	}
	at := 0
	for i, c := range g.Chunks {
		if c.Len > s.g.Chunks[i].Len {
			return fmt.Errorf("chunk %d of %d has %d events, want %d", i, len(g.Chunks), c.Len, s.g.Chunks[i].Len)
		}
		want := s.events[at:][:c.Len]
		if c.Hash != trace.HashEvents(want) {
			return fmt.Errorf("chunk %d of %d has another hash", i, len(g.Chunks))
		}
		if c.Kept {
			if got, err := g.Load(i, nil); err != nil || !slices.Equal(got, want) {
				return fmt.Errorf("chunk %d of %d: events differ, error %v", i, len(g.Chunks), err)
			}
		}
		at += c.Len
	}
	return nil
}

// compacts checks that the compacted trace is the same.
func (k *killTest) compacts(raw string, want *trace.Trace) error {
	name := filepath.Join(k.dir, "killed.trace")
	if err := trace.Compact(raw, name); err != nil {
		return err
	}
	got, err := trace.Open(name)
	if err != nil {
		return err
	}
	defer got.Close()
	if len(got.Goroutines) != len(want.Goroutines) {
		return fmt.Errorf("compacted, there are %d goroutines, not %d", len(got.Goroutines), len(want.Goroutines))
	}
	for i, g := range got.Goroutines {
		w := want.Goroutines[i]
		same := slices.EqualFunc(g.Chunks, w.Chunks, func(a, b trace.Chunk) bool { return a == b })
		if !same || cmp.Compare(g.ID, w.ID) != 0 || !slices.Equal(g.Stamps, w.Stamps) {
			return fmt.Errorf("compacted, goroutine %v differs", w.ID)
		}
	}
	return nil
}
