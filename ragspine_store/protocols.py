"""What a backend offers: the roles that ingest, retrieval and operators need.

The SQLite store implements them; the Neo4j store joins the same conformance suite later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from ragspine_store.access import AccessReader, AccessWriter
from ragspine_store.errors import FilterError
from ragspine_store.kept import KeptReader, KeptWriter
from ragspine_store.links import Referred, Seed, Titled
from ragspine_store.query import Query
from ragspine_store.records import (
    DocumentState,
    Hit,
    OffsetMap,
    Origin,
    Pages,
    PartState,
    PreparedDocument,
    Span,
    StoredChunk,
)
from ragspine_store.relation_protocols import RelationReader, RelationWriter
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.service_jobs import JobReader, JobWriter
from ragspine_store.vectors import MissingVectors, PartVector, VectorCount, VectorKind
from ragspine_store.words import WordsName

FILTER_KEYS = (
    "topic",
    "entity",
    "geography",
    "period",
    "language",
    "doc_id",
    "section",
    "collection",
)


@dataclass(frozen=True, slots=True)
class Scope:
    """What one search may find.

    Attributes:
        reader: for whom it is done.
        filters: allowed values by key; every key must match, any of its values. A string alone
            is one value.

    Raises:
        FilterError: a key is unknown.
    """

    reader: Reader
    filters: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def __post_init__(self) -> None:
        unknown = sorted(set(self.filters) - set(FILTER_KEYS))
        if unknown:
            raise FilterError(
                f"unknown filter key {', '.join(map(repr, unknown))}; "
                f"expected one of {', '.join(FILTER_KEYS)}"
            )
        allowed = {
            key: (given,) if isinstance(given, str) else tuple(map(str, given))
            for key, given in self.filters.items()
        }
        object.__setattr__(self, "filters", allowed)


@dataclass(frozen=True, slots=True)
class SectionLabel:
    """One section above a child: its id, heading, own label ('' when it has none) and span."""

    section_id: str
    heading: str = field(repr=False)
    sensitivity: str
    span: Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """A hit's row with all that an exit has to know about it; not yet cleared.

    Attributes:
        key: the hit's key.
        chunk: the stored row.
        score: the hit's score.
        collection: of its document.
        document_label: of its document, as stored.
        ancestors: the sections above it, outermost first, the document left out.
        node: `no` of the innermost branch of the tree it hangs in; None outside of a tree.
        span: in the canonical text, None for a row from before the record.
        window: span of its window, None without one.
        raw_span: `span` in the decoded file.
        pages: the pages it stands on, None in a document without pages.
    """

    key: int
    chunk: StoredChunk
    score: float
    collection: str
    document_label: str
    ancestors: tuple[SectionLabel, ...]
    node: int | None
    span: Span | None
    window: Span | None
    raw_span: Span | None
    pages: Pages | None


@dataclass(frozen=True, slots=True)
class Window:
    """A parent text with the labels of every node whose text it holds.

    Attributes:
        text: the window.
        labels: as stored, of all children and sections it overlaps.
    """

    text: str = field(repr=False)
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Links:
    """Where names and seeds lead, as far as the reader sees it; not yet cleared.

    Attributes:
        titled: by name, the documents of that title by id; a name without any is left out.
        referred: by seed and place.
        children: the children that are reached, by key.
    """

    titled: Mapping[str, Sequence[Titled]] = field(
        default_factory=dict[str, Sequence[Titled]], repr=False
    )
    referred: Sequence[Referred] = ()
    children: Mapping[int, Candidate] = field(default_factory=dict[int, Candidate], repr=False)


class Place(NamedTuple):
    """A span of a document's canonical text."""

    doc_id: str
    span: Span


