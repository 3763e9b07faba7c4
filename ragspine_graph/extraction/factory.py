"""Choosing an extractor by name."""

from __future__ import annotations

import logging
import os

from ragspine_graph.config.extractor_spec import parse_extractor_spec
from ragspine_graph.extraction.deterministic import DeterministicRelationExtractor
from ragspine_graph.extraction.entities import make_entity_sources
from ragspine_graph.extraction.llm import (
    DEFAULT_MAX_OUTPUT_TOKENS,
    DEFAULT_MAX_RELATIONS,
    LLMRelationExtractor,
)
from ragspine_graph.extraction.protocol import RelationExtractor
from ragspine_graph.profile import Profile
from ragspine_graph.profile.nodes import ProfileNodes
from ragspine_graph.provider.protocol import Provider

EXTRACTOR_VARIABLE = "RAGSPINE_RELATION_EXTRACTOR"

_logger = logging.getLogger(__name__)


def make_relation_extractor(
    spec: str | None = None,
    *,
    provider: Provider | None = None,
    profile: Profile | None = None,
    max_relations: int = DEFAULT_MAX_RELATIONS,
    max_output_tokens: int = DEFAULT_MAX_OUTPUT_TOKENS,
) -> RelationExtractor | None:
    """The extractor of a name.

    | spec | extractor |
    |---|---|
    | `none` | None: no relation is added |
    | `deterministic`, `rule`, `cooccurrence` | `DeterministicRelationExtractor` |
    | `llm`, `on` | `LLMRelationExtractor`; without a provider None, and the log says so |

    Args:
        spec: the name, in any case, with `-` or `_` anywhere; the deterministic one takes settings
            as in `deterministic(window=section, top_n=5, sources=profile+terms)`. None or blank
            reads `RAGSPINE_RELATION_EXTRACTOR`, and without it means `none`.
        provider: asks the language model.
        profile: whose names mean its nodes.
        max_relations: distinct edges that `llm` takes from one document.
        max_output_tokens: longest answer about one child.

    Raises:
        ConfigError: the name is unknown, or its settings are; it is a `ValueError`.

    >>> make_relation_extractor("none") is None
    True
    >>> type(make_relation_extractor("co-occurrence")).__name__
    'DeterministicRelationExtractor'
    """
    given = (spec or "").strip() or os.environ.get(EXTRACTOR_VARIABLE, "").strip() or "none"
    parsed = parse_extractor_spec(given)
    profile = profile or Profile()
    if parsed.kind == "deterministic":
        sources = make_entity_sources(parsed.sources, ProfileNodes(profile))
        return DeterministicRelationExtractor(sources, window=parsed.window, top_n=parsed.top_n)
    if parsed.kind == "llm" and provider is None:
        _logger.warning(
            "relation extractor %r given and no language model is set up; "
            "no relations are extracted",
            given,
        )
    if parsed.kind == "none" or provider is None:
        return None
    return LLMRelationExtractor(
        provider,
        profile,
        max_relations=max_relations,
        max_output_tokens=max_output_tokens,
    )
