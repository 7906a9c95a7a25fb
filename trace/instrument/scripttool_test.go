package instrument

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// tracedMain is the command "traced" of the scripts:
//
//	traced build [-flags 'build flags'] [-overlay f] [-instrument p,...] [-generated] [-out d] patterns
//	    instruments, and builds the tests of each package, plain and traced
//	traced run [-exit] [-count regexp] package [arguments of the test binary]
//	    runs both; they must have the same status and the same output, up to
//	    durations, addresses and goroutine numbers, which it prints. -exit
//	    compares the status only, -count also how often the regexp matches
//	traced lines [-test name] [-prefix n]
//	    prints the lines that the last run executed, goroutine by goroutine,
//	    at most n blocks each
//	traced functions file
//	    prints the functions of an instrumented file
//	traced counts file
//	    prints how often the last run executed each block of a file
//	traced identity package [arguments]
//	    runs the traced binary ten times and compares the goroutines
//	traced budget package [arguments]
//	    compares the hashes beyond the budget with those of the events
//	traced processes
//	    prints the number of trace files that the last run left
//	traced plan perturbation...
//	    writes a plan, see scriptTool.plan
//	traced perturbed [-n runs] package [arguments]
//	    runs the traced binary under the plan, and prints its output and acts
//	traced watched package [arguments]
//	    runs the traced binary, which ends at once if it can never go on, and prints its output
//	traced acts
//	    prints what perturbations did in the last run
//	traced notes
//	    prints what the system answered in the last run, and after which block
//	traced files directory
//	    prints mode, time and content of each file in it
//	traced recycle
//	    empties the trace file of the last run, for the next to take over
func tracedMain() {
	tool := &scriptTool{dir: os.Getenv("WORK") + ".traced", feature: os.Getenv("FEATURE")}
	if tool.builds = tool.dir; tool.feature != "" {
		tool.builds = os.Getenv("FEATURES")
		if err := os.MkdirAll(tool.dir, 0o777); err != nil {
			fmt.Fprintln(os.Stderr, "traced:", err)
			os.Exit(1)
		}
	}
	commands := map[string]func([]string) error{
		"build": tool.build, "run": tool.run, "lines": tool.lines, "functions": tool.functions, "counts": tool.counts,
		"identity": tool.identity, "budget": tool.budget, "processes": tool.processes,
		"recycle": tool.recycle, "plan": tool.plan, "perturbed": tool.perturbed, "acts": tool.acts, "notes": tool.notes, "files": tool.files,
		"watched": tool.watched,
	}
	if len(os.Args) < 2 || commands[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "traced: no such command")
		os.Exit(2)
	}
	if err := commands[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "traced:", err)
		os.Exit(1)
	}
}

// A scriptTool runs the commands of one script.
type scriptTool struct {
	dir     string // of traces and plans, beside the script's directory
	builds  string // where the binaries are
	feature string // what the script is about, if its package is one of the module m; files are told from there
}

// built has the files that the build command leaves for the other commands.
type built struct {
	GOROOT   string
	Sites    string
	Packages []Package
}

func (tool *scriptTool) build(args []string) error {
	fs := flag.NewFlagSet("build", flag.ExitOnError)
	flags := fs.String("flags", "", "")
	overlay := fs.String("overlay", "", "")
	widen := fs.String("instrument", "", "")
	out := fs.String("out", filepath.Join(tool.dir, "out"), "")
	generated := fs.Bool("generated", false, "")
	fs.Parse(args)
	cfg := Config{
		Patterns: fs.Args(), BuildFlags: strings.Fields(*flags), Generated: *generated, Overlay: *overlay,
		Out: *out, Cache: os.Getenv("FDEBUG_FARMS"),
	}
	if *widen != "" {
		cfg.Instrument = strings.Split(*widen, ",")
	}
	plan, err := Prepare(context.Background(), cfg)
	if err != nil {
		return err
	}
	for _, w := range plan.Warnings {
		fmt.Println("warning:", w)
	}
	own := cfg.BuildFlags
	if *overlay != "" {
		own = append(own, "-overlay", *overlay)
	}
	for i, p := range plan.Packages {
		if err := goTestC("go", nil, own, tool.binary("plain", i), p); err != nil {
			return fmt.Errorf("plain: %w", err)
		}
		flags := slices.Concat(cfg.BuildFlags, plan.BuildFlags())
		if err := goTestC(plan.Shadow.Go(), plan.Shadow.Env(), flags, tool.binary("traced", i), p); err != nil {
			return fmt.Errorf("traced: %w", err)
		}
	}
	return tool.save(built{plan.Toolchain.GOROOT, plan.SitesPath, plan.Packages})
}

