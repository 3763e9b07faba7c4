"""What a model states has to stand in its text (promise G8)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragspine_graph.extraction.grounding import Grounding, Lineage
from ragspine_graph.extraction.reply import RelationItem
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.records import Span
from ragspine_store.relations import (
    ChunkRange,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Rejection,
    Relation,
)

pytestmark = pytest.mark.guarantee("G8")

PROFILE = Profile.model_validate(
    {
        "home": {
            "entity_code": "EX",
            "company_name": "Example株式会社",
            "synonyms": {"Example": "EX", "当社": "EX", "北支店": "NORTH"},
            "labels": {"NORTH": "北部支店"},
        },
    }
)
TEXT = "第1条。Acme社は、Globex Inc.と\n業務提携した。当社は北支店を持つ。"


def lineage(text: str = TEXT, chunk_text: str | None = None, offset: int = 0) -> Lineage:
    """A child that stands `offset` characters into its document."""
    canonical = "x" * offset + text
    chunk = SourceChunk(3, chunk_text or text, "a.md#para4", Span(offset, len(canonical)))
    source = RelationSource("a.md", "A", "default", 1, canonical, (), (chunk,))
    return Lineage(source, chunk, "some-model", "abc123")


def item(
    source: str = "Acme社",
    target: str = "Globex",
    kind: str = "partner_of",
    quote: str = "Acme社は、Globex Inc.と\n業務提携した",
    **more: str,
) -> RelationItem:
    values = {"source": source, "target": target, "kind": kind, "quote": quote, **more}
    return RelationItem.model_validate(values)


def ground(proposed: RelationItem, stands_in: Lineage | None = None) -> Relation | Rejection:
    return Grounding(ProfileNodes(PROFILE)).ground(proposed, stands_in or lineage())


def accepted(proposed: RelationItem, stands_in: Lineage | None = None) -> Relation:
    outcome = ground(proposed, stands_in)
    assert isinstance(outcome, Relation), outcome
    return outcome


def rejected(proposed: RelationItem, stands_in: Lineage | None = None) -> Rejection:
    outcome = ground(proposed, stands_in)
    assert isinstance(outcome, Rejection), outcome
    return outcome


def test_a_relation_carries_the_lineage_of_its_child() -> None:
    assert accepted(item(), lineage(offset=5)) == Relation(
        Node(NodeType.UNLISTED, "acme社"),
        "partner_of",
        Node(NodeType.UNLISTED, "globex"),
        Provenance.MODEL,
        Evidence(
            "a.md",
            "a.md#para4",
            ChunkRange(3, 3),
            Span(9, 35),
            "Acme社は、Globex Inc.と\n業務提携した",
            "Acme社",
            "Globex",
            model="some-model",
            prompt="abc123",
        ),
    )


def test_a_quote_is_kept_as_the_document_has_it() -> None:
    evidence = accepted(item(quote="Acme社は、Globex Inc.と業務提携した")).evidence
    assert evidence.quote == "Acme社は、Globex Inc.と\n業務提携した"
    assert evidence.span is not None
    assert TEXT[evidence.span.start : evidence.span.end] == evidence.quote


def test_a_child_of_paragraphs_joined_anew_is_quoted_from_its_document() -> None:
    canonical = "Acme supplies\n\n   Globex with steel."
    given = lineage(canonical, chunk_text="Acme supplies\nGlobex with steel.")
    evidence = accepted(item("Acme", "Globex", quote="Acme supplies\nGlobex"), given).evidence
    assert evidence.quote == "Acme supplies\n\n   Globex"


def test_without_a_canonical_text_the_quote_has_no_span() -> None:
    given = lineage()
    given = replace(
        given, source=replace(given.source, text=""), chunk=replace(given.chunk, span=None)
    )
    evidence = accepted(item(), given).evidence
    assert (evidence.span, evidence.quote) == (None, item().quote)


def test_what_is_blanked_in_the_document_cannot_be_quoted() -> None:
    given = lineage()
    blank = replace(given.source, text=" " * len(TEXT))
    assert rejected(item(), replace(given, source=blank)).rule == "quote-not-found"


REJECTED = {
    "a quote that is not there": (item(quote="Acme社は、Hooliと業務提携した"), "quote-not-found"),
    "a quote of spaces": (item(quote="\u200b"), "quote-not-found"),
    "a source that is not in the quote": (item(source="Hooli"), "endpoint-not-in-quote"),
    "a target that is not in the quote": (item(target="当社"), "endpoint-not-in-quote"),
    "an end inside of a word": (item(target="Glo"), "endpoint-not-in-quote"),
    "an end that names nothing": (item(target="、"), "endpoint-not-in-quote"),
    "source and target the same": (item(target="Acme社"), "self-relation"),
    "source and target the same name": (item("globex", "GLOBEX, Inc."), "self-relation"),
    "source and target the same entity": (
        item("当社", "Example", quote="当社は北支店を持つ"),
        "self-relation",
    ),
    "one end inside of the other": (
        item("業務提携", "業務", quote="と\n業務提携した"),
        "endpoint-not-in-quote",
    ),
    "denied by the model": (item(polarity="denied"), "denied"),
}


@pytest.mark.parametrize(("proposed", "rule"), REJECTED.values(), ids=REJECTED.keys())
def test_what_the_text_does_not_bear_out_is_rejected(proposed: RelationItem, rule: str) -> None:
    rejection = rejected(proposed)
    assert rejection.rule == rule
    assert rejection.reason
    assert (rejection.source, rejection.kind) == (proposed.source, proposed.kind)
    assert (rejection.evidence.doc_id, rejection.evidence.chunks) == ("a.md", ChunkRange(3, 3))


DENYING = {
    "in the quote": ("A社とB社に提携関係はない。", "A社とB社に提携関係はない"),
    "after the quote": ("A社とB社に提携関係はない。", "A社とB社に提携関係"),
    "before the quote": ("There is no deal of A社 with B社.", "A社 with B社"),
}


@pytest.mark.parametrize(("text", "quote"), DENYING.values(), ids=DENYING.keys())
def test_what_its_sentence_denies_is_rejected(text: str, quote: str) -> None:
    assert rejected(item("A社", "B社", quote=quote), lineage(text)).rule == "denied"


def test_an_end_that_the_profile_lists_is_its_node() -> None:
    relation = accepted(item("当社", "北支店", "has", "当社は北支店を持つ"))
    assert (relation.source.id, relation.target.id) == ("entity:EX", "entity:NORTH")
    assert (relation.source.label, relation.target.label) == ("Example株式会社", "北部支店")


def test_an_alias_of_the_profile_counts_as_the_end() -> None:
    relation = accepted(item("Example株式会社", "北部支店", "has", "当社は北支店を持つ"))
    assert (relation.source.id, relation.target.id) == ("entity:EX", "entity:NORTH")
    assert relation.evidence.source_name == "当社"
    assert relation.evidence.target_name == "北支店"


def test_a_term_that_the_document_defines_is_its_own() -> None:
    term = Node(NodeType.TERM, "甲@a.md")
    given = replace(lineage("甲はBetaと提携した。"), terms={"甲": term})
    assert accepted(item("甲", "Beta", quote="甲はBetaと提携した"), given).source == term


KINDS = {
    "partner_of": "partner_of",
    "Partner Of": "partner_of",
    "partnerOf": "partner_of",
    "partner/of!": "partner_of",
    "__partner--of__": "partner_of",
    "ＰＡＲＴＮＥＲ　ＯＦ": "partner_of",
    "業務 提携": "業務_提携",
    "x`) DETACH DELETE n//": "x_detach_delete_n",
}


@pytest.mark.parametrize(("given", "kept"), KINDS.items(), ids=KINDS.values())
def test_a_kind_comes_out_as_an_identifier(given: str, kept: str) -> None:
    kind = accepted(item(kind=given)).kind
    assert kind == kept
    assert kind.isidentifier()
