package webhook

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

type memory struct {
	mu       sync.Mutex
	payments map[string]Payment
	bytes    int
}

func (m *memory) Save(p Payment) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.payments == nil {
		m.payments = make(map[string]Payment)
	}
	m.payments[p.ID] = p
	m.bytes += len(data)
	return nil
}

func (m *memory) get(id string) (Payment, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p, ok := m.payments[id]
	return p, ok
}

func post(t *testing.T, url, secret, body string) int {
	t.Helper()
	req, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Secret", secret)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func TestPaymentIsStored(t *testing.T) {
	store := &memory{}
	srv := httptest.NewServer(New(store, "s3cret"))
	defer srv.Close()

	if got := post(t, srv.URL, "s3cret", `{"id": "p-17", "cents": 1999, "status": "paid"}`); got != http.StatusAccepted {
		t.Fatalf("status = %d, want 202", got)
	}
	p, ok := store.get("p-17")
	if !ok {
		t.Fatal("payment p-17 is not in the store")
	}
	if p.Cents != 1999 || p.Status != "paid" {
		t.Errorf("payment = %+v", p)
	}
}

func TestWrongSecret(t *testing.T) {
	r := New(&memory{}, "s3cret")
	srv := httptest.NewServer(r)
	defer srv.Close()
	if got := post(t, srv.URL, "guess", `{"id": "p-1"}`); got != http.StatusForbidden {
		t.Errorf("status = %d, want 403", got)
	}
	if got := post(t, srv.URL, "s3cret", `{}`); got != http.StatusBadRequest {
		t.Errorf("status = %d, want 400", got)
	}
	if got := r.Rejected(); got != 2 {
		t.Errorf("rejected = %d, want 2", got)
	}
}
