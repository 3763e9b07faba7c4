"""Office Open XML packages, which Word documents and workbooks are: a zip file of XML parts.

They are opened within bounds, since strangers make them: a small file may unpack to terabytes.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element

from ragspine_store.errors import LoadError
from ragspine_store.loading.safe_xml import XmlRefusedError, XmlTarget, parse_tree, read_xml

MAX_PARTS = 10_000
MAX_TOTAL_BYTES = 512 * 2**20
MAX_RATIO = 200
"""Times its packed size that the whole may unpack to; a large sheet of one value has about 100."""
MAX_TREE_BYTES = 128 * 2**20
"""Of all parts that are read into trees, which take many times as much memory."""

_SMALL_BYTES = 10 * 2**20  # whatever the ratio, no harm
_MAX_ELEMENTS = 50_000_000
_BLOCK_BYTES = 64 * 1024
_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    # RuntimeError is what zipfile raises for a part under a password, and, as a subclass of it, for
    # a compression method or a version of the format that it does not know.
    *(OSError, RuntimeError, ValueError),
)


@dataclass(frozen=True, slots=True)
class OfficeFormat:
    """How errors speak of one format, and how its XML is named.

    Attributes:
        noun: what a file of it is.
        program: what makes it.
        suffix: of its names.
        old_suffix: of the binary files that it took the place of.
        prefixes: as for `read_xml`; None leaves out all namespaces.
    """

    noun: str
    program: str
    suffix: str
    old_suffix: str
    prefixes: Mapping[str, str] | None = None


class Relation(NamedTuple):
    """What a part refers to: the last word of the relation's type, and the part's name."""

    kind: str
    part: str


class OfficePackage:
    """The XML parts of one file.

    Args:
        data: the file's bytes.
        name: the file's name, as errors show it.
        made_as: its format.

    Raises:
        LoadError: the file is no such package, is encrypted or an old binary one, or unpacks to
            more than a document does.
    """

    def __init__(self, data: bytes, *, name: str, made_as: OfficeFormat) -> None:
        self._name = name
        self._format = made_as
        self._tree_room = MAX_TREE_BYTES
        self._refuse_ole(data)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._parts = {info.filename: info for info in self._zip.infolist()}
        except _ZIP_ERRORS:
            raise self._broken() from None
        self._check_bounds(len(data))

    @property
    def part_names(self) -> tuple[str, ...]:
        """The names of all parts, in the order of the file."""
        return tuple(self._parts)

    def get_tree(self, part: str) -> Element:
        """Get the root of a part that must be there.

        Raises:
            LoadError: it is missing or broken.
        """
        root = self.find_tree(part)
        if root is None:
            raise self._broken()
        return root

    def find_tree(self, part: str) -> Element | None:
        """Find the root of a part; None without one.

        Raises:
            LoadError: it is broken, or the trees of this package grow too large.
        """
        if part not in self._parts:
            return None
        self._tree_room -= self._parts[part].file_size
        if self._tree_room < 0:
            raise self._too_much(f"more than {MAX_TREE_BYTES // 2**20} MiB of text and formatting")
        try:
            return parse_tree(b"".join(self._read(part)), prefixes=self._format.prefixes)
        except XmlRefusedError as error:
            raise self._refused(error, part) from None

    def read(self, part: str, target: XmlTarget) -> None:
        """Read a part into a target; nothing happens when there is none.

        Raises:
            LoadError: it is broken.
        """
        if part not in self._parts:
            return
        try:
            read_xml(
                self._read(part),
                target,
                max_elements=_MAX_ELEMENTS,
                prefixes=self._format.prefixes,
            )
        except XmlRefusedError as error:
            raise self._refused(error, part) from None

    def related(self, part: str) -> dict[str, Relation]:
        """What a part refers to inside the package, by the relation's id.

        Args:
            part: the part's name; '' for the package itself.

        Raises:
            LoadError: its relations are broken.
        """
        folder, file = posixpath.split(part)
        root = self.find_tree(posixpath.join(folder, "_rels", f"{file}.rels"))
        found: dict[str, Relation] = {}
        for relation in () if root is None else root:
            if relation.get("TargetMode") != "External":
                kind = relation.get("Type", "").rpartition("/")[2]
                target = posixpath.join("/", folder, relation.get("Target", ""))
                name = posixpath.normpath(target).lstrip("/")
                found[relation.get("Id", "")] = Relation(kind, name)
        return found

    def parts_by_kind(self, part: str) -> dict[str, str]:
        """The first part of each kind that a part refers to; as for `related`."""
        found: dict[str, str] = {}
        for relation in self.related(part).values():
            found.setdefault(relation.kind, relation.part)
        return found

    def _read(self, part: str) -> Iterator[bytes]:
        info = self._parts[part]
        if info.compress_type not in _METHODS:
            raise self._broken()
        try:
            # A stream ends at the size its entry states, which is what was checked.
            with self._zip.open(info) as stream:
                while block := stream.read(_BLOCK_BYTES):
                    yield block
        except _ZIP_ERRORS:
            raise self._broken() from None

    def _check_bounds(self, packed: int) -> None:
        unpacked = sum(info.file_size for info in self._parts.values())
        if len(self._parts) > MAX_PARTS:
            raise self._too_much(f"more than {MAX_PARTS:,} parts")
        if unpacked > MAX_TOTAL_BYTES:
            raise self._too_much(f"more than {MAX_TOTAL_BYTES // 2**20} MiB once unpacked")
        if unpacked > max(MAX_RATIO * packed, _SMALL_BYTES):
            raise self._too_much(f"more than {MAX_RATIO} times its size once unpacked")

    def _refuse_ole(self, data: bytes) -> None:
        if not data.startswith(_OLE_SIGNATURE):
            return
        made_as = self._format
        if _ENCRYPTED_STREAM in data:
            raise LoadError(
                f"{self._name} is encrypted; expected a {made_as.noun} that opens without a "
                f"password: remove the password in {made_as.program} (File, Info, Protect) and "
                "save it"
            )
        raise LoadError(
            f"{self._name} is a binary {made_as.noun} ({made_as.old_suffix}); expected "
            f"{made_as.suffix}: save it as {made_as.suffix} in {made_as.program}"
        )

    def _too_much(self, what: str) -> LoadError:
        return LoadError(
            f"{self._name} holds {what}; expected a {self._format.noun}: split it, or leave it out"
        )

    def _refused(self, error: XmlRefusedError, part: str) -> LoadError:
        program = self._format.program
        return LoadError(
            f"{self._name} holds {error} in {part}; expected a {self._format.noun} as {program} "
            f"saves it: save it again in {program}, or leave it out"
        )

    def _broken(self) -> LoadError:
        noun, suffix = self._format.noun, self._format.suffix
        return LoadError(
            f"{self._name} cannot be unpacked as a {noun}; expected a {suffix} file: open it in "
            f"{self._format.program} or LibreOffice and save it as {suffix}, or leave it out"
        )
