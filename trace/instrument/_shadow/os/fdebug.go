package os

import (
	"internal/bytealg"
	"internal/filepathlite"
	"runtime"
	"syscall"
)

// What goroutines of tests do to the environment, to files and to the working directory, before they do it.

//fdebug:lost what tests leave behind is known only of variables
//fdebug:patch os/env.go func Getenv(key string) string {{+ fdebugEnv(runtime.FdebugLooks, key);+}
//fdebug:patch os/env.go func LookupEnv(key string) (string, bool) {{+ fdebugEnv(runtime.FdebugLooks, key);+}
//fdebug:patch os/env.go func Environ() []string {{+ fdebugEnviron();+}
//fdebug:patch os/env.go func Setenv(key, value string) error {{+ fdebugEnv(runtime.FdebugChanges, key);+}
//fdebug:patch os/env.go func Unsetenv(key string) error {{+ fdebugEnv(runtime.FdebugChanges, key);+}
//fdebug:patch os/stat.go func Stat(name string) (FileInfo, error) {{+ fdebugFile(runtime.FdebugLooks, name);+}
//fdebug:patch os/stat.go func Lstat(name string) (FileInfo, error) {{+ fdebugFile(runtime.FdebugLooks, name);+}
//fdebug:patch os/file.go func OpenFile(name string, flag int, perm FileMode) (*File, error) {{+
//	fdebugOpen(name, flag);+}
//fdebug:patch os/file.go func Mkdir(name string, perm FileMode) error {{+
//	fdebugFile(runtime.FdebugLooks|runtime.FdebugChanges, name);+}
//fdebug:patch os/file.go func Rename(oldpath, newpath string) error {{+
//	fdebugFile(runtime.FdebugLooks|runtime.FdebugChanges, oldpath); fdebugFile(runtime.FdebugChanges, newpath);+}
//fdebug:patch os/file_unix.go,os/file_windows.go func Remove(name string) error {{+
//	fdebugFile(runtime.FdebugLooks|runtime.FdebugChanges, name);+}
//fdebug:patch os/file.go func Chdir(dir string) error {{+ fdebugDir(runtime.FdebugChanges);+}
//fdebug:patch os/getwd.go func Getwd() (dir string, err error) {{+ fdebugDir(runtime.FdebugLooks);+}

func fdebugEnv(use int, key string) {
	if runtime.FdebugTouches(use) {
		state := uint64(0)
		if v, ok := syscall.Getenv(key); ok {
			state = runtime.FdebugName(v)
		}
		runtime.FdebugTouch(use, runtime.FdebugEnv, runtime.FdebugName(key), state)
	}
}

// fdebugEnviron looks at all variables.
func fdebugEnviron() {
	for _, kv := range syscall.Environ() {
		if i := bytealg.IndexByteString(kv, '='); i > 0 {
			fdebugEnv(runtime.FdebugLooks, kv[:i])
		}
	}
}

// fdebugDir touches the working directory, and returns it.
func fdebugDir(use int) string {
	dir, _ := syscall.Getwd()
	runtime.FdebugTouch(use, runtime.FdebugDir, 0, runtime.FdebugName(dir))
	return dir
}

// fdebugFile touches a file. Its state is its size: that of a directory is the file system's choice.
func fdebugFile(use int, name string) {
	if !runtime.FdebugTouches(use) {
		return
	}
	state := uint64(0)
	if info, err := lstatNolog(name); err == nil {
		state = uint64(info.Mode().Type()) + 1
		if info.Mode().IsRegular() {
			state += uint64(info.Size())
		}
	}
	if !filepathlite.IsAbs(name) {
		name = fdebugDir(runtime.FdebugLooks) + string(PathSeparator) + name
	}
	runtime.FdebugTouch(use, runtime.FdebugFile, runtime.FdebugName(name), state)
}

// fdebugOpen touches a file as the flags say. One that is truncated tells nobody what it had.
func fdebugOpen(name string, flag int) {
	use := runtime.FdebugLooks
	if flag&(O_WRONLY|O_RDWR|O_CREATE) != 0 {
		use |= runtime.FdebugChanges
	}
	if flag&O_TRUNC != 0 && flag&O_EXCL == 0 {
		use &^= runtime.FdebugLooks
	}
	fdebugFile(use, name)
}
