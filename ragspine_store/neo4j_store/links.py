"""Where names and references lead: to children that the reader sees, in one query."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragspine_store.links import MOST_CHILDREN, MOST_TITLED, Referred, Seed, Titled
from ragspine_store.neo4j_store.candidates import ChildRow, DocumentRow, candidates_of
from ragspine_store.neo4j_store.relations.places import scope_of, storable
from ragspine_store.neo4j_store.transaction import Opened
from ragspine_store.protocols import Candidate, Links, Scope
from ragspine_store.records import Span
from ragspine_store.storage_rules.linking import passes_filters, reference_order


def read_links(
    opened: Opened, names: Collection[str], seeds: Sequence[Seed], scope: Scope
) -> Links:
    """Documents of these titles and parts that references in the seeds lead to."""
    rows = opened.queries.rows(
        "read_links",
        asked={
            "names": storable(sorted(names)),
            "seeds": [seed._asdict() for seed in seeds],
            "most_titled": MOST_TITLED,
            "most_children": MOST_CHILDREN,
        },
        **scope_of(opened, scope.reader),
    )
    titled: dict[str, list[Titled]] = {}
    referred: list[Referred] = []
    reached: dict[int, Candidate] = {}
    for row in rows:
        document = DocumentRow._make(row["document"])
        given = [(ChildRow._make(child), above) for child, above in row["children"]]
        children = candidates_of(document, given, {})
        reached |= {child.key: child for child in children}
        keys = tuple(child.key for child in children)
        link = row["link"]
        if "name" in link:
            titled.setdefault(link["name"], []).append(Titled(document.doc_id, keys))
            continue
        span = None if link["start"] is None else Span(link["start"], link["end"])
        seed = Seed(link["doc_id"], link["seq"])
        referred.append(Referred(seed, link["source"], span, link["target"], keys))
    return Links(
        {name: sorted(titled[name]) for name in sorted(titled)},
        sorted(referred, key=reference_order),
        {
            key: reached[key]
            for key in sorted(reached)
            if passes_filters(reached[key], scope.filters)
        },
    )
