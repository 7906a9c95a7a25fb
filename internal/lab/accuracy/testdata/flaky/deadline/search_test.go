package deadline

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"
)

type fakeShard struct {
	hits  []Hit
	delay time.Duration
	vary  time.Duration
}

func (f fakeShard) Search(ctx context.Context, query string) ([]Hit, error) {
	delay := f.delay
	if f.vary > 0 {
		delay += rand.N(f.vary)
	}
	select {
	case <-time.After(delay):
		return f.hits, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func TestAllShardsAnswer(t *testing.T) {
	s := &Searcher{
		Shards: []Shard{
			fakeShard{hits: []Hit{{"go spec", 0.9}, {"go blog", 0.4}}},
			fakeShard{hits: []Hit{{"effective go", 0.8}}, delay: 2 * time.Millisecond, vary: 9 * time.Millisecond},
		},
		Timeout: 8 * time.Millisecond,
	}
	r := s.Search(context.Background(), "go", 2)
	if len(r.Hits) != 2 || r.Hits[1].Doc != "effective go" {
		t.Errorf("hits = %v, want go spec and effective go", r.Hits)
	}
}

func TestSlowShardIsLeftOut(t *testing.T) {
	s := &Searcher{
		Shards:  []Shard{fakeShard{hits: []Hit{{"never", 1}}, delay: time.Hour}},
		Timeout: time.Millisecond,
	}
	if r := s.Search(context.Background(), "go", 5); !r.Partial || len(r.Hits) != 0 {
		t.Errorf("result = %+v, want a partial one without hits", r)
	}
}

func TestBestFirst(t *testing.T) {
	s := &Searcher{
		Shards:  []Shard{fakeShard{hits: []Hit{{"b", 0.5}, {"c", 0.7}, {"a", 0.5}}}},
		Timeout: time.Minute,
	}
	r := s.Search(context.Background(), "go", 3)
	if got := r.Hits[0].Doc + r.Hits[1].Doc + r.Hits[2].Doc; got != "cab" {
		t.Errorf("order = %s, want cab", got)
	}
}
