"""Goal: a server that an editor starts anywhere works in the folder that is open there.

Method: what clients send, as messages; folders that are there and that are not.
"""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from agentx.surfaces.mcp.wire import open_folder as folders
from agentx.surfaces.mcp.wire.open_folder import OpenFolder, is_adrift

ABLE = {"capabilities": {"roots": {"listChanged": True}}}


def opened(*, is_adrift: bool = True, **greeting: Any) -> tuple[OpenFolder, list[str]]:
    moves: list[str] = []
    made = OpenFolder(is_adrift=is_adrift, moved=moves.append)
    made.hear_greeting(greeting or ABLE)
    return made, moves


def answer(asked: dict[str, Any] | None, *uris: Any) -> dict[str, Any]:
    assert asked is not None
    return {"id": asked["id"], "result": {"roots": [{"uri": uri} for uri in uris]}}


def test_the_first_folder_of_this_machine_counts_and_the_newest_answer(tmp_path: Path) -> None:
    one, other = tmp_path / "a b \u00e9", tmp_path / "c"
    one.mkdir()
    other.mkdir()
    made, moves = opened()

    first = made.ask_at("notifications/initialized")
    second = made.ask_at("notifications/roots/list_changed")
    assert not made.take_answer(answer(first, other.as_uri()))
    assert made.take_answer(
        answer(
            second,
            *(None, 7, "", "vscode-remote://ssh/x", f"file://elsewhere{other}", "file:///nowhere"),
            *(f"file://{other}%00", "file://[", "file:x", one.as_uri(), other.as_uri()),
        )
    )
    made.wait()

    assert moves == [str(one)]


@pytest.mark.parametrize("said", [{"error": {"code": -32601}}, {"result": None}, {"result": []}])
def test_who_cannot_say_leaves_the_server_where_it_stands(said: dict[str, Any]) -> None:
    made, moves = opened()
    asked = made.ask_at("notifications/initialized")
    assert asked is not None

    assert made.take_answer({"id": asked["id"], **said})
    made.wait()

    assert moves == []


@pytest.mark.parametrize(
    ("is_lost", "greeting"),
    [(False, ABLE), (True, {"capabilities": {}}), (True, {"capabilities": {"roots": None}})],
)
def test_nobody_is_asked_who_cannot_tell_or_need_not(
    is_lost: bool, greeting: dict[str, Any]
) -> None:
    made, _ = opened(is_adrift=is_lost, **greeting)

    assert made.ask_at("notifications/initialized") is None
    assert not made.take_answer({"id": "agentx-roots-0", "result": {"roots": []}})


def test_a_client_that_does_not_answer_is_waited_for_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, moves = opened()
    asked = made.ask_at("notifications/initialized")
    monkeypatch.setattr(folders, "_WAIT_S", 0.01)
    made.wait()
    monkeypatch.setattr(folders, "_WAIT_S", 60)
    again = Thread(target=made.wait)
    again.start()
    again.join(10)

    assert not again.is_alive()
    assert made.take_answer(answer(asked, tmp_path.as_uri()))
    assert moves == [str(tmp_path)]


def test_a_server_in_a_home_or_below_no_repository_is_adrift(tmp_path: Path) -> None:
    home = tmp_path / "home"
    for name in ("shop/.git", "shop/src", "plain", "known/.agentx", ".git", "code/User"):
        (home / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to(home)

    found = {
        name: is_adrift(str(tmp_path / name), {"HOME": str(home)})
        for name in ("home", "link", "home/plain", "home/code/User", "home/shop/src", "home/known")
    }

    assert found == {
        "home": True,
        "link": True,
        "home/plain": True,
        "home/code/User": True,
        "home/shop/src": False,
        "home/known": False,
    }
    assert not is_adrift(str(home), {"HOME": str(home), "MEMORY_PROJECT_ID": "x"})
    assert is_adrift("/", {})
