package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
)

// A flagSet is a flag.FlagSet that also accepts flags after arguments, as users of go test
// expect: fdebug run ./... -n 50. Everything after "--" is rest.
type flagSet struct {
	*flag.FlagSet
	rest []string // arguments after --
}

func newFlagSet(name string) *flagSet {
	fs := &flagSet{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError)}
	fs.SetOutput(io.Discard)
	return fs
}

// A helpError asks for help with the command that has these flags.
type helpError struct{ fs *flagSet }

func (e helpError) Error() string { return flag.ErrHelp.Error() }
func (e helpError) Unwrap() error { return flag.ErrHelp }

// parse parses args and returns those that are not flags.
func (fs *flagSet) parse(args []string) ([]string, error) {
	var plain []string
	for i, a := range args {
		if a == "--" {
			args, fs.rest = args[:i], args[i+1:]
			break
		}
	}
	for len(args) > 0 {
		if err := fs.Parse(args); err != nil {
			return nil, fs.explain(err)
		}
		rest := fs.Args()
		n := 0
		for n < len(rest) && (rest[n] == "-" || !strings.HasPrefix(rest[n], "-")) {
			n++
		}
		plain = append(plain, rest[:n]...)
		args = rest[n:]
	}
	return plain, fs.refuseWithBrief()
}

// refuseWithBrief refuses flags that have something else printed.
func (fs *flagSet) refuseWithBrief() (err error) {
	given := make(map[string]bool)
	fs.Visit(func(f *flag.Flag) { given[f.Name] = f.Name == "shard" || isBool(f.Value) })
	for _, name := range []string{"json", "patch", "shard", "v"} {
		if given["brief"] && given[name] {
			err = advice.Usagef("-brief and -%s exclude each other", name)
		}
	}
	return err
}

// explain turns the flag package's errors into fdebug's.
func (fs *flagSet) explain(err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return helpError{fs}
	}
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
		if instead := gone[fs.Name()+" "+name]; instead != "" {
			return advice.With(advice.Usagef("%s is no longer a flag of fdebug %s", name, fs.Name()), instead)
		}
		return advice.With(advice.Usagef("unknown flag %s", name),
			append(advice.DidYouMean("-"+strings.TrimLeft(name, "-"), fs.names()),
				fmt.Sprintf("fdebug help %s lists the flags", fs.Name()),
				"flags for the test binary itself go after --: fdebug run ./... -- -myflag")...)
	}
	if name, ok := strings.CutPrefix(msg, "flag needs an argument: -"); ok {
		return advice.With(advice.Usagef("-%s needs a value", name), fs.want(name)...)
	}
	if m := badValue.FindStringSubmatch(msg); m != nil {
		return advice.With(advice.Usagef("-%s %s: not understood", m[2], m[1]), fs.want(m[2])...)
	}
	return advice.Usagef("%s", msg)
}

// names returns the flags as they are typed.
func (fs *flagSet) names() (list []string) {
	fs.VisitAll(func(f *flag.Flag) { list = append(list, "-"+f.Name) })
	return list
}

