"""Which parts a reference is linked to, beside the rule that answers it for each reader."""

from __future__ import annotations

from itertools import chain, combinations

from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.neo4j_store.relations.links import Seen, answers

COLLECTIONS = ("x", "y")
SETS = [frozenset(s) for n in range(3) for s in combinations(COLLECTIONS, n)]

Documents = list[tuple[Seen, list[int]]]

documents = st.lists(
    st.tuples(
        st.builds(Seen, st.integers(0, 2), st.sampled_from(COLLECTIONS)),
        st.lists(st.integers(0, 2), max_size=3),
    ),
    max_size=5,
)


def asked(found: Documents) -> tuple[list[tuple[str, Seen]], dict[str, list[tuple[str, Seen]]]]:
    """Documents in order, and their parts: each as strict as its document or stricter."""
    named = [(f"d{n}", seen) for n, (seen, _) in enumerate(found)]
    parts = {
        f"d{n}": [
            (f"d{n}#{i}", Seen(max(seen.clearance, level), seen.collection))
            for i, level in enumerate(levels)
        ]
        for n, (seen, levels) in enumerate(found)
    }
    return named, parts


@given(documents)
def test_each_reader_follows_the_link_to_what_the_rule_answers(found: Documents) -> None:
    named, parts = asked(found)
    links = list(answers(named, parts))
    levels = dict(chain.from_iterable(parts.values()))
    for clearance in range(3):
        for collections in SETS:

            def sees(one: Seen, clearance: int = clearance, within: object = collections) -> bool:
                assert isinstance(within, frozenset)
                return one.clearance <= clearance and one.collection in within

            first = next((doc_id for doc_id, seen in named if sees(seen)), None)
            answer = [node for node, seen in parts[first] if sees(seen)][:1] if first else []
            followed = [
                link.node
                for link in links
                if sees(levels[link.node]) and not any(map(sees, link.before))
            ]
            assert followed == answer


@given(documents)
def test_there_are_few_links_however_many_documents_share_a_title(found: Documents) -> None:
    links = list(answers(*asked(found)))
    assert len(links) <= 3 * len(COLLECTIONS)
    assert all(len(link.before) <= 3 * len(COLLECTIONS) + 3 for link in links)
