"""What people call a node of the relation graph: its id, a name, an alias, an address."""

from __future__ import annotations

import re
import unicodedata

from ragspine_graph.extraction.references import find_address
from ragspine_graph.names.normaliser import normalise_name
from ragspine_graph.profile.nodes import ProfileNodes

_QUOTED = re.compile(r"[「『“\"](.+)[」』”\"]")


def names_to_look_up(name: str, nodes: ProfileNodes) -> tuple[str, ...]:
    """Under what a store may know the node that a person names; each once.

    Args:
        name: as given; quotation marks around it do not count.
        nodes: of the profile, whose aliases mean its nodes.

    >>> from ragspine_graph.profile import Profile
    >>> profile = Profile.model_validate({"home": {"synonyms": {"Example Ltd": "EX"}}})
    >>> names_to_look_up("EXAMPLE", ProfileNodes(profile))
    ('EXAMPLE', 'example', 'entity:EX')
    >>> names_to_look_up("第三十八条", ProfileNodes(Profile()))
    ('第三十八条', 'article 38')
    """
    name = unicodedata.normalize("NFC", name).strip()
    quoted = _QUOTED.fullmatch(name)
    bare = quoted[1] if quoted else name
    listed = nodes.find(bare)
    spellings = (
        name,
        bare,
        normalise_name(bare),
        listed.id if listed else "",
        find_address(bare),
    )
    return tuple(filter(None, dict.fromkeys(spellings)))
