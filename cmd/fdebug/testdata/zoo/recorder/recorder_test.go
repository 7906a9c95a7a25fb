// Package recorder has tests that notice the recorder.
package recorder

import (
	"os"
	"strings"
	"testing"
)

func TestEnv(t *testing.T) { // it is told where the trace goes
	traced()
	for _, kv := range os.Environ() {
		if strings.HasPrefix(kv, "FDEBUG_TRACE=") {
			t.Errorf("unknown variable %s", kv[:12])
		}
	}
}

func traced() {}

func TestWithout(t *testing.T) {
	if os.Getenv("FDEBUG_TRACE") == "" {
		t.Log("said before")
		t.Error("no recorder here")
	}
}

func TestPlain(t *testing.T) {
	if os.Getenv("BROKEN") != "" {
		t.Error("broken")
	}
}
