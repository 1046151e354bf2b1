"""Observations say whether their files changed; reversed decisions name what replaced them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category, Observation
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.validity.reading import Comparable
from agentx.observations.validity.staleness import Verified, list_changed_since, verify
from agentx.observations.validity.supersede import find_superseded
from agentx.views.sessions.file_history import GitFileHistory
from tests.support.time_and_chance import CountingEntropy, FakeClock

T0_S = 1_772_445_600


def observed(name: str, **changes: object) -> Observation:
    fields: dict[str, object] = {
        "id": f"obs-engineer-7-{T0_S * 1000}-{name:0>6}",
        "agent": "engineer",
        "issue_number": 7,
        "category": Category.KEY_FACT,
        "content": f"{name} is so",
        "summary": f"{name} is so",
        "tokens": 4,
        "timestamp_ms": Millis((T0_S + 100) * 1000),
        "session_id": "s-1",
        **changes,
    }
    return Observation(**fields)  # type: ignore[arg-type]  # the fields of an observation


class Repository:
    """A repository whose commits are made at times of our choosing."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir()
        self.git("init", "-q")

    def git(self, *arguments: str, at_s: int = T0_S) -> str:
        environment = {
            **os.environ,
            "GIT_AUTHOR_DATE": f"{at_s} +0000",
            "GIT_COMMITTER_DATE": f"{at_s} +0000",
            "GIT_CONFIG_GLOBAL": "/dev/null",
        }
        identity = ("-c", "user.name=Mira", "-c", "user.email=mira@example.org")
        done = subprocess.run(
            ["git", *identity, *arguments],
            cwd=self.root,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return done.stdout.strip()

    def write(self, name: str, text: str, at_s: int) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        os.utime(path, (at_s, at_s))

    def commit(self, at_s: int) -> str:
        self.git("add", "-A", at_s=at_s)
        self.git("commit", "-q", "-m", "work", at_s=at_s)
        return self.git("rev-parse", "HEAD")

    def history(self) -> GitFileHistory:
        return GitFileHistory(self.root, since_ms=T0_S * 1000)


@pytest.mark.promise("observations.stale")
def test_an_observation_says_which_of_its_files_changed_since(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.write("src/old.py", "1", T0_S)
    repository.write("src/new.py", "1", T0_S)
    repository.write("src/m\u00fcller.py", "1", T0_S)
    first = repository.commit(T0_S + 10)
    repository.write("src/new.py", "2", T0_S + 500)
    repository.write("src/m\u00fcller.py", "2", T0_S + 500)
    second = repository.commit(T0_S + 510)
    repository.write("src/old.py", "open", T0_S + 900)

    seen = repository.history()
    files = ("src/old.py", "src/new.py", "src/m\u00fcller.py", "src/none.py")
    at_first = observed("first", files=files, commit=first)
    at_second = observed(
        "second", files=files, commit=second, timestamp_ms=Millis((T0_S + 505) * 1000)
    )
    later = observed("later", files=files, timestamp_ms=Millis((T0_S + 950) * 1000))

    assert list_changed_since(at_first, seen) == files[:3]
    assert list_changed_since(at_second, seen) == ("src/old.py",)
    assert list_changed_since(later, seen) == ()


def test_without_git_the_time_on_disk_counts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x", "utf-8")
    os.utime(tmp_path / "a.txt", (T0_S + 900, T0_S + 900))

    seen = GitFileHistory(tmp_path, since_ms=0)

    assert list_changed_since(observed("one", files=("a.txt", "b.txt")), seen) == ("a.txt",)


@pytest.mark.promise("observations.stale")
def test_verify_marks_everything_once_and_takes_back_what_is_no_longer_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "repo")
    repository.write("a.py", "1", T0_S)
    repository.commit(T0_S + 10)
    store = JsonObservationStore(
        tmp_path / "memory",
        clock=FakeClock(),
        entropy=CountingEntropy(),
        view_folder=tmp_path / "words",
    )
    decided = {"category": Category.DECISION, "files": ()}
    store.store(
        (
            observed("fact", files=("a.py",)),
            observed("redis", content="The user said: use Redis for the cache", **decided),
            observed(
                "files",
                content="The user said: use the file cache instead of Redis",
                timestamp_ms=Millis((T0_S + 200) * 1000),
                **decided,
            ),
        )
    )
    assert verify(store, repository.history()) == Verified(
        checked=3, stale=0, superseded=1, amended=1
    )

    repository.write("a.py", "2", T0_S + 800)
    assert verify(store, repository.history()).stale == 1
    assert verify(store, repository.history()).amended == 0
    by_text = {one.content: one for one in store.get_by_issue(7)}
    assert by_text["fact is so"].changed_files == ("a.py",)
    old = by_text["The user said: use Redis for the cache"]
    assert old.superseded_by == by_text["The user said: use the file cache instead of Redis"].id

    repository.write("a.py", "1", T0_S + 20)
    assert verify(store, repository.history()).stale == 0
    store.close()


@pytest.mark.parametrize(
    ("new", "old", "replaced"),
    [
        ("Use Postgres instead of SQLite", "We will use SQLite for the ledger", True),
        ("Let's switch from BRIN to btree after all", "use BRIN on the time column", True),
        (
            "Asked: Which cache?\nThe user answered: files",
            "Asked: Which cache?\nThe user answered: Redis",
            True,
        ),
        ("The memory limit is 16Gi", "The memory limit is 8Gi", True),
        (
            "Asked: Which cache?\nThe user answered: Redis",
            "Asked: Which cache?\nThe user answered: Redis",
            False,
        ),
        ("Use Postgres for the ledger", "Use Redis for the cache", False),
        ("Use tabs in Makefiles", "Use Postgres instead of SQLite", False),
        ("Use the file cache instead of Redis", "Use Postgres instead of Redis", False),
        ("Run 3 workers", "Keep 8 backups for the ledger", False),
        (
            "The paths are wrong: both incorrectly use a/ instead of their proper skill paths.",
            "The user approved a plan: Fix the skill paths, proper ones for each agent",
            False,
        ),
    ],
)
def test_only_a_decision_on_the_same_subject_replaces_another(
    new: str, old: str, replaced: bool
) -> None:
    assert (
        bool(
            find_superseded(
                [
                    Comparable(id="d-1", at_ms=Millis(1), text=old),
                    Comparable(id="d-2", at_ms=Millis(2), text=new),
                ]
            )
        )
        is replaced
    )
