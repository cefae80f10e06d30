"""One module for each command of the command line; each has `run(options) -> exit code`."""
