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

// fdebugOffline reports whether an address can't be reached without a network: only those
// of the machine itself can.
func fdebugOffline(sa Sockaddr) bool {
	switch sa := sa.(type) {
	case *SockaddrInet4:
		return !fdebugOwn4(sa) && runtime.FdebugOffline()
	case *SockaddrInet6:
		return !fdebugOwn6(sa) && runtime.FdebugOffline()
	}
	return false
}

// fdebugOwn4 and fdebugOwn6 report whether an address is of the loopback network, or the
// one that stands for the machine itself.
func fdebugOwn4(sa *SockaddrInet4) bool {
	return sa == nil || sa.Addr[0] == 127 || sa.Addr == [4]byte{}
}

func fdebugOwn6(sa *SockaddrInet6) bool {
	if sa == nil {
		return true
	}
	mapped := [12]byte{10: 0xff, 11: 0xff}
	if a := sa.Addr; [12]byte(a[:12]) == mapped {
		return a[12] == 127 || [4]byte(a[12:]) == [4]byte{}
	}
	return sa.Addr == [16]byte{} || sa.Addr == [16]byte{15: 1}
}
