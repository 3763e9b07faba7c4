"""Runs that print figures side by side; started by hand, never timed tests."""
