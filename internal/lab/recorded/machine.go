package recorded

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/fdebug/fdebug/internal/fleet/bundle"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A Machine builds and runs the tests of one command of fdebug after another, and records what came of it; or it answers
// them from that, without a process.
//
// Its directory has one for each command. There each build has its packages, in plan.json, and its sites, and each
// process is a line in runs.jsonl, with its trace beside it. Processes of one kind are answered in their order.
type Machine struct {
	Dir    string
	Root   string // around the modules: see [Place]
	Record bool
	Opener *Opener // for types

	commands int // so far

	mu      sync.Mutex
	missing error // the first process that it does not have
}

// A Command is the machine of one command.
type Command struct {
	*Machine
	dir string

	mu     sync.Mutex
	plans  int                   // so far
	traces int                   // so far
	left   map[string][]*process // of the recording, that were not asked for yet
}

// A process is one that was recorded.
type process struct {
	Key    string      `json:"key"`
	Run    *runner.Run `json:"run,omitempty"`
	Output string      `json:"output,omitempty"` // of one that lists tests
	Traces []string    `json:"traces,omitempty"` // what their names add to the one asked for, then where they are
}

// A plan is a build.
type plan struct {
	Go       string               `json:"go"`
	GOOS     string               `json:"goos"`
	GOARCH   string               `json:"goarch"`
	Modules  []string             `json:"modules"`
	Packages []instrument.Package `json:"packages"`
	Known    json.RawMessage      `json:"known"` // what the go command says of them
}

// ErrMissing is returned for a process that is not in a recording.
var ErrMissing = errors.New("it is not recorded: what fdebug asks for has changed")

// Next returns the machine of the next command.
func (m *Machine) Next() (*Command, error) {
	m.commands++
	c := &Command{Machine: m, dir: filepath.Join(m.Dir, fmt.Sprint(m.commands)), left: make(map[string][]*process)}
	if m.Record {
		return c, os.MkdirAll(c.dir, 0o777)
	}
	data, err := os.ReadFile(c.file("runs.jsonl"))
	if err != nil {
		return c, nil // it needs none
	}
	for line := range bytes.Lines(m.here(data)) {
		p := &process{}
		if err := json.Unmarshal(line, p); err != nil {
			return nil, fmt.Errorf("%s: %w", c.dir, err)
		}
		key := strings.TrimSuffix(p.Key, " 0") // how many programs computed beside it, once
		c.left[key] = append(c.left[key], p)
	}
	return c, nil
}

// Missing returns the first thing asked for that is not recorded, nil if there is none.
func (m *Machine) Missing() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.missing
}

// file is the name of a file of the command.
func (c *Command) file(name string) string { return filepath.Join(c.dir, name) }

// In a recording, traces included, place stands for the directory around the modules. That has a name of the same length.
const place = "/tmp/fdebug-hunt-recorded"

// Place returns the name of a directory that is not there yet, for [Machine.Root].
func Place() string {
	return strings.TrimSuffix(place, "recorded") + rand.Text()[:len("recorded")]
}

// here puts the paths of this machine into what a recording has, and there takes them out.
func (m *Machine) here(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte(place), []byte(m.Root))
}

func (m *Machine) there(data []byte) []byte {
	return bytes.ReplaceAll(data, []byte(m.Root), []byte(place))
}

// Stands is the machine as a session wants it.
func (c *Command) Stands() session.Machine {
	return session.Machine{Run: c.run, Output: c.output,
		Prepare: func(j *session.Session) func(context.Context, instrument.Config) (*instrument.Plan, error) {
			return func(ctx context.Context, cfg instrument.Config) (*instrument.Plan, error) {
				return c.prepare(ctx, j, cfg)
			}
		}}
}