class BranchKey(NamedTuple):
    """A node of a document's tree."""

    doc_id: str
    no: int


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of a document's tree as a merge sees it; no text.

    Attributes:
        key: which it is.
        parent: `no` of the node above it; None for the document.
        name: what follows `{doc_id}#` in its id.
        span: all of its text.
        locator: where it stands.
        children: how many nodes and chunks hang directly in it.
        hides: something inside it is stricter than the reader's clearance.
    """

    key: BranchKey
    parent: int | None
    name: str
    span: Span
    locator: str
    children: int
    hides: bool


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document's row for reading; not yet cleared.

    Attributes:
        doc_id, title, collection, sensitivity, version, chunker: as stored.
        text: the canonical text, None for a document from before the record.
        offsets: the way back to the decoded file, None likewise and for a rendered format.
        pages: where each page starts; empty in a document without pages.
        sections: spans and labels of its sections, in document order.
        nodes: the tree that its children are merged in, in document order; empty without one.
        chunks: its current children in order.
    """

    doc_id: str
    title: str = field(repr=False)
    collection: str
    sensitivity: str
    version: int
    chunker: str
    text: str | None = field(repr=False)
    offsets: OffsetMap | None
    pages: tuple[int, ...]
    sections: tuple[SectionView, ...]
    nodes: tuple[NodeView, ...]
    chunks: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document in a list; `sensitivity` as stored, not yet cleared."""

    doc_id: str
    title: str = field(repr=False)
    collection: str
    sensitivity: str
    version: int


@dataclass(frozen=True, slots=True)
class SectionView:
    """One section of a document view."""

    no: int
    parent: int | None
    level: int
    heading: str = field(repr=False)
    span: Span
    sensitivity: str


@dataclass(frozen=True, slots=True)
class NodeView:
    """One node of a document's tree: what follows `{doc_id}#` in its id, and all of its text."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Census:
    """Counts over a store, for the operator.

    Attributes:
        documents, chunks: current ones that are not RESTRICTED.
        restricted_documents: kept with their text.
        stubs: kept as a stub.
        restricted_parts: sections and children kept with their text inside other documents.
        unknown_labels: rows whose label is none of the four; they count as RESTRICTED.
        missing_windows: children whose parent window cannot be resolved.
        missing_branches: children and branches whose branch above them is gone.
        erasure_pending: erased text may still stand in the file's free space.
        copy_unfinished: it is a copy of another store that was cut short.
    """

    documents: int
    chunks: int
    restricted_documents: int
    stubs: int
    restricted_parts: int
    unknown_labels: int
    missing_windows: int
    missing_branches: int
    erasure_pending: bool
    copy_unfinished: bool = False


@dataclass(frozen=True, slots=True)
class KeptSource:
    """A document that came from a file below some folder, as a sync compares it.

    Attributes:
        key: the store's own name of it.
        doc_id, source_path: '' for a stub, which keeps neither.
        source, content: its path and the hash of its bytes, as `StoreWriter.alias` gives them.
        label: the label in force.
        strictest: the strictest label of it and of anything inside it.
    """

    key: str
    doc_id: str
    source_path: str
    source: str
    content: str
    label: Sensitivity
    strictest: Sensitivity


