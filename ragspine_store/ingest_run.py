"""One run of an ingest: each document is drafted, labelled, cut and written."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ragspine_store.chunking import Chunker, TreeChunker, chunk_document, cut_parents
from ragspine_store.document_id import document_id
from ragspine_store.errors import (
    DocumentIdError,
    LabelError,
    LoadError,
    StoreError,
    StoreLockedError,
)
from ragspine_store.ingest_report import IngestedFile, IngestReport, Outcome
from ragspine_store.labelling import (
    Resolution,
    SensitivityPolicy,
    Sidecar,
    SidecarReader,
    decide,
    resolve,
)
from ragspine_store.loading import load_document
from ragspine_store.protocols import Store
from ragspine_store.records import (
    META_KEYS,
    Chunk,
    DocumentMeta,
    DocumentState,
    LoadedDocument,
    PreparedDocument,
    TreeNode,
)
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.source_files import SourceFile
from ragspine_store.tokenizer import TOKENIZER_VERSION

# Raise it when a loader or a chunker makes something else of the same bytes and settings.
_RULES_VERSION = "2"


@dataclass(frozen=True, slots=True)
class IngestSettings:
    """How files are labelled and cut.

    Attributes:
        chunker: None cuts with `chunk_document`.
        sensitivity: a label stated for all files, as written.
        collection: the collection of all files; None leaves it to front matter and sidecars.
        policy: the rules of the house.
        allow_lower: let a stated label lower a stored one.
        meta_by_doc: metadata by document id, keys as in `DocumentMeta`; wins over the file's own.
    """

    chunker: Chunker | None = None
    sensitivity: str | None = None
    collection: str | None = None
    policy: SensitivityPolicy = field(default_factory=SensitivityPolicy)
    allow_lower: bool = False
    meta_by_doc: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, Mapping[str, str]]
    )


@dataclass(frozen=True, slots=True)
class Draft:
    """A document ready to be written, but for its label and its children."""

    loaded: LoadedDocument
    meta: DocumentMeta
    resolution: Resolution
    fingerprint: str
    path: str


class Ingester:
    """One run: its settings, the sidecars it has read and the ids it has seen.

    Args:
        store: where to; its schema exists.
        settings: how files are labelled and cut.
        dry_run: write nothing.
    """

    def __init__(self, store: Store, settings: IngestSettings, *, dry_run: bool) -> None:
        self._store = store
        self._settings = settings
        self._dry_run = dry_run
        self._sidecars: dict[Path, SidecarReader] = {}
        self._spec = settings.chunker.spec if settings.chunker else ""
        self._seen: dict[str, str] = {}

    def ingest_file(self, file: SourceFile) -> IngestedFile:
        """Ingest one file; whatever is wrong with it becomes its line of the report."""
        source = str(file.path)
        if file.problem:
            outcome = Outcome.REFUSED if file.is_named else Outcome.SKIPPED
            return IngestedFile(source, outcome, message=file.problem)
        doc_id = ""
        try:
            doc_id = document_id(file.path, file.root)
            data = _read(file.path)
            loaded = load_document(data, name=file.path.name)
            sidecar = self._sidecars.setdefault(file.root, SidecarReader(file.root)).read(file.path)
            return self.write(source, self.draft(data, loaded, doc_id, sidecar, file))
        except StoreLockedError:
            raise
        except StoreError as error:
            return IngestedFile(source, Outcome.REFUSED, doc_id, message=str(error))
        except Exception as error:  # a loader or chunker of a third party: the other files go on
            problem = f"{source!r} made the loader or chunker fail with {type(error).__name__}"
            return IngestedFile(source, Outcome.REFUSED, doc_id, message=problem)

    def draft(
        self,
        data: bytes,
        loaded: LoadedDocument,
        doc_id: str,
        sidecar: Sidecar,
        file: SourceFile | None,
    ) -> Draft:
        """Gather what is said of a document, the strongest voice last."""
        settings = self._settings
        given = settings.meta_by_doc.get(doc_id, {})
        unknown = sorted(set(given).difference(META_KEYS))
        if unknown:
            raise DocumentIdError(
                f"unknown metadata key {', '.join(unknown)} for {doc_id!r}; expected one of "
                f"{', '.join(META_KEYS)}"
            )
        described = {
            "title": loaded.title or PurePosixPath(doc_id).stem,
            **sidecar.metadata,
            **loaded.stated,
            **given,
        }
        if settings.collection is not None:
            described["collection"] = settings.collection
        described.pop("sensitivity", None)
        _refuse_surrogates(doc_id, described)
        meta = dataclasses.replace(DocumentMeta(doc_id), **described)
        resolution = resolve(
            doc_id=doc_id,
            file_name=file.path.name if file else "",
            title=meta.title,
            text=loaded.full_text,
            argument=settings.sensitivity,
            given=given.get("sensitivity"),
            front_matter=loaded.stated.get("sensitivity"),
            sidecar=sidecar,
            policy=settings.policy,
        )
        return Draft(
            loaded=loaded,
            meta=meta,
            resolution=resolution,
            fingerprint=_fingerprint(data, self._spec, described),
            path=os.path.realpath(file.path) if file else "",
        )

    def write(self, source: str, draft: Draft) -> IngestedFile:
        """Cut a document and write it, unless nothing changed.

        The check before cutting spares unchanged documents the work; the one that counts is made
        again inside the transaction that writes.
        """
        doc_id = draft.meta.doc_id
        self._refuse_twin(draft)
        with self._store.writing() as transaction:
            state = transaction.find(doc_id)
        label = self._label(draft, state)
        if _is_unchanged(draft, state, label):
            return IngestedFile(source, Outcome.UNCHANGED, doc_id, label)
        self._refuse_losing_labels(doc_id, state, label)
        chunks, nodes = self._cut(draft)
        if not self._dry_run:
            with self._store.writing() as transaction:
                state = transaction.find(doc_id)
                label = self._label(draft, state)
                self._refuse_losing_labels(doc_id, state, label)
                transaction.put(
                    PreparedDocument(
                        meta=dataclasses.replace(draft.meta, sensitivity=label),
                        loaded=draft.loaded,
                        chunks=chunks,
                        chunker=self._spec,
                        source_path=draft.path,
                        fingerprint=draft.fingerprint,
                        nodes=nodes,
                    )
                )
        return IngestedFile(
            source=source,
            outcome=Outcome.ADDED if state is None else Outcome.UPDATED,
            doc_id=doc_id,
            label=label,
            chunks=len(chunks),
            sections=len(draft.loaded.outline.sections) - 1,
            blocks=len(draft.loaded.outline.blocks),
            cut_sections=cut_parents(chunks),
        )

    def finish(self, files: Sequence[IngestedFile]) -> IngestReport:
        """Erase what this run raised to RESTRICTED, and report."""
        return IngestReport(
            files=tuple(files),
            chunker=self._spec or "none",
            dry_run=self._dry_run,
            erased=self._dry_run or self._store.erase(),
        )

    def _label(self, draft: Draft, state: DocumentState | None) -> Sensitivity:
        _refuse_other_file(draft, state)
        return decide(draft.resolution, state, allow_lower=self._settings.allow_lower)

    def _refuse_losing_labels(
        self, doc_id: str, state: DocumentState | None, label: Sensitivity
    ) -> None:
        """Refuse to replace a document whose sections or children are stricter than it will be."""
        part = state.strictest_part if state else None
        if part is not None and part > label and not self._settings.allow_lower:
            raise LabelError(
                f"{doc_id!r} changed, and has sections or children labelled {part.name}, which a "
                f"new ingest as {label.name} would lose: expected a label for the whole document; "
                "state one, or pass --allow-lower and label the sections again"
            )

    def _cut(self, draft: Draft) -> tuple[Sequence[Chunk], Sequence[TreeNode]]:
        loaded, chunker = draft.loaded, self._settings.chunker
        text, outline, pages = loaded.text, loaded.outline, loaded.pages
        if chunker is None:
            return chunk_document(text, draft.meta, outline=outline), ()
        if isinstance(chunker, TreeChunker):
            chunks = chunker.chunk(text, draft.meta, outline=outline, pages=pages)
            return chunks, chunker.tree(text, outline, pages=pages)
        return chunker.chunk(text, draft.meta, outline=outline), ()

    def _refuse_twin(self, draft: Draft) -> None:
        first = self._seen.setdefault(draft.meta.doc_id, draft.path)
        if first != draft.path:
            raise DocumentIdError(_same_id(draft.meta.doc_id, first, draft.path))


def _refuse_other_file(draft: Draft, state: DocumentState | None) -> None:
    """Refuse to overwrite a document that came from another file."""
    if state is None or not state.source_path or state.source_path == draft.path:
        return
    raise DocumentIdError(
        _same_id(draft.meta.doc_id, state.source_path, draft.path or "a text given directly")
    )


def _same_id(doc_id: str, first: str, second: str) -> str:
    return (
        f"the id {doc_id!r} belongs to {first!r}; {second!r} has the same id: expected one file "
        "for an id, so give another --root, rename one, or delete the stored document first"
    )


def _is_unchanged(draft: Draft, state: DocumentState | None, label: Sensitivity) -> bool:
    if state is None or state.sensitivity is not label or not state.is_settled:
        return False
    # A stub keeps nothing that could have changed.
    return state.is_stub or state.fingerprint == draft.fingerprint


def _refuse_surrogates(doc_id: str, described: Mapping[str, str]) -> None:
    for key, value in described.items():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise LoadError(
                f"the {key} of {doc_id!r} holds a lone surrogate; expected Unicode text"
            ) from None


def _fingerprint(data: bytes, spec: str, described: Mapping[str, str]) -> str:
    parts = [_RULES_VERSION, TOKENIZER_VERSION, spec, sorted(described.items())]
    return hashlib.sha256(data + json.dumps(parts).encode()).hexdigest()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LoadError(
            f"{str(path)!r} cannot be read ({error.strerror}); expected a readable file"
        ) from None
