"""The contract of a store as tests, shipped so that a backend elsewhere can run them too.

A backend gives a `Backend` as fixture and subclasses `StoreSuite`; nothing in the suite may be
overridden. Needs pytest, which comes with the extra `dev`.
"""

from ragspine_store.testing.backend import Backend
from ragspine_store.testing.documents import Part, make_document
from ragspine_store.testing.suites import StoreSuite

__all__ = ["Backend", "Part", "StoreSuite", "make_document"]