func goTestC(goCmd string, env, flags []string, out string, p Package) error {
	args := append([]string{"test", "-c", "-vet=off", "-o", out}, flags...)
	cmd := exec.Command(goCmd, append(args, p.ImportPath)...)
	cmd.Env = append(os.Environ(), env...)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

func (tool *scriptTool) binary(kind string, i int) string {
	return filepath.Join(tool.builds, fmt.Sprintf("%s%d.test", kind, i))
}

func (tool *scriptTool) save(b built) error {
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(tool.builds, "built.json"), data, 0o666)
}

func (tool *scriptTool) load() (b built, err error) {
	data, err := os.ReadFile(filepath.Join(tool.builds, "built.json"))
	if err != nil {
		return b, err
	}
	return b, json.Unmarshal(data, &b)
}

func (tool *scriptTool) run(args []string) error {
	fs := flag.NewFlagSet("run", flag.ExitOnError)
	var same comparison
	fs.BoolVar(&same.statusOnly, "exit", false, "")
	fs.StringVar(&same.count, "count", "", "")
	fs.Parse(args)
	b, err := tool.load()
	if err != nil {
		return err
	}
	plain, err := tool.execute(b, "plain", fs.Args())
	if err != nil {
		return err
	}
	traced, err := tool.execute(b, "traced", fs.Args())
	if err != nil {
		return err
	}
	fmt.Println(plain)
	return same.check(plain, traced)
}

func (tool *scriptTool) watched(args []string) error {
	b, err := tool.load()
	if err != nil {
		return err
	}
	r, err := tool.execute(b, "traced", args, "FDEBUG_WATCH=100000000")
	fmt.Println(r)
	return err
}

// tracePath is where the last traced run left its trace.
func (tool *scriptTool) tracePath() string { return filepath.Join(tool.dir, "last.trace") }

func (tool *scriptTool) traceFiles() []string {
	files, _ := filepath.Glob(tool.tracePath() + "*")
	return files
}

// execute runs a test binary as go test would, in the package's directory.
func (tool *scriptTool) execute(b built, kind string, args []string, env ...string) (result, error) {
	if len(args) == 0 {
		return result{}, errors.New("which package?")
	}
	for i, p := range b.Packages {
		if p.ImportPath != args[0] {
			continue
		}
		tool.clear()
		cmd := exec.Command(tool.binary(kind, i), args[1:]...)
		cmd.Dir = p.Dir
		cmd.Env = append(os.Environ(), "PWD="+p.Dir)
		if kind == "traced" {
			cmd.Env = append(cmd.Env, "FDEBUG_TRACE="+tool.tracePath())
		}
		cmd.Env = append(cmd.Env, env...)
		return runResult(cmd, b)
	}
	return result{}, fmt.Errorf("package %s was not built", args[0])
}

// clear removes the traces of the last run, except a file that was recycled.
func (tool *scriptTool) clear() {
	for _, f := range tool.traceFiles() {
		if t, err := trace.ReadRaw(f); !errors.Is(err, trace.ErrEmpty) {
			if err == nil {
				t.Close()
			}
			os.Remove(f)
		}
	}
}

func (tool *scriptTool) recycle([]string) error {
	before, err := os.Stat(tool.tracePath())
	if err != nil {
		return err
	}
	if err := trace.Recycle(tool.tracePath()); err != nil {
		return err
	}
	after, err := os.Stat(tool.tracePath())
	if err == nil && after.Size() != before.Size() {
		err = fmt.Errorf("the file had %d bytes and has %d", before.Size(), after.Size())
	}
	return err
}

func (tool *scriptTool) processes([]string) error {
	files := tool.traceFiles()
	for _, f := range files {
		t, err := trace.ReadRaw(f)
		if err != nil {
			return err
		}
		t.Close()
	}
	fmt.Println(len(files), "processes")
	return nil
}
