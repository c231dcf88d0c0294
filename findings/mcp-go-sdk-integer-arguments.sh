#!/usr/bin/env bash
# Guess: a tool of the Go SDK of MCP whose input has an `int64` field receives the integer that the client sends.
# Happens (go-sdk 1.8.0): arguments pass through `map[string]any` when the schema is applied, so an integer above 2^53
#   is rounded to the nearest float64 before the handler is called: 9007199254740993 arrives as 9007199254740992.
# Why it matters: snowflake ids and 64-bit keys of vendors are that large. The tool reads or changes another record, and
#   neither side sees an error.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > go.mod <<'GO'
module probe
go 1.25
require github.com/modelcontextprotocol/go-sdk v1.8.0
GO
cat > main.go <<'GO'
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type Input struct {
	ID int64 `json:"id"`
}

func main() {
	ctx := context.Background()
	var received int64
	server := mcp.NewServer(&mcp.Implementation{Name: "server", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "get"},
		func(_ context.Context, _ *mcp.CallToolRequest, input Input) (*mcp.CallToolResult, any, error) {
			received = input.ID
			return nil, nil, nil
		})
	near, far := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, near, nil); err != nil {
		panic(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(ctx, far, nil)
	if err != nil {
		panic(err)
	}
	sent := int64(9007199254740993)
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "get", Arguments: Input{ID: sent}}); err != nil {
		panic(err)
	}
	fmt.Println("go-sdk 1.8.0: sent", sent, "received", received)
	if received != 9007199254740992 {
		os.Exit(1)
	}
}
GO
go mod tidy > tidy.log 2>&1 || { cat tidy.log; exit 1; }
go run .
