package fdebugrt

import "syscall"

// withPID adds the process id to a file name.
func withPID(path string) string {
	digits := ""
	for n := syscall.Getpid(); n > 0; n /= 10 {
		digits = string(rune('0'+n%10)) + digits
	}
	return path + "." + digits
}
