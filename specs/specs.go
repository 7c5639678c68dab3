// Package specs embeds the protocols that kraftprove proves.
package specs

import "embed"

// FS holds the specs, one YAML file a protocol.
//
//go:embed *.yaml
var FS embed.FS