class StoreReader(RelationReader, AccessReader, JobReader, Protocol):
    """One read transaction: all calls see the same state of the store."""

    @property
    def kept(self) -> KeptReader:
        """All that the store keeps, for a copy."""
        ...

    def search(self, query: Query, scope: Scope, k: int) -> list[Hit]:
        """The k best hits inside the scope, best first.

        Of many children, a backend may miss some that would stand low in the order; the scores of
        those that it gives are exact.
        """
        ...

    def rescore(self, query: Query, keys: Sequence[int]) -> dict[int, float]:
        """The scores of children for a query as `search` gives them, of those that it finds.

        Nothing of it is for a reader: who asks has cleared the children.
        """
        ...

    def nearest(
        self, model: str, vector: Sequence[float], kind: VectorKind, scope: Scope, k: int
    ) -> list[Hit]:
        """The children inside the scope that a vector is nearest to, best first.

        Scores are cosines. Equal ones order by document id, then position.

        Args:
            model: whose vectors are compared; without any there is no hit.
            vector: of any length but 0.
            kind: CHILD for the k best children; PARENT for all children of the k best parents,
                each with its parent's cosine. A parent counts where the reader may see all of its
                text and any of its children is inside the scope.
            scope: what may be found.
            k: how many.

        Raises:
            VectorError: it has other dimensions than the store's, or no direction; or the extra
                `embed` is missing.
        """
        ...

    def vector_counts(self) -> list[VectorCount]:
        """How far the store is embedded, by the name of the model."""
        ...

    def candidates(self, hits: Sequence[Hit]) -> list[Candidate]:
        """The rows of the hits, in their order; a vanished one is left out."""
        ...

    def windows(self, candidates: Sequence[Candidate]) -> dict[str, Window]:
        """The windows of the candidates by chunk id; one that cannot be resolved is left out."""
        ...

    def passages(self, places: Sequence[Place]) -> dict[Place, Window]:
        """The texts at the places; one that cannot be resolved is left out."""
        ...

    def branches(
        self, candidates: Sequence[Candidate], clearance: Sensitivity
    ) -> dict[BranchKey, Branch]:
        """All branches above the candidates, in one statement whatever the depth."""
        ...

    def children(self, parent_ids: Sequence[str]) -> dict[str, list[Candidate]]:
        """All current children of each parent id, in document order."""
        ...

    def first_children(self, node_ids: Sequence[str]) -> dict[str, Candidate]:
        """The first child inside each section, and each child, that a graph node stands for.

        Args:
            node_ids: ids of graph nodes, such as `section:a.md#s2` and `child:a.md#c3`; what is
                neither, or gone, or holds no child, is left out.
        """
        ...

    def links(self, names: Collection[str], seeds: Sequence[Seed], scope: Scope) -> Links:
        """Where names and the references of seeds lead inside the scope, in one look at the store.

        Only what the reader sees is named, counted or reached.

        Args:
            names: normalised as the titles of documents are.
            seeds: children that the reader sees; of references those that stand in one of them
                alone.
            scope: for whom, and what may be reached.
        """
        ...

    def find_document(self, doc_id: str) -> DocumentView | None:
        """A document's row and structure; None when there is none, or only a stub."""
        ...

    def visible_documents(self, reader: Reader, after: str, limit: int) -> list[DocumentRow]:
        """Documents that this reader may see, by id in the order of its code points.

        Args:
            reader: for whom.
            after: an id; only documents behind it, there or not.
            limit: how many at most.
        """
        ...

    def visible_counts(self, reader: Reader) -> tuple[int, int]:
        """How many documents and children this reader may see."""
        ...

    def census(self) -> Census:
        """Counts for the operator."""
        ...

    def change_counter(self) -> int:
        """A number that is another one after each write transaction that changed anything.

        What is held in memory of the store carries it and is made anew when it differs; only
        equality means anything.
        """
        ...

    def withheld_documents(self) -> list[tuple[str, Sensitivity]]:
        """Ids and labels of RESTRICTED documents kept with their text, by id; operators only."""
        ...


