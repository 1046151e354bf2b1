"""Goal: clarifications are mirrored to GitHub once, now or later, and the token goes nowhere else.

Method: a project in a temporary folder, its ledger written through the room's own verbs,
and a server on loopback that comes and goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.clarification.model import NewQuestion
from agentx.clarification.scope import Scope
from agentx.kernel.bus import Bus
from agentx.kernel.errors import InvalidValue
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.github import github_issues, repository_of
from agentx.wiring.listeners.mirror import ACTIVE_LABEL, mirror
from agentx.work.model import NewIssue
from agentx.work.service import Issues
from tests.support.github_server import REPOSITORY, TOKEN, Fault, GithubServer


@pytest.fixture
def server() -> Iterator[GithubServer]:
    with GithubServer().serving() as made:
        yield made


def project_at(folder: Path, **settings: str) -> Project:
    (folder / "shop" / ".agentx").mkdir(parents=True, exist_ok=True)
    variables = {"HOME": str(folder / "home"), "PATH": "/nowhere", "AGENTX_WORK_MODE": "github"}
    variables |= {f"AGENTX_GITHUB_{name.upper()}": value for name, value in settings.items()}
    return open_project(folder / "shop", read_environment({**variables, "MY_TOKEN": TOKEN}))


@pytest.fixture
def project(tmp_path: Path, server: GithubServer) -> Project:
    return project_at(
        tmp_path, base_url=server.url, repository=REPOSITORY, token_env="MY_TOKEN", notify="ada"
    )


def ask(project: Project, question: str) -> str:
    request = NewQuestion(
        issue=1, asker="engineer", to="architect", topic="store", question=question, blocking=True
    )
    return open_clarifications(project).ask(request, Scope(can_clarify=("architect",))).id


@pytest.mark.promise("github.mirror-once")
def test_a_thread_is_mirrored_in_order_with_labels_and_mentions(
    project: Project, server: GithubServer
) -> None:
    Issues(github_issues(project), project.clock, Bus()).create(NewIssue(title="Pick"))
    asked = ask(project, "Which \u2705?")
    assert (mirror(project).posted, mirror(project, (1,)).posted) == (1, 0)
    rooms = open_clarifications(project)
    rooms.answer(asked, "SQL.")
    rooms.escalate(asked, "they disagree")
    assert (mirror(project).posted, mirror(project).posted) == (2, 0)

    bodies = [each["body"] for each in server.comments[1]]
    assert ["Which \u2705?" in bodies[0], "SQL." in bodies[1], "they disagree" in bodies[2]] == [
        True
    ] * 3
    assert ["cc @ada" in body for body in bodies] == [False, False, True]
    assert {"name": ACTIVE_LABEL} in server.issues[1]["labels"]
    rooms.resolve(asked, "SQL it is.")
    mirror(project)
    assert {"name": ACTIVE_LABEL} not in server.issues[1]["labels"]
    assert len(server.comments[1]) == 4


@pytest.mark.promise("github.catches-up")
def test_a_thread_of_an_offline_hour_is_mirrored_by_the_next_of_any_issue(
    project: Project, server: GithubServer
) -> None:
    Issues(github_issues(project), project.clock, Bus()).create(NewIssue(title="Pick"))
    ask(project, "Which?")
    server.faults = [Fault(status=503)] * 50
    first, second = mirror(project, (1,)), mirror(project, (1,))
    assert (first.posted, first.waiting, second.waiting) == (0, 1, 1)
    assert "503" in first.offline

    server.faults = []
    after = mirror(project, (2,))
    assert (after.posted, after.waiting, after.offline) == (1, 0, "")
    assert len(server.comments[1]) == 1


def test_an_issue_that_github_does_not_have_is_said(project: Project) -> None:
    ask(project, "Which?")

    reply = mirror(project)
    assert reply.refused == ("there is no issue #1",)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"base_url": "http://api.example.com", "token_env": "MY_TOKEN"}, "in the clear"),
        ({"base_url": "file:///etc", "token_env": "MY_TOKEN"}, "in the clear"),
        ({"token_env": "NO_SUCH"}, "needs a token"),
        ({"token_env": "MY_TOKEN", "repository": "../../x"}, "is not a repository"),
        ({"token_env": "MY_TOKEN", "repository": ""}, "not known which repository"),
    ],
)
def test_what_is_missing_or_unsafe_is_said_before_anything_is_sent(
    tmp_path: Path, settings: dict[str, str], said: str
) -> None:
    project = project_at(tmp_path, **{"repository": REPOSITORY, **settings})

    with pytest.raises(InvalidValue, match=said):
        github_issues(project)


def test_the_repository_is_the_one_of_the_git_remote(tmp_path: Path) -> None:
    project = project_at(tmp_path)
    git = tmp_path / "shop" / ".git"
    for address in (
        "git@github.com:acme/shop.git",
        "https://github.com/acme/shop",
        "ssh://git@github.com/acme/shop.git/",
    ):
        (git / "objects").mkdir(parents=True, exist_ok=True)
        (git / "refs").mkdir(exist_ok=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
        (git / "config").write_text(
            f'[core]\n\trepositoryformatversion = 0\n[remote "origin"]\n\turl = {address}\n',
            "utf-8",
        )
        assert repository_of(project) == "acme/shop"
    config = (git / "config").read_text("utf-8")
    (git / "config").write_text(config.replace("github.com", "gitlab.example"), "utf-8")
    with pytest.raises(InvalidValue, match="not known which repository"):
        repository_of(project)


def test_who_is_mentioned_must_be_a_name(project: Project, tmp_path: Path) -> None:
    wrong = project_at(
        tmp_path,
        base_url=project.environment.variables["AGENTX_GITHUB_BASE_URL"],
        repository=REPOSITORY,
        token_env="MY_TOKEN",
        notify="ada, <script>",
    )
    Issues(github_issues(wrong), wrong.clock, Bus()).create(NewIssue(title="Pick"))
    ask(wrong, "Which?")

    with pytest.raises(InvalidValue, match="is not a name on GitHub"):
        mirror(wrong)
