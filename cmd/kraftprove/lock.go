package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/speckl/kraftprove/proofs"
)

// writeLocks writes what proved the obligations beside each spec.
func (a *app) writeLocks(rep *proofs.Report) error {
	dir := a.specsDir
	if dir == "" {
		dir = checkoutSpecs()
	}
	if dir == "" {
		return fmt.Errorf("write lock file: not in a checkout; say where the specs are: --specs DIR")
	}
	for _, s := range rep.Systems {
		if s.Mode == proofs.Bounded {
			continue
		}
		name := filepath.Join(dir, lockName(s.System.File.Name))
		if err := os.WriteFile(name, []byte(s.Lock().String()), 0o644); err != nil {
			return fmt.Errorf("write lock file: %w", err)
		}
		fmt.Fprintf(a.err, "wrote %s\n", relative(name))
	}
	return nil
}

// lockName is the lock file of a spec file: raft.lock of raft.yaml.
func lockName(spec string) string { return strings.TrimSuffix(filepath.Base(spec), ".yaml") + ".lock" }