class StoreWriter(RelationWriter, AccessWriter, JobWriter, Protocol):
    """One write transaction: all or nothing."""

    @property
    def kept(self) -> KeptWriter:
        """Writes what another store keeps, for a copy."""
        ...

    def find(self, doc_id: str) -> DocumentState | None:
        """What is known of a document, stubs included."""
        ...

    def put(self, document: PreparedDocument) -> None:
        """Write a document in place of what stood under its id, its vectors too.

        Raises:
            VectorError: they have other dimensions than the store's of their model.
        """
        ...

    def find_vectors(self, model: str, hashes: Iterable[bytes]) -> dict[bytes, bytes]:
        """The values of a model's vectors by the hash of the text, wherever that text stands."""
        ...

    def put_vectors(self, doc_id: str, version: int, vectors: Sequence[PartVector]) -> bool:
        """Write vectors of a document, each in place of the one of its model and part.

        Vectors of RESTRICTED parts are not written, nor of parents that hold any, nor of what is
        no child or no first child of a parent.

        Returns:
            False, and nothing changes, when the document is of another version by now, RESTRICTED,
            or gone.

        Raises:
            VectorError: they have other dimensions than the store's of their model.
        """
        ...

    def missing_vectors(self, model: str) -> list[MissingVectors]:
        """Documents with a child that is not RESTRICTED and has no vector of a model, by id."""
        ...

    def drop_vectors(self, keep: Collection[str]) -> int:
        """Remove the vectors of all models but these; how many there were."""
        ...

    def delete(self, doc_id: str) -> bool:
        """Remove a document or its stub; whether there was one."""
        ...

    def relabel(self, doc_id: str, level: Sensitivity) -> DocumentState:
        """Change a document's label at once; returns the state after it.

        Raises:
            NotFoundError: no such document.
        """
        ...

    def find_other_id(self, source_path: str, doc_id: str) -> str | None:
        """Under which id other than this one a file's real path is stored.

        For a document of which only a stub is kept, whose id nobody knows, it is ''.
        """
        ...

    def is_made_of(self, doc_id: str, inputs: str) -> bool:
        """Whether a document is as an ingest of these inputs left it, its label included."""
        ...

    def note_origin(self, doc_id: str, origin: Origin) -> None:
        """Note that an ingest of this origin would change nothing of a document."""
        ...

    def alias(self, text: str) -> str:
        """The name under which a path or hash is kept: itself, or a keyed hash among stubs."""
        ...

    def sources_below(self, folder: str, root: str) -> list[KeptSource]:
        """Documents whose files lay below a folder, by id, and stubs likewise.

        Args:
            folder: its real path.
            root: the real path that the ids of stubs are relative to; documents tell it themselves.
        """
        ...

    def sources_of(self, contents: Iterable[str]) -> list[KeptSource]:
        """Documents made of files with one of these hashes, by id, and stubs likewise.

        Args:
            contents: hashes of the bytes of files.
        """
        ...

    def move(self, kept: KeptSource, doc_id: str, source_path: str) -> bool:
        """Give a document the id of the place its file was moved to; labels stay.

        Returns:
            False, and nothing changes, when it is gone by now or something has that id.
        """
        ...

    def remove(self, kept: KeptSource) -> bool:
        """Remove a document or stub; whether it was still there."""
        ...

    def find_part(self, node_id: str) -> PartState | None:
        """What is known of a section (`{doc}#s2`) or child (`{doc}#c3`)."""
        ...

    def relabel_part(self, node_id: str, level: Sensitivity) -> None:
        """Change the label of a section or child at once; its document's is the least it can be.

        Raises:
            NotFoundError: no such section or child.
        """
        ...

    def stub_restricted(self) -> int:
        """Erase the text of every RESTRICTED document and part; how many documents had any."""
        ...


class Store(Protocol):
    """A place where documents are kept."""

    def init_schema(self) -> None:
        """Create or migrate the schema; running it again changes nothing."""
        ...

    @property
    def words(self) -> WordsName:
        """What is indexed beside bigrams, and has to be asked for likewise."""
        ...

    def index_anew(self, words: WordsName | None = None) -> None:
        """Make all index entries anew.

        Args:
            words: what is indexed beside bigrams from now on; None for what was until now.

        Raises:
            WordsError: what finds them is missing.
        """
        ...

    def reading(self) -> AbstractContextManager[StoreReader]:
        """Open a read transaction."""
        ...

    def writing(self) -> AbstractContextManager[StoreWriter]:
        """Open a write transaction; call `erase` once after the last of several."""
        ...

    def erase(self) -> bool:
        """Erase what was deleted or raised to RESTRICTED; whether nothing of it is left."""
        ...

    def close(self) -> None:
        """Release the store."""
        ...
