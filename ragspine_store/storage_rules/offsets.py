"""Offset maps as stores keep them: packed integers, compressed."""

from __future__ import annotations

import array
import sys
import zlib

from ragspine_store.records import OffsetMap


def pack_offsets(offsets: OffsetMap) -> bytes:
    """The map as bytes; differences between runs, which compress well."""
    numbers = array.array("q", [offsets.length])
    start, raw = 0, 0
    for run_start, run_raw, run_length in offsets.runs:
        numbers.extend((run_start - start, run_raw - raw, run_length))
        start, raw = run_start, run_raw
    if sys.byteorder == "big":
        numbers.byteswap()
    return zlib.compress(numbers.tobytes())


def unpack_offsets(packed: bytes) -> OffsetMap:
    """The map that `pack_offsets` packed."""
    numbers = array.array("q")
    numbers.frombytes(zlib.decompress(packed))
    if sys.byteorder == "big":
        numbers.byteswap()
    runs: list[tuple[int, int, int]] = []
    start, raw = 0, 0
    for at in range(1, len(numbers), 3):
        start += numbers[at]
        raw += numbers[at + 1]
        runs.append((start, raw, numbers[at + 2]))
    return OffsetMap(tuple(runs), numbers[0])
