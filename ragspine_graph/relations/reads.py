"""`Relations`: what a reader can ask of the relation graph."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import networkx as nx

from ragspine_graph.errors import RequestError
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.relations.edges import ShownEdge, ShownEvidence, ShownNodeRef, shown_end
from ragspine_graph.relations.export import to_networkx
from ragspine_graph.relations.node_names import names_to_look_up
from ragspine_graph.relations.results import DanglingReference, EdgeList, GraphPath, Neighbourhood
from ragspine_graph.security.exits import clear_edge, clear_end, clear_reference
from ragspine_graph.security.gate import Refusal, SecurityGate
from ragspine_store.errors import NotFoundError
from ragspine_store.protocols import Store, StoreReader
from ragspine_store.relation_protocols import EdgeFilter, StoredEdge
from ragspine_store.relations import Provenance, Verdict
from ragspine_store.sealed import Cleared, unseal
from ragspine_store.sensitivity import Reader

DEFAULT_LIMIT = 50
MAX_LIMIT = 10_000
MAX_HOPS = 6


class Relations:
    """Reads of the relation graph, each for one reader and behind the relation exit.

    Trusted edges alone are read (controlled, rule-made, verified by a person) unless a call asks
    for unverified ones too, which say so in every output.

    Args:
        store: an open store.
        nodes: of the profile, whose aliases name nodes.
        gate: refuses a read that names a listed competitor; None refuses none.
    """

    def __init__(self, store: Store, nodes: ProfileNodes, gate: SecurityGate | None) -> None:
        self._store = store
        self._nodes = nodes
        self._gate = gate

    def list(
        self,
        *,
        kinds: Sequence[str] = (),
        provenances: Sequence[Provenance] = (),
        doc_ids: Sequence[str] = (),
        unverified: bool = False,
        after: str = "",
        limit: int = DEFAULT_LIMIT,
        reader: Reader | None = None,
    ) -> EdgeList:
        """A page of edges, by kind, source, target and provenance.

        Args:
            kinds: of the edges; empty allows all, as for the next two.
            provenances: where they come from.
            doc_ids: of documents with evidence for them.
            unverified: give edges that no person has verified too, never rejected ones.
            after: `next` of the page before; '' for the first.
            limit: edges on a page, 1 to `MAX_LIMIT`.
            reader: for whom.

        Raises:
            RequestError: the limit is out of range.
            NotFoundError: no edge of the id to go on after is visible to this reader.
        """
        check_limit(limit)
        wanted = EdgeFilter(
            reader or Reader(), kinds=kinds, provenances=provenances, doc_ids=composed(doc_ids)
        )
        with self._store.reading() as transaction:
            return page_of(transaction, _trusting(wanted, unverified), after, limit)

    def neighbours(
        self,
        name: str,
        *,
        kinds: Sequence[str] = (),
        depth: int = 1,
        unverified: bool = False,
        limit: int = DEFAULT_LIMIT,
        reader: Reader | None = None,
    ) -> Neighbourhood:
        """What stands around a node, nearest first.

        Args:
            name: an id, or a name, alias, title, heading, defined term or address; all nodes of
                that name count, and 第38条 means its paragraphs and items too.
            kinds: of the edges that are followed; empty follows all.
            depth: edges away, from 1 to 6.
            unverified: follow edges that no person has verified too.
            limit: edges at most; once there are more, the walk goes no further.
            reader: for whom.

        Raises:
            NotFoundError: no such node is visible to this reader.
            RequestError: depth or limit is out of range.
        """
        check_limit(limit)
        _check_hops("depth", depth)
        if refused := self._screen(name):
            return Neighbourhood((), (), refused=refused)
        reader = reader or Reader()
        found: dict[str, ShownEdge] = {}
        with self._store.reading() as transaction:
            nodes = self._find_nodes(transaction, name, reader)
            seen = {node.id for node in nodes}
            frontier = sorted(seen)
            for _ in range(depth):
                wanted = EdgeFilter(reader, nodes=frontier, kinds=kinds)
                edges = read_edges(transaction, _trusting(wanted, unverified))
                for edge in edges:
                    found.setdefault(edge.id, edge)
                frontier = sorted(_ends(edges) - seen)
                seen.update(frontier)
                if not frontier or len(found) > limit:
                    break
        edges = tuple(found.values())
        return Neighbourhood(nodes, edges[:limit], left_out=max(len(edges) - limit, 0))

    def path(
        self,
        source: str,
        target: str,
        *,
        kinds: Sequence[str] = (),
        max_hops: int = 4,
        unverified: bool = False,
        reader: Reader | None = None,
    ) -> GraphPath:
        """A shortest path between two nodes; edges are walked in either direction.

        Of several shortest ones the same is given each time.

        Args:
            source: an id or name, as for `neighbours`.
            target: likewise.
            kinds: of the edges that are followed; empty follows all.
            max_hops: edges on the path at most, from 1 to 6.
            unverified: follow edges that no person has verified too.
            reader: for whom.

        Raises:
            NotFoundError: one of the two is not visible to this reader.
            RequestError: `max_hops` is out of range.
        """
        _check_hops("max_hops", max_hops)
        if refused := self._screen(source) or self._screen(target):
            return GraphPath((), (), refused=refused)
        reader = reader or Reader()
        with self._store.reading() as transaction:
            starts = self._find_nodes(transaction, source, reader)
            goals = {node.id: node for node in self._find_nodes(transaction, target, reader)}
            shown = {node.id: node for node in starts}
            came: dict[str, tuple[str, ShownEdge] | None] = dict.fromkeys(sorted(shown))
            frontier = set(came)
            for _ in range(max_hops):
                if not frontier or not goals.keys().isdisjoint(came):
                    break
                wanted = EdgeFilter(reader, nodes=sorted(frontier), kinds=kinds)
                reached: set[str] = set()
                for edge in read_edges(transaction, _trusting(wanted, unverified)):
                    for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
                        if here.id in frontier and there.id not in came:
                            came[there.id] = (here.id, edge)
                            shown[there.id] = there
                            reached.add(there.id)
                frontier = reached
        return _walk_back(came, shown, sorted(goals.keys() & came.keys()))

    def dangling(
        self, *, doc_ids: Sequence[str] = (), reader: Reader | None = None
    ) -> tuple[DanglingReference, ...]:
        """References that nothing this reader may see answers to, by document and place."""
        reader = reader or Reader()
        with self._store.reading() as transaction:
            stored = transaction.dangling(reader, composed(doc_ids))
        cleared = (clear_reference(reference, reader) for reference in stored)
        return tuple(
            DanglingReference(
                source=found.reference.source.id,
                title=found.reference.title,
                address=found.reference.address,
                evidence=ShownEvidence.of(found.evidence),
            )
            for found in (unseal(reference) for reference in cleared if reference)
        )

    def all(
        self, *, unverified: bool = False, reader: Reader | None = None
    ) -> tuple[ShownEdge, ...]:
        """Every edge this reader may see, as `list` gives them page by page."""
        with self._store.reading() as transaction:
            return read_edges(transaction, _trusting(EdgeFilter(reader or Reader()), unverified))

    def graph(
        self, *, unverified: bool = False, reader: Reader | None = None
    ) -> nx.MultiDiGraph[str]:
        """The whole graph this reader may see; see `export.to_networkx`."""
        return to_networkx(self.all(unverified=unverified, reader=reader))

    def _screen(self, name: str) -> Refusal | None:
        return self._gate.screen_question(name) if self._gate else None

    def _find_nodes(
        self, transaction: StoreReader, name: str, reader: Reader
    ) -> tuple[ShownNodeRef, ...]:
        names = names_to_look_up(name, self._nodes)
        ends = [end for text in names for end in transaction.find_nodes(reader, text)]
        cleared = (clear_end(end, reader) for end in ends)
        nodes = {node.id: node for node in (shown_end(unseal(end)) for end in cleared if end)}
        if not nodes:
            raise NotFoundError(
                f"no node {name!r} in the graph: expected an id or name that `relations list` gives"
            )
        return tuple(nodes[node_id] for node_id in sorted(nodes))


def read_edges(transaction: StoreReader, wanted: EdgeFilter) -> tuple[ShownEdge, ...]:
    """Edges behind the relation exit, as readers see them, in the store's order."""
    cleared = (clear_edge(edge, wanted.reader) for edge in transaction.edges(wanted))
    return tuple(ShownEdge.of(unseal(edge)) for edge in cleared if edge)


