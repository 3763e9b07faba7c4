"""How names are compared, and how many are found in a text at once."""
