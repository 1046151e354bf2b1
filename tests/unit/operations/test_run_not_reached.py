"""Goal: why an exchange of runs did not happen is said as it is: who was away, and who was not.

Method: a bare remote and clones with real git; what git says on a full disk is given.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.host.files.disk import FREE_ROOM
from agentx.host.git.command import GitReply
from agentx.kernel.errors import UnavailableError
from agentx.operations.runs.lane import merge_lane, open_lane
from agentx.operations.runs.recover import resume_run
from agentx.operations.runs.saying import Saying
from agentx.runs.store import git_exchange
from tests.support.repository import commit, git
from tests.support.two_people import FIRST, SECOND, Two


@pytest.fixture
def both(tmp_path: Path) -> Two:
    return Two(tmp_path)


@pytest.mark.parametrize(
    ("err", "is_here"),
    [
        ("error: unable to write loose object file: No space left on device", True),
        (
            "fatal: write error: Out of diskspace\nfatal: fetch-pack: invalid index-pack output",
            True,
        ),
        ("error: index-pack died of signal 25\nfatal: index-pack failed", True),
        ("remote: fatal: No space left on device\nfatal: early EOF", False),
        ("ssh: Could not resolve hostname example.org\nfatal: Could not read", False),
    ],
)
def test_a_full_disk_is_not_told_as_a_remote_that_is_away(
    both: Two, monkeypatch: pytest.MonkeyPatch, err: str, *, is_here: bool
) -> None:
    full = GitReply(code=128, out="", err=err)
    monkeypatch.setattr(git_exchange, "do_git", lambda *_words, **_more: full)

    with pytest.raises(UnavailableError) as told:
        both.sync(both.one)

    assert ("was not reached" in told.value.message) is not is_here
    assert ("offline?" in told.value.hint) is not is_here
    assert (told.value.hint == FREE_ROOM) is is_here


def test_a_clone_without_contents_says_offline_what_it_lacks(both: Two) -> None:
    opened = open_lane(both.one, Saying(task=FIRST))
    assert opened.lane is not None
    commit(Path(opened.folder), "work", b_py="b = 1\n")
    merge_lane(both.one, Saying(lane=opened.lane.id))
    git(both.one.root, "push", "-q", "origin", f"agent/{both.run_id}/work")
    both.sync(both.one)
    cut = both.clones.clone("cut", has_contents=False)
    both.sync(cut)
    resume_run(cut, both.run_id, actor="executor")
    both.clones.remote.rename(both.clones.folder / "away.git")

    with pytest.raises(UnavailableError, match="this clone left out what that needs") as told:
        open_lane(cut, Saying(task=SECOND))

    assert "\n" not in told.value.message
    assert told.value.hint.startswith("try again when its remote is reached")


def test_a_remote_that_git_refuses_is_not_called_offline(both: Two, tmp_path: Path) -> None:
    place = str(both.clones.remote)
    upload = tmp_path / "upload"
    upload.write_text(
        f"#!/bin/sh\necho \"fatal: detected dubious ownership in repository at '{place}'\" >&2\n"
        "exit 128\n"
    )
    upload.chmod(0o755)
    git(both.one.root, "config", "remote.origin.uploadpack", str(upload))

    with pytest.raises(UnavailableError, match="belongs to another user") as told:
        both.sync(both.one)

    assert f"safe.directory {place}" in told.value.hint
