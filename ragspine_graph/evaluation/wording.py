"""What figures are called, and how their numbers are written for people."""

from __future__ import annotations

from ragspine_graph.evaluation.bootstrap import Difference, Interval

_TITLES = {
    "recall": "R",
    "mrr": "MRR",
    "ndcg": "nDCG",
    "article_recall": "article R",
    "completeness": "context completeness",
    "context_characters": "context characters",
    "items_per_1000_characters": "items per 1,000 characters",
}


def title_of(figure: str) -> str:
    """What a figure is called.

    >>> title_of("article_recall@5")
    'article R@5'
    """
    name, at, k = figure.partition("@")
    return f"{_TITLES[name]}{at}{k}"


def kind_name(kind: str | None) -> str:
    """What a group is called.

    >>> kind_name(None), kind_name("")
    ('all', '(no kind)')
    """
    return "all" if kind is None else kind or "(no kind)"


def number(figure: str, value: float) -> str:
    """A value of a figure.

    >>> number("mrr@10", 0.51234), number("context_characters", 1310.4)
    ('0.512', '1,310')
    """
    return f"{value:,.0f}" if figure == "context_characters" else f"{value:.3f}"


def interval(figure: str, value: Interval) -> str:
    """A mean with its interval.

    >>> interval("mrr@10", Interval(0.5, 0.4, 0.61))
    '0.500 [0.400, 0.610]'
    """
    mean, low, high = (number(figure, part) for part in value)
    return f"{mean} [{low}, {high}]"


def difference(figure: str, value: Difference) -> tuple[str, str, str]:
    """A difference with its sign, its half-width and its p.

    >>> difference("mrr@10", Difference(0.05, 0.02, 0.0009995))
    ('+0.050', '±0.020', '0.0010')
    """
    sign = "+" if value.mean > 0 else "-" if value.mean < 0 else ""
    mean, half_width = (number(figure, abs(part)) for part in value[:2])
    return f"{sign}{mean}", f"±{half_width}", f"{value.p:.4f}"
