"""Goal: a user turns search by meaning on with one command, and everything keeps working.

Method: the real commands, hook and daemon in a throw-away home, with a tiny model.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.house import House, processes_of, prompt
from tests.support.tiny_model import tiny_model


@pytest.mark.promise("vectors.meaning", "vectors.forget", "daemon.same-answers")
def test_vectors_from_install_to_removal(tmp_path: Path) -> None:
    house = House(tmp_path)
    said = ("We keep keys for seven days because offices retry", "The old cat sleeps on a roof")
    for number, text in enumerate(said):
        house.hook(prompt(text, prompt_id=f"p-{number}", session=f"s-{number}"))

    refused = house.json("search", "keys", "--mode", "vector", expect=2)
    assert "no model is installed" in refused["error"]["message"]
    assert "agentx vectors install" in refused["error"]["hint"]
    house.agentx("vectors", "install", expect=2)  # nobody is there to say yes

    installed = house.json("vectors", "install", "--from", str(tiny_model(tmp_path / "tiny")))
    assert installed["alike"] > installed["unlike"]
    house.agentx("sync")
    hits = house.json("search", "offices keys", "--mode", "vector")["hits"]
    assert [hit["session_id"] for hit in hits] == ["s-0", "s-1"]
    assert hits[0]["snippet"] == said[0]
    status = house.json("vectors", "status")
    assert status["capabilities"]["vectors"]
    assert status["index"]["entries_left"] == status["index"]["sessions_left"] == 0
    assert "vectors" in house.agentx("status").stdout
    assert any(each["name"] == "vectors" for each in house.json("doctor", expect=None)["checks"])

    house.agentx("daemon", "start")
    try:
        assert house.json("search", "offices keys", "--mode", "vector")["hits"] == hits
        hybrid = house.json("search", "offices keys", "--mode", "hybrid")
        assert hybrid["hits"][0]["session_id"] == "s-0"
        assert hybrid["layers"][-1] == "vectors"
        house.hook(prompt("Money was taken twice", prompt_id="p-9", session="s-9"))
        house.agentx("sync")
        (money, *_) = house.json("search", "money twice", "--mode", "vector")["hits"]
        assert money["session_id"] == "s-9"
        house.agentx("forget", "--session", "s-9", "--yes")
        found = house.json("search", "money twice", "--mode", "vector")["hits"]
        assert "s-9" not in {hit["session_id"] for hit in found}
    finally:
        house.agentx("daemon", "stop")
    store = Path(house.json("status")["store"])
    for path in (store / "vector-index").rglob("*.vec"):
        assert money["doc_id"].encode() not in path.read_bytes()

    removed = house.json("vectors", "remove", "--yes")
    assert removed == {"model": True, "indexes": 1}
    assert house.json("search", "keys")["hits"][0]["session_id"] == "s-0"
    assert processes_of(house.home) == []
