"""Cutting a document into searchable children, behind the `Chunker` seam."""
