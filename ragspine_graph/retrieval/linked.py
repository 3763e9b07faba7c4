"""Articles that the blocks of a context refer to, or that refer to them.

A rule's exception often stands in another article, which shares no word with the question: a
reference leads there. Only references that rules found and that this reader sees are followed, one
step in either direction. An article is the innermost section around the other end; it is given
whole or not at all, and one that hides anything from the reader takes nobody's place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragspine_graph.retrieval.blocks import ContextBlock, stripped
from ragspine_graph.retrieval.via import Step
from ragspine_graph.security.exits import clear_child, clear_edge, clear_window
from ragspine_store.protocols import Candidate, Place, SectionLabel, StoreReader
from ragspine_store.relation_protocols import EdgeFilter
from ragspine_store.relations import REFERS_TO, Provenance
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.sensitivity import Reader


@dataclass(slots=True)
class _Article:
    """A section that blocks are linked with.

    Attributes:
        child: a cleared child in it.
        section: which it is.
        steps: the links, those of better blocks first.
        weight: how much they count together.
    """

    child: Cleared[Candidate]
    section: SectionLabel
    steps: list[Step] = field(default_factory=list[Step])
    weight: float = 0.0


def linked_blocks(
    transaction: StoreReader,
    blocks: Sequence[Cleared[ContextBlock]],
    children: Sequence[Cleared[Candidate]],
    reader: Reader,
    most: int,
) -> list[Cleared[ContextBlock]]:
    """The articles most linked with the blocks, in a number of statements that does not grow.

    A link of the first block counts 1, of the second 1/2, and so on.

    Args:
        transaction: the read that the blocks come from.
        blocks: best first.
        children: the hits in them.
        reader: for whom.
        most: articles at most; 0 asks nothing.
    """
    ranks = _ranks(blocks, children)
    if not most or not ranks or not transaction.built_rules():
        return []
    links = _links(transaction, ranks, reader)
    if not links:
        return []
    articles = _articles(transaction, links, ranks, reader)
    taken = {node.removeprefix("section:") for node in ranks}
    wanted = sorted(
        (article for article in articles if article.section.section_id not in taken),
        key=lambda article: (
            -article.weight,
            article.child.value.chunk.doc_id,
            article.section.span,
        ),
    )
    places = {
        article.section.section_id: Place(article.child.value.chunk.doc_id, article.section.span)
        for article in wanted
    }
    passages = transaction.passages(list(places.values()))
    found: list[Cleared[ContextBlock]] = []
    for article in wanted:
        place = places[article.section.section_id]
        text = clear_window(article.child, passages.get(place), reader)
        if text is not None and len(found) < most:
            found.append(_block(article, text))
    return found


def _ranks(
    blocks: Sequence[Cleared[ContextBlock]], children: Sequence[Cleared[Candidate]]
) -> dict[str, int]:
    """The graph nodes in the blocks, hits and the innermost sections above them, by best block."""
    rows = {child.value.chunk.chunk_id: child.value for child in children}
    ranks: dict[str, int] = {}
    for rank, block in enumerate(blocks):
        for chunk_id in block.value.evidence:
            ranks.setdefault(f"child:{chunk_id}", rank)
            if above := rows[chunk_id].ancestors:
                ranks.setdefault(f"section:{above[-1].section_id}", rank)
    return ranks


def _links(
    transaction: StoreReader, ranks: Mapping[str, int], reader: Reader
) -> dict[str, list[tuple[int, Step]]]:
    """The links that lead out of the blocks, by the node at their other end."""
    wanted = EdgeFilter(
        reader,
        nodes=sorted(ranks),
        kinds=(REFERS_TO,),
        provenances=(Provenance.CONTROLLED, Provenance.RULE),
    )
    links: dict[str, list[tuple[int, Step]]] = {}
    for stored in transaction.edges(wanted):
        edge = clear_edge(stored, reader)
        if edge is None:
            continue
        key = edge.value.key
        for near, far in ((key.source, key.target), (key.target, key.source)):
            if near in ranks and far not in ranks:
                step = Step(near, key.kind, key.edge_id, far)
                links.setdefault(far, []).append((ranks[near], step))
    return links


def _articles(
    transaction: StoreReader,
    links: Mapping[str, Sequence[tuple[int, Step]]],
    ranks: Mapping[str, int],
    reader: Reader,
) -> list[_Article]:
    """The articles at the other ends, each once."""
    articles: dict[str, _Article] = {}
    for node, child in transaction.first_children(sorted(links)).items():
        cleared = clear_child(child, reader)
        section = _article_of(node, child)
        if cleared is None or section is None:
            continue
        article = articles.setdefault(section.section_id, _Article(cleared, section))
        for rank, step in sorted(links[node]):
            article.steps.append(step)
            article.weight += 1 / (1 + rank)
    for article in articles.values():
        article.steps.sort(key=lambda step: (ranks[step.from_id], step))
    return list(articles.values())


def _article_of(node: str, child: Candidate) -> SectionLabel | None:
    """The section that a node is, or the innermost one above a child."""
    for section in child.ancestors:
        if node == f"section:{section.section_id}":
            return section
    return child.ancestors[-1] if child.ancestors and node.startswith("child:") else None


def _block(article: _Article, text: Cleared[str]) -> Cleared[ContextBlock]:
    section = article.section

    def make(child: Candidate) -> ContextBlock:
        return ContextBlock(
            node_id=section.section_id,
            doc_id=child.chunk.doc_id,
            title=child.chunk.title,
            heading_path=tuple(
                above.heading for above in child.ancestors if above.span.contains(section.span)
            ),
            locator=section.section_id,
            text=unseal(text).strip(),
            evidence=(),
            citations=(),
            score=0.0,
            span=stripped(unseal(text), section.span),
            via=(article.steps[0],),
        )

    return article.child.map(make)
