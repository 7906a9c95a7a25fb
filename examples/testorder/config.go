// Package testorder reads the settings of a server: lines of key = value that
// override built-in defaults.
package testorder

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"
)

var defaults = map[string]string{
	"host":      "localhost",
	"port":      "8080",
	"timeout":   "30s",
	"log.level": "info",
}

// A Config is a set of settings.
type Config struct {
	values map[string]string
}

// Default returns the settings of a server without a configuration file.
func Default() *Config {
	return &Config{values: defaults}
}

// Load returns the defaults, overridden by the settings in r. Empty lines and
// lines that begin with # are skipped.
func Load(r io.Reader) (*Config, error) {
	cfg := Default()
	in := bufio.NewScanner(r)
	for n := 1; in.Scan(); n++ {
		line := strings.TrimSpace(in.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, fmt.Errorf("line %d: no = in %q", n, line)
		}
		if err := cfg.Set(strings.TrimSpace(key), strings.TrimSpace(value)); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return cfg, in.Err()
}

// Set changes one setting. The key must be one that has a default.
func (c *Config) Set(key, value string) error {
	if _, ok := c.values[key]; !ok {
		return fmt.Errorf("unknown setting %q", key)
	}
	c.values[key] = value
	return nil
}

// Addr returns the address to listen on.
func (c *Config) Addr() string {
	return net.JoinHostPort(c.values["host"], c.values["port"])
}

// Timeout returns the time limit of a request.
func (c *Config) Timeout() (time.Duration, error) {
	return time.ParseDuration(c.values["timeout"])
}

// Verbose reports whether debug messages are logged.
func (c *Config) Verbose() bool {
	return slices.Contains([]string{"debug", "trace"}, c.values["log.level"])
}
