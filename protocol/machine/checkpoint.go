package machine

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"maps"
	"slices"
)

// A checkpoint is a line of JSON that says what was explored, and then, little endian and with its length in front of each: the nodes
// of the store, the trail, the queue, and a checksum. The set of fingerprints is made anew from the trail.

const checkpointFormat = "kraftprove exploration 1"

var checkpointSum = crc64.MakeTable(crc64.ECMA)

// checkpointHead says of what an exploration is, and how far it has come.
type checkpointHead struct {
	Format     string   `json:"format"`
	System     string   `json:"system"`
	Hash       string   `json:"hash"`
	Sizes      []int    `json:"sizes"` // by sort
	Voters     []int    `json:"subsets"`
	Properties []string `json:"properties"`
	Symmetric  []string `json:"symmetric"`
	Fixed      int      `json:"fixed"`

	Next      int   `json:"next"`
	Levels    []int `json:"levels"`
	Depth     int   `json:"depth"`
	LevelEnd  int   `json:"levelEnd"`
	Generated int   `json:"generated"`
	Cut       int   `json:"cut"`
	Steps     []int `json:"steps"`
	New       []int `json:"new"`
	Queue     int   `json:"queue"`
}

// head describes the exploration.
func (x *Explorer) head() checkpointHead {
	m := x.m
	h := checkpointHead{Format: checkpointFormat, System: m.sys.Name, Hash: m.sys.Hash, Fixed: m.fixed,
		Next: x.next, Levels: x.levels, Depth: x.depthAt, LevelEnd: x.levelEnd, Generated: x.generated, Cut: x.cut,
		Steps: x.fired, New: x.found, Queue: x.queue.count}
	for _, s := range m.sys.Sorts {
		h.Sizes = append(h.Sizes, m.st.Size(s))
		if s.Subset != nil {
			h.Voters = append(h.Voters, m.st.Subset(s.Subset))
		}
	}
	if x.k != nil {
		for _, p := range x.k.props {
			h.Properties = append(h.Properties, p.decl.ID)
		}
	}
	for s := range maps.Keys(x.sym.offset) {
		h.Symmetric = append(h.Symmetric, s.Name)
	}
	slices.Sort(h.Symmetric)
	return h
}

// Save writes a checkpoint. An exploration that has found a violation has none.
func (x *Explorer) Save(w io.Writer) error {
	if x.violation != nil {
		return errors.New("an exploration that has found a violation does not go on")
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	sum := crc64.New(checkpointSum)
	out := io.MultiWriter(buf, sum)
	head, err := json.Marshal(x.head())
	if err != nil {
		return err
	}
	_, _ = out.Write(append(head, '\n')) // errors stay in the buffer until it is flushed
	s := &x.m.store
	for _, ints := range [][]int{s.kids, s.end, s.class} {
		long := make([]int64, len(ints))
		for i, k := range ints {
			long[i] = int64(k)
		}
		writeAll(out, long)
	}
	writeAll(out, x.trail.fps)
	writeAll(out, x.trail.parents)
	writeAll(out, x.queue.head)
	for _, b := range x.queue.rest() {
		writeAll(out, b)
	}
	writeAll(out, []byte(nil))
	writeAll(buf, []uint64{sum.Sum64()})
	return buf.Flush()
}

func writeAll[T int64 | uint64 | uint32 | byte](w io.Writer, list []T) {
	_ = binary.Write(w, binary.LittleEndian, uint64(len(list)))
	_ = binary.Write(w, binary.LittleEndian, list)
}

func readAll[T int64 | uint64 | uint32 | byte](r io.Reader) ([]T, error) {
	var n uint64
	if err := binary.Read(r, binary.LittleEndian, &n); err != nil {
		return nil, err
	}
	const piece = 1 << 20 // a length that is wrong must not ask for all memory
	var list []T
	for n > 0 {
		part := make([]T, min(n, piece))
		if err := binary.Read(r, binary.LittleEndian, part); err != nil {
			return nil, err
		}
		list = append(list, part...)
		n -= uint64(len(part))
	}
	return list, nil
}

// Resume reads a checkpoint of an exploration of the same system in the same scope with the same
// properties; of another one it says so by a *MismatchError. The explorer must not have been run.
func (x *Explorer) Resume(r io.Reader) error {
	buf := bufio.NewReaderSize(r, 1<<16)
	line, err := buf.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read checkpoint: %w", noEOF(err))
	}
	var h checkpointHead
	if err := json.Unmarshal(line, &h); err != nil || h.Format != checkpointFormat {
		return errors.New("this is no checkpoint of an exploration")
	}
	if err := x.fits(&h); err != nil {
		return err
	}
	sum := crc64.New(checkpointSum)
	_, _ = sum.Write(line)
	nodes, err := x.read(io.TeeReader(buf, sum))
	if err != nil {
		return fmt.Errorf("read checkpoint: %w", noEOF(err))
	}
	if want, err := readAll[uint64](buf); err != nil || len(want) != 1 || want[0] != sum.Sum64() {
		return errors.New("read checkpoint: the file is damaged")
	}
	if err := x.restore(nodes); err != nil {
		return err
	}
	for _, fp := range x.trail.fps {
		x.seen.add(fp)
	}
	x.started = true
	x.next, x.levels, x.depthAt, x.levelEnd = h.Next, h.Levels, h.Depth, h.LevelEnd
	x.generated, x.cut, x.fired, x.found, x.queue.count = h.Generated, h.Cut, h.Steps, h.New, h.Queue
	return nil
}

