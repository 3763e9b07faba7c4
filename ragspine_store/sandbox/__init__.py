"""Loads files that strangers made in a process of its own, bounded in time and memory.

A parser that hangs, crashes or takes all memory then costs one file and not the run. It is a
bound, no jail: the process may read what its user may.
"""

from ragspine_store.sandbox.sandbox import DEFAULT_TIMEOUT_S, MAX_TIMEOUT_S, Sandbox

__all__ = ["DEFAULT_TIMEOUT_S", "MAX_TIMEOUT_S", "Sandbox"]
