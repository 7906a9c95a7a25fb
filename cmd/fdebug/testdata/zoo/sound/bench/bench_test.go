package bench

import "testing"

func BenchmarkNothing(b *testing.B) {}
