"""What a document states about itself, read closed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.errors import LoadError
from ragspine_store.loading.front_matter import split_front_matter

BODY = "# Rules\n"


@pytest.mark.parametrize(
    ("block", "stated"),
    [
        pytest.param("sensitivity: RESTRICTED", {"sensitivity": "RESTRICTED"}, id="label"),
        pytest.param(
            "Title: 就業規則\nTOPIC: hr",
            {"title": "就業規則", "topic": "hr"},
            id="keys in any case",
        ),
        pytest.param(
            "period: 2024-04-01\nvalid_as_of: 2024-04\ntopic: 007",
            {"period": "2024-04-01", "valid_as_of": "2024-04", "topic": "007"},
            id="dates and numbers as written",
        ),
        pytest.param(
            "language: no\nentity: ~\ngeography: 1_000",
            {"language": "no", "entity": "~", "geography": "1_000"},
            id="no implicit types",
        ),
        pytest.param(
            "title: 'a: b'\ncollection: \"x\"", {"title": "a: b", "collection": "x"}, id="quotes"
        ),
        pytest.param("author: me\ntags: [a, b]", {}, id="other keys are left out"),
        pytest.param("\n# note\ntitle: x\n", {"title": "x"}, id="comments and blank lines"),
        pytest.param("ｓensitivity: PUBLIC", {"sensitivity": "PUBLIC"}, id="full-width letter"),
        pytest.param("sensi\u200btivity: PUBLIC", {"sensitivity": "PUBLIC"}, id="zero-width"),
        pytest.param("ＳＥＮＳＩＴＩＶＩＴＹ: PUBLIC", {"sensitivity": "PUBLIC"}, id="full width"),
        pytest.param("ti\u00adtle\u200d: x", {"title": "x"}, id="invisible in another key"),
        pytest.param("topic:", {"topic": ""}, id="an empty value"),
    ],
)
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("closing", ["---", "..."])
def test_states_what_is_written(
    block: str, stated: dict[str, str], line_end: str, closing: str
) -> None:
    text = f"---\n{block}\n{closing}\n{BODY}".replace("\n", line_end)
    found, start = split_front_matter(text, name="a.md")
    assert found == stated
    assert text[start:] == BODY.replace("\n", line_end)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("# Rules\n\n---\ntitle: x\n---\n", id="not at the start"),
        pytest.param("---\n\nA paragraph.\n\n---\n", id="thematic breaks"),
        pytest.param("---\nText\n", id="one thematic break"),
        pytest.param("---\n\nText\n\ntitle: far below\n", id="unclosed, a key only far below"),
        pytest.param("---\n第1章：総則\n---\n", id="a full-width colon in prose"),
        pytest.param("----\ntitle: x\n----\n", id="four dashes"),
        pytest.param("---", id="nothing else"),
        pytest.param("", id="empty"),
    ],
)
def test_leaves_content_alone(text: str) -> None:
    assert split_front_matter(text, name="a.md") == ({}, 0)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("---\ntitle: x\ntitle: y\n---\n", 3, id="a key twice"),
        pytest.param("---\ntitle: x\n\nTitle: y\n---\n", 4, id="a key twice in another case"),
        pytest.param("---\nfoo: x\nfoo: y\n---\n", 3, id="an unknown key twice"),
        pytest.param("---\ntitle: x\n  bad: [\n---\n", 3, id="broken"),
        pytest.param("---\n\tsensitivity: PUBLIC\n---\n", 2, id="a tab"),
        pytest.param("---\nsensitivity:PUBLIC\n---\n", 1, id="no space"),
        pytest.param("---\nsensitivity：PUBLIC\n---\n", 1, id="a full-width colon"),
        pytest.param("---\ntitle: x\n sensitivity:PUBLIC\n---\n", 3, id="folded into a value"),
        pytest.param("---\nmeta:\n  sensitivity: PUBLIC\n---\n", 3, id="nested"),
        pytest.param("---\nsensitivity:\n---\n", 2, id="an empty label"),
        pytest.param("---\nsensitivity: [PUBLIC]\n---\n", 2, id="a list"),
        pytest.param("---\n- sensitivity: PUBLIC\n---\n", 1, id="a list of mappings"),
        pytest.param("---\nsensitivity: PUBLIC\n\n# Rules\n", 1, id="not closed"),
        pytest.param("\n\n---\nsensitivity:PUBLIC\n---\n", 3, id="below blank lines"),
        pytest.param("---\na: " + "[" * 5000 + "\n---\n", 1, id="nested without end"),
    ],
)
def test_refuses_what_cannot_be_read_as_written(text: str, line: int) -> None:
    with pytest.raises(LoadError, match=rf"^a\.md, line {line}: the front matter ") as caught:
        split_front_matter(text, name="a.md")
    assert "PUBLIC" not in str(caught.value)
    assert caught.value.__cause__ is None


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("+++\nsensitivity = 'PUBLIC'\n+++\n", 2),
        ("+++\ntitle = 'x'\n\n[meta]\nsensitivity = 'PUBLIC'\n+++\n", 5),
        ("＋＋＋\nｓensi\u200btivity = 'PUBLIC'\n＋＋＋\n", 2),
        ("----\nsensitivity: PUBLIC\n----\n", 2),
        ("----\n- sensitivity: PUBLIC\n----\n", 2),
        ("———\nsensitivity: PUBLIC\n———\n", 2),
        (';;;\n{"sensitivity": "PUBLIC"}\n;;;\n', 2),
        ('{\n  "title": "x",\n  "sensitivity": "PUBLIC"\n}\n', 3),
        ("\u200b---\nsensitivity: PUBLIC\n---\n", 2),
        ("－－－\nsensitivity: PUBLIC\n－－－\n", 2),
        ("--- # from a tool\nsensitivity: PUBLIC\n---\n", 2),
        ("<!-- made by\na tool -->\n---\nsensitivity: PUBLIC\n---\n", 4),
        ("# made by a tool\n---\nsensitivity: PUBLIC\n---\n", 3),
        ("# made by a tool\r\n\r\n---\r\nsensitivity: PUBLIC\r\n---\r\n", 4),
        ("sensitivity: PUBLIC\n\nText\n", 1),
        ("\nTitle: x\n**Sensitivity:** Public\n\nText\n", 3),
        ("---\ntitle: x\n---\n+++\nsensitivity = 'PUBLIC'\n+++\n", 5),
    ],
    ids=[
        "TOML",
        "TOML table",
        "wide TOML",
        "four dashes",
        "four dashes and a list",
        "em dashes",
        "semicolons",
        "JSON",
        "invisible character before",
        "wide dashes",
        "comment behind the dashes",
        "HTML comment above",
        "comment above",
        "comment above, CRLF",
        "no fence",
        "no fence, in bold",
        "second block",
    ],
)
def test_refuses_a_label_at_the_top_in_another_form(text: str, line: int) -> None:
    with pytest.raises(LoadError, match=rf"^a\.md, line {line}: a sensitivity is stated") as caught:
        split_front_matter(text + BODY, name="a.md")
    assert "PUBLIC" not in str(caught.value)


def test_a_block_that_states_its_label_with_an_equals_sign_is_refused() -> None:
    with pytest.raises(LoadError, match="the front matter"):
        split_front_matter("---\nsensitivity = PUBLIC\n---\n", name="a.md")


@pytest.mark.parametrize(
    "text",
    [
        "Sensitivity: 95 % in the first trial.\n",
        "The sensitivity: PUBLIC is the lowest.\n",
        "# Labels\n\n```yaml\nsensitivity: PUBLIC\n```\n",
        "# Labels\n\nText\n\n---\nsensitivity: PUBLIC\n---\n",
        "Text\n\nsensitivity: PUBLIC\n",
        "+++\ntitle = 'x'\n+++\n",
        "----\n\nText\n\nsensitivity: far below\n",
    ],
    ids=[
        "no label",
        "in a sentence",
        "code",
        "far from the top",
        "second paragraph",
        "TOML without a label",
        "a rule above text",
    ],
)
def test_a_word_in_the_text_is_no_label(text: str) -> None:
    assert split_front_matter(text, name="a.md") == ({}, 0)


def test_a_label_that_is_read_leaves_the_text_below_alone() -> None:
    text = "---\nsensitivity: PUBLIC\n---\nSensitivity: PUBLIC\n"
    assert split_front_matter(text, name="a.md") == ({"sensitivity": "PUBLIC"}, 28)


def test_a_label_below_blank_lines_is_read_all_the_same() -> None:
    stated, start = split_front_matter("\n\n---\nsensitivity: PUBLIC\n---\nx", name="a.md")
    assert (stated, start) == ({"sensitivity": "PUBLIC"}, 30)


@given(st.text("---\n :sensitivyPUBLIC'\"[]{}&*!|>#\t", max_size=60))
def test_a_block_that_holds_a_label_line_is_never_content(noise: str) -> None:
    text = f"---\n{noise}\nsensitivity: PUBLIC\n---\n"
    try:
        stated, start = split_front_matter(text, name="a.md")
    except LoadError:
        return
    inner_break = any(line.rstrip() == "---" for line in noise.split("\n"))
    assert inner_break or (stated["sensitivity"] == "PUBLIC" and start == len(text))
