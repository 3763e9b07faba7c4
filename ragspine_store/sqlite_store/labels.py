"""Labels inside a document: sections and children may be stricter than the document.

A child's label is derived: the strictest of its document's, of every section it overlaps, of every
child it overlaps, and its own. It is written into its row, which is what exits read, whenever one
of these changes; the index follows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager

from ragspine_store.records import PartState, Span
from ragspine_store.sensitivity import Sensitivity, stored_label
from ragspine_store.sqlite_store.indexing import add_to_index, remove_from_index

# What stands in the place of each erased character, so that spans and paragraph numbers hold.
ERASED = "█"

_DERIVE = """
UPDATE chunk_span SET level = max(
    (SELECT label_level(d.sensitivity) FROM document d WHERE d.no = chunk_span.doc_no),
    CASE own_label WHEN '' THEN 0 ELSE label_level(own_label) END,
    ifnull((
        SELECT max(label_level(q.sensitivity)) FROM section q
        WHERE q.doc_no = chunk_span.doc_no AND q.sensitivity != ''
          AND q.span_start < chunk_span.span_end AND q.span_end > chunk_span.span_start
    ), 0),
    ifnull((
        SELECT max(label_level(o.own_label)) FROM chunk_span o
        WHERE o.doc_no = chunk_span.doc_no AND o.own_label != ''
          AND o.span_start < chunk_span.span_end AND o.span_end > chunk_span.span_start
    ), 0)
)
WHERE doc_no = ?
"""

# A row stricter than what it was derived from was labelled by hand: that label is its own.
_ADOPT = """
UPDATE chunk_span SET own_label = c.sensitivity
FROM current_chunk c
WHERE c.id = chunk_span.id AND chunk_span.doc_no = ?
  AND label_level(c.sensitivity) > chunk_span.level
"""

_WRITE = """
UPDATE narrative_chunk SET sensitivity = label_name(c.level)
FROM current_chunk c
WHERE c.doc_no = ? AND narrative_chunk.doc_id = c.doc_id
  AND narrative_chunk.version = c.version AND narrative_chunk.seq = c.seq
