"""The protocol: lines of JSON-RPC in both eras of MCP, in the standard library."""
