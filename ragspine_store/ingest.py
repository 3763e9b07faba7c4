"""From files to stored documents: the batch writer of the record.

Each file is read, labelled, cut and written in one transaction of its own. One bad file is one
line of the report; the others are ingested. The label is decided inside the transaction that
writes, so a label raised in the meantime is never lowered by an ingest under way.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from ragspine_store.chunking import Chunker
from ragspine_store.document_id import check_document_id
from ragspine_store.folder_sync import SyncPlan, move_documents, plan_sync, remove_gone
from ragspine_store.ingest_draft import (
    Embed,
    IngestSettings,
    hash_content,
    hash_inputs,
    make_draft,
    no_vectors,
)
from ragspine_store.ingest_report import IngestedFile, IngestReport, Progress
from ragspine_store.ingest_run import Ingester
from ragspine_store.labelling import SensitivityPolicy
from ragspine_store.loading import load_text
from ragspine_store.protocols import Store
from ragspine_store.records import META_KEYS, DocumentMeta
from ragspine_store.sandbox import DEFAULT_TIMEOUT_S, Sandbox
from ragspine_store.sensitivity import DEFAULT_SENSITIVITY, parse_label
from ragspine_store.source_files import find_files, iter_folders


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
    sync: bool = False,
    load_timeout_s: float = DEFAULT_TIMEOUT_S,
    embed: Embed = no_vectors,
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
        sync: also delete the documents whose files were in these folders and are gone, and move
            those whose files were moved inside them.
        load_timeout_s: most seconds for loading one file.
        embed: makes the vectors of a document; see `IngestSettings`.
        progress: called before each file and at the end.

    Raises:
        LabelError: `sensitivity` is not a label.
        DocumentIdError: the root is no folder.
        SyncError: with `sync`, an input is no folder, cannot be read, or is empty where documents
            were.
        StoreLockedError: another process kept the store's write lock.

    >>> from ragspine_store import ChunkStore
    >>> with ChunkStore(":memory:") as store:
    ...     store.init_schema()
    ...     ingest_narrative([], store).files
    ()
    """
    if sensitivity is not None:
        parse_label(sensitivity, source="the sensitivity argument")
    paths = [Path(path) for path in ([inputs] if isinstance(inputs, (str, Path)) else inputs)]
    root = Path(root) if root is not None else None
    files = find_files(paths, root)
    plan = plan_sync(store, paths, files, root) if sync else SyncPlan()
    moved = move_documents(store, plan, dry_run=dry_run)
    ingester = Ingester(
        store,
        IngestSettings(
            chunker,
            sensitivity,
            collection,
            policy or SensitivityPolicy(),
            allow_lower,
            meta_by_doc or {},
            floors=moved.floors,
            embed=embed,
        ),
        dry_run=dry_run,
        contents=plan.contents,
    )
    report: list[IngestedFile] = []
    with Sandbox(load_timeout_s) as sandbox:
        for done, file in enumerate(files):
            progress(Progress(done, len(files), file.path.name))
            report.append(moved.mark(ingester.ingest_file(file, sandbox)))
    progress(Progress(len(files), len(files), ""))
    report += remove_gone(store, plan, dry_run=dry_run)
    report += plan.kept
    return ingester.finish(report, iter_folders(paths), is_sync=sync)


def ingest_bytes(
    data: bytes, doc_id: str, store: Store, settings: IngestSettings, sandbox: Sandbox
) -> IngestReport:
    """Ingest the bytes of a file that stands nowhere, under an id of its own.

    Args:
        data: the file.
        doc_id: its id, whose end names the format.
        store: where to; its schema exists.
        settings: how it is labelled and cut.
        sandbox: loads it.

    Raises:
        DocumentIdError: the id is malformed, or belongs to a file.
        WithheldError: what stands under the id is not the writer's to see, nor to overwrite.
        LabelError: the label would lower the stored one.
        LoadError: it cannot be read as a document.
        StoreLockedError: another process kept the store's write lock.
    """
    doc_id = check_document_id(doc_id)
    ingester = Ingester(store, settings, dry_run=False)
    inputs = hash_inputs(hash_content(data), doc_id, settings)
    unchanged = ingester.find_unchanged(doc_id, doc_id, inputs)
    if unchanged is not None:
        return ingester.finish([unchanged])
    loaded = sandbox.load(data, name=doc_id)
    draft = make_draft(inputs, loaded, doc_id, settings)
    return ingester.finish([ingester.write(doc_id, draft)])


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
        for key in META_KEYS
        if key != "sensitivity"
        and (value := getattr(meta, key))
        and not (key == "collection" and value == "default")
    }
    stated = None if meta.sensitivity is DEFAULT_SENSITIVITY else meta.sensitivity.name
    settings = dataclasses.replace(
        settings,
        sensitivity=stated,
        meta_by_doc={doc_id: given},
    )
    ingester = Ingester(store, settings, dry_run=False)
    loaded = load_text(text, name=doc_id)
    inputs = hash_inputs(hash_content(text.encode()), doc_id, settings)
    draft = make_draft(inputs, loaded, doc_id, settings)
    return ingester.finish([ingester.write(doc_id, draft)])
