"""Goal: who exchanges runs by their branch can trust each other, though no card is committed with
the code; a card that came so makes nobody trusted, and takes no known writer's place.

Method: a bare remote and two clones of two people with real git; cards laid by a stranger.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from agentx.kernel.errors import InvalidValue
from agentx.operations.runs.lane import merge_lane, open_lane, rebase_work
from agentx.operations.runs.read import show_run
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import add_task, start_run
from agentx.operations.setup.writers import list_writers, trust_writer
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.project.trust import brought
from agentx.project.trust.brought import BroughtCards, name_card
from agentx.project.trust.cards import WriterCard
from agentx.project.trust.ed25519 import find_public, sign
from agentx.runs.lacking.mending import say_mending
from agentx.runs.model import Contract
from agentx.runs.store.kept.facts import is_fact
from agentx.wiring.bound.taking_out import take_folder
from agentx.wiring.trust.keys import open_keyring
from tests.support.repository import commit, git
from tests.support.run_clones import Clones

PERSON = WhoCalls(via=Via.TERMINAL)
AGENT = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)


def _sync(project: Project) -> tuple[str, ...]:
    return sync_runs(project, agrees=lambda _where: True, caller=PERSON).remarks


def _forge(card: WriterCard, seed: bytes = bytes(range(32))) -> WriterCard:
    """A stranger's card under the name of a writer, signed with the stranger's key."""
    forged = replace(card, key=find_public(seed), sig="")
    return replace(forged, sig=sign(seed, forged.message))


@pytest.fixture(name="two")
def _make_two(tmp_path: Path) -> tuple[Project, Project]:
    """Ann's clone, in which she began a run and pushed it, and bob's, who took it in."""
    clones = Clones(tmp_path)
    ann, bob = clones.clone("ann"), clones.clone("bob")
    start_run(ann, "shared", actor="human")
    _sync(ann)
    _sync(bob)
    return ann, bob


def test_a_writer_who_pushed_runs_can_be_trusted_in_another_clone(
    two: tuple[Project, Project],
) -> None:
    ann, bob = two
    (hers,) = [each for each in list_writers(ann) if each.own]
    (seen,) = [each for each in list_writers(bob) if each.writer == hers.writer]
    assert (seen.fingerprint, seen.is_brought) == (hers.fingerprint, True)
    assert not seen.trusted

    assert trust_writer(bob, hers.writer, caller=PERSON).trusted
    assert not list(bob.paths.question_writers.parent.glob("writers/*"))


def test_a_rebase_counts_once_its_writer_is_trusted_by_a_card_that_came_with_the_run(
    tmp_path: Path,
) -> None:
    clones = Clones(tmp_path)
    ann = clones.clone("ann")
    commit(ann.root, "long", a_py="".join(f"{n}\n" for n in range(12)))
    git(ann.root, "push", "-q", "origin", "main")
    run = start_run(ann, "shared", actor="orchestrator").id
    add_task(ann, Saying(), Contract(title="first"))
    opened = open_lane(ann, Saying(task="TASK-001"))
    assert opened.lane is not None
    lines = [f"{n}\n" for n in range(12)]
    commit(Path(opened.folder), "ten", a_py="".join((*lines[:10], "ten\n", lines[11])))
    merge_lane(ann, Saying(lane=opened.lane.id))
    git(ann.root, "push", "-q", "origin", f"refs/heads/agent/{run}/{opened.lane.id}")
    commit(ann.root, "eight", a_py="".join((*lines[:8], "eight\n", *lines[9:])))
    rebase_work(ann, Saying())
    git(ann.root, "push", "-q", "origin", f"refs/heads/agent/{run}/*:refs/heads/agent/{run}/*")
    _sync(ann)
    bob = clones.clone("bob")
    _sync(bob)

    (left,) = show_run(bob, run, caller=PERSON).unmerged
    assert not left.is_elsewhere
    (writer,) = [each.writer for each in list_writers(bob) if not each.own]
    assert (left.doubted, "a rebase holds it" in left.why) == (writer, True)
    (step,) = [each for each in show_run(bob, run, caller=PERSON).next if left.lane in each.text]
    assert step.command == f"agentx trust --writer {writer}"
    assert "--delete" not in step.text
    assert step.command in say_mending(run, left)
    agents = [each.command for each in show_run(bob, run, caller=AGENT).next]
    assert step.command not in agents
    trust_writer(bob, writer, caller=PERSON)
    assert not show_run(bob, run, caller=PERSON).unmerged


def test_a_strangers_card_takes_no_known_writers_place(two: tuple[Project, Project]) -> None:
    ann, bob = two
    (card,) = BroughtCards(bob.paths.run_aside)
    trust_writer(bob, card.writer, caller=PERSON)
    strangers = _forge(card)
    BroughtCards(bob.paths.run_aside).lay(strangers)

    for project, is_own in ((bob, False), (ann, True)):
        BroughtCards(project.paths.run_aside).lay(strangers)
        (seen,) = [each for each in list_writers(project) if each.writer == card.writer]
        assert (seen.fingerprint, seen.own, seen.trusted) == (card.fingerprint, is_own, True)
        assert seen.refused == (strangers.fingerprint,)
    told = " ".join(_sync(bob))
    assert card.writer in told
    assert "agentx trust --show" in told


def test_of_two_keys_that_nobody_knows_a_person_says_which(two: tuple[Project, Project]) -> None:
    _, bob = two
    (card,) = BroughtCards(bob.paths.run_aside)
    strangers = _forge(card)
    BroughtCards(bob.paths.run_aside).lay(strangers)
    both = {card.fingerprint, strangers.fingerprint}
    assert {each.fingerprint for each in list_writers(bob) if not each.own} == both
    with pytest.raises(InvalidValue, match="2 keys") as refused:
        trust_writer(bob, card.writer, caller=PERSON)
    assert all(each in refused.value.hint for each in both)
    assert trust_writer(bob, card.fingerprint, caller=PERSON).fingerprint == card.fingerprint
    (seen,) = [each for each in list_writers(bob) if each.writer == card.writer]
    assert seen.refused == (strangers.fingerprint,)


@pytest.mark.parametrize("damage", ["unsigned", "renamed", "long", "link", "no card"])
def test_what_is_no_card_is_stepped_over(two: tuple[Project, Project], damage: str) -> None:
    _, bob = two
    folder = bob.paths.run_aside
    (card,) = BroughtCards(folder)
    path = folder / name_card(card)
    whole = path.read_bytes()
    path.unlink()
    odd = {
        "unsigned": json.dumps({"v": 1, **asdict(replace(card, name="Eve"))}).encode(),
        "long": whole + b" " * 5_000,
        "no card": b"[1]",
    }
    if damage == "link":
        shutil.copy(__file__, folder / "real")
        (folder / "real").write_bytes(whole)
        path.symlink_to(folder / "real")
    elif damage == "renamed":
        (folder / name_card(replace(card, writer="other"))).write_bytes(whole)
    else:
        path.write_bytes(odd[damage])
    assert not list(BroughtCards(folder))
    list_writers(bob)


def test_every_version_takes_a_card_along_as_what_was_kept_aside(
    two: tuple[Project, Project],
) -> None:
    ann, bob = two
    (card,) = BroughtCards(ann.paths.run_aside)
    path = f".agent-memory/aside/{name_card(card)}"
    assert is_fact(path)
    assert path in git(ann.root, "ls-tree", "-r", "--name-only", "agent-memory").splitlines()
    # A clone that lost its folder gets it back, and one that has it says the same bytes.
    shutil.rmtree(bob.paths.run_aside)
    _sync(bob)
    assert tuple(BroughtCards(bob.paths.run_aside)) == (card,)


def test_who_signed_with_an_earlier_version_shows_their_card_by_the_next_exchange(
    two: tuple[Project, Project],
) -> None:
    ann, bob = two
    (card,) = BroughtCards(ann.paths.run_aside)
    for project in two:  # as an earlier version left it
        shutil.rmtree(project.paths.run_aside)
        take_folder(project, forgets=False)
    assert name_card(card) not in git(ann.root, "ls-tree", "-r", "--name-only", "agent-memory")
    _sync(ann)
    _sync(bob)
    assert tuple(BroughtCards(bob.paths.run_aside)) == (card,)


def test_any_number_of_strangers_cards_hides_no_trusted_writer(
    two: tuple[Project, Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, bob = two
    monkeypatch.setattr(brought, "CARDS_MAX", 3)
    folder = BroughtCards(bob.paths.run_aside)
    (card,) = folder
    trust_writer(bob, card.writer, caller=PERSON)
    for number in range(5):
        folder.lay(_forge(replace(card, writer=f"00{number}"), bytes([number]) * 32))

    (seen,) = [each for each in list_writers(bob) if each.writer == card.writer]
    assert (seen.fingerprint, seen.trusted) == (card.fingerprint, True)


def test_only_the_card_that_was_chosen_says_which_repository_its_key_signs_for(
    two: tuple[Project, Project],
) -> None:
    _, bob = two
    folder = BroughtCards(bob.paths.run_aside)
    seed = bytes(range(32))
    (card,) = folder
    here = _forge(replace(card, writer="aaa"), seed)
    folder.lay(here)
    folder.lay(_forge(replace(card, writer="bbb", repository="f" * 32), seed))

    trust_writer(bob, "aaa", caller=PERSON)

    assert open_keyring(bob).list_trusted()[here.fingerprint].repositories == (card.repository,)
