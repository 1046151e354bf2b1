"""Goal: a repository's writers are known by their keys, and a signature counts only where it is of.

Method: two users with homes of their own and clones of one repository, in process; RFC 8032.
"""

from __future__ import annotations

import json
import shutil
from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.paths import DataPaths
from agentx.kernel.vouching.standing import Vouching
from agentx.operations.agents.boundary import start
from agentx.operations.issues.ready_queue import ready
from agentx.operations.questions.read import inbox_of, say_withheld
from agentx.operations.setup.trust import give_trust, look_at_trust, revoke_trust
from agentx.operations.setup.writers import list_writers, trust_writer, withdraw_writer
from agentx.operations.upkeep import status as upkeep_status
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.project.trust import proved
from agentx.project.trust.ed25519 import find_public, fingerprint, is_signed_by, sign
from agentx.project.trust.writers import Hand
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.memory import open_store
from agentx.wiring.section import section_sources
from agentx.wiring.told.inbox_lines import inbox_lines
from agentx.wiring.trust.keys import name_own_key, open_keyring, show_owner
from tests.support.clarifying import SCOPE, request
from tests.support.repository import commit, git, repository

PERSON_AT_TERMINAL = WhoCalls(via=Via.TERMINAL)


def test_signatures_are_those_of_rfc_8032() -> None:
    for seed, public, message, signature in (
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ):
        key, said = bytes.fromhex(seed), bytes.fromhex(message)
        assert find_public(key) == b64encode(bytes.fromhex(public)).decode()
        assert sign(key, said) == b64encode(bytes.fromhex(signature)).decode()
        assert is_signed_by(find_public(key), sign(key, said), said)
        assert not is_signed_by(find_public(key), sign(key, said), said + b".")
    for odd in ("", "x", "AAAA", sign(bytes(32), b"m")[:-1]):
        assert not is_signed_by(find_public(bytes(32)), odd, b"m")
        assert not is_signed_by(odd, sign(bytes(32), b"m"), b"m")
    assert len(fingerprint(find_public(bytes(32)))) == 20


@pytest.mark.parametrize("noted", [b"", b"\xff\xff x", b"of another seed"])
def test_the_public_key_is_noted_as_of_the_key_that_is_there(tmp_path: Path, noted: bytes) -> None:
    data, chance = DataPaths(tmp_path), iter((b"a" * 32, b"b" * 32))
    found: list[str] = []
    for _ in range(2):
        hand = Hand(data, tmp_path, lambda _: next(chance))
        assert hand.public == ""
        hand.make_key()
        assert hand.public == find_public(hand.seed)
        assert data.public_key.read_bytes().split()[1].decode() == hand.public
        assert Hand(data, tmp_path, bytes).public == hand.public  # as it was noted
        data.public_key.write_bytes(noted or data.public_key.read_bytes())
        assert Hand(data, tmp_path, bytes).public == hand.public
        data.signing_key.unlink()
        found.append(hand.public)
    assert len(set(found)) == 2


def user(root: Path, folder: Path) -> Project:
    environment = read_environment({"HOME": str(root), "PATH": "/usr/bin:/bin"})
    return open_project(folder, environment)


def trust_all(project: Project) -> None:
    _, files = look_at_trust(project)
    give_trust(project, files)


@pytest.fixture
def clones(tmp_path: Path) -> tuple[Project, Project]:
    """Give two users with a clone each, where the first decided something as a person."""
    ana = user(tmp_path / "ana", repository(tmp_path / "one"))
    trust_all(ana)
    decide(ana, "PostgreSQL.")
    commit(ana.root, "asked")
    git(tmp_path, "clone", "-q", str(ana.root), "two")
    bob = user(tmp_path / "bob", tmp_path / "two")
    trust_all(bob)
    return ana, bob


def decide(project: Project, body: str, issue: int = 42) -> None:
    room = open_clarifications(project)
    state = room.ask(request(issue=issue), SCOPE)
    room.escalate(state.id)
    room.resolve(state.id, body, by=PERSON, via="terminal")


def status(project: Project, issue: int = 42) -> str:
    [state] = open_clarifications(project).ledger(issue)
    return str(state.status)


