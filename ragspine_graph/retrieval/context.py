"""Context for generation: blocks of whole text, each naming the children it is evidence of.

`window` gives the parent windows of the hits in the order of their first hit, each once, at most
`max_parents`. `merge` gives branches of the tree where enough of them was hit, and children where
not, or where the branch is large beside the budget. A child whose window is withheld or missing
stands by itself, and is no parent to count. Hits whose scores are low beside the best add nothing.
No text stands in two blocks. The budget takes whole blocks in order, those that fit; all that is
left out is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from ragspine_graph.errors import RequestError
from ragspine_graph.retrieval.auto_merge import DEFAULT_THRESHOLD, Merged, auto_merge
from ragspine_graph.retrieval.blocks import ContextBlock, stripped, without_repeats
from ragspine_graph.retrieval.linked import linked_blocks
from ragspine_graph.security.exits import clear_window
from ragspine_store.protocols import Branch, BranchKey, Candidate, Place, StoreReader
from ragspine_store.records import Span
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader
from ragspine_store.tokens import EstimatedTokenCounter, TokenCounter

Shape = Literal["window", "merge"]

DEFAULT_BUDGET_TOKENS = 3_000
DEFAULT_SCORE_FLOOR = 0.3
# A merged branch takes at most this share of the budget: one article is not the whole context.
MERGE_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """How a context is built.

    Attributes:
        shape: parent windows, or branches merged from their hits.
        budget_tokens: what all blocks together may take.
        max_parents: windows at most.
        merge_threshold: the share of a branch's children that must be hit, in (0, 1].
        score_floor: hits behind the last one whose score is at least this share of the best score
            bring no block and merge nothing, in [0, 1].
        linked_articles: articles at most that blocks refer to, or that refer to blocks; 0 or more.
        counter: counts tokens.

    Raises:
        RequestError: a number is out of range.
    """

    shape: Shape = "window"
    budget_tokens: int = DEFAULT_BUDGET_TOKENS
    max_parents: int = 4
    merge_threshold: float = DEFAULT_THRESHOLD
    score_floor: float = DEFAULT_SCORE_FLOOR
    linked_articles: int = 0
    counter: TokenCounter = field(default_factory=EstimatedTokenCounter)

    def __post_init__(self) -> None:
        if self.shape not in get_args(Shape):
            raise RequestError(
                f"expand = {self.shape!r} given; expected one of {', '.join(get_args(Shape))}"
            )
        for name in ("budget_tokens", "max_parents"):
            value = getattr(self, name)
            if value < 1:
                raise RequestError(f"{name} = {value} given; expected at least 1")
        if not 0 < self.merge_threshold <= 1:
            raise RequestError(
                f"merge_threshold = {self.merge_threshold} given; expected above 0, at most 1"
            )
        if self.linked_articles < 0:
            raise RequestError(
                f"linked_articles = {self.linked_articles} given; expected at least 0"
            )
        if not 0 <= self.score_floor <= 1:
            raise RequestError(f"score_floor = {self.score_floor} given; expected 0 to 1")


@dataclass(frozen=True, slots=True)
class Context:
    """Blocks in order, and what there was besides.

    Attributes:
        blocks: in order.
        left_out: how many blocks more there were, whatever left them out.
        beyond_parents: how many of those were windows after the first `max_parents`.
        needed_tokens: what the first block takes when none fits the budget; 0 otherwise.
        notes: what could not be done on the way, one sentence each; no document text.
    """

    blocks: tuple[Cleared[ContextBlock], ...]
    left_out: int
    beyond_parents: int = 0
    needed_tokens: int = 0
    notes: tuple[str, ...] = ()


def build_context(
    transaction: StoreReader,
    children: Sequence[Cleared[Candidate]],
    reader: Reader,
    settings: ContextSettings,
) -> Context:
    """Build the context of hit children, in a number of statements that does not grow with them.

    Args:
        transaction: the read the children come from.
        children: cleared, best first, each once.
        reader: for whom.
        settings: how.
    """
    if settings.shape == "merge":
        good = children[: _count_good(children, settings.score_floor)]
        blocks, beyond = _merged(transaction, good, reader, settings), 0
    else:
        blocks, beyond = _windows(transaction, children, reader, settings)
    blocks += linked_blocks(transaction, blocks, children, reader, settings.linked_articles)
    context = _within_budget(blocks, settings)
    return replace(context, left_out=context.left_out + beyond, beyond_parents=beyond)


def _count_good(children: Sequence[Cleared[Candidate]], floor: float) -> int:
    """How many come up to the last good one: a judge may have put a lower score before it."""
    scores = [child.value.score for child in children]
    best = max(scores, default=0.0)
    if best <= 0:
        return len(children)
    return 1 + max(at for at, score in enumerate(scores) if score >= floor * best)


def _windows(
    transaction: StoreReader,
    children: Sequence[Cleared[Candidate]],
    reader: Reader,
    settings: ContextSettings,
) -> tuple[list[Cleared[ContextBlock]], int]:
    """The windows and children without one, in order, and how many windows are left out."""
    windows = transaction.windows([child.value for child in children])
    families: dict[Hashable, list[Cleared[Candidate]]] = {}
    texts: dict[Hashable, Cleared[str] | None] = {}
    for child in children:
        chunk = child.value.chunk
        window = clear_window(child, windows.get(chunk.chunk_id), reader)
        # Sentence windows have no id: one is known by its span, or by its text when it has none.
        place = chunk.parent_id or child.value.window or chunk.window_text
        key = (chunk.doc_id, place) if window else chunk.chunk_id
        families.setdefault(key, []).append(child)
        texts.setdefault(key, window)
    # A weak hit opens no block; in one that a good hit opens it is evidence as well.
    good = _count_good(children, settings.score_floor)
    weak = {child.value.key for child in children[good:]}
    families = {key: family for key, family in families.items() if family[0].value.key not in weak}
    parents = [key for key in families if texts[key] is not None]
    beyond = set(parents[settings.max_parents :])
    blocks = [
        _window_block(family, texts[key]) for key, family in families.items() if key not in beyond
    ]
    return blocks, len(beyond)


def _window_block(
    family: Sequence[Cleared[Candidate]], window: Cleared[str] | None
) -> Cleared[ContextBlock]:
    if window is None:
        return _block(family, None, "", "", None)
    first = family[0].value
    node_id = first.chunk.parent_id or first.chunk.chunk_id
    return _block(family, window, node_id, first.chunk.parent_locator, first.window)


def _merged(
    transaction: StoreReader,
    children: Sequence[Cleared[Candidate]],
    reader: Reader,
    settings: ContextSettings,
) -> list[Cleared[ContextBlock]]:
    cleared = {child.value.chunk.chunk_id: child for child in children}
    hits = [child.value for child in children]
    branches = _with_room(transaction.branches(hits, reader.clearance), hits, settings)
    merged = auto_merge(hits, branches, settings.merge_threshold)
    texts = _branch_texts(transaction, children, [m.branch for m in merged if m.branch], reader)
    if any(part.branch and part.branch.key not in texts for part in merged):
        # The exit withholds a text, by a label that another program wrote, or it is gone. Such
        # branches merge nothing: again, knowing of all at once which they are.
        texts = _branch_texts(transaction, children, branches.values(), reader)
        branches = {
            key: branch if key in texts else replace(branch, hides=True)
            for key, branch in branches.items()
        }
        merged = auto_merge(hits, branches, settings.merge_threshold)
    # By the best evidence as it was ranked: a judge changes the order and no score.
    rank = {child.chunk.chunk_id: no for no, child in enumerate(hits)}
    merged.sort(key=lambda part: min(rank[child.chunk.chunk_id] for child in part.evidence))
    return [
        _merged_block(part, [cleared[child.chunk.chunk_id] for child in part.evidence], texts)
        for part in merged
    ]


def _with_room(
    branches: Mapping[BranchKey, Branch], hits: Sequence[Candidate], settings: ContextSettings
) -> Mapping[BranchKey, Branch]:
    """The branches, where those too large for the budget merge nothing.

    How many tokens a branch has is told by its hits: its text is not read yet.
    """
    most = settings.budget_tokens * MERGE_SHARE
    tokens: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for hit in hits:
        tokens[hit.chunk.doc_id] += settings.counter.count(hit.chunk.text)
        characters[hit.chunk.doc_id] += len(hit.chunk.text)

    def fits(branch: Branch) -> bool:
        doc_id, length = branch.key.doc_id, branch.span.end - branch.span.start
        return length * tokens[doc_id] <= most * characters[doc_id]

    return {
        key: branch if fits(branch) else replace(branch, hides=True)
        for key, branch in branches.items()
    }


def _branch_texts(
    transaction: StoreReader,
    children: Iterable[Cleared[Candidate]],
    branches: Iterable[Branch],
    reader: Reader,
) -> dict[BranchKey, Cleared[str]]:
    """The texts of branches above cleared children; one that the exit withholds is left out."""
    through = {child.value.chunk.doc_id: child for child in children}
    places = {branch.key: Place(branch.key.doc_id, branch.span) for branch in branches}
    passages = transaction.passages(list(places.values()))
    texts = {
        key: clear_window(through[key.doc_id], passages.get(place), reader)
        for key, place in places.items()
    }
    return {key: text for key, text in texts.items() if text is not None}


def _merged_block(
    part: Merged, family: Sequence[Cleared[Candidate]], texts: Mapping[BranchKey, Cleared[str]]
) -> Cleared[ContextBlock]:
    branch = part.branch
    if branch is None:
        return _block(family, None, "", "", None)
    node_id = f"{branch.key.doc_id}#{branch.name}"
    return _block(family, texts[branch.key], node_id, branch.locator, branch.span)


def _block(
    family: Sequence[Cleared[Candidate]],
    text: Cleared[str] | None,
    node_id: str,
    locator: str,
    span: Span | None,
) -> Cleared[ContextBlock]:
    """A block of a text at a span, or of the only child of the family when there is no text."""

    def make(first: Candidate) -> ContextBlock:
        chunks = [child.value.chunk for child in family]
        return ContextBlock(
            node_id=node_id if text else first.chunk.chunk_id,
            doc_id=first.chunk.doc_id,
            title=first.chunk.title,
            heading_path=_heading_path(first, span),
            locator=locator if text else first.chunk.source_locator,
            text=text.value.strip() if text else first.chunk.text,
            span=_span_of(text, span) if text else first.span,
            evidence=tuple(chunk.chunk_id for chunk in chunks),
            citations=tuple(chunk.source_locator for chunk in chunks),
            score=max(child.value.score for child in family),
        )

    return family[0].map(make)


def _span_of(text: Cleared[str], span: Span | None) -> Span | None:
    return stripped(text.value, span) if span else None


def _heading_path(child: Candidate, span: Span | None) -> tuple[str, ...]:
    """The headings of the sections that hold all of a span; of all above the child for None."""
    return tuple(
        section.heading
        for section in child.ancestors
        if span is None or section.span.contains(span)
    )


def _within_budget(blocks: Sequence[Cleared[ContextBlock]], settings: ContextSettings) -> Context:
    taken: list[Cleared[ContextBlock]] = []
    too_large: list[int] = []
    room = settings.budget_tokens
    for block in without_repeats(blocks):
        size = settings.counter.count(block.value.text)
        if size <= room:
            taken.append(block)
            room -= size
        else:
            too_large.append(size)
    needed = too_large[0] if too_large and not taken else 0
    return Context(tuple(taken), len(too_large), needed_tokens=needed)
