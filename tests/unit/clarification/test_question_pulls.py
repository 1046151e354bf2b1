"""How git carries questions between clones: a pull stops at no file of ours, lines are united."""

from __future__ import annotations

from pathlib import Path

from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.kernel.bus import Bus
from agentx.kernel.paths import ProjectPaths
from tests.support.clarifying import PEN, SCOPE, request
from tests.support.repository import bare_remote, commit, git
from tests.support.time_and_chance import FakeClock


class Clones:
    """Two clones of one bare remote, each with a writer of its own."""

    def __init__(self, folder: Path) -> None:
        remote = bare_remote(folder / "remote.git")
        self.mira, self.jon = folder / "mira", folder / "jon"
        for place in (self.mira, self.jon):
            git(folder, "clone", "-q", str(remote), place.name)

    def ask(self, place: Path, topic: str) -> Path:
        """Ask in a clone; return the file that it wrote."""
        known = place / ".git"
        pen = Pen(
            writer=lambda: place.name,
            secret=PEN.secret,
            signatures=PEN.signatures,
            common=known if known.is_dir() else None,
        )
        paths, clock = ProjectPaths(place), FakeClock()
        room = Clarifications(LedgerStore(paths, clock, pen), clock=clock, bus=Bus())
        room.ask(request(issue=42, topic=topic), SCOPE)
        return paths.questions / "42" / f"{place.name}.jsonl"


def test_who_asked_and_committed_nothing_can_pull_what_a_colleague_asked(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    clones.ask(clones.jon, "Which queue?")
    clones.ask(clones.mira, "Which cache?")
    commit(clones.mira, "Ask")
    git(clones.mira, "push", "-q")

    git(clones.jon, "pull", "-q")

    found = sorted(path.name for path in (clones.jon / ".agentx/questions/42").iterdir())
    assert found == ["jon.jsonl", "mira.jsonl"]


def test_events_are_united_in_every_checkout_and_the_users_own_rules_stay(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    rules = clones.mira / ".git/info/attributes"
    rules.parent.mkdir(exist_ok=True)
    rules.write_bytes(b"*.png binary")
    rules.chmod(0o600)
    clones.ask(clones.mira, "Which cache?")
    file = clones.ask(clones.mira, "Which queue?")
    commit(clones.mira, "Ask")
    before = file.read_text(encoding="utf-8")
    git(clones.mira, "worktree", "add", "-q", "-b", "lane", str(tmp_path / "lane"))

    there = tmp_path / "lane" / file.relative_to(clones.mira)
    there.write_text(before + "theirs\n", encoding="utf-8")
    commit(tmp_path / "lane", "Theirs")
    file.write_text(before + "ours\n", encoding="utf-8")
    commit(clones.mira, "Ours")
    git(tmp_path / "lane", "merge", "-q", "main")

    assert there.read_text(encoding="utf-8").splitlines()[2:] == ["theirs", "ours"]
    lines = rules.read_text(encoding="utf-8").splitlines()
    assert [lines[0], *lines[2:]] == ["*.png binary", "**/.agentx/questions/**/*.jsonl merge=union"]
    assert rules.stat().st_mode & 0o777 == 0o600


def test_events_are_united_where_the_folder_of_git_lies_elsewhere(tmp_path: Path) -> None:
    clones = Clones(tmp_path)
    (clones.mira / ".git").rename(tmp_path / "apart")
    (clones.mira / ".git").write_text(f"gitdir: {tmp_path}/apart\n", encoding="utf-8")

    file = clones.ask(clones.mira, "Which cache?")

    said = git(clones.mira, "check-attr", "merge", str(file.relative_to(clones.mira)))
    assert said.endswith("merge: union")
    assert not (tmp_path / "apart/info/attributes").exists()
