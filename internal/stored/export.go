package stored

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/trace"
)

// An Export turns the trace of one run into a coverage profile or text. Set the fields, and call Run.
type Export struct {
	*session.Console
	Out     string // store, or a run in it
	Profile string
	Text    string
}

func (j *Export) Run(arg string) error {
	t, sites, err := j.open(arg)
	if err != nil {
		return err
	}
	defer t.Close()
	if t.Truncated != "" {
		j.Warnf("the trace is not complete: %s", t.Truncated)
	}
	if j.Profile != "" {
		profiles, err := sites.Profiles(t.Goroutines)
		if err != nil {
			return err
		}
		if err := j.write(j.Profile, func(w io.Writer) error { return trace.WriteProfiles(w, profiles) }); err != nil {
			return err
		}
	}
	if j.Text != "" {
		return j.write(j.Text, func(w io.Writer) error { return j.writeText(w, t, sites) })
	}
	return nil
}

// open opens the trace of a run in the store, or a trace file.
func (j *Export) open(arg string) (*trace.Trace, *trace.Sites, error) {
	n, err := strconv.Atoi(arg)
	if err != nil {
		return j.openFile(arg)
	}
	dir, err := j.StoreIn(j.Out).Find("")
	if err != nil {
		return nil, nil, session.ExplainNoRun(err)
	}
	results, err := runner.Load(dir)
	if err != nil {
		return nil, nil, err
	}
	var files []string
	for _, p := range results.Packages {
		for _, r := range p.Runs {
			if r.N == n && len(r.Traces) > 0 {
				files = append(files, filepath.Join(dir, r.Traces[0]))
			}
		}
	}
	switch len(files) {
	case 0:
		return nil, nil, fmt.Errorf("no run %d with a trace", n)
	case 1:
		return j.openFile(files[0])
	}
	return nil, nil, advice.With(fmt.Errorf("several packages have a run %d", n),
		"the name of a file with a trace says which: "+j.Show(files[0]))
}

// openFile opens a trace file.
func (j *Export) openFile(name string) (*trace.Trace, *trace.Sites, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, nil, advice.With(err, "RUN is the number of a run, or the name of a file with a trace")
	}
	sites, err := trace.ReadSites(j.tableOf(name))
	if err != nil {
		return nil, nil, advice.With(err, "-o DIR says where fdebug run wrote to")
	}
	t, err := trace.Open(name)
	return t, sites, err
}

// tableOf returns the site table for a trace file: that of a run in -o, or the nearest one above the file.
func (j *Export) tableOf(name string) string {
	dir, _ := filepath.Abs(name)
	for d := j.Out; dir != filepath.Dir(dir); d = dir {
		table := filepath.Join(d, "sites.json")
		if _, err := os.Stat(table); d != "" && err == nil {
			return table
		}
		dir = filepath.Dir(dir)
	}
	return filepath.Join(dir, "sites.json")
}

func (j *Export) write(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(j.Stdout)
	}
	return createFile(name, write)
}

func createFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return cmp.Or(write(f), f.Close())
}

// writeText writes events, one a line, by goroutine.
func (j *Export) writeText(w io.Writer, t *trace.Trace, sites *trace.Sites) error {
	bw := bufio.NewWriter(w)
	for _, g := range t.Goroutines {
		fmt.Fprintf(bw, "goroutine %v test=%q entry=%s events=%d\n", g.ID, g.Test, g.Entry.Func, g.Len())
		if err := writeEvents(bw, g, t, sites); err != nil {
			return err
		}
	}
	return bw.Flush()
}

func writeEvents(w io.Writer, g *trace.Goroutine, t *trace.Trace, sites *trace.Sites) error {
	var buf []trace.Event
	n := int64(0) // number of the event
	for i, c := range g.Chunks {
		if !c.Kept {
			fmt.Fprintf(w, "\t(%d events not kept, hash %016x)\n", c.Len, c.Hash)
			n += int64(c.Len)
			continue
		}
		var err error
		if buf, err = g.Load(i, buf); err != nil {
			return err
		}
		for _, e := range buf {
			fmt.Fprintf(w, "\t%s\t%s\n", timeText(g.Between(n)), eventText(e, t, sites))
			n++
		}
	}
	return nil
}

// timeText formats the bounds of a time, since the process started.
func timeText(earliest, latest int64) string {
	if latest == math.MaxInt64 {
		return fmt.Sprintf("%v-", time.Duration(earliest))
	}
	return fmt.Sprintf("%v-%v", time.Duration(earliest), time.Duration(latest))
}

// eventText describes an event: file, line and function of a block, or a check.
func eventText(e trace.Event, t *trace.Trace, sites *trace.Sites) string {
	if kind, stack, ok := e.Check(); ok {
		for _, f := range t.Stacks[stack] {
			if path, ok := sites.Rel(f.File); ok {
				return fmt.Sprintf("%s at %s:%d", kind, path, f.Line)
			}
		}
		return kind.String()
	}
	n, _ := e.Block()
	if !sites.Has(n) {
		return fmt.Sprintf("block %d (not in the site table)", n)
	}
	b := sites.Blocks[n]
	return fmt.Sprintf("%s:%d %s", sites.Files[sites.FileOf(n)].Path, b.StartLine, sites.Funcs[b.Func].Name)
}
