//go:build !team

package main

import "github.com/fdebug/fdebug/internal/tracker/team"

// parts returns the parts for a team: none here.
func parts() *team.Parts { return nil }
