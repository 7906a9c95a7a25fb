package shard

import (
	"fmt"
	"strconv"
	"strings"
)

// A Part is one of the shards that numbers from 1 are divided among. The zero Part is the whole.
type Part struct {
	I  int // from 1
	Of int
}

// maxShards is the maximal number of shards: as many as the executors can count to.
const maxShards = 100_000

// Has reports whether n is in the part. The numbers of each part are spread over all numbers, so
// that a part that ends early leaves the lower ones.
func (p Part) Has(n int) bool { return p.Of == 0 || n%p.Of == p.I%p.Of }

// Count returns how many of the numbers from 1 to n are in the part.
func (p Part) Count(n int) int {
	if p.Of == 0 {
		return n
	}
	return (n + p.Of - p.I) / p.Of
}

func (p Part) String() string { return fmt.Sprintf("%d/%d", p.I, p.Of) }

// check returns an error for a part that makes no sense.
func (p Part) check() error {
	if p.Of < 1 || p.Of > maxShards || p.I < 1 || p.I > p.Of {
		return fmt.Errorf("%v is not a part: shards are counted from 1, 1/20 to 20/20", p)
	}
	return nil
}

// Parse parses the argument of -shard: "3/20", "auto" for what the environment of an executor
// says, or "auto/20" if that knows only the index. The executor is nil if the part was given.
func Parse(text string, getenv func(string) string) (Part, *Executor, error) {
	first, second, divided := strings.Cut(text, "/")
	of := 0
	if divided {
		var err error
		if of, err = strconv.Atoi(second); err != nil || of < 1 {
			return Part{}, nil, fmt.Errorf("%q: want 3/20, auto, or auto/20", text)
		}
	}
	if first == "auto" {
		return auto(of, getenv)
	}
	i, err := strconv.Atoi(first)
	if err != nil || !divided {
		return Part{}, nil, fmt.Errorf("%q: want 3/20, auto, or auto/20", text)
	}
	p := Part{I: i, Of: of}
	return p, nil, p.check()
}
