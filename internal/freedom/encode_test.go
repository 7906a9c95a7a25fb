package freedom

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/trace"
)

// decoded is the content of a file to a reader that knows only the comment in encode.go.
type decoded struct {
	size      int
	process   string
	positions [][]byte
	pins      [][]byte
}

// decode reads the file of a plan, and fails the test if it is not one.
func decode(t *testing.T, b []byte) decoded {
	t.Helper()
	if len(b) < 256 || string(b[:8]) != "fdbplan1" {
		t.Fatalf("no plan: %q", b[:min(8, len(b))])
	}
	u32 := func(off int) int { return int(binary.LittleEndian.Uint32(b[off:])) }
	process, _, ended := strings.Cut(string(b[64:256]), "\x00")
	d := decoded{size: u32(8), process: process}
	positions, pins, settings := u32(12), u32(16), u32(60)
	if d.size != len(b) || 256+64*positions+16*pins+32*settings != len(b) || !ended {
		t.Fatalf("%d bytes, size %d, %d positions, %d pins", len(b), d.size, positions, pins)
	}
	rest := b[256:]
	for range positions {
		d.positions, rest = append(d.positions, rest[:64]), rest[64:]
	}
	for range pins {
		d.pins, rest = append(d.pins, rest[:16]), rest[16:]
	}
	return d
}

// sorted reports whether records are in the order in which the runtime searches them.
func sorted(records [][]byte, key func(b []byte) [2]uint64) bool {
	return slices.IsSortedFunc(records, func(a, b []byte) int {
		x, y := key(a), key(b)
		return slices.Compare(x[:], y[:])
	})
}

func samplePlan() *Plan {
	one := Goroutine{ID: 0x1122334455667788}
	class := Goroutine{Class: 0x99}
	return &Plan{
		Process: "m.test",
		Acts: slices.Concat([]Step{
			Stall(Position{G: one, Event: 70, Block: 7}, 30*time.Millisecond, false),
			Stall(Position{G: class, Event: 5, Block: 8}, 0, true),
			Stall(Position{G: one, Event: 99, Block: 9, Hit: 3}, -1, false),
			Order(Position{G: one, Event: 2, Block: 10}, Position{G: class, Event: 3, Block: 11}, time.Second),
		}, Pins(77), []Step{
			Pin(trace.ActMap, 78, 12), Pin(trace.ActMap, 78, 4), Pin(trace.ActMap, 79, 4),
			StartAt(time.Second, 250*time.Millisecond), Zone("Asia/Kolkata"), Late(13, time.Millisecond), Collector(GCOff), Most(14, 16),
			collect(Position{G: one, Event: 1, Block: 15}),
		}),
	}
}

// TestPlanFile compares the file of a plan, byte by byte, with one that was checked
// by hand against the comment in encode.go.
func TestPlanFile(t *testing.T) {
	b, err := samplePlan().appendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, filepath.Join("testdata", "plan.golden"), hex.Dump(b))
	// The order of acts of different kinds makes no difference.
	p := samplePlan()
	slices.SortStableFunc(p.Acts, func(a, b Step) int { return int(min(b.Kind, trace.ActClock)) - int(min(a.Kind, trace.ActClock)) })
	if again, err := p.appendTo(nil); err != nil || !bytes.Equal(again, b) {
		t.Errorf("in another order: %x, %v; want %x", again, err, b)
	}
}

