//go:build team

package main

import (
	"github.com/fdebug/fdebug/internal/tracker/team"
	"github.com/fdebug/fdebug/internal/tracker/team/linked"
)

// parts returns the parts for a team.
func parts() *team.Parts { return linked.Parts() }
