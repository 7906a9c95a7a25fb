package crawl

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"example.com/crawler/fetch"
)

// A site maps pages to what they link to.
type site struct {
	pages map[string][]string

	mu   sync.Mutex
	hits map[string]int
	logs map[string]time.Time
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.hits[r.URL.Path]++
	s.logs[r.Header.Get("X-Trace")] = time.Now()
	s.mu.Unlock()
	links, ok := s.pages[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.URL.Path == "/b" {
		time.Sleep(300 * time.Microsecond)
	}
	fmt.Fprintln(w, strings.Join(links, "\n"))
}

func (s *site) busiest() (name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	most := 0
	for path, n := range s.hits {
		if n > most {
			name, most = path, n
		}
	}
	return name
}

func start(t *testing.T, pages map[string][]string) (*site, *fetch.Client) {
	s := &site{pages: pages, hits: map[string]int{}, logs: map[string]time.Time{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	client := &fetch.Client{Base: srv.URL, HTTP: srv.Client()}
	for range 50 {
		if _, err := client.Get("/robots.txt"); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return s, client
}

func TestEachPageOnce(t *testing.T) {
	s, client := start(t, map[string][]string{
		"/robots.txt": nil,
		"/":           {"/a", "/b"},
		"/a":          {"/c"},
		"/b":          {"/c"},
		"/c":          nil,
	})
	c := &Crawler{Client: client}
	if got := c.Run("/"); got != 4 {
		t.Errorf("%d pages, want 4; %s was visited most", got, s.busiest())
	}
}

func TestBrokenLink(t *testing.T) {
	_, client := start(t, map[string][]string{"/robots.txt": nil, "/": {"/gone"}})
	c := &Crawler{Client: client}
	if got := c.Run("/"); got != 1 {
		t.Errorf("%d pages, want 1", got)
	}
}
