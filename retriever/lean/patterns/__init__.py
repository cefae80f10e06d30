"""Finds statements by their shape (`_ * _ ≤ _`), by the constants in them and by parts of their names."""
