"""All that the file keeps, read and written as values; see `ragspine_store.kept`."""
