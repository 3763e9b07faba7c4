"""Coverage of the law XML loader: structure counted and words extracted independently.

Each file is read twice: by the loader, and by ElementTree alone. Printed side by side are the
articles, paragraphs, items and supplementary provisions, and the characters of the law (tables of
contents, readings of ruby and white space left out) that the canonical text lacks or adds. The
circled numbers of old paragraphs and the marks of tables and brackets are what may be added.

    python -m benchmarks.law_xml_coverage --data FOLDER
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from ragspine_store.loading.japanese import Rank, rank_of
from ragspine_store.loading.law_xml import LawXmlLoader
from ragspine_store.records import BlockKind, LoadedDocument

_ITEM_TAG = re.compile(r"Item|Subitem\d+")
_TABLES = ("TableStruct", "Table")


def words(element: Element) -> Iterator[str]:
    """The text of an element, without contents and readings."""
    if element.tag in ("TOC", "Rt"):
        return
    yield element.text or ""
    for child in element:
        yield from words(child)
        yield child.tail or ""


def outside_tables(element: Element) -> Iterator[Element]:
    for child in element:
        if child.tag not in _TABLES:
            yield child
            yield from outside_tables(child)


def expected(law: Element) -> dict[str, int]:
    tags = Counter(element.tag for element in outside_tables(law))
    return {
        "articles": len(law.findall(".//Article")),
        "paragraphs": len(law.findall(".//Paragraph")),
        "items": sum(count for tag, count in tags.items() if _ITEM_TAG.fullmatch(tag)),
        "supplements": len(law.findall(".//SupplProvision")),
        "appendices": len(law.findall(".//AppdxTable")),
        "tables": len(law.findall(".//Table")),
    }


def found(document: LoadedDocument) -> dict[str, int]:
    outline = document.outline
    headings = [section.heading for section in outline.sections[1:]]
    outer = [heading for heading in headings if rank_of(heading) is Rank.OUTERMOST]
    items = [block for block in outline.blocks if block.kind is BlockKind.ITEM]
    in_appendices = [
        block
        for block in items
        if any(part.startswith("別表") for part in outline.path(block.section))
    ]
    paragraphs = [block for block in items if block.depth == 1 and block not in in_appendices]
    return {
        "articles": sum(rank_of(heading) is Rank.ARTICLE for heading in headings),
        "paragraphs": len(paragraphs),
        "items": len(items) - len(paragraphs),
        "supplements": sum(heading.startswith("附") for heading in outer),
        "appendices": sum(heading.startswith("別表") for heading in outer),
        "tables": sum(block.kind is BlockKind.TABLE for block in outline.blocks),
    }


def characters(text: str) -> Counter[str]:
    return Counter("".join(text.split()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of law XML files")
    for path in sorted(parser.parse_args().data.glob("*.xml")):
        data = path.read_bytes()
        start = time.process_time()
        document = LawXmlLoader().load(data, name=path.name)
        seconds = time.process_time() - start
        root = ElementTree.fromstring(data)
        law = next(root.iter("Law"))
        theirs, ours = expected(law), found(document)
        print(f"{path.name}: {document.title}, {len(data):,} bytes, {seconds:.2f} CPU seconds")
        for key, count in theirs.items():
            print(f"  {key:12} {count:5} in the XML, {ours[key]:5} in the outline")
        attributes = "".join(e.get("AmendLawNum", "") for e in law.iter("SupplProvision"))
        wanted, kept = characters("".join(words(law)) + attributes), characters(document.text)
        lost, added = wanted - kept, kept - wanted
        print(f"  characters   {wanted.total():,}, lost {lost.total()}, added {added.total()}")
        print(f"  lost {''.join(sorted(lost)) or 'none'}; added {''.join(sorted(added)) or 'none'}")


if __name__ == "__main__":
    main()