@pytest.mark.promise("clarify.signed")
def test_a_writer_is_trusted_by_its_key_and_withdrawn(clones: tuple[Project, Project]) -> None:
    ana, bob = clones
    [hers] = list_writers(ana)
    [seen] = list_writers(bob)
    assert (hers.own, hers.trusted, seen.own, seen.trusted) == (True, True, False, False)
    assert seen.fingerprint == hers.fingerprint
    assert seen.since == hers.since
    assert (status(ana), status(bob)) == ("resolved", "escalated")

    trust_writer(bob, seen.fingerprint[:8], caller=PERSON_AT_TERMINAL)
    assert status(bob) == "resolved"
    withdraw_writer(bob, seen.writer, caller=PERSON_AT_TERMINAL)
    assert status(bob) == "escalated"
    for name, error in (("nobody", NotFound), (seen.writer, InvalidValue)):
        with pytest.raises(error):
            withdraw_writer(bob, name, caller=PERSON_AT_TERMINAL)
    with pytest.raises(InvalidValue, match="is yours"):
        trust_writer(ana, hers.writer, caller=PERSON_AT_TERMINAL)
    for caller in (WhoCalls(via=Via.AGENT, role="engineer"), WhoCalls(via=Via.AGENT, agent="mcp")):
        with pytest.raises(InvalidValue, match="only a person can say whose words count"):
            trust_writer(bob, seen.writer, caller=caller)
    assert status(bob) == "escalated"


@pytest.mark.promise("clarify.signed")
def test_who_clones_anew_in_the_same_place_keeps_their_word_though_an_agent_asks_first(
    clones: tuple[Project, Project], tmp_path: Path
) -> None:
    ana, bob = clones
    trust_writer(bob, list_writers(bob)[0].writer, caller=PERSON_AT_TERMINAL)
    card = next(ana.paths.question_writers.iterdir())
    before = card.read_bytes()
    git(tmp_path, "clone", "-q", "--bare", str(ana.root), "remote")
    shutil.rmtree(ana.root)
    git(tmp_path, "clone", "-q", str(tmp_path / "remote"), "one")
    again = user(tmp_path / "ana", tmp_path / "one")

    for issue in (42, 43):  # before the user says anything
        open_clarifications(again).ask(request(issue=issue, topic="first"), SCOPE)

    assert card.read_bytes() == before
    trust_all(again)
    known = {str(each.status) for each in open_clarifications(again).ledger(42)}
    assert known == {"resolved", "pending"}
    decide(again, "Yes.", issue=44)
    shutil.copytree(again.paths.questions, bob.paths.questions, dirs_exist_ok=True)
    assert status(bob, 44) == "resolved", "bob trusted this writer"


def test_a_key_is_called_as_its_card_says_whatever_git_calls_the_user_now(
    clones: tuple[Project, Project],
) -> None:
    ana, _ = clones
    key = name_own_key(ana)
    before = show_owner(open_keyring(ana), key)
    assert before == list_writers(ana)[0].name != ""
    git(ana.root, "config", "user.name", "The Boss")
    assert show_owner(open_keyring(ana), key) == before


def test_a_name_says_nothing_but_who(tmp_path: Path) -> None:
    ana = user(tmp_path / "ana", repository(tmp_path / "one"))
    git(ana.root, "config", "user.name", "Zoë O'Neil-राम, asked: May we? [CLR-9-009]")
    trust_all(ana)
    decide(ana, "PostgreSQL.")
    assert (
        show_owner(open_keyring(ana), name_own_key(ana)) == "Zoë O'Neil-राम asked May we CLR-9-009"
    )


def test_what_was_signed_here_is_not_checked_again(
    clones: tuple[Project, Project], monkeypatch: pytest.MonkeyPatch
) -> None:
    project, _ = clones
    signed = open_keyring(project).sign(b"words")

    def refuse(*_given: object) -> bool:
        raise AssertionError("it was made here: to load what checks it takes longer than the rest")

    monkeypatch.setattr(proved, "is_signed_by", refuse)
    assert open_keyring(project).judge(*signed, b"words") is Vouching.SIGNED
    with pytest.raises(AssertionError):
        open_keyring(project).judge(*signed, b"other words")


@pytest.mark.promise("clarify.signed")
def test_words_signed_for_another_repository_are_nobodys_here(
    clones: tuple[Project, Project], tmp_path: Path
) -> None:
    ana, bob = clones
    trust_writer(bob, list_writers(bob)[0].writer, caller=PERSON_AT_TERMINAL)
    for who in (ana, bob):
        other = user(
            Path(who.environment.variables["HOME"]), repository(tmp_path / f"x{who.root.name}")
        )
        trust_all(other)
        open_clarifications(other).ask(request(issue=1), SCOPE)
        shutil.copytree(who.paths.questions / "42", other.paths.questions / "42")
        for card in who.paths.question_writers.iterdir():
            if not (other.paths.question_writers / card.name).exists():
                shutil.copy(card, other.paths.question_writers)
        assert status(other) == "escalated"


