"""What is said of a document before it is written: its metadata, and the label it should get."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ragspine_store.chunking import Chunker
from ragspine_store.errors import DocumentIdError, LoadError
from ragspine_store.labelling import Resolution, SensitivityPolicy, Sidecar, resolve
from ragspine_store.records import META_KEYS, DocumentMeta, LoadedDocument, PreparedDocument
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.tokenizer import TOKENIZER_VERSION
from ragspine_store.vectors import PartVector

# Raise it when a loader or a chunker makes something else of the same bytes and settings.
_RULES_VERSION = "4"


Embed = Callable[[PreparedDocument], Sequence[PartVector]]


def no_vectors(document: PreparedDocument) -> Sequence[PartVector]:
    """What makes none."""
    return ()


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
        embed: makes the vectors of a document that is not RESTRICTED, before it is written; raises
            `EmbeddingError` when it cannot.
        writer: for whom the documents are written: one that this reader may not see is not
            overwritten. None for an operator, who may overwrite any.
        floors: labels by document id, below which only `allow_lower` lets a stated label go.
    """

    chunker: Chunker | None = None
    sensitivity: str | None = None
    collection: str | None = None
    policy: SensitivityPolicy = field(default_factory=SensitivityPolicy)
    allow_lower: bool = False
    meta_by_doc: Mapping[str, Mapping[str, str]] = field(
        default_factory=dict[str, Mapping[str, str]]
    )
    writer: Reader | None = None
    floors: Mapping[str, Sensitivity] = field(default_factory=dict[str, Sensitivity])
    embed: Embed = no_vectors

    @property
    def spec(self) -> str:
        """The chunker's spec, '' for the default."""
        return self.chunker.spec if self.chunker else ""


@dataclass(frozen=True, slots=True)
class Inputs:
    """Hashes of what a document is made of, known before it is loaded.

    Attributes:
        content: of the bytes.
        all: of the bytes, the file's place, and all that is said of it or of all documents.
    """

    content: str
    all: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A document ready to be written, but for its label and its children."""

    loaded: LoadedDocument
    meta: DocumentMeta
    resolution: Resolution
    fingerprint: str
    path: str
    inputs: Inputs


def hash_content(data: bytes) -> str:
    """Hash the bytes of a file; of 144 bits, since a store keeps three with each document."""
    return hashlib.blake2b(data, digest_size=18).hexdigest()


def hash_inputs(
    content: str,
    doc_id: str,
    settings: IngestSettings,
    *,
    sidecar: Sidecar | None = None,
    path: Path | None = None,
) -> Inputs:
    """Hash what a document is made of: its bytes' hash, and arguments as for `make_draft`."""
    sidecar = sidecar or Sidecar()
    rest = [
        _RULES_VERSION,
        TOKENIZER_VERSION,
        settings.spec,
        [doc_id, path.name if path else "", os.path.realpath(path) if path else ""],
        [statement.level for statement in (*sidecar.statements, *sidecar.raising)],
        sorted(sidecar.metadata.items()),
        sorted(settings.meta_by_doc.get(doc_id, {}).items()),
        [settings.sensitivity, settings.collection, settings.policy.model_dump(mode="json")],
    ]
    return Inputs(content, _hash(content, rest))


def make_draft(
    inputs: Inputs,
    loaded: LoadedDocument,
    doc_id: str,
    settings: IngestSettings,
    *,
    sidecar: Sidecar | None = None,
    path: Path | None = None,
) -> Draft:
    """Gather what is said of a document, the strongest voice last.

    Args:
        inputs: hashes of what it was loaded from.
        loaded: the document.
        doc_id: its id.
        settings: what is said of all documents.
        sidecar: what the sidecars say of it.
        path: its file, None for a text given directly.

    Raises:
        DocumentIdError: metadata was given under an unknown key.
        LabelError: a stated label is not one of the four.
        LoadError: stated metadata holds a lone surrogate, or a blank collection.
    """
    sidecar = sidecar or Sidecar()
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
    if not described.get("collection", "default").strip():
        raise LoadError(
            f"a blank collection stated for {doc_id!r}; expected a name, or no collection"
        )
    _refuse_surrogates(doc_id, described)
    meta = dataclasses.replace(DocumentMeta(doc_id), **described)
    resolution = resolve(
        doc_id=doc_id,
        file_name=path.name if path else "",
        title=meta.title,
        text=loaded.full_text,
        argument=settings.sensitivity,
        given=given.get("sensitivity"),
        front_matter=loaded.stated.get("sensitivity"),
        sidecar=sidecar,
        policy=settings.policy,
    )
    floor = settings.floors.get(doc_id, resolution.level)
    if floor > resolution.level and not (resolution.stated and settings.allow_lower):
        resolution = Resolution(floor, True, ("a document that held the same bytes",))
    return Draft(
        loaded=loaded,
        meta=meta,
        resolution=resolution,
        fingerprint=_hash(
            inputs.content,
            [
                _RULES_VERSION,
                TOKENIZER_VERSION,
                settings.spec,
                PurePosixPath(doc_id).suffix.casefold(),  # it chooses the loader
                sorted(described.items()),
            ],
        ),
        path=os.path.realpath(path) if path else "",
        inputs=inputs,
    )


def _refuse_surrogates(doc_id: str, described: Mapping[str, str]) -> None:
    for key, value in described.items():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise LoadError(
                f"the {key} of {doc_id!r} holds a lone surrogate; expected Unicode text"
            ) from None


def _hash(content: str, rest: Sequence[object]) -> str:
    return hash_content(json.dumps([content, *rest]).encode())
