"""Cypher that a person wrote: read word by word, refused or sent as it was read."""

from ragspine_store.ad_hoc.plans import PlanStep, refuse_plan
from ragspine_store.ad_hoc.screening import AdHocQuery, screen_query

__all__ = ["AdHocQuery", "PlanStep", "refuse_plan", "screen_query"]
