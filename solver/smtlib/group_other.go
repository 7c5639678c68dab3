//go:build !unix

package smtlib

import "os/exec"

func ownGroup(*exec.Cmd) {}

// killGroup kills the process. That it may be gone already is no error.
func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func bySignal(*exec.ExitError) bool { return false }
