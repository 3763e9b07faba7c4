from __future__ import annotations

import pytest

from ragspine_graph.errors import ConfigError
from ragspine_graph.extraction import (
    DeterministicRelationExtractor,
    Extraction,
    Mention,
    MentionExtractor,
)
from ragspine_graph.extraction.entities import make_entity_sources
from ragspine_graph.extraction.reading import Reading
from ragspine_graph.extraction.reading import read_source as read_as_rules_do
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.security.exits import clear_rows
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.records import Span, StoredChunk
from ragspine_store.relations import ChunkRange, Node, NodeType, Provenance
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader
from tests.relation_sources import read_source

PROFILE = Profile.model_validate(
    {
        "home": {
            "synonyms": {"Acme": "ACME", "アクメ": "ACME", "Bolt": "BOLT", "Crane": "CRANE"},
            "labels": {"ACME": "Acme Group", "BOLT": "Bolt"},
        },
        "external_entities": {"Rival": "Rival Inc.", "Acme Rival": "Acme Rival"},
    }
)
NODES = ProfileNodes(PROFILE)


def extract(
    source: Cleared[RelationSource],
    *,
    sources: tuple[str, ...] = ("profile",),
    window: str = "sentence",
    top_n: int = 10,
) -> Extraction:
    made = make_entity_sources(sources, NODES)
    return DeterministicRelationExtractor(made, window=window, top_n=top_n).extract(source)


def ends(extraction: Extraction) -> list[tuple[str, str]]:
    return [(relation.source.id, relation.target.id) for relation in extraction.relations]


def rows(*children: tuple[int, str, str]) -> Cleared[RelationSource]:
    source = clear_rows(
        [
            StoredChunk(f"d#c{seq}", "d", seq, text, f"d#para{seq + 1}", 1, 1, entity=entity)
            for seq, text, entity in children
        ],
        Reader(),
    )
    assert source is not None
    return source


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ("sentence", [("entity:ACME", "entity:BOLT")]),
        ("sentences:1", [("entity:ACME", "entity:BOLT")]),
        (
            "sentences:2",
            [
                ("entity:ACME", "entity:BOLT"),
                ("entity:ACME", "entity:CRANE"),
                ("entity:BOLT", "entity:CRANE"),
            ],
        ),
        ("section", [("entity:ACME", "entity:BOLT")]),
        (
            "document",
            [
                ("entity:ACME", "entity:BOLT"),
                ("entity:ACME", "entity:CRANE"),
                ("entity:BOLT", "entity:CRANE"),
            ],
        ),
    ],
)
def test_names_co_occur_inside_their_window(window: str, expected: list[tuple[str, str]]) -> None:
    text = "# One\n\nBolt sells to アクメ. It rains.\n\n# Two\n\nCrane is there.\n"
    assert ends(extract(read_source(text, chunker="parent_child"), window=window)) == expected


def test_a_relation_is_rule_made_undirected_and_says_how_often() -> None:
    text = "Bolt met Acme. Acme met Bolt.\n"
    (relation,) = extract(read_source(text)).relations
    assert (relation.source.id, relation.kind, relation.target.id) == (
        "entity:ACME",
        "co_occurs_with",
        "entity:BOLT",
    )
    assert relation.provenance is Provenance.RULE
    evidence = relation.evidence
    assert (evidence.doc_id, evidence.chunks, evidence.count) == ("rules.md", ChunkRange(0, 0), 2)
    assert evidence.weight == 1.0
    assert (evidence.model, evidence.prompt) == ("", "")


def test_nothing_is_paired_across_what_is_withheld() -> None:
    text = "# One\n\nBolt is here.\n\n# Secret\n\nNothing.\n\n# Two\n\nAcme is there.\n"
    seen = read_source(text, chunker="parent_child")
    hidden = read_source(text, chunker="parent_child", restricted=["Secret"])
    assert ends(extract(seen, window="document")) == [("entity:ACME", "entity:BOLT")]
    assert extract(hidden, window="document") == Extraction()


def test_evidence_reaches_over_the_children_between_the_names() -> None:
    text = "# One\n\nBolt.\n\n# Two\n\nNothing.\n\n# Three\n\nAcme.\n"
    (relation,) = extract(read_source(text, chunker="parent_child"), window="document").relations
    assert relation.evidence.chunks == ChunkRange(0, 2)
    assert relation.evidence.locator == "rules.md#para2-6"


def test_what_children_overlap_in_counts_once() -> None:
    said = "Bolt met Acme on the border of two children."
    lines = ["It rained on that day, as it does all the yr."] * 20
    lines[9] = said
    source = read_source("\n\n".join(lines) + "\n", doc_id="long.md")
    assert [chunk.seq for chunk in source.value.chunks if said in chunk.text] == [0, 1]
    (relation,) = extract(source).relations
    assert (relation.evidence.chunks, relation.evidence.count) == (ChunkRange(0, 0), 1)


def test_children_from_before_the_record_that_overlap_count_once() -> None:
    source = rows((0, "It rains.\nBolt met Acme.", ""), (1, "Bolt met Acme.\nIt snows.", ""))
    (relation,) = extract(source).relations
    assert (relation.evidence.chunks, relation.evidence.count) == (ChunkRange(0, 0), 1)