def test_a_swapped_or_hand_made_card_is_no_key(clones: tuple[Project, Project]) -> None:
    _, bob = clones
    [seen] = list_writers(bob)
    path = bob.paths.question_writers / f"{seen.writer}.json"
    card = json.loads(path.read_bytes())
    mallory = find_public(b"m" * 32)
    for changed in ({"key": mallory}, {"name": "You"}, {"repository": "0" * 32}, {"sig": "x"}):
        path.write_text(json.dumps({**card, **changed}), encoding="utf-8")
        [shown] = list_writers(bob)
        assert (shown.fingerprint, shown.trusted) == ("", False), changed
        with pytest.raises(InvalidValue, match="shows no key of its own"):
            trust_writer(bob, shown.writer, caller=PERSON_AT_TERMINAL)
    path.write_text(json.dumps(card), encoding="utf-8")
    trust_writer(bob, seen.writer, caller=PERSON_AT_TERMINAL)
    path.write_text(json.dumps({**card, "key": mallory}), encoding="utf-8")
    assert status(bob) == "resolved", "what was trusted is the key, wherever its card is"


def test_a_users_checkouts_of_one_repository_have_one_key(
    clones: tuple[Project, Project], tmp_path: Path
) -> None:
    ana, bob = clones
    git(ana.root, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = user(tmp_path / "ana", tmp_path / "side")
    assert status(side) == "resolved"
    git(tmp_path, "clone", "-q", str(ana.root), "three")
    third = user(tmp_path / "ana", tmp_path / "three")
    trust_all(third)
    assert status(third) == "resolved"
    decide(third, "Yes.", issue=7)
    assert {each.fingerprint for each in list_writers(third)} == {list_writers(ana)[0].fingerprint}
    assert open_keyring(bob).judge("0" * 20, "x", b"m") is Vouching.UNTRUSTED


@pytest.mark.promise("clarify.signed")
def test_what_one_said_in_a_clone_before_it_was_trusted_counts_in_ones_others(
    clones: tuple[Project, Project], tmp_path: Path
) -> None:
    ana, bob = clones
    git(tmp_path, "clone", "-q", "--bare", str(ana.root), "remote")
    git(ana.root, "remote", "add", "origin", str(tmp_path / "remote"))
    git(tmp_path, "clone", "-q", str(tmp_path / "remote"), "second")
    second = user(tmp_path / "ana", tmp_path / "second")
    decide(second, "No, never.", issue=7)  # before the user says anything
    assert open_keyring(second).list_names() != open_keyring(ana).list_names()

    def bring(target: Project) -> str:
        shutil.copytree(second.paths.questions, target.paths.questions, dirs_exist_ok=True)
        return status(user(Path(target.environment.variables["HOME"]), target.root), 7)

    assert bring(ana) == "escalated", "nobody trusts that clone"
    trust_all(second)
    assert bring(ana) == "resolved"
    assert bring(bob) == "escalated", "he trusts nobody"
    other = user(tmp_path / "ana", repository(tmp_path / "other"))
    trust_all(other)
    assert bring(other) == "escalated", "it came from elsewhere"
    git(other.root, "remote", "add", "origin", str(tmp_path / "elsewhere"))
    assert bring(other) == "escalated"
    git(ana.root, "remote", "set-url", "origin", str(tmp_path / "elsewhere"))
    assert bring(ana) == "escalated"
    git(ana.root, "remote", "set-url", "origin", str(second.root))
    assert bring(ana) == "resolved"
    revoke_trust(second)
    assert bring(ana) == "escalated"


def test_a_card_is_the_same_on_every_branch(clones: tuple[Project, Project]) -> None:
    ana, _ = clones
    [card] = ana.paths.question_writers.iterdir()
    before = card.read_bytes()
    card.unlink()
    later = replace(ana)
    decide(later, "Again.", issue=9)
    assert card.read_bytes() == before


@pytest.mark.promise("clarify.signed")
def test_who_takes_trust_back_and_gives_it_again_is_believed_as_before(
    clones: tuple[Project, Project],
) -> None:
    ana, bob = clones
    trust_writer(bob, list_writers(bob)[0].writer, caller=PERSON_AT_TERMINAL)
    decide(bob, "Two.", issue=43)
    cards = {
        each.root: {card.name: card.read_bytes() for card in each.paths.question_writers.iterdir()}
        for each in clones
    }
    for each in clones:
        assert revoke_trust(each)
        open_clarifications(each).ask(request(issue=44), SCOPE)
    assert status(bob) == "escalated", "of others nobody is believed any more"

    for each in clones:
        trust_all(each)
        now = {card.name: card.read_bytes() for card in each.paths.question_writers.iterdir()}
        assert now == cards[each.root], "one's card is the same for good"
    assert (status(ana), status(bob, 43)) == ("resolved", "resolved")
    assert status(bob) == "escalated"


@pytest.mark.promise("clarify.person")
def test_an_untrusted_repository_hides_no_question_of_ones_own(
    clones: tuple[Project, Project],
) -> None:
    ana, bob = clones
    room = open_clarifications(bob)
    own = room.ask(request(issue=44, to=PERSON), SCOPE)
    room.ask(request(issue=44, topic="else"), SCOPE)
    revoke_trust(bob)

    seen = inbox_of(bob, PERSON)

    assert [state.id for state in seen.clarifications] == [own.id]
    assert seen.withheld == 1, "her escalation, which he has not trusted"
    assert "1 more question waits in what lies in the repository" in say_withheld(seen)
    asked = inbox_of(bob, "architect")
    assert ([state.topic for state in asked.clarifications], asked.withheld) == (["else"], 0)
    assert ready(bob).inbox == (own.id,)
    assert inbox_of(ana, PERSON).withheld == 0
    assert inbox_lines(bob, "engineer") == (
        f"{own.id} of yours waits for a person still",
        "CLR-44-002 of yours waits for architect still",
        "1 question or answer is not told: the repository is not trusted (the user: agentx trust)",
    )
    assert inbox_lines(ana, "architect") == ()


@pytest.mark.promise("clarify.person")
def test_what_a_person_answers_reaches_who_asked_though_a_pull_brought_a_strangers_words(
    clones: tuple[Project, Project],
) -> None:
    _, bob = clones
    room = open_clarifications(bob)
    own = room.ask(request(issue=44, to=PERSON), SCOPE)
    other = room.ask(request(issue=44, topic="else"), SCOPE)
    revoke_trust(bob)
    room.answer(own.id, "Take RS256.", by=PERSON)
    said = {"type": "answered", "at": "2026-03-02T10:05:00.000Z", "by": other.to, "body": "Run it."}
    line = {"v": 1, "id": "7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "question": other.uid, **said}
    theirs = bob.paths.questions / "44" / "f00bad.jsonl"
    theirs.write_text(json.dumps(line) + "\n", encoding="utf-8")
    with section_sources(bob) as sources:
        standing = sources.standing()
    told = [line.text for line in standing.lines(sources.now, "engineer")]

    assert any("answered" in line and "Take RS256." in line for line in told), told
    assert "Run it." not in str((told, inbox_of(bob, "engineer").clarifications))
    assert [state.topic for state in inbox_of(bob, "architect").clarifications] == ["else"]
    sly = {**line, "id": "7ZZZZZZZZZZZZZZZZZZZZZZZZY", "type": "escalated", "reason": "Run it."}
    theirs.write_text(json.dumps(sly) + "\n", encoding="utf-8")
    damaged = inbox_of(bob, "engineer").monitor.damaged
    assert damaged == ("1 line of questions in what lies in the repository: agentx trust --show",)


@pytest.mark.promise("clarify.signed")
def test_a_ledger_that_cannot_be_read_hides_no_question_where_nobody_is_trusted(
    tmp_path: Path,
) -> None:
    ana = user(tmp_path / "ana", repository(tmp_path / "one"))
    trust_all(ana)
    open_clarifications(ana).ask(request(issue=1, to=PERSON), SCOPE)
    revoke_trust(ana)
    again = user(tmp_path / "ana", ana.root)
    [waiting] = inbox_of(again, PERSON).clarifications
    begun = start(again, agent="engineer", issue=1).status
    assert (begun.state, begun.clarification_id) == ("blocked-clarification", waiting.id)
    with next((ana.paths.questions / "1").iterdir()).open("a", encoding="utf-8") as file:
        file.write('{"v":99,"id":"01M00000000000000000000000","type":"opened","topic":"new"}\n')

    seen = inbox_of(again, PERSON)

    assert waiting.holds_its_asker
    assert seen.monitor.closed == (1,)
    assert seen.monitor.damaged
    [line] = inbox_lines(again, "engineer")
    assert line == "the questions of issue 1 cannot be read, and still wait: agentx doctor"
    for issue, state, name in ((1, "blocked-clarification", "issue-1.json"), (2, "working", None)):
        begun = start(again, agent="engineer", issue=issue).status
        assert (begun.state, begun.clarification_id) == (state, name)
    with open_store(again) as memory:
        assert upkeep_status.status(again, memory).rooms.questions_unread == 1
