package instrument

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// plan writes a plan for runs of "traced perturbed". Each argument is a perturbation, with
// positions of the last run: "a.go:12" is where the first goroutine is about to write the block
// that begins at that line. "a.go:12#3" is the third time.
//
//	stall at=a.go:12 dose=50ms [class] [first] [event=N] [hit=N]
//	order hold=a.go:12 until=a_test.go:9 limit=1s
//	pin kind=map seed=7 [blocks=a.go:12,a.go:20]
//	set kind=clock what=phase unit=200ms value=20ms [block=a.go:12]
//	gc at=a.go:12
func (tool *scriptTool) plan(args []string) error {
	fs := flag.NewFlagSet("plan", flag.ExitOnError)
	var p freedom.Plan
	fs.StringVar(&p.Process, "process", "", "")
	fs.Parse(args)
	run, err := tool.lastRun()
	if err != nil {
		return err
	}
	defer run.t.Close()
	for _, spec := range fs.Args() {
		if err := run.add(&p, strings.Fields(spec)); err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
	}
	env := strings.Join(p.Env(tool.planPath()), "\n")
	if err := os.WriteFile(tool.planPath()+".env", []byte(env), 0o666); err != nil {
		return err
	}
	return p.WriteFile(tool.planPath())
}

func (tool *scriptTool) planPath() string { return filepath.Join(tool.dir, "plan") }

// A scriptRun is the last run, for looking up positions.
type scriptRun struct {
	sites *trace.Sites
	t     *trace.Trace
}

// sites reads the site table of the last build.
func (tool *scriptTool) sites() (*trace.Sites, error) {
	b, err := tool.load()
	if err != nil {
		return nil, err
	}
	sites, err := trace.ReadSites(b.Sites)
	if err != nil || tool.feature == "" {
		return sites, err
	}
	sites.Root = filepath.Join(sites.Root, tool.feature)
	for i, f := range sites.Files {
		sites.Files[i].Path = strings.TrimPrefix(f.Path, tool.feature+"/")
	}
	return sites, nil
}

func (tool *scriptTool) lastRun() (*scriptRun, error) {
	sites, err := tool.sites()
	if err != nil {
		return nil, err
	}
	t, err := trace.ReadRaw(tool.tracePath())
	if err != nil {
		return nil, err
	}
	return &scriptRun{sites, t}, nil
}

// add adds a perturbation to a plan.
func (run *scriptRun) add(p *freedom.Plan, words []string) error {
	o := make(options)
	for _, w := range words[1:] {
		key, value, _ := strings.Cut(w, "=")
		o[key] = value
	}
	at := func(key string) freedom.Position {
		where, ok := o[key]
		if !ok {
			return freedom.Position{}
		}
		return run.position(o, where)
	}
	_, first := o["first"]
	add := func(a freedom.Step) { p.Acts = append(p.Acts, a) }
	switch words[0] {
	case "stall":
		add(freedom.Stall(at("at"), o.duration("dose"), first))
	case "order":
		add(freedom.Order(at("hold"), o.end(at("until")), o.duration("limit")))
	case "pin":
		kinds := map[string]trace.ActKind{"select": trace.ActSelect, "map": trace.ActMap, "rand": trace.ActRand}
		blocks := run.blocks(o["blocks"])
		if len(blocks) == 0 {
			blocks = []uint32{0}
		}
		for _, b := range blocks {
			add(freedom.Pin(kinds[o["kind"]], o.number("seed"), b))
		}
	case "gc":
		p := at("at")
		add(freedom.Step{Kind: trace.ActGC, At: p, First: p.G.Class != 0})
	case "set":
		return run.set(p, o)
	default:
		return errors.New("no such perturbation")
	}
	return nil
}

// set adds a setting to a plan.
func (run *scriptRun) set(p *freedom.Plan, o options) error {
	set := freedom.Step{Unit: int64(o.duration("unit")), Value: int64(o.duration("value")) + int64(o.number("value"))}
	for _, k := range freedom.Survey() {
		if k.Kind.String() == o["kind"] {
			set.Kind = k.Kind
		}
	}
	if err := set.What.UnmarshalText([]byte(strings.ReplaceAll(o["what"], "_", " "))); err != nil {
		return err
	}
	if list := run.blocks(o["block"]); len(list) > 0 {
		set.At.Block = list[0]
	}
	p.Acts = append(p.Acts, set)
	return nil
}

// options are the words of a perturbation.
type options map[string]string

func (o options) number(key string) uint64 {
	n, _ := strconv.ParseUint(o[key], 10, 64)
	return n
}

func (o options) duration(key string) time.Duration {
	d, _ := time.ParseDuration(o[key])
	return d
}

// end returns a position, or the end of its goroutine if the word end is given.
func (o options) end(at freedom.Position) freedom.Position {
	if _, is := o["end"]; is {
		at.Block, at.Event = freedom.End, 0
	}
	return at
}

