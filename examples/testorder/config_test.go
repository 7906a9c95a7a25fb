package testorder

import (
	"strings"
	"testing"
	"time"
)

func TestDefaultAddr(t *testing.T) {
	if got, want := Default().Addr(), "localhost:8080"; got != want {
		t.Errorf("default address = %s, want %s", got, want)
	}
}

func TestDefaultTimeout(t *testing.T) {
	got, err := Default().Timeout()
	if err != nil {
		t.Fatal(err)
	}
	if want := 30 * time.Second; got != want {
		t.Errorf("default timeout = %v, want %v", got, want)
	}
}

func TestLoadOverridesPort(t *testing.T) {
	cfg, err := Load(strings.NewReader("# staging\nport = 9090\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cfg.Addr(), "localhost:9090"; got != want {
		t.Errorf("address = %s, want %s", got, want)
	}
}

func TestLoadVerbose(t *testing.T) {
	cfg, err := Load(strings.NewReader("log.level = debug\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !cfg.Verbose() {
		t.Error("log.level = debug is not verbose")
	}
}

func TestLoadUnknownSetting(t *testing.T) {
	_, err := Load(strings.NewReader("\ncolour = green\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error = %v, want one about line 2", err)
	}
}
