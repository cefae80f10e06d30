"""An index in PostgreSQL with pgvector: published whole by one writer, read by many machines (docs/scale.md)."""