// prepare makes the plan of a build, or returns a recorded one.
func (c *Command) prepare(ctx context.Context, j *session.Session, cfg instrument.Config) (*instrument.Plan, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.plans++
	name := fmt.Sprintf("plan-%d.json", c.plans)
	c.mu.Unlock()
	j.Seed, j.Values = cmp.Or(j.Seed, 1), false // the build that records values follows from the runs
	if c.Record {
		p, err := instrument.Prepare(ctx, cfg)
		if err != nil {
			return nil, err
		}
		return p, c.keep(ctx, name, cfg, p)
	}
	root, _, err := syntax.ModuleOf(cfg.Dir)
	if err != nil {
		return nil, err
	}
	data, err := c.read(name)
	if err != nil {
		return nil, c.misses(name)
	}
	var of plan
	if err := json.Unmarshal(data, &of); err != nil {
		return nil, err
	}
	p := &instrument.Plan{
		Toolchain: &instrument.Toolchain{GOVERSION: of.Go, GOOS: of.GOOS, GOARCH: of.GOARCH, GOMOD: filepath.Join(root, "go.mod")},
		Modules:   of.Modules, Packages: of.Packages,
	}
	if data, err = c.read("sites-" + name); err != nil {
		return nil, c.misses("sites-" + name)
	}
	file := filepath.Join(j.Work, name)
	if err := os.WriteFile(file, data, 0o666); err != nil {
		return nil, err
	}
	if p.Sites, err = trace.ReadSites(file); err != nil {
		return nil, err
	}
	return p, c.give(j, p, of.Known)
}

func (c *Command) read(name string) ([]byte, error) {
	data, err := os.ReadFile(c.file(name))
	return c.here(data), err
}

// keep records the plan of a build.
func (c *Command) keep(ctx context.Context, name string, cfg instrument.Config, p *instrument.Plan) error {
	known, err := bundle.Know(ctx, source.Config{Dir: cfg.Dir, Flags: cfg.BuildFlags, Sites: p.Sites}, p.Toolchain.GOARCH)
	if err != nil {
		return err
	}
	known.Sizes, known.Exports = nil, nil
	table, _, err := known.Encode()
	if err != nil {
		return err
	}
	tc := p.Toolchain
	data, err := json.Marshal(&plan{tc.GOVERSION, tc.GOOS, tc.GOARCH, p.Modules, p.Packages, table})
	if err == nil {
		err = c.write(name, data)
	}
	if err != nil {
		return err
	}
	file := c.file("sites")
	if err := p.Sites.WriteFile(file); err != nil {
		return err
	}
	defer os.Remove(file)
	if data, err = os.ReadFile(file); err != nil {
		return err
	}
	return c.write("sites-"+name, data)
}

func (c *Command) write(name string, data []byte) error {
	return os.WriteFile(c.file(name), c.there(data), 0o666)
}

// give gives a session binaries that nobody has built: their hash is that of their source.
func (c *Command) give(j *session.Session, p *instrument.Plan, table []byte) error {
	j.Plan = p
	h, err := c.hashOf(j)
	if err != nil {
		return err
	}
	builds := []*runner.Build{{}, {}}
	j.Packed.Sums = make(map[string]string)
	for i, b := range builds {
		b.Ready = make(map[string]runner.Ready)
		for _, pkg := range p.Packages {
			name := filepath.Join(j.Work, fmt.Sprint("recorded-", i), filepath.Base(pkg.ImportPath)+".test")
			b.Ready[pkg.ImportPath], j.Packed.Sums[name] = runner.Ready{Path: name}, h
		}
	}
	k, err := bundle.DecodeKnown(table, nil)
	if err != nil {
		return err
	}
	j.Packed.Plain, j.Packed.Traced = builds[0], builds[1]
	j.Packed.Race = func() (*runner.Build, error) { return builds[0], nil }
	j.Packed.Known = func() source.Known { return &known{k, c.Opener} }
	return nil
}

