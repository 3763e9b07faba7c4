"""The whole contract of a store."""

from __future__ import annotations

from ragspine_store.testing.copy_suite import CopySuite
from ragspine_store.testing.link_suite import LinkSuite
from ragspine_store.testing.part_suite import PartSuite
from ragspine_store.testing.reference_suite import ReferenceSuite
from ragspine_store.testing.relation_change_suite import RelationChangeSuite
from ragspine_store.testing.relation_suite import RelationSuite
from ragspine_store.testing.relation_write_suite import RelationWriteSuite
from ragspine_store.testing.search_suite import SearchSuite
from ragspine_store.testing.service_suite import ServiceSuite
from ragspine_store.testing.source_suite import SourceSuite
from ragspine_store.testing.tree_suite import TreeSuite
from ragspine_store.testing.vector_suite import VectorSuite
from ragspine_store.testing.verdict_suite import VerdictSuite
from ragspine_store.testing.window_suite import WindowSuite
from ragspine_store.testing.write_suite import WriteSuite


class StoreSuite(
    WriteSuite,
    SearchSuite,
    WindowSuite,
    TreeSuite,
    PartSuite,
    SourceSuite,
    RelationSuite,
    RelationWriteSuite,
    RelationChangeSuite,
    VerdictSuite,
    ReferenceSuite,
    LinkSuite,
    CopySuite,
    VectorSuite,
    ServiceSuite,
):
    """All tests; a backend's subclass gives the fixture `backend` and nothing else."""
