"""Auto-merge: enough hit children give way to their parent, level by level.

Seed 003, "Auto-Merging Retrieval". From the deepest branch up, a branch takes the place of what
was hit inside it when at least `threshold` of its children are hit: chunks that are hits, and
branches that merged. A branch of one child merges nothing, and one that hides something never does.
Pure: the result does not depend on the order of the hits, and holds no branch together with what is
inside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragspine_graph.errors import RequestError
from ragspine_store.protocols import Branch, BranchKey, Candidate

DEFAULT_THRESHOLD = 0.5


@dataclass(frozen=True, slots=True)
class Merged:
    """A block of evidence.

    Attributes:
        branch: the branch that took the place of its evidence; None for a child by itself.
        evidence: the hit children in it, in document order.
    """

    branch: Branch | None
    evidence: tuple[Candidate, ...]

    @property
    def score(self) -> float:
        """The score of the best evidence."""
        return max(child.score for child in self.evidence)


def auto_merge(
    hits: Sequence[Candidate],
    branches: Mapping[BranchKey, Branch],
    threshold: float = DEFAULT_THRESHOLD,
) -> list[Merged]:
    """Merge hits upwards.

    Args:
        hits: the hit children; one that is named twice counts once.
        branches: every branch above them; a child whose branch is missing stays by itself.
        threshold: the share of a branch's children that must be hit, above 0 and at most 1.

    Returns:
        Best score first; equal scores by document id, then position.

    Raises:
        RequestError: the threshold is out of range.
    """
    if not 0 < threshold <= 1:
        raise RequestError(f"merge_threshold = {threshold} given; expected above 0, at most 1")
    children = {child.chunk.chunk_id: child for child in hits}
    loose: dict[BranchKey | None, list[Merged]] = {}
    hit: dict[BranchKey, int] = {}
    for child in children.values():
        key = BranchKey(child.chunk.doc_id, child.node) if child.node is not None else None
        if key not in branches:
            key = None
        loose.setdefault(key, []).append(Merged(None, (child,)))
        if key is not None:
            hit[key] = hit.get(key, 0) + 1
    # A parent comes before its children, so the reverse order meets the deepest first.
    for key in sorted(branches, key=lambda key: key.no, reverse=True):
        branch = branches[key]
        inside = loose.pop(key, [])
        above = None if branch.parent is None else BranchKey(key.doc_id, branch.parent)
        if above not in branches:
            above = None
        if _merges(branch, hit.get(key, 0), threshold):
            evidence = [child for merged in inside for child in merged.evidence]
            evidence.sort(key=lambda child: child.chunk.seq)
            inside = [Merged(branch, tuple(evidence))]
            if above is not None:
                hit[above] = hit.get(above, 0) + 1
        loose.setdefault(above, []).extend(inside)
    return sorted(loose.get(None, []), key=_rank)


def _merges(branch: Branch, hit: int, threshold: float) -> bool:
    return branch.children > 1 and not branch.hides and hit / branch.children >= threshold


def _rank(merged: Merged) -> tuple[float, str, int]:
    first = merged.evidence[0].chunk
    return (-merged.score, first.doc_id, first.seq)
