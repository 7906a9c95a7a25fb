// Package linked has the parts of an fdebug for a team.
package linked

import (
	"github.com/fdebug/fdebug/internal/tracker/history/postgres"
	"github.com/fdebug/fdebug/internal/tracker/serve"
	"github.com/fdebug/fdebug/internal/tracker/team"
)

// Parts returns them.
func Parts() *team.Parts {
	return &team.Parts{
		Check: postgres.Check, Open: postgres.Open, OpenReadOnly: postgres.OpenReadOnly, Serve: serve.Run,
	}
}
