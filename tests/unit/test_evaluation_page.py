"""The page of an evaluation: what is drawn, and that nothing in it acts."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_graph import KnowledgeBase, ServiceConfig
from ragspine_graph.evaluation import (
    EvaluationSettings,
    Report,
    compare,
    evaluate,
    parse_questions,
    summarise,
)
from ragspine_graph.evaluation.bootstrap import Interval
from ragspine_graph.evaluation.page import render_page
from ragspine_graph.evaluation.plots import (
    Bars,
    Curve,
    Dot,
    bar_plot,
    curve_plot,
    dot_plot,
)

SVG = "{http://www.w3.org/2000/svg}"
NASTY = '<script>alert("x")</script>&\x1b[31m\u202e'
SETTINGS = EvaluationSettings((1, 3))


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.attributes: set[str] = set()

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.attributes |= {name for name, _ in attrs}


@pytest.fixture
def reports(tmp_path: Path) -> list[Report]:
    """The same questions over two stores: one misses what the other holds."""
    lines = [
        {"id": "one", "kind": "b", "question": "tea price", "answers": ["tea costs"]},
        {"id": "two", "kind": NASTY, "question": f"milk {NASTY}", "answers": [f"x{NASTY}"]},
        {"id": "three", "question": "tea"},
    ]
    questions = parse_questions(map(json.dumps, lines), origin="test")
    reports: list[Report] = []
    for name, text in (("a", "# Prices\n\nThe tea costs 3.\n\nOf milk.\n"), ("b", "Other milk.")):
        (tmp_path / f"{name}.md").write_text(text, encoding="utf-8")
        with KnowledgeBase.open(tmp_path / f"{name}.db", ServiceConfig.load()) as knowledge:
            knowledge.ingest(tmp_path / f"{name}.md")
            reports.append(summarise(evaluate(knowledge, questions, SETTINGS), SETTINGS, seed=0))
    return reports


def render(report: Report, other: Report | None = None) -> str:
    differences = compare(report, other) if other else []
    return render_page(report, other, differences, title=NASTY, misses=report.misses(9))


def figures_of(page: str) -> list[ElementTree.Element]:
    return [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def titles(page: str) -> list[str]:
    return [drawn.findtext(f"{SVG}text", "") for drawn in figures_of(page)]


@pytest.mark.parametrize("is_compared", [False, True], ids=["alone", "compared"])
def test_nothing_on_the_page_acts_or_leads_anywhere(
    reports: list[Report], is_compared: bool
) -> None:
    page = render(reports[0], reports[1] if is_compared else None)
    tags = Tags()
    tags.feed(page)
    assert tags.names.isdisjoint({"script", "a", "img", "link", "iframe", "image", "use"})
    assert {"href", "src", "onclick", "onload"}.isdisjoint(tags.attributes)
    assert "default-src &#x27;none&#x27;" in page or "default-src 'none'" in page
    assert NASTY not in page
    assert "\x1b" not in page
    assert "&lt;script&gt;" in page


def test_a_page_has_bars_curves_figures_and_misses(reports: list[Report]) -> None:
    page = render(reports[0])
    assert titles(page) == [
        *("R@1", "R@3", "MRR@3", "nDCG@1", "nDCG@3", "article R@1", "article R@3"),
        *("context completeness", "share of gold found"),
    ]
    (first, *_) = figures_of(page)
    shown = [bar.text or "" for bar in first.iter(f"{SVG}title")]
    assert shown[:1] == ["all: 0.500 [0.000, 1.000]"]
    assert shown[-1] == "b: 1.000 [1.000, 1.000]"
    assert len(shown) == 3
    assert "2 questions with gold, 1 without" in page
    assert "<td>two</td>" in page
    assert "<td>one</td>" not in page
    assert "against" not in page


def test_a_comparison_has_a_dot_for_each_question_and_differences(reports: list[Report]) -> None:
    page = render(*reports)
    assert titles(page).count("nDCG@3") == 2
    dots = next(d for d in reversed(figures_of(page)) if d.findtext(f"{SVG}text") == "nDCG@3")
    said = [dot.text or "" for dot in dots.iter(f"{SVG}title")]
    assert [text[-13:] for text in said] == ["0.000 → 1.000", "0.000 → 0.000"]
    assert "all: 2 questions" in page
    assert '<td class="number">+0.500</td>' in page


def test_a_report_without_figures_is_a_page_without_plots() -> None:
    empty = summarise([], SETTINGS, seed=0)
    page = render(empty)
    assert figures_of(page) == []
    assert "0 questions with gold" in page


labels = st.text(max_size=30)
shares = st.floats(0, 1)
spans = st.tuples(shares, shares, shares).map(lambda three: Interval(*sorted(three)))


@given(label=labels, values=st.lists(spans, min_size=1, max_size=2))
def test_bars_are_well_formed_whatever_they_are_called(label: str, values: list[Interval]) -> None:
    drawn = ElementTree.fromstring(bar_plot(label, [Bars(label, values)]))
    bars = list(drawn.iter(f"{SVG}rect"))
    assert len(bars) == len(values)
    for bar, value in zip(bars, values, strict=True):
        assert float(bar.attrib["width"]) == pytest.approx(210 * value.mean, abs=0.06)


@given(name=labels, points=st.dictionaries(st.integers(1, 40), shares, min_size=1))
def test_curves_are_well_formed_and_stay_inside(name: str, points: dict[int, float]) -> None:
    curve = Curve(name, sorted(points.items()))
    drawn = ElementTree.fromstring(curve_plot("t", "k", [curve]))
    (line,) = drawn.iter(f"{SVG}polyline")
    places = [tuple(map(float, place.split(","))) for place in line.attrib["points"].split()]
    assert len(places) == len(points)
    assert all(46 <= x <= 426 and 30 <= y <= 250 for x, y in places)


@given(name=labels, x=shares, y=shares)
def test_a_dot_has_the_colour_of_who_has_more(name: str, x: float, y: float) -> None:
    drawn = ElementTree.fromstring(dot_plot("t", "x", "y", [Dot(x, y, name)]))
    (dot,) = drawn.iter(f"{SVG}circle")
    colour = "#888888" if x == y else "#4477aa" if y > x else "#cc6677"
    assert dot.attrib["fill"] == colour
