"""From hits to snippets: the link exit first, only then the window.

Decision record 0018 of the seeds: expansion changes the generation context only. It never becomes
a hit, changes a rank or adds a result; evidence stays the child's; and a RESTRICTED child loses its
whole snippet, window included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ragspine_graph.retrieval.seams import Compressor
from ragspine_graph.retrieval.snippet import Locator, Mark, Scores, Snippet
from ragspine_graph.security.exits import clear_children, clear_window
from ragspine_store.protocols import Candidate, StoreReader
from ragspine_store.records import Hit, Paragraphs
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader, stored_label

NO_MARKS: Mapping[int, Mark] = {}


def link(transaction: StoreReader, hits: Sequence[Hit], reader: Reader) -> list[Cleared[Candidate]]:
    """The children behind the hits that this reader may see, in the order of the hits."""
    return clear_children(transaction.candidates(hits), reader)


def expand(
    transaction: StoreReader,
    children: Sequence[Cleared[Candidate]],
    reader: Reader,
    marks: Mapping[int, Mark] = NO_MARKS,
) -> list[Cleared[Snippet]]:
    """Snippets with their windows, in a number of statements that does not depend on how many."""
    windows = transaction.windows([child.value for child in children])
    return [
        _to_snippet(
            child,
            clear_window(child, windows.get(child.value.chunk.chunk_id), reader),
            marks.get(child.value.key),
        )
        for child in children
    ]


def without_windows(
    children: Sequence[Cleared[Candidate]], marks: Mapping[int, Mark] = NO_MARKS
) -> list[Cleared[Snippet]]:
    """Snippets of the children alone."""
    return [_to_snippet(child, None, marks.get(child.value.key)) for child in children]


def compress(
    snippets: Sequence[Cleared[Snippet]], query: str, compressor: Compressor
) -> list[Cleared[Snippet]]:
    """Snippets whose prompt text a compressor has shortened; their evidence is untouched.

    A snippet without a window gets what is kept of the child itself as its prompt text; one of
    which nothing is kept has no window any more, and no locator of one.
    """

    def shorten(snippet: Snippet) -> Snippet:
        kept = compressor.compress(query, _snippet_text(snippet))
        return replace(
            snippet, prompt_text=kept, parent_locator=snippet.parent_locator if kept else ""
        )

    return [snippet.map(shorten) for snippet in snippets]


def _to_snippet(
    child: Cleared[Candidate], window: Cleared[str] | None, mark: Mark | None = None
) -> Cleared[Snippet]:
    """A cleared child as a snippet; a non-empty window becomes `prompt_text`.

    Without a mark the child's score is that of its words.
    """
    prompt_text = window.value if window else ""

    def make(candidate: Candidate) -> Snippet:
        chunk = candidate.chunk
        return Snippet(
            text=chunk.text,
            doc_id=chunk.doc_id,
            title=chunk.title,
            source_locator=chunk.source_locator,
            chunk_id=chunk.chunk_id,
            topic=chunk.topic,
            entity=chunk.entity,
            geography=chunk.geography,
            period=chunk.period,
            language=chunk.language,
            sensitivity=stored_label(chunk.sensitivity).name,
            scores=mark.scores if mark else Scores(candidate.score, None, candidate.score),
            locator=Locator(
                heading_path=tuple(section.heading for section in candidate.ancestors),
                paragraphs=Paragraphs(chunk.para_start, chunk.para_end),
                span=candidate.span,
                raw_span=candidate.raw_span,
                pages=candidate.pages,
            ),
            prompt_text=prompt_text,
            parent_locator=chunk.parent_locator if prompt_text else "",
            via=mark.via if mark else (),
        )

    return child.map(make)


def _snippet_text(snippet: Snippet) -> str:
    """What of a snippet goes into a prompt: its window when it has one, else the child."""
    return snippet.prompt_text or snippet.text
