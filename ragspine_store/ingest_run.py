"""One run of an ingest: each document is drafted, labelled, cut, embedded and written."""

from __future__ import annotations

import dataclasses
import os
import unicodedata
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from ragspine_store.chunking import TreeChunker, chunk_document, cut_parents
from ragspine_store.document_id import document_id
from ragspine_store.errors import (
    DocumentIdError,
    EmbeddingError,
    LabelError,
    LoadError,
    StoreError,
    StoreLockedError,
    StoreUnavailableError,
    WithheldError,
)
from ragspine_store.ingest_draft import (
    Draft,
    IngestSettings,
    Inputs,
    hash_content,
    hash_inputs,
    make_draft,
)
from ragspine_store.ingest_report import IngestedFile, IngestReport, Outcome
from ragspine_store.labelling import SidecarReader, decide
from ragspine_store.protocols import Store, StoreWriter
from ragspine_store.records import Chunk, DocumentState, Origin, PreparedDocument, TreeNode
from ragspine_store.retrying import retried
from ragspine_store.sandbox import Sandbox
from ragspine_store.sensitivity import Sensitivity
from ragspine_store.source_files import SourceFile


class Ingester:
    """One run: its settings, the sidecars it has read and the ids it has seen.

    Args:
        store: where to; its schema exists.
        settings: how files are labelled and cut.
        dry_run: write nothing.
        contents: hashes of the bytes of files, by real path, as far as they are known.
    """

    def __init__(
        self,
        store: Store,
        settings: IngestSettings,
        *,
        dry_run: bool,
        contents: Mapping[str, str] | None = None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._dry_run = dry_run
        self._contents = contents or {}
        self._sidecars = SidecarReader()
        self._seen: dict[str, str] = {}

    def ingest_file(self, file: SourceFile, sandbox: Sandbox) -> IngestedFile:
        """Ingest one file; whatever is wrong with it becomes its line of the report."""
        source = str(file.path)
        if file.problem:
            with suppress(StoreError):  # a glob that names it is not one that matches nothing
                self._sidecars.read(file.path, file.root)
            outcome = Outcome.REFUSED if file.is_required else Outcome.SKIPPED
            return IngestedFile(source, outcome, message=file.problem)
        doc_id = ""
        try:
            doc_id = document_id(file.path, file.root)
            sidecar = self._sidecars.read(file.path, file.root)
            path = os.path.realpath(file.path)
            self._refuse_twin(doc_id, path)
            hash_all = partial(
                hash_inputs,
                doc_id=doc_id,
                settings=self._settings,
                sidecar=sidecar,
                path=file.path,
            )
            known = self._contents.get(path)
            unchanged = self.find_unchanged(source, doc_id, hash_all(known)) if known else None
            if unchanged is not None:
                return unchanged
            data = _read(file.path)
            inputs = hash_all(hash_content(data))
            unchanged = self.find_unchanged(source, doc_id, inputs)
            if unchanged is not None:
                return unchanged
            with _calling_a_plug_in(source):
                loaded = sandbox.load(data, name=file.path.name)
            draft = make_draft(
                inputs, loaded, doc_id, self._settings, sidecar=sidecar, path=file.path
            )
            return self.write(source, draft)
        except (StoreLockedError, StoreUnavailableError, OSError):
            raise  # the store's own: every other file would meet it too
        except EmbeddingError as error:
            return IngestedFile(
                source, Outcome.REFUSED, doc_id, message=str(error), is_unembedded=True
            )
        except StoreError as error:
            return IngestedFile(source, Outcome.REFUSED, doc_id, message=str(error))
        except Exception as error:  # what a loader or chunker made cannot be stored
            return IngestedFile(source, Outcome.REFUSED, doc_id, message=_failure(source, error))

    @retried
    def find_unchanged(self, source: str, doc_id: str, inputs: Inputs) -> IngestedFile | None:
        """The line of a document that the same inputs have made already; it is not loaded."""
        with self._store.writing() as transaction:
            state = transaction.find(doc_id)
            if state is None or not state.is_settled or self._withholds(state):
                return None
            if not transaction.is_made_of(doc_id, inputs.all):
                return None
        return IngestedFile(
            source, Outcome.UNCHANGED, doc_id, state.sensitivity, is_stated=state.is_stated
        )

    def write(self, source: str, draft: Draft) -> IngestedFile:
        """Cut a document, embed it and write it, unless nothing changed.

        The check before cutting spares unchanged documents the work; the one that counts is made
        again inside the transaction that writes.
        """
        line, label = self._spare(source, draft)
        if line is not None:
            return line
        with _calling_a_plug_in(source):
            chunks, nodes = self._cut(draft)
        document = PreparedDocument(
            meta=dataclasses.replace(draft.meta, sensitivity=label),
            loaded=draft.loaded,
            chunks=chunks,
            chunker=self._settings.spec,
            source_path=draft.path,
            fingerprint=draft.fingerprint,
            nodes=nodes,
        )
        if self._dry_run:
            state, label = self._look(draft)
        else:
            if label is not Sensitivity.RESTRICTED:
                document = dataclasses.replace(document, vectors=self._settings.embed(document))
            state, label = self._put(draft, document)
        return IngestedFile(
            source=source,
            outcome=Outcome.ADDED if state is None else Outcome.UPDATED,
            doc_id=draft.meta.doc_id,
            label=label,
            chunks=len(chunks),
            sections=len(draft.loaded.outline.sections) - 1,
            blocks=len(draft.loaded.outline.blocks),
            cut_sections=cut_parents(chunks),
            chunker_before=self._chunker_before(state),
            is_stated=_origin(draft, state, label).is_stated,
            notes=draft.loaded.notes,
        )

    @retried
    def _look(self, draft: Draft) -> tuple[DocumentState | None, Sensitivity]:
        """What the store knows of the document now, and the label it should have."""
        with self._store.writing() as transaction:
            return self._weigh(draft, transaction)

    @retried
    def _spare(self, source: str, draft: Draft) -> tuple[IngestedFile | None, Sensitivity]:
        """The line of a document that need not be cut, None otherwise; and the label it gets."""
        doc_id = draft.meta.doc_id
        with self._store.writing() as transaction:
            state, label = self._weigh(draft, transaction)
            origin = _origin(draft, state, label)
            if _is_unchanged(draft, state, label):
                if not self._dry_run:
                    transaction.note_origin(doc_id, origin)
                line = IngestedFile(
                    source,
                    Outcome.UNCHANGED,
                    doc_id,
                    label,
                    is_stated=origin.is_stated,
                    notes=draft.loaded.notes,
                )
                return line, label
            is_raised = state is not None and state.sensitivity < label
            loses_labels = self._loses_labels(state, label)
            if loses_labels and is_raised and not self._dry_run:
                transaction.relabel(doc_id, label)
        return (_keep(source, draft, state, label) if loses_labels else None), label

    @retried
    def _put(
        self, draft: Draft, document: PreparedDocument
    ) -> tuple[DocumentState | None, Sensitivity]:
        """Write a document with the label that it has by now; what there was before, and it."""
        with self._store.writing() as transaction:
            stored = transaction.find(draft.meta.doc_id)
            if stored is not None and self._withholds(stored):
                raise WithheldError(
                    f"{draft.meta.doc_id!r} is a document that its writer may not see; expected "
                    "another id, or an operator to write it"
                )
            state, label = self._weigh(draft, transaction)
            if self._loses_labels(state, label):
                raise LabelError(_losing_labels(draft.meta.doc_id, label))
            transaction.put(
                dataclasses.replace(
                    document,
                    meta=dataclasses.replace(draft.meta, sensitivity=label),
                    origin=_origin(draft, state, label),
                )
            )
        return state, label

    def finish(
        self,
        files: Sequence[IngestedFile],
        folders: Iterable[Path] = (),
        *,
        is_sync: bool = False,
    ) -> IngestReport:
        """Erase what this run raised to RESTRICTED, and report.

        Args:
            files: their lines.
            folders: those all of whose files were read.
            is_sync: whether what is not in them any more was deleted.
        """
        return IngestReport(
            files=tuple(files),
            chunker=self._settings.spec or "none",
            dry_run=self._dry_run,
            erased=self._dry_run or self._store.erase(),
            unmatched=tuple(self._sidecars.unmatched(folders)),
            is_sync=is_sync,
        )

    def _weigh(
        self, draft: Draft, transaction: StoreWriter
    ) -> tuple[DocumentState | None, Sensitivity]:
        """What the store knows of the document, and the label it should have.

        One that its writer may not see is weighed as one that is not there.
        """
        doc_id = draft.meta.doc_id
        state = transaction.find(doc_id)
        if state is not None and self._withholds(state):
            state = None
        _refuse_other_file(draft, state)
        other_id = transaction.find_other_id(draft.path, doc_id) if draft.path else None
        if other_id is not None:
            raise DocumentIdError(_same_file(draft.path, other_id, doc_id))
        return state, decide(draft.resolution, state, allow_lower=self._settings.allow_lower)

    def _loses_labels(self, state: DocumentState | None, label: Sensitivity) -> bool:
        """Whether writing the document anew would lose stricter labels of its parts."""
        part = state.strictest_part if state else None
        return part is not None and part > label and not self._settings.allow_lower

    def _chunker_before(self, state: DocumentState | None) -> str:
        if state is None or state.is_stub or state.chunker == self._settings.spec:
            return ""
        return state.chunker or "none"

    def _cut(self, draft: Draft) -> tuple[Sequence[Chunk], Sequence[TreeNode]]:
        loaded, chunker = draft.loaded, self._settings.chunker
        text, outline, pages = loaded.text, loaded.outline, loaded.pages
        if chunker is None:
            return chunk_document(text, draft.meta, outline=outline), ()
        if isinstance(chunker, TreeChunker):
            chunks = chunker.chunk(text, draft.meta, outline=outline, pages=pages)
            return chunks, chunker.tree(text, outline, pages=pages)
        return chunker.chunk(text, draft.meta, outline=outline), ()

    def _withholds(self, state: DocumentState) -> bool:
        """Whether a document is not its writer's to see, and so not to overwrite.

        Only the write itself says so: until then all goes as for a fresh id, faults included.
        """
        writer = self._settings.writer
        strictest = max(state.sensitivity, state.strictest_part or state.sensitivity)
        return writer is not None and not writer.may_see(strictest, state.collection)

    def _refuse_twin(self, doc_id: str, path: str) -> None:
        first = self._seen.setdefault(doc_id, path)
        if first != path:
            raise DocumentIdError(_same_id(doc_id, first, path))


def _keep(
    source: str, draft: Draft, state: DocumentState | None, label: Sensitivity
) -> IngestedFile:
    """The line of a document whose stored text is kept, for the stricter labels inside it."""
    doc_id = draft.meta.doc_id
    if state is None or state.sensitivity >= label:
        raise LabelError(_losing_labels(doc_id, label))
    raised = f"its label was raised from {state.sensitivity.name} to {label.name}"
    if state.fingerprint != draft.fingerprint:
        raise LabelError(f"{_losing_labels(doc_id, label)}; {raised} all the same")
    return IngestedFile(
        source,
        Outcome.UPDATED,
        doc_id,
        label,
        message=f"{raised}, and its sections and children keep their stricter ones",
    )


def _losing_labels(doc_id: str, label: Sensitivity) -> str:
    return (
        f"{doc_id!r} changed, and has sections or children with a stricter label, which a new "
        f"ingest as {label.name} would lose: expected a label for the whole document; state one, "
        "or pass --allow-lower and label the sections again"
    )


def _refuse_other_file(draft: Draft, state: DocumentState | None) -> None:
    """Refuse to overwrite a document that came from another file."""
    if state is None or not state.source_path or state.source_path == draft.path:
        return
    raise DocumentIdError(
        _same_id(draft.meta.doc_id, state.source_path, draft.path or "a text given directly")
    )


def _same_id(doc_id: str, first: str, second: str) -> str:
    # Twins in NFC and NFD look alike.
    twins = unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second)
    show = ascii if twins else repr
    return (
        f"the id {doc_id!r} belongs to {show(first)}; {show(second)} has the same id: expected one "
        "file for an id, so give another --root, rename one, or delete the stored document first"
    )


