// Package specs embeds the protocols that kraftprove proves.
package specs

import "embed"

// FS holds the specs, one YAML file a protocol, and beside each its lock file: what
// proved it last time, to be tried first.
//
//go:embed *.yaml *.lock
var FS embed.FS
