"""Indexes of any backend's collection: on disk, searched, measured."""