func TestPlanErrors(t *testing.T) {
	one := Goroutine{ID: 1}
	for want, p := range map[string]*Plan{
		"either a goroutine or a class":  {Acts: []Step{Stall(Position{Block: 1}, 0, false)}},
		"needs a block":                  {Acts: []Step{Order(Position{G: one, Block: 1}, Position{G: one}, 0)}},
		"network is not a kind of act":   {Acts: []Step{{Kind: trace.ActNetwork}}},
		"act 0 is not a kind of act":     {Acts: make([]Step, 1)},
		"executable has 300 bytes":       {Process: strings.Repeat("x", 300)},
		"no setting late is of kind dir": {Acts: []Step{{Kind: trace.ActDir, What: TimerLate}}},
		"1025 orders":                    {Acts: slices.Repeat([]Step{Order(Position{}, Position{}, 0)}, 1025)},
	} {
		if _, err := p.appendTo(nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestEnv(t *testing.T) {
	p := &Plan{}
	if got := p.Env("f"); !slices.Equal(got, []string{"FDEBUG_PERTURB=f"}) {
		t.Error(got)
	}
}

// FuzzPlanFile makes plans with arbitrary numbers. The file can be read according to the comment,
// is in order, and is complete: a position for which several orders wait is there once.
func FuzzPlanFile(f *testing.F) {
	f.Add("m.test", []byte("0123456789abcdef0123456789abcdef0123456789"))
	f.Add("", []byte{})
	f.Fuzz(func(t *testing.T, process string, numbers []byte) {
		p := &Plan{Process: strings.ReplaceAll(process, "\x00", "")}
		blocks, untils := make(map[[2]uint32]bool), make(map[Position]bool)
		for ; len(numbers) >= 16; numbers = numbers[16:] {
			long, word := binary.LittleEndian.Uint64(numbers), binary.LittleEndian.Uint32(numbers[8:])
			at := Position{G: Goroutine{ID: trace.GoroutineID(long | 1)}, Event: uint64(word), Block: word>>3 | 1, Hit: word & 1}
			if word&2 != 0 {
				at.G = Goroutine{Class: long | 1}
			}
			pin := Pin(trace.ActSelect+trace.ActKind(word%3), long, 0)
			if word&8 != 0 {
				pin.At.Block = word | 1
			}
			blocks[[2]uint32{uint32(pin.Kind), pin.At.Block}], untils[at] = true, true
			p.Acts = append(p.Acts, Stall(at, time.Duration(long), word&4 != 0), Order(at, at, time.Duration(word)), pin)
		}
		b, err := p.appendTo([]byte("before"))
		if err != nil {
			if len(p.Process) < 192 && len(p.Acts) <= 3*1024 {
				t.Fatal(err)
			}
			return
		}
		d := decode(t, b[len("before"):])
		if d.process != p.Process || len(d.positions) != 2*len(p.Acts)/3+len(untils) || len(d.pins) != len(blocks) {
			t.Fatalf("got %+v of %+v", d, p)
		}
		u32, u64 := binary.LittleEndian.Uint32, binary.LittleEndian.Uint64
		if !sorted(d.positions, func(b []byte) [2]uint64 { return [2]uint64{u64(b), u64(b[8:])} }) ||
			!sorted(d.pins, func(b []byte) [2]uint64 { return [2]uint64{uint64(u32(b)), uint64(u32(b[4:]))} }) {
			t.Fatalf("not in order: %+v", d)
		}
	})
}

// TestSettingsEnv checks which settings are in the environment instead of the file.
func TestSettingsEnv(t *testing.T) {
	p := &Plan{Acts: []Step{Zone("Asia/Kolkata"), Collector(GCOften), Shift(time.Hour, 0)}}
	if got, want := p.Env("f"), []string{"FDEBUG_PERTURB=f", "TZ=Asia/Kolkata", "GOGC=1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	list, err := p.settings()
	if err != nil || len(list) != 1 {
		t.Errorf("%d settings in the file, %v; want 1", len(list), err)
	}
}

// What the process has no part in is neither in the file nor in the environment.
func TestLoad(t *testing.T) {
	for _, c := range []struct {
		act   Step
		cpus  float64
		slows float64
	}{
		{Quota(25), 0.25, 4},
		{Quota(100), 1, 1},
		{Machine(AsItIs), 0, 1},
	} {
		p := &Plan{Acts: []Step{Survey()[0], c.act}}
		if p.CPUs() != c.cpus || p.Slows() != c.slows || !c.act.Always() {
			t.Errorf("%v: %v CPUs, %v times as long", c.act.What, p.CPUs(), p.Slows())
		}
		inFile := 1
		if c.act.What == AsItIs {
			inFile = 2
		}
		if list, err := p.settings(); err != nil || len(list) != inFile || len(p.Env("f")) != 1 {
			t.Errorf("%v: %d settings in the file, %v, %q", c.act.What, len(list), err, p.Env("f"))
		}
	}
}

// Aspects have names of their own, which replay files use.
func TestAspects(t *testing.T) {
	names := make(map[string]Aspect)
	for _, k := range Settable() {
		for _, x := range k.aspects {
			a, name := x.what, k.Name+" "+x.name
			if names[name] != 0 {
				t.Errorf("%v and %v are both called %s", uint32(a), uint32(names[name]), name)
			}
			names[name] = a
			var back Aspect
			if err := back.UnmarshalText([]byte(a.String())); err != nil || back != a {
				t.Errorf("%v is read as %v, %v", a, back, err)
			}
		}
	}
	if err := new(Aspect).UnmarshalText([]byte("later")); err == nil {
		t.Error("there is no setting called later")
	}
}

// A plan with new directories makes them, empty each time that its file is written, and the
// environment names them. A home directory that does not exist can't be made.
func TestDirectories(t *testing.T) {
	file := filepath.Join(t.TempDir(), "plan")
	p := Plan{Acts: []Step{Machine(TempFresh), Machine(HomeFresh)}}
	for range 2 {
		if err := p.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{file + ".tmp", file + ".home"} {
			list, err := os.ReadDir(dir)
			if err != nil || len(list) != 0 {
				t.Errorf("%s: %v, %v; want an empty directory", dir, list, err)
			}
			if err := os.WriteFile(filepath.Join(dir, "left"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	env := p.Env(file)
	if !slices.Contains(env, "TMPDIR="+file+".tmp") || !slices.Contains(env, "HOME="+file+".home") || !slices.Contains(env, "XDG_CACHE_HOME=") {
		t.Errorf("environment %q", env)
	}
	if err := os.MkdirAll(filepath.Join(noHome(), "x"), 0o777); err == nil {
		t.Errorf("%s was made", noHome())
	}
	if _, err := os.Stat(filepath.Join(noHome(), "x")); !os.IsNotExist(err) {
		t.Errorf("%s: %v, want that it does not exist", noHome(), err)
	}
}
