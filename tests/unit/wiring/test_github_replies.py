"""Goal: what people reply on GitHub settles questions, once, and nobody else's words ever do.

Method: a project in a temporary folder, a GitHub on loopback on which people and others comment,
and two machines with the same ledger where that matters.
"""

from __future__ import annotations

import shutil
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.agents.hub.hub import Hub
from agentx.clarification.contested import say_contested
from agentx.clarification.model import Clarification, ClarificationStatus, NewQuestion
from agentx.daemon.jobs import job_specs
from agentx.host.waits import WaitBudget
from agentx.kernel.bus import Bus
from agentx.operations.issues.sync import sync_issues
from agentx.operations.questions.read import inbox_of, say_unsent
from agentx.project.claims import claim_data
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.clarifications import inbox, name_overruling, open_clarifications
from agentx.wiring.github import github_issues
from agentx.wiring.hub import open_hub
from agentx.wiring.listeners.mirror import mirror
from agentx.wiring.memory import open_store
from agentx.work.model import NewIssue
from agentx.work.service import Issues
from tests.support.github_server import REPOSITORY, TOKEN, Fault, GithubServer
from tests.support.time_and_chance import Awake


@pytest.fixture
def server() -> Iterator[GithubServer]:
    with GithubServer().serving() as made:
        yield made


def project_at(folder: Path, server: GithubServer, name: str = "one", **variables: str) -> Project:
    (folder / name / "shop" / ".agentx").mkdir(parents=True, exist_ok=True)
    home = folder / name / "home"
    settings = home / ".config" / "agentx" / "config.toml"
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(
        f"""
[work]
mode = "github"
[github]
base_url = "{server.url}"
repository = "{REPOSITORY}"
token_env = "MY_TOKEN"
notify = "ada,org/team"
""",
        encoding="utf-8",
    )
    surroundings = read_environment(
        {"HOME": str(home), "PATH": "/nowhere", "MY_TOKEN": TOKEN, **variables}
    )
    made = open_project(folder / name / "shop", surroundings)
    claim_data(made, "tests")
    return replace(open_project(folder / name / "shop", surroundings), clock=Awake())


@pytest.fixture
def project(tmp_path: Path, server: GithubServer) -> Project:
    made = project_at(tmp_path, server)
    Issues(github_issues(made), made.clock, Bus()).create(NewIssue(title="Pick"))
    return made


def ask(project: Project, question: str = "Which store?", to: str = "architect") -> str:
    request = NewQuestion(issue=1, asker="engineer", to=to, topic=question, question=question)
    return hub_of(project).request(request).id


def hub_of(project: Project) -> Hub:
    return open_hub(project)


def call(project: Project, question: str = "Which store?") -> str:
    """Ask, and call a person."""
    asked = ask(project, question)
    hub_of(project).escalate(asked, "nobody knows")
    return asked


def look(project: Project, asked: str) -> Clarification:
    return open_clarifications(project).find(asked)


@pytest.mark.promise("github.replies")
def test_a_named_persons_reply_decides_what_waits_for_a_person(
    project: Project, server: GithubServer
) -> None:
    asked = call(project)
    reply = server.say(1, "Ada", "@agentx-bot Use Postgres: we run it already.")

    done = sync_issues(project)
    state = look(project, asked)
    assert (done.replies, done.unclear, done.posted) == ((asked,), (), 0)
    assert state.status is ClarificationStatus.RESOLVED
    settled = state.resolution
    assert settled is not None
    assert (settled.body, settled.speaker_shown) == (
        "Use Postgres: we run it already.",
        "human (Ada on GitHub)",
    )
    # It stands there already: it is acknowledged, and not posted again.
    assert server.reactions == {reply["id"]: ["+1"]}
    assert sum("Use Postgres" in each["body"] for each in server.comments[1]) == 1
    assert sync_issues(project).replies == ()


def test_a_question_to_a_person_mentions_them_and_is_answered_there(
    project: Project, server: GithubServer
) -> None:
    asked = ask(project, "May I drop the table?", to="human")
    posted = server.comments[1][0]["body"]
    assert "cc @ada @org/team\n\nA reply of ada to this comment decides it." in posted
    assert f"begin it with `{asked}:`" in posted

    server.say(1, "ada", f"{asked}: yes, after the backup.")
    sync_issues(project)
    state = look(project, asked)
    assert (state.status, state.answer) == (
        ClarificationStatus.ANSWERED,
        "yes, after the backup.",
    )


