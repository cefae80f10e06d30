"""What is shown as accepted is what the edit makes of the file: edits at all kinds of places, judged by a fresh Lean."""
