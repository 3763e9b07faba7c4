"""Pictures of results: what is drawn, and that no name in them acts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph.cypher import CypherResult, draw, render_dot, render_html
from ragspine_graph.cypher.picture import MAX_NODES, Line, Picture
from ragspine_graph.errors import RequestError

EDGES = CypherResult(
    "neighbourhood",
    ("source", "source_name", "kind", "target", "target_name"),
    (("a", "A", "knows", "b", "B"), ("a", "A", "knows", "b", "B"), ("b", "B", "owns", "c", "")),
)


def test_rows_with_source_and_target_are_drawn_each_line_once() -> None:
    picture = draw(EDGES)
    assert picture.nodes == {"a": "A", "b": "B", "c": "c"}
    assert picture.lines == (Line("a", "b", "knows"), Line("b", "c", "owns"))


def test_ways_are_drawn_node_by_node() -> None:
    picture = draw(CypherResult("path", ("nodes", "hops"), ((["a", "b", "c"], 2), (["a", "c"], 1))))
    assert list(picture.nodes) == ["a", "b", "c"]
    assert [line[:2] for line in picture.lines] == [("a", "b"), ("b", "c"), ("a", "c")]


def test_a_result_without_rows_is_an_empty_picture() -> None:
    picture = draw(CypherResult("", ("source", "target"), ()))
    assert render_dot(picture) == "digraph {\n}\n"
    ElementTree.fromstring(svg_of(render_html(picture, "t")))


def test_other_columns_make_no_picture() -> None:
    with pytest.raises(RequestError, match="expected a query that returns source and target"):
        draw(CypherResult("", ("n", "m"), ((1, 2),)))


def test_more_nodes_than_can_be_seen_make_no_picture() -> None:
    rows = tuple((str(n), str(n + 1)) for n in range(MAX_NODES))
    with pytest.raises(RequestError, match="narrow the query"):
        draw(CypherResult("", ("source", "target"), rows))


def test_values_that_are_no_names_are_left_out() -> None:
    picture = draw(CypherResult("", ("source", "target"), ((1, "b"), (None, None), ({"a": 1}, []))))
    assert picture.lines == ()
    assert picture.nodes == {"b": "b"}


NAMES = [
    "<script>alert(1)</script>",
    "</title></svg><img src=x onerror=alert(1)>",
    '"];x[label="y',
    "\\N \\G \\",
    "a\x1b[31m\u202eb\nc",
    "x`) DETACH DELETE n//",
    "<<b>html label</b>>",
    "&lt;",
    "]]>",
]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_acts_in_a_page(name: str) -> None:
    page = render_html(Picture({name: name, "b": name}, [Line(name, "b", name)]), name)
    assert set(tags_of(page)) <= {
        *("html", "head", "meta", "title", "style", "body", "h1", "svg", "defs", "marker"),
        *("path", "line", "text", "g", "circle"),
    }
    assert "script" not in tags_of(page)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f\u202e]", page)
    texts = [e.text for e in ElementTree.fromstring(svg_of(page)).iter() if e.tag.endswith("title")]
    assert texts[0] == name.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e").replace(
        "\n", "\\x0a"
    )


QUOTED = r'"(?:[^"\\]|\\["\\])*"'


@pytest.mark.parametrize("name", NAMES)
def test_no_name_acts_in_graphviz_text(name: str) -> None:
    assert_quoted(name)


@given(st.text())
def test_every_name_stands_inside_of_its_quotes(name: str) -> None:
    assert_quoted(name)
    page = render_html(Picture({name: name}, []), name)
    assert tags_of(page).count("circle") == 1
    ElementTree.fromstring(svg_of(page))


def assert_quoted(name: str) -> None:
    # Two nodes, whatever the name.
    lines = render_dot(
        Picture({f"a{name}": name, "b": "B"}, [Line(f"a{name}", "b", name)])
    ).splitlines()
    assert len(lines) == 5
    assert re.fullmatch(rf"  {QUOTED} \[label={QUOTED}\];", lines[1])
    assert re.fullmatch(rf'  {QUOTED} -> "b" \[label={QUOTED}\];', lines[3])


def test_a_page_needs_nothing_from_elsewhere() -> None:
    page = render_html(draw(EDGES), "neighbourhood")
    assert "default-src 'none'" in page
    addresses = re.findall(r"https?://[^\s\"'<]+", page)
    assert set(addresses) == {"http://www.w3.org/2000/svg"}


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on") or name in ("src", "href")]


def tags_of(page: str) -> list[str]:
    parser = _Tags()
    parser.feed(page)
    return parser.found


def svg_of(page: str) -> str:
    return page[page.index("<svg") : page.index("</svg>") + len("</svg>")]
