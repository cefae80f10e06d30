"""Which premises a goal is an instance of, read from text: a path index over statements."""
