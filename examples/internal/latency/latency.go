// Package latency stands in for what a program does not decide: how long a
// disk, a network or a person takes.
package latency

import (
	"os"
	"time"
)

// Between returns a duration d with min <= d < max.
//
// It is drawn from the clock and the process id, not from math/rand: no seed
// brings the speed of a disk back.
func Between(min, max time.Duration) time.Duration {
	x := uint64(time.Now().UnixNano()) ^ uint64(os.Getpid())<<40
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	x ^= x >> 31
	return min + time.Duration(x%uint64(max-min))
}

// Wait sleeps for a duration taken from [Between].
func Wait(min, max time.Duration) {
	time.Sleep(Between(min, max))
}
