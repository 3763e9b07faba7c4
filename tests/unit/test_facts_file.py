from pathlib import Path

import pytest

from ragspine_graph.errors import FactError
from ragspine_graph.facts import MAX_CHARACTERS, Fact, load_facts

HEADER = "metric_code,entity,period_type,period,value,unit,source_doc_id,source_locator"
ROW = "REVENUE,EX,FY,2024,268.5,JPY_M,results.md,results.md#para3"
OBJECT = (
    '{"metric_code": "REVENUE", "entity": "EX", "period_type": "FY", "period": "2024",'
    ' "value": 268.5, "unit": "JPY_M", "source_doc_id": "results.md",'
    ' "source_locator": "results.md#para3"}'
)
FACT = Fact(
    metric_code="REVENUE",
    entity="EX",
    period_type="FY",
    period="2024",
    value=268.5,
    unit="JPY_M",
    source_doc_id="results.md",
    source_locator="results.md#para3",
)


def write(folder: Path, name: str, text: str) -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("facts.csv", f"{HEADER}\n{ROW}\n"),
        ("FACTS.CSV", f"\ufeff{HEADER}\r\n{ROW}\r\n"),
        ("facts.json", f"[{OBJECT}]"),
        ("facts.jsonl", f"{OBJECT}\n\n"),
        ("facts.ndjson", OBJECT),
    ],
    ids=["csv", "csv with byte order mark and CRLF", "json", "json lines", "ndjson"],
)
def test_every_format_gives_the_same_fact(tmp_path: Path, name: str, text: str) -> None:
    assert load_facts(write(tmp_path, name, text)) == (FACT,)


def test_a_dump_of_the_predecessors_table_loads_as_it_is(tmp_path: Path) -> None:
    columns = f"{HEADER},dim_key,geography,channel,tags,confidence,review_status,corrected_by"
    row = f"{ROW},k,JP,TOTAL,{{}},0.9,pending,"
    (fact,) = load_facts(write(tmp_path, "dump.csv", f"{columns}\n{row}\n"))
    assert (fact.geography, fact.channel, fact.review_status) == ("JP", "TOTAL", "pending")
    assert not fact.is_approved


def test_an_empty_cell_and_null_count_as_not_stated(tmp_path: Path) -> None:
    csv = write(tmp_path, "facts.csv", f"{HEADER},review_status\n{ROW},\n")
    null = OBJECT.replace("}", ', "review_status": null}')
    json = write(tmp_path, "facts.json", f"[{null}]")
    assert load_facts(csv) == load_facts(json) == (FACT,)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("facts.txt", "", r"facts\.txt'.*'\.txt' given; expected one of \.csv"),
        (
            "facts.csv",
            f"{HEADER}\n{ROW}\n{ROW.rpartition(',')[0]}\n",
            r"row 2, key 'source_locator': missing",
        ),
        ("facts.csv", f"{HEADER}\n{ROW.replace('268.5', 'much')}\n", r"row 1, key 'value'"),
        ("facts.csv", f"{HEADER}\n{ROW.replace('268.5', 'nan')}\n", r"row 1, key 'value'"),
        ("facts.csv", f"{HEADER}\n{ROW},more\n", r"key '\(beyond the header\)': unknown key"),
        ("facts.csv", f"{HEADER},reveiw_status\n{ROW},x\n", r"'reveiw_status': unknown key"),
        ("facts.csv", f'{HEADER}\n"a"b,{ROW}\n', r"row 1: not valid CSV"),
        ("facts.csv", f"{HEADER}\n{'X' * (MAX_CHARACTERS + 1)}{ROW}\n", r"key 'metric_code'"),
        ("facts.json", OBJECT, r"facts\.json': expected an array of objects"),
        ("facts.json", f"[{OBJECT}, 3]", r"row 2: expected an object"),
        ("facts.json", f"[{OBJECT}", r"not valid JSON: EOF .* at line 1"),
        ("facts.json", f"[{OBJECT.replace('268.5', 'true')}]", r"row 1, key 'value'"),
        ("facts.json", "[" * 100_000, r"not valid JSON"),
        ("facts.jsonl", f"{OBJECT}\n{{\n", r"line 2: not valid JSON"),
        ("facts.jsonl", f"{OBJECT}\n[]\n", r"line 2: expected an object"),
    ],
    ids=[
        "unknown format",
        "missing column",
        "no number",
        "not finite",
        "too many cells",
        "misspelt column",
        "malformed csv",
        "endless cell",
        "no array",
        "no object",
        "truncated json",
        "a truth for a number",
        "deep nesting",
        "truncated line",
        "no object in a line",
    ],
)
def test_one_error_names_file_row_and_key(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(FactError, match=says) as caught:
        load_facts(write(tmp_path, name, text))
    assert "\n" not in str(caught.value)


def test_a_missing_file_and_other_encodings_are_said_to_be_so(tmp_path: Path) -> None:
    with pytest.raises(FactError, match="no such file"):
        load_facts(tmp_path / "none.csv")
    (tmp_path / "sjis.csv").write_bytes("指標".encode("shift_jis"))
    with pytest.raises(FactError, match="not UTF-8"):
        load_facts(tmp_path / "sjis.csv")


def test_an_error_shows_no_value(tmp_path: Path) -> None:
    file = write(tmp_path, "facts.csv", f"{HEADER}\n{ROW.replace('268.5', 'secretive')}\n")
    with pytest.raises(FactError) as caught:
        load_facts(file)
    assert "secretive" not in str(caught.value)
