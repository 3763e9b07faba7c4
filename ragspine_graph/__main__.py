"""`python -m ragspine_graph` is the command line."""

from ragspine_graph.cli import main

if __name__ == "__main__":
    main()
