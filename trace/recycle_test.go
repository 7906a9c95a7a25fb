package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// rawWith returns a raw trace file with the given used word. Every byte after the header is set.
func rawWith(used uint64, size int) []byte {
	b := bytes.Repeat([]byte{0xff}, size)
	clear(b[:rawHeaderSize])
	copy(b, rawMagic)
	binary.LittleEndian.PutUint64(b[8:], used)
	return b
}

func TestRecycle(t *testing.T) {
	const size = 1 << 20
	for _, tt := range []struct {
		name    string
		content []byte
		zeroed  int // bytes that Recycle must have zeroed, besides the offer
	}{
		{"little used", rawWith(rawHeaderSize+96, size), rawHeaderSize + 96 + rawSlack},
		{"all used", rawWith(size, size), size},
		{"killed before the header was complete", make([]byte, size), size},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "raw")
			if err := os.WriteFile(file, tt.content, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := Recycle(file); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := bytes.Clone(tt.content)
			clear(want[:tt.zeroed])
			want[rawOffered] = 1
			if !bytes.Equal(got, want) {
				t.Error("the wrong bytes are zero")
			}
			if _, err := ReadRaw(file); !errors.Is(err, ErrEmpty) {
				t.Errorf("read as a trace: %v", err)
			}
		})
	}
}

func TestRecycleRefuses(t *testing.T) {
	for name, content := range map[string][]byte{
		"no trace":         bytes.Repeat([]byte("text"), 1000),
		"used too high":    rawWith(1<<40, minOffer),
		"shorter than 48":  []byte(rawMagic),
		"no first segment": make([]byte, minOffer-4096),
		"not whole pages":  make([]byte, minOffer+100),
	} {
		file := filepath.Join(t.TempDir(), "raw")
		if err := os.WriteFile(file, content, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := Recycle(file); err == nil {
			t.Errorf("%s: accepted", name)
		}
		if got, _ := os.ReadFile(file); !bytes.Equal(got, content) {
			t.Errorf("%s: changed", name)
		}
	}
}
