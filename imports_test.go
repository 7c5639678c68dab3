package kraftprove_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/speckl/kraftprove"

// allowed is what each package may import of ours. Data flows one way; above all,
// encode and semantics, which check each other, share no code, and proofs knows no
// back end.
var allowed = map[string][]string{
	"specs":              {},
	"protocol/diag":      {},
	"protocol/syntax":    {"protocol/diag"},
	"protocol":           {"protocol/diag", "protocol/syntax"},
	"protocol/state":     {"protocol"},
	"protocol/semantics": {"protocol", "protocol/state"},
	"protocol/machine":   {"protocol", "protocol/state"},
	"protocol/explore":   {"protocol", "protocol/machine", "protocol/semantics", "protocol/state"},
	"solver/smt":         {},
	"solver":             {"solver/smt"},
	"solver/solvertest":  {"solver", "solver/smt"},
	"solver/smtlib":      {"solver", "solver/smt"},
	"solver/z3":          {"solver", "solver/smt"},
	"encode":             {"protocol", "protocol/state", "solver", "solver/smt"},
	"proofs":             {"encode", "protocol", "protocol/state", "protocol/semantics", "solver", "solver/smt"},
	"proofs/report":      {"encode", "proofs", "protocol", "protocol/diag", "protocol/semantics", "protocol/state", "protocol/syntax"},
	"cmd/kraftprove": {"proofs", "proofs/report", "protocol", "protocol/diag", "protocol/explore", "protocol/state", "solver", "solver/smtlib",
		"solver/z3", "specs"},
}

func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		if name == module { // this test's own package
			continue
		}
		seen[name] = true
		may, known := allowed[name]
		if !known {
			t.Errorf("package %s is not in the table", name)
			continue
		}
		for _, imp := range p.Imports {
			if ours, ok := strings.CutPrefix(imp, module+"/"); ok && !slices.Contains(may, ours) {
				t.Errorf("%s imports %s", name, ours)
			}
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("package %s of the table does not exist", name)
		}
	}
}
