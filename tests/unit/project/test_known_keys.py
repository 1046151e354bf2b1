"""Goal: whom the user trusts in a repository is known in every checkout the user has of it.

Method: Ana and Bob with homes of their own and clones of one repository, in process, real git. Ana
decides, Bob decides otherwise later: wherever Bob is trusted his word stands, and not Ana's.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.operations.setup.trust import revoke_trust
from agentx.operations.setup.writers import list_writers, trust_writer, withdraw_writer
from agentx.project.project import Project
from agentx.project.trust.cards import WriterCard
from agentx.project.trust.ed25519 import find_public, sign
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.section import are_notices_late, open_stamp, renew_notices
from agentx.wiring.trust.keys import open_keyring
from tests.support.clarifying import SCOPE, request
from tests.support.repository import commit, git, repository
from tests.unit.project.test_keyring import PERSON_AT_TERMINAL, decide, trust_all, user

pytestmark = pytest.mark.promise("clarify.signed")


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    """Give a remote with Ana's YES and Bob's later NO; both trust each other in `ana`, `bob`."""
    git(tmp_path, "init", "-q", "--bare", "remote")
    ana = user(tmp_path / "homes/ana", repository(tmp_path / "ana"))
    git(ana.root, "remote", "add", "origin", str(tmp_path / "remote"))
    trust_all(ana)
    asked = open_clarifications(ana).ask(request(issue=42), SCOPE)
    open_clarifications(ana).escalate(asked.id)
    share(ana)
    bob = clone(tmp_path, "bob", "bob")
    trust_all(bob)
    for who, word in ((ana, "Yes."), (bob, "No.")):
        open_clarifications(who).resolve(asked.id, word, by=PERSON, via="terminal")
    share(ana)
    commit(bob.root, "said")
    git(bob.root, "pull", "-q", "--no-rebase", "--no-edit", "origin", "main")
    trust_others(bob)
    share(bob)
    git(ana.root, "pull", "-q", "origin", "main")
    trust_others(ana)
    assert find_word(ana) == find_word(bob) == "No."
    return tmp_path / "remote"


def share(project: Project) -> None:
    commit(project.root, "said")
    git(project.root, "push", "-q", "origin", "HEAD:main")


def clone(root: Path, who: str, name: str) -> Project:
    git(root, "clone", "-q", "-b", "main", str(root / "remote"), name)
    return user(root / "homes" / who, root / name)


def trust_others(project: Project) -> None:
    for each in list_writers(project):
        if each.fingerprint and not each.trusted:
            trust_writer(project, each.writer, caller=PERSON_AT_TERMINAL)


def open_again(project: Project) -> Project:
    return user(Path(project.environment.variables["HOME"]), project.root)


def find_word(project: Project) -> str:
    [state] = open_clarifications(open_again(project)).ledger(42)
    word = state.persons_word
    return "" if word is None else word.body


def test_a_clone_made_anew_in_the_same_place_knows_whom_the_user_trusts(
    remote: Path, tmp_path: Path
) -> None:
    shutil.rmtree(tmp_path / "ana")
    again = clone(tmp_path, "ana", "ana")
    assert find_word(again) == "No.", "before anything is said"
    trust_all(again)
    assert find_word(again) == "No."
    assert all(each.trusted for each in list_writers(again))


def test_a_second_checkout_knows_whom_the_user_trusts(remote: Path, tmp_path: Path) -> None:
    second = clone(tmp_path, "ana", "second")
    assert find_word(second) != "Yes.", "where nobody trusts it, either"
    trust_all(second)
    assert find_word(second) == "No."
    shutil.rmtree(tmp_path / "ana")
    third = clone(tmp_path, "ana", "third")
    trust_all(third)
    assert find_word(third) == "No.", "also where the first is gone"


def test_whom_the_user_trusts_or_trusts_no_longer_reaches_all_their_checkouts(
    remote: Path, tmp_path: Path
) -> None:
    first = user(tmp_path / "homes/ana", tmp_path / "ana")
    second = clone(tmp_path, "ana", "second")
    trust_all(second)
    [bob] = [each for each in list_writers(second) if not each.own]

    withdraw_writer(second, bob.writer, caller=PERSON_AT_TERMINAL)

    assert find_word(first) == find_word(second) == "Yes."
    trust_writer(open_again(first), bob.writer, caller=PERSON_AT_TERMINAL)
    assert find_word(first) == find_word(second) == "No."
    # On a branch that is older than his card, too.
    shutil.rmtree(second.paths.questions / "writers")
    gone = withdraw_writer(open_again(second), bob.writer, caller=PERSON_AT_TERMINAL)
    assert (gone.writer, gone.trusted) == (bob.writer, False)
    assert find_word(first) == "Yes."


def test_who_makes_a_checkout_a_strangers_is_told_whom_they_must_trust_again(
    remote: Path, tmp_path: Path
) -> None:
    first = user(tmp_path / "homes/ana", tmp_path / "ana")
    second = clone(tmp_path, "ana", "second")
    trust_all(second)
    revoke_trust(first)
    trust_all(open_again(first))

    [bob] = [each for each in list_writers(open_again(first)) if not each.own]
    assert not bob.trusted, "that he is trusted elsewhere is no reason to trust him here again"
    assert find_word(second) == "No."
    trust_writer(open_again(first), bob.writer, caller=PERSON_AT_TERMINAL)
    assert find_word(first) == "No."


def test_what_an_earlier_version_noted_in_one_checkout_reaches_the_others(
    remote: Path, tmp_path: Path
) -> None:
    first = user(tmp_path / "homes/ana", tmp_path / "ana")
    shutil.rmtree(first.trust.folder.known_keys)
    assert find_word(first) == "No."
    decide(open_again(first), "Anything.", issue=7)  # the next word
    second = clone(tmp_path, "ana", "second")
    trust_all(second)
    assert find_word(second) == "No."


def test_keys_are_trusted_in_their_repository_alone(remote: Path, tmp_path: Path) -> None:
    first = user(tmp_path / "homes/ana", tmp_path / "ana")
    [bob] = [each for each in list_writers(first) if not each.own]
    other = user(tmp_path / "homes/ana", repository(tmp_path / "other"))
    trust_all(other)
    decide(other, "Mine.", issue=1)
    assert bob.fingerprint not in open_keyring(open_again(other)).list_trusted()


@pytest.mark.parametrize("name", ["../../../../evil", "/etc/evil", "a" * 3000, "\u202e\n", ""])
def test_what_a_stranger_calls_a_repository_leads_nowhere(tmp_path: Path, name: str) -> None:
    ana = user(tmp_path / "homes/ana", repository(tmp_path / "ana"))
    seed = b"m" * 32
    card = WriterCard(writer="bad", key=find_public(seed), repository=name, name="M")
    ana.paths.question_writers.mkdir(parents=True)
    said = {**vars_of(card), "sig": sign(seed, card.message), "v": 1}
    (ana.paths.question_writers / "bad.json").write_text(json.dumps(said), encoding="utf-8")
    before = {path for path in tmp_path.rglob("*") if "evil" in path.name}

    trust_all(ana)
    trust_others(open_again(ana))

    assert {path for path in tmp_path.rglob("*") if "evil" in path.name} == before
    for path in ana.trust.folder.known_keys.iterdir():
        assert len(path.name) < 50, "the name of a file, whatever the card says"


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"keys": 3}', '{"keys": {"a": 1, "b": {"at": 3}}}']
)
def test_a_damaged_list_of_keys_harms_only_itself(remote: Path, tmp_path: Path, text: str) -> None:
    first = user(tmp_path / "homes/ana", tmp_path / "ana")
    for path in first.trust.folder.known_keys.glob("*.json"):
        path.write_text(text, encoding="utf-8")
    assert find_word(first) == "No.", "this checkout noted it, too"
    trust_all(open_again(first))
    assert find_word(first) == "No."


def vars_of(card: WriterCard) -> dict[str, str]:
    return {
        "writer": card.writer,
        "key": card.key,
        "repository": card.repository,
        "name": card.name,
        "since": card.since,
    }


def test_what_hooks_have_prepared_in_one_checkout_is_late_once_another_trusts_otherwise(
    remote: Path, tmp_path: Path
) -> None:
    ana, second = user(tmp_path / "homes/ana", tmp_path / "ana"), clone(tmp_path, "ana", "second")
    trust_all(second)
    renew_notices(ana)
    stamp = open_stamp(ana)
    before = stamp()
    assert not are_notices_late(ana)
    [bob] = [each for each in list_writers(second) if not each.own]
    withdraw_writer(second, bob.writer, caller=PERSON_AT_TERMINAL)
    assert are_notices_late(ana)
    assert stamp() != before, "digests are made again"
    renew_notices(ana)
    assert not are_notices_late(ana)
    trust_writer(second, bob.writer, caller=PERSON_AT_TERMINAL)
    assert are_notices_late(ana)
