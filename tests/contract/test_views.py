"""Goal: every view keeps the one contract: made from nothing it is what it was by following,
catching up twice is catching up once, and what was forgotten is not in it.

Method: one project with two sessions, a lesson and a note, followed in two steps; what each view
holds is looked at by its own reader, before and after.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.conversation.model import EventQuery
from agentx.conversation.toc_model import TocNode
from agentx.kernel.clock import DAY_MS, HOUR_MS, Millis
from agentx.kernel.errors import IndexUnavailable
from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.memory.found import KINDS, SearchRequest
from agentx.memory.local import LocalMemory
from agentx.operations.lessons.known import add_lesson
from agentx.project.project import Project
from agentx.search.text.engine import Engine
from agentx.views.port import View
from agentx.views.recall_tally import recall_counts
from agentx.views.search_view import SearchView
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from tests.support.desk import talk
from tests.support.notes import spool_note
from tests.support.remembering import project_in
from tests.support.time_and_chance import FakeClock

COLOURS = ("vermilion", "ochre", "umber", "cerulean")
DOOMED, WORD = "s-doomed", "heliotrope"
Look = Callable[[Project, LocalMemory], object]


def contents(_project: Project, memory: LocalMemory) -> object:
    found: list[TocNode] = []
    left = list(memory.toc_roots())
    while left:
        node = left.pop()
        found.append(replace(node, version=0))
        left += memory.browse(node.node_id).nodes if node.children else ()
    return sorted(found, key=lambda node: node.node_id)


def pages(project: Project, _memory: LocalMemory) -> object:
    files = (path for path in project.paths.lessons.rglob("*") if path.is_file())
    return {str(path): path.read_text("utf-8") for path in files if "events" not in path.parts}


def learnt(project: Project, _memory: LocalMemory) -> object:
    room = open_observations(project)
    try:
        return sorted((one.id, one.content) for one in room.store.everything())
    finally:
        room.close()


def hits(_project: Project, memory: LocalMemory) -> object:
    asked = SearchRequest(query=f"{WORD} retries sender", kinds=KINDS, mode="bm25", limit=50)
    return sorted((hit.doc_id, hit.kind, hit.snippet) for hit in memory.search(asked).hits)


def digests(project: Project, _memory: LocalMemory) -> object:
    return {path.name: path.read_text("utf-8") for path in project.store.digests.glob("*.txt")}


LOOKS: dict[str, Look] = {
    "toc": contents,
    "lessons": pages,
    "observations": learnt,
    "search": hits,
    "recalls": lambda project, _memory: dict(
        recall_counts(project.store.recall_counts(project.id))
    ),
    "digests": digests,
}
every_view = pytest.mark.parametrize("name", LOOKS)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Millis]:
    """Return a folder with a memory whose views have followed in two steps, and its time."""
    root = tmp_path_factory.mktemp("views")
    project = project_in(root / "here")
    add_lesson(project, LessonKind.CODE, Content(name="", text="Back off"), Confidence.HIGH)
    with open_store(project) as opened:
        opened.append(talk("s-kept"))
        opened.catch_up()
        opened.append(talk(DOOMED, begin=2 * HOUR_MS, words=WORD))
        spool_note(project, "1-1-a", tuple(ids_of(opened, "")))
        opened.drain()
        project.clock.sleep_ms(HOUR_MS)  # the session that was told falls silent
        opened.catch_up()
    shutil.copytree(root / "here", root / "kept")
    return root, project.clock.now_ms()


@pytest.fixture
def project(kept: tuple[Path, Millis]) -> Project:
    """Return its project, as it was then and in the same place."""
    root, now_ms = kept
    shutil.rmtree(root / "here")
    shutil.copytree(root / "kept", root / "here", symlinks=True)
    return replace(project_in(root / "here"), clock=FakeClock(now_ms))


@pytest.fixture
def memory(project: Project) -> Iterator[LocalMemory]:
    with open_store(project) as opened:
        opened.catch_up()
        yield opened


def ids_of(memory: LocalMemory, session: str) -> list[str]:
    page = memory.events(EventQuery(session_id=session, limit=100))
    return [event.event_id for event in page.events]


def view_of(memory: LocalMemory, name: str) -> View:
    return next(view for view in memory.views if view.name == name)


def test_every_view_of_a_memory_is_held_to_the_contract(memory: LocalMemory) -> None:
    assert [view.name for view in memory.views] == list(LOOKS)


@every_view
def test_made_from_nothing_it_is_what_it_was_by_following(
    project: Project, memory: LocalMemory, name: str
) -> None:
    followed = LOOKS[name](project, memory)

    count = view_of(memory, name).rebuild()

    assert count > 0
    assert LOOKS[name](project, memory) == followed
    assert followed


@every_view
def test_catching_up_twice_is_catching_up_once(
    project: Project, memory: LocalMemory, name: str
) -> None:
    once = LOOKS[name](project, memory)

    view_of(memory, name).catch_up()

    assert LOOKS[name](project, memory) == once
    assert view_of(memory, name).status().ready
    assert view_of(memory, name).status().entries_left == 0


@every_view
def test_what_was_forgotten_is_not_in_it_nor_comes_back(
    project: Project, memory: LocalMemory, name: str
) -> None:
    marks = (WORD, *ids_of(memory, DOOMED))
    before = repr(LOOKS[name](project, memory))

    memory.forget(session_id=DOOMED)

    after = repr(LOOKS[name](project, memory))
    view_of(memory, name).catch_up()
    followed = repr(LOOKS[name](project, memory))
    view_of(memory, name).rebuild()
    rebuilt = repr(LOOKS[name](project, memory))
    assert any(mark in before for mark in marks) is (name != "lessons")
    assert not [mark for mark in marks if mark in after + followed + rebuilt]
    assert rebuilt == followed


@every_view
def test_let_go_of_it_opens_again_when_it_is_asked(
    project: Project, memory: LocalMemory, name: str
) -> None:
    before = LOOKS[name](project, memory)

    view_of(memory, name).close()

    assert LOOKS[name](project, memory) == before


def test_an_index_from_nothing_answers_at_once_newest_first_and_goes_on_where_it_stopped(
    tmp_path: Path,
) -> None:
    project = project_in(tmp_path)
    with open_store(project) as opened:
        for day in range(4):
            opened.append(talk(f"s-{day}", begin=day * DAY_MS, words=COLOURS[day]))
        opened.catch_up()
        whole = [found(opened, COLOURS[day]) for day in range(4)]
    shutil.rmtree(project.store.text_index)

    behind = []
    for step in range(4):  # each in a process of its own, which ends after a step
        with open_store(project) as opened, closing(take_steps(opened)) as steps:
            next(steps)
            behind.append(search_view(opened).count_left())
            known = [bool(found(opened, COLOURS[day])) for day in range(4)]
            assert known == [day >= 3 - step for day in range(4)]
    with open_store(project) as opened:
        opened.catch_up()
        assert [found(opened, COLOURS[day]) for day in range(4)] == whole
        assert search_view(opened).count_left() == 0

    assert behind == sorted(behind, reverse=True)
    assert behind[-1] == 0


def test_a_session_that_goes_on_while_an_index_is_filled_is_in_it_once(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    with open_store(project) as opened:
        opened.append(talk("s-old", words="ochre"))
        opened.append(talk("s-new", begin=DAY_MS, words="umber"))
        with closing(take_steps(opened)) as steps:
            next(steps)  # the newer one is in it, the older one is left
        opened.append(talk("s-old", begin=2 * DAY_MS, words="ochre again"))
        opened.catch_up()
        followed = [found(opened, word) for word in ("ochre", "umber", "again")]
        search_view(opened).rebuild()

        assert [found(opened, word) for word in ("ochre", "umber", "again")] == followed
        assert all(followed)


def test_what_is_committed_behind_who_goes_on_is_in_the_index_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = project_in(tmp_path)
    with open_store(project) as opened:
        opened.append(talk("s-0", words=COLOURS[0]))
        opened.catch_up()
        for day in range(1, 4):
            opened.append(talk("s-0", begin=day * DAY_MS, words=COLOURS[day]))
            opened.make_searchable_soon()
        opened.make_searchable()
        followed = [found(opened, word) for word in COLOURS]

        opened.append(talk("s-1", begin=4 * DAY_MS, words="gamboge"))
        with monkeypatch.context() as broken:
            broken.setattr(Engine, "commit", fail)
            opened.make_searchable_soon()
            writer = search_view(opened)._writer
            assert writer is not None
            writer.mark()  # waits for it
            assert writer._failed is not None
        opened.make_searchable()

        assert search_view(opened).count_left() == 0
        assert [found(opened, word) for word in COLOURS] == followed
        assert all(followed)
        assert found(opened, "gamboge")


def fail(_engine: Engine) -> None:
    raise IndexUnavailable("the disk is full")


def search_view(memory: LocalMemory) -> SearchView:
    view = view_of(memory, "search")
    assert isinstance(view, SearchView)
    return view


def take_steps(memory: LocalMemory) -> Generator[int, None, None]:
    return search_view(memory).take_steps(batch=1)


def found(memory: LocalMemory, words: str) -> list[str]:
    asked = SearchRequest(query=words, mode="bm25", limit=50)
    return sorted(hit.doc_id for hit in memory.search(asked).hits if hit.kind == "event")
