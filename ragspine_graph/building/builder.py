"""`GraphBuilder`: the relation graph of a store, built as the settings say and kept in step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cached_property

from ragspine_graph.building.rules import (
    BuildProgress,
    RelationRules,
    RuleBuildReport,
    build_rule_relations,
    build_stated_relations,
)
from ragspine_graph.config import ServiceConfig
from ragspine_graph.config.extractor_spec import parse_extractor_spec, parse_sources
from ragspine_graph.errors import ConfigError
from ragspine_graph.extraction.definitions import DefinedTermExtractor
from ragspine_graph.extraction.deterministic import DeterministicRelationExtractor
from ragspine_graph.extraction.entities import make_entity_sources
from ragspine_graph.extraction.llm import LLMRelationExtractor
from ragspine_graph.extraction.mentions import MentionExtractor
from ragspine_graph.extraction.protocol import RuleExtractor
from ragspine_graph.facts import Fact
from ragspine_graph.model_build import ModelBuildReport, ModelProgress, build_model_relations
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.provider.factory import find_gap, make_provider
from ragspine_graph.provider.protocol import Provider
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.protocols import Store, StoreReader

# Sections mention the terms of their document (`DefinedTermExtractor`), documents all other names.
_NAMED_BY_DOCUMENTS = ("profile", "titles")


@dataclass(frozen=True, slots=True)
class GraphBuildReport:
    """What a build did; an operator's output, without text.

    Attributes:
        rules: what profile, facts and rules gave.
        model: what a language model gave; None when none was asked.
        gap: what is missing for the language model that the settings ask for; '' otherwise.
        advice: what other settings would add; '' when nothing would.
    """

    rules: RuleBuildReport
    model: ModelBuildReport | None = None
    gap: str = ""
    advice: str = ""

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "rules": asdict(self.rules),
            "model": self.model.to_dict() if self.model else None,
            "gap": self.gap or None,
            "advice": self.advice or None,
        }


@dataclass(frozen=True, slots=True)
class GraphState:
    """How far the graph of a store is built; an operator's output.

    Attributes:
        is_built: it was built at least once: changed documents are then kept in step.
        to_build: documents whose relations were not made with the present profile and settings.
        gap: what is missing for the language model that the settings ask for; '' otherwise.
    """

    is_built: bool
    to_build: int
    gap: str = ""


class GraphBuilder:
    """Builds the relation graph of a store.

    Args:
        store: an open store.
        config: names the extractor and the sources of entities.
        nodes: of the profile.
        gate: of the same profile.
    """

    def __init__(
        self, store: Store, config: ServiceConfig, nodes: ProfileNodes, gate: SecurityGate
    ) -> None:
        self._store = store
        self._config = config
        self._nodes = nodes
        self._gate = gate

    def build(
        self,
        facts: Iterable[Fact] = (),
        *,
        provider: Provider | None = None,
        progress: Callable[[BuildProgress | ModelProgress], None] = lambda _: None,
    ) -> GraphBuildReport:
        """Build what is not built yet.

        Args:
            facts: all there are, in place of those given before.
            provider: asks the language model, when the settings ask for one; None makes the one
                of the settings.
            progress: called after each document, then after each child that a model was asked
                about.

        Raises:
            ConfigError: a setting for the language model is wrong.
            StoreLockedError: another process kept the store's write lock; running it again goes on.
        """
        build_stated_relations(self._store, self._rules, facts)
        by_rules = build_rule_relations(self._store, self._rules, progress=progress)
        report = GraphBuildReport(by_rules, advice=graph_advice(self._config))
        if not self._asks_model:
            return report
        made = None if provider else make_provider(self._config)
        asked = provider or made
        if asked is None:
            return replace(report, gap=find_gap(self._config) or "")
        try:
            extractor = LLMRelationExtractor(
                asked,
                self._nodes.profile,
                max_relations=self._config.llm_max_relations,
                max_output_tokens=self._config.llm_max_output_tokens,
            )
            by_model = build_model_relations(self._store, extractor, self._gate, progress=progress)
        finally:
            if made is not None:
                made.close()
        return replace(report, model=by_model)

    def refresh(self) -> RuleBuildReport | None:
        """Make anew what documents that were changed or relabelled need; no model is asked.

        Returns:
            None, and nothing is done, when the graph was never built, or last with another profile
            or other settings: then it is for `build` to say what holds.
        """
        with self._store.reading() as transaction:
            built = transaction.built_rules()
        if not built or built != self._rules.fingerprint:
            return None
        return build_rule_relations(self._store, self._rules)

    def state(self, transaction: StoreReader) -> GraphState:
        """How far the graph is built, as the settings say."""
        states = transaction.relation_states()
        return GraphState(
            is_built=bool(transaction.built_rules()),
            to_build=sum(state.rules != self._rules.fingerprint for state in states),
            gap=self._find_gap(),
        )

    @property
    def _asks_model(self) -> bool:
        return parse_extractor_spec(self._config.relation_extractor).kind == "llm"

    def _find_gap(self) -> str:
        if not self._asks_model:
            return ""
        try:
            return find_gap(self._config) or ""
        except ConfigError as error:
            return str(error)

    @cached_property
    def _rules(self) -> RelationRules:
        nodes = self._nodes
        config = self._config
        named_by = parse_sources(config.entity_sources)
        spec = parse_extractor_spec(config.relation_extractor)
        # A model is no rule: that it is asked makes nothing anew that rules find.
        nearness = spec if spec.kind == "deterministic" else None
        wanted = tuple(dict.fromkeys((*named_by, *(nearness.sources if nearness else ()))))
        source_of = dict(zip(wanted, make_entity_sources(wanted, nodes), strict=True))
        extractors: list[RuleExtractor] = []
        if by_documents := [source_of[name] for name in named_by if name in _NAMED_BY_DOCUMENTS]:
            extractors.append(MentionExtractor(by_documents))
        if "terms" in named_by:
            extractors.append(DefinedTermExtractor())
        if nearness:
            near = [source_of[name] for name in nearness.sources]
            extractors.append(
                DeterministicRelationExtractor(near, window=nearness.window, top_n=nearness.top_n)
            )
        made_with = (*named_by, str(nearness) if nearness else "")
        return RelationRules.of(nodes, self._gate, extractors, made_with)


def graph_advice(config: ServiceConfig) -> str:
    """What other settings would add to the graph; '' when nothing would.

    >>> graph_advice(ServiceConfig(relation_extractor="deterministic"))
    'Without a profile ... --profile FILE gives one... --entities titles,terms would find ...'
    """
    advice: list[str] = []
    sources = parse_sources(config.entity_sources)
    if config.profile is None:
        advice.append(
            "Without a profile no company, rival or metric is known: --profile FILE gives one."
        )
        if not {"titles", "terms"} & set(sources):
            advice.append(
                "--entities titles,terms would find the documents and defined terms that texts "
                "name."
            )
    if parse_extractor_spec(config.relation_extractor).kind == "none":
        advice.append(
            "--extractor deterministic would relate names that stand near one another, --extractor "
            "llm what a language model reads."
        )
    return " ".join(advice)
