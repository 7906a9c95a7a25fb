// Package fetch reads pages over HTTP.
package fetch

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
)

// A Page is what was found at an address.
type Page struct {
	Path  string
	Links []string
	Trace string // for the logs
}

// A Client reads the pages of one site.
type Client struct {
	Base string
	HTTP *http.Client
}

// Get reads a page: one link a line.
func (c *Client) Get(path string) (Page, error) {
	req, err := http.NewRequest("GET", c.Base+path, nil)
	if err != nil {
		return Page{}, err
	}
	trace := fmt.Sprintf("%016x", rand.Uint64())
	req.Header.Set("X-Trace", trace)
	res, err := c.HTTP.Do(req)
	if err != nil {
		return Page{}, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return Page{}, fmt.Errorf("%s: %s", path, res.Status)
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return Page{}, err
	}
	return Page{Path: path, Links: strings.Fields(string(data)), Trace: trace}, nil
}