"""


@contextmanager
def changing_labels(db: sqlite3.Connection, doc_no: int) -> Generator[None]:
    """Change labels of a document, its sections or children inside; children and index follow.

    Rows of old versions go: they are never read, and would keep their old label.
    """
    db.execute(_ADOPT, (doc_no,))
    remove_from_index(db, doc_no)
    db.execute(
        "DELETE FROM narrative_chunk WHERE active = 0"
        " AND doc_id = (SELECT doc_id FROM document WHERE no = ?)",
        (doc_no,),
    )
    yield
    db.execute(_DERIVE, (doc_no,))
    db.execute(_WRITE, (doc_no,))
    add_to_index(db, doc_no)


def find_part(db: sqlite3.Connection, doc_id: str, fragment: str) -> PartState | None:
    """The section (`s2`) or child (`c3`) of a document that a fragment names."""
    kind, number = fragment[0], fragment[1:]
    if not number.isdecimal() or kind not in "sc":
        return None
    if kind == "s":
        row = db.execute(
            "SELECT q.doc_no, q.no, q.span_start, q.span_end, q.sensitivity, d.sensitivity"
            " FROM section q JOIN document d ON d.no = q.doc_no WHERE d.doc_id = ? AND q.no = ?",
            (doc_id, int(number)),
        ).fetchone()
    else:
        row = db.execute(
            "SELECT s.doc_no, s.id, s.span_start, s.span_end, s.own_label, d.sensitivity"
            " FROM chunk_span s JOIN document d ON d.no = s.doc_no"
            " WHERE d.doc_id = ? AND s.seq = ?",
            (doc_id, int(number)),
        ).fetchone()
    if row is None:
        return None
    doc_no, key, start, end, own, document_label = row
    # A section stands under those around it, a child under all that it has text of.
    above = db.execute(
        "SELECT sensitivity FROM section WHERE doc_no = :doc_no AND sensitivity != ''"
        " AND CASE WHEN :is_section"
        " THEN no != :key AND span_start <= :start AND span_end >= :end"
        " ELSE span_start < :end AND span_end > :start END",
        {"doc_no": doc_no, "is_section": kind == "s", "key": key, "start": start, "end": end},
    ).fetchall()
    inherited = max(stored_label(label) for (label,) in [(document_label,), *above])
    return PartState(
        doc_no=doc_no,
        is_section=kind == "s",
        key=key,
        span=None if start is None else Span(start, end),
        inherited=inherited,
        label=max(inherited, stored_label(own)) if own else inherited,
        is_erased=_is_erased(db, doc_no, start, end),
    )


def _is_erased(db: sqlite3.Connection, doc_no: int, start: int | None, end: int | None) -> bool:
    row = db.execute(
        "SELECT EXISTS (SELECT 1 FROM current_chunk WHERE doc_no = ? AND text = ''"
        " AND span_start < ? AND span_end > ?)",
        (doc_no, end, start),
    ).fetchone()
    return row[0] == 1


def set_part_label(db: sqlite3.Connection, part: PartState, level: Sensitivity) -> None:
    """Give a section or child a label of its own, or none when its document's is as strict.

    What was stated of it stands, whatever becomes of the sections it stands under.
    """
    (document_label,) = db.execute(
        "SELECT sensitivity FROM document WHERE no = ?", (part.doc_no,)
    ).fetchone()
    own = level.name if level > stored_label(document_label) else ""
    with changing_labels(db, part.doc_no):
        if part.is_section:
            db.execute(
                "UPDATE section SET sensitivity = ? WHERE doc_no = ? AND no = ?",
                (own, part.doc_no, part.key),
            )
        else:
            db.execute("UPDATE chunk_span SET own_label = ? WHERE id = ?", (own, part.key))
            # A heading inside the child is shown with its whole section, so that goes with it. It
            # never comes back with it: the section may have been labelled for itself.
            db.execute(
                "UPDATE section SET sensitivity = ?1"
                " WHERE ?1 != '' AND doc_no = ?2 AND no > 0"
                " AND span_start >= ?3 AND span_start < ?4"
                " AND (sensitivity = '' OR label_level(sensitivity) < ?5)",
                (own, part.doc_no, *(part.span or (0, 0)), level),
            )
    if own and part.span is not None:
        _hide_title(db, part.doc_no, _headings_in(db, part.doc_no, part.span).values())


def strictest_part(db: sqlite3.Connection, doc_no: int) -> Sensitivity | None:
    """The strictest label of its own that a section or child of a document has."""
    rows = db.execute(
        "SELECT sensitivity FROM section WHERE doc_no = ?1 AND sensitivity != ''"
        " UNION SELECT own_label FROM chunk_span WHERE doc_no = ?1 AND own_label != ''"
        " UNION SELECT sensitivity FROM current_chunk"
        " WHERE doc_no = ?1 AND label_level(sensitivity) > level",
        (doc_no,),
    )
    return max((stored_label(label) for (label,) in rows), default=None)


def erase_restricted_parts(db: sqlite3.Connection, doc_no: int) -> bool:
    """Overwrite the text of RESTRICTED sections and children of a document; whether any was there.

    Their rows stay, without text or heading.
    """
    spans = _restricted_spans(db, doc_no)
    text, doc_id = db.execute(
        "SELECT text, doc_id FROM document WHERE no = ?", (doc_no,)
    ).fetchone()
    erased = text and _overwritten(text, spans)
    kept = db.execute(
        "SELECT 1 FROM current_chunk WHERE doc_no = ? AND level >= ? AND text != ''",
        (doc_no, Sensitivity.RESTRICTED),
    ).fetchone()
    if erased == text and kept is None:
        return False
    db.execute("UPDATE document SET text = ? WHERE no = ?", (erased, doc_no))
    db.execute(
        "UPDATE narrative_chunk SET text = '', heading = '' FROM current_chunk c"
        " WHERE c.doc_no = ? AND c.level >= ? AND narrative_chunk.doc_id = c.doc_id"
        " AND narrative_chunk.version = c.version AND narrative_chunk.seq = c.seq",
        (doc_no, Sensitivity.RESTRICTED),
    )
    # A window kept as text may hold the erased part; windows that are spans cannot.
    db.execute(
        "UPDATE narrative_chunk SET window_text = '', parent_locator = ''"
        " WHERE doc_id = ? AND window_text != ''",
        (doc_id,),
    )
    for span in spans:
        headings = _headings_in(db, doc_no, span)
        _hide_title(db, doc_no, headings.values())
        db.executemany(
            "UPDATE section SET heading = '' WHERE doc_no = ? AND no = ?",
            [(doc_no, no) for no in headings],
        )
    return True


def _restricted_spans(db: sqlite3.Connection, doc_no: int) -> list[Span]:
    rows = db.execute(
        "SELECT span_start, span_end FROM section"
        " WHERE doc_no = ?1 AND sensitivity != '' AND label_level(sensitivity) >= ?2"
        " UNION SELECT span_start, span_end FROM chunk_span"
        " WHERE doc_no = ?1 AND own_label != '' AND label_level(own_label) >= ?2"
        " AND span_start IS NOT NULL",
        (doc_no, Sensitivity.RESTRICTED),
    )
    return [Span(start, end) for start, end in rows]


def _overwritten(text: str, spans: Sequence[Span]) -> str:
    for start, end in spans:
        erased = "".join(char if char.isspace() else ERASED for char in text[start:end])
        text = text[:start] + erased + text[end:]
    return text


def _headings_in(db: sqlite3.Connection, doc_no: int, span: Span) -> dict[int, str]:
    """The headings that stand in a span, by the number of their section."""
    rows = db.execute(
        "SELECT no, heading FROM section"
        " WHERE doc_no = ? AND no > 0 AND span_start >= ? AND span_start < ?",
        (doc_no, *span),
    )
    return dict(rows.fetchall())


def _hide_title(db: sqlite3.Connection, doc_no: int, headings: Collection[str]) -> None:
    """Call a document by its id when its title is one of the headings, which are withheld."""
    title, doc_id = db.execute(
        "SELECT title, doc_id FROM document WHERE no = ?", (doc_no,)
    ).fetchone()
    if title not in headings:
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
