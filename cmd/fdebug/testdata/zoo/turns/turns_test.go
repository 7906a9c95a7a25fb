// Package turns has tests whose runs are told apart by the files that they leave.
package turns

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// count returns how many runs there were before, by a file that has a letter for each.
func count(name string) int {
	old, _ := os.ReadFile(name)
	os.WriteFile(name, append(old, 'x'), 0o666)
	return len(old)
}

// TestX fails in every second run. While there is a file HANG it hangs, and says in HANG.pid who it is.
func TestX(t *testing.T) {
	hang := os.Getenv("HANG")
	if _, err := os.Stat(hang); err == nil {
		os.WriteFile(hang+".pid", []byte(strconv.Itoa(os.Getpid())), 0o666)
		time.Sleep(time.Hour)
	}
	if count(os.Getenv("COUNTER"))%2 == 1 {
		t.Error("odd")
	}
}

// So does TestZ, which must not know of the database of a team, and tells what it should not.
func TestZ(t *testing.T) {
	if os.Getenv("FDEBUG_DB") != "" {
		t.Fatal("the test knows the database")
	}
	if count(os.Getenv("COUNTER"))%2 == 1 {
		t.Error("odd, token", os.Getenv("DEPLOY_TOKEN"))
	}
}

func TestY(t *testing.T) {}

// Each run of TestSound takes some time.
func TestSound(t *testing.T) {
	count(os.Getenv("SOUND"))
	time.Sleep(200 * time.Millisecond)
}
