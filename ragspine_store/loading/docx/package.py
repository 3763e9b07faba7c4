"""Office Open XML packages: a zip file of XML parts, opened within bounds."""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib

from ragspine_store.errors import LoadError
from ragspine_store.loading.docx.xml import Element, parse_xml
from ragspine_store.loading.safe_xml import XmlRefusedError

_OLE_SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED_STREAM = "EncryptedPackage".encode("utf-16-le")
_MAX_ENTRIES = 20_000
_MAX_PART_BYTES = 64 * 1024 * 1024
_MAX_TOTAL_BYTES = 128 * 1024 * 1024
_PLAIN_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


class Package:
    """The XML parts of one file.

    Args:
        data: the file's bytes.
        name: the file's name, as errors show it.

    Raises:
        LoadError: the file is no such package, is encrypted, or is an old binary one.
    """

    def __init__(self, data: bytes, *, name: str) -> None:
        self._name = name
        self._read_bytes = 0
        _refuse_ole(data, name)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            self._entries = {info.filename: info for info in self._zip.infolist()}
        except _ZIP_ERRORS:
            raise self._broken() from None
        if len(self._entries) > _MAX_ENTRIES:
            raise LoadError(
                f"{name} holds {len(self._entries)} parts; expected at most {_MAX_ENTRIES}: "
                "save it again in Word, or leave it out"
            )

    @property
    def part_names(self) -> tuple[str, ...]:
        """The names of all parts, in the order of the file."""
        return tuple(self._entries)

    def get_xml(self, part: str) -> Element:
        """Get the root of a part that must be there.

        Raises:
            LoadError: it is missing, broken, or larger than the bounds.
        """
        root = self.find_xml(part)
        if root is None:
            raise self._broken()
        return root

    def find_xml(self, part: str) -> Element | None:
        """Find the root of a part; None when the package has no such part.

        Raises:
            LoadError: it is broken, or larger than the bounds.
        """
        info = self._entries.get(part)
        if info is None:
            return None
        try:
            return parse_xml(self._read(info))
        except XmlRefusedError as error:
            raise LoadError(
                f"{self._name} holds {error} in {part}; expected a document as Word saves it: "
                "save it again in Word, or leave it out"
            ) from None

    def related(self, part: str) -> dict[str, str]:
        """The parts that a part names, by the last word of the relation's type.

        Args:
            part: the part's name; '' for the package itself.

        Raises:
            LoadError: its relations are broken, or larger than the bounds.
        """
        folder, file = posixpath.split(part)
        root = self.find_xml(posixpath.join(folder, "_rels", f"{file}.rels"))
        found: dict[str, str] = {}
        for relation in () if root is None else root:
            kind = relation.get("Type", "").rpartition("/")[2]
            if relation.get("TargetMode") != "External":
                target = posixpath.join("/", folder, relation.get("Target", ""))
                found.setdefault(kind, posixpath.normpath(target).lstrip("/"))
        return found

    def _read(self, info: zipfile.ZipInfo) -> bytes:
        if info.compress_type not in _PLAIN_METHODS:
            raise self._broken()
        room = min(_MAX_PART_BYTES, _MAX_TOTAL_BYTES - self._read_bytes)
        try:
            with self._zip.open(info) as stream:
                data = stream.read(room + 1)
        except _ZIP_ERRORS:
            raise self._broken() from None
        if len(data) > room:
            raise LoadError(
                f"{self._name} unpacks to more than {room // 2**20} MiB of text in "
                f"{info.filename}; expected less: split the document, or leave it out"
            )
        self._read_bytes += len(data)
        return data

    def _broken(self) -> LoadError:
        return LoadError(
            f"{self._name} cannot be unpacked as a Word document; expected a .docx file: "
            "open it in Word and save it as .docx, or leave it out"
        )


def _refuse_ole(data: bytes, name: str) -> None:
    if not data.startswith(_OLE_SIGNATURE):
        return
    if _ENCRYPTED_STREAM in data:
        raise LoadError(
            f"{name} is encrypted; expected a document that opens without a password: "
            "remove the password in Word (File, Info, Protect Document) and save it"
        )
    raise LoadError(
        f"{name} is a binary Word document (.doc); expected .docx: save it as .docx in Word"
    )
