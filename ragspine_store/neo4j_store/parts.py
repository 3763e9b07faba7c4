"""Labels of sections and children on the server: read, derived anew, written where they changed.

Labels that another program wrote into the nodes, stricter than what was derived, are kept as labels
of their own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any

from ragspine_store.neo4j_store.rows import batches, section_node, token_properties
from ragspine_store.neo4j_store.texts import read_text, write_text
from ragspine_store.neo4j_store.transaction import Queries
from ragspine_store.neo4j_store.vectors import DocumentVectors
from ragspine_store.records import PartState, Span
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.storage_rules.lead_ins import Indexed, open_lead_ins
from ragspine_store.storage_rules.part_labels import (
    UNSTATED,
    Part,
    PartLabels,
    find_erasure,
    own_label,
    stated_label,
)
from ragspine_store.storage_rules.rows import heading_paths
from ragspine_store.words import FindWords

Properties = Mapping[str, Any]  # the driver gives untyped values


class DocumentParts:
    """The sections and children of one document, as they are labelled now.

    Args:
        queries: runs queries in an open write transaction.
        doc_id: of a document that is there.
        state: number of the change that is being made.
        find_words: finds the words that children are indexed with.
    """

    def __init__(
        self, queries: Queries, doc_id: str, state: int, find_words: FindWords | None
    ) -> None:
        self._find_words = find_words
        self._queries = queries
        self._doc_id = doc_id
        self._state = state
        row = queries.row("read_parts", doc_id=doc_id)
        assert row is not None
        document: Properties = row["document"]
        self._first_key: int = document["first_key"]
        self._document: Properties = document
        root = {
            "no": 0,
            "parent": None,
            "heading": document["heading"],
            "span_start": 0,
            "span_end": document["span_end"],
            "own_label": document["own_label"],
            "sensitivity": document["root_label"],
            "is_erased": document["is_erased"],
        }
        self._sections: list[Properties] = [root, *row["sections"]]
        self._children: list[Properties] = row["children"]
        self.labels = PartLabels(
            stored_label(document["sensitivity"]),
            [_part(s, s["no"], s["parent"], s["heading"]) for s in self._sections],
            [_part(child, child["hit_key"]) for child in self._children],
        )

    @property
    def doc_no(self) -> int:
        """The store's own key of the document."""
        return self._first_key

    def find(self, fragment: str) -> PartState | None:
        """The section (`s2`) or child (`c3`) that a fragment names."""
        kind, number = fragment[0], fragment[1:]
        if not number.isdecimal() or kind not in "sc":
            return None
        is_section = kind == "s"
        if is_section:
            keys = (s["no"] for s in self._sections if s["no"] == int(number))
        else:
            keys = (c["hit_key"] for c in self._children if c["seq"] == int(number))
        key = next(keys, None)
        if key is None:
            return None
        return self.labels.state_of(self.doc_no, key, is_section=is_section)

    def relabel_document(self, level: Sensitivity) -> None:
        """Give the document a label; what is in force of its parts follows."""
        labels = replace(self._adopted(), document=level)
        self._queries.run(
            "set_document",
            doc_id=self._doc_id,
            properties={
                "sensitivity": level.name,
                "clearance": int(level),
                "inputs_hash": "",
                "is_stated": True,
            },
        )
        self._write(labels)

    def relabel_part(self, part: PartState, level: Sensitivity) -> None:
        """Give a section or child a label of its own, or none when its document's is as strict.

        What was stated of it stands, whatever becomes of the sections it stands under.
        """
        labels = self._adopted()
        own = own_label(stated_label(level, labels.document))
        parts = labels.sections if part.is_section else labels.children
        changed = [replace(p, own=own) if p.key == part.key else p for p in parts]
        if part.is_section:
            self._write(replace(labels, sections=changed))
        else:
            self._write(replace(labels, children=changed))

    def erase_restricted(self) -> bool:
        """Overwrite the text of RESTRICTED sections and children; whether any was kept.

        Their nodes stay, without text or heading, and are marked as erased.
        """
        erasure = find_erasure(self.labels, read_text(self._queries, self._doc_id))
        if erasure is None:
            return False
        if erasure.text:
            self._queries.run("delete_texts", doc_id=self._doc_id)
            write_text(self._queries, self._doc_id, erasure.text)
        self._hide_title(erasure.headings)
        rows = (
            {
                "id": section_node(self._doc_id, no),
                "properties": {"heading": "", "folded": "", "is_erased": True},
            }
            for no in erasure.sections
        )
        for batch in batches(rows):
            self._queries.run("write_section_labels", rows=batch)
        self._queries.run("erase_children", keys=list(erasure.children))
        # A window kept as text may hold the erased part; windows that are spans cannot.
        self._queries.run("erase_window_texts", doc_id=self._doc_id)
        DocumentVectors(self._queries, self._doc_id).remove_restricted()
        return True

    def index_anew(self) -> None:
        """Make the tokens of all searchable children anew."""
        self._index([child["hit_key"] for child in self._children if child["is_indexed"]])

    def _adopted(self) -> PartLabels:
        """The labels, those that another program wrote among what was stated."""
        labels = self.labels
        children = [
            replace(part, own=max(part.own, written))
            if (written := stored_label(child["sensitivity"])) > child["clearance"]
            else part
            for part, child in zip(labels.children, self._children, strict=True)
        ]
        labels = replace(labels, children=children)
        derived = labels.of_sections()
        sections = [
            replace(part, own=max(part.own, written))
            if (written := stored_label(section["sensitivity"])) > derived[part.key]
            else part
            for part, section in zip(labels.sections, self._sections, strict=True)
        ]
        return replace(labels, sections=sections)

    def _write(self, labels: PartLabels) -> None:
        """Write labels and all that follows from them, where anything changed."""
        self.labels = labels
        self._write_sections()
        changed = self._write_children()
        self._queries.run("set_document", doc_id=self._doc_id, properties={"changed": self._state})
        self._hide_title(labels.withheld_headings())
        DocumentVectors(self._queries, self._doc_id).remove_restricted(changed)

    def _write_sections(self) -> None:
        in_force = self.labels.of_sections()
        rows: list[dict[str, object]] = []
        for part, stored in zip(self.labels.sections, self._sections, strict=True):
            label = in_force[part.key]
            own = _stored_own(part)
            if (own, label.name) == (stored["own_label"], stored["sensitivity"]):
                continue
            properties = (
                {"own_label": own, "sensitivity": label.name, "clearance": int(label)}
                if part.parent is not None
                else {"own_label": own, "root_label": label.name}
            )
            rows.append({"id": section_node(self._doc_id, part.key), "properties": properties})
        for batch in batches(iter(rows)):
            self._queries.run("write_section_labels", rows=batch)

    def _write_children(self) -> set[int]:
        """Write their labels; the keys of those that are found by another lead-in than before."""
        in_force = self.labels.of_children()
        before = self._lead_ins({c["hit_key"]: c["clearance"] for c in self._children})
        after = self._lead_ins(in_force)
        rows: list[dict[str, object]] = []
        opened: list[int] = []
        for part, stored in zip(self.labels.children, self._children, strict=True):
            label = in_force[part.key]
            is_open = label < Sensitivity.RESTRICTED
            properties: dict[str, object] = {
                "own_label": _stored_own(part),
                "sensitivity": label.name,
                "clearance": int(label),
            }
            if any(stored[key] != value for key, value in properties.items()) or (
                stored["is_indexed"] and not is_open
            ):
                properties["own_label"] = properties["own_label"] or None
                rows.append({"key": part.key, "properties": properties, "hide": not is_open})
            is_found_otherwise = before.get(part.key) != after.get(part.key)
            if is_open and (is_found_otherwise or not stored["is_indexed"]):
                opened.append(part.key)
        for batch in batches(iter(rows)):
            self._queries.run("write_child_labels", rows=batch)
        self._index(opened)
        return {key for key in {*before, *after} if before.get(key) != after.get(key)}

    def _index(self, keys: Collection[int]) -> None:
        """Make children searchable, or make their tokens anew."""
        if not keys:
            return
        lead_ins = self._lead_ins(self.labels.of_children())
        whole = (read_text(self._queries, self._doc_id) or "") if lead_ins else ""
        paths = heading_paths((s["no"], s["parent"], s["heading"]) for s in self._sections)
        sections = {child["hit_key"]: child["section"] for child in self._children}
        texts = self._queries.rows("read_texts_of_children", keys=list(keys))
        has_paths = bool(self._document["chunker"])
        rows = (
            {
                "key": row["key"],
                "properties": token_properties(
                    row["text"],
                    paths[sections[row["key"]]] if has_paths else (),
                    whole[slice(*lead_ins[row["key"]])] if row["key"] in lead_ins else "",
                    self._find_words,
                ),
            }
            for row in texts
        )
        for batch in batches(rows):
            self._queries.run("index_children", rows=batch)

    def _lead_ins(self, levels: Mapping[int, int]) -> dict[int, Span]:
        """The lead-ins that children are found by under these labels."""
        return open_lead_ins(
            Indexed(part.key, levels[part.key], part.extent, _lead_in(stored))
            for part, stored in zip(self.labels.children, self._children, strict=True)
        )

    def _hide_title(self, headings: Collection[str]) -> None:
        """Call the document by its id when its title is one of the headings, which are withheld."""
        title = self._document["title"]
        if title and title in headings:
            # The next ingest writes the title anew, should the label be lowered by then.
            self._queries.run("hide_title", doc_id=self._doc_id)
            self._document = {**self._document, "title": self._doc_id}


def _lead_in(stored: Properties) -> Span | None:
    end = stored["lead_in_end"]
    return None if end is None else Span(stored["lead_in_start"], end)


def _stored_own(part: Part) -> str:
    return part.own.name if part.own > UNSTATED else ""


def _part(stored: Properties, key: int, parent: int | None = None, heading: str = "") -> Part:
    extent = Span(stored["span_start"], stored["span_end"])
    return Part(key, extent, own_label(stored["own_label"]), stored["is_erased"], parent, heading)
