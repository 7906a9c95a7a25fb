// Package machine has tests that count on the machine on which they were written.
package machine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

// Outbound returns the address by which this machine is known to others. Nothing is sent.
func Outbound() (string, error) {
	c, err := net.Dial("udp", "192.0.2.1:9") // cause outbound
	if err != nil {
		return "", err
	}
	defer c.Close()
	host, _, err := net.SplitHostPort(c.LocalAddr().String())
	return host, err
}

// Address is Outbound, or that of the machine alone where there is no network.
func Address() (string, error) {
	host, err := Outbound()
	if err != nil {
		return "127.0.0.1", nil
	}
	return host, nil
}

// Fetch gets a page.
func Fetch(url string) (string, error) {
	resp, err := http.Get(url)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return string(text), err
}

// Announce tells a collector, who may be elsewhere.
func Announce(text string) error {
	done := make(chan error, 1)
	go func() {
		c, err := net.Dial("udp", "192.0.2.7:9") // cause announce
		if err == nil {
			_, err = io.WriteString(c, text)
			c.Close()
		}
		done <- err
	}()
	return <-done
}

// Index returns what was computed before, and computes it if that was never done.
func Index() (text string, fresh bool, err error) {
	name := filepath.Join(os.TempDir(), "fdebug-corpus-index") // cause index
	old, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "computed", true, os.WriteFile(name, []byte("computed"), 0o666)
	}
	return string(old), false, err
}

// Profile returns the names of what a user keeps at home.
func Profile() ([]string, error) {
	home, err := os.UserHomeDir() // cause profile
	if err != nil {
		return nil, err
	}
	list, err := os.ReadDir(home)
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names, err
}

// Save keeps a text for the user.
func Save(text string) (err error) {
	dir, err := os.UserCacheDir() // cause save
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, "fdebug-corpus")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return os.WriteFile(filepath.Join(dir, "text"), []byte(text), 0o666)
}

// Remembered returns what the user has chosen, or what most choose.
func Remembered() string {
	home, err := os.UserHomeDir()
	if err != nil {
		return "usual"
	}
	text, err := os.ReadFile(filepath.Join(home, ".fdebug-corpus-choice"))
	if err != nil {
		return "usual"
	}
	return string(text)
}

// A Pool opens files and forgets to close those that are of no use.
type Pool struct{ open []*os.File }

// Fill opens n files.
func (p *Pool) Fill(dir string, n int) error {
	for i := range n {
		f, err := os.Create(filepath.Join(dir, fmt.Sprint("part", i)))
		if err != nil {
			return err
		}
		p.open = append(p.open, f) // cause pool
	}
	return nil
}
