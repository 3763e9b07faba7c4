"""The zip file of XML parts that a workbook is, opened within bounds."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from ragspine_store.errors import LoadError
from ragspine_store.loading.safe_xml import XmlRefusedError, XmlTarget, parse_tree, read_xml

MAX_PARTS = 10_000
MAX_TOTAL_BYTES = 512 * 2**20
MAX_RATIO = 200
"""Times its packed size that the whole may unpack to; a large sheet of one value has about 100."""

_SMALL_BYTES = 10 * 2**20  # whatever the ratio, no harm
_MAX_ELEMENTS = 50_000_000
_BLOCK_BYTES = 64 * 1024
_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError),
    *(NotImplementedError, OSError, RuntimeError, ValueError),
)


class WorkbookPackage:
    """The parts of one workbook.

    Args:
        data: the file's bytes.
        name: the file's name, as errors show it.

    Raises:
        LoadError: the file is no workbook, is encrypted or an old binary one, or unpacks to more
            than a workbook does.
    """

    def __init__(self, data: bytes, *, name: str) -> None:
        self._name = name
        _refuse_ole(data, name)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._parts = {info.filename: info for info in self._zip.infolist()}
        except _ZIP_ERRORS:
            raise self._broken() from None
        self._check_bounds(len(data))

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
            LoadError: it is broken.
        """
        if part not in self._parts:
            return None
        try:
            return parse_tree(b"".join(self._read(part)))
        except XmlRefusedError as error:
            raise self._refused(error) from None

    def read(self, part: str, target: XmlTarget) -> None:
        """Read a part into a target; nothing happens when there is none.

        Raises:
            LoadError: it is broken.
        """
        if part not in self._parts:
            return
        try:
            read_xml(self._read(part), target, max_elements=_MAX_ELEMENTS)
        except XmlRefusedError as error:
            raise self._refused(error) from None

    def related(self, part: str) -> dict[str, tuple[str, str]]:
        """What a part refers to: by the relation's id, the last word of its type and the part."""
        folder, file = posixpath.split(part)
        root = self.find_tree(posixpath.join(folder, "_rels", f"{file}.rels"))
        found: dict[str, tuple[str, str]] = {}
        for relation in () if root is None else root:
            if relation.get("TargetMode") != "External":
                kind = relation.get("Type", "").rpartition("/")[2]
                target = posixpath.join("/", folder, relation.get("Target", ""))
                found[relation.get("Id", "")] = kind, posixpath.normpath(target).lstrip("/")
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

    def _too_much(self, what: str) -> LoadError:
        return LoadError(
            f"{self._name} holds {what}; expected a workbook: split it, or leave it out"
        )

    def _refused(self, error: XmlRefusedError) -> LoadError:
        return LoadError(
            f"{self._name} holds {error}; expected a workbook as Excel saves it: "
            "save it again, or leave it out"
        )

    def _broken(self) -> LoadError:
        return LoadError(
            f"{self._name} cannot be unpacked as a workbook; expected a .xlsx file: "
            "open it in Excel or LibreOffice and save it as .xlsx, or leave it out"
        )


def _refuse_ole(data: bytes, name: str) -> None:
    if not data.startswith(_OLE_SIGNATURE):
        return
    if _ENCRYPTED_STREAM in data:
        raise LoadError(
            f"{name} is encrypted; expected a workbook that opens without a password: remove the "
            "password in Excel (File, Info, Protect Workbook) and save it"
        )
    raise LoadError(
        f"{name} is a binary workbook (.xls); expected .xlsx: save it as .xlsx in Excel"
    )
