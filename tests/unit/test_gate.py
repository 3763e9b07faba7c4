from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile import Profile
from ragspine_graph.security.gate import Refusal, SecurityGate, normalise_kind
from ragspine_store.relations import (
    COMPETES_WITH,
    PARENT_OF,
    PROFILE_DOC_ID,
    RESERVED_KINDS,
    Evidence,
    Node,
    NodeType,
    Provenance,
    Rejection,
    Relation,
)
from ragspine_store.sealed import Screened, unseal_screened
from tests.decorations import decorated

LISTED = {
    "トヨタ": "トヨタ自動車",
    "Toyota": "トヨタ自動車",
    "meta": "Meta Platforms",
    "aia": "AIA Group",
    "日産": "日産自動車株式会社",
    "ヤフー": "ヤフー",
    "Nestlé": "Nestlé",
    "高島屋": "髙島屋",
}
PROFILE = Profile.model_validate(
    {
        "home": {
            "company_name": "例示株式会社",
            "entity_code": "EX",
            "synonyms": {"トヨタ紡織": "EX_T", "例示": "EX"},
        },
        "external_entities": LISTED,
    }
)
GATE = SecurityGate(PROFILE)
EVIDENCE = Evidence("rules.md", "rules.md#para1", quote="words of the document")


def unlisted(name: str) -> Node:
    return Node(NodeType.UNLISTED, normalise_name(name))


def relation(
    source: str = "Acme",
    kind: str = "partner_of",
    target: str = "Example",
    provenance: Provenance = Provenance.MODEL,
) -> Relation:
    evidence = Evidence("a.md", "a.md#para1", quote="q", source_name=source, target_name=target)
    return Relation(unlisted(source), kind, unlisted(target), provenance, evidence)


def rule_of(screened: Screened[Relation] | Rejection) -> str:
    return screened.rule if isinstance(screened, Rejection) else ""


SPELLINGS = [
    "ﾄﾖﾀ",
    "Ｔｏｙｏｔａ",
    "ト\u200bヨタ",
    "トヨタ自動車㈱",
    "ト・ヨタ",
    "TOYOTA Corp.",
    "Тоуоta",
    "ΤΟΥΟΤΑ",
    "卜ヨ夕",
    "(株)トヨタ",
    "T-o-y-o-t-a",
    "t o y o t a",
    "トヨタグループ",
    "ト\nヨタ",
    "髙島屋",
    "NESTLE S.A.",
    "ヤフ-",
    "Meta, Inc.",
    "A.I.A.",
]


@pytest.mark.guarantee("G6")
@pytest.mark.parametrize("provenance", [Provenance.RULE, Provenance.MODEL], ids=lambda p: p.value)
@pytest.mark.parametrize("name", SPELLINGS, ids=ascii)
def test_a_listed_name_in_any_spelling_is_stopped(name: str, provenance: Provenance) -> None:
    for proposed in (
        relation(source=name, provenance=provenance),
        relation(target=name, provenance=provenance),
        relation(kind=f"partner_of_{name}", provenance=provenance),
        relation(kind=f"{name} rivalry", provenance=provenance),
    ):
        assert rule_of(GATE.screen(proposed)) == "listed-name"


@pytest.mark.parametrize(
    "name", ["metadata", "via IaaS", "MetaData", "トヨタ紡織", "とよた", "Yahoo"]
)
def test_what_only_looks_like_a_listed_name_passes(name: str) -> None:
    assert rule_of(GATE.screen(relation(source=name))) == ""
    assert GATE.screen_question(f"What is {name}?") is None


@pytest.mark.guarantee("G6")
@given(st.data(), st.sampled_from([*LISTED, *LISTED.values()]))
def test_a_listed_name_is_caught_whatever_decorates_it(data: st.DataObject, name: str) -> None:
    text = data.draw(decorated(name))
    assert rule_of(GATE.screen(relation(source=text))) in {"listed-name", "control-character"}
    around = data.draw(st.sampled_from(["{}", "{}の売上は？", "about {} in 2024", "「{}」と"]))
    assert GATE.screen_question(around.format(text)) is not None