def page_of(transaction: StoreReader, wanted: EdgeFilter, after: str, limit: int) -> EdgeList:
    """At most `limit` of the wanted edges, those that follow the edge of an id; '' for the first.

    Raises:
        NotFoundError: no edge of that id is visible to this reader.
    """
    start = unseal(get_edge(transaction, after, wanted.reader)).key if after else None
    edges = read_edges(transaction, replace(wanted, after=start, limit=limit + 1))
    return EdgeList(edges[:limit], next=edges[limit - 1].id if len(edges) > limit else "")


def get_edge(transaction: StoreReader, edge_id: str, reader: Reader) -> Cleared[StoredEdge]:
    """The edge of an id, whatever its state.

    Raises:
        NotFoundError: none is visible to this reader.
    """
    wanted = EdgeFilter(reader, ids=(edge_id,))
    for edge in transaction.edges(wanted):
        if cleared := clear_edge(edge, reader):
            return cleared
    raise NotFoundError(f"no edge {edge_id!r}: expected an id that `relations list` gives")


def composed(doc_ids: Iterable[str]) -> tuple[str, ...]:
    """Ids as they are stored, whatever the Unicode form in which they were given."""
    return tuple(unicodedata.normalize("NFC", doc_id) for doc_id in doc_ids)


def check_limit(limit: int) -> None:
    """Refuse a limit that lets nothing through, or more than one answer should hold.

    Raises:
        RequestError: it is not from 1 to `MAX_LIMIT`.
    """
    if not 1 <= limit <= MAX_LIMIT:
        raise RequestError(f"limit {limit} given; expected 1 to {MAX_LIMIT:,}")


