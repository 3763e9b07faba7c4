"""Small sets of labelled documents, some of them RESTRICTED, and readers to compare answers for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from ragspine_store.records import DocumentMeta
from ragspine_store.sensitivity import Reader, Sensitivity

READERS = (
    Reader(),
    Reader(Sensitivity.PUBLIC),
    Reader(Sensitivity.INTERNAL, frozenset({"default"})),
    Reader(collections=frozenset({"x", "y"})),
)


@dataclass(frozen=True)
class Source:
    """A document to ingest."""

    meta: DocumentMeta
    text: str

    @property
    def is_restricted(self) -> bool:
        return self.meta.sensitivity is Sensitivity.RESTRICTED


def texts_of(lines: Sequence[str]) -> st.SearchStrategy[str]:
    """Texts of some of these lines, as paragraphs."""
    return st.lists(st.sampled_from(lines), min_size=2, max_size=8).map("\n\n".join)


@st.composite
def corpora(
    draw: st.DrawFn, texts: st.SearchStrategy[str], described: Mapping[str, Sequence[str]]
) -> list[Source]:
    """Some visible documents and at least one RESTRICTED one, in any order of ids.

    Args:
        draw: of hypothesis.
        texts: of the documents.
        described: what their metadata may say, by field.
    """
    labels = [Sensitivity.RESTRICTED, *draw(st.lists(st.sampled_from(Sensitivity), max_size=4))]
    numbers = draw(st.permutations(range(len(labels))))
    return [
        Source(
            DocumentMeta(
                f"{number}.md",
                collection=draw(st.sampled_from(("default", "x"))),
                sensitivity=label,
                **{field: draw(st.sampled_from(values)) for field, values in described.items()},
            ),
            draw(texts),
        )
        for number, label in zip(numbers, labels, strict=True)
    ]
