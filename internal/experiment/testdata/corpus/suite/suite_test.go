package suite

import "testing"

func TestGreet(t *testing.T) {
	if Greet() == "" {
		t.Error("no greeting")
	}
}

func TestLocale(t *testing.T) {
	if got := Greet(); got != "Hello" { // cause locale
		t.Errorf("got %s", got)
	}
}

func TestGerman(t *testing.T) {
	SetLocale("de") // cause locale
	if got := Greet(); got != "Hallo" {
		t.Errorf("got %s", got)
	}
}
