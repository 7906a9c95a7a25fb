// Package linked has the parts of an fdebug for a team.
package linked

import (
	"github.com/fdebug/fdebug/internal/history/postgres"
	"github.com/fdebug/fdebug/internal/history/sqlite"
	"github.com/fdebug/fdebug/internal/serve"
	"github.com/fdebug/fdebug/internal/team"
)

// Parts returns them.
func Parts() *team.Parts {
	return &team.Parts{
		Check: postgres.Check, Open: postgres.Open, OpenReadOnly: postgres.OpenReadOnly,
		ReadOld: sqlite.Read, Serve: serve.Run,
	}
}
