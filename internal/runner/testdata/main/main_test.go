// Package main has a TestMain that does what it is told.
package main

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func init() {
	if os.Getenv("PROG_MAIN") == "init" {
		panic("in init")
	}
}

func TestMain(m *testing.M) {
	switch os.Getenv("PROG_MAIN") {
	case "before":
		fmt.Println("no database at 10.0.0.1:5432")
		os.Exit(4)
	case "hang":
		time.Sleep(time.Hour)
	case "none":
		return
	}
	code := m.Run()
	if os.Getenv("PROG_MAIN") == "after" {
		fmt.Println("leak: 3 goroutines")
		code = 1
	}
	os.Exit(code)
}

func TestPass(t *testing.T) {}
