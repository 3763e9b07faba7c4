"""Measure the cross-references that are found, and list those that point nowhere.

On the AI Act, rendered as one Markdown document, the links between articles and from articles to
annexes are compared with those of its compilers (`related_article_ids`, `related_annex_ids`). The
compilers link what a text names: of `Articles 8 to 15` the two ends. So edges to the inside of
ranges, which a reader of the text wants too, are counted beside.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.ai_act_markdown import render
from ragspine_graph.extraction.references import DocumentReferences, find_references
from ragspine_graph.extraction.references.headings import parse_numbering
from ragspine_graph.security.exits import clear_source
from ragspine_graph.security.relation_source import RelationSource
from ragspine_store.chunking import make_chunker
from ragspine_store.ingest import ingest_narrative
from ragspine_store.relations import Node, Reference
from ragspine_store.sealed import Cleared
from ragspine_store.sensitivity import Reader
from ragspine_store.sqlite_store import ChunkStore


class Found(NamedTuple):
    """A document and what was found in it."""

    source: RelationSource
    references: DocumentReferences


def find(path: Path, chunker: str) -> list[Found]:
    """Ingest a file or folder and find its documents' references."""
    with tempfile.TemporaryDirectory() as folder, ChunkStore(Path(folder, "store.db")) as store:
        store.init_schema()
        report = ingest_narrative([path], store, chunker=make_chunker(chunker))
        with store.reading() as reader:
            views = [reader.find_document(file.doc_id) for file in report.files]
        sources = [clear_source(view, Reader()) for view in views if view is not None]
    return [_found(source) for source in sources if source is not None]


def _found(source: Cleared[RelationSource]) -> Found:
    return Found(source.value, find_references(source))


class Resolved(NamedTuple):
    """References with the part that answers to them."""

    edges: list[tuple[Reference, Node]]
    dangling: list[Reference]


def resolve(documents: Iterable[Found]) -> Resolved:
    """Resolve all references among these documents, as a store does at a read."""
    documents = list(documents)
    named: dict[str, str] = {}
    nodes: dict[tuple[str, str], Node] = {}
    for source, found in documents:
        for title in found.titles:
            named.setdefault(title, source.doc_id)
        nodes |= {(source.doc_id, address.address): address.node for address in found.addresses}
    resolved = Resolved([], [])
    for source, found in documents:
        for reference in found.references:
            target = named.get(reference.title, "") if reference.title else source.doc_id
            node = nodes.get((target, reference.address))
            if node is None:
                resolved.dangling.append(reference)
            else:
                resolved.edges.append((reference, node))
    return resolved


def print_links(records: list[dict[str, str | None]], chunker: str) -> None:
    """Print precision and recall on the AI Act, and every link that differs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "ai_act.md")
        path.write_text("\n".join(render(records)) + "\n", encoding="utf-8")
        documents = find(path, chunker)
    rows = _rows(documents[0].source)
    resolved = resolve(documents)
    named: set[tuple[str, str]] = set()
    every: set[tuple[str, str]] = set()
    for reference, node in resolved.edges:
        link = rows.get(reference.source.id, ""), rows.get(node.id, "")
        if link[0].startswith("article") and link[1] and link[0] != link[1]:
            every.add(link)
            if reference.evidence.target_name:
                named.add(link)
    for kind in ("article", "annex"):
        gold = {
            (str(record["id"]), target)
            for record in records
            if str(record["id"]).startswith("article")
            for target in record.get(f"related_{kind}_ids") or ()
        }
        print(f"\nai_act ({chunker}), article -> {kind}: {len(gold)} links of the compilers")
        for name, links in (("named", named), ("with ranges", every)):
            found = {link for link in links if link[1].startswith(kind)}
            hits = len(found & gold)
            print(
                f"  {name:11} {len(found):4} edges, precision {hits / len(found):.3f}, "
                f"recall {hits / len(gold):.3f}"
            )
        found = {link for link in named if link[1].startswith(kind)}
        for label, links in (("missed", gold - found), ("not theirs", found - gold)):
            for link in sorted(links):
                print(f"    {label}: {link[0]} -> {link[1]}")
    print(f"  {len(resolved.dangling)} references point nowhere")


def _rows(source: RelationSource) -> dict[str, str]:
    """The compilers' ids by node: of each section, and of the children in it."""
    row_of: dict[int, str] = {}
    for section in source.sections:
        numbering = None if section.parent is None else parse_numbering(section.heading)
        unit, number = ("", "") if numbering is None else numbering.steps[0]
        width = {"article": 3, "annex": 2}.get(unit)
        if width is not None:
            row_of[section.no] = f"{unit}_{number.zfill(width)}"
        elif section.parent is not None:
            row_of[section.no] = row_of.get(section.parent, "")
    rows = {f"section:{source.doc_id}#s{no}": row for no, row in row_of.items()}
    for chunk in source.chunks:
        rows[f"child:{source.doc_id}#c{chunk.seq}"] = row_of.get(chunk.section, "")
    return rows


def print_dangling(path: Path, chunker: str) -> None:
    """Print how many references a folder or file holds, and those that point nowhere."""
    documents = find(path, chunker)
    resolved = resolve(documents)
    own = [reference for reference in resolved.dangling if not reference.title]
    print(
        f"\n{path.name} ({chunker}): {len(documents)} documents, {len(resolved.edges)} edges, "
        f"{len(resolved.dangling)} point nowhere, {len(own)} of them into their own document"
    )
    for reference in resolved.dangling if len(resolved.dangling) < 50 else ():
        found = reference.evidence
        where = f"{reference.title}: " if reference.title else ""
        print(f"    {found.locator} {found.quote}: {where}{reference.address}")


def main() -> None:
    """Print the figures for each chunker."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the corpora")
    arguments = parser.parse_args()
    lines = Path(arguments.data, "en_ai_act", "ai_act.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in lines.splitlines()]
    for chunker in ("none", "parent_child"):
        print_links(records, chunker)
        for handbook in ("tuqulore", "DenkiYagi"):
            print_dangling(Path(arguments.data, "ja_work_rules", handbook), chunker)
        law = Path(arguments.data, "ja_law_xml", "labor-standards-law.xml")
        print_dangling(law, chunker)


if __name__ == "__main__":
    main()
