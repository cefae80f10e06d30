"""What every package needs, whatever it reads: errors, files, processes, caches, the command line."""