def test_metadata_stand_in_every_sentence_of_their_child() -> None:
    source = rows((0, "Bolt opens. Bolt closes.", "Acme"), (1, "Crane waits.", ""))
    (relation,) = extract(source, sources=("metadata", "profile")).relations
    assert (relation.source.id, relation.target.id) == ("entity:ACME", "entity:BOLT")
    assert relation.evidence.count == 2


def test_with_metadata_alone_children_are_the_units() -> None:
    source = rows((0, "x", "Acme"), (1, "x", "Bolt"), (2, "x", "Other, Ltd."))
    relations = extract(source, sources=("metadata",), window="document").relations
    assert [relation.target.id for relation in relations] == [
        "entity:BOLT",
        "unlisted:other",
        "unlisted:other",
    ]
    assert relations[1].evidence.target_name == "Other, Ltd."
    assert relations[1].evidence.source_name == ""


def test_a_name_inside_of_a_rivals_is_not_the_companys() -> None:
    assert ends(extract(read_source("Acme Rival met Bolt.\n"))) == []


def test_terms_and_titles_are_sources_without_a_profile() -> None:
    text = (
        "# 就業規則\n\n株式会社甲（以下「会社」という。）は、労働基準法第39条による休暇を与える。\n"
    )
    found = extract(read_source(text), sources=("terms", "titles"))
    assert ends(found) == [("term:会社@rules.md", "unlisted:労働基準法")]
    (relation,) = found.relations
    assert (relation.evidence.source_name, relation.evidence.target_name) == ("会社", "労働基準法")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("「賃金 規程」第3条による。", "賃金 規程"),
        ("As in Article 3 of the Travel Policy.", "Travel Policy"),
        ("As in Article 6 of Regulation (EU) 2016/679.", "Regulation (EU) 2016/679"),
    ],
    ids=["in front", "behind", "behind, by its number"],
)
def test_a_title_is_called_as_the_text_writes_it(text: str, name: str) -> None:
    extractor = MentionExtractor(make_entity_sources(["titles"], NODES))
    (relation,) = extractor.extract(read_source(f"{text}\n")).relations
    assert relation.evidence.target_name == name


def test_of_each_name_the_strongest_partners_stay_and_the_others_are_counted() -> None:
    names = " ".join(f"Name{number}" for number in range(12))
    aliases = {f"Name{number}": f"N{number}" for number in range(12)}
    nodes = ProfileNodes(Profile.model_validate({"home": {"synonyms": aliases}}))
    sources = make_entity_sources(["profile"], nodes)
    found = DeterministicRelationExtractor(sources, top_n=3).extract(read_source(f"{names}.\n"))
    assert len(found.relations) + found.left_out == 66
    assert len(found.relations) <= 36


@pytest.mark.parametrize("window", ["", "sentences:0", "sentences:x", "page"])
def test_an_unknown_window_is_refused(window: str) -> None:
    with pytest.raises(ConfigError, match="expected sentence, sentences:N, section or document"):
        DeterministicRelationExtractor([], window=window)


def test_top_n_is_at_least_one() -> None:
    with pytest.raises(ConfigError, match="top_n=0 given"):
        DeterministicRelationExtractor([], top_n=0)


def test_mentions_say_what_a_child_names_where_and_how_often() -> None:
    source = read_source("Bolt met アクメ. Bolt left.\n")
    sources = make_entity_sources(["profile", "metadata"], NODES)
    relations = MentionExtractor(sources).extract(source).relations
    assert [(r.source.id, r.target.id, r.evidence.quote, r.evidence.count) for r in relations] == [
        ("document:rules.md", "entity:BOLT", "Bolt", 2),
        ("document:rules.md", "entity:ACME", "アクメ", 1),
    ]
    for relation in relations:
        assert relation.evidence.span is not None
        assert source.value.text[slice(*relation.evidence.span)] == relation.evidence.quote


def test_metadata_give_no_mentions_of_words() -> None:
    source = rows((0, "It rains.", "Acme"))
    assert (
        MentionExtractor(make_entity_sources(["metadata"], NODES)).extract(source).relations == ()
    )


def test_a_source_of_others_cannot_name_what_crosses_a_border_of_children() -> None:
    def everything(reading: Cleared[Reading]) -> list[Mention]:
        whole = Span(0, len(reading.value.text))
        inside = reading.value.parts[0].span
        return [
            Mention(Node(NodeType.UNLISTED, "whole"), whole, "whole"),
            Mention(Node(NodeType.UNLISTED, "part"), inside, "part"),
            Mention(Node(NodeType.UNLISTED, "beyond"), Span(900, 950), "beyond"),
        ]

    source = rows((0, "Bolt", ""), (1, "Acme", ""))
    found = MentionExtractor([everything]).extract(source)
    assert [relation.target.key for relation in found.relations] == ["part"]


def test_extractors_that_share_a_reading_and_a_source_look_once() -> None:
    looked: list[str] = []

    def both(reading: Cleared[Reading]) -> list[Mention]:
        looked.append(reading.value.source.doc_id)
        return [
            Mention(Node(NodeType.UNLISTED, name), Span(start, start + 4), name)
            for name, start in (("Bolt", 0), ("Acme", 9))
        ]

    source = read_source("Bolt met Acme.\n")
    reading = source.map(read_as_rules_do)
    named, near = MentionExtractor([both]), DeterministicRelationExtractor([both])
    assert named.extract_from(reading) == named.extract(source)
    assert near.extract_from(reading) == near.extract(source)
    assert looked == ["rules.md"] * 3
