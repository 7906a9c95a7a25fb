// Package tags counts the tags of articles while they are imported.
package tags

import (
	"strings"
	"sync"
	"sync/atomic"
)

// A Counter counts tags. It may be used from several goroutines.
type Counter struct {
	counts sync.Map // of string to *atomic.Int64
}

// Add counts the tags of an article.
func (c *Counter) Add(list ...string) {
	for _, tag := range list {
		tag = strings.ToLower(strings.TrimSpace(tag))
		if tag == "" {
			continue
		}
		n, _ := c.counts.LoadOrStore(tag, new(atomic.Int64))
		n.(*atomic.Int64).Add(1)
	}
}

// A Tag is a tag and how often it was used.
type Tag struct {
	Name string
	N    int64
}

// AtLeast returns the tags that were used n times or more.
func (c *Counter) AtLeast(n int64) []Tag {
	var list []Tag
	c.counts.Range(func(name, count any) bool {
		if k := count.(*atomic.Int64).Load(); k >= n {
			list = append(list, Tag{name.(string), k})
		}
		return true
	})
	return list
}
