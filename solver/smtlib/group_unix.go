//go:build unix

package smtlib

import (
	"os/exec"
	"syscall"
)

// ownGroup makes the process lead a group, so that its children can be killed
// with it, and an interrupt from the terminal reaches only us.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// killGroup kills the process and its children. That they may be gone already
// is no error.
func killGroup(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// bySignal reports whether a signal ended the process.
func bySignal(err *exec.ExitError) bool {
	ws, ok := err.Sys().(syscall.WaitStatus)
	return ok && ws.Signaled()
}
