"""What every backend keeps and compares in the same way: pure rules, no database."""
