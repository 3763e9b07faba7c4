"""What is kept: documents, their children, and the index over them."""
