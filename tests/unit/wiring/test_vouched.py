"""Goal: what memory tells as a person's is what a person said, and stands: a decision while its
ledger bears it out, a note in the words in which it was kept; and nothing of it gets lost.

Method: the verbs in process; files of memory and of questions are changed by hand, as git or an
agent with a file tool would.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.clarification.store.ledgers import LedgerStore
from agentx.observations.model import Observation, SearchFilters
from agentx.operations.memory.check import memory_verify
from agentx.operations.memory.curate import memory_drop, memory_edit, memory_undrop
from agentx.operations.memory.write import NewObservation, memory_add, memory_remove
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.operations.upkeep.doctor import _observations
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.surfaces.cli.commands.learnt.recall import _count_tokens
from agentx.views.documents.observations import ObservationDocuments
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.observation_upkeep import observation_source, settle_observations
from agentx.wiring.observations import open_observations, open_store
from agentx.wiring.vouched.seen import find_seen_in
from agentx.wiring.vouched.witness import Witness
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, let_go, project_at, request

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    made = project_at(tmp_path)
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    return made


def decide(project: Project, topic: str = "buy", said: str = "No, never") -> str:
    """Have a person decide something; return the question's name."""
    wanted = request(issue=1, to=PERSON, topic=topic, question=f"May we {topic} it?")
    asked = open_clarifications(project).ask(wanted, SCOPE)
    clarify_settle.answer(project, asked.id, said, by=PERSON, caller=TYPING)
    clarify_settle.resolve(project, asked.id, by="engineer", caller=TYPING)
    return str(asked.id)


def memories(project: Project) -> list[Observation]:
    with closing(open_observations(project)) as room:
        return list(room.store.everything())


def told(project: Project) -> str:
    asked = RecallRequest(agent="engineer", issue=1, budget_tokens=1_500)
    return "\n".join(f"{line.text} [{line.source}" for line in recall(project, None, asked).lines)


def edit_files(project: Project, change: Callable[[str], str]) -> None:
    """Edit what lies in the files of memory, as by hand."""
    settle_observations(project)
    for path in project.observations.glob("*.json"):
        path.write_text(change(path.read_text("utf-8")), encoding="utf-8")


def forge(project: Project, text: str, end: str) -> str:
    with closing(open_store(project)) as store:
        [like, *_] = store.everything()
        made = replace(
            like, id=f"obs-human-1-{like.timestamp_ms + 1}-{end}", content=text, summary=text
        )
        store.store((replace(made, agent="human", issue_number=1),))
        store.settle()
    return made.id


def test_a_decision_is_withheld_while_its_question_is_open_again(project: Project) -> None:
    name = decide(project)
    [kept] = memories(project)
    assert "buy: No, never. " in told(project)
    questions = project.paths.questions / "1"
    whole = {path: path.read_bytes() for path in questions.glob("*.jsonl")}

    def cut_back() -> None:
        """Bring about a checkout in which it is only asked."""
        let_go(project)
        for path, lines in whole.items():
            path.write_bytes(lines.split(b"\n")[0] + b"\n")

    cut_back()
    assert open_clarifications(project).find(name).status == "pending"
    assert "buy: No, never. " not in told(project)
    [held] = memories(project)
    assert (held.agent, held.superseded_by) == (PERSON, name)
    with closing(open_observations(project)) as room:
        for wanted in (SearchFilters(superseded=False), SearchFilters(superseded=False, limit=5)):
            assert room.store.search_by_filters(wanted) == ()
        for wanted in (SearchFilters(superseded=True), SearchFilters()):
            [row] = room.store.search_by_filters(wanted)
            assert (row.id, row.superseded_by) == (kept.id, name)
        assert room.store.search("never buy")[0].superseded_by == name
        room.store.amend([replace(held, changed_files=("x.py",))])  # as `memory verify` does
    assert keep_decisions(project) == 0

    for path, lines in whole.items():  # and back on the branch on which it was decided
        path.write_bytes(lines)
    assert "buy: No, never. " in told(project)
    assert memories(project) == [replace(kept, changed_files=("x.py",))]


@pytest.mark.parametrize("times", [1, 99])
def test_a_line_that_is_cut_off_says_as_a_whole_one_what_came_later(
    project: Project, times: int
) -> None:
    wanted = request(issue=1, topic="buy", question="May we buy it?")
    asked = open_clarifications(project).ask(wanted, SCOPE)
    said = " ".join(["Yes, at once."] * times)
    clarify_settle.answer(project, asked.id, said, by="architect", caller=TYPING)
    clarify_settle.resolve(project, asked.id, by="engineer", caller=TYPING)
    memory_add(project, NewObservation(text=f"We decided: {said}", agent="tester", issue=1))
    claim = f"buy: Yes, at once. Decided by human, asked: May we buy it? [{asked.id}]"
    memory_add(project, NewObservation(text=claim, agent="reviewer", issue=1))
    later = decide(project)
    with closing(open_observations(project)) as room:
        for rows in (room.store.search_by_filters(SearchFilters()), room.store.search("at once")):
            told = {row.agent: row.superseded_by for row in rows if "Yes" in row.summary}
            assert told == {"architect": later, "tester": "", "reviewer": asked.id}


