"""Goal: a session is read as a conversation, whatever its agent CLI, and is a page at any length.

Method: the place is asked for sessions in a memory that needs no disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from agentx.kernel.capture import Draft
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import Download, PageCall, PagePart, WholePage
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.places.said.session import draw_session
from agentx.surfaces.page.places.said.share import draw_question, hand_out
from agentx.surfaces.page.sharing import gathering
from tests.support.browsing import read_html
from tests.support.drafts import draft
from tests.support.fake_memory import FakeMemory
from tests.support.remembering import project_in
from tests.support.time_and_chance import START_MS

SLY = "<script>alert(1)</script> [x](javascript:alert(2)) \u202e\x1b[31m </pre></style>"


class FakeDesk:
    """A desk on which a fake memory lies."""

    form_word = "word"

    def __init__(self, root: Path) -> None:
        self.memory = FakeMemory()
        self.project = project_in(root)
        self.dates = Dates(now_ms=Millis(START_MS + 3_600_000), zone=UTC)

    @contextmanager
    def reading(self) -> Iterator[FakeMemory]:
        """Give the memory."""
        yield self.memory

    def find_refusal(self, _asked: PageCall) -> str:
        """Let a person do all there is."""
        return ""

    def show(self, name: str = "s-1", **query: str) -> str:
        """Return the page of a session."""
        return self.ask(name, **query).body

    def ask(self, name: str = "s-1", **query: str) -> WholePage | PagePart:
        """Return what is answered for a session, to the page's script where it asks for a part."""
        call = PageCall(path="/session", query=query, is_part="part" in query)
        answer = draw_session(cast("PageDesk", self), call, name)
        assert isinstance(answer, WholePage | PagePart)
        return answer


@pytest.fixture
def desk(tmp_path: Path) -> FakeDesk:
    return FakeDesk(tmp_path)


def use(number: int, tool: str, given: object, output: str = "ok", **told: Any) -> list[Draft]:
    """Return a call and its result."""
    named = {"tool_name": tool, "tool_use_id": f"c-{number}"}
    at, name = number * 1_000, f"c-{number}"
    asked = {**named, "tool_input": given}
    return [
        draft(f"{tool}: {given}", kind="tool_call", at=at, source_id=name, metadata=asked),
        draft(output, kind="tool_result", at=at + 500, source_id=name, metadata={**named, **told}),
    ]


def say(number: int, text: str, kind: str = "user_message", **told: Any) -> Draft:
    """Return something that was said."""
    return draft(text, kind=kind, at=number * 1_000, source_id=f"{kind}-{number}", metadata=told)


EDITS = {
    "Write": {"file_path": "a.py", "content": "one\nTWO"},
    "Edit": {"file_path": "a.py", "old_string": "one\ntwo", "new_string": "one\nTWO"},
    "MultiEdit": {"file_path": "a.py", "edits": [{"old_string": "two", "new_string": "TWO"}]},
    "replace": {"file_path": "a.py", "old_string": "two", "new_string": "TWO"},
    "edit": {"filePath": "a.py", "oldString": "two", "newString": "TWO"},
    "apply_patch": "*** Begin Patch\n*** Update File: a.py\n@@\n-two\n+TWO\n*** End Patch",
}


@pytest.mark.parametrize("tool", EDITS)
def test_an_edit_of_any_agent_cli_is_shown_as_what_changed(desk: FakeDesk, tool: str) -> None:
    hunk = {"newStart": 10, "lines": [" one", "-two", "+TWO"]}
    told: dict[str, Any] = {"tool_response": {"structuredPatch": [hunk, "?", {"lines": 3}]}}
    given = EDITS[tool]
    desk.memory.append(
        [say(0, "please"), *use(1, tool, given, **(told if tool == "Write" else {}))]
    )

    shown = desk.show()

    assert '<span class="cut">- two\n</span>' in shown
    assert '<span class="add">+ TWO\n</span>' in shown
    assert "<code>a.py</code>" in shown


