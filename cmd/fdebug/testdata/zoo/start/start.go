package start

import "os"

var first = prepare()

var second = decide(odd())

func prepare() int {
	n := os.Getpid()
	return n + 1
}

func odd() bool {
	name := os.Getenv("COUNTER") + "init"
	old, _ := os.ReadFile(name)
	os.WriteFile(name, append(old, 'x'), 0o666)
	return len(old)%2 == 1
}

func decide(bad bool) string {
	if bad {
		panic("bad")
	}
	return "good"
}
