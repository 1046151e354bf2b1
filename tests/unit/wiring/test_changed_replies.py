"""Goal: of a reply that was changed after it was taken the person is told what is so now.

Method: a project in a temporary folder and a GitHub on loopback, on which Ada's reply is taken and
edited; then the question is settled, forgotten or renamed, or nobody can read the note.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.clarification.contested import say_contested
from agentx.clarification.model import PERSON
from agentx.kernel.bus import Bus
from agentx.operations.issues.sync import sync_issues
from agentx.operations.questions.read import inbox_of
from agentx.operations.questions.settle import forget
from agentx.operations.upkeep.doctor import _replies
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import inbox, name_overruling, open_clarifications
from agentx.wiring.github import github_issues
from agentx.wiring.hub import open_hub
from agentx.wiring.kept.known import find_known
from agentx.wiring.section import are_notices_late, renew_notices
from agentx.work.model import NewIssue
from agentx.work.service import Issues
from tests.support.github_server import GithubServer
from tests.unit.wiring.test_github_replies import ask, look, project_at

pytestmark = pytest.mark.promise("github.replies")

NO = "NO, keep wolves"
EDITED = "ada's reply on GitHub was edited after it was taken"
PERSON_HERE = WhoCalls(via=Via.TERMINAL)


@pytest.fixture
def server() -> Iterator[GithubServer]:
    with GithubServer().serving() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, server: GithubServer) -> Project:
    made = project_at(tmp_path, server)
    Issues(github_issues(made), made.clock, Bus()).create(NewIssue(title="Pick"))
    return made


def reply_and_edit(project: Project, server: GithubServer, topic: str = "May I drop it?") -> str:
    """Let Ada's reply be taken, and edited since."""
    asked = ask(project, topic, to=PERSON)
    reply = server.say(1, "ada", f"{asked}: {NO}")
    assert sync_issues(project).replies == (asked,)
    reply.update(body=f"{asked}: YES", updated_at="2030-01-01T00:00:00Z")
    sync_issues(project)
    return asked


def list_notes(project: Project) -> list[str]:
    return [note for note in inbox_of(project, PERSON).notes if EDITED in note]


def test_once_it_is_settled_no_comment_is_offered_that_would_change_it(
    project: Project, server: GithubServer
) -> None:
    asked = reply_and_edit(project, server)
    [note] = list_notes(project)
    assert f'"{NO}"; to change it, write a new comment: `{asked}: your decision`' in note
    open_hub(project).resolve(asked, by="engineer")
    [note] = list_notes(project)
    assert f'"{NO}"; to change it, tell the agent, or have it asked anew' in note


def test_what_lies_prepared_for_hooks_tells_it(project: Project, server: GithubServer) -> None:
    asked = ask(project, "May I drop it?", to=PERSON)
    reply = server.say(1, "ada", f"{asked}: {NO}")
    sync_issues(project)
    renew_notices(project)
    notice = project.store.notice("engineer")
    assert NO in notice.read_text(encoding="utf-8")
    reply.update(body=f"{asked}: YES", updated_at="2030-01-01T00:00:00Z")
    sync_issues(project)
    assert f"{NO} [contested: {EDITED}" in notice.read_text(encoding="utf-8")
    # Hooks tell nothing that lies there once the note looks otherwise.
    assert not are_notices_late(project)
    project.store.github_changed.unlink()
    assert are_notices_late(project)


def test_what_was_said_before_more_was_asked_is_told_with_it(
    project: Project, server: GithubServer
) -> None:
    asked = ask(project, "May I drop it?", to=PERSON)
    first = server.say(1, "ada", f"{asked}: {NO}")
    sync_issues(project)
    open_hub(project).follow_up(asked, "And move it?", by="engineer")
    sync_issues(project)
    server.say(1, "ada", f"{asked}: Yes, move it")
    sync_issues(project)
    open_hub(project).resolve(asked, by="engineer")
    first.update(body=f"{asked}: YES", updated_at="2030-01-01T00:00:00Z")
    sync_issues(project)
    [told] = name_overruling(project, [look(project, asked)])
    assert [(word.body, mark) for word, mark in told.begun_with] == [(NO, f"contested: {EDITED}")]
    assert say_contested(told) == "", "what it came to stands"
    [anew] = name_overruling(project, [look(project, ask(project, "May I drop it?"))])
    assert anew.stands_beside == f"{NO} ({asked}, contested: {EDITED})"


def test_what_was_forgotten_is_told_no_more_and_in_no_file(
    project: Project, server: GithubServer
) -> None:
    asked = reply_and_edit(project, server)
    note = project.store.github_changed
    assert NO.encode() not in note.read_bytes()
    assert forget(project, asked, caller=PERSON_HERE).posted_on == 1
    assert list_notes(project) == []
    assert count_rows(note.read_bytes()) == 0


