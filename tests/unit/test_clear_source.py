from __future__ import annotations

from ragspine_graph.security.relation_source import RelationSource
from tests.relation_sources import read_source

TEXT = """# 規則

## 第1章　買収

### 第1条　相手

1. 甲社を買う。

## 第2章　休暇

### 第2条　日数

1. 十日とする。
"""


def _cleared(*restricted: str) -> RelationSource:
    return read_source(TEXT, restricted=restricted, chunker="parent_child").value


def test_nothing_of_a_restricted_section_reaches_an_extractor() -> None:
    source = _cleared("第1章　買収")
    shown = [source.text, *(s.heading for s in source.sections), *(c.text for c in source.chunks)]
    assert not any(word in text for word in ("買収", "相手", "甲社") for text in shown)


def test_spans_hold_around_what_is_withheld() -> None:
    source, whole = _cleared("第1章　買収"), _cleared()
    start, end = next(s.span for s in whole.sections if s.heading == "第1章　買収")
    assert source.text == whole.text[:start] + " " * (end - start) + whole.text[end:]
    assert source.withheld[0] == (start, end)


def test_a_visible_document_is_given_whole() -> None:
    source = _cleared()
    assert source.withheld == ()
    assert [s.heading for s in source.sections[2:]] == [
        "第1章　買収",
        "第1条　相手",
        "第2章　休暇",
        "第2条　日数",
    ]
