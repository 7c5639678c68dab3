//go:build z3

package z3

// #cgo LDFLAGS: -lz3
// #include <stdlib.h>
// #include <z3.h>
import "C"

import (
	"fmt"
	"unsafe"

	binding "github.com/mitchellh/go-z3"
)

// What the binding lacks, done on its raw context.

// raw is the context as this package's cgo types know it.
func raw(c *binding.Context) C.Z3_context { return C.Z3_context(unsafe.Pointer(c.Z3Value())) }

// interrupt makes the check that runs in c give up. Unlike all else, it may be
// called from another goroutine; if no check runs, it is lost.
func interrupt(c *binding.Context) { C.Z3_interrupt(raw(c)) }

// version returns the version of the library, such as "4.8.12".
func version() string {
	var major, minor, build, revision C.uint
	C.Z3_get_version(&major, &minor, &build, &revision)
	return fmt.Sprintf("%d.%d.%d", major, minor, build)
}

// setGlobal sets a parameter of the library, for all solvers made from now on.
func setGlobal(key, value string) {
	k, v := C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	C.Z3_global_param_set(k, v)
}
