"""Contract of what the service keeps in a store: its keys and its jobs, and lists of documents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragspine_store.access import AccessKey, Role
from ragspine_store.protocols import Store
from ragspine_store.sensitivity import Reader, Sensitivity
from ragspine_store.service_jobs import JobState, ServiceJob
from ragspine_store.testing.base import BackendSuite, put
from ragspine_store.testing.documents import Part, make_document

EARLY, LATE = "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00"
KEY = AccessKey("k1", "hash", "Kim", Role.EDITOR, Sensitivity.INTERNAL, ("hr", "law"), EARLY, LATE)
OTHER_KEY = AccessKey("k0", "hash", "Lee", Role.ADMIN, Sensitivity.CONFIDENTIAL, None, LATE)
JOB = ServiceJob("j1", "k1", JobState.QUEUED, EARLY, EARLY)


def add_keys(store: Store, *keys: AccessKey) -> None:
    """Keep keys, each in a transaction of its own."""
    for key in keys:
        with store.writing() as transaction:
            transaction.add_key(key)


def put_jobs(store: Store, *jobs: ServiceJob) -> None:
    """Keep jobs, each in a transaction of its own."""
    for job in jobs:
        with store.writing() as transaction:
            transaction.put_job(job)


def find_job(store: Store, job_id: str) -> ServiceJob | None:
    """A job as it is kept."""
    with store.reading() as transaction:
        return transaction.find_job(job_id)


class ServiceSuite(BackendSuite):
    """Keys, jobs, lists of documents."""

    def test_keys_come_back_as_they_were_made_oldest_first(self, store: Store) -> None:
        add_keys(store, OTHER_KEY, KEY)
        with store.reading() as transaction:
            assert transaction.keys() == [KEY, OTHER_KEY]
            assert transaction.find_key("k1") == KEY
            assert transaction.find_key("none") is None

    def test_a_key_is_revoked_once(self, store: Store) -> None:
        add_keys(store, KEY)
        for key_id, expected in (("k1", True), ("k1", False), ("none", False)):
            with store.writing() as transaction:
                assert transaction.revoke_key(key_id, LATE) is expected
        with store.reading() as transaction:
            assert transaction.keys() == [replace(KEY, revoked_at=LATE)]

    def test_keys_and_jobs_are_no_documents(self, store: Store) -> None:
        add_keys(store, KEY)
        put_jobs(store, JOB)
        with store.reading() as transaction:
            assert transaction.visible_counts(Reader()) == (0, 0)
            assert transaction.visible_documents(Reader(), "", 10) == []

    def test_the_newest_jobs_come_first(self, store: Store) -> None:
        late = ServiceJob("j0", "k1", JobState.DONE, LATE, LATE, note="added")
        put_jobs(store, JOB, late)
        with store.reading() as transaction:
            assert transaction.jobs(10) == [late, JOB]
            assert transaction.jobs(1) == [late]

    def test_a_job_goes_on_and_a_wish_to_cancel_it_stays(self, store: Store) -> None:
        put_jobs(store, JOB)
        with store.writing() as transaction:
            assert transaction.cancel_job("j1")
        running = replace(JOB, state=JobState.RUNNING, updated_at=LATE)
        put_jobs(store, running)
        assert find_job(store, "j1") == replace(running, is_cancelled=True)

    @pytest.mark.parametrize("state", [state for state in JobState if state.is_over])
    def test_a_job_that_is_over_is_neither_cancelled_nor_touched(
        self, store: Store, state: JobState
    ) -> None:
        over = replace(JOB, state=state, message="why")
        put_jobs(store, over)
        with store.writing() as transaction:
            assert not transaction.cancel_job("j1")
            assert not transaction.cancel_job("none")
            transaction.touch_jobs(["j1", "none"], LATE)
        assert find_job(store, "j1") == over

    def test_a_job_that_is_under_way_is_touched(self, store: Store) -> None:
        put_jobs(store, JOB)
        with store.writing() as transaction:
            transaction.touch_jobs(["j1"], LATE)
        assert find_job(store, "j1") == replace(JOB, updated_at=LATE)

    def test_documents_are_listed_by_id_page_by_page_for_their_readers(self, store: Store) -> None:
        put(
            store,
            *(
                make_document(doc_id, Part("A", ("one",)), label=label)
                for doc_id, label in (
                    ("é.md", Sensitivity.PUBLIC),
                    ("𠮟.md", Sensitivity.PUBLIC),
                    ("ﾊ.md", Sensitivity.PUBLIC),
                    ("b/z.md", Sensitivity.CONFIDENTIAL),
                    ("b.md", Sensitivity.INTERNAL),
                    ("c.md", Sensitivity.RESTRICTED),
                )
            ),
        )

        def listed(reader: Reader, after: str = "", limit: int = 10) -> list[str]:
            with store.reading() as transaction:
                rows = transaction.visible_documents(reader, after, limit)
            return [row.doc_id for row in rows]

        assert listed(Reader()) == ["b.md", "b/z.md", "é.md", "ﾊ.md", "𠮟.md"]
        assert listed(Reader(Sensitivity.INTERNAL)) == ["b.md", "é.md", "ﾊ.md", "𠮟.md"]
        assert listed(Reader(collections=frozenset({"other"}))) == []
        assert listed(Reader(), limit=2) == ["b.md", "b/z.md"]
        assert listed(Reader(), after="b/z.md") == ["é.md", "ﾊ.md", "𠮟.md"]
        assert listed(Reader(), after="b/") == ["b/z.md", "é.md", "ﾊ.md", "𠮟.md"]
        assert listed(Reader(), after="zz\ud800") == []