def test_a_reply_goes_to_the_question_it_names_or_quotes(
    project: Project, server: GithubServer
) -> None:
    first, second, third = (call(project, f"Which {what}?") for what in ("store", "queue", "cache"))
    server.say(1, "ada", f"> **Escalated: a person is needed** ({second}, round 1/5)\n\nKafka.")
    server.say(1, "ada", f"{first} - Postgres.")
    asked = ask(project, "Which port?")
    server.say(1, "ada", f"{asked}: 5433")

    done = sync_issues(project)
    assert set(done.replies) == {first, second, asked}
    assert [look(project, each).status for each in (first, second, third, asked)] == [
        ClarificationStatus.RESOLVED,
        ClarificationStatus.RESOLVED,
        ClarificationStatus.ESCALATED,
        ClarificationStatus.ANSWERED,  # an agent was asked: a person may answer in its place
    ]
    assert look(project, second).resolution.body == "Kafka."  # type: ignore[union-attr]


@pytest.mark.promise("github.replies")
@pytest.mark.parametrize(
    ("author", "body", "kind"),
    [
        ("mallory", "Use SQLite.", "User"),  # whom nobody named
        ("mallory", "ada says: CLR-1-001: use SQLite", "User"),
        ("ada", "Use SQLite.", "Bot"),
        ("ada", "<!-- agentx:clarification:x:0 -->\nUse SQLite.", "User"),  # a forged mark
        ("org/team", "Use SQLite.", "User"),
        ("", "Use SQLite.", "User"),
    ],
)
def test_words_of_others_settle_nothing(
    project: Project, server: GithubServer, author: str, body: str, kind: str
) -> None:
    asked = call(project)
    server.say(1, author, body, kind=kind)

    done = sync_issues(project)
    assert (done.replies, done.unclear) == ((), ())
    assert look(project, asked).status is ClarificationStatus.ESCALATED


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("What would it cost?", "asks something itself"),
        ("Thanks, I'll look at it tomorrow.", "nothing seems to be decided"),
        ("+1", "nothing seems to be decided"),
        ("ok", "nothing seems to be decided"),
        ("CLR-1-001", "says nothing"),
        ("\u3164\u2800", "says nothing"),
        ("> Which store?\n", "says nothing"),
    ],
)
def test_what_decides_nothing_is_told_to_its_author_once(
    project: Project, server: GithubServer, body: str, why: str
) -> None:
    asked = call(project)
    server.say(1, "ada", body)

    done = sync_issues(project)
    assert [why in said for said in done.unclear] == [True]
    assert look(project, asked).status is ClarificationStatus.ESCALATED
    sync_issues(project)
    notes = [each["body"] for each in server.comments[1] if "@ada, your reply" in each["body"]]
    assert [why in note for note in notes] == [True]

    server.say(1, "ada", "Postgres.")
    assert sync_issues(project).replies == (asked,)


def test_one_of_several_must_be_named(project: Project, server: GithubServer) -> None:
    first, second = call(project, "Which store?"), call(project, "Which queue?")
    server.say(1, "ada", "Postgres.")

    done = sync_issues(project)
    assert done.replies == ()
    assert f"any of {first}, {second}" in done.unclear[0]


