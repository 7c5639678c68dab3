package smtlib

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// process is a solver that runs. It answers one question after the other: each
// is a text of commands, after which we have the solver echo a sentinel, so
// that we know where its reply ends. The text is written while the reply is
// read, since either pipe may fill up.
type process struct {
	cmd     *exec.Cmd
	stdin   io.WriteCloser
	stdout  io.ReadCloser
	stderr  *tail
	replies chan string   // one for each question
	stopped chan struct{} // closed by kill, for a reader nobody listens to
	done    chan struct{} // closed once the process has been waited for
	err     error         // how it ended, after done
	rest    string        // what it wrote after its last sentinel, after done
	stop    sync.Once
}

const (
	sentinel = "kraftprove: end of reply"

	// maxReply bounds what is kept of a reply, in bytes. A model of a million
	// constants has 50 MB.
	maxReply = 1 << 28

	// maxSilence bounds how long a reply that has begun may pause: its end is
	// already asked for.
	maxSilence = 2 * time.Second

	// killGrace bounds how long we wait for a killed process to be gone.
	killGrace = time.Second
)

var errEndless = errors.New("reply does not end")

func start(argv []string) (*process, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	p := &process{
		cmd:     cmd,
		stderr:  &tail{},
		replies: make(chan string),
		stopped: make(chan struct{}),
		done:    make(chan struct{}),
	}
	cmd.Stderr = p.stderr
	cmd.WaitDelay = killGrace
	ownGroup(cmd)
	var err error
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	if p.stdout, err = cmd.StdoutPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", argv[0], err)
	}
	go p.read()
	return p, nil
}

// ask sends a text of commands and returns the reply. If ctx ends first, or the
// process does, it returns an error, and the process is of no further use.
func (p *process) ask(ctx context.Context, text []byte) (string, error) {
	written := make(chan struct{})
	go func() {
		defer close(written)
		// An error here means that the process is gone or going, which the
		// reader finds out too.
		if _, err := p.stdin.Write(text); err == nil {
			_, _ = io.WriteString(p.stdin, "(echo \""+sentinel+"\")\n")
		}
	}()
	reply, err := p.await(ctx, written)
	if err != nil {
		p.kill()
	}
	<-written
	return reply, err
}

// await waits until the question is written and the reply is there.
func (p *process) await(ctx context.Context, written <-chan struct{}) (string, error) {
	var reply string
	replies, isWritten := p.replies, false
	for replies != nil || !isWritten {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-p.done:
			return "", p.err
		case reply = <-replies:
			replies = nil
		case <-written:
			written, isWritten = nil, true
		}
	}
	return reply, nil
}

// close asks the process to end, and sees to it that it does.
func (p *process) close() {
	p.stdin.Close()
	select {
	case <-p.done:
	case <-time.After(100 * time.Millisecond):
	}
	p.kill()
}

// kill ends the process and all its children, and waits for it.
func (p *process) kill() {
	p.stop.Do(func() {
		close(p.stopped)
		killGroup(p.cmd)
		p.stdin.Close()
	})
	select {
	case <-p.done:
	case <-time.After(killGrace):
		p.stdout.Close() // some stranger holds the other end
		<-p.done
	}
}

// read passes on replies until the output ends, then waits for the process.
func (p *process) read() {
	defer close(p.done)
	err := p.readReplies()
	if err != nil {
		killGroup(p.cmd)
	}
	waitErr := p.cmd.Wait()
	switch {
	case err != nil:
		p.err = err
	case waitErr != nil:
		p.err = waitErr
	default:
		p.err = errors.New("exit status 0")
	}
}

func (p *process) readReplies() error {
	r := bufio.NewReaderSize(p.stdout, 1<<16)
	var reply strings.Builder
	var silent atomic.Bool
	watch := time.AfterFunc(maxSilence, func() {
		silent.Store(true)
		p.stdout.Close()
	})
	watch.Stop()
	defer watch.Stop()
	for {
		line, err := r.ReadSlice('\n')
		watch.Stop()
		if isSentinel(line) {
			select {
			case p.replies <- reply.String():
			case <-p.stopped:
				return nil
			}
			reply.Reset()
			continue
		}
		reply.Write(line)
		if reply.Len() > 0 {
			watch.Reset(maxSilence)
		}
		switch {
		case reply.Len() > maxReply, silent.Load():
			p.rest = reply.String()
			return errEndless
		case err == nil || errors.Is(err, bufio.ErrBufferFull):
		default: // the end, or a pipe that kill has closed
			p.rest = reply.String()
			return nil
		}
	}
}

// isSentinel tells the echo: z3 prints the string bare, cvc5 in quotes.
func isSentinel(line []byte) bool {
	return strings.Trim(string(line), "\"\r\n") == sentinel
}

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

const tailSize = 4096

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b[max(0, len(b)-tailSize):]...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
