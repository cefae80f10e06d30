"""What is written from the classes of `lsp_server.engine.schema`: documentation, JSON Schema, TypeScript types."""