// isBool reports whether a flag needs no value.
func isBool(v flag.Value) bool {
	b, ok := v.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// badValue matches how package flag reports a value that can't be parsed.
var badValue = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-([^: ]+): `)

// want returns a hint about a flag's values.
func (fs *flagSet) want(name string) []string {
	f := fs.Lookup(name)
	if f == nil {
		return nil
	}
	switch v := f.Value.(type) {
	case wanting:
		if w := v.want(); w != "" {
			return []string{"want " + w}
		}
		return nil
	case flag.Getter:
		switch v.Get().(type) {
		case int:
			return []string{"want a number such as 50"}
		case time.Duration:
			return []string{"want a duration such as 10m"}
		case bool:
			return []string{"want true or false"}
		}
	}
	return nil
}

// A wanting flag value describes what can be parsed: "a size such as 256MB".
type wanting interface{ want() string }

// A goFlag collects flags that are passed to the go command or to the test binary, in the form
// -name=value.
type goFlag struct {
	name string
	bool bool
	dest *[]string
}

func (f *goFlag) String() string   { return "" }
func (f *goFlag) IsBoolFlag() bool { return f != nil && f.bool }

func (f *goFlag) want() string {
	if f.bool {
		return "true or false"
	}
	return ""
}

func (f *goFlag) Set(value string) error {
	if f.bool {
		if _, err := strconv.ParseBool(value); err != nil {
			return err
		}
	}
	*f.dest = append(*f.dest, "-"+f.name+"="+value)
	return nil
}

// buildFlags registers the build flags of the go command.
func (fs *flagSet) buildFlags(dest *[]string) {
	for _, name := range []string{"race", "msan", "asan", "trimpath", "cover", "a", "linkshared", "modcacherw"} {
		fs.Var(&goFlag{name, true, dest}, name, "")
	}
	for _, name := range []string{"tags", "mod", "modfile", "ldflags", "gcflags", "asmflags", "pgo", "buildvcs",
		"covermode", "coverpkg", "gccgoflags", "installsuffix", "pkgdir", "toolexec"} {
		fs.Var(&goFlag{name, false, dest}, name, "")
	}
}

// testFlags registers the flags of go test that select tests and say how they run.
func (fs *flagSet) testFlags(sel *runner.Selection) {
	fs.StringVar(&sel.Run, "run", "", "")
	fs.StringVar(&sel.Skip, "skip", "", "")
	fs.StringVar(&sel.CPU, "cpu", "", "")
	fs.StringVar(&sel.Shuffle, "shuffle", "", "")
	fs.IntVar(&sel.Parallel, "parallel", 0, "")
	fs.IntVar(&sel.Count, "count", 0, "")
	fs.DurationVar(&sel.Timeout, "timeout", 0, "")
	fs.BoolVar(&sel.Short, "short", false, "")
	fs.BoolVar(&sel.FailFast, "failfast", false, "")
	fs.BoolVar(&sel.FullPath, "fullpath", false, "")
	fs.Float64Var(&sel.CPUs, "cpus", 0, "")
	fs.execFlag(sel)
}

// execFlag registers -exec, as go test has it.
func (fs *flagSet) execFlag(sel *runner.Selection) {
	fs.Func("exec", "", func(s string) (err error) {
		sel.Exec, err = runner.SplitCommand(s)
		return err
	})
}

// briefFlag registers -brief, which has one line for programs take the place of all else.
func (a *app) briefFlag(fs *flagSet) {
	fs.BoolFunc("brief", "", func(string) error {
		a.screen().Brief, a.Stdout, a.Quiet = cmp.Or(a.screen().Brief, new(report.Brief)), io.Discard, true
		return nil
	})
}

// A byteSize is a flag value such as 256MB.
type byteSize int64

func (b *byteSize) String() string { return strconv.FormatInt(int64(*b), 10) }

func (b *byteSize) Set(s string) error {
	unit := int64(1)
	upper := strings.TrimSuffix(strings.ToUpper(s), "B")
	for i, suffix := range []string{"K", "M", "G"} {
		if rest, ok := strings.CutSuffix(upper, suffix); ok {
			upper, unit = strings.TrimSuffix(rest, "I"), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(upper), 10, 64)
	if err != nil || n <= 0 || n > 1<<62/unit {
		return errors.New("not a size")
	}
	*b = byteSize(n * unit)
	return nil
}

func (b *byteSize) want() string { return "a size such as 256MB" }

// A listFlag may be given several times.
type listFlag []string

func (l *listFlag) String() string     { return strings.Join(*l, ",") }
func (l *listFlag) Set(s string) error { *l = append(*l, s); return nil }

func firstArg(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// A days is a duration in the units of the history: 14d, 36h.
type days time.Duration

func (d *days) String() string { return time.Duration(*d).String() }

func (d *days) Set(s string) error {
	if n, ok := strings.CutSuffix(s, "d"); ok {
		f, err := strconv.ParseFloat(n, 64)
		if err != nil || !(f > 0 && f < 100_000) {
			return errors.New("not a number of days")
		}
		*d = days(f * 24 * float64(time.Hour))
		return nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v <= 0 {
		return errors.New("not a duration")
	}
	*d = days(v)
	return nil
}

func (d *days) want() string { return "a duration such as 14d or 36h" }
