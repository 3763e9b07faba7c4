"""What crosses the pipe between the two processes: lengths, bytes and typed JSON, never pickles."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import IO, NamedTuple

from pydantic import TypeAdapter

from ragspine_store.records import LoadedDocument

READY = b"ready"
DOCUMENT = b"document"  # followed by the document
REFUSED = b"refused"  # followed by the message of a StoreError
FAILED = b"failed"  # followed by the name of any other error's class

# No loader makes as much of a file that it accepts.
MAX_PART_BYTES = 2**30

_LENGTH = struct.Struct(">Q")
_DOCUMENT = TypeAdapter(LoadedDocument)


class Answer(NamedTuple):
    """What became of one file: one of the words above, and what follows it."""

    kind: bytes
    content: bytes


def write_parts(stream: IO[bytes], parts: Sequence[bytes]) -> None:
    """Write parts, each behind its length."""
    for part in parts:
        stream.write(_LENGTH.pack(len(part)))
        stream.write(part)
    stream.flush()


def read_parts(stream: IO[bytes], count: int) -> list[bytes]:
    """Read as many parts.

    Raises:
        EOFError: the other side is gone, or names a length that no part has.
    """
    return [_read_exactly(stream, _read_length(stream)) for _ in range(count)]


def encode_document(document: LoadedDocument) -> bytes:
    """A document as JSON."""
    return _DOCUMENT.dump_json(document)


def decode_document(data: bytes) -> LoadedDocument:
    """A document from its JSON, every field of its type.

    Raises:
        ValueError: it is no document.
    """
    return _DOCUMENT.validate_json(data, strict=True)


def _read_length(stream: IO[bytes]) -> int:
    (length,) = _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))
    if length > MAX_PART_BYTES:
        raise EOFError
    return length


def _read_exactly(stream: IO[bytes], length: int) -> bytes:
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return data
