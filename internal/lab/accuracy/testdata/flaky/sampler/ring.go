// Package sampler spreads keys over servers by consistent hashing.
package sampler

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand"
	"slices"
	"sort"
)

// ErrEmpty says that a ring has no servers.
var ErrEmpty = errors.New("ring is empty")

type point struct {
	hash   uint32
	server string
}

// A Ring assigns each key to a server.
type Ring struct {
	replicas int
	seed     int64
	points   []point
}

// New returns a ring in which each server stands at so many points.
func New(replicas int, servers ...string) *Ring {
	r := &Ring{replicas: replicas, seed: rand.Int63()}
	for _, s := range servers {
		r.Add(s)
	}
	return r
}

// Add adds a server.
func (r *Ring) Add(server string) {
	for i := range r.replicas {
		r.points = append(r.points, point{r.hash(fmt.Sprintf("%s#%d", server, i)), server})
	}
	slices.SortFunc(r.points, func(a, b point) int {
		switch {
		case a.hash < b.hash:
			return -1
		case a.hash > b.hash:
			return 1
		}
		return 0
	})
}

// Remove removes a server.
func (r *Ring) Remove(server string) {
	r.points = slices.DeleteFunc(r.points, func(p point) bool { return p.server == server })
}

// Server returns the server of a key.
func (r *Ring) Server(key string) (string, error) {
	if len(r.points) == 0 {
		return "", ErrEmpty
	}
	h := r.hash(key)
	i := sort.Search(len(r.points), func(i int) bool { return r.points[i].hash >= h })
	if i == len(r.points) {
		i = 0
	}
	return r.points[i].server, nil
}

func (r *Ring) hash(s string) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%x/%s", r.seed, s)
	x := h.Sum32()
	x ^= x >> 16
	x *= 0x7feb352d
	x ^= x >> 15
	return x
}
