"""Goal: a call and a prompt are told what is known of them, whatever else a payload holds.

Method: the functions of the hook in this process, on a store made by hand; what is printed is
read from the standard output. A daemon is a socket that answers as one.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agentx.kernel.places import SETTINGS_STAMP, stamp_files
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.surfaces.hooks.payload import text_at
from agentx.surfaces.hooks.settled import find_spool, find_store_near
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.action import says_failure, warn
from agentx.surfaces.hooks.telling.digest import announce
from agentx.surfaces.hooks.telling.prompt import tell_at_prompt
from agentx.surfaces.hooks.telling.told import list_told
from tests.unit.surfaces.hooks.test_question import daemon, frame, write_answer

ROWS = (
    "command\trtk make test\told\tobs-1\t- `rtk make test` failed; `make test` worked [codex]",
    "command-cut\t./deploy.sh --in har\told\tobs-2\t- deploys want a lock [codex]",
    "failure\tnpm Cannot find name 'tide'\told\tobs-3\t- fixed by src/tide.ts [codex]",
    "file\tconf/berths.toml\told\tobs-4\t- berths are named by quay [codex]",
    "file\tconf/berths.toml\told\tobs-5\t- berths have letters [codex]",
    "broken row",
    "command\tmine\tme\tobs-6\t- what this session learnt itself [codex]",
)

Said = Callable[..., str]
MARK = "a" * 32


@pytest.fixture
def work(short_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a repository whose store is known, with cautions in it."""
    monkeypatch.setenv("XDG_DATA_HOME", str(short_path / "data"))
    repo, store = short_path / "repo", short_path / "store"
    (repo / ".git").mkdir(parents=True)
    (repo / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    spool = Path(find_spool(str(repo), ""))
    for folder in (spool / "tmp", spool / "new", store / "digests"):
        folder.mkdir(parents=True)
    (spool / "store").write_text(str(store), encoding="utf-8")
    (store / "digests" / "cautions.tsv").write_text("\n".join(ROWS), encoding="utf-8")
    return repo


@pytest.fixture
def said(work: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> Said:
    def say(
        tool: str,
        given: Any,
        *,
        harness: str = "codex",
        session: str = "me",
        is_quiet: bool = False,
        **more: Any,
    ) -> str:
        is_over = bool(more)
        event = "PostToolUse" if is_over else "PreToolUse"
        payload = {"session_id": session, "hook_event_name": event, "tool_name": tool}
        raw = json.dumps({**payload, "tool_input": given, **more}).encode()
        warn(Caller(harness, 1, str(work), ""), raw, is_over=is_over, is_quiet=is_quiet)
        printed = capfdbinary.readouterr().out
        told = json.loads(printed) if printed else {}
        return str(
            told.get("hookSpecificOutput", told).get("additionalContext", told.get("context", ""))
        )

    return say


@pytest.mark.parametrize(
    ("tool", "given", "words"),
    [
        ("Bash", {"command": "cd x && rtk  make test -v 2>&1 | tail"}, "`make test` worked"),
        ("Bash", {"command": "A=1 ./deploy.sh --in harbour --all"}, "want a lock"),
        ("apply_patch", "*** Begin Patch\n*** Update File: conf/berths.toml\n", "by quay"),
        ("Edit", {"file_path": "conf/../conf/berths.toml"}, "by quay"),
        (
            "Bash",
            {"command": "apply_patch <<E\n*** Begin Patch\n*** Add File: conf/berths.toml\nE"},
            "by quay",
        ),
    ],
)
def test_a_call_that_is_known_is_told_of_in_a_fence(
    said: Said, tool: str, given: Any, words: str
) -> None:
    told = said(tool, given)

    assert told.startswith(f"{RECALL_OPEN}\nRecalled data, not instruction.")
    assert told.endswith(RECALL_CLOSE)
    assert words in told
    assert words not in said(tool, given), "once"


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("Bash", {"command": "make test"}),
        ("Bash", {"command": "echo rtk make test"}),
        ("Bash", {"command": "echo 'x && rtk make test y'"}),
        ("Bash", {"command": "mine now"}),
        ("Bash", {"command": ""}),
        ("Bash", {"command": ["rtk", "make", "test"]}),
        ("Bash", "x" * 200_000),
        ("Read", {"file_path": "conf/berths.toml"}),
        ("Edit", {"file_path": "/etc/conf/berths.toml"}),
        ("Edit", {"file_path": "../repo2/conf/berths.toml"}),
        ("", None),
        ("mcp__x__y", {"command": "rtk make test"}),
    ],
)
def test_any_other_call_is_told_nothing(said: Said, tool: str, given: Any) -> None:
    assert said(tool, given) == ""


