package export

import (
	"errors"
	"strings"
	"testing"

	"example.com/registry/codec"
)

var customers = []Customer{{"Ada", "London", true}, {"Bob", "Bern", false}}

func TestWriteKV(t *testing.T) {
	got, err := Write("kv", customers)
	if err != nil {
		t.Fatal(err)
	}
	want := `city="London" name="Ada" vip="yes"` + "\n" + `city="Bern" name="Bob"` + "\n"
	if got != want {
		t.Errorf("kv:\n%s\nwant:\n%s", got, want)
	}
}

func TestWriteJSON(t *testing.T) {
	got, err := Write("json", customers[1:])
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"city":"Bern","name":"Bob"}` + "\n"; got != want {
		t.Errorf("json: %s, want %s", got, want)
	}
}

func TestEncoderFails(t *testing.T) {
	broken := errors.New("broken pipe")
	codec.Register("kv", func(map[string]string) (string, error) { return "", broken })
	if _, err := Write("kv", customers); !errors.Is(err, broken) {
		t.Errorf("Write: %v, want %v", err, broken)
	}
}

func TestUnknownFormat(t *testing.T) {
	if _, err := Write("xml", customers); !errors.Is(err, codec.ErrFormat) {
		t.Errorf("Write: %v, want %v", err, codec.ErrFormat)
	}
}

func TestCustomFormat(t *testing.T) {
	codec.Register("csv", func(r map[string]string) (string, error) { return r["name"] + "," + r["city"], nil })
	got, err := Write("csv", customers)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got, "Ada,London\n") {
		t.Errorf("csv: %s", got)
	}
}
