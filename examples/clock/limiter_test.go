package clock

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// report is a handler that needs some milliseconds, as a database query does.
func report(w http.ResponseWriter, r *http.Request) {
	time.Sleep(9 * time.Millisecond)
	w.WriteHeader(http.StatusOK)
}

func get(h http.Handler, client string) int {
	r := httptest.NewRequest("GET", "/report", nil)
	r.RemoteAddr = client + ":4711"
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code
}

func TestFourthRequestIsRefused(t *testing.T) {
	h := NewLimiter(3, 70*time.Millisecond).Wrap(http.HandlerFunc(report))

	for i := range 3 {
		if got := get(h, "192.0.2.1"); got != http.StatusOK {
			t.Fatalf("request %d: status %d, want 200", i+1, got)
		}
	}
	if got := get(h, "192.0.2.1"); got != http.StatusTooManyRequests {
		t.Errorf("request 4: status %d, want 429", got)
	}
}

func TestClientsAreCountedApart(t *testing.T) {
	h := NewLimiter(1, time.Hour).Wrap(http.NotFoundHandler())

	for _, client := range []string{"192.0.2.1", "192.0.2.2"} {
		if got := get(h, client); got != http.StatusNotFound {
			t.Errorf("first request of %s: status %d, want 404", client, got)
		}
	}
}