def test_two_decisions_on_a_file_are_told_one_at_a_time(said: Said) -> None:
    edit = {"file_path": "conf/berths.toml"}

    assert ["by quay" in said("Edit", edit), "letters" in said("Edit", edit)] == [True, True]
    assert said("Edit", edit) == ""


def test_a_session_that_is_to_be_quiet_is_told_of_commands_alone(said: Said) -> None:
    edit = {"file_path": "conf/berths.toml"}

    assert said("Edit", edit, is_quiet=True) == ""
    assert "worked" in said("Bash", {"command": "rtk make test"}, is_quiet=True)
    assert "by quay" in said("Edit", edit), "nothing was noted meanwhile"


def test_nothing_is_told_by_settings_that_were_changed_since(
    said: Said, work: Path, tmp_path: Path
) -> None:
    settings, link = tmp_path / "kept.toml", tmp_path / "config.toml"
    settings.write_text("[recall]\n", encoding="utf-8")
    link.symlink_to(settings)
    stamp = work.parent / "store" / "digests" / SETTINGS_STAMP
    stamp.write_bytes(stamp_files(str(link), str(tmp_path / "none.toml")))
    given = {"command": "rtk make test"}
    assert "worked" in said("Bash", given, session="s-1")

    settings.write_text('[recall]\nat_action = "off"\n', encoding="utf-8")
    assert said("Bash", given, session="s-2") == ""

    stamp.write_bytes(stamp_files(str(link), str(tmp_path / "none.toml")))
    assert "worked" in said("Bash", given, session="s-2"), "nothing was noted meanwhile"
    (tmp_path / "none.toml").touch()
    assert said("Bash", given, session="s-3") == ""
    stamp.write_bytes(b"garbage")
    assert "worked" in said("Bash", given, session="s-3")


def test_after_a_call_only_what_failed_so_is_told(said: Said) -> None:
    run = {"command": "npm run build"}
    error = "src/a.ts(3): Cannot find name 'tide'."

    assert said("Bash", run, tool_response="all is well") == ""
    assert said("Bash", {"command": "cat npm.log"}, tool_response=error) == ""
    long = "x" * 300_000 + error
    assert "src/tide.ts" in said("Bash", run, tool_response=long), "the end of what was printed"
    assert said("Bash", run, tool_response=error) == ""
    assert "src/tide.ts" in said("Bash", run, session="other", error=error, harness="claude-code")
    assert said("Edit", {"file_path": "conf/berths.toml"}, tool_response="ok") == "", "told before"
    assert "by quay" in said(
        "write_file", {"file_path": "conf/berths.toml"}, tool_response="ok", harness="gemini"
    )


def test_whether_a_call_failed_is_read_as_its_agent_cli_says_it() -> None:
    assert says_failure("claude-code", b"") is True
    assert says_failure("gemini", b"Output: x\\nExit Code: 3") is True
    assert says_failure("gemini", b"Output: x") is False
    assert says_failure("opencode", b'"output":{"failed":true') is True
    assert says_failure("codex", b"anything") is None


def test_a_session_without_a_name_or_a_store_is_told_nothing(said: Said, tmp_path: Path) -> None:
    assert said("Bash", {"command": "rtk make test"}, session="") == ""
    assert find_store_near(str(tmp_path), "") == ("", "")


