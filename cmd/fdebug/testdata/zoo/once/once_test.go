package once

import (
	"os"
	"testing"
)

// It fails in the third process that is told to perturb something: the second in which a
// goroutine is held.
func TestOnce(t *testing.T) {
	done := make(chan int)
	go func() {
		sum := 0
		for i := range 3 {
			sum += i
		}
		done <- sum
	}()
	<-done
	if os.Getenv("FDEBUG_PERTURB") == "" {
		return
	}
	f, err := os.OpenFile(os.Getenv("COUNTED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(".")
	f.Close()
	if data, _ := os.ReadFile(os.Getenv("COUNTED")); len(data) == 3 {
		t.Error("the third")
	}
}
