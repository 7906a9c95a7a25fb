// Package export writes customers for other systems.
package export

import (
	"fmt"
	"strings"

	"example.com/registry/codec"
)

// A Customer is somebody who buys.
type Customer struct {
	Name, City string
	VIP        bool
}

func (c Customer) record() map[string]string {
	r := map[string]string{"name": c.Name, "city": c.City}
	if c.VIP {
		r["vip"] = "yes"
	}
	return r
}

// Write writes customers, one a line.
func Write(format string, customers []Customer) (string, error) {
	encode, err := codec.Lookup(format)
	if err != nil {
		return "", fmt.Errorf("export: %w", err)
	}
	var b strings.Builder
	for _, c := range customers {
		line, err := encode(c.record())
		if err != nil {
			return "", fmt.Errorf("export %s: %w", c.Name, err)
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}
