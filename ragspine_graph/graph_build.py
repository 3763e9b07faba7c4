"""`GraphBuilder`: the relation graph of a store, built as the settings say and kept in step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass

from ragspine_graph.config import ServiceConfig
from ragspine_graph.extraction.definitions import DefinedTermExtractor
from ragspine_graph.extraction.entities import make_entity_sources
from ragspine_graph.extraction.factory import make_relation_extractor
from ragspine_graph.extraction.llm import LLMRelationExtractor
from ragspine_graph.extraction.mentions import MentionExtractor
from ragspine_graph.extraction.protocol import RelationExtractor
from ragspine_graph.extractor_spec import parse_extractor_spec, parse_sources
from ragspine_graph.facts import Fact
from ragspine_graph.model_build import ModelBuildReport, ModelProgress, build_model_relations
from ragspine_graph.profile import Profile
from ragspine_graph.profile_nodes import ProfileNodes
from ragspine_graph.provider.factory import find_gap, make_provider
from ragspine_graph.provider.protocol import Provider
from ragspine_graph.relation_build import (
    BuildProgress,
    RelationRules,
    RuleBuildReport,
    build_rule_relations,
    build_stated_relations,
)
from ragspine_graph.security.gate import SecurityGate
from ragspine_store.protocols import Store

# Sections mention the terms of their document (`DefinedTermExtractor`), documents all other names.
_NAMED_BY_DOCUMENTS = ("profile", "titles")


@dataclass(frozen=True, slots=True)
class GraphBuildReport:
    """What a build did; an operator's output, without text.

    Attributes:
        rules: what profile, facts and rules gave.
        model: what a language model gave; None when none was asked.
        gap: what is missing for the language model that the settings ask for; '' otherwise.
    """

    rules: RuleBuildReport
    model: ModelBuildReport | None = None
    gap: str = ""

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "rules": asdict(self.rules),
            "model": self.model.to_dict() if self.model else None,
            "gap": self.gap or None,
        }


class GraphBuilder:
    """Builds the relation graph of a store.

    Args:
        store: an open store.
        config: names the extractor and the sources of entities.
        profile: whose names mean its nodes.
        gate: of the same profile.
    """

    def __init__(
        self, store: Store, config: ServiceConfig, profile: Profile, gate: SecurityGate
    ) -> None:
        self._store = store
        self._config = config
        self._profile = profile
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
        rules = self._rules()
        build_stated_relations(self._store, rules, facts)
        by_rules = build_rule_relations(self._store, rules, progress=progress)
        if parse_extractor_spec(self._config.relation_extractor).kind != "llm":
            return GraphBuildReport(by_rules)
        made = None if provider else make_provider(self._config)
        asked = provider or made
        if asked is None:
            return GraphBuildReport(by_rules, gap=find_gap(self._config) or "")
        try:
            extractor = LLMRelationExtractor(
                asked,
                self._profile,
                max_relations=self._config.llm_max_relations,
                max_output_tokens=self._config.llm_max_output_tokens,
            )
            by_model = build_model_relations(self._store, extractor, self._gate, progress=progress)
        finally:
            if made is not None:
                made.close()
        return GraphBuildReport(by_rules, by_model)

    def is_built(self) -> bool:
        """Whether any document's relations are as rules made them."""
        with self._store.reading() as transaction:
            return any(state.rules for state in transaction.relation_states())

    def refresh(self) -> RuleBuildReport:
        """Make anew what documents that were changed or relabelled need; no model is asked."""
        return build_rule_relations(self._store, self._rules())

    def _rules(self) -> RelationRules:
        nodes = ProfileNodes(self._profile)
        config = self._config
        sources = parse_sources(config.entity_sources)
        extractors: list[RelationExtractor] = []
        if named := [name for name in sources if name in _NAMED_BY_DOCUMENTS]:
            extractors.append(MentionExtractor(make_entity_sources(named, nodes)))
        if "terms" in sources:
            extractors.append(DefinedTermExtractor())
        spec = config.relation_extractor
        if parse_extractor_spec(spec).kind == "deterministic":
            extractor = make_relation_extractor(spec, profile=self._profile)
            assert extractor is not None
            extractors.append(extractor)
        return RelationRules.of(nodes, self._gate, extractors, (config.entity_sources, spec))
