"""Facts: figures with their lineage, as rows of the predecessor's table `fact_metric`.

    metric_code,entity,period_type,period,value,unit,source_doc_id,source_locator
    REVENUE,EX_JP,FY,2024,268.5,JPY_M,results.md,results.md#para3

A CSV file has these names in its first row; a JSON file is an array of objects, a JSON lines file
(`.jsonl`, `.ndjson`) has one object a line. The table's other columns are read or passed over; an
unknown one is an error, since it may be a known one misspelt.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from ragspine_graph.errors import FactError
from ragspine_graph.validation import first_fault

MAX_FILE_BYTES = 256 * 2**20
MAX_FACTS = 1_000_000
MAX_CHARACTERS = 1_000

APPROVED = frozenset({"approved", "auto_approved"})

_PASSED_OVER = frozenset(
    {
        "id",
        "dim_key",
        "dimensions",
        "tags",
        "source_file_hash",
        "extractor_version",
        "mapping_version",
        "confidence",
        "ingested_at",
        "corrected_by",
        "corrected_audit_seq",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """A figure: of which metric and entity, for when, how much, and where it stands.

    Attributes:
        metric_code: code of the metric.
        entity: code, alias or name of the entity.
        period_type: `FY`, `HY`, `Q` or like.
        period: such as `2024` or `2024Q3`.
        value: in the unit.
        unit: of the value.
        source_doc_id: the document it stands in.
        source_locator: where in the document.
        geography, channel: further dimensions, '' when not stated.
        review_status: facts other than `approved` and `auto_approved` enter no graph.
        valid_as_of: the date it is valid for, as written.
    """

    metric_code: str
    entity: str
    period_type: str
    period: str
    value: float = field(repr=False)
    unit: str
    source_doc_id: str
    source_locator: str
    geography: str = ""
    channel: str = ""
    review_status: str = "auto_approved"
    valid_as_of: str = ""

    @property
    def is_approved(self) -> bool:
        """Whether a rule or a person has approved it."""
        return self.review_status in APPROVED


_Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]
_Given = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    metric_code: _Given
    entity: _Given
    period_type: _Given
    period: _Given
    value: Annotated[float, Field(allow_inf_nan=False)]
    unit: _Text = ""
    source_doc_id: _Given
    source_locator: _Given
    geography: _Text = ""
    channel: _Text = ""
    review_status: _Text = "auto_approved"
    valid_as_of: _Text = ""


_BEYOND = "(beyond the header)"
_Object = dict[str, object]
_OBJECT = TypeAdapter(_Object)
_ROWS = TypeAdapter(list[_Object])


def load_facts(path: Path) -> tuple[Fact, ...]:
    """Read facts from a file, in its order.

    Args:
        path: a `.csv`, `.json`, `.jsonl` or `.ndjson` file in UTF-8.

    Raises:
        FactError: the file is missing, too large, of another format or malformed, or a row is not
            as the columns want it; the message names file, row (from 1, the header left out) and
            key, and shows no value.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise FactError(
            f"facts {str(path)!r}: format {path.suffix!r} given; "
            f"expected one of {', '.join(_READERS)}"
        )
    facts: list[Fact] = []
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise FactError(f"facts {str(path)!r}: larger than {MAX_FILE_BYTES:,} bytes; split it")
        for row in reader(path):
            if len(facts) == MAX_FACTS:
                raise FactError(f"facts {str(path)!r}: more than {MAX_FACTS:,} rows; split it")
            facts.append(_fact(row, path, len(facts) + 1, from_text=reader is _csv_rows))
        return tuple(facts)
    except FileNotFoundError:
        problem = "no such file"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except UnicodeDecodeError:
        problem = "not UTF-8; save it as UTF-8"
    except csv.Error as error:
        problem = f"row {len(facts) + 1}: not valid CSV: {error}"
    raise FactError(f"facts {str(path)!r}: {problem}")


def _csv_rows(path: Path) -> Iterator[_Object]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file, restkey=_BEYOND, strict=True):
            if row.pop(_BEYOND, None):
                row[_BEYOND] = "more cells than names in the first row"
            yield {key: cell for key, cell in row.items() if cell}


def _json_rows(path: Path) -> Iterator[_Object]:
    try:
        yield from _ROWS.validate_json(path.read_text(encoding="utf-8-sig"))
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        row = f", row {int(fault['loc'][0]) + 1}" if fault["loc"] else ""
        expected = "an object" if fault["loc"] else "an array of objects"
        raise FactError(f"facts {str(path)!r}{row}: {_problem(fault, expected)}") from None


def _json_lines(path: Path) -> Iterator[_Object]:
    with path.open(encoding="utf-8-sig") as file:
        for no, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield _OBJECT.validate_json(line)
            except ValidationError as error:
                problem = _problem(error.errors(include_url=False)[0], "an object")
                raise FactError(f"facts {str(path)!r}, line {no}: {problem}") from None


_READERS: dict[str, Callable[[Path], Iterator[_Object]]] = {
    ".csv": _csv_rows,
    ".json": _json_rows,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
}


def _problem(fault: ErrorDetails, expected: str) -> str:
    if fault["type"] == "json_invalid":
        return f"not valid JSON: {fault.get('ctx', {}).get('error')}"
    return f"expected {expected}"


def _fact(row: _Object, path: Path, no: int, *, from_text: bool) -> Fact:
    given = {
        key: value for key, value in row.items() if key not in _PASSED_OVER and value is not None
    }
    try:
        found = _Row.model_validate_strings(given) if from_text else _Row.model_validate(given)
    except ValidationError as error:
        key, problem = first_fault(error, _Row, shows_values=False)
        raise FactError(f"facts {str(path)!r}, row {no}, key {key!r}: {problem}") from None
    return Fact(**dict(found))
