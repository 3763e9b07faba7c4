"""Embedders, what of a document they embed, and a store kept in step with them."""
