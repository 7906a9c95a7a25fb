// Command examples holds what fdebug says of the examples to what examples/README.md says of them.
//
//	go run ./internal/lab/examples                    # runs them, as that page does; about ten minutes
//	go run ./internal/lab/examples -only clock,fileio
//	go run ./internal/lab/examples result.json...     # runs nothing, and judges these results
//
// Each example has a row with the first place of the list, the kind of flake, whether the sentence of the cause is true
// and the advice leads nowhere else, how the cause is known, and the seconds that its proofs took. Below stand the
// sentences. Package, test, kind and cause come from the tables of that page, the rest from truth.txt.
//
// Flakes vary, so what is not right is tried once more, and both rows are shown. The exit status is 1 if an example was
// right in neither, and 2 if it could not be run. An example that truth.txt excuses is shown, and is never a failure.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/report"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	l := &lab{root: ".", log: os.Stderr}
	flag.StringVar(&l.fdebug, "fdebug", "", "the command to try; built from this repository if empty")
	flag.StringVar(&l.out, "o", "", "directory to keep the reports in")
	flag.IntVar(&l.n, "n", 50, "runs of each test")
	only := flag.String("only", "", "names of examples, separated by commas; all if empty")
	flag.Parse()
	right, err := l.run(ctx, *only, flag.Args(), os.Stdout)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(2)
	case !right:
		os.Exit(1)
	}
}

// A lab runs the examples.
type lab struct {
	root   string // of the repository
	fdebug string // the command
	out    string // where its reports go
	n      int    // runs of each test
	log    io.Writer
}

// run shows what fdebug says of the examples, or what results say that are there already. It returns whether that is
// right.
func (l *lab) run(ctx context.Context, only string, results []string, stdout io.Writer) (right bool, err error) {
	list, err := read(l.root)
	if err != nil {
		return false, err
	}
	if only != "" {
		names := strings.Split(only, ",")
		list = slices.DeleteFunc(list, func(e *example) bool { return !slices.Contains(names, e.name) })
		if len(list) != len(names) {
			return false, fmt.Errorf("-only %s: not all of these are examples", only)
		}
	}
	if len(results) > 0 {
		docs, err := readAll(results)
		rows := judge(list, docs)
		printTable(stdout, rows)
		return len(wrong(rows)) == 0, err
	}
	done, err := l.prepare(ctx)
	if err != nil {
		return false, err
	}
	defer done()
	return l.live(ctx, list, stdout)
}

// live runs the examples, and once more those that are not right.
func (l *lab) live(ctx context.Context, list []*example, stdout io.Writer) (right bool, err error) {
	rows, err := l.try(ctx, list, "first")
	if err != nil {
		return false, err
	}
	again := wrong(rows)
	if len(again) > 0 {
		second, err := l.try(ctx, again, "second")
		if err != nil {
			return false, err
		}
		rows, again = append(rows, second...), wrong(second)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return slices.Index(list, a.example) - slices.Index(list, b.example) })
	printTable(stdout, rows)
	return len(again) == 0, nil
}

// prepare builds the command, and makes the directory to write to. done removes what need not be kept.
func (l *lab) prepare(ctx context.Context) (done func(), err error) {
	work, err := os.MkdirTemp("", "fdebug-examples-")
	if err != nil {
		return nil, err
	}
	done = func() { os.RemoveAll(work) }
	if l.out == "" {
		l.out = work
	}
	if l.out, err = filepath.Abs(l.out); err == nil && l.fdebug == "" {
		l.fdebug = filepath.Join(work, "fdebug")
		cmd := exec.CommandContext(ctx, "go", "build", "-o", l.fdebug, "./cmd/fdebug")
		cmd.Dir, cmd.Stdout, cmd.Stderr = l.root, l.log, l.log
		err = cmd.Run()
	}
	if err != nil {
		done()
	}
	return done, err
}

// try runs examples, those whose order must be shuffled apart.
func (l *lab) try(ctx context.Context, list []*example, name string) ([]row, error) {
	var docs []*report.Document
	for _, shuffled := range []bool{false, true} {
		args := []string{"-C", filepath.Join(l.root, "examples"), "run", "-n", fmt.Sprint(l.n)}
		out := filepath.Join(l.out, name)
		if shuffled {
			args, out = append(args, "-shuffle=on"), out+"-shuffled"
		}
		args = append(args, "-o", out)
		packages := len(args)
		for _, e := range list {
			if e.shuffled == shuffled {
				args = append(args, "./"+e.name)
			}
		}
		if len(args) == packages {
			continue
		}
		fmt.Fprintf(l.log, "$ fdebug %s\n", strings.Join(args, " "))
		cmd := exec.CommandContext(ctx, l.fdebug, args...)
		cmd.Stdout, cmd.Stderr = l.log, l.log
		var exit *exec.ExitError // most fail: that is what they are for
		if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
			return nil, err
		}
		more, err := readAll([]string{filepath.Join(out, "latest", "result.json")})
		if err != nil {
			return nil, err
		}
		docs = append(docs, more...)
	}
	return judge(list, docs), ctx.Err()
}

func readAll(files []string) (docs []*report.Document, err error) {
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		doc := new(report.Document)
		if err := json.Unmarshal(data, doc); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		docs = append(docs, doc)
	}
	return docs, nil
}
