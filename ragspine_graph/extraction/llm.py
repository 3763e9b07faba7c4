"""Relations that a language model proposes: one child a call, grounded in its text."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from ragspine_graph.errors import ProviderError
from ragspine_graph.extraction.defined_terms import find_defined_terms
from ragspine_graph.extraction.grounding import Grounding, Lineage
from ragspine_graph.extraction.prompt import hash_chunk, hash_prompt, make_request
from ragspine_graph.extraction.protocol import Extraction
from ragspine_graph.extraction.reply import parse_reply
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.provider.protocol import Provider
from ragspine_graph.security.relation_source import RelationSource, SourceChunk
from ragspine_store.relations import (
    Answer,
    AnswerKey,
    EdgeKey,
    Node,
    NodeType,
    Rejection,
    Relation,
)
from ragspine_store.sealed import Cleared, unseal

DEFAULT_MAX_RELATIONS = 1000
DEFAULT_MAX_OUTPUT_TOKENS = 1024

_logger = logging.getLogger(__name__)


class EdgeBound:
    """Lets the first so many distinct edges through, with all their evidence.

    Args:
        most: distinct edges.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: set[EdgeKey] = set()
        self._left: set[EdgeKey] = set()

    @property
    def left_out(self) -> int:
        """Distinct edges that came too late."""
        return len(self._left)

    def admits(self, key: EdgeKey) -> bool:
        """Whether an occurrence of this edge is kept."""
        if key in self._kept or len(self._kept) < self._most:
            self._kept.add(key)
            return True
        self._left.add(key)
        return False


class LLMRelationExtractor:
    """Asks a language model about every child of a document.

    It sees what passed the exit, so nothing RESTRICTED. What the model states is grounded
    (`extraction.grounding`); where it stands comes from the child.

    Args:
        provider: asks the model.
        profile: whose names and aliases mean its nodes.
        max_relations: distinct edges kept from one document, the first ones.
        max_output_tokens: longest answer about one child.
    """

    def __init__(
        self,
        provider: Provider,
        profile: Profile,
        *,
        max_relations: int = DEFAULT_MAX_RELATIONS,
        max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS,
    ) -> None:
        self.provider = provider
        self.max_relations = max_relations
        self.prompt = hash_prompt(max_output_tokens)
        self._max_output_tokens = max_output_tokens
        self._grounding = Grounding(ProfileNodes(profile))

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.provider.model

    def extract(self, source: Cleared[RelationSource]) -> Extraction:
        """Relations of one document; a child without an answer adds none, and is counted."""
        document = unseal(source)
        with ThreadPoolExecutor(self.provider.concurrency) as pool:
            answers = list(pool.map(self._try_ask, document.chunks))
        bound = EdgeBound(self.max_relations)
        relations: list[Relation] = []
        rejections: list[Rejection] = []
        reader = self.reader(source)
        for chunk, answer in zip(document.chunks, answers, strict=True):
            if answer is not None:
                read = reader.read(chunk, answer)
                relations += [found for found in read.relations if bound.admits(found.key)]
                rejections += read.rejections
        return Extraction(
            tuple(relations), tuple(rejections), bound.left_out, failed=answers.count(None)
        )

    def key_of(self, chunk: SourceChunk) -> AnswerKey:
        """Under what the answer about a child is cached."""
        return AnswerKey(self.model, self.prompt, hash_chunk(chunk.text))

    def ask(self, chunk: SourceChunk) -> Answer:
        """The model's answer about a child of a cleared document.

        Raises:
            ProviderError: there is none.
        """
        try:
            return self.provider.complete(make_request(chunk.text, self._max_output_tokens))
        except ProviderError:
            raise
        except Exception as error:  # a provider of others may raise anything; the build goes on
            raise ProviderError(
                f"model {self.model!r}: the provider failed with {type(error).__name__}; "
                "expected an answer or a ProviderError"
            ) from None

    def reader(self, source: Cleared[RelationSource]) -> AnswerReader:
        """Reads answers about the children of one document."""
        return AnswerReader(self._grounding, unseal(source), self.model, self.prompt)

    def _try_ask(self, chunk: SourceChunk) -> Answer | None:
        try:
            return self.ask(chunk)
        except ProviderError as error:
            _logger.warning("a child is left without relations: %s", error)
            return None


class AnswerReader:
    """Turns answers about the children of one document into relations.

    Args:
        grounding: checks what is stated against the text.
        source: the document.
        model, prompt: name of the model and hash of the prompt.
    """

    def __init__(
        self, grounding: Grounding, source: RelationSource, model: str, prompt: str
    ) -> None:
        self._grounding = grounding
        self._source = source
        self._model = model
        self._prompt = prompt
        self._terms = dict(_term_nodes(source))

    def read(self, chunk: SourceChunk, answer: Answer) -> Extraction:
        """What an answer comes to, each place of each edge once; never fails."""
        lineage = Lineage(self._source, chunk, self._model, self._prompt, self._terms)
        reply = parse_reply(answer.text)
        rejections = [
            Rejection("malformed", fault, "", "", "", "", lineage.stamp()) for fault in reply.faults
        ]
        relations: dict[tuple[object, ...], Relation] = {}
        for item in reply.items:
            outcome = self._grounding.ground(item, lineage)
            if isinstance(outcome, Rejection):
                rejections.append(outcome)
            else:
                place = (outcome.key, outcome.evidence.span, outcome.evidence.quote)
                relations.setdefault(place, outcome)
        return Extraction(tuple(relations.values()), tuple(rejections))


def _term_nodes(source: RelationSource) -> Iterable[tuple[str, Node]]:
    for term in find_defined_terms(source.text):
        name = normalise_name(term.name)
        if name and not term.is_local:
            yield name, Node(NodeType.TERM, f"{name}@{source.doc_id}")
