// Package codec knows how values are written in several formats.
package codec

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Encoder writes a record.
type Encoder func(record map[string]string) (string, error)

// ErrFormat says that a format has no encoder.
var ErrFormat = errors.New("unknown format")

var encoders = map[string]Encoder{
	"json": encodeJSON,
	"kv":   encodeKV,
}

// Register adds an encoder, or replaces one.
func Register(format string, e Encoder) {
	encoders[format] = e
}

// Lookup returns the encoder of a format.
func Lookup(format string) (Encoder, error) {
	e, ok := encoders[format]
	if !ok {
		return nil, fmt.Errorf("%w %q", ErrFormat, format)
	}
	return e, nil
}

func encodeJSON(record map[string]string) (string, error) {
	data, err := json.Marshal(record)
	return string(data), err
}

func encodeKV(record map[string]string) (string, error) {
	var parts []string
	for k, v := range record {
		parts = append(parts, fmt.Sprintf("%s=%q", k, v))
	}
	slices.Sort(parts)
	return strings.Join(parts, " "), nil
}
