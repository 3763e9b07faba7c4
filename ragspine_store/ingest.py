"""From files to stored documents: the batch writer of the record.

Each file is read, labelled, cut and written in one transaction of its own. One bad file is one
line of the report; the others are ingested. The label is decided inside the transaction that
writes, so a label raised in the meantime is never lowered by an ingest under way.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ragspine_store.chunking import Chunker, chunk_document, cut_parents
from ragspine_store.document_id import check_document_id, document_id
from ragspine_store.errors import (
    DocumentIdError,
    LabelError,
    LoadError,
    StoreError,
    StoreLockedError,
)
from ragspine_store.ingest_report import IngestedFile, IngestReport, Outcome, Progress
from ragspine_store.labelling import (
    Resolution,
    SensitivityPolicy,
    Sidecar,
    SidecarReader,
    decide,
    resolve,
)
from ragspine_store.loading import load_document, load_text
from ragspine_store.protocols import Store
from ragspine_store.records import (
    Chunk,
    DocumentMeta,
    DocumentState,
    LoadedDocument,
    PreparedDocument,
)
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, Sensitivity, parse_label
from ragspine_store.source_files import SourceFile, find_files
from ragspine_store.tokenizer import TOKENIZER_VERSION

# Raise it when a loader or a chunker makes something else of the same bytes and settings.
_RULES_VERSION = "1"

_META_KEYS = frozenset(f.name for f in dataclasses.fields(DocumentMeta)) - {"doc_id"}


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


def ingest_narrative(
    inputs: str | Path | Iterable[str | Path],
    store: Store,
    *,
    meta_by_doc: Mapping[str, Mapping[str, str]] | None = None,
    dry_run: bool = False,
    chunker: Chunker | None = None,
    root: str | Path | None = None,
    sensitivity: str | None = None,
    collection: str | None = None,
    policy: SensitivityPolicy | None = None,
    allow_lower: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> IngestReport:
    """Ingest files and folders.

    Args:
        inputs: files and folders; a folder is walked, hidden files left out.
        store: where to; its schema exists.
        meta_by_doc: metadata by document id, keys as in `DocumentMeta`.
        dry_run: report what would be done, write nothing.
        chunker: None delegates to `chunk_document`, byte for byte as ever.
        root: the folder ids are relative to; None takes the parent of each folder and the
            grandparent of each file.
        sensitivity: a label stated for all of them.
        collection: the collection of all of them.
        policy: the rules of the house.
        allow_lower: let a stated label lower a stored one.
        progress: called before each file and at the end.

    Raises:
        LabelError: `sensitivity` is not a label.
        StoreLockedError: another process kept the store's write lock.

    >>> from ragspine_store import ChunkStore
    >>> store = ChunkStore(":memory:"); store.init_schema()
    >>> ingest_narrative([], store).files
    ()
    """
    if sensitivity is not None:
        parse_label(sensitivity, source="the sensitivity argument")
    paths = [inputs] if isinstance(inputs, (str, Path)) else list(inputs)
    ingester = _Ingester(
        store,
        IngestSettings(
            chunker,
            sensitivity,
            collection,
            policy or SensitivityPolicy(),
            allow_lower,
            meta_by_doc or {},
        ),
        dry_run=dry_run,
    )
    files = find_files([Path(path) for path in paths], Path(root) if root is not None else None)
    report: list[IngestedFile] = []
    for done, file in enumerate(files):
        progress(Progress(done, len(files), file.path.name))
        report.append(ingester.ingest_file(file))
    progress(Progress(len(files), len(files), ""))
    return ingester.finish(report)


def ingest_text(
    text: str, meta: DocumentMeta, store: Store, settings: IngestSettings
) -> IngestReport:
    """Ingest one text given directly, under the id and metadata of `meta`.

    A label other than the default counts as stated.

    Raises:
        DocumentIdError: the id is malformed, or belongs to a file.
        LabelError: the label would lower the stored one.
        LoadError: the text is blank, or its front matter is malformed.
    """
    doc_id = check_document_id(meta.doc_id)
    given = {
        key: value
        for key in _META_KEYS - {"sensitivity"}
        if (value := getattr(meta, key)) and not (key == "collection" and value == "default")
    }
    stated = None if meta.sensitivity is DEFAULT_SENSITIVITY else meta.sensitivity.name
    settings = dataclasses.replace(
        settings,
        sensitivity=stated,
        meta_by_doc={doc_id: given},
    )
    ingester = _Ingester(store, settings, dry_run=False)
    loaded = load_text(text, name=doc_id)
    draft = ingester.draft(text.encode(), loaded, doc_id, Sidecar(), None)
    return ingester.finish([ingester.write(doc_id, draft)])


@dataclass(frozen=True, slots=True)
class _Draft:
    """A document ready to be written, but for its label and its children."""

    loaded: LoadedDocument
    meta: DocumentMeta
    resolution: Resolution
    fingerprint: str
    path: str


class _Ingester:
    """One run: its settings, the sidecars it has read and the ids it has seen."""

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

    def draft(
        self,
        data: bytes,
        loaded: LoadedDocument,
        doc_id: str,
        sidecar: Sidecar,
        file: SourceFile | None,
    ) -> _Draft:
        """Gather what is said of a document, the strongest voice last."""
        settings = self._settings
        given = settings.meta_by_doc.get(doc_id, {})
        unknown = sorted(set(given) - _META_KEYS)
        if unknown:
            raise DocumentIdError(
                f"unknown metadata key {', '.join(unknown)} for {doc_id!r}; expected one of "
                f"{', '.join(sorted(_META_KEYS))}"
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
        return _Draft(
            loaded=loaded,
            meta=meta,
            resolution=resolution,
            fingerprint=_fingerprint(data, self._spec, described),
            path=os.path.realpath(file.path) if file else "",
        )

    def write(self, source: str, draft: _Draft) -> IngestedFile:
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
        chunks = self._cut(draft)
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

    def _label(self, draft: _Draft, state: DocumentState | None) -> Sensitivity:
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

    def _cut(self, draft: _Draft) -> Sequence[Chunk]:
        text, outline = draft.loaded.text, draft.loaded.outline
        if self._settings.chunker is None:
            return chunk_document(text, draft.meta, outline=outline)
        return self._settings.chunker.chunk(text, draft.meta, outline=outline)

    def _refuse_twin(self, draft: _Draft) -> None:
        first = self._seen.setdefault(draft.meta.doc_id, draft.path)
        if first != draft.path:
            raise DocumentIdError(_same_id(draft.meta.doc_id, first, draft.path))


def _refuse_other_file(draft: _Draft, state: DocumentState | None) -> None:
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


def _is_unchanged(draft: _Draft, state: DocumentState | None, label: Sensitivity) -> bool:
    if state is None or state.sensitivity is not label:
        return False
    # A RESTRICTED stub keeps nothing that could have changed.
    is_kept_stub = state.is_stub and label is Sensitivity.RESTRICTED
    return is_kept_stub or state.fingerprint == draft.fingerprint


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
