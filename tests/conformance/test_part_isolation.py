"""Whatever part of a document is raised, its words come out of nothing, and the others do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragspine_graph import KnowledgeBase, NarrativeIndex, Reader, Sensitivity, ServiceConfig
from ragspine_store.chunking import make_chunker
from ragspine_store.errors import LabelError, NotFoundError
from ragspine_store.records import DocumentMeta
from tests.backends import Place

pytestmark = [pytest.mark.guarantee("G1"), pytest.mark.guarantee("G5")]

WORD = re.compile(r"qx\d+x")


@pytest.fixture
def place(each_backend: Place) -> Place:
    return each_backend


@st.composite
def texts(draw: st.DrawFn) -> str:
    """Headings, paragraphs and items; every line has a word of its own."""
    shapes = draw(
        st.lists(
            st.sampled_from(("# {}", "## {}", "### {}", "{}. {}", "- {}", "  - {}", "1. {}", "{}")),
            min_size=2,
            max_size=9,
        )
    )
    long = draw(st.booleans())
    lines = [
        shape.format(f"common qx{n}x {'and more ' * (30 if long else 1)}", n)
        for n, shape in enumerate(shapes)
    ]
    return draw(st.sampled_from(("\n", "\n\n"))).join(lines) + "\n"


def told(knowledge: KnowledgeBase, reader: Reader, words: list[str]) -> str:
    """All that a reader can get of the document."""

    def answers() -> Iterator[object]:
        for query in ("common", "and more", *words):
            for expand in ("none", "window"):
                result = knowledge.search(query, k=50, expand=expand, reader=reader).to_dict()
                yield result["snippets"]
                yield result["locators"]
            yield [
                parent.model_dump() for parent in knowledge.parent_contexts(query, reader=reader)
            ]
        for fragment in (
            "",
            *(f"#{kind}{n}" for kind in ("s", "c", "para") for n in range(12)),
            *(f"#s{n}.{m}" for n in range(12) for m in (1, 2)),
            *(f"#para{first}-{last}" for first in range(1, 12) for last in range(first, 12)),
        ):
            try:
                yield knowledge.show(f"a.md{fragment}", reader=reader).to_dict()
            except NotFoundError:
                continue

    return json.dumps([*answers()], ensure_ascii=False)


def test_the_words_of_a_raised_part_come_out_of_nothing(place: Place) -> None:
    @place.examples(settings().max_examples // 5, on_server=2)
    @given(
        text=texts(),
        chunker=st.sampled_from(("none", "parent_child", "sentence_window")),
        data=st.data(),
        level=st.sampled_from((Sensitivity.CONFIDENTIAL, Sensitivity.RESTRICTED)),
    )
    def check(text: str, chunker: str, data: st.DataObject, level: Sensitivity) -> None:
        reader = Reader(Sensitivity.INTERNAL)
        store = place.new_store()
        NarrativeIndex(store, chunker=make_chunker(chunker)).ingest(text, DocumentMeta("a.md"))
        with KnowledgeBase(store, ServiceConfig()) as knowledge:
            whole = knowledge.show("a.md")
            parts = [*(section.id for section in whole.sections), *whole.chunks]
            raised = data.draw(
                st.lists(st.sampled_from(parts), min_size=1, max_size=2, unique=True)
            )
            hidden = {w for part in raised for w in WORD.findall(knowledge.show(part).text or "")}
            others = {
                word
                for chunk_id in whole.chunks
                for chunk in [knowledge.show(chunk_id)]
                if not hidden & set(WORD.findall(chunk.text or ""))
                for word in WORD.findall(chunk.text or "")
            }
            for part in raised:
                knowledge.relabel(part, level)
            said = told(knowledge, reader, sorted(others))
            assert not hidden & set(WORD.findall(said))
            # Its document's label comes and goes over it.
            knowledge.relabel("a.md", "CONFIDENTIAL")
            knowledge.relabel("a.md", "INTERNAL", allow_lower=True)
            assert told(knowledge, reader, sorted(others)) == said
            # With a child goes the section whose heading it holds; a section goes alone.
            for word in others if all("#s" in part for part in raised) else ():
                found = knowledge.search(word, reader=reader).snippets
                assert any(word in snippet.text for snippet in found)
            if level is Sensitivity.RESTRICTED and place.restricted_at_rest == "stub":
                assert place.traces(hidden) == set()

    check()


@pytest.mark.parametrize("chunker", ["none", "parent_child"])
def test_raising_a_child_never_lowers_the_section_it_stands_in(place: Place, chunker: str) -> None:
    store = place.scratch_store()
    text = "# Plan qx0x\n\nqx1x is planned.\n\n# Rest\n\nqx2x\n"
    NarrativeIndex(store, chunker=make_chunker(chunker)).ingest(text, DocumentMeta("a.md"))
    with KnowledgeBase(store, ServiceConfig()) as knowledge:
        knowledge.relabel("a.md#s1", "CONFIDENTIAL")
        knowledge.relabel("a.md#c0", "CONFIDENTIAL")
        said = told(knowledge, Reader(Sensitivity.INTERNAL), [])
        assert not {"qx0x", "qx1x"} & set(WORD.findall(said))
        with pytest.raises(LabelError, match="stands under a label of CONFIDENTIAL"):
            knowledge.relabel("a.md#c0", "INTERNAL", allow_lower=True)