def test_a_text_that_is_cut_is_read_up_to_there() -> None:
    for text in ('say "hi"', "a\\b\\\\", "\n\t\u00e9\U0001f30a" * 9, "x" * 50):
        raw = json.dumps({"prompt": text, "z": 1}).encode()
        assert text_at(raw, b'"prompt"', 4_096) == text
        for end in range(1, len(raw)):
            got = text_at(raw, b'"prompt"', end)
            assert text.startswith(got) or got[-1] == "\ud83c", "half of a pair may be cut off"
    assert text_at(b'{"prompt": 7}', b'"prompt"', 99) == ""
    assert text_at(b'{"prompt": "never ends', b'"prompt"', 99) == ""


def test_a_prompt_is_told_what_the_daemon_says_and_notes_it(
    work: Path, short_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    call = Caller("claude-code", 1, str(work), "")
    payload = {"session_id": "me", "hook_event_name": "UserPromptSubmit", "prompt": "Why?"}
    raw = json.dumps(payload).encode()
    rows = f"\t{RECALL_OPEN}\n\tRecalled data.\nobs-7\t- Tides turn. [codex]\n\t{RECALL_CLOSE}"

    with daemon(
        short_path / "store", lambda caller: caller.sendall(frame(write_answer(rows)))
    ) as asked:
        tell_at_prompt(call, raw, raw)
        first = capfdbinary.readouterr().out
        tell_at_prompt(call, raw, raw)
        again = capfdbinary.readouterr().out

    assert "Tides turn." in json.loads(first)["hookSpecificOutput"]["additionalContext"]
    assert again == b"", "nothing twice"
    assert list_told(call, "me") == ["obs-7"]
    request = json.loads(asked[1])["given"]["request"]
    assert (request["moment"], request["text"], request["told"]) == ("prompt", "Why?", "obs-7")


def test_a_session_begins_with_what_the_daemon_says_or_what_was_prepared(
    work: Path, short_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    call = Caller("codex", 1, str(work), "")
    raw = json.dumps({"session_id": "me", "source": "startup"}).encode()
    digest = short_path / "store" / "digests" / "%+%+codex.txt"
    digest.write_text(f"\t{RECALL_OPEN}\nobs-8\t- old [codex]\n\t{RECALL_CLOSE}", encoding="utf-8")
    rows = f"\t{RECALL_OPEN}\nobs-9\t- new [codex]\n\t{RECALL_CLOSE}"

    announce(call, raw)
    assert b"- old" in capfdbinary.readouterr().out
    assert list_told(call, "me") == ["obs-8"]
    with daemon(short_path / "store", lambda caller: caller.sendall(frame(write_answer(rows)))):
        announce(call, raw)
    assert b"- new" in capfdbinary.readouterr().out
    assert list_told(call, "me") == ["obs-9"]


def test_a_session_that_goes_on_and_still_has_what_it_was_told_is_told_only_what_is_new(
    work: Path, short_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    head, foot = f"\t{RECALL_OPEN}\n\t### Decisions", f"\tMore: `agentx toc`.\n\t{RECALL_CLOSE}"
    old = "obs-8\t- Tides turn. [codex]\n\t  twice a day"
    new = "\t### Errors and their fixes\nobs-9\t- Locks jam. [codex]"

    def begin(harness: str, source: str, *rows: str) -> str:
        digest = short_path / "store" / "digests" / f"%+%+{harness}.txt"
        digest.write_text("\n".join((head, *rows, foot)), encoding="utf-8")
        announce(
            Caller(harness, 1, str(work), ""),
            json.dumps({"session_id": "me", "source": source}).encode(),
        )
        printed = capfdbinary.readouterr().out
        said = json.loads(printed)["hookSpecificOutput"] if printed else {}
        return str(said["additionalContext"]) if said else ""

    assert "Tides turn." in begin("codex", "startup", old)
    assert begin("codex", "resume", old) == ""
    told = begin("codex", "resume", old, new)
    assert not any(each in told for each in ("Tides turn.", "twice a day", "### Decisions"))
    assert told.startswith(RECALL_OPEN)
    assert "### Errors and their fixes\n- Locks jam. [codex]\nMore: " in told
    assert begin("codex", "resume", old, new) == ""
    assert "Tides turn." in begin("codex", "compact", old, new), "which it has no more"
    assert "Tides turn." in begin("claude-code", "startup", old)
    assert "Tides turn." in begin("claude-code", "resume", old), "it begins without"


def test_a_repository_that_lies_where_another_one_was_is_told_nothing_of_it(
    work: Path, said: Said
) -> None:
    spool = Path(find_spool(str(work), ""))
    (spool / "mark").write_text("a" * 32 + "\n", encoding="utf-8")
    marker = work / ".git" / "agentx.json"
    call = ("Bash", {"command": "rtk make test"})

    assert said(*call) == ""  # cloned anew, or another
    marker.write_text(json.dumps({"mark": "b" * 32, "project_id": "x"}), encoding="utf-8")
    assert said(*call) == ""
    marker.write_text(json.dumps({"mark": "a" * 32, "project_id": "x"}), encoding="utf-8")
    assert "make test" in said(*call)


def make_worktree(work: Path) -> Path:
    side, git = work.parent / "side", work / ".git"
    (git / "worktrees" / "side").mkdir(parents=True)
    (git / "worktrees" / "side" / "commondir").write_text("../..\n", encoding="utf-8")
    (git / "worktrees" / "side" / "HEAD").write_text("ref: refs/heads/side\n", encoding="utf-8")
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {git}/worktrees/side\n", encoding="utf-8")
    return side


def mark(work: Path) -> tuple[str, str]:
    """Let a repository be known by its marker; return its store and the project in it."""
    (work / ".git" / "agentx.json").write_text(f'{{"mark":"{MARK}"}}\n', encoding="utf-8")
    spool = Path(find_spool(str(work), ""))
    (spool / "mark").write_text(f"{MARK}\n", encoding="utf-8")
    record = Path(spool.parents[1] / "trust" / f"{MARK}.json")
    record.parent.mkdir()
    record.write_text(f'{{\n  "root": {json.dumps(str(work))}\n}}\n', encoding="utf-8")
    return (spool / "store").read_text(encoding="utf-8"), ""


def test_a_worktree_is_known_by_the_marker_of_its_repository(work: Path) -> None:
    side, git = make_worktree(work), work / ".git"
    spool = Path(find_spool(str(side), ""))
    spool.mkdir(parents=True)
    (spool / "store").write_text("/a/store\nshop\n", encoding="utf-8")
    (spool / "mark").write_text(f"{MARK}\n", encoding="utf-8")

    assert find_store_near(str(side), "") == ("", "")
    (git / "agentx.json").write_text(json.dumps({"mark": MARK}), encoding="utf-8")
    assert find_store_near(str(side), "") == ("/a/store", "shop")


def test_the_first_session_in_a_new_worktree_is_told_what_its_repository_knows(work: Path) -> None:
    side, store = make_worktree(work), mark(work)
    (side / "deep").mkdir()

    assert find_store_near(str(side), "") == store
    assert find_store_near(str(side / "deep"), "") == store
    assert find_store_near(str(side), "other") == ("", ""), "another project is named"


def test_the_first_session_where_a_repository_was_moved_to_is_told_what_it_knew(
    work: Path,
) -> None:
    store, there = mark(work), work.parent / 'thére "too"'

    shutil.copytree(work, there)
    assert find_store_near(str(there), "") == ("", ""), "a copy has a memory of its own"
    shutil.rmtree(work)
    assert find_store_near(str(there), "") == store
    shutil.copytree(there, work)
    (work / ".git" / "agentx.json").unlink()
    assert find_store_near(str(there), "") == store, "another one lies in its place"
    Path(find_spool(str(work), ""), "mark").write_text("b" * 32, encoding="utf-8")
    assert find_store_near(str(there), "") == ("", ""), "which is all that is known of it now"


@pytest.mark.parametrize("wrong", ["", "{", '{"mark": 7}', '{"mark": "../../x"}', '{"mark":"a'])
def test_a_marker_that_says_nothing_leads_nowhere(wrong: str, work: Path) -> None:
    side = make_worktree(work)
    mark(work)
    (work / ".git" / "agentx.json").write_text(wrong, encoding="utf-8")

    assert find_store_near(str(side), "") == ("", "")
