"""The relation graph on a server."""