def test_who_said_what_is_told_apart_and_marked(desk: FakeDesk) -> None:
    ids = {"injected": {"ids": ["obs-codex-1-1-aaaaaa"], "digest": "prompt"}}
    desk.memory.append(
        [
            say(0, "mend `it`\n# now"),
            say(1, "", "note", **ids),
            say(2, "**Sure**, on it", "assistant_message"),
            *use(3, "Bash", {"command": "make test"}, "2 failed", is_error=True, exit_code=2),
            *use(4, "Bash", {"command": "git commit -m 'mend it'"}, "[main abc1234] mend it\n 1"),
            say(5, "a reminder", "note", machine="reminder"),
            say(6, "look around", "subagent_start", subagent="scout"),
            say(7, "found it", "assistant_message", subagent="scout"),
            say(8, "", "assistant_stop"),
        ]
    )

    shown = desk.show()

    kinds = re.findall(r'<article class="turn ([^"]*)"', shown)
    assert kinds == [
        *("prompt", "told", "reply", "tool error", "tool commit", "machine", "reply", "reply"),
    ]
    assert "mend `it`\n# now" in shown  # as it was typed
    assert "<strong>Sure</strong>" in shown
    assert "exit 2" in shown
    assert 'href="/search?q=abc1234"' in shown
    assert 'href="/show/obs-codex-1-1-aaaaaa"' in shown
    assert "1 line at a prompt" in shown
    assert "subagent </strong>scout, 2 turns" in shown
    first = next(iter(desk.memory.kept))
    assert f'id="e-{first}" data-event="{first}"' in shown
    assert f'href="/event/{first}"' in shown


@pytest.mark.parametrize(
    ("show", "kinds"),
    [
        ("talk", ["prompt", "reply"]),
        ("tools", ["tool", "tool error", "tool commit"]),
        ("errors", ["tool error"]),
        ("commits", ["tool commit"]),
    ],
)
def test_only_what_is_wanted_is_shown(desk: FakeDesk, show: str, kinds: list[str]) -> None:
    desk.memory.append(
        [
            say(0, "go"),
            say(1, "going", "assistant_message"),
            *use(2, "Read", {"file_path": "a.py"}),
            *use(3, "Bash", {"command": "make test"}, "E", is_error=True, exit_code=1),
            *use(4, "Bash", {"command": "git commit -m 'x y'"}, "[main abc1234] x y"),
        ]
    )

    assert re.findall(r'<article class="turn ([^"]*)"', desk.show(show=show)) == kinds
    with pytest.raises(InvalidValue):
        desk.show(show="all")


def test_a_long_session_is_walked_page_by_page_and_back_and_nothing_twice(desk: FakeDesk) -> None:
    calls = [
        each for number in range(1, 400) for each in use(number, "Read", {"path": f"{number}"})
    ]
    desk.memory.append([say(0, "read all of it"), *calls, say(400, "done", "assistant_message")])

    on = [each for page in _pages(desk, "later", {}) for each in page]
    back = reversed(_pages(desk, "earlier", {"last": "1"}))

    assert len(on) == len(set(on)) == 401
    assert [each for page in back for each in page] == on
    wanted = on[300]
    assert f'id="e-{wanted}"' in desk.show(at=wanted)
    assert "no result" not in desk.show(at=wanted)


def _pages(desk: FakeDesk, way: str, query: dict[str, str]) -> list[list[str]]:
    """Return the turns of each page on the way from one to the next."""
    found = []
    for _ in range(9):
        shown = desk.show(**query)
        found.append(re.findall(r'<article[^>]* id="e-([^"]*)"', shown))
        step = re.search(rf'href="/session/s-1\?(\w+)=(\w+)">[^<]*{way}', shown)
        if step is None:
            return found
        query = {step[1]: step[2]}
    raise AssertionError("the way has no end")


def test_a_session_that_runs_grows_by_what_is_new(desk: FakeDesk) -> None:
    desk.memory.append([say(0, "go"), use(1, "Bash", {"command": "make"})[0]])
    shown = desk.show()
    seen = re.findall(r'data-event="([^"]*)"', shown)[-1]
    desk.memory.append([use(1, "Bash", {"command": "make"}, "all is made")[1], say(2, "thanks")])

    grown = desk.show(part="tail", after=seen)

    assert 'data-live="/session/s-1?part=tail"' in shown
    assert 'data-of="s-1"' in shown
    assert "no result" in shown
    assert "all is made" in grown
    assert re.findall(r'<article class="turn ([^"]*)"', grown) == ["tool", "prompt"]
    assert set(re.findall(r'id="([^"]*)"', grown)).isdisjoint(re.findall(r'id="([^"]*)"', shown))
    last = re.findall(r'data-event="([^"]*)"', grown)[-1]
    assert desk.show(part="tail", after=last) == ""
    assert desk.show(part="tail") == ""


