// Package concurrency is the session store of a small shop. A session is made
// from the customer's profile when the first request of that customer arrives,
// and is kept in memory from then on.
package concurrency

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// A Profile is what the customer database knows about a customer.
type Profile struct {
	Name     string
	Currency string
}

// A Session is one customer's visit. Its methods may be called from several
// requests at once.
type Session struct {
	Profile Profile
	Started time.Time

	mu   sync.Mutex
	cart []string
}

// Put adds an article to the cart.
func (s *Session) Put(article string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cart = append(s.cart, article)
}

// Cart returns the articles in the cart, sorted.
func (s *Session) Cart() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	cart := slices.Clone(s.cart)
	slices.Sort(cart)
	return cart
}

// A Store holds the sessions of all customers. It is safe for concurrent use.
type Store struct {
	profile func(customer string) (Profile, error)

	mu       sync.Mutex
	sessions map[string]*Session
}

// NewStore returns a store that looks customers up with profile.
func NewStore(profile func(customer string) (Profile, error)) *Store {
	return &Store{profile: profile, sessions: make(map[string]*Session)}
}

// Session returns the customer's session, and makes it if there is none. The
// store is not locked during the look-up, so that one slow customer does not
// hold up the others.
func (st *Store) Session(customer string) (*Session, error) {
	if s := st.lookup(customer); s != nil {
		return s, nil
	}
	p, err := st.profile(customer)
	if err != nil {
		return nil, fmt.Errorf("session of %s: %w", customer, err)
	}
	s := &Session{Profile: p, Started: time.Now()}
	st.keep(customer, s)
	return s, nil
}

// End forgets the customer's session.
func (st *Store) End(customer string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	delete(st.sessions, customer)
}

func (st *Store) lookup(customer string) *Session {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.sessions[customer]
}

func (st *Store) keep(customer string, s *Session) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.sessions[customer] = s
}