@given(st.text(st.sampled_from("bdfghklmnpqrsuvwz ばびぶべぼ休暇規程社員。、-・"), max_size=40))
def test_other_texts_are_no_listed_name(text: str) -> None:
    assert GATE.screen_question(text) is None


@given(st.text(), st.text())
def test_whatever_stands_around_it_a_listed_name_is_seen(before: str, after: str) -> None:
    assert GATE.screen_question(f"{before} TOYOTA {after}") is not None


@pytest.mark.parametrize("where", ["label", "key", "written"])
def test_label_key_and_written_name_are_all_looked_at(where: str) -> None:
    names = {"label": "Acme", "key": "acme", "written": "Acme"} | {where: "トヨタ"}
    node = Node(NodeType.ENTITY, names["key"], names["label"])
    evidence = Evidence("a.md", "a.md#para1", source_name=names["written"])
    proposed = Relation(node, "partner_of", unlisted("B"), Provenance.RULE, evidence)
    assert rule_of(GATE.screen(proposed)) == "listed-name"


def test_a_document_is_named_by_where_it_stands() -> None:
    document = Node(NodeType.DOCUMENT, "contracts/toyota.md")
    mention = Relation(document, "mentions", unlisted("Acme"), Provenance.RULE, EVIDENCE)
    assert rule_of(GATE.screen(mention)) == ""
    term = Node(NodeType.TERM, "会社@contracts/toyota.md")
    assert (
        rule_of(GATE.screen(Relation(document, "mentions", term, Provenance.RULE, EVIDENCE))) == ""
    )
    term = Node(NodeType.TERM, "トヨタ@rules.md")
    found = Relation(document, "mentions", term, Provenance.RULE, EVIDENCE)
    assert rule_of(GATE.screen(found)) == "listed-name"


def test_a_rejection_shows_the_name_as_configured() -> None:
    rejection = GATE.screen(relation(source="ﾄﾖﾀ"))
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "the source names トヨタ自動車, which the profile lists"
    assert (rejection.source, rejection.kind, rejection.target) == ("ﾄﾖﾀ", "partner_of", "Example")
    assert (rejection.evidence.doc_id, rejection.evidence.quote) == ("a.md", "")


def test_a_rejection_of_something_endless_is_bounded() -> None:
    rejection = GATE.screen(relation(source="x" * 10_000, kind="y" * 10_000))
    assert isinstance(rejection, Rejection)
    assert rejection.rule == "too-long"
    assert len(rejection.source + rejection.kind) < 500


