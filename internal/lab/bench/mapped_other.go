//go:build !unix

package main

import (
	"context"
	"errors"
)

func (b *bench) mapped(context.Context) error {
	return errors.New("this system's files are mapped in another way than is measured here")
}
