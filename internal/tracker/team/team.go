// Package team names what an fdebug for a team has that others do not: the driver of
// PostgreSQL, and the server of pages. They take almost as long to build as all the rest, so
// only the build tag team links them.
package team

import (
	"context"
	"errors"

	"github.com/fdebug/fdebug/internal/tracker/history"
)

// Parts are what is linked; package linked has them.
type Parts struct {
	// Check refuses what is not the URL of a database.
	Check func(url string) error
	// Open opens the history in a database. OpenReadOnly changes nothing there.
	Open, OpenReadOnly func(ctx context.Context, url string) (*history.DB, error)
	// Serve shows pages until ctx is done.
	Serve func(ctx context.Context, p Pages) error
}

// Pages are what is shown in the browser, and to whom.
type Pages struct {
	// Addr is where to listen, host:port; "" for [DefaultAddr], or any port of this
	// machine if that is taken.
	Addr string
	// Token is a secret that a request must know, "" for none.
	Token string
	// Open opens the history, to be read.
	Open func(context.Context) (*history.DB, error)
	// Filter chooses what is shown of it.
	Filter history.Filter
	// Local has the runs of a store, Shared the reports that were pushed, each in
	// directories of any depth; "" for none.
	Local, Shared string
	Warnf         func(string, ...any) // nil for silence
	// Ready is called with the address of the pages.
	Ready func(url string)
}

// DefaultAddr is where pages are if nobody says where.
const DefaultAddr = "localhost:6070"

// ErrToken is returned for an address that other machines reach, without a token.
var ErrToken = errors.New("other machines reach it, so it needs FDEBUG_TOKEN")
