"""The way along the relation graph on which something was found."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """One edge, in the direction in which it was walked.

    Attributes:
        from_id, to_id: ids of graph nodes; `question` where a name in the question leads on.
        kind: of the edge.
        edge_id: which edge it was; '' for a name that was read in the text and is no edge of the
            graph.
    """

    from_id: str
    kind: str
    edge_id: str
    to_id: str

    def to_dict(self) -> dict[str, object]:
        """As a JSON object."""
        return {
            "from": self.from_id,
            "kind": self.kind,
            "edge": self.edge_id,
            "to": self.to_id,
        }
