"""Source code: classes are sections; functions, methods and the rest are blocks."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragspine_store.chunking import HierarchicalChunker
from ragspine_store.errors import LoadError
from ragspine_store.loading import enclosing_class, load_document
from ragspine_store.loading.code import CodeLoader, grammars
from ragspine_store.records import BlockKind, DocumentMeta, LoadedDocument, Span

PYTHON = '''\
"""請求の計算。"""
import os

# 端数を丸める
@cache
def rounded(x):
    return x  # as it is

class Invoice(Base):
    """A bill."""

    total = 0

    def add(self, x):
        self.total += x

    class Line:
        def price(self):
            return 1

    # Ends it.

    def pay(self):
        return None

def save(path):
    pass

if __name__ == "__main__":
    save("x")
'''


def load(text: str, name: str) -> LoadedDocument:
    return load_document(text.encode(), name=name)


def tree(document: LoadedDocument) -> list[tuple[str, list[str]]]:
    """The heading path of each section, with the first lines of the blocks that hold a word."""
    outline = document.outline
    texts = [
        (block.section, document.text[block.span.start : block.span.end])
        for block in outline.blocks
    ]
    return [
        (
            " > ".join(outline.path(section.no)),
            [
                text.partition("\n")[0]
                for no, text in texts
                if no == section.no and any(map(str.isalnum, text))
            ],
        )
        for section in outline.sections
    ]


def test_a_module_is_a_tree_of_its_classes() -> None:
    document = load(PYTHON, "invoice.py")
    assert tree(document) == [
        ("", ['"""請求の計算。"""', "# 端数を丸める"]),
        ("class Invoice(Base)", ["class Invoice(Base):", "def add(self, x):"]),
        ("class Invoice(Base) > class Line", ["class Line:", "def price(self):"]),
        ("class Invoice(Base) > pay", ["# Ends it.", "def pay(self):"]),
        ("save", ["def save(path):", 'if __name__ == "__main__":']),
    ]
    assert document.text == PYTHON
    assert document.offsets is not None
    assert document.offsets.raw_span(Span(2, 40)) == Span(2, 40)


LANGUAGES: list[tuple[str, str, list[tuple[str, list[str]]]]] = [
    (
        "a.js",
        "const a = 1;\nfunction f() {}\nexport class K extends L { m() {} n = () => {}; }\n"
        "const g = async () => {};\n",
        [
            ("", ["const a = 1;", "function f() {}"]),
            ("class K extends L", ["export class K extends L {", "m() {}", "n = () => {}"]),
            ("g", ["const g = async () => {};"]),
        ],
    ),
    (
        "a.ts",
        "interface S { area(): number }\nnamespace N {\n"
        "export abstract class C implements S { area(): number { return 3; } }\n}\n",
        [
            ("", []),
            ("interface S", ["interface S { area(): number }"]),
            ("namespace N {", ["namespace N {"]),
            ("class C implements S", ["export abstract class C implements S {", "area(): "]),
        ],
    ),
    (
        "a.tsx",
        "export function View() { return <p>hi</p>; }\n",
        [("", ["export function View() { return <p>hi</p>; }"])],
    ),
    (
        "A.java",
        "package p;\n/** Doc. */\n@Ann\npublic final class A<T> extends B {\n  int x;\n"
        "  A() {}\n  enum E { X; int z() { return 1; } }\n  void last() {}\n}\n"
        "record P(int a) { int twice() { return 2 * a; } }\n",
        [
            ("", ["package p;"]),
            ("class A<T> extends B", ["/** Doc. */", "A() {}"]),
            ("class A<T> extends B > enum E", ["enum E { X;", "int z() { return 1; }"]),
            ("class A<T> extends B > last", ["void last() {}"]),
            ("record P(int a)", ["record P(int a) {", "int twice() { return 2 * a; }"]),
        ],
    ),
    (
        "a.go",
        "package p\n\n// T is.\ntype T struct { a int }\n\n// M does.\n"
        "func (t *T) M() int { return 1 }\n\nfunc (t T) N() {}\n\nfunc Free() {}\n\n"
        "func (t T) Late() {}\n",
        [
            ("", ["package p"]),
            ("type T struct", ["// T is.", "// M does.", "func (t T) N() {}"]),
            ("Free, Late", ["func Free() {}", "func (t T) Late() {}"]),
        ],
    ),
    (
        "a.rs",
        "/// A point.\n#[derive(Debug)]\npub struct Point { x: i32 }\n"
        "impl Point {\n    /// New.\n    pub fn new() -> Self { todo!() }\n}\n"
        "pub trait Shape { fn two(&self) -> i32 { 2 } }\nfn main() {}\n",
        [
            ("", []),
            ("struct Point", ["/// A point."]),
            ("impl Point", ["impl Point {", "/// New."]),
            ("trait Shape", ["pub trait Shape {", "fn two(&self) -> i32 { 2 }"]),
            ("main", ["fn main() {}"]),
        ],
    ),
    (
        "a.c",
        "#ifndef A\n#include <stdio.h>\nint add(int a) { return a; }\n"
        "static char *name(void) { return 0; }\n#endif\n",
        [
            (
                "",
                [
                    "#ifndef A",
                    "int add(int a) { return a; }",
                    "static char *name(void)",
                    "#end",
                ],
            )
        ],
    ),
    (
        "a.hpp",
        "namespace n {\ntemplate <class T>\nclass Box : public Base {\n public:\n  Box() {}\n"
        " private:\n  T t;\n};\nvoid Box<int>::out() {}\n}\nint main() { return 0; }\n",
        [
            ("", ["namespace n {"]),
            ("class Box : public Base", ["template <class T>", "Box() {}", "private:"]),
            ("Box<int>::out, main", ["void Box<int>::out() {}", "int main() { return 0; }"]),
        ],
    ),
]


@pytest.mark.parametrize(
    ("name", "text", "expected"), LANGUAGES, ids=[name for name, _, _ in LANGUAGES]
)
def test_each_language_keeps_its_classes_and_functions(
    name: str, text: str, expected: list[tuple[str, list[str]]]
) -> None:
    found = tree(load(text, name))
    assert [path for path, _ in found] == [path for path, _ in expected]
    for (path, lines), (_, openings) in zip(found, expected, strict=True):
        assert len(lines) == len(openings), path
        assert all(a.startswith(b) for a, b in zip(lines, openings, strict=True)), path


def test_a_class_is_the_parent_of_its_methods() -> None:
    document = load(PYTHON, "invoice.py")
    chunker = HierarchicalChunker(parent="class", child="function")
    chunks = chunker.chunk(document.text, DocumentMeta("invoice.py"), outline=document.outline)
    by_line = {chunk.text.partition("\n")[0]: chunk for chunk in chunks}
    windows = {line: chunk.window for line, chunk in by_line.items()}
    assert windows["class Invoice(Base):"] == windows["def add(self, x):"]
    window = windows["def pay(self):"]
    assert window is not None
    assert document.text[window.start : window.end].startswith("class Invoice")
    assert by_line["def price(self):"].parent_id == "invoice.py#s2"
    assert by_line["# 端数を丸める"].text.endswith("return x  # as it is")


def test_a_long_function_is_one_child() -> None:
    body = "".join(f"    value_{no} = compute(value, {no})\n" for no in range(60))
    document = load(f"def long(value):\n{body}\ndef other():\n    pass\n", "long.py")
    meta = DocumentMeta("long.py")
    whole = HierarchicalChunker(child="function").chunk(
        document.text, meta, outline=document.outline
    )
    cut = HierarchicalChunker().chunk(document.text, meta, outline=document.outline)
    assert len(whole) == 2
    assert len(cut) > 2


@pytest.mark.parametrize(
    "text",
    [
        "def (:\n  class\n",
        "class A:\n" + "".join("  " * no + "class B:\n" for no in range(1, 60)),
        "((((" * 2000,
        "\x0c\ndef f(): pass\n",
        "x = '🙂'\nclass 顧客:\n  def 名前(self): return '🙂'\n",
    ],
    ids=["broken", "deep classes", "deep expression", "form feed", "wide characters"],
)
def test_whatever_is_in_it_a_file_is_read(text: str) -> None:
    assert_outline_holds(load(text, "a.py"))


def test_classes_and_names_in_other_scripts_are_found() -> None:
    text = "x = '🙂'\nclass 顧客:\n  def 名前(self): return '🙂'\n\ndef 最後(): pass\n"
    assert [path for path, _ in tree(load(text, "a.py"))] == ["", "class 顧客", "最後"]


def assert_outline_holds(document: LoadedDocument) -> None:
    text, outline = document.text, document.outline
    at = 0
    for section in outline.sections:
        assert section.own == Span(at, section.own_end)
        at = section.own_end
        if section.parent is not None:
            parent = outline.sections[section.parent]
            assert parent.span.contains(section.span)
            assert section.level == parent.level + 1
    assert at == len(text)
    covered = 0
    for block in outline.blocks:
        assert block.kind is BlockKind.CODE
        assert outline.sections[block.section].own.contains(block.span)
        assert not text[covered : block.span.start].strip()
        covered = block.span.end
    assert not text[covered:].strip()


FRAGMENTS = ["class A:", "  class B:", "  def f(self):", "    return 1", "def g(): pass", "@d"]
MORE_FRAGMENTS = ["# 注", "x = 1", "", "}", "if a:", "'''", "async def h():", "  pass"]


@given(st.lists(st.sampled_from(FRAGMENTS + MORE_FRAGMENTS), max_size=15).map("\n".join))
def test_blocks_cover_all_text_and_sections_partition_it(text: str) -> None:
    if text.strip():
        assert_outline_holds(load(text, "a.py"))


def test_without_the_extra_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_go", None)
    grammars.parser_of.cache_clear()
    with pytest.raises(LoadError, match=r'a\.go is go source.*"ragspine-graph\[code\]"'):
        load("package p\n", "a.go")


def test_a_generated_giant_is_refused() -> None:
    with pytest.raises(LoadError, match=r"a\.js has 5,000,001 bytes; expected at most 5,000,000"):
        CodeLoader().load(b" " * 5_000_001, name="a.js")


def test_a_class_of_prose_is_none() -> None:
    outline = load("# Class of 2020\n\n# classes\n", "a.md").outline
    assert [enclosing_class(outline, no) for no in (1, 2)] == [None, None]
