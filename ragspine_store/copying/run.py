"""One copy: logs, documents, what the graph keeps of each, stubs and profile, each whole or not.

Every step is a transaction of its own. What stands in the target already and is equal is passed
over, so that a copy that was cut short is completed by running it again. A note in the target says
that it is one, and of which store; without it a target that keeps anything is compared and never
written to. At the end the target is read again, and all that it keeps is counted and hashed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from itertools import chain, islice

from ragspine_store.copying.counting import (
    side_of,
    tally_document,
    tally_logs,
    tally_profile,
    tally_relations,
    tally_stub,
)
from ragspine_store.copying.reduction import (
    ErasedParts,
    is_restricted,
    relations_without,
    stub_of,
    without_restricted_parts,
)
from ragspine_store.copying.report import CopyProgress, CopyReport, Side
from ragspine_store.errors import CopyError
from ragspine_store.kept import (
    KeptDocument,
    KeptLogs,
    KeptProfile,
    KeptReader,
    KeptRelations,
    KeptStub,
    KeptWriter,
    Tally,
    digest_of,
)
from ragspine_store.protocols import Store

_STUBS_PER_TRANSACTION = 1_000


def copy_store(
    source: Store,
    target: Store,
    *,
    source_name: str,
    progress: Callable[[CopyProgress], None] | None = None,
) -> CopyReport:
    """Copy all that one store keeps into another, which is empty or was begun to be copied into.

    A target that keeps stubs gets stubs alone of RESTRICTED documents, and nothing of RESTRICTED
    parts; then the source is counted and hashed as if it had been kept so.

    Args:
        source: is not changed.
        target: its schema in place. When it keeps all that the source does, nothing is done.
        source_name: tells the source from other stores, for a copy that is cut short.
        progress: told after each document, in each of three rounds.

    Raises:
        CopyError: the target keeps something else, or the source changed meanwhile.
        StoreFormatError: the stores name stubs by different keys, or the key is missing.
    """
    with source.reading() as transaction:
        before = transaction.change_counter()
        copy = _Copy(transaction.kept, target, source_name, progress or (lambda _: None))
        report = copy.run()
    with source.reading() as transaction:
        if transaction.change_counter() != before:
            raise CopyError(
                "the source changed while it was copied: expected one that nobody writes to; run "
                "the same command again"
            )
    if copy.is_writing and report.is_equal:
        with target.writing() as writer:
            writer.kept.finish_copy()
    return report


class _Copy:
    """One run.

    Args:
        source: reads all that is to be copied.
        target: where to.
        source_name: tells the source from other stores.
        progress: told after each document.

    Attributes:
        is_writing: the target may be written to.
    """

    def __init__(
        self,
        source: KeptReader,
        target: Store,
        source_name: str,
        progress: Callable[[CopyProgress], None],
    ) -> None:
        self._source = source
        self._target = target
        self._progress = progress
        self._tally = Tally()
        self._ids = source.document_ids()
        self._steps = 0
        self._counts = Counter[str]()
        self._reduced: dict[str, ErasedParts] = {}
        self._stubs: list[KeptStub] = []
        self._begin(source_name)

    def _begin(self, source_name: str) -> None:
        """See whether the target may be written to, and what stands there."""
        with self._target.reading() as transaction:
            kept = transaction.kept
            self._standing = set(kept.document_ids())
            unfinished = kept.unfinished_copy()
            is_empty = not self._standing and _is_empty(kept)
        if unfinished not in ("", source_name):
            raise CopyError(
                "the target holds a copy of another store that was cut short: expected a new "
                "store, or the source of that copy"
            )
        self.is_writing = is_empty or bool(unfinished)
        with self._target.writing() as writer:
            self._keeps_text = writer.kept.keeps_text
            if self.is_writing:
                writer.kept.begin_copy(source_name, self._source.key_check())
                self._refuse_others(writer.kept)

    def _refuse_others(self, target: KeptWriter) -> None:
        """See that whatever stands in the target is of the source, a stub by now maybe."""
        others = self._standing.difference(self._ids)
        if not others:
            return
        stubs = {stub.id_hash for stub in self._source.stubs()}
        unknown = sorted(doc_id for doc_id in others if target.name(doc_id) not in stubs)
        if unknown:
            raise CopyError(
                f"the target keeps {unknown[0]!r}, which the source does not (documents like it: "
                f"{len(unknown):,}); expected nothing but a copy: delete them there, or copy into "
                "a new store"
            )

    def run(self) -> CopyReport:
        """Copy all, and read the target again."""
        self._copy_logs()
        documents = [doc_id for doc_id in self._ids if self._copy_document(doc_id)]
        self._remove(self._standing.difference(documents))
        self._copy_stubs(documents)
        for doc_id in documents:
            self._copy_relations(doc_id)
        self._copy_profile()
        report = CopyReport(
            source=side_of(self._tally),
            target=self._read_target(),
            copied=self._counts["copied"],
            passed_over=self._counts["passed over"],
            reduced=len(self._reduced) + len(self._stubs),
            erased=self._target.erase() if self.is_writing else True,
        )
        if not report.is_equal and not self.is_writing:
            raise CopyError(
                "the target keeps something, and not what the source does: expected a new store, "
                "or one into which a copy of this source was cut short; nothing was written"
            )
        return report

    def _copy_logs(self) -> None:
        logs = self._source.logs()
        tally_logs(self._tally, logs)
        if not self.is_writing:
            return
        with self._target.reading() as transaction:
            standing = transaction.kept.logs()
        length = len(standing.verdicts)
        lowered = Counter(logs.lowered)
        lowered.subtract(standing.lowered)
        if standing.verdicts != logs.verdicts[:length] or min(lowered.values(), default=0) < 0:
            raise CopyError(
                "the logs of the target hold entries that those of the source do not: expected a "
                "new store, since nothing is taken from a log"
            )
        rest = KeptLogs(logs.verdicts[length:], tuple(lowered.elements()))
        if any(rest):
            with self._target.writing() as writer:
                writer.kept.append_logs(rest)

    def _copy_document(self, doc_id: str) -> bool:
        """Copy a document; False for one of which a stub is left."""
        document = self._source.document(doc_id)
        if document is None:
            raise CopyError(
                "a document of the source was deleted while it was copied: expected a store that "
                "nobody writes to; run the same command again"
            )
        self._step(doc_id)
        document = self._reduce(document)
        if document is None:
            return False
        tally_document(self._tally, document)
        is_standing = doc_id in self._standing
        if is_standing:
            with self._target.reading() as transaction:
                if transaction.kept.document(doc_id) == document:
                    self._counts["passed over"] += 1
                    return True
        if self.is_writing:
            with self._target.writing() as writer:
                if is_standing:
                    writer.delete(doc_id)
                writer.kept.write_document(document)
            self._counts["copied"] += 1
        return True

    def _reduce(self, document: KeptDocument) -> KeptDocument | None:
        """A document as the target keeps it; None when that is a stub."""
        if self._keeps_text:
            return document
        if is_restricted(document):
            with self._target.writing() as writer:
                self._stubs.append(stub_of(document, writer.kept.name))
            return None
        reduced = without_restricted_parts(document)
        if reduced is not document:
            self._reduced[document.doc_id] = ErasedParts.of(reduced)
        return reduced

    def _remove(self, doc_ids: Iterable[str]) -> None:
        """Remove documents of which the source has left a stub."""
        for doc_id in sorted(doc_ids) if self.is_writing else ():
            with self._target.writing() as writer:
                writer.delete(doc_id)

    def _copy_stubs(self, documents: Iterable[str]) -> None:
        with self._target.reading() as transaction:
            standing = {stub.id_hash: digest_of(stub) for stub in transaction.kept.stubs()}
        stubs = chain(self._source.stubs(), self._stubs)
        while batch := list(islice(stubs, _STUBS_PER_TRANSACTION)):
            for stub in batch:
                tally_stub(self._tally, stub)
            new = [stub for stub in batch if standing.pop(stub.id_hash, b"") != digest_of(stub)]
            if new and self.is_writing:
                with self._target.writing() as writer:
                    writer.kept.write_stubs(new)
        if standing and self.is_writing:
            with self._target.writing() as writer:
                opened = set(map(writer.kept.name, documents))
                if not opened.issuperset(standing):
                    raise CopyError(
                        "the target keeps a stub that the source does not; expected nothing but a "
                        "copy: copy into a new store"
                    )
                for id_hash in standing:
                    writer.kept.remove_stub(id_hash)

    def _copy_relations(self, doc_id: str) -> None:
        self._step(doc_id)
        relations = self._source.relations(doc_id)
        if (erased := self._reduced.get(doc_id)) is not None:
            relations = relations_without(erased, relations)
        tally_relations(self._tally, relations)
        standing = KeptRelations(doc_id)
        if doc_id in self._standing:
            with self._target.reading() as transaction:
                standing = transaction.kept.relations(doc_id)
        if self.is_writing and standing != relations:
            with self._target.writing() as writer:
                if standing != KeptRelations(doc_id):
                    writer.kept.clear_relations(doc_id)
                writer.kept.write_relations(relations)

    def _copy_profile(self) -> None:
        profile = self._source.profile()
        tally_profile(self._tally, profile)
        with self._target.reading() as transaction:
            standing = transaction.kept.profile()
        if self.is_writing and standing != profile:
            with self._target.writing() as writer:
                writer.kept.clear_profile()
                writer.kept.write_profile(profile)

    def _read_target(self) -> Side:
        """Read all that the target keeps now."""
        tally = Tally()
        with self._target.reading() as transaction:
            kept = transaction.kept
            tally_logs(tally, kept.logs())
            for doc_id in kept.document_ids():
                document = kept.document(doc_id)
                if document is not None:
                    tally_document(tally, document)
                tally_relations(tally, kept.relations(doc_id))
                self._step(doc_id)
            for stub in kept.stubs():
                tally_stub(tally, stub)
            tally_profile(tally, kept.profile())
        return side_of(tally)

    def _step(self, doc_id: str) -> None:
        self._steps += 1
        self._progress(CopyProgress(self._steps, 3 * len(self._ids), doc_id))


def _is_empty(kept: KeptReader) -> bool:
    """Whether a store without documents keeps nothing else."""
    return (
        next(kept.stubs(), None) is None
        and not any(kept.logs())
        and kept.profile() == KeptProfile()
    )
