"""Goal: what a fork repeats of the session that it came from is told once, and nothing is lost.

Method: files as `claude --resume --fork-session` and `/branch` write them (recorded shape), read
in every order, and histories of forks of forks that are read while they grow.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

from agentx.adapters.claude_code.transcripts import discover, read
from agentx.kernel.capture import Draft, EventType
from tests.support.setup_requests import homes_in

_MINUTE = 60


def _said(number: int, session: str, *, prompt: str = "", at: int = 0) -> dict[str, Any]:
    kind = "user" if number % 2 == 0 else "assistant"
    at = at or number * _MINUTE
    content: object = f"words {number}"
    if kind == "assistant":
        content = [{"type": "text", "text": content}]
    stamp = f"2026-11-15T{10 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.000Z"
    line = {
        "parentUuid": None,
        "sessionId": session,
        "type": kind,
        "message": {"role": kind, "content": content},
        "uuid": f"uuid-{number:04}",
        "timestamp": stamp,
        "cwd": "/p",
    }
    return {**line, "promptId": prompt} if prompt and kind == "user" else line


def _write(folder: Path, session: str, lines: list[dict[str, Any]]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / f"{session}.jsonl").write_text(text, encoding="utf-8")


def _tell(tmp_path: Path) -> list[Draft]:
    return [
        draft
        for transcript in discover(homes_in(tmp_path))
        for draft in read(transcript)
        if isinstance(draft, Draft)
    ]


def _words(told: list[Draft]) -> list[tuple[str, str]]:
    kinds = (EventType.USER_MESSAGE, EventType.ASSISTANT_MESSAGE)
    return sorted((one.session_id, one.text) for one in told if one.event_type in kinds)


def _folder(tmp_path: Path) -> Path:
    return homes_in(tmp_path).claude_code / "projects" / "-p"


def _expect(session: str, *numbers: int) -> list[tuple[str, str]]:
    return [(session, f"words {number}") for number in numbers]


def test_a_fork_tells_only_what_was_said_in_it(tmp_path: Path) -> None:
    for first, second in (("a-old", "b-new"), ("b-old", "a-new")):
        root = tmp_path / first
        _write(_folder(root), first, [_said(n, first) for n in range(4)])
        _write(_folder(root), second, [_said(n, second) for n in range(6)])

        told = _tell(root)

        assert _words(told) == sorted(_expect(first, 0, 1, 2, 3) + _expect(second, 4, 5))
        starts = [one for one in told if one.event_type is EventType.SESSION_START]
        by_session = {one.session_id: one for one in starts}
        assert by_session[second].metadata["forked_from"] == first
        assert "forked_from" not in by_session[first].metadata
        assert by_session[second].timestamp_ms == by_session[first].timestamp_ms + 4 * 60_000


def test_a_fork_that_shows_itself_is_known_whoever_went_on_first(tmp_path: Path) -> None:
    begun = {"type": "queue-operation", "timestamp": "2026-11-15T10:30:00.000Z"}
    old = [_said(n, "old", prompt=f"p-{n}") for n in range(4)]
    for name, head in (("by what is above it", [begun]), ("by its prompt ids", [])):
        root = tmp_path / name.replace(" ", "-")
        prompt = "" if head else "q"
        fork = [_said(n, "fork", prompt=prompt) for n in range(4)]
        later = _said(6, "fork", prompt=prompt, at=40 * _MINUTE)
        sooner = _said(4, "old", prompt="p-4", at=20 * _MINUTE)
        _write(_folder(root), "fork", [*head, *fork, later])
        _write(_folder(root), "old", [*old, sooner])

        expected = sorted(_expect("fork", 6) + _expect("old", 0, 1, 2, 3, 4))
        assert _words(_tell(root)) == expected, name


def test_what_says_where_it_was_said_is_of_that_session(tmp_path: Path) -> None:
    mark = {"forkedFrom": {"sessionId": "gone", "messageUuid": "uuid-0000"}}
    marked = [{**_said(n, "fork", prompt="p"), **mark} for n in range(2)]
    lines = [*marked, _said(2, "fork")]
    _write(_folder(tmp_path), "fork", lines)

    assert _words(_tell(tmp_path)) == _expect("fork", 2) + _expect("gone", 0, 1)


def test_what_is_said_twice_and_what_only_begins_alike_is_told(tmp_path: Path) -> None:
    again = {**_said(0, "one"), "uuid": "uuid-again", "timestamp": "2026-11-15T11:00:00.000Z"}
    _write(_folder(tmp_path), "one", [_said(0, "one"), _said(1, "one"), again])
    other = [{**_said(n, "two"), "uuid": f"other-{n}"} for n in range(2)]
    _write(_folder(tmp_path), "two", other)
    # Who numbers the lines of each file has the same names for other words.
    numbered = [{**_said(n + 10, "three"), "uuid": f"uuid-{n:04}"} for n in range(2)]
    _write(_folder(tmp_path), "three", numbered)

    told = _words(_tell(tmp_path))

    expected = _expect("one", 0, 0, 1) + _expect("two", 0, 1) + _expect("three", 10, 11)
    assert told == sorted(expected)


def test_a_file_that_lies_elsewhere_is_read_whole(tmp_path: Path) -> None:
    from agentx.adapters.sniff import transcripts_at

    folder = tmp_path / "kept"
    _write(folder, "old", [_said(n, "old") for n in range(2)])
    _write(folder, "fork", [_said(n, "fork") for n in range(4)])
    (found,) = transcripts_at(folder / "fork.jsonl")

    told = [one for one in read(found) if isinstance(one, Draft)]

    assert _words(told) == _expect("fork", 0, 1, 2, 3)


def test_of_forks_of_forks_each_line_is_told_once_however_they_are_read(tmp_path: Path) -> None:
    for seed in range(30):
        chance = Random(seed)  # no secret
        folder = _folder(tmp_path / str(seed))
        is_stamped = seed % 2 == 0  # then it may begin anywhere: its prompt ids show it
        sessions = {"s0": [_said(n, "s0", prompt=f"p-{n}" * is_stamped) for n in range(4)]}
        homes = dict.fromkeys(range(4), "s0")
        kept: set[tuple[str, str]] = set()
        for turn in range(6):
            name = chance.choice(sorted(sessions))
            prompt = f"p-{turn + 10}" * is_stamped
            if chance.random() < 0.6:  # a fork is made by who goes on in it
                copy = f"{chance.choice('az')}{len(sessions)}"
                cut = chance.randint(1, len(sessions[name])) if is_stamped else None
                sessions[copy] = [
                    {**line, "sessionId": copy, **({"promptId": prompt} if prompt else {})}
                    for line in sessions[name][:cut]
                ]
                name = copy
            for number in (100 + 2 * turn, 101 + 2 * turn):
                sessions[name].append(_said(number, name, prompt=prompt))
                homes[number] = name
            for each, lines in sessions.items():
                _write(folder, each, lines)
            kept |= set(_words(_tell(tmp_path / str(seed))))

        assert kept == {(home, f"words {n}") for n, home in homes.items()}, seed
