// Fuzzcorpus commits what fuzzing has found: from Go's cache it copies those inputs to
// testdata/fuzz that add coverage, the smallest first.
//
//	go run ./internal/lab/fuzzcorpus [-n 80] [-kb 150] package Target...
//
// Inputs that are there already stay, because they may have failed once.
package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func main() {
	most := flag.Int("n", 80, "commit at most this many inputs of a target")
	size := flag.Int("kb", 150, "and at most this many kB")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "fuzzcorpus: want a package and fuzz targets")
		os.Exit(2)
	}
	c, err := open(flag.Arg(0))
	for _, target := range flag.Args()[1:] {
		if err == nil {
			err = c.choose(target, *most, *size<<10)
		}
	}
	c.close()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzzcorpus:", err)
		os.Exit(1)
	}
}

// A corpus is the corpus of a package's fuzz targets.
type corpus struct {
	dir   string // of the package
	cache string // where Go keeps inputs, by target
	work  string // temporary directory
	bin   string // test binary with coverage
}

// open builds the tests of a package.
func open(pkg string) (*corpus, error) {
	out, err := exec.Command("go", "list", "-f", "{{.Dir}} {{.ImportPath}}", pkg).Output()
	dir, path, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !ok {
		return nil, fmt.Errorf("%s is not a package: %v", pkg, err)
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "fuzzcorpus-")
	if err != nil {
		return nil, err
	}
	c := &corpus{
		dir: dir, work: work, bin: filepath.Join(work, "test"),
		cache: filepath.Join(strings.TrimSpace(string(cache)), "fuzz", path),
	}
	build := exec.Command("go", "test", "-c", "-covermode=count", "-coverpkg=./...", "-o", c.bin, path)
	build.Stderr = os.Stderr
	return c, build.Run()
}

func (c *corpus) close() {
	if c != nil {
		os.RemoveAll(c.work)
	}
}

// An input is a file of a corpus.
type input struct {
	name string
	data []byte
}

// choose adds inputs from the cache to the committed ones.
func (c *corpus) choose(target string, most, size int) error {
	there := filepath.Join(c.dir, "testdata", "fuzz", target)
	if err := os.MkdirAll(there, 0o777); err != nil {
		return err
	}
	committed, err := inputs(there)
	if err != nil {
		return err
	}
	found, err := inputs(filepath.Join(c.cache, target))
	if err != nil {
		return err
	}
	covered := make(map[string]bool)
	for _, in := range committed {
		c.add(covered, target, there, in)
		size, most = size-len(in.data), most-1
	}
	before := len(committed)
	for _, in := range found {
		if most <= 0 || len(in.data) > size {
			break
		}
		name := filepath.Join(there, in.name)
		if err := os.WriteFile(name, in.data, 0o666); err != nil {
			return err
		}
		if !c.add(covered, target, there, in) {
			os.Remove(name)
			continue
		}
		size, most = size-len(in.data), most-1
		committed = append(committed, in)
	}
	fmt.Printf("%s: %d inputs, %d of them new, of %d in the cache\n", target, len(committed),
		len(committed)-before, len(found))
	return nil
}

// inputs returns the files of a directory, the smallest first.
func inputs(dir string) ([]input, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var list []input
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, input{e.Name(), data})
	}
	slices.SortFunc(list, func(a, b input) int {
		return cmp.Or(cmp.Compare(len(a.data), len(b.data)), cmp.Compare(a.name, b.name))
	})
	return list, nil
}

// add runs an input that is in the directory there, adds what it covers, and reports whether that
// is more. A failing input is wanted too.
func (c *corpus) add(covered map[string]bool, target, there string, in input) bool {
	profile := filepath.Join(c.work, "profile")
	cmd := exec.Command(c.bin, "-test.run=^"+target+"$/^"+in.name+"$", "-test.coverprofile="+profile)
	cmd.Dir = c.dir
	if err := cmd.Run(); err != nil {
		fmt.Printf("%s/%s fails: %v\n", target, in.name, err)
		return true
	}
	keys, err := blocks(profile)
	if err != nil {
		fmt.Println(err)
	}
	n := len(covered)
	for _, k := range keys {
		covered[k] = true
	}
	return len(covered) > n
}

// blocks returns the blocks of a profile that ran, each with the order of magnitude of its count,
// which is how the fuzzer compares inputs.
func blocks(profile string) ([]string, error) {
	f, err := os.Open(profile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var keys []string
	in := bufio.NewScanner(f)
	for in.Scan() {
		block, count, _ := strings.Cut(in.Text(), " ")
		_, count, _ = strings.Cut(count, " ")
		if n, err := strconv.ParseUint(count, 10, 64); err == nil && n > 0 {
			keys = append(keys, fmt.Sprint(block, " ", bits.Len64(n)))
		}
	}
	return keys, in.Err()
}
