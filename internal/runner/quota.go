package runner

import (
	"os"
	"time"
)

// quotaPeriod is the default of the kernel's own quota (cpu.cfs_period_us), which containers of
// CI are given. The use of processor time is looked at every quotaTick.
const (
	quotaPeriod = 100 * time.Millisecond
	quotaTick   = 2 * time.Millisecond
)

// A quota is a process's share of the processors, as the kernel counts it for a container: in
// each period the process may use so much processor time. The rest is lost, and an excess is owed
// to the next period.
type quota struct {
	share time.Duration // processor time in each period
	left  time.Duration // in this period; 0 or less: the process has to wait for the next one
	used  time.Duration // processor time used since the process began
	next  time.Time     // when the next period begins
}

func newQuota(cpus float64, now time.Time) *quota {
	share := time.Duration(cpus * float64(quotaPeriod))
	return &quota{share: share, left: share, next: now.Add(quotaPeriod)}
}

// spent reports whether the process, which has used so much processor time until now, must stop.
func (q *quota) spent(now time.Time, used time.Duration) bool {
	q.left -= used - q.used
	q.used = used
	for ; !now.Before(q.next); q.next = q.next.Add(quotaPeriod) {
		q.left = min(q.left+q.share, q.share)
	}
	return q.left <= 0
}

// limitTime stops a process and those it started whenever its quota is spent, until ended is
// closed. All its threads stop alike, so no goroutine falls behind another one. The time of its
// children is not counted.
func limitTime(p *os.Process, cpus float64, ended <-chan struct{}) {
	q := newQuota(cpus, time.Now())
	tick := time.NewTicker(quotaTick)
	defer tick.Stop()
	stopped := false
	for {
		select {
		case <-ended:
			return
		case now := <-tick.C:
			used, err := processTime(p)
			if err != nil {
				return
			}
			if want := q.spent(now, used); want != stopped {
				stopped = want
				stopGroup(p, stopped)
			}
		}
	}
}
