"""Document ids: the path of a file relative to a root.

An id is in NFC, separates folders with `/`, and writes `%` as `%25` and `#` as `%23`, since `#`
starts the fragment of a chunk id or locator. Paths are compared with symbolic links resolved: a
link is the file it points to, so one file is one document wherever it is named from.
"""

from __future__ import annotations

import os
import re
import unicodedata
from pathlib import Path, PurePath

from ragspine_store.errors import DocumentIdError

MAX_LENGTH = 1024

_FRAGMENT = re.compile(r"[ci][0-9]+|[spw][0-9]+(?:\.[0-9]+)*|para[0-9]+(?:-[0-9]+)?")
_SURROGATE = re.compile("[\ud800-\udfff]")


def default_root(path: Path) -> Path:
    """The root that ids are relative to when none is given.

    It is the parent of a folder argument and the grandparent of a file argument, so that a folder
    and a file directly in it agree. It is absolute, with the links of the folder resolved.

    Raises:
        DocumentIdError: the path holds a NUL character.
    """
    return _resolve(path if path.is_dir() else path.parent).parent


def relative_path(path: Path, root: Path) -> PurePath:
    """Where a file stands below a root, as the file system spells it, links resolved.

    Raises:
        DocumentIdError: the file lies outside of the root.
    """
    real_path, real_root = _resolve(path), _resolve(root)
    if real_root not in real_path.parents:
        raise DocumentIdError(
            f"file {str(path)!r} is outside of the root {str(root)!r} (symbolic links resolved); "
            "give a --root that contains it"
        )
    return real_path.relative_to(real_root)


def document_id(path: Path, root: Path) -> str:
    """The id of a file.

    Args:
        path: the file; it need not exist.
        root: the folder that the id is relative to.

    Raises:
        DocumentIdError: the file lies outside of the root, or its name makes no valid id.

    >>> document_id(Path("rules/hr/100% #1.md"), Path("rules"))
    'hr/100%25 %231.md'
    """
    return id_of(relative_path(path, root))


def id_of(relative: PurePath) -> str:
    """The id of a file that stands at a path below its root.

    Raises:
        DocumentIdError: its name makes no valid id.

    >>> id_of(PurePath("hr/#1.md"))
    'hr/%231.md'
    """
    return check_document_id(relative.as_posix().replace("%", "%25").replace("#", "%23"))


def check_document_id(doc_id: str) -> str:
    """Check an id, however it was come by, and return it in NFC.

    Control characters other than NUL and line breaks are allowed, as file names may hold them;
    renderers show them literally.

    Raises:
        DocumentIdError: the id is empty, longer than 1,024 characters, absolute, or holds `#`, a
            `..` segment, NUL, a line break or an unpaired surrogate.
    """
    problem = _problem(doc_id)
    if problem:
        raise DocumentIdError(
            f"document id {doc_id[:80]!r} {problem}; expected a relative path such as 'hr/rules.md'"
        )
    return unicodedata.normalize("NFC", doc_id)


def split_node_id(node_id: str) -> tuple[str, str]:
    """Split the id of a chunk or branch, or a locator, into document id and fragment.

    The fragment is '' when the id names a whole document.

    >>> split_node_id("hr/rules.md#para3-7")
    ('hr/rules.md', 'para3-7')
    >>> split_node_id("hr/rules.md")
    ('hr/rules.md', '')
    """
    doc_id, _, fragment = node_id.rpartition("#")
    if _FRAGMENT.fullmatch(fragment):
        return doc_id, fragment
    return node_id, ""


def _problem(doc_id: str) -> str:
    if not doc_id:
        return "is empty"
    # NFC can lengthen a text, so the stored form is what counts.
    if len(unicodedata.normalize("NFC", doc_id)) > MAX_LENGTH:
        return f"is longer than {MAX_LENGTH} characters"
    if doc_id.startswith("/"):
        return "is absolute"
    if ".." in doc_id.split("/"):
        return "holds a '..' segment"
    if "#" in doc_id:
        return "holds a '#', which is written %23"
    if "\0" in doc_id:
        return "holds a NUL character"
    if doc_id.splitlines() != [doc_id]:
        return "holds a line break"
    if _SURROGATE.search(doc_id):
        return "is not valid Unicode"
    return ""


def _resolve(path: Path) -> Path:
    if "\0" in str(path):
        raise DocumentIdError(
            f"path {str(path)!r} holds a NUL character; expected a file or folder"
        )
    # Not Path.resolve(), which fails on a loop of links: a loop is then outside or unreadable.
    return Path(os.path.realpath(path))