@pytest.mark.parametrize(
    ("proposed", "rule"),
    [
        (relation(source="A\x1b[31m"), "control-character"),
        (relation(kind="a\x00b"), "control-character"),
        (relation(target="\ud800B"), "control-character"),
        (relation(target="x" * 201), "too-long"),
        (relation(kind="x" * 101), "too-long"),
        (relation(source="・"), "empty-name"),
        (relation(source=""), "empty-name"),
        (relation(kind="-_-"), "empty-name"),
        (relation(source="Acme Inc.", target="ACME"), "self-relation"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_name_is_stopped(proposed: Relation, rule: str) -> None:
    assert rule_of(GATE.screen(proposed)) == rule


@pytest.mark.parametrize("kind", sorted(RESERVED_KINDS))
def test_a_model_cannot_give_a_reserved_kind(kind: str) -> None:
    camel_case = kind.title().replace("_", "")
    unseen = kind.replace("_", "-\u200b")
    for text in (kind, kind.upper(), kind.replace("_", " "), camel_case, unseen, f"{kind}."):
        assert rule_of(GATE.screen(relation(kind=text))) == "reserved-kind"


def test_rules_give_their_kinds_but_never_competition() -> None:
    found = relation(kind="co_occurs_with", provenance=Provenance.RULE)
    assert rule_of(GATE.screen(found)) == ""
    found = relation(kind="Competes-With", provenance=Provenance.RULE)
    assert rule_of(GATE.screen(found)) == "reserved-kind"


def test_a_relation_that_passes_is_sealed_with_its_kind_normalised() -> None:
    screened = GATE.screen(relation(kind="Partner Of"))
    assert isinstance(screened, Screened)
    assert unseal_screened(screened) == relation(kind="partner_of")
    screened = GATE.screen(relation(kind="Partner Of", provenance=Provenance.RULE))
    assert isinstance(screened, Screened)
    assert unseal_screened(screened).kind == "Partner Of"


@given(st.text())
def test_normalising_a_kind_twice_changes_nothing(kind: str) -> None:
    once = normalise_kind(kind)
    assert normalise_kind(once) == once


HOME = Node(NodeType.ENTITY, "EX", "例示株式会社")
RIVAL = Node(NodeType.EXTERNAL, normalise_name("トヨタ自動車"), "トヨタ自動車")


def stated(source: Node, kind: str, target: Node, by: Provenance = Provenance.CONTROLLED) -> str:
    evidence = Evidence(PROFILE_DOC_ID, "external_entities")
    return rule_of(GATE.screen_controlled(Relation(source, kind, target, by, evidence)))


@pytest.mark.guarantee("G6")
def test_only_the_profiles_own_competition_passes_to_an_external_party() -> None:
    other = Node(NodeType.ENTITY, "EX_T", "Example Textiles")
    stranger = Node(NodeType.EXTERNAL, "acme", "Acme")
    assert stated(HOME, COMPETES_WITH, RIVAL) == ""
    assert stated(HOME, PARENT_OF, other) == ""
    assert stated(HOME, PARENT_OF, RIVAL) == "listed-name"
    assert stated(other, COMPETES_WITH, RIVAL) == "listed-name"
    assert stated(RIVAL, COMPETES_WITH, HOME) == "listed-name"
    assert stated(HOME, COMPETES_WITH, stranger) == "listed-name"
    assert stated(HOME, COMPETES_WITH, other) == "reserved-kind"
    assert stated(HOME, COMPETES_WITH, RIVAL, Provenance.RULE) == "listed-name"
    assert stated(HOME, "supplies", other, Provenance.MODEL) == "not-controlled"


@pytest.mark.parametrize("by", list(Provenance), ids=lambda p: p.value)
def test_no_extractor_can_state_competition(by: Provenance) -> None:
    found = Relation(HOME, COMPETES_WITH, RIVAL, by, EVIDENCE)
    assert rule_of(GATE.screen(found)) == "listed-name"


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("ﾄﾖﾀの売上は？", "トヨタ自動車"),
        ("How does NISSAN or 日産 compare to Toyota?", "日産自動車株式会社"),
        ("トヨタ紡織とトヨタの関係", "トヨタ自動車"),
    ],
    ids=str,
)
def test_a_question_about_a_listed_party_is_refused_by_its_configured_name(
    question: str, name: str
) -> None:
    assert GATE.screen_question(question) == Refusal("listed-name", name)


def test_a_code_of_the_profiles_own_may_hold_a_listed_name() -> None:
    node = Node(NodeType.ENTITY, "TOYOTA_BOSHOKU", "トヨタ紡織")
    profile = Profile.model_validate(
        {"home": {"labels": {node.key: node.label}}, "external_entities": {"Toyota": "Toyota"}}
    )
    found = Relation(node, "supplies", unlisted("Acme"), Provenance.RULE, EVIDENCE)
    assert rule_of(SecurityGate(profile).screen(found)) == ""
    assert SecurityGate(profile).screen_question("TOYOTA_BOSHOKU and Toyota") is not None


def test_what_was_screened_before_is_judged_the_same_again() -> None:
    gate = SecurityGate(PROFILE)
    for _ in range(2):
        assert rule_of(gate.screen(relation())) == ""
        assert rule_of(gate.screen(relation(target="ﾄﾖﾀ"))) == "listed-name"
        assert rule_of(gate.screen(relation(source="Example", target="Example"))) == "self-relation"


def test_an_empty_profile_lists_nobody() -> None:
    gate = SecurityGate(Profile())
    assert gate.screen_question("トヨタ") is None
    assert rule_of(gate.screen(relation(source="トヨタ"))) == ""
