package syscall

import "runtime"

// fdebugBind returns the address that is bound in place of sa, or what the system says of
// it: that of a port which another process has.
func fdebugBind(sa Sockaddr) (Sockaddr, error) {
	var port int
	switch sa := sa.(type) {
	case *SockaddrInet4:
		port = sa.Port
	case *SockaddrInet6:
		port = sa.Port
	}
	switch runtime.FdebugBind(port) {
	case runtime.FdebugPortTaken:
		return sa, EADDRINUSE
	case runtime.FdebugPortFree:
		return fdebugAnyPort(sa), nil
	}
	return sa, nil
}

func fdebugAnyPort(sa Sockaddr) Sockaddr {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		any := *sa
		any.Port = 0
		return &any
	case *SockaddrInet6:
		any := *sa
		any.Port = 0
		return &any
	}
	return sa
}
