// Package deadline asks several shards and returns what they have answered when
// time is over.
package deadline

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// A Hit is a document that was found.
type Hit struct {
	Doc   string
	Score float64
}

// A Shard searches a part of the documents.
type Shard interface {
	Search(ctx context.Context, query string) ([]Hit, error)
}

// A Searcher asks its shards.
type Searcher struct {
	Shards  []Shard
	Timeout time.Duration
}

// A Result is what was found, best first.
type Result struct {
	Hits    []Hit
	Partial bool // some shards did not answer in time
}

// Search returns the best n hits.
func (s *Searcher) Search(ctx context.Context, query string, n int) Result {
	ctx, cancel := context.WithTimeout(ctx, s.Timeout)
	defer cancel()

	answers := make(chan []Hit, len(s.Shards))
	for _, shard := range s.Shards {
		go func() {
			hits, err := shard.Search(ctx, query)
			if err != nil {
				hits = nil
			}
			answers <- hits
		}()
	}

	var r Result
	for range s.Shards {
		select {
		case hits := <-answers:
			r.Hits = append(r.Hits, hits...)
		case <-ctx.Done():
			r.Partial = true
		}
		if r.Partial {
			break
		}
	}
	slices.SortFunc(r.Hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Doc, b.Doc))
	})
	r.Hits = r.Hits[:min(n, len(r.Hits))]
	return r
}