// position returns where the run reaches a place. The options event and hit override it.
func (run *scriptRun) position(o options, where string) (at freedom.Position) {
	where, nth, _ := strings.Cut(where, "#")
	n := max(options{"n": nth}.number("n"), 1)
	for _, g := range run.t.Goroutines {
		events, _ := load(g)
		for i, e := range events {
			if block, ok := e.Block(); !ok || run.place(block) != where {
				continue
			}
			if n--; n > 0 {
				continue
			}
			at = freedom.Position{G: freedom.Goroutine{ID: g.ID}, Event: uint64(i), Block: uint32(e), Hit: uint32(o.number("hit"))}
			if _, class := o["class"]; class {
				at.G = freedom.Goroutine{Class: g.Class}
			}
			if _, other := o["event"]; other {
				at.Event = o.number("event")
			}
			return at
		}
		n = max(options{"n": nth}.number("n"), 1)
	}
	return at
}

// place returns where a block begins.
func (run *scriptRun) place(block int) string {
	span, ok := run.sites.Pos(block)
	if !ok {
		return fmt.Sprint("block ", block)
	}
	return fmt.Sprintf("%s:%d", span.File, span.Start)
}

// blocks returns the numbers of the blocks that begin at places.
func (run *scriptRun) blocks(places string) (blocks []uint32) {
	for n := range run.sites.Blocks {
		if slices.Contains(strings.Split(places, ","), run.place(n)) {
			blocks = append(blocks, uint32(n))
		}
	}
	return blocks
}

// perturbed runs a traced test binary under the plan, -n times, with GOMAXPROCS 1, 2 and 8 in
// turn or -procs for all. It prints the output, once if it is always the same, and then what the
// perturbations did in the last run.
func (tool *scriptTool) perturbed(args []string) error {
	fs := flag.NewFlagSet("perturbed", flag.ExitOnError)
	n := fs.Int("n", 1, "")
	procs := fs.Int("procs", 0, "")
	fs.Parse(args)
	b, err := tool.load()
	if err != nil {
		return err
	}
	said, err := os.ReadFile(tool.planPath() + ".env")
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for i := range *n {
		env := strings.Split(string(said), "\n")
		if *n > 1 {
			env = append(env, fmt.Sprint("GOMAXPROCS=", cmp.Or(*procs, []int{1, 2, 8}[i%3])))
		}
		r, err := tool.execute(b, "traced", fs.Args(), env...)
		if err != nil {
			return err
		}
		if text := r.String(); !seen[text] {
			seen[text] = true
			fmt.Println(text)
		}
	}
	if *n > 1 {
		fmt.Println(len(seen), "different outputs")
	}
	return tool.acts(nil)
}

// acts prints what perturbations did in the last run, in all of its processes.
func (tool *scriptTool) acts([]string) error {
	sites, err := tool.sites()
	if err != nil {
		return err
	}
	for _, f := range tool.traceFiles() {
		t, err := trace.ReadRaw(f)
		if err != nil {
			return err
		}
		(&scriptRun{sites, t}).acts()
		t.Close()
	}
	return nil
}

func (run *scriptRun) acts() {
	for _, a := range run.t.Acts {
		what := "missed"
		if a.Applied {
			what = "applied"
		}
		if a.Met {
			what += ", met"
		}
		where := "the end"
		if a.Block != 0 {
			where = run.place(int(a.Block))
		}
		fmt.Printf("act %v %d %s at %s\n", a.Kind, a.Index, what, where)
	}
	for _, d := range run.t.Draws {
		fmt.Printf("draw %v at %s\n", d.Kind, run.place(int(d.Block)))
	}
	if run.t.Truncated != "" {
		fmt.Println("truncated:", run.t.Truncated)
	}
}

// notes prints the notes of the last run.
func (tool *scriptTool) notes([]string) error {
	run, err := tool.lastRun()
	if err != nil {
		return err
	}
	defer run.t.Close()
	for _, n := range run.t.Notes {
		where := "no place"
		if n.Goroutine > 0 && n.Event > 0 {
			events, err := load(run.t.Goroutines[n.Goroutine-1])
			if err != nil {
				return err
			}
			where = run.place(int(events[n.Event-1]))
		}
		value := fmt.Sprint(n.Value)
		if n.Kind == trace.ActLeft {
			x := trace.TouchOf(n.Value)
			value = fmt.Sprint([]string{"env", "file", "dir", "port"}[x.Thing], " looks=", x.Looks, " changes=", x.Changes)
		}
		fmt.Printf("note %v %s at %s\n", n.Kind, value, where)
	}
	return nil
}

// files prints for each file in a directory what a test must not change: mode, time and content.
func (tool *scriptTool) files(args []string) error {
	return filepath.WalkDir(args[0], func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if fi.Mode().IsRegular() {
			if text, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		fmt.Println(name, fi.Mode(), fi.ModTime().UnixNano(), len(text), string(text))
		return nil
	})
}
