"""Goal: whoever lists, opens, finds or recalls a memory is told on which branch it holds.

Method: the operations themselves on a project in a real repository.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from agentx.memory.found import SearchRequest
from agentx.memory.port import Memory
from agentx.observations.ids import observation_id
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.operations.memory.read import memory_list, memory_marks, memory_show
from agentx.operations.memory.write import NewObservation, memory_add
from agentx.operations.recall.document import open_document
from agentx.operations.recall.origins import mark_reply
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.operations.recall.why import why
from agentx.project.project import Project
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations, prepare_observations
from agentx.wiring.section import renew_digests
from tests.support.branching import Repository
from tests.support.remembering import project_in

MARK = "on feature/x, not merged"
OLD = "We keep zones in the database, because reports join them."
NEW = "We keep zones in TOML files instead of the database, because ops edit them by hand."


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    made = Repository(tmp_path / "shop")
    made.branch("feature/x", "zones")
    return made


@pytest.fixture
def project(shop: Repository) -> Project:
    """Return a project in which a branch took a decision back."""
    opened = project_in(shop.folder.parent)
    with open_store(opened):
        pass  # so that the store is there
    return opened


def keep(project: Project, text: str, *, branch: str = "", head: str = "") -> Observation:
    now_ms = Millis(project.clock.now_ms() - 1_000)
    made = Observation(
        id=observation_id("engineer", 1, now_ms, project.entropy),
        agent="engineer",
        issue_number=1,
        category=Category.DECISION,
        content=text,
        summary=text,
        tokens=20,
        timestamp_ms=now_ms,
        session_id=f"s-{branch}",
        event_ids=("01M7H9BB2WFB8325P5E7H2202A",),
        branch=branch,
        head=head,
    )
    prepare_observations(project)
    with closing(open_observations(project)) as room:
        room.capture((made,), agent="engineer", issue=1)
    return made


def tell(project: Project, memory: Memory | None = None) -> str:
    return recall(project, memory, RecallRequest(budget_tokens=2_000)).text


def test_every_way_to_a_memory_says_where_it_holds(project: Project, shop: Repository) -> None:
    new = keep(project, NEW, branch="feature/x", head=shop.tip("feature/x"))

    assert f"by hand. ({MARK}) [" in tell(project)
    rows = memory_list(project, SearchFilters())
    assert memory_marks(project, rows) == {new.id: MARK}
    shown = memory_show(project, new.id)
    said = "learnt on feature/x (not merged: the default branch does not have it)"
    assert str(shown.learnt_on) == said
    with open_store(project) as memory:
        memory.catch_up()
        assert said in why(project, memory, new.id).source
        assert open_document(project, memory, new.id).origin == MARK
        reply = mark_reply(project, memory.search(SearchRequest(query="zones TOML")))
        assert [hit.origin for hit in reply.hits if hit.doc_id == new.id] == [MARK]
        assert renew_digests(project, memory) >= 0

    shop.git("merge", "-q", "--ff-only", "feature/x")
    assert f"({MARK})" not in tell(project)
    assert memory_marks(project, rows) == {}
    assert str(memory_show(project, new.id).learnt_on).startswith(
        "learnt on feature/x (holds everywhere: "
    )


def test_what_only_a_branch_took_back_stands_elsewhere(project: Project, shop: Repository) -> None:
    old = keep(project, OLD)
    new = keep(project, NEW, branch="feature/x", head=shop.tip("feature/x"))
    with closing(open_observations(project)) as room:
        room.store.amend([replace(old, superseded_by=new.id)])

    text = tell(project)
    assert f"reports join them. (replaced by obs-{new.id[-6:]} {MARK}) [" in text

    shop.git("branch", "-q", "-D", "feature/x")
    assert "reports join them. [" in tell(project), "an abandoned branch takes nothing back"

    shop.git("checkout", "-q", "-b", "feature/x", new.head)
    text = tell(project)
    assert "reports join them" not in text
    assert "by hand. [" in text


def test_what_somebody_writes_down_knows_its_branch(project: Project, shop: Repository) -> None:
    shop.git("checkout", "-q", "feature/x")
    draft = NewObservation(text="Zones are read once.", agent="engineer", files=("zones.py",))
    bound = memory_add(project, draft)
    free = memory_add(project, replace(draft, text="Deploys are on Tuesdays.", files=()))
    shop.git("checkout", "-q", "main")
    plain = memory_add(project, replace(draft, text="Prices are in cents."))

    assert (bound.branch, bound.head) == ("feature/x", shop.tip("feature/x"))
    assert (free.branch, plain.branch, plain.head) == ("feature/x", "", "")
    assert memory_marks(project, memory_list(project, SearchFilters())) == {bound.id: MARK}
    assert str(memory_show(project, free.id).learnt_on) == "learnt on feature/x"
    assert str(memory_show(project, plain.id).learnt_on) == ""


def test_outside_of_git_everything_holds_everywhere(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    made = keep(project, NEW, branch="feature/x")

    assert "by hand. [" in tell(project)
    assert memory_show(project, made.id).learnt_on.mark == ""
