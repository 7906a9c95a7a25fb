// Package crawl visits all pages of a site.
package crawl

import (
	"log"
	"sync"

	"example.com/crawler/fetch"
	"example.com/crawler/frontier"
)

// A Crawler visits pages, each once.
type Crawler struct {
	Client *fetch.Client
	Found  func(fetch.Page)

	front *frontier.Frontier
	wg    sync.WaitGroup

	mu    sync.Mutex
	pages int
}

// Run visits all pages that can be reached from start, and returns how many.
func (c *Crawler) Run(start string) int {
	c.front = frontier.New()
	c.wg.Add(1)
	go c.visit(start)
	c.wg.Wait()
	return c.pages
}

func (c *Crawler) visit(path string) {
	defer c.wg.Done()
	if c.front.Seen(path) {
		return
	}
	page, err := c.Client.Get(path)
	if err != nil {
		log.Print(err)
		return
	}
	c.front.Mark(path)
	c.mu.Lock()
	c.pages++
	c.mu.Unlock()
	if c.Found != nil {
		c.Found(page)
	}
	for _, link := range page.Links {
		c.wg.Add(1)
		go c.visit(link)
	}
}
