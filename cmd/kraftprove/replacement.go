package main

import (
	"os"
	"path/filepath"
)

// replacement is a file that takes the place of another one when it is whole.
type replacement struct {
	*os.File
	name string
}

// replace begins a file beside the one that it shall replace.
func replace(name string) (*replacement, error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return nil, err
	}
	r := &replacement{f, name}
	if err := f.Chmod(0o644); err != nil {
		r.drop()
		return nil, err
	}
	return r, nil
}

// keep puts the file in its place.
func (r *replacement) keep() error {
	if err := r.Sync(); err != nil {
		return err
	}
	if err := r.Close(); err != nil {
		return err
	}
	return os.Rename(r.Name(), r.name)
}

// drop removes the file, unless it was kept.
func (r *replacement) drop() {
	_ = r.Close()
	_ = os.Remove(r.Name())
}
