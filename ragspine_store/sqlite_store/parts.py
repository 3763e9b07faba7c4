"""Labels inside a document: sections and children may be stricter than the document.

What was stated of a section or child is its own label. What is in force is derived from it, in one
place, and written into the rows, which is all that reads look at:

- a section is as strict as its document, its own label, the sections around it, and every labelled
  child that holds its heading;
- a child is as strict as its document, its own label, and every section and labelled child that it
  shares text with;
- what was erased is RESTRICTED until its document is ingested again, whatever its label.

A row from before the record has no span; there paragraphs tell what shares text.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from ragspine_store.records import PartState, Span
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.sqlite_store.indexing import add_to_index, remove_from_index
from ragspine_store.sqlite_store.texts import find_text, write_text

# What stands in the place of each erased character, so that spans and paragraph numbers hold.
ERASED = "█"

UNSTATED = Sensitivity.PUBLIC
"""What a part without a label of its own adds to the strictness of what is around it: nothing."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A section or child: its key, where its text stands, and what was stated of it."""

    key: int
    extent: Span
    own: Sensitivity
    is_erased: bool
    parent: int | None = None
    heading: str = field(default="", repr=False)

    @property
    def alone(self) -> Sensitivity:
        """The least that it is by itself."""
        return Sensitivity.RESTRICTED if self.is_erased else self.own


@dataclass(frozen=True, slots=True)
class _Labels:
    """The parts of one document and, derived from them, what is in force."""

    document: Sensitivity
    sections: Sequence[_Part]
    children: Sequence[_Part]

    def of_sections(self) -> dict[int, Sensitivity]:
        """The labels in force of the sections; a parent comes before its subsections."""
        strict = [child for child in self.children if child.own > self.document]
        found: dict[int, Sensitivity] = {}
        for section in self.sections:
            heading = Span(section.extent.start, section.extent.start + 1)
            labels = [self.document, section.alone]
            if section.parent is not None:
                labels.append(found.get(section.parent, self.document))
                labels += [child.own for child in strict if child.extent.overlaps(heading)]
            found[section.key] = max(labels)
        return found

    def of_children(self) -> dict[int, Sensitivity]:
        """The labels in force of the children."""
        sections = self.of_sections()
        strict = [(s.extent, sections[s.key]) for s in self.sections]
        strict += [(child.extent, child.own) for child in self.children]
        strict = [(extent, label) for extent, label in strict if label > self.document]
        found: dict[int, Sensitivity] = {}
        for child in self.children:
            shared = (label for extent, label in strict if extent.overlaps(child.extent))
            found[child.key] = max(self.document, child.alone, *shared)
        return found

    def without(self, part: _Part, *, is_section: bool) -> _Labels:
        """The same, had nothing been stated of one part."""
        parts = self.sections if is_section else self.children
        bare = [replace(p, own=UNSTATED, is_erased=False) if p is part else p for p in parts]
        return replace(self, sections=bare) if is_section else replace(self, children=bare)


@contextmanager
def changing_labels(db: sqlite3.Connection, doc_no: int) -> Generator[None]:
    """Change labels of a document, its sections or children inside; children and index follow.

    Rows of old versions go: they are never read, and would keep their old label.
    """
    _adopt_labels(db, doc_no)
    remove_from_index(db, doc_no)
    db.execute(
        "DELETE FROM narrative_chunk WHERE active = 0"
        " AND doc_id = (SELECT doc_id FROM document WHERE no = ?)",
        (doc_no,),
    )
    yield
    _write_labels(db, doc_no)
    add_to_index(db, doc_no)


def _adopt_labels(db: sqlite3.Connection, doc_no: int) -> None:
    """Make labels that another program wrote into the rows labels of their own.

    They are those stricter than what was derived.
    """
    db.execute(
        "UPDATE chunk_span SET own_label = c.sensitivity FROM current_chunk c"
        " WHERE c.id = chunk_span.id AND chunk_span.doc_no = ?"
        " AND label_level(c.sensitivity) > chunk_span.level",
        (doc_no,),
    )
    derived = _read_labels(db, doc_no).of_sections()
    written = db.execute(
        "SELECT no, sensitivity FROM section INDEXED BY ix_section_label"
        " WHERE doc_no = ? AND sensitivity != ''",
        (doc_no,),
    ).fetchall()
    db.executemany(
        "UPDATE section SET own_label = ? WHERE doc_no = ? AND no = ?",
        [(label, doc_no, no) for no, label in written if stored_label(label) > derived[no]],
    )


