"""Rules of the relation graph that hold on every backend: no database."""
