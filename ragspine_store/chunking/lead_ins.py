"""The lines that lists begin with: what an item belongs to, and often does not say itself.

「次の各号のいずれかに該当する者」 says of every item below it what the item is about.
"""

from __future__ import annotations

import re

from ragspine_store.records import Block, BlockKind, Outline, Span
from ragspine_store.sentences import sentence_spans

MAX_CHARS = 400
"""Of a longer lead-in its last sentences count, so that a long text is not repeated endlessly."""

_ANNOUNCES = re.compile(
    r"次の|次に|以下の|以下に|下記|左の|\b(?:following|as follows|listed below)\b|[:：]\s*\Z",
    re.IGNORECASE,
)


class LeadIns:
    r"""The lead-in of each block of an outline.

    That of a nested item is the text of the item that holds it; that of an outermost item is the
    paragraph before its list, where that announces one.

    Args:
        text: canonical text.
        outline: its structure.

    >>> from ragspine_store.loading import outline_of
    >>> text = "Leave is given in the following cases:\n\n- illness\n- moving\n"
    >>> outline = outline_of(text)
    >>> text[slice(*LeadIns(text, outline).find(outline.blocks[2]))]
    'Leave is given in the following cases:'
    """

    def __init__(self, text: str, outline: Outline) -> None:
        self._of_block: dict[Span, Span] = {}
        before: Block | None = None
        for block in outline.blocks:
            if block.kind is not BlockKind.ITEM:
                before = block if block.kind is BlockKind.PARAGRAPH else None
            elif block.parent is not None:
                self._of_block[block.span] = _ending(text, outline.blocks[block.parent].span)
            elif before is not None and before.section == block.section:
                lead_in = _ending(text, before.span)
                if _ANNOUNCES.search(text[lead_in.start : lead_in.end].rstrip()):
                    self._of_block[block.span] = lead_in

    def find(self, block: Block) -> Span | None:
        """Where the lead-in of a block stands; None without one."""
        return self._of_block.get(block.span)


def _ending(text: str, span: Span) -> Span:
    """All of a span, or as many of its last sentences as are short enough, at least one's end."""
    earliest = span.end - MAX_CHARS
    if span.start >= earliest:
        return span
    starts = (sentence.start for sentence in sentence_spans(text, *span))
    return Span(next((start for start in starts if start >= earliest), earliest), span.end)
