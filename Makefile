# kraftprove: everything a developer or CI needs. On a fresh machine `make proofs`
# installs what is missing, builds, proves every spec and plays the bugs; `make test` runs the tests.

GO      ?= go
Z3FLAGS := -modfile=z3.mod -tags z3
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS := -X main.version=$(VERSION)
LINT    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

.PHONY: proofs test test-short race build setup bench lint fmt clean

proofs: build
	bin/kraftprove check --all --mode both --branches --verbose
	bin/kraftprove zoo

test: setup z3.mod
	KRAFTPROVE_REQUIRE_SOLVERS=1 $(GO) test $(Z3FLAGS) ./...

test-short: z3.mod
	$(GO) test -short $(Z3FLAGS) ./...

race: z3.mod
	$(GO) test -race -short $(Z3FLAGS) ./...

build: setup z3.mod
	$(GO) build $(Z3FLAGS) -ldflags '$(LDFLAGS)' -o bin/kraftprove ./cmd/kraftprove

# Installs z3, its headers and cvc5 if they are missing, and says so.
setup:
	@scripts/install-z3.sh

# The module file that links the in-process Z3; go.mod itself stays as it is.
z3.mod: go.mod go.sum scripts/install-z3.sh
	@scripts/install-z3.sh --link

bench: setup z3.mod
	$(GO) test $(Z3FLAGS) -run '^$$' -bench . -count 5 ./...

lint: z3.mod
	$(GO) vet ./...
	$(GO) vet $(Z3FLAGS) ./...
	$(GO) run $(LINT) run ./...

fmt:
	gofmt -l -w .

clean:
	rm -rf bin third_party z3.mod z3.sum
