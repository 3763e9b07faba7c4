"""All that the server keeps, read and written as values; see `ragspine_store.kept`."""
