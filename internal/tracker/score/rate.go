package score

import (
	"math"

	"github.com/fdebug/fdebug/internal/stats"
)

// rate returns the share of runs that fail, and its interval.
func rate(points []Point, starts []start, now int32) (mean, low, high float64) {
	mix := mixture(points, starts, now)
	if len(mix) == 0 {
		mix = mixture(points, []start{{share: 1}}, now)
	}
	for _, b := range mix {
		mean += b.share * b.p
	}
	return mean, mix.quantile((1 - stats.Confidence) / 2), mix.quantile((1 + stats.Confidence) / 2)
}

// A beta is the posterior of the rate, if it began at one commit.
type beta struct{ share, a, b, p float64 }

type betas []beta

// mixture returns the posterior for each start.
func mixture(points []Point, starts []start, now int32) betas {
	var mix betas
	var w, w2, failed float64
	now, half := newest(points, now), HalfLife.Minutes()
	at := len(points)
	for i := len(starts) - 1; i >= 0; i-- {
		for at > starts[i].at {
			at--
			p := points[at]
			weight := math.Exp2(-max(0, float64(now-p.Minute)) / half)
			w += weight * float64(p.Runs)
			w2 += weight * weight * float64(p.Runs)
			failed += weight * float64(p.Failed)
		}
		if w == 0 {
			continue
		}
		size := w * w / w2
		k := failed / w * size
		mix = mix.with(beta{starts[i].share, k + 0.5, size - k + 0.5, failed / w})
	}
	return mix
}

// leastPart is the smallest share of a part of a mixture. Neighbours are very similar, and there
// may be hundreds.
const leastPart = 0.05

// with adds a part, or mixes it with the last one if that is small.
func (m betas) with(b beta) betas {
	n := len(m)
	if n == 0 || m[n-1].share >= leastPart {
		return append(m, b)
	}
	l := &m[n-1]
	x := b.share / (l.share + b.share)
	*l = beta{l.share + b.share, l.a + x*(b.a-l.a), l.b + x*(b.b-l.b), l.p + x*(b.p-l.p)}
	return m
}

func newest(points []Point, now int32) int32 {
	if now == 0 {
		for _, p := range points {
			now = max(now, p.Minute)
		}
	}
	return now
}

// quantile finds the value below which a share of q of the mixture lies.
func (m betas) quantile(q float64) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		mid := (low + high) / 2
		if m.below(mid) < q {
			low = mid
		} else {
			high = mid
		}
		if high-low < 1e-4*high {
			break
		}
	}
	return (low + high) / 2
}

func (m betas) below(x float64) float64 {
	sum := 0.0
	for _, b := range m {
		sum += b.share * betaBelow(b.a, b.b, x)
	}
	return sum
}
