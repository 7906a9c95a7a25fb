// Package webhook receives the notifications of a payment provider.
package webhook

import (
	"encoding/json"
	"log"
	"net/http"
	"sync"
)

// A Payment is what the provider tells.
type Payment struct {
	ID     string `json:"id"`
	Cents  int    `json:"cents"`
	Status string `json:"status"`
}

// A Store keeps payments.
type Store interface {
	Save(Payment) error
}

// A Receiver answers the provider quickly, since it sends a notification again
// that was not acknowledged within two seconds.
type Receiver struct {
	store  Store
	secret string

	mu       sync.Mutex
	rejected int
}

// New returns a receiver of notifications signed with secret.
func New(store Store, secret string) *Receiver {
	return &Receiver{store: store, secret: secret}
}

// Rejected returns how many notifications were not valid.
func (r *Receiver) Rejected() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rejected
}

func (r *Receiver) reject(w http.ResponseWriter, status int) {
	r.mu.Lock()
	r.rejected++
	r.mu.Unlock()
	http.Error(w, http.StatusText(status), status)
}

func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Header.Get("X-Secret") != r.secret {
		r.reject(w, http.StatusForbidden)
		return
	}
	var p Payment
	if err := json.NewDecoder(req.Body).Decode(&p); err != nil || p.ID == "" {
		r.reject(w, http.StatusBadRequest)
		return
	}
	go r.handle(p)
	w.WriteHeader(http.StatusAccepted)
}

func (r *Receiver) handle(p Payment) {
	log.Printf("payment %s: %s, %d cents", p.ID, p.Status, p.Cents)
	if err := r.store.Save(p); err != nil {
		log.Printf("payment %s: %v", p.ID, err)
	}
}
