package testing

// fdebugLimits does nothing: Windows has no limit of open files.
func fdebugLimits() {}
