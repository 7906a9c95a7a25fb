package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// version of blobs. Newer ones are refused.
const version = 1

// A Header says what part of a whole a blob is, and how that part ended.
type Header struct {
	Version int  `json:"fdebug_shard"`
	Part    Part `json:"part"`
	// Facts are what all shards of one whole have in common: the build, the tests and how often
	// they run.
	Facts []Fact `json:"facts"`
	// Bundle is the id of the bundle that was run, or "" if the tests were built in place.
	Bundle string `json:"bundle,omitempty"`
	// Notes say what the bundle lacks of the module.
	Notes []string `json:"notes,omitempty"`

	Attempt int    `json:"attempt"` // at this part, from 1
	Key     string `json:"key"`     // identifies this attempt
	// Command is the command line for the whole, without the flags of shards.
	Command []string  `json:"command"`
	Host    string    `json:"host"`
	CPUs    int       `json:"cpus"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	// N and Controls are how often the whole runs each package.
	N        int `json:"n"`
	Controls int `json:"controls"`
	// Runs is how many runs were made here, of all packages, and Failed how many of them failed.
	Runs   int `json:"runs"`
	Failed int `json:"failed"`
	// Interrupted is set if a signal ended the shard before it was done.
	Interrupted bool `json:"interrupted,omitempty"`
	// Root is the directory of the module on the machine of the shard.
	Root   string            `json:"root"`
	Origin provenance.Origin `json:"origin"`
}

// A Fact is something that all shards of one whole have in common.
type Fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Limits for a header.
const (
	maxHeader = 4 << 20 // bytes
	maxFacts  = 64
	maxFact   = 1 << 16 // bytes
	maxNotes  = 1000
	maxRuns   = 1 << 40
)

var (
	// errNotBlob is returned for a file that no shard has written.
	errNotBlob = errors.New("not a blob of a shard")
	// errNewer is returned for a blob of a newer format.
	errNewer = errors.New("written by a newer fdebug")
	// errDamaged is returned for an incomplete blob.
	errDamaged = errors.New("damaged")
)

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDamaged, fmt.Sprintf(format, args...))
}

// check returns an error for a header that fdebug can't have written.
func (h *Header) check() error {
	switch {
	case h.Version == 0:
		return errNotBlob
	case h.Version > version:
		return fmt.Errorf("%w: format %d, this one reads %d", errNewer, h.Version, version)
	case h.Part.check() != nil:
		return damaged("%v", h.Part.check())
	case h.N < 1 || h.N > maxRuns || h.Controls < 0 || h.Controls > maxRuns || h.Attempt < 1 ||
		h.Runs < 0 || h.Failed < 0:
		return damaged("numbers of its header make no sense")
	case len(h.Facts) > maxFacts:
		return damaged("%d facts", len(h.Facts))
	case len(h.Notes) > maxNotes:
		return damaged("%d notes", len(h.Notes))
	}
	for _, f := range h.Facts {
		if len(f.Name)+len(f.Value) > maxFact || !utf8.ValidString(f.Name+f.Value) {
			return damaged("a fact of %d bytes", len(f.Value))
		}
	}
	return nil
}

// id identifies the whole: it is the same for all of its shards, and differs for other wholes.
func (h *Header) id() string {
	sum := hashFacts(h.Facts, h.Part.Of)
	return hex.EncodeToString(sum[:4])
}

func hashFacts(facts []Fact, of int) [sha256.Size]byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%d shards", of)
	for _, f := range facts {
		fmt.Fprintf(&b, "\x00%s\x00%s", f.Name, f.Value)
	}
	return sha256.Sum256([]byte(b.String()))
}

// SeedFor returns the seed of runs if the user gave none: the same in all shards of one run of an
// executor, and another one next time.
func SeedFor(run string, facts []Fact, of int) uint64 {
	sum := hashFacts(append(facts[:len(facts):len(facts)], Fact{"executor's run", run}), of)
	return binary.LittleEndian.Uint64(sum[:])>>11 | 1
}

// suffix is the suffix of the names of blobs.
const suffix = ".fdshard"

// FileName is the name of the blob. It differs between shards, and between attempts at one.
func (h *Header) FileName() string {
	return fmt.Sprintf("fdebug-%s-%0*d-of-%d-attempt-%d%s", h.id(), len(fmt.Sprint(h.Part.Of)), h.Part.I,
		h.Part.Of, h.Attempt, suffix)
}

// differs says how two headers show that they are not of one whole, or returns "" if they are.
func (h *Header) differs(o *Header) string {
	if h.Part.Of != o.Part.Of {
		return fmt.Sprintf("one of %d shards, the others are of %d", h.Part.Of, o.Part.Of)
	}
	if h.Bundle != o.Bundle {
		return fmt.Sprintf("of bundle %s, the others are of %s", orNone(h.Bundle), orNone(o.Bundle))
	}
	theirs := make(map[string]string)
	for _, f := range o.Facts {
		theirs[f.Name] = f.Value
	}
	for _, f := range h.Facts {
		if v := theirs[f.Name]; v != f.Value {
			return fmt.Sprintf("%s is %s, of the others %s", f.Name, orNone(f.Value), orNone(v))
		}
		delete(theirs, f.Name)
	}
	for name, v := range theirs {
		return fmt.Sprintf("%s is not known, of the others it is %s", name, orNone(v))
	}
	return ""
}

// orNone shows the value of a fact.
func orNone(s string) string {
	const most = 80
	if s == "" {
		return "none"
	}
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ToValidUTF8(strings.Map(printable, s), "")
}

func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return ' '
	}
	return r
}

// SitesHash identifies a site table, wherever the module is.
func SitesHash(s *trace.Sites) (string, error) {
	t := *s
	t.Root = ""
	data, err := t.MarshalJSON()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), nil
}

// SourcesHash identifies the instrumented files of modules, wherever these are. A file that can't
// be read counts as missing.
func SourcesHash(s *trace.Sites, read func(path string) ([]byte, error)) string {
	h := sha256.New()
	add := func(name string) {
		data, err := read(name)
		fmt.Fprintf(h, "%q %d %v\n", name, len(data), err == nil)
		h.Write(data)
	}
	for _, f := range s.Files {
		add(f.Path)
	}
	add("go.mod")
	add("go.sum")
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Count counts the runs of a shard.
func (h *Header) Count(results *runner.Results) {
	h.Started, h.Ended, h.Interrupted = results.Started, results.Started.Add(results.Elapsed), results.Interrupted
	for _, p := range results.Packages {
		for _, run := range slices.Concat(p.Runs, p.Controls) {
			h.Runs++
			if run.Failed() {
				h.Failed++
			}
		}
	}
}