// read takes what stands behind the head. The nodes come as they are written, since nothing is
// known of them before the checksum is.
func (x *Explorer) read(in io.Reader) (nodes [3][]int64, err error) {
	for i := range nodes {
		if nodes[i], err = readAll[int64](in); err != nil {
			return nodes, err
		}
	}
	if x.trail.fps, err = readAll[uint64](in); err != nil {
		return nodes, err
	}
	if x.trail.parents, err = readAll[uint32](in); err != nil {
		return nodes, err
	}
	for first := true; ; first = false {
		b, err := readAll[byte](in)
		if err != nil || len(b) == 0 && !first {
			return nodes, err
		}
		x.queue.addBlock(b, first)
	}
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// MismatchError says that a checkpoint is of an exploration of something else.
type MismatchError struct{ Reason string }

// Error says of what else the checkpoint is.
func (e *MismatchError) Error() string { return "the checkpoint " + e.Reason }

var errOtherVersion = errors.New("the checkpoint was written by another version of kraftprove")

// fits says why a checkpoint is not one of this exploration.
func (x *Explorer) fits(h *checkpointHead) error {
	own := x.head()
	switch {
	case h.System != own.System:
		return &MismatchError{fmt.Sprintf("is of %s, not of %s", h.System, own.System)}
	case h.Hash != own.Hash:
		return fmt.Errorf("the spec of %s has changed since the checkpoint was written", h.System)
	case !slices.Equal(h.Sizes, own.Sizes) || !slices.Equal(h.Voters, own.Voters):
		return &MismatchError{"is of another scope"}
	case !slices.Equal(h.Properties, own.Properties):
		return &MismatchError{"is of other properties"}
	case !slices.Equal(h.Symmetric, own.Symmetric):
		return &MismatchError{"was written with another symmetry"}
	case h.Fixed != own.Fixed || len(h.Steps) != len(own.Steps) || len(h.New) != len(own.New):
		return errOtherVersion
	}
	return nil
}

// restore makes the nodes of a checkpoint again; those that the compiled code refers to must be the same.
func (x *Explorer) restore(nodes [3][]int64) error {
	var lists [3][]int
	for i, long := range nodes {
		lists[i] = make([]int, len(long))
		for k, v := range long {
			lists[i][k] = int(v)
		}
	}
	kids, end, class := lists[0], lists[1], lists[2]
	from := 0
	for node, to := range end {
		if node >= len(class) || to < from || to > len(kids) || class[node] >= len(x.m.store.classes) ||
			x.m.store.intern(class[node], kids[from:to]) != node {
			return errOtherVersion
		}
		from = to
	}
	return nil
}
