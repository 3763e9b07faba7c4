"""Labels of sections and children, in the rows: read, derived anew, written, erased."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Generator
from contextlib import contextmanager

from ragspine_store.records import PartState, Span
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.sqlite_store.indexing import (
    add_to_index,
    lead_ins_in_force,
    remove_from_index,
)
from ragspine_store.sqlite_store.texts import find_text, write_text
from ragspine_store.sqlite_store.vectors.rows import remove_child_vectors, remove_restricted_vectors
from ragspine_store.storage_rules.part_labels import (
    Part,
    PartLabels,
    find_erasure,
    own_label,
    stated_label,
)


@contextmanager
def changing_labels(db: sqlite3.Connection, doc_no: int) -> Generator[None]:
    """Change labels of a document, its sections or children inside; what hangs on them follows.

    That is the labels of children, the index and the vectors.

    Rows of old versions go: they are never read, and would keep their old label.
    """
    _adopt_labels(db, doc_no)
    lead_ins = lead_ins_in_force(db, doc_no)
    remove_from_index(db, doc_no)
    db.execute(
        "DELETE FROM narrative_chunk WHERE active = 0"
        " AND doc_id = (SELECT doc_id FROM document WHERE no = ?)",
        (doc_no,),
    )
    yield
    _write_labels(db, doc_no)
    add_to_index(db, doc_no)
    remove_restricted_vectors(db, doc_no)
    # Vectors of children that were found by other lead-ins are of other texts.
    after = lead_ins_in_force(db, doc_no)
    changed = {key for key in {*lead_ins, *after} if lead_ins.get(key) != after.get(key)}
    remove_child_vectors(db, doc_no, changed)


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
    _hide_title(db, doc_no, labels.withheld_headings())


def _read_labels(db: sqlite3.Connection, doc_no: int) -> PartLabels:
    (document,) = db.execute("SELECT sensitivity FROM document WHERE no = ?", (doc_no,)).fetchone()
    sections = [
        Part(no, Span(start, end), own_label(own), bool(is_erased), parent, heading)
        for no, start, end, own, is_erased, parent, heading in db.execute(
            "SELECT no, span_start, span_end, own_label, is_erased, parent, heading FROM section"
            " WHERE doc_no = ? ORDER BY no",
            (doc_no,),
        )
    ]
    children = [
        Part(key, Span(start, end), own_label(own), bool(is_erased))
        for key, start, end, own, is_erased in db.execute(
            "SELECT s.id, ifnull(s.span_start, c.para_start), ifnull(s.span_end, c.para_end + 1),"
            " s.own_label, s.is_erased FROM chunk_span s JOIN current_chunk c ON c.id = s.id"
            " WHERE s.doc_no = ? ORDER BY s.seq",
            (doc_no,),
        )
    ]
    return PartLabels(stored_label(document), sections, children)


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
    return _read_labels(db, doc_no).state_of(doc_no, key, is_section=is_section)


def set_part_label(db: sqlite3.Connection, part: PartState, level: Sensitivity) -> None:
    """Give a section or child a label of its own, or none when its document's is as strict.

    What was stated of it stands, whatever becomes of the sections it stands under.
    """
    with changing_labels(db, part.doc_no):
        (document,) = db.execute(
            "SELECT sensitivity FROM document WHERE no = ?", (part.doc_no,)
        ).fetchone()
        own = stated_label(level, stored_label(document))
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
    erasure = find_erasure(_read_labels(db, doc_no), find_text(db, doc_no))
    if erasure is None:
        return False
    if erasure.text:
        write_text(db, doc_no, erasure.text)
    _hide_title(db, doc_no, erasure.headings)
    db.executemany(
        "UPDATE section SET heading = '', is_erased = 1 WHERE doc_no = ? AND no = ?",
        [(doc_no, no) for no in erasure.sections],
    )
    db.executemany(
        "UPDATE chunk_span SET is_erased = 1 WHERE id = ?", [(key,) for key in erasure.children]
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
        " WHERE doc_id = (SELECT doc_id FROM document WHERE no = ?) AND window_text != ''",
        (doc_no,),
    )
    remove_restricted_vectors(db, doc_no)
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
