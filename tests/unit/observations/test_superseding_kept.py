"""Goal: what was taken back is marked in what is kept, with what rested on it, and nothing else.

Method: a store of files, to which is given what each session left.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category, Marking, Observation
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.validity.marking import mark_superseded
from tests.support.time_and_chance import CountingEntropy, FakeClock

FACT, CHANGE, DECISION = Category.KEY_FACT, Category.CODE_CHANGE, Category.DECISION
ERROR = Category.ERROR


def observed(number: int, category: Category, text: str, **changes: object) -> Observation:
    fields: dict[str, object] = {
        "id": f"obs-engineer-{number}-{1_772_445_600_000 + number}-{number:0>6}",
        "agent": "engineer",
        "issue_number": number,
        "category": category,
        "content": text,
        "summary": text[:40],
        "tokens": 4,
        "timestamp_ms": Millis(1_772_445_600_000 + number),
        "session_id": f"s-{number}",
        **changes,
    }
    return Observation(**fields)  # type: ignore[arg-type]  # the fields of an observation


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JsonObservationStore]:
    made = JsonObservationStore(
        tmp_path / "memory",
        clock=FakeClock(),
        entropy=CountingEntropy(),
        view_folder=tmp_path / "words",
    )
    yield made
    made.close()


LONG = "The mails of the office go out signed, in order. I know it, so let's take Celery + Redis."


def capture(store: JsonObservationStore, *given: Observation) -> int:
    store.store(given)
    return mark_superseded(store, given)


def test_what_another_issue_took_back_is_marked_whichever_was_captured_first(
    store: JsonObservationStore,
) -> None:
    old = observed(1, DECISION, LONG)
    new = observed(2, CHANGE, "Job queue in Postgres replaces Celery and Redis (commit 6d2f3e9)")
    assert capture(store, old) == 0
    assert capture(store, new) == 1
    late = observed(1, FACT, "Celery and Redis deliver mails.", id=old.id[:-1] + "x")
    assert capture(store, late) == 1

    by_id = {one.id: one.superseded_by for one in store.everything()}
    assert by_id == {old.id: new.id, late.id: new.id, new.id: ""}


def test_what_a_person_pinned_is_left_alone(store: JsonObservationStore) -> None:
    old = observed(1, DECISION, LONG, pinned=True)
    new = observed(2, CHANGE, "Job queue in Postgres replaces Celery and Redis (commit 6d2f3e9)")
    capture(store, old)
    store.mark([Marking(id=old.id, pinned=True)])

    assert capture(store, new) == 0


def test_what_a_session_said_of_a_commit_goes_with_it(store: JsonObservationStore) -> None:
    files = ("rust-toolchain.toml",)
    change = observed(1, CHANGE, "Pin the toolchain (commit 1a2b3c4)", session_id="s", files=files)
    said = observed(2, FACT, "Done in 1a2b3c4: every build uses the same clippy.", session_id="s")
    text = "`clippy` failed: this can be collapsed; Fixed by: rust-toolchain.toml"
    mended = observed(1, ERROR, text, session_id="s", files=files, id="obs-e-1-2-000000")
    other = observed(4, FACT, "The linker needs libzstd.", session_id="s")
    claim = observed(3, FACT, "The pin of the toolchain holds; clippy takes 9 s.", session_id="s")
    before = observed(0, CHANGE, "Add a linter (commit 9f8e7d6)", session_id="s")
    text = "`lint` failed: a name is unused; Fixed by: src/names.rs"
    apart = observed(0, ERROR, text, session_id="s", files=("src/names.rs",), id="obs-e-0-1-000000")
    capture(store, change, said, mended, other, before, apart, claim)

    revert = observed(9, CHANGE, 'Revert "Pin the toolchain" (commit 2b3c4d5)', session_id="t")
    assert capture(store, revert) == 4

    by_id = {one.id: one.superseded_by for one in store.everything()}
    assert [by_id[one.id] for one in (change, said, mended, claim)] == [revert.id] * 4
    assert [by_id[one.id] for one in (other, before, apart)] == ["", "", ""]


def test_what_was_decided_for_a_commit_goes_with_it(store: JsonObservationStore) -> None:
    text = "Where do we keep refresh tokens? The user answered: neither, use signed cookies"
    answer = observed(1, DECISION, text, session_id="s")
    text = "Where do we keep the session secret? The user answered: in the vault"
    other = observed(2, DECISION, text, session_id="s")
    text = "Keep refresh tokens in signed cookies (commit 1a2b3c4); Files: token.ts (+1 -0)"
    change = observed(3, CHANGE, text, session_id="s")
    capture(store, answer, other, change)

    text = 'Revert "Keep refresh tokens in signed cookies" (commit 2b3c4d5)'
    revert = observed(9, CHANGE, text, session_id="t")
    assert capture(store, revert) == 2

    by_id = {one.id: one.superseded_by for one in store.everything()}
    assert by_id == {answer.id: revert.id, change.id: revert.id, other.id: "", revert.id: ""}


@pytest.mark.parametrize(
    ("decided", "new", "falls", "stays"),
    [
        (
            "The user said: staging runs on my PC. I want k3s on the server and a Helm chart",
            (CHANGE, "One VM and Caddy; remove the Helm chart (commit 5ad1e08)"),
            (FACT, "Staging runs on k3s (f1168aa). The worker needs 384 MiB."),
            (FACT, "The worker was killed at 128 MiB; staging has 384 now."),
        ),
        (
            "Where do we keep refresh tokens? The user answered: in signed cookies",
            (DECISION, "Where do we keep refresh tokens? The user answered: in the database"),
            (CHANGE, "Keep refresh tokens in signed cookies (commit 1a2b3c4)"),
            (CHANGE, "Keep tokens out of the log (commit 2b3c4d5)"),
        ),
    ],
)
def test_what_only_carried_out_what_was_overturned_goes_with_it(
    store: JsonObservationStore,
    decided: str,
    new: tuple[Category, str],
    falls: tuple[Category, str],
    stays: tuple[Category, str],
) -> None:
    given = ((1, (DECISION, decided)), (2, falls), (3, stays), (9, new))
    old, came, other, newer = (
        observed(
            at,
            *one,
            session_id="t" if at == 9 else "s",
            issue_number=7,
            summary=one[1],
            id=f"obs-engineer-7-{1_772_445_600_000 + at}-{at:0>6}",
        )
        for at, one in given
    )
    capture(store, old, came, other)
    assert capture(store, newer) == 2

    by_id = {one.id: one.superseded_by for one in store.everything()}
    assert by_id == {old.id: newer.id, came.id: newer.id, other.id: "", newer.id: ""}


_OF_SPOOL = [
    (FACT, "Blobs go to Spool under `tenant/`."),
    (FACT, "I recommend Spool because the disk of the box is small."),
    (FACT, "The uploads are kept in Spool with a lifetime of a year."),
    (FACT, "The worker writes its parts to Spool; each is 8 MB."),
    (FACT, "`blob.py` uses Spool through one client."),
    (CHANGE, "Store blobs in Spool (commit 1a2b3c4)"),
    (FACT, "I suggest Spool, which the team knows."),
    (DECISION, "I went with Spool since it has a free tier."),
    (FACT, "Thumbnails are served from Spool."),
    (FACT, "The export is built on Spool."),
]
_NOT_OF_SPOOL = [
    (FACT, "Spool has no rename."),
    (FACT, "The bill of Spool comes on the first of the month."),
    (FACT, "We do not use Spool for logs."),
    (FACT, "The team moved away from Spool once before."),
    (FACT, "Reports go to SpoolWatch."),
    (FACT, "Backups go to Spool Vault, which another team runs."),
    (FACT, "Should we use Spool here?"),
    (FACT, "The disk was too small because logs were written to Spool."),
    (ERROR, "`make up` failed (exit 1): cannot write to Spool; Cause: no key"),
    (DECISION, "The user said: never write names to Spool"),
    (FACT, "The index lives in Postgres."),
]


def test_what_rested_on_an_overturned_choice_goes_with_it_and_nothing_else(
    store: JsonObservationStore,
) -> None:
    chosen = (DECISION, "how do we store blobs? The user chose: yes, Spool")
    given = [
        observed(at, *one, session_id="s", summary=one[1])
        for at, one in enumerate((chosen, *_OF_SPOOL, *_NOT_OF_SPOOL))
    ]
    elsewhere = observed(60, FACT, "Receipts go to Spool.")
    capture(store, *given, elsewhere)
    text = "The user said: Switch from Spool to Barn, the lawyers want it on our own box."
    newer = observed(99, DECISION, text, session_id="t")
    capture(store, newer)

    left = {one.content: one.superseded_by for one in store.everything()}
    assert [text for _, text in (chosen, *_OF_SPOOL) if left[text] != newer.id] == []
    assert [text for _, text in _NOT_OF_SPOOL if left[text]] == []
    assert left[elsewhere.content] == ""


def test_what_was_reverted_stands_again_when_the_revert_was_reverted(
    store: JsonObservationStore,
) -> None:
    first = observed(1, CHANGE, "Cache replies for a minute (commit 1a2b3c4)")
    revert = observed(2, CHANGE, 'Revert "Cache replies for a minute" (commit 2b3c4d5)')
    again = observed(3, CHANGE, 'Revert "Revert "Cache replies for a minute"" (commit 3c4d5e6)')
    capture(store, first)
    capture(store, revert)
    assert capture(store, again) == 1

    by_id = {one.id: one.superseded_by for one in store.everything()}
    assert by_id == {first.id: "", revert.id: again.id, again.id: ""}
