package limiter

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// service answers with a digest of what it was asked for.
func service(w http.ResponseWriter, r *http.Request) {
	sum := sha256.Sum256([]byte(r.URL.Path))
	for range 300 {
		sum = sha256.Sum256(sum[:])
	}
	w.Write(sum[:])
}

func get(url string) func(string) (int, error) {
	return func(path string) (int, error) {
		res, err := http.Get(url + path)
		if err != nil {
			return 0, err
		}
		defer res.Body.Close()
		data, err := io.ReadAll(res.Body)
		return len(data), err
	}
}

func TestBurstIsLimited(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(service))
	defer srv.Close()
	c := &Caller{Bucket: NewBucket(450, 3), Call: get(srv.URL)}

	for i := range 3 {
		if n, err := c.Get("/report"); err != nil || n != 32 {
			t.Fatalf("call %d: %d bytes, %v", i+1, n, err)
		}
	}
	if _, err := c.Get("/report"); !errors.Is(err, ErrLimit) {
		t.Errorf("call 4: %v, want %v", err, ErrLimit)
	}
}

func TestStats(t *testing.T) {
	c := &Caller{Bucket: NewBucket(0, 1), Call: func(string) (int, error) { return 0, nil }}
	c.Get("/a")
	c.Get("/b")
	if calls, refused := c.Stats(); calls != 1 || refused != 1 {
		t.Errorf("%d calls, %d refused, want 1 and 1", calls, refused)
	}
}
