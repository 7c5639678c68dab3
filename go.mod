module github.com/speckl/kraftprove

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0 // indirect
	github.com/mitchellh/go-z3 v0.0.0-20191228203228-4cbedeba863f // indirect
	golang.org/x/sync v0.25.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