def count_rows(raw: bytes) -> int:
    return raw.count(b'"mark"')


def test_it_is_told_by_the_name_that_the_question_has_now(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    other = project_at(tmp_path, server, "two")
    open_hub(other)
    first = ask(other, "May I buy it?", to=PERSON)  # asked earlier: it keeps the number
    shutil.move(other.paths.questions, tmp_path / "aside")
    assert reply_and_edit_apart(project, server) == first
    shutil.copytree(tmp_path / "aside", project.paths.questions, dirs_exist_ok=True)
    shutil.copytree(other.held_questions, project.held_questions, dirs_exist_ok=True)
    names = {each.topic: str(each.id) for each in open_clarifications(project).ledger(1)}
    assert names["May I drop it?"] != first, names
    [note] = list_notes(project)
    assert note.startswith(f"{names['May I drop it?']}: {EDITED}")
    assert f"for {names['May I drop it?']} is the earlier text" in note


def reply_and_edit_apart(project: Project, server: GithubServer) -> str:
    """Do the same on a page of its own: another clone had not asked there yet."""
    server.comments.clear()
    return reply_and_edit(project, server)


def test_what_else_contests_it_is_told_beside(project: Project, server: GithubServer) -> None:
    asked = reply_and_edit(project, server)
    open_hub(project).resolve(asked, by="engineer")
    server.say(1, "Ada", f"{asked}: YES, after all")
    sync_issues(project)
    [told] = name_overruling(project, [look(project, asked)])
    said = say_contested(told)
    assert EDITED in said
    assert "Ada's reply on GitHub says otherwise, and was not taken" in said


def test_what_cannot_be_read_for_a_moment_is_not_nothing(
    project: Project, server: GithubServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = reply_and_edit(project, server)
    before = project.store.github_changed.read_bytes()
    read = Path.read_bytes

    def refuse(path: Path) -> bytes:
        if path == project.store.github_changed:
            raise PermissionError(13, "Permission denied", str(path))
        return read(path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        for seen in (lambda: inbox(project, "engineer"), lambda: inbox_of(project, PERSON)):
            with pytest.raises(PermissionError):
                seen()
        sync_issues(project)
    assert project.store.github_changed.read_bytes() == before
    [state] = inbox(project, "engineer")
    assert (str(state.id), EDITED in say_contested(state)) == (asked, True)


def test_a_note_that_says_nothing_lets_no_reply_pass_for_unchanged(
    project: Project, server: GithubServer
) -> None:
    asked, note = reply_and_edit(project, server), project.store.github_changed
    typed = ask(project, "May I move it?", to=PERSON)
    open_hub(project).answer(typed, "yes", by=PERSON, via="terminal")
    note.write_bytes(b'{"changes": [')
    [told, other] = inbox(project, "engineer")
    unknown = (
        "whether ada's reply on GitHub was changed since cannot be read here: agentx issue sync"
    )
    assert (unknown in say_contested(told), say_contested(other)) == (True, "")
    assert [each for each in inbox_of(project, PERSON).notes if "is damaged" in each]
    sync_issues(project)
    [told, _] = inbox(project, "engineer")
    assert (unknown in say_contested(told), EDITED in say_contested(told)) == (False, True)
    server.comments[1][1].update(body=f"{asked}: {NO}")  # as it was
    sync_issues(project)
    note.write_bytes(b"[]")
    assert [each.mend for each in _replies(project)] == ["agentx issue sync"]
    sync_issues(project)
    assert list(_replies(project)) == []


def test_the_doctor_names_what_was_changed_and_a_note_that_says_nothing(
    project: Project, server: GithubServer
) -> None:
    asked, note = reply_and_edit(project, server), project.store.github_changed
    [told] = _replies(project)
    assert f"{asked}: {EDITED}" in told.says
    assert told.mend.startswith("write a new comment")
    note.write_bytes(b'{"changes": [')
    [told] = _replies(project)
    assert (str(note) in told.says, told.mend) == (True, "agentx issue sync")
    sync_issues(project)
    assert [EDITED in each.says for each in _replies(project)] == [True]
    note.unlink()
    note.mkdir()
    [told] = _replies(project)
    assert (str(note) in told.says, str(note) in told.mend) == (True, True)


def test_what_was_changed_since_answers_no_other_question(
    project: Project, server: GithubServer
) -> None:
    asked = ask(project, "May I drop it?", to=PERSON)
    reply = server.say(1, "ada", f"{asked}: {NO}")
    sync_issues(project)
    open_hub(project).resolve(asked, by="engineer")
    anew = look(project, ask(project, "May I drop it?"))
    found = find_known(project, anew)
    assert found is not None
    assert found.text == NO
    reply.update(body=f"{asked}: YES", updated_at="2030-01-01T00:00:00Z")
    sync_issues(project)
    assert find_known(project, anew) is None
