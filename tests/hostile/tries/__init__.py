"""Hostile tries by kind, for `scripts/hostile.py`: each module has a function `run(effort, report)`."""
