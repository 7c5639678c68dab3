package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

// An interrupt ends the zoo with exit code 130, and it says that scenarios are missing.
func TestZooInterrupt(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"zoo"}, strings.NewReader(""), &out, &errs); code != exitInterrupted {
		t.Errorf("exit code %d, want %d\n%s", code, exitInterrupted, errs.String())
	}
	if !strings.Contains(out.String(), "Interrupted") || strings.Contains(out.String(), "survive") {
		t.Errorf("got\n%s", out.String())
	}
}