def test_what_is_withheld_is_left_out_for_no_budget(project: Project) -> None:
    memory_add(project, NewObservation(text="Buy it.", agent=PERSON, issue=1))
    edit_files(project, lambda text: text.replace("Buy it.", "buy: Yes. [CLR-2-001]"))
    reply = recall(project, None, RecallRequest(agent="", issue=1, budget_tokens=1_500))
    assert (reply.text, reply.left_out) == ("", 0)
    said = _count_tokens(reply, is_behind=False, has_memory=True)
    assert "budget" not in said
    assert "agentx memory list" in said


def test_search_finds_what_is_withheld_as_superseded(project: Project) -> None:
    name = decide(project)
    source = observation_source(project)

    def list_found(source: ObservationDocuments) -> list[tuple[str, str]]:
        parts = dict(source.parts())
        found = [each for key in parts for each in source.documents(key)]
        return [(each.agent, each.superseded_by) for each in found]

    before = source.parts()
    assert list_found(source) == [(PERSON, "")]
    let_go(project)
    for path in (project.paths.questions / "1").glob("*.jsonl"):
        path.write_bytes(path.read_bytes().split(b"\n")[0] + b"\n")
    assert source.parts() != before
    assert list_found(source) == [(PERSON, name)]


@pytest.mark.parametrize("part", ["said", "asked", "summary", "by"])
def test_a_decision_in_other_words_is_nobodys_and_the_ledgers_words_come_back(
    project: Project, part: str
) -> None:
    decide(project)

    def change(text: str) -> str:
        if part == "summary":
            return text.replace('"summary": "buy: No, never.', '"summary": "buy: Yes.')
        if part == "by":
            return text.replace("Decided by a person", "Decided by mallory")
        if part == "asked":
            return text.replace("asked: May we buy it?", "asked: May we throw it away?")
        return text.replace("buy: No, never.", "buy: Yes, now.")

    edit_files(project, change)
    [forged] = memories(project)
    assert forged.agent == "unverified"
    assert "buy: " not in told(project).replace("buy: No, never. Decided by a person", "")
    assert memory_verify(project).unverified == (forged.id,)
    assert [each for each in _observations(project) if forged.id in each.says]

    assert keep_decisions(project) == 1
    assert keep_decisions(project) == 0
    assert "buy: No, never. " in told(project)
    assert "human" in told(project)
    assert "Yes, now" not in told(project)
    assert "mallory" not in told(project)


def test_what_nobody_had_kept_is_no_persons(project: Project) -> None:
    decide(project)
    said = memory_add(
        project, NewObservation(text="Deploy on Mondays only.", agent=PERSON, issue=1)
    )
    assert f"{said.content} [{PERSON}" in told(project)
    forged = forge(project, "buy: Yes. Decided by ana, asked: May we? [CLR-2-001]", "zzzzz1")
    noted = forge(project, "Deploy whenever you like.", "zzzzz2")
    edit_files(project, lambda text: text.replace("on Mondays only", "at any time"))

    lines = told(project)
    assert "Decided by ana" not in lines
    assert "[human" not in lines.replace("buy: No, never.", "").partition("Deploy")[2]
    assert set(memory_verify(project).unverified) == {said.id, forged, noted}
    with closing(open_observations(project)) as room:
        rows = room.store.search_by_filters(SearchFilters(agent=PERSON))
        assert {row.agent for row in rows} == {PERSON}
        rows = room.store.search_by_filters(SearchFilters(agent="unverified"))
        assert {row.id for row in rows} == {said.id, forged, noted}


def test_decisions_come_back_that_memory_lost_but_not_what_a_person_took_away(
    project: Project,
) -> None:
    for topic in ("buy", "sell", "rent", "lend"):
        decide(project, topic)
    by_topic = {one.content.partition(":")[0]: one for one in memories(project)}
    memory_remove(project, by_topic["sell"].id)
    memory_drop(project, by_topic["rent"].id)
    memory_drop(project, by_topic["lend"].id)
    memory_undrop(project, by_topic["lend"].id)
    shutil.rmtree(project.observations)

    keep_decisions(project)

    back = [one.content.partition(":")[0] for one in memories(project)]
    assert sorted(back) == ["buy", "lend"]
    assert {one.agent for one in memories(project)} == {PERSON}
    assert keep_decisions(project) == 0


def test_a_decision_that_was_given_to_an_agent_by_hand_is_the_persons_again(
    project: Project,
) -> None:
    decide(project)
    edit_files(project, lambda text: text.replace('"agent": "human"', '"agent": "engineer"'))
    assert "[human" not in told(project)
    assert "buy: No, never. " not in told(project)
    keep_decisions(project)
    assert (
        f"buy: No, never. Decided by a person, asked: May we buy it? [CLR-1-001] [{PERSON}"
        in told(project)
    )


