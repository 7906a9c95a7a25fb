package lazyclient

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"net/netip"
	"testing"
)

var data = []byte("192.0.2.0/24,CH\n198.51.100.0/24,SE\n198.51.100.128/25,NO\n")

func loadCSV() (map[netip.Prefix]string, error) {
	rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return nil, err
	}
	table := make(map[netip.Prefix]string)
	for _, row := range rows {
		p, err := netip.ParsePrefix(row[0])
		if err != nil {
			return nil, err
		}
		table[p] = row[1]
	}
	return table, nil
}

// page is what a visitor asks for.
func page(n int) [32]byte {
	return sha256.Sum256(make([]byte, 10_000*(n+1)))
}

func TestCountry(t *testing.T) {
	f := New(loadCSV)
	visits := map[string]int{}
	for i, addr := range []string{"192.0.2.7", "203.0.113.9", "192.0.2.8", "198.51.100.200"} {
		page(i)
		country, err := f.Country(addr)
		if err != nil {
			t.Fatal(err)
		}
		visits[country]++
	}
	if visits["NO"] != 1 {
		t.Errorf("visits = %v, want 1 from NO", visits)
	}
}

func TestLongestPrefixWins(t *testing.T) {
	f := New(loadCSV)
	f.reload()
	for addr, want := range map[string]string{"198.51.100.1": "SE", "198.51.100.129": "NO", "::1": ""} {
		if got, err := f.Country(addr); err != nil || got != want {
			t.Errorf("Country(%s) = %q, %v, want %q", addr, got, err, want)
		}
	}
}

func TestBadAddress(t *testing.T) {
	if _, err := New(loadCSV).Country("example.com"); err == nil {
		t.Error("a name has a country")
	}
}
