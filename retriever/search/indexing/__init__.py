"""Building and updating an index: what changed is read, embedded, committed and merged."""
