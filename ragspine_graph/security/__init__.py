"""What may leave: the exits, which alone make cleared values."""
