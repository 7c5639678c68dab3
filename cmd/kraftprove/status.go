package main

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// statusLine is a line on a terminal that is written anew now and then. It returns what shows a text in it, given
// how much time has passed, and what clears it in the end; nil if there is no terminal. Both are
// safe for concurrent use.
func (a *app) statusLine() (show func(text func(since time.Duration) string), clear func()) {
	if !a.progress {
		return nil, func() {}
	}
	const width = 78
	start := time.Now()
	var mu sync.Mutex
	var last time.Time
	show = func(text func(since time.Duration) string) {
		mu.Lock()
		defer mu.Unlock()
		if time.Since(last) < 50*time.Millisecond {
			return
		}
		last = time.Now()
		line := text(time.Since(start).Round(100 * time.Millisecond))
		if r := []rune(line); len(r) > width {
			line = string(r[:width])
		}
		fmt.Fprintf(a.err, "\r%-*s", width, line)
	}
	clear = func() {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintf(a.err, "\r%s\r", strings.Repeat(" ", width))
	}
	return show, clear
}
