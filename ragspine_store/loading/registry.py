"""Which loader reads which file."""

from __future__ import annotations

import functools
from importlib.metadata import entry_points

from ragspine_store.errors import LoadError
from ragspine_store.loading.code import CodeLoader
from ragspine_store.loading.delimited import DelimitedLoader
from ragspine_store.loading.docx import DocxLoader
from ragspine_store.loading.html import HtmlLoader
from ragspine_store.loading.law_xml import LawXmlLoader
from ragspine_store.loading.markdown import MarkdownLoader
from ragspine_store.loading.pdf import PdfLoader
from ragspine_store.loading.plain_text import PlainTextLoader
from ragspine_store.loading.protocol import Loader
from ragspine_store.loading.xlsx import XlsxLoader
from ragspine_store.records import LoadedDocument

ENTRY_POINT_GROUP = "ragspine.loaders"


def known_suffixes() -> tuple[str, ...]:
    """The endings of all file names that can be read, sorted.

    >>> ".md" in known_suffixes()
    True
    """
    return tuple(sorted(_loaders()))


def loader_for(name: str) -> Loader:
    """Get the loader for a file name, by its ending.

    Raises:
        LoadError: no loader reads such files.

    >>> loader_for("rules/就業規則.MD").suffixes
    ('.md', '.markdown')
    """
    loader = _find_loader(name)
    if loader is None:
        raise LoadError(
            f"{name} has no known ending; expected one of {', '.join(known_suffixes())}: "
            f"rename the file, or install a loader (entry point group {ENTRY_POINT_GROUP})"
        )
    return loader


def load_document(data: bytes, *, name: str) -> LoadedDocument:
    """Load one file.

    Args:
        data: the file's bytes.
        name: the file's name; its ending chooses the loader, and errors show it.

    Raises:
        LoadError: the file cannot be read as a document.

    >>> load_document(b"# Rules", name="rules.md").title
    'Rules'
    """
    return loader_for(name).load(data, name=name)


def load_text(text: str, *, name: str) -> LoadedDocument:
    """Load text that is given directly.

    Args:
        text: the text.
        name: its ending chooses the loader; Markdown when none reads such names.

    Raises:
        LoadError: the text cannot be read as a document.

    >>> load_text("# Rules", name="rules").title
    'Rules'
    """
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise LoadError(
            f"{name} holds lone surrogates; expected Unicode text: decode it again"
        ) from None
    loader = _find_loader(name) or MarkdownLoader()
    return loader.load(data, name=name)


def _find_loader(name: str) -> Loader | None:
    lowered = name.casefold()
    fitting = [suffix for suffix in _loaders() if lowered.endswith(suffix)]
    return _loaders()[max(fitting, key=len)] if fitting else None


@functools.cache
def _loaders() -> dict[str, Loader]:
    loaders: dict[str, Loader] = {}
    for loader in (*_own_loaders(), *_installed_loaders()):
        for suffix in loader.suffixes:
            if suffix in loaders:
                raise LoadError(
                    f"two loaders read {suffix}: {type(loaders[suffix]).__name__} and "
                    f"{type(loader).__name__}; expected one: uninstall the other"
                )
            loaders[suffix] = loader
    return loaders


def _own_loaders() -> tuple[Loader, ...]:
    return (
        MarkdownLoader(),
        PlainTextLoader(),
        CodeLoader(),
        DocxLoader(),
        PdfLoader(),
        HtmlLoader(),
        LawXmlLoader(),
        DelimitedLoader(),
        XlsxLoader(),
    )


def _installed_loaders() -> list[Loader]:
    loaders: list[Loader] = []
    for entry_point in entry_points(group=ENTRY_POINT_GROUP):
        loader = entry_point.load()()
        if not isinstance(loader, Loader):
            raise LoadError(
                f"entry point {entry_point.name} of {ENTRY_POINT_GROUP} makes "
                f"{type(loader).__name__}; expected a Loader"
            )
        loaders.append(loader)
    return loaders
