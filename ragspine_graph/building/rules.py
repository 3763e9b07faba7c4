"""Keeps the relation graph of a store in step with its documents, the profile and the rules.

Each document's relations are found outside of a transaction and written in one of their own, which
checks that the document is still the one that was read (promise G3). Only documents whose relations
were made with other rules, or have to be made anew, are read at all.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ragspine_graph.building.base_relations import fact_relations, profile_relations
from ragspine_graph.building.finding import find_relations
from ragspine_graph.extraction.protocol import RuleExtractor
from ragspine_graph.extraction.reading import read_source
from ragspine_graph.extraction.screening import screen_stated
from ragspine_graph.facts import Fact
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.exits import clear_source
from ragspine_graph.security.gate import SecurityGate
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.protocols import Store
from ragspine_store.relation_protocols import RelationState
from ragspine_store.relations import DocumentRelations, Relation
from ragspine_store.retrying import retried
from ragspine_store.sealed import Cleared, Screened, unseal
from ragspine_store.sensitivity import Reader

RULES_VERSION = 3
"""Counts up when the same rules find something else in the same text.

It is part of the fingerprint that a document's relations are kept with: without it, a store built
by an older program would pass for built, and keep what the older rules found. A test that holds
what this version finds (`tests/unit/test_rules_version.py`) fails until it is counted up.
"""


class BuildProgress(NamedTuple):
    """How far a build is: documents done, of how many, and the one just done."""

    done: int
    total: int
    doc_id: str


@dataclass(frozen=True, slots=True)
class RuleBuildReport:
    """What a build did; an operator's output, without text.

    Attributes:
        documents: whose relations were made.
        unchanged: documents whose relations were made with the same rules before.
        outdated: documents that were changed, withheld or deleted meanwhile; the next build sees
            them.
        relations, references: occurrences written.
        rejected: what the gate stopped.
        left_out: distinct edges beyond a bound.
    """

    documents: int = 0
    unchanged: int = 0
    outdated: int = 0
    relations: int = 0
    references: int = 0
    rejected: int = 0
    left_out: int = 0


class _Found(NamedTuple):
    """What rules found in a document, and how many distinct edges they left out."""

    relations: DocumentRelations
    left_out: int


@dataclass(frozen=True, slots=True)
class RelationRules:
    """What the relations of a document are made with.

    Attributes:
        nodes: of the profile.
        gate: screens every relation.
        extractors: in order; they share one reading of a document.
        fingerprint: hash of profile and settings.
    """

    nodes: ProfileNodes
    gate: SecurityGate
    extractors: Sequence[RuleExtractor]
    fingerprint: str

    @classmethod
    def of(
        cls,
        nodes: ProfileNodes,
        gate: SecurityGate,
        extractors: Sequence[RuleExtractor],
        settings: Sequence[str],
    ) -> RelationRules:
        """Rules with their fingerprint.

        Args:
            nodes: of the profile.
            gate: of the same profile.
            extractors: in order.
            settings: what names the extractors.
        """
        made_with = [RULES_VERSION, nodes.profile.model_dump(mode="json"), *settings]
        text = json.dumps(made_with, sort_keys=True, ensure_ascii=False)
        fingerprint = hashlib.sha256(text.encode()).hexdigest()
        return cls(nodes, gate, extractors, fingerprint)

    def find(self, source: Cleared[RelationSource]) -> _Found:
        """Everything that the rules find in one document."""
        reading = source.map(read_source)
        extracted = (extractor.extract_from(reading) for extractor in self.extractors)
        found = find_relations(self.nodes, self.gate, unseal(source), extracted)
        references = unseal(reading).references
        relations = DocumentRelations(
            found.document.key,
            found.version,
            self.fingerprint,
            found.relations,
            found.rejections,
            references.titles,
            references.addresses,
            references.references,
        )
        return _Found(relations, found.left_out)


def build_stated_relations(store: Store, rules: RelationRules, facts: Iterable[Fact]) -> None:
    """Write what profile and facts say, in place of what they said before, and with which rules.

    Facts of a document that no reader sees are kept and shown to nobody, as if they were not there.
    """
    stated = [*profile_relations(rules.nodes), *fact_relations(rules.nodes, facts)]
    _write_stated(store, rules, screen_stated(rules.gate, stated).relations)


@retried
def _write_stated(store: Store, rules: RelationRules, stated: Sequence[Screened[Relation]]) -> None:
    with store.writing() as transaction:
        transaction.put_profile_relations(stated)
        transaction.note_build(rules.fingerprint)


def build_rule_relations(
    store: Store,
    rules: RelationRules,
    *,
    progress: Callable[[BuildProgress], None] = lambda _: None,
) -> RuleBuildReport:
    """Write what rules find in the documents whose relations are not of these rules yet.

    Args:
        store: read and written.
        rules: to find relations with.
        progress: called after each document.

    Raises:
        StoreLockedError: another process kept the store's write lock; running it again goes on.
    """
    with store.reading() as transaction:
        states = transaction.relation_states()
    wanted = [state for state in states if state.rules != rules.fingerprint]
    done = RuleBuildReport(unchanged=len(states) - len(wanted))
    for number, state in enumerate(wanted, start=1):
        done = _count(done, _build_document(store, rules, state))
        progress(BuildProgress(number, len(wanted), state.doc_id))
    store.erase()
    return done


@retried
def _build_document(store: Store, rules: RelationRules, state: RelationState) -> _Found | None:
    """Find and write the relations of a document; None when it is not what was read any more."""
    with store.reading() as transaction:
        view = transaction.find_document(state.doc_id)
    source = clear_source(view, Reader()) if view else None
    if source is None:
        return None
    found = rules.find(source)
    with store.writing() as transaction:
        return found if transaction.put_document_relations(found.relations) else None


def _count(done: RuleBuildReport, found: _Found | None) -> RuleBuildReport:
    if found is None:
        return replace(done, outdated=done.outdated + 1)
    return replace(
        done,
        documents=done.documents + 1,
        relations=done.relations + len(found.relations.relations),
        references=done.references + len(found.relations.references),
        rejected=done.rejected + len(found.relations.rejections),
        left_out=done.left_out + found.left_out,
    )
