"""Goal: where two clones gave one number to two issues, nothing is lost or mistaken: what git could
not merge is named and stays as it is, and a question says of which issue it was asked.

Method: real commands in process; the file of an issue as git leaves it, then as somebody mends it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.players import Player

ALPHA, BETA = "Alpha: drop customers", "Beta: add logs"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Player:
    player = Player(tmp_path, monkeypatch)
    player.play()
    player.agentx("issue", "create", "--title", ALPHA)
    asked = ("--from", "engineer", "--to", "human", "--topic", "qa", "--question", "Go on?")
    code, said = player.agentx("clarify", "ask", "--issue", "1", *asked)
    assert code == 0, said
    return player


def test_what_git_could_not_merge_is_named_and_stays(shop: Player) -> None:
    path = shop.folder / ".agentx/issues/1.json"
    ours = path.read_text()
    theirs = ours.replace(ALPHA, BETA).replace("2026-", "2025-")
    both = f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> origin/master\n"
    path.write_text(both)
    looks = (("clarify", "inbox"), ("issue", "list"), ("doctor",), ("clarify", "--issue", "1"))
    for _ in range(2):
        for look in looks:
            told = " ".join(shop.agentx(*look)[1].split())
            assert "git could not merge it" in told, (look, told)
    shop.agentx("memory", "add", "We use Postgres.", "--agent", "engineer", "--issue", "1")
    assert shop.agentx("doctor")[1].count("issues/1.json") == 1, "the verb says what is wrong"
    code, told = shop.agentx("issue", "comment", "1", "more")
    assert (code, "git could not merge it" in told) == (4, True)
    assert path.read_text() == both
    assert [each.name for each in path.parent.iterdir() if "corrupt" in each.name] == []

    path.write_text(theirs)
    for look in (("clarify", "inbox"), ("clarify", "--issue", "1")):
        told = " ".join(shop.agentx(*look)[1].split())
        assert f'it was asked of "{ALPHA}"; #1 is another issue now: "{BETA}"' in told
    (row,) = json.loads(shop.agentx("clarify", "inbox", "--json")[1])["clarifications"]
    assert (row["issueMark"]["title"], BETA in row["issueNow"]) == (ALPHA, True)

    # An issue that is only called otherwise is the same.
    path.write_text(ours.replace(ALPHA, "Alpha, renamed"))
    assert "another issue" not in shop.agentx("clarify", "inbox")[1]
    path.unlink()
    assert f'asked of "{ALPHA}", which is not here' in shop.agentx("clarify", "inbox")[1]


def test_an_issue_that_was_moved_aside_stays_named(shop: Player) -> None:
    (shop.folder / ".agentx/issues/1.json").write_text("{no json")
    for _ in range(2):
        for look in (("issue", "list"), ("doctor",)):
            assert "moved aside" in " ".join(shop.agentx(*look)[1].split())
