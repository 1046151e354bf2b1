"""Goal: what lies ready for a session is told at its start, the nearest of it, and noted as told.

Method: the real program in a home of its own, with digests laid ready for it.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from agentx.kernel.paths import StorePaths
from agentx.kernel.places import (
    DIGESTS_STAMP,
    NOTICES_STAMP,
    SETTINGS_STAMP,
    stamp_files,
    stamp_questions,
)
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from tests.support.hook_home import HOOK, HookHome


@pytest.fixture
def home(tmp_path: Path) -> HookHome:
    return HookHome(tmp_path)


def _remember(
    home: HookHome, harness: str, text: str, branch: str = "", role: str = ""
) -> StorePaths:
    store = StorePaths(home.data.root / "project")
    home.spool.root.mkdir(parents=True, exist_ok=True)
    home.spool.store.write_text(str(store.root), encoding="utf-8")
    store.digests.mkdir(parents=True, exist_ok=True)
    digest = store.digest(harness, branch, role)
    digest.write_text(f"{RECALL_OPEN}\n{text}\n{RECALL_CLOSE}\n", encoding="utf-8")
    return store


_STARTS: dict[str, dict[str, object]] = {
    "claude-code": {"session_id": "s-1", "hook_event_name": "SessionStart", "source": "startup"},
    "codex": {"session_id": "s-1", "hook_event_name": "SessionStart", "source": "compact"},
    "gemini": {"session_id": "s-1", "hook_event_name": "SessionStart", "source": "resume"},
    "copilot": {"sessionId": "s-1", "timestamp": 5, "cwd": "/", "source": "new"},
    "opencode": {"type": "session.created", "properties": {"sessionID": "s-1"}},
}


@pytest.mark.parametrize("harness", sorted(_STARTS))
def test_a_session_start_prints_the_digest_and_spools_that_it_did(
    home: HookHome, harness: str
) -> None:
    line = '- D-1: 日本 "quoted" 👍 [grip:9:Z; 4 tokens]'
    store = _remember(home, harness, f'grip:1:A\t{line}\n\t{line}\n{line}\nCLR "1\\\t- E')

    printed = home.hook(json.dumps(_STARTS[harness]).encode(), "--harness", harness)

    assert "D-1: 日本" in json.dumps(json.loads(printed), ensure_ascii=False)
    kinds = {record.kind: record for record in home.records()}
    assert set(kinds) == {"payload", "injected"}
    assert json.loads(kinds["injected"].payload) == {
        "session_id": "s-1",
        "digest": store.digest(harness).name,
        "chars": len(printed.decode()),
        "ids": ["grip:1:A", 'CLR "1\\'],
    }
    assert "grip:1:A" not in printed.decode()


def test_a_digest_of_an_older_version_is_told_as_it_is_and_names_nothing(home: HookHome) -> None:
    _remember(home, "codex", "- D-1: a decision [grip:1:A; 4 tokens]")

    printed = home.hook(json.dumps(_STARTS["codex"]).encode(), "--harness", "codex")

    assert b"- D-1: a decision [grip:1:A; 4 tokens]" in printed
    told = next(record for record in home.records() if record.kind == "injected")
    assert json.loads(told.payload)["ids"] == []


def test_what_was_cut_to_fit_is_not_named_as_told(home: HookHome) -> None:
    lines = [f"id-{number}\t- {'x' * 500}" for number in range(40)]
    _remember(home, "codex", "\n".join(lines))

    home.hook(json.dumps(_STARTS["codex"]).encode(), "--harness", "codex")

    told = next(record for record in home.records() if record.kind == "injected")
    ids = json.loads(told.payload)["ids"]
    assert 5 < len(ids) < 16
    assert ids == [f"id-{number}" for number in range(len(ids))]


def test_every_other_event_prints_nothing(home: HookHome) -> None:
    _remember(home, "gemini", "- a fact")

    for event in ("BeforeAgent", "AfterTool", "SessionEnd", "PreCompress"):
        payload = json.dumps({"hook_event_name": event, "prompt": "SessionStart"}).encode()
        assert home.hook(payload, "--harness", "gemini") == b""


def test_without_a_digest_nothing_is_printed(home: HookHome) -> None:
    assert home.hook(json.dumps(_STARTS["codex"]).encode(), "--harness", "codex") == b""
    assert len(home.records()) == 1


def test_the_digest_of_branch_and_role_comes_before_the_others(home: HookHome) -> None:
    (home.work / ".git").mkdir()
    (home.work / ".git" / "HEAD").write_text("ref: refs/heads/feature/x\n", encoding="utf-8")
    start = json.dumps(_STARTS["codex"]).encode()

    def told(role: str = "") -> str:
        return home.hook(start, "--harness", "codex", AGENTX_AGENT=role).decode()

    _remember(home, "codex", "for all")
    assert "for all" in told("engineer")
    _remember(home, "codex", "for engineers", role="engineer")
    assert "for engineers" in told("engineer")
    _remember(home, "codex", "for the branch", branch="feature/x")
    assert "for the branch" in told("engineer")
    _remember(home, "codex", "for both", branch="feature/x", role="engineer")
    assert "for both" in told("engineer")
    assert "for the branch" in told()


def test_a_subfolder_is_told_what_its_repository_knows(home: HookHome) -> None:
    (home.work / ".git").mkdir()
    (home.work / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    _remember(home, "codex", "- a fact")
    below = home.work / "a" / "b"
    below.mkdir(parents=True)

    done = subprocess.run(
        [str(HOOK), "--harness", "codex"],
        input=json.dumps(_STARTS["codex"]).encode(),
        capture_output=True,
        cwd=below,
        env=home.environment,
        timeout=60,
    )

    assert b"- a fact" in done.stdout


def test_a_store_that_is_gone_prints_nothing(home: HookHome) -> None:
    home.spool.root.mkdir(parents=True)
    home.spool.store.write_text("/nowhere\0/at all\n", encoding="utf-8")

    assert home.hook(json.dumps(_STARTS["codex"]).encode(), "--harness", "codex") == b""


_YES = "obs-1\t- Drop it: YES. Decided by a person, asked: May we? [CLR-1-001] [human, obs-1]"


def _ask(home: HookHome) -> Path:
    questions = home.work / ".agentx/questions/1"
    questions.mkdir(parents=True)
    (questions / "abc.jsonl").write_text("{}\n", encoding="utf-8")
    return questions


def _begin(home: HookHome) -> str:
    payload = json.dumps(_STARTS["codex"]).encode()
    return home.hook(payload, "--harness", "codex", AGENTX_AGENT="engineer").decode()


def test_what_is_remembered_is_left_out_once_settings_changed(home: HookHome) -> None:
    """They may forbid it, and the hook does not read them."""
    settings = home.root / "config.toml"
    store = _remember(home, "codex", "obs-1\t- a fact")
    store.notice("").write_text("\t- Your issue: #1\n", encoding="utf-8")
    stamp = store.digests / SETTINGS_STAMP
    stamp.write_bytes(stamp_files(str(settings)))
    assert "- a fact" in _begin(home)

    settings.write_text("[memory]\nenabled = false\n", encoding="utf-8")
    said = _begin(home)
    assert "a fact" not in said
    assert "left out: settings changed since: `agentx recall`" in said
    assert "Your issue: #1" in said, "it waits for the role, whatever is remembered"
    told = [json.loads(each.payload) for each in home.records() if each.kind == "injected"]
    assert told[-1]["ids"] == []

    stamp.write_bytes(stamp_files(str(settings)))
    assert "- a fact" in _begin(home)


@pytest.mark.promise("clarify.signed")
def test_what_questions_came_to_is_left_out_once_more_was_said(home: HookHome) -> None:
    """A later word may have come with a pull that nobody of ours saw."""
    questions = _ask(home)
    store = _remember(home, "codex", f"### Of this issue\n{_YES}\nobs-2\t- We use tabs. [obs-2]")
    stamp = store.digests / DIGESTS_STAMP
    stamp.write_bytes(stamp_questions(str(home.work)))

    assert "YES" in _begin(home)
    (questions / "bob.jsonl").write_text("{}\n", encoding="utf-8")
    said = _begin(home)
    assert "YES" not in said
    left = "1 left out: questions, or who is trusted, changed since: `agentx recall`"
    assert left in said
    assert "We use tabs." in said
    stamp.write_bytes(stamp_questions(str(home.work)))
    assert "YES" in _begin(home)


@pytest.mark.promise("clarify.signed")
def test_no_notice_tells_an_answer_once_more_was_said(home: HookHome) -> None:
    """Not at the start, not at a prompt; and that something changed is told once a change."""
    questions = _ask(home)
    store = _remember(home, "codex", "- We use tabs.")
    answer = "CLR-1-001:2\t- answered: Drop it: YES -- settle with: agentx clarify resolve X"
    work = "agentx ready\t- Your issue: #1 Drop"
    store.notice("engineer").write_text(f"\t### For you\n{answer}\n{work}\n", encoding="utf-8")
    stamp = store.digests / NOTICES_STAMP
    stamp.write_bytes(stamp_questions(str(home.work)))

    def go_on(session: str = "s-1") -> str:
        prompt = {"session_id": session, "hook_event_name": "UserPromptSubmit", "prompt": "On"}
        payload = json.dumps(prompt).encode()
        return home.hook(payload, "--harness", "codex", AGENTX_AGENT="engineer").decode()

    assert "YES" in _begin(home)
    assert "YES" in go_on("s-2")
    (questions / "bob.jsonl").write_text("{}\n", encoding="utf-8")
    left = "1 left out: questions, or who is trusted, changed since: `agentx clarify inbox`"
    for said in (go_on(), go_on("s-3"), _begin(home)):
        assert "YES" not in said
        assert left in said
    assert "Your issue: #1" in _begin(home)
    assert go_on() == ""
    (questions / "bob.jsonl").unlink()
    (questions / "abc.jsonl").unlink()
    assert "YES" not in _begin(home), "all of it is forgotten"


@pytest.mark.promise("clarify.signed")
def test_what_is_prepared_counts_as_of_where_it_was_made(home: HookHome) -> None:
    """A worktree has files of its own, and in another checkout the user may trust somebody."""
    main, keys = home.root / "main", home.root / "keys.json"
    asked = main / ".agentx/questions/1"
    asked.mkdir(parents=True)
    (asked / "abc.jsonl").write_text("{}\n", encoding="utf-8")
    _ask(home)
    store = _remember(home, "codex", _YES)
    stamp = store.digests / DIGESTS_STAMP
    stamp.write_bytes(stamp_questions(str(main), str(keys)))

    assert "YES" in _begin(home)
    keys.write_text("{}", encoding="utf-8")
    assert "YES" not in _begin(home)
    stamp.write_bytes(stamp_questions(str(main), str(keys)))
    assert "YES" in _begin(home)
    (asked / "bob.jsonl").write_text("{}\n", encoding="utf-8")
    assert "YES" not in _begin(home)
