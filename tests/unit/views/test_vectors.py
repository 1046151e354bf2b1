"""Goal: with a model in place the memory is searched by meaning too, keeps up with the log, and
forgets what it must; without one everything else works as before.

Method: a real store on disk in a throw-away home, and a tiny model.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.errors import InvalidValue
from agentx.memory.found import KINDS, SearchReply, SearchRequest
from agentx.memory.local import LocalMemory
from agentx.operations.recall.vectors import install, remove
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.memory import open_store
from tests.support.drafts import draft
from tests.support.tiny_model import tiny_model

SAID = (
    "We keep keys for seven days because offices retry",
    "The captain sails when the storm is over",
    "Money was taken twice from a booking, refund it",
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    work = tmp_path / "work"
    work.mkdir()
    return open_project(work, read_environment({"HOME": str(tmp_path), "PATH": ""}))


@pytest.fixture
def memory(project: Project) -> Iterator[LocalMemory]:
    with open_store(project) as opened:
        opened.append(
            draft(text, session_id=f"s-{number}", source_id=str(number), at=number * MINUTE_MS)
            for number, text in enumerate(SAID)
        )
        opened.catch_up()
        yield opened


def _install(project: Project, model: Path) -> None:
    install(project.data, str(model), lambda _question: False)


def _search(
    memory: LocalMemory, query: str, mode: str, kinds: tuple[str, ...] = ("event",)
) -> SearchReply:
    return memory.search(SearchRequest(query=query, mode=mode, kinds=kinds))


def _sessions(reply: SearchReply) -> list[str]:
    return [hit.session_id for hit in reply.hits]


def test_without_a_model_words_are_searched_and_vectors_say_how_to_turn_them_on(
    memory: LocalMemory,
) -> None:
    able = memory.capabilities()

    assert not able.vectors
    assert able.modes == ("auto", "bm25")
    assert able.hint == "agentx vectors install"
    assert not memory.embed().on
    assert memory.index_report().vectors is None
    assert _sessions(_search(memory, "captain", "auto")) == ["s-1"]
    for mode in ("vector", "hybrid"):
        with pytest.raises(InvalidValue, match="no model is installed") as error:
            _search(memory, "captain", mode)
        assert "agentx vectors install" in error.value.hint


def test_words_alone_import_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from agentx.memory import local\n"
        "heavy = {'numpy', 'onnxruntime', 'tokenizers', 'usearch'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


@pytest.mark.promise("vectors.meaning")
def test_meaning_finds_and_follows_the_log(
    project: Project, memory: LocalMemory, model: Path
) -> None:
    _install(project, model)
    seen: list[tuple[int, int]] = []

    first = memory.embed(lambda done, total: seen.append((done, total)))
    assert first.on
    assert not first.more
    assert first.documents >= len(SAID)
    assert seen
    assert memory.embed().documents == 0
    found = _search(memory, "offices retry keys", "vector")
    assert _sessions(found)[0] == "s-0"
    assert found.layers == ("vectors",)
    assert found.hits[0].snippet.startswith("We keep keys")
    assert len(found.hits) == len(SAID)

    memory.append([draft("the old cat sleeps on a warm roof", session_id="s-9", at=10 * MINUTE_MS)])
    memory.catch_up()
    assert memory.embed().documents >= 1
    assert _sessions(_search(memory, "cat roof", "vector"))[0] == "s-9"
    both = _search(memory, "cat roof", "hybrid")
    assert _sessions(both)[0] == "s-9"
    assert both.layers[-1] == "vectors"
    assert _search(memory, "cat roof", "auto") == both
    state = memory.index_report().vectors
    assert state is not None
    assert state.ready
    assert (state.entries_left, state.sessions_left) == (0, 0)


def test_nodes_of_the_table_of_contents_are_found_by_meaning(
    project: Project, memory: LocalMemory, model: Path
) -> None:
    _install(project, model)
    memory.embed()

    found = _search(memory, "storm captain", "vector", KINDS)
    kinds = {hit.kind for hit in found.hits}
    assert {"event", "toc_node"} <= kinds
    only = memory.search(SearchRequest(query="storm", mode="vector", kinds=("toc_node",)))
    assert {hit.kind for hit in only.hits} == {"toc_node"}


@pytest.mark.promise("vectors.forget")
def test_forgetting_takes_the_vectors_off_the_disk(
    project: Project, memory: LocalMemory, model: Path
) -> None:
    _install(project, model)
    memory.embed()
    folder = project.store.vector_index
    found = _search(memory, "storm captain", "vector").hits
    (gone,) = (hit.doc_id for hit in found if hit.session_id == "s-1")

    def anywhere(word: str) -> list[str]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return [path.name for path in files if word.encode() in path.read_bytes()]

    assert anywhere(gone)
    memory.append([draft("not yet embedded", session_id="s-7", at=11 * MINUTE_MS)])
    memory.forget(event_id=gone)

    assert anywhere(gone) == []
    assert gone not in {hit.doc_id for hit in _search(memory, "storm", "vector", KINDS).hits}
    nodes = _search(memory, "storm captain sails", "vector", ("toc_node",)).hits
    assert all("sails" not in hit.snippet for hit in nodes)
    memory.embed()
    assert _sessions(_search(memory, "not yet embedded", "vector"))[0] == "s-7"
    assert anywhere(gone) == []


def test_forgetting_without_the_model_leaves_no_vectors_that_nobody_can_read(
    project: Project, memory: LocalMemory, model: Path
) -> None:
    _install(project, model)
    memory.embed()
    (project.data.vector_model / "tokenizer.json").unlink()
    assert project.store.vector_index.exists()

    memory.forget(session_id="s-1")

    assert not project.store.vector_index.exists()


def test_a_damaged_index_and_another_model_are_made_again(
    project: Project, memory: LocalMemory, model: Path, tmp_path: Path
) -> None:
    _install(project, model)
    memory.embed()
    before = _sessions(_search(memory, "offices retry keys", "vector"))
    memory.close()

    for path in project.store.vector_index.rglob("*.vec"):
        path.write_bytes(path.read_bytes()[:20])
    with open_store(project) as again:
        assert _sessions(_search(again, "captain", "auto")) == ["s-1"]
        assert again.embed().documents >= len(SAID)
        assert _sessions(_search(again, "offices retry keys", "vector")) == before

        _install(project, tiny_model(tmp_path / "other", seed=11))
        assert again.embed().documents >= len(SAID)
        assert _sessions(_search(again, "offices retry keys", "vector"))[0] == "s-0"

        assert remove(project.data).indexes == 1
        assert not again.capabilities().vectors
        assert _sessions(_search(again, "captain", "auto")) == ["s-1"]


def test_an_index_that_is_taken_away_while_it_is_open_is_made_again(
    project: Project, memory: LocalMemory, model: Path
) -> None:
    _install(project, model)
    memory.embed()
    before = _sessions(_search(memory, "offices retry keys", "vector"))

    shutil.rmtree(project.store.vector_index)
    assert _sessions(_search(memory, "offices retry keys", "vector")) == before
    memory.append([draft("the wind and the ship", session_id="s-5", at=MINUTE_MS * 20)])
    memory.catch_up()
    assert memory.embed().documents > len(SAID)
    assert _sessions(_search(memory, "wind ship", "vector"))[0] == "s-5"
    memory.close()
    with open_store(project) as again:
        assert len(_search(again, "wind ship", "vector").hits) == len(SAID) + 1


def test_a_slice_that_is_given_up_is_done_again(
    project: Project, memory: LocalMemory, model: Path
) -> None:
    _install(project, model)

    class EnoughError(Exception):
        pass

    def stop(_done: int, _total: int) -> None:
        raise EnoughError

    for _ in range(3):
        with pytest.raises(EnoughError):
            memory.embed(stop)
    assert memory.embed().more is False
    assert len(_search(memory, "storm", "vector").hits) == len(SAID)


@pytest.mark.parametrize(
    "query", ["", "!!!", "\u6e2f", "a" * 10_000, "\ud800", "x" * 300 + " y " * 3000]
)
def test_no_query_is_an_error(
    project: Project, memory: LocalMemory, model: Path, query: str
) -> None:
    _install(project, model)
    memory.embed()

    for mode in ("vector", "hybrid", "auto"):
        _search(memory, query, mode)