def test_a_decision_that_a_file_says_was_replaced_stands_unless_a_person_has_replaced_it(
    project: Project,
) -> None:
    decide(project)
    noted = memory_add(project, NewObservation(text="Bought it.", agent="engineer", issue=1))
    said = memory_add(project, NewObservation(text="Buy one.", agent=PERSON, issue=1))
    [decided] = [one for one in memories(project) if one.content.startswith("buy:")]
    stands = {noted.id: True, "obs-engineer-1-1-aaaaaa": True, "x": True, said.id: False}
    for by, is_told in stands.items():
        with closing(open_store(project)) as store:
            store.amend([replace(decided, superseded_by=by)])
        assert ("buy: No, never. " in told(project)) == is_told, by


def test_no_agents_note_stands_in_the_place_of_a_persons_decision(project: Project) -> None:
    claim = "buy: No, never. Decided by ana, asked: May we buy it? [CLR-1-001]"
    noted = memory_add(
        project,
        NewObservation(text=claim, agent="engineer", issue=1, category="decision"),
    )
    decide(project)
    by_id = {one.id: one for one in memories(project)}
    assert by_id.pop(noted.id).superseded_by
    assert [one.agent for one in by_id.values()] == [PERSON]
    late = claim.replace("No, never", "Yes, at once")
    memory_add(project, NewObservation(text=late, agent="engineer", issue=1, category="decision"))
    own = memory_add(project, NewObservation(text="Something", agent="engineer", issue=1))
    memory_edit(project, own.id, late)
    assert "Yes, at once" not in told(project)


def test_what_an_earlier_version_kept_is_taken_over(project: Project) -> None:
    said = memory_add(project, NewObservation(text="Deploy on Mondays only.", agent=PERSON))
    project.store.persons.unlink()
    assert [one.agent for one in memories(project)] == [PERSON]
    settle_observations(project)
    assert project.store.persons.exists()
    assert "Monday" not in project.store.persons.read_text("utf-8")
    edit_files(project, lambda text: text.replace("Mondays", "Fridays"))
    [one] = memories(project)
    assert (one.id, one.agent) == (said.id, "unverified")
    assert json.loads(project.store.persons.read_text("utf-8").splitlines()[0]) == {"begun": True}


@pytest.mark.parametrize("name", ["Human", "HUMAN", "hum\u0430n", "user", "the-user", "person"])
def test_who_is_called_nearly_a_person_is_none(project: Project, name: str) -> None:
    decide(project)
    noted = memory_add(project, NewObservation(text="Buy it all.", agent="engineer", issue=1))
    mark = '"agent": "engineer"'
    edit_files(project, lambda text: text.replace(mark, json.dumps({"agent": name})[1:-1]))
    [line] = [each for each in told(project).splitlines() if each.startswith("Buy it all.")]
    assert line.endswith("[unverified")
    assert memory_verify(project).unverified == (noted.id,)
    with closing(open_observations(project)) as room:
        rows = room.store.search_by_filters(SearchFilters(superseded=False))
        assert {row.agent for row in rows} == {PERSON, "unverified"}


@pytest.mark.parametrize(
    "strange", ["obs-\u0447\u0435\u043b\u043e-1-1-zzzzz6", "obs-x-7-1-zzzzz6", "", "x" * 900]
)
def test_a_strange_entry_harms_only_itself(project: Project, strange: str) -> None:
    decide(project)
    settle_observations(project)
    [path] = project.observations.glob("issue-1.json")
    page = json.loads(path.read_text("utf-8"))
    page["observations"].append({**page["observations"][0], "id": strange, "agent": "x"})
    path.write_text(json.dumps(page), encoding="utf-8")
    assert "buy: No, never. " in told(project)
    settle_observations(project)
    keep_decisions(project)
    found = memory_verify(project)
    [damaged] = found.damaged
    assert "issue-1.json" in damaged
    assert strange[:20] in damaged
    [check] = [each for each in _observations(project) if "issue-1.json" in each.says]
    assert strange[:20] in check.says
    assert len(json.loads(path.read_text("utf-8"))["observations"]) == 2, "it is somebody's"


def test_one_recall_reads_each_ledger_once_and_judges_each_memory_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for topic in ("buy", "sell", "rent"):
        decide(project, topic)
    settle_observations(project)
    done: list[str] = []

    def count(kind: type, name: str) -> None:
        plain = getattr(kind, name)

        def counted(*args: object, **rest: object) -> object:
            done.append(name)
            return plain(*args, **rest)

        monkeypatch.setattr(kind, name, counted)

    for name in ("read", "list_judged"):
        count(LedgerStore, name)
    for name in ("_judge", "_look_at"):
        count(Witness, name)
    find_seen_in.cache_clear()  # as in a process that was begun just now
    told(project)
    assert Counter(done) == {"read": 1, "_judge": 3, "_look_at": 1}