def test_hostile_turns_are_words_and_cost_a_page_no_more_than_its_bounds(desk: FakeDesk) -> None:
    texts = ("\n".join(f"{word} {n}" for n in range(10_000)) for word in ("old", "new"))
    old, new = texts
    desk.memory.append(
        [
            *(say(0, SLY), say(1, "x" * 1_000_000), say(2, SLY, "assistant_message")),
            *use(3, SLY, {SLY: [SLY] * 400}, SLY * 50, is_error=True),
            *use(4, "Edit", {"file_path": SLY, "old_string": old, "new_string": new}),
            *use(5, "Bash", {"command": SLY}, "y" * 1_000_000),
            say(6, SLY, "note", machine=SLY, subagent=SLY, error=SLY),
            *(say(n, "*a " * 4_000, "assistant_message") for n in range(7, 60)),
        ]
    )

    shown = desk.show()

    found = read_html(shown)
    assert len(shown) < 1_000_000
    assert {"script", "style", "img", "iframe"}.isdisjoint(name for name, _ in found.tags)
    assert not any(each.startswith("javascript") for each in found.links)
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "more characters" in shown


def test_what_is_no_session_is_said(desk: FakeDesk) -> None:
    with pytest.raises(NotFound):
        desk.show("nobody")
    desk.memory.append([say(0, "hello")])
    for name in ("at", "from", "before"):
        with pytest.raises(InvalidValue, match="is no event"):
            desk.show(**{name: "x"})
    assert "Nothing is kept of this session yet" in desk.show(part="learnt")
    assert "all of it" in desk.show(part="budget")


def test_what_would_leave_is_named_and_leaves_without_secrets_links_or_anything_active(
    desk: FakeDesk,
) -> None:
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"  # kept before its form was known
    desk.memory.append(
        [
            say(0, f"{SLY} write to mira@harbour.example"),
            say(
                1, f"# Done\n\nsee https://a.example/b ![p](http://x/y) {SLY}", "assistant_message"
            ),
            *use(2, "Bash", {"command": f"curl -H 'token: {token}'"}, f"```\n{token}", cwd="/r"),
        ]
    )
    asked = PageCall(path="/share", query={"kind": "session", "name": "s-1"})
    question = draw_question(cast("PageDesk", desk), asked)
    form = {"kind": "session", "name": "s-1"}
    files = [
        hand_out(cast("PageDesk", desk), PageCall(path="/share", form={**form, "as": each}))
        for each in ("html", "markdown")
    ]

    assert isinstance(question, WholePage)
    assert "1 prompt, 1 reply, 1 call, out of 4 events" in question.body
    assert "mira@harbour.example" in question.body
    assert 'name="form_word" value="word"' in question.body
    page, text = (each.text for each in files if isinstance(each, Download))
    for each in (page, text, question.body):
        assert token not in each
        assert "\u202e" not in each
    found = read_html(page)
    assert {name for name, _ in found.tags}.isdisjoint({"script", "img", "a", "link", "iframe"})
    assert page.count("</style>") == 1
    assert "[REDACTED" in page
    assert "agentx-session-s-1.md" in [each.name for each in files if isinstance(each, Download)]
    assert "````\n" in text  # a fence that the output cannot close
    assert "```\n# Done" in text  # what a viewer would obey stands in a fence too


def test_a_day_of_any_length_is_shared_as_far_as_a_file_holds(
    desk: FakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gathering, "_EVENTS_MAX", 30)
    monkeypatch.setattr(gathering, "_EVENTS_AT_ONCE", 7)
    desk.memory.append([replace(say(n, f"word {n}"), session_id=f"s-{n % 4}") for n in range(80)])
    day = {"kind": "day", "name": f"{datetime.fromtimestamp(START_MS / 1000, tz=UTC):%Y-%m-%d}"}

    shown = draw_question(
        cast("PageDesk", desk), PageCall(path="/share", query={**day, "whole": "1"})
    )

    assert isinstance(shown, WholePage)
    assert "out of 30 events" in shown.body
    assert "the end of 1 session and what was said in 2 sessions" in shown.body


def test_only_what_is_known_is_shared(desk: FakeDesk) -> None:
    for query in (
        {"kind": "year", "name": "2026"},
        {"kind": "day", "name": "x"},
        {"kind": "search"},
    ):
        with pytest.raises(InvalidValue):
            draw_question(cast("PageDesk", desk), PageCall(path="/share", query=query))
    with pytest.raises(InvalidValue):
        hand_out(cast("PageDesk", desk), PageCall(path="/share", form={"kind": "day"}))
    empty = PageCall(path="/share", query={"kind": "day", "name": "2026-03-02"})
    found = draw_question(cast("PageDesk", desk), empty)
    assert isinstance(found, WholePage)
    assert "nothing in it to share" in found.body