def _write_labels(db: sqlite3.Connection, doc_no: int) -> None:
    labels = _read_labels(db, doc_no)
    sections = labels.of_sections()
    db.executemany(
        "UPDATE section SET sensitivity = ? WHERE doc_no = ? AND no = ?",
        [
            (label.name if label > labels.document else "", doc_no, no)
            for no, label in sections.items()
        ],
    )
    db.executemany(
        "UPDATE chunk_span SET level = ? WHERE id = ?",
        [(label, key) for key, label in labels.of_children().items()],
    )
    db.execute(
        "UPDATE narrative_chunk SET sensitivity = label_name(c.level) FROM current_chunk c"
        " WHERE c.doc_no = ? AND narrative_chunk.doc_id = c.doc_id"
        " AND narrative_chunk.version = c.version AND narrative_chunk.seq = c.seq",
        (doc_no,),
    )
    withheld = {
        s.heading
        for s in labels.sections
        if s.parent is not None and sections[s.key] > labels.document
    }
    _hide_title(db, doc_no, withheld)


def _read_labels(db: sqlite3.Connection, doc_no: int) -> _Labels:
    (document,) = db.execute("SELECT sensitivity FROM document WHERE no = ?", (doc_no,)).fetchone()
    sections = [
        _Part(no, Span(start, end), _own(own), bool(is_erased), parent, heading)
        for no, start, end, own, is_erased, parent, heading in db.execute(
            "SELECT no, span_start, span_end, own_label, is_erased, parent, heading FROM section"
            " WHERE doc_no = ? ORDER BY no",
            (doc_no,),
        )
    ]
    children = [
        _Part(key, Span(start, end), _own(own), bool(is_erased))
        for key, start, end, own, is_erased in db.execute(
            "SELECT s.id, ifnull(s.span_start, c.para_start), ifnull(s.span_end, c.para_end + 1),"
            " s.own_label, s.is_erased FROM chunk_span s JOIN current_chunk c ON c.id = s.id"
            " WHERE s.doc_no = ? ORDER BY s.seq",
            (doc_no,),
        )
    ]
    return _Labels(stored_label(document), sections, children)


def _own(label: str) -> Sensitivity:
    return stored_label(label) if label else UNSTATED


def find_part(db: sqlite3.Connection, doc_id: str, fragment: str) -> PartState | None:
    """The section (`s2`) or child (`c3`) of a document that a fragment names."""
    kind, number = fragment[0], fragment[1:]
    if not number.isdecimal() or kind not in "sc":
        return None
    is_section = kind == "s"
    row = db.execute(
        "SELECT q.doc_no, q.no FROM section q JOIN document d ON d.no = q.doc_no"
        " WHERE ?3 AND d.doc_id = ?1 AND q.no = ?2"
        " UNION ALL SELECT s.doc_no, s.id FROM chunk_span s JOIN document d ON d.no = s.doc_no"
        " WHERE NOT ?3 AND d.doc_id = ?1 AND s.seq = ?2",
        (doc_id, int(number), is_section),
    ).fetchone()
    if row is None:
        return None
    doc_no, key = row
    labels = _read_labels(db, doc_no)
    part = next(p for p in (labels.sections if is_section else labels.children) if p.key == key)
    bare = labels.without(part, is_section=is_section)
    in_force, inherited = (
        (found.of_sections() if is_section else found.of_children())[key]
        for found in (labels, bare)
    )
    return PartState(doc_no, key, is_section, inherited, in_force, part.is_erased)


def set_part_label(db: sqlite3.Connection, part: PartState, level: Sensitivity) -> None:
    """Give a section or child a label of its own, or none when its document's is as strict.

    What was stated of it stands, whatever becomes of the sections it stands under.
    """
    with changing_labels(db, part.doc_no):
        (document,) = db.execute(
            "SELECT sensitivity FROM document WHERE no = ?", (part.doc_no,)
        ).fetchone()
        own = level.name if level > stored_label(document) else ""
        if part.is_section:
            db.execute(
                "UPDATE section SET own_label = ? WHERE doc_no = ? AND no = ?",
                (own, part.doc_no, part.key),
            )
        else:
            db.execute("UPDATE chunk_span SET own_label = ? WHERE id = ?", (own, part.key))