def _same_file(path: str, stored_id: str, doc_id: str) -> str:
    stored = repr(stored_id) if stored_id else "an id that is withheld, of which a stub is kept"
    return (
        f"{path!r} is stored under {stored}; {doc_id!r} given: expected one id for a file, so give "
        "the --root it was ingested with, or delete the stored document first"
    )


def _origin(draft: Draft, state: DocumentState | None, label: Sensitivity) -> Origin:
    """What is noted of a document that gets this label; one kept from before was stated then."""
    is_kept = state is not None and state.is_stated and state.sensitivity is label
    is_stated = draft.resolution.stated or is_kept
    return Origin(draft.inputs.content, draft.inputs.all, is_stated)


def _is_unchanged(draft: Draft, state: DocumentState | None, label: Sensitivity) -> bool:
    if state is None or state.sensitivity is not label or not state.is_settled:
        return False
    # A stub keeps nothing that could have changed.
    return state.is_stub or state.fingerprint == draft.fingerprint


@contextmanager
def _calling_a_plug_in(source: str) -> Generator[None]:
    """Make the failure of a third party's loader or chunker one of this file alone."""
    try:
        yield
    except StoreError:
        raise
    except Exception as error:
        raise LoadError(_failure(source, error)) from None


def _failure(source: str, error: Exception) -> str:
    return f"{source!r} made the loader or chunker fail with {type(error).__name__}"


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise LoadError(
            f"{str(path)!r} cannot be read ({error.strerror}); expected a readable file"
        ) from None
