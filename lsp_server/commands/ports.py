"""Where the servers listen unless told otherwise."""

HTTP_PORT = 8765
MCP_PORT = 8766
