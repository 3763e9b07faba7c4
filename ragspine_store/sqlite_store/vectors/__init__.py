"""Vectors in the file, and in memory while they are searched."""
