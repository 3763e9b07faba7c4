"""Plain text: paragraphs, items and headings by lines alone."""

from __future__ import annotations

import pytest

from ragspine_store.loading import load_document

Entry = tuple[int, str, str]


def blocks(text: str) -> list[Entry]:
    """Depth, label and text of each block."""
    document = load_document(text.encode(), name="memo.txt")
    return [
        (block.depth, block.label, document.text[block.span.start : block.span.end])
        for block in document.outline.blocks
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "The office\nmoves on\nMonday.\n\nPlease pack.",
            [(0, "", "The office\nmoves on\nMonday."), (0, "", "Please pack.")],
            id="hard-wrapped English",
        ),
        pytest.param(
            "会社は移転する。\n社員は準備する。\n以上で\nある。",
            [
                (0, "", "会社は移転する。"),
                (0, "", "社員は準備する。"),
                (0, "", "以上で\nある。"),
            ],
            id="a line that ends a sentence",
        ),
        pytest.param(
            "　会社は移転\nする予定である\n　社員は準備する",
            [(0, "", "会社は移転\nする予定である"), (0, "", "社員は準備する")],
            id="an indented first line",
        ),
        pytest.param(
            "The office moves on\n2. March and\n(2) April.\n\n1. First\nwrapped\n2. Second",
            [
                (0, "", "The office moves on\n2. March and\n(2) April."),
                (1, "1.", "1. First\nwrapped"),
                (1, "2.", "2. Second"),
            ],
            id="a number where prose was wrapped",
        ),
        pytest.param(
            "1. a\n   - b\n   - c\n     - d\n2. e\n   1. f\n   2. g\n3. h",
            [
                (1, "1.", "1. a"),
                (2, "-", "- b"),
                (2, "-", "- c"),
                (3, "-", "- d"),
                (1, "2.", "2. e"),
                (2, "1.", "1. f"),
                (2, "2.", "2. g"),
                (1, "3.", "3. h"),
            ],
            id="lists nested by indentation",
        ),
        pytest.param(
            "１　社員は、\n　　届け出る\n　この場合は\n２　次",
            [
                (1, "１", "１　社員は、\n　　届け出る\n　この場合は"),
                (1, "２", "２　次"),
            ],
            id="an indented line continues its item",
        ),
        pytest.param(
            "１　社員は、届け出る。\n　この場合は、別に定める。\n\n以上",
            [
                (1, "１", "１　社員は、届け出る。"),
                (1, "", "この場合は、別に定める。"),
                (0, "", "以上"),
            ],
            id="a second paragraph of an item",
        ),
        pytest.param(
            "# a\n\n> b\n\n<!-- c -->",
            [(0, "", "# a"), (0, "", "> b"), (0, "", "<!-- c -->")],
            id="markup is text",
        ),
        pytest.param(
            "a\n\u3000\nb\n\t\nc", [(0, "", "a"), (0, "", "b"), (0, "", "c")], id="blanks"
        ),
    ],
)
def test_blocks(text: str, expected: list[Entry]) -> None:
    assert blocks(text) == expected


def test_a_hash_is_no_heading_and_a_plain_line_is_no_title() -> None:
    document = load_document("# a\n\n第1章　総則\n第1条　目的\n".encode(), name="memo.txt")
    assert [section.heading for section in document.outline.sections] == [
        "",
        "第1章　総則",
        "第1条　目的",
    ]
    assert document.title == ""


def test_front_matter_is_read_in_plain_text_too() -> None:
    raw = "---\nsensitivity: RESTRICTED\n---\n第1条　目的\n"
    document = load_document(raw.encode("cp932"), name="memo.txt")
    assert document.stated == {"sensitivity": "RESTRICTED"}
    assert document.text == "第1条　目的\n"
    assert document.offsets is not None
    assert document.offsets.raw_span(document.outline.sections[1].span).end == len(raw)