def strictest_part(db: sqlite3.Connection, doc_no: int) -> Sensitivity | None:
    """The strictest label of its own that a section or child of a document has."""
    rows = db.execute(
        "SELECT own_label FROM section WHERE doc_no = ?1 AND own_label != ''"
        " UNION SELECT own_label FROM chunk_span WHERE doc_no = ?1 AND own_label != ''"
        " UNION SELECT sensitivity FROM current_chunk"
        " WHERE doc_no = ?1 AND label_level(sensitivity) > level",
        (doc_no,),
    )
    return max((stored_label(label) for (label,) in rows), default=None)


def erase_restricted_parts(db: sqlite3.Connection, doc_no: int) -> bool:
    """Overwrite the text of RESTRICTED sections and children of a document; whether any was kept.

    Their rows stay, without text or heading, and are marked as erased.
    """
    labels = _read_labels(db, doc_no)
    if labels.document is Sensitivity.RESTRICTED:
        return False
    of_sections, of_children = labels.of_sections(), labels.of_children()
    sections = [s for s in labels.sections if of_sections[s.key] is Sensitivity.RESTRICTED]
    children = [c for c in labels.children if of_children[c.key] is Sensitivity.RESTRICTED]
    (doc_id,) = db.execute("SELECT doc_id FROM document WHERE no = ?", (doc_no,)).fetchone()
    text = find_text(db, doc_no)
    # Children that only share text with a RESTRICTED part lose their row's text, no more.
    stated = [child for child in children if child.own is Sensitivity.RESTRICTED]
    erased = text and _overwritten(text, [part.extent for part in (*sections, *stated)])
    if erased == text and all(part.is_erased for part in (*sections, *children)):
        return False
    if erased:
        write_text(db, doc_no, erased)
    _hide_title(db, doc_no, {section.heading for section in sections})
    db.executemany(
        "UPDATE section SET heading = '', is_erased = 1 WHERE doc_no = ? AND no = ?",
        [(doc_no, section.key) for section in sections],
    )
    db.executemany(
        "UPDATE chunk_span SET is_erased = 1 WHERE id = ?", [(child.key,) for child in children]
    )
    db.execute(
        "UPDATE narrative_chunk SET text = '', heading = '' FROM current_chunk c"
        " JOIN chunk_span s ON s.id = c.id"
        " WHERE c.doc_no = ? AND s.is_erased AND narrative_chunk.doc_id = c.doc_id"
        " AND narrative_chunk.version = c.version AND narrative_chunk.seq = c.seq",
        (doc_no,),
    )
    # A window kept as text may hold the erased part; windows that are spans cannot.
    db.execute(
        "UPDATE narrative_chunk SET window_text = '', parent_locator = ''"
        " WHERE doc_id = ? AND window_text != ''",
        (doc_id,),
    )
    return True


def restricted_parts(db: sqlite3.Connection) -> int:
    """How many sections and children that were labelled RESTRICTED are kept with their text."""
    (count,) = db.execute(
        "SELECT (SELECT COUNT(*) FROM section"
        "        WHERE own_label != '' AND label_level(own_label) >= ?1 AND NOT is_erased)"
        " + (SELECT COUNT(*) FROM chunk_span"
        "    WHERE own_label != '' AND label_level(own_label) >= ?1 AND NOT is_erased)",
        (Sensitivity.RESTRICTED,),
    ).fetchone()
    return count


def _overwritten(text: str, spans: Iterable[Span]) -> str:
    for start, end in spans:
        erased = "".join("\n" if char == "\n" else ERASED for char in text[start:end])
        text = text[:start] + erased + text[end:]
    return text


def _hide_title(db: sqlite3.Connection, doc_no: int, headings: Collection[str]) -> None:
    """Call a document by its id when its title is one of the headings, which are withheld."""
    title, doc_id = db.execute(
        "SELECT title, doc_id FROM document WHERE no = ?", (doc_no,)
    ).fetchone()
    if not title or title not in headings:
        return
    # The next ingest writes the title anew, should the label be lowered by then.
    db.execute("UPDATE document SET title = doc_id, fingerprint = '' WHERE no = ?", (doc_no,))
    db.execute("UPDATE section SET heading = ? WHERE doc_no = ? AND no = 0", (doc_id, doc_no))
    db.execute("UPDATE narrative_chunk SET title = doc_id WHERE doc_id = ?", (doc_id,))
    db.execute(
        "UPDATE narrative_chunk SET heading = doc_id WHERE doc_id = ? AND heading = ?"
        " AND seq IN (SELECT seq FROM chunk_span WHERE doc_no = ? AND section = 0)",
        (doc_id, title, doc_no),
    )