def _trusting(wanted: EdgeFilter, unverified: bool) -> EdgeFilter:
    """The same read, of edges of a model those verified alone, or also those without a verdict."""
    return replace(
        wanted,
        verdicts=(Verdict.UNVERIFIED, Verdict.VERIFIED) if unverified else (Verdict.VERIFIED,),
        # Edges that have no verdict pass a filter by verdict only when their provenance is named.
        provenances=wanted.provenances or tuple(Provenance),
    )


def _ends(edges: Iterable[ShownEdge]) -> set[str]:
    return {node.id for edge in edges for node in (edge.source, edge.target)}


def _walk_back(
    came: Mapping[str, tuple[str, ShownEdge] | None],
    shown: Mapping[str, ShownNodeRef],
    reached: Sequence[str],
) -> GraphPath:
    """The path to the first goal that was reached, from where the walk began."""
    if not reached:
        return GraphPath((), ())
    nodes = [shown[reached[0]]]
    edges: list[ShownEdge] = []
    while step := came[nodes[-1].id]:
        before, edge = step
        nodes.append(shown[before])
        edges.append(edge)
    return GraphPath(tuple(reversed(nodes)), tuple(reversed(edges)))


def _check_hops(name: str, number: int) -> None:
    if not 1 <= number <= MAX_HOPS:
        raise RequestError(f"{name} {number} given; expected 1 to {MAX_HOPS}")
