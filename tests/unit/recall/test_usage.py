"""Goal: what was opened before is a little closer at hand, at once; what was only told is not.

Method: two equal texts in a real store; one is told, then opened, between two searches.
"""

from __future__ import annotations

from pathlib import Path

from agentx.memory.found import SearchRequest
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.views.recall_tally import Note, SessionTold, count_recalls, count_use
from agentx.wiring.memory import open_store
from tests.support.drafts import draft
from tests.support.time_and_chance import START_MS


def test_being_opened_counts_in_the_next_search_and_being_told_does_not(tmp_path: Path) -> None:
    project = open_project(tmp_path, read_environment({"HOME": str(tmp_path), "PATH": ""}))
    asked = SearchRequest(query="which token does the script need?", explain=True)
    with open_store(project) as memory:
        said = [
            draft(f"the script needs the staging token {words}", session_id=words, source_id=words)
            for words in ("alpha beta gamma", "delta epsilon zeta")
        ]
        memory.append(said)
        memory.catch_up()
        before = memory.search(asked).hits
        told = SessionTold(
            project=project.id,
            harness="codex",
            session_id="next",
            at_ms=START_MS,
            doc_ids=(before[1].doc_id,),
        )
        count_recalls(project.store.recall_counts(project.id), [Note(name="n", fact=told)])
        told_of = memory.search(asked).hits
        count_use(project.store.recall_counts(project.id), before[1].doc_id)
        after = memory.search(asked).hits

    assert [hit.doc_id for hit in told_of] == [hit.doc_id for hit in before]
    assert [hit.doc_id for hit in after] == [before[1].doc_id, before[0].doc_id]
    assert any(why.startswith("recalled before") for why in after[0].why)