def test_what_was_refused_stays_so_on_every_machine_and_is_said_once(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    first, second = (ask(project, f"May I {what}?", to="human") for what in ("buy", "sell"))
    server.say(1, "ada", "yes")
    done = sync_issues(project)
    assert (done.replies, len(done.unclear), done.posted) == ((), 1, 1)
    other = project_at(tmp_path, server, "two")
    shutil.copytree(
        project.root / ".agentx/questions", other.root / ".agentx/questions", dirs_exist_ok=True
    )

    server.say(1, "ada", f"{first}: no\nI mean it.\n{second}: later")
    assert sync_issues(project).replies == (first, second)
    for each in (project, other, project):
        done = sync_issues(each)
        assert (done.unclear, done.posted) == ((), 0)
        assert [look(each, name).answer for name in (first, second)] == ["no\nI mean it.", "later"]


def test_who_changes_a_reply_that_was_taken_is_told_once_what_is_on_record(
    project: Project, server: GithubServer
) -> None:
    first, *more = (ask(project, f"May I {what}?", to="human") for what in ("buy", "sell", "let"))
    edited = server.say(1, "ada", f"{first}: yes")
    deleted = server.say(1, "ada", "\n".join(f"{each}: yes" for each in more))
    assert sync_issues(project).replies == (first, *more)
    edited.update(body=f"{first}: NO NO", updated_at="2030-01-01T00:00:00Z")
    server.comments[1].remove(deleted)
    server.comments[2] = [deleted]  # so that no other gets its number

    done = sync_issues(project)
    assert (done.replies, done.posted) == ((), 3)
    assert ["edited" in said for said in done.unclear] == [True, False, False]
    notes = [each["body"] for each in server.comments[1] if "earlier text" in each["body"]]
    for note, named in zip(notes, (first, *more), strict=True):
        assert f'on record for {named} is the earlier text: "yes"' in note
    assert list_noted(project) == [first, *more]
    assert [look(project, each).answer for each in (first, *more)] == ["yes"] * 3
    again = sync_issues(project)
    assert (again.unclear, again.posted) == ((), 0)
    told = {str(each.id): say_contested(each) for each in inbox(project, "engineer")}
    assert "ada's reply on GitHub was edited after it was taken; ask the user" in told[first]
    assert all("was deleted after it was taken" in told[each] for each in more)

    server.say(1, "ada", f"{first}: no")
    assert sync_issues(project).replies == (first,)
    assert look(project, first).resolution.body == "no"  # type: ignore[union-attr]
    assert list_noted(project) == more
    told = {str(each.id): say_contested(each) for each in inbox(project, "engineer")}
    assert (told[first], bool(told[more[0]])) == ("", True)


def test_who_replies_to_what_was_asked_anew_since_is_told_what_stands(
    project: Project, server: GithubServer
) -> None:
    first = ask(project, "May I buy?", to="human")
    server.say(1, "ada", f"{first}: yes")
    sync_issues(project)
    hub_of(project).resolve(first, by="engineer")
    again = ask(project, "May I buy?", to="human")
    server.say(1, "ada", f"{again}: yes, go")
    sync_issues(project)
    hub_of(project).resolve(again, by="engineer")

    server.say(1, "ada", f"{first}: no, stop")
    (unclear,) = sync_issues(project).unclear

    assert f'the decision on record stands: "yes, go ({again})"' in unclear
    assert list_noted(project) == [first]
    (told,) = name_overruling(project, [look(project, again)])
    assert f"ada's reply on GitHub to {first} says otherwise" in say_contested(told)


def list_noted(project: Project) -> list[str]:
    """Return the questions that the person's inbox has something to say of."""
    return [said.partition(":")[0] for said in inbox_of(project, "human").notes]


def test_a_name_that_two_clones_gave_decides_neither_question(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    other = project_at(tmp_path, server, "two")
    asked = ask(project, "May I delete the table?", to="human")
    assert ask(other, "May I buy the licence?", to="human") == asked
    server.say(1, "ada", f"{asked}: yes")

    done = [sync_issues(each) for each in (project, other)]
    assert [each.replies for each in done] == [(), ()]
    assert f"2 questions here were called {asked}" in done[0].unclear[0]
    assert [each.posted for each in done] == [1, 0]  # told by the first
    assert [look(each, asked).answer for each in (project, other)] == ["", ""]


def test_an_edited_reply_and_one_from_an_account_that_agents_have_are_not_believed(
    project: Project, server: GithubServer
) -> None:
    asked = call(project)
    server.say(1, "ada", "Use SQLite.")["updated_at"] = "2030-01-01T00:00:00Z"
    assert "was edited" in sync_issues(project).unclear[0]

    # Another machine's AgentX posts with ada's token: so may the agents there.
    server.say(1, "ada", "<!-- agentx:clarification:other:1 -->\n**Engineer asks Architect**")
    server.say(1, "ada", f"{asked}: use SQLite")
    done = sync_issues(project)
    assert [("posts as ada too" in said) for said in done.unclear] == [True]  # the first was told
    assert look(project, asked).status is ClarificationStatus.ESCALATED


def test_what_was_said_before_a_person_was_called_is_no_reply_to_the_call(
    project: Project, server: GithubServer
) -> None:
    server.say(1, "ada", "CLR-1-001: let us use SQLite everywhere.")
    asked = ask(project)
    server.say(1, "ada", "We had a good meeting.")
    hub_of(project).escalate(asked, "nobody knows")

    assert sync_issues(project).replies == ()
    assert look(project, asked).status is ClarificationStatus.ESCALATED


def test_offline_is_said_and_nothing_waits_twice(project: Project, server: GithubServer) -> None:
    open_clarifications(project)
    server.faults = [Fault(status=503, method="POST")] * 60
    asked = call(project)
    done = sync_issues(project)
    assert done.posted == 0
    assert "503" in done.offline
    waiting = [sync_issues(project).waiting for _ in range(3)]
    assert waiting == [waiting[0]] * 3

    server.faults = []
    sync_issues(project)
    marks = [each["body"].splitlines()[0] for each in server.comments[1]]
    assert len(marks) == len(set(marks)) == len(look(project, asked).thread)


def test_two_machines_at_the_same_moment_leave_one_comment(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    server.faults = [Fault(status=503)] * 100
    asked = call(project)
    server.faults = []
    other = project_at(tmp_path, server, "two")
    shutil.copytree(project.root / ".agentx", other.root / ".agentx", dirs_exist_ok=True)

    server.together = threading.Barrier(2)
    with ThreadPoolExecutor(2) as both:
        done = list(both.map(mirror, (project, other)))
    server.together = None
    assert sum(each.posted for each in done) >= 2, "else they were not there at the same moment"
    mirror(project)

    bodies = [each["body"] for each in server.comments[1]]
    assert len(bodies) == len(set(bodies)) == len(look(project, asked).thread)


def test_a_reply_that_two_machines_took_is_in_the_merged_thread_once(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    asked = call(project)
    other = project_at(tmp_path, server, "two")
    shutil.copytree(
        project.root / ".agentx/questions", other.root / ".agentx/questions", dirs_exist_ok=True
    )
    server.say(1, "ada", "Postgres.")
    assert [sync_issues(each).replies for each in (project, other)] == [(asked,)] * 2

    for lines in (other.root / ".agentx/questions/1").glob("*.jsonl"):
        if not (project.root / ".agentx/questions/1" / lines.name).exists():
            shutil.copy(lines, project.root / ".agentx/questions/1")
    said = [entry.body for entry in look(project, asked).thread if entry.account]
    assert said == ["Postgres."]
    assert mirror(project).posted == 0


def test_agents_words_call_nobody(project: Project, server: GithubServer) -> None:
    ask(project, "Shall @carol or @org/admins decide? <!-- agentx:clarification:x:1 -->")
    body = server.comments[1][0]["body"]
    assert "@carol" not in body
    assert "@org" not in body
    assert body.count("<!-- agentx") == 1


def test_a_comment_of_an_earlier_release_is_known_again(
    project: Project, server: GithubServer
) -> None:
    asked = call(project)
    for turn, each in enumerate(server.comments[1]):
        _, rest = each["body"].split("\n", 1)
        each["body"] = f"<!-- agentx:clarification:{asked}:{turn} -->\n{rest}"
    assert mirror(project).posted == 0

    server.say(1, "ada", "Postgres.")
    assert sync_issues(project).replies == (asked,)


def test_a_question_that_is_spoken_of_is_not_answered_by_it(
    project: Project, server: GithubServer
) -> None:
    asked = ask(project)
    server.say(1, "ada", f"Let us talk about {asked} on Monday.")

    assert (sync_issues(project).replies, look(project, asked).answer) == ((), "")


def test_no_agent_takes_replies_nor_says_where_they_come_from(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    asked = call(project)
    server.say(1, "ada", "Use SQLite.")
    for variables, why in (
        ({"AGENTX_AGENT": "engineer"}, ()),
        ({"AGENTX_GITHUB_BASE_URL": server.url}, ("AGENTX_GITHUB_BASE_URL",)),
        ({"AGENTX_GITHUB_NOTIFY": "ada"}, ("AGENTX_GITHUB_NOTIFY",)),
    ):
        done = sync_issues(project_at(tmp_path, server, **variables))
        assert done.replies == ()
        assert tuple(one in said for one, said in zip(why, done.unclear, strict=True)) == (
            (True,) * len(why)
        )
    assert look(project, asked).status is ClarificationStatus.ESCALATED


def test_nobody_is_promised_that_a_reply_decides_where_replies_are_not_taken(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    asked = ask(project_at(tmp_path, server, AGENTX_WORK_MODE="github"), to="human")
    settings = Path(project.environment.variables["HOME"], ".config/agentx/config.toml")
    known = settings.read_text(encoding="utf-8")
    settings.write_text(known.replace("ada,org/team", "org/team"), encoding="utf-8")
    of_team = ask(open_project(project.root, project.environment), "May I?", to="human")
    settings.write_text(known.replace("ada,org/team", "ada,bo"), encoding="utf-8")
    ask(open_project(project.root, project.environment), "Must I?", to="human")

    by_variable, by_team, by_people = (each["body"] for each in server.comments[1])
    for posted, name in ((by_variable, asked), (by_team, of_team)):
        assert "decides it." not in posted
        assert "@org/team" in posted
        assert f"`agentx clarify answer {name}`" in posted
    assert "A reply to this comment decides it." in by_people


def test_why_a_reply_was_not_taken_is_not_looked_up_again(
    project: Project, server: GithubServer
) -> None:
    call(project)
    server.say(1, "ada", "What would it cost?")
    sync_issues(project)
    server.asked.clear()

    sync_issues(project)
    assert len(server.methods("GET")) <= 4


def test_one_who_never_answers_holds_up_no_question_and_is_told_of_it_later(
    project: Project, server: GithubServer
) -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as nobody:
        settings = project.environment.variables["HOME"] + "/.config/agentx/config.toml"
        written = Path(settings).read_text(encoding="utf-8")
        silent = written.replace(str(server.port), str(nobody.getsockname()[1]))
        Path(settings).write_text(silent, encoding="utf-8")
        cut_off = replace(
            open_project(project.root, project.environment),
            patience=WaitBudget(project.clock, limit_ms=100, once_ms=60),
        )
        began = project.clock.now_ms()
        asked = ask(cut_off, "May I?", to="human")
        state = look(cut_off, asked)
        assert project.clock.now_ms() - began < 5000  # all but 0.1 s of it is ours
        assert "kept here, and sent there later" in say_unsent(cut_off, state)
    Path(settings).write_text(written, encoding="utf-8")

    assert "waiting for GitHub" not in run_questions_job(project)
    assert [asked in each["body"] for each in server.comments[1]] == [True]
    assert say_unsent(project, state) == ""
    assert sync_issues(project).posted == 0


def test_a_limit_is_said_as_that_and_not_as_offline(project: Project, server: GithubServer) -> None:
    ask(project, "Which store?")
    sync_issues(project)
    spent = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "32503680000"}
    limit = Fault(status=403, headers=spent, message="API rate limit exceeded")
    server.faults = [limit] * 20
    told = sync_issues(project).outage
    assert "rate limit is used up until 3000-01-01" in told, told
    assert "offline" not in told
    asked = ask(project, "May I?", to="human")
    told = say_unsent(project, look(project, asked))
    assert "rate limit is used up until 3000-01-01" in told, told
    assert told.endswith(f"{asked} is kept here, and sent there later")
    assert "offline" not in told


def test_nothing_waits_for_github_where_it_has_everything(
    project: Project, server: GithubServer
) -> None:
    asked = call(project)
    assert sync_issues(project).waiting == 0
    server.faults = [Fault(status=503)] * 60
    done = sync_issues(project)
    assert ("503" in done.offline, done.waiting) == (True, 0)
    assert say_unsent(project, look(project, asked)) == ""

    server.faults = [Fault(status=503)] * 60
    open_hub(project).resolve(asked, "Postgres.", by="human", via="terminal")
    assert sync_issues(project).waiting == 1
    assert sync_issues(project).outage.startswith("offline: GitHub ")


def run_questions_job(project: Project) -> str:
    specs = job_specs(project, lambda: open_store(project))
    return str(next(spec for spec in specs if spec.name == "questions").run())