// hashOf identifies the binary of a session by what goes into it: its source, and where that is.
func (c *Command) hashOf(j *session.Session) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", c.there([]byte(j.Plan.Sites.Root)))
	for _, f := range j.Plan.Sites.Files {
		data, err := j.Source(f.Path)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n%s", f.Path, len(data), data)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// A known has the export data of the standard library of this machine.
type known struct {
	*bundle.Known
	opener *Opener
}

func (k *known) Export(path string) io.Reader {
	files, err := k.opener.exported(context.Background(), []string{path})
	if err != nil || files[path] == "" {
		return nil
	}
	data, err := bundle.ExportData(files[path])
	if err != nil {
		return nil
	}
	return bytes.NewReader(data)
}

// run makes a run, or answers it.
func (c *Command) run(ctx context.Context, x *runner.Exec) (*runner.Run, error) {
	key, err := keyOf(x)
	if err != nil {
		return nil, err
	}
	if c.Record {
		real := *x
		real.Instead = nil
		run, err := real.Run(ctx)
		if err == nil {
			err = c.note(&process{Key: key, Run: run}, x.Trace)
		}
		return run, err
	}
	p := c.take(key)
	if p == nil {
		return nil, c.misses(key)
	}
	for i := 0; i < len(p.Traces); i += 2 {
		data, err := c.read(p.Traces[i+1])
		if err == nil {
			err = os.WriteFile(x.Trace+p.Traces[i], data, 0o666)
		}
		if err != nil {
			return nil, err
		}
	}
	return p.Run, nil
}

// keyOf names the kind of a process: what it runs, and under which plan.
func keyOf(x *runner.Exec) (string, error) {
	plan := ""
	if x.Perturb != "" {
		data, err := os.ReadFile(x.Perturb)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256(data)
		plan = hex.EncodeToString(sum[:6])
	}
	how := "plain"
	switch {
	case x.Trace != "":
		how = "traced"
	case slices.ContainsFunc(x.Env, func(kv string) bool { return strings.HasPrefix(kv, "GORACE=") && strings.Contains(kv, "=100") }):
		how = "race"
	}
	s, err := json.Marshal(x.Select)
	return fmt.Sprintf("%s %s %s %s", how, x.Binary.ImportPath, s, plan), err
}

func (c *Command) take(key string) *process {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.left[key]
	if len(list) == 0 {
		return nil
	}
	c.left[key] = list[1:]
	return list[0]
}

func (c *Command) misses(what string) error {
	c.Machine.mu.Lock()
	defer c.Machine.mu.Unlock()
	err := fmt.Errorf("command %s: %s: %w", filepath.Base(c.dir), what, ErrMissing)
	if c.missing == nil {
		c.missing = err
	}
	return err
}

// note records a process, with its traces.
func (c *Command) note(p *process, raw string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if raw != "" {
		for _, file := range append([]string{raw}, store.Glob(filepath.Dir(raw), filepath.Base(raw)+".*")...) {
			data, _ := os.ReadFile(file)
			if data, err := rawUsed(data); err == nil {
				c.traces++
				name := fmt.Sprintf("%d.raw", c.traces)
				p.Traces = append(p.Traces, strings.TrimPrefix(file, raw), name)
				if err := c.write(name, data); err != nil {
					return err
				}
			}
		}
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.file("runs.jsonl"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(append(c.there(text), '\n'))
	return errors.Join(err, f.Close())
}

// output lists tests, as a process prints them.
func (c *Command) output(cmd *exec.Cmd) ([]byte, error) {
	key := "list " + filepath.Base(cmd.Path) + " " + strings.Join(cmd.Args[1:], " ")
	if c.Record {
		out, err := cmd.Output()
		if err == nil {
			err = c.note(&process{Key: key, Output: string(out)}, "")
		}
		return out, err
	}
	p := c.take(key)
	if p == nil {
		return nil, c.misses(key)
	}
	return []byte(p.Output), nil
}

// rawUsed returns the part of a raw trace that is used: the file is extended before it is written to.
func rawUsed(b []byte) ([]byte, error) {
	if len(b) < 16 || !bytes.HasPrefix(b, []byte("fdbgraw1")) {
		return nil, trace.ErrNotTrace
	}
	return b[:min(uint64(len(b)), binary.LittleEndian.Uint64(b[8:]))], nil
}
