"""Goal: what sessions were told before is a little closer at hand, at once and without a restart.

Method: two equal texts in a real store; one is counted as recalled between two searches.
"""

from __future__ import annotations

from pathlib import Path

from agentx.memory.found import SearchRequest
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.views.recall_tally import Note, SessionTold, count_recalls
from agentx.wiring.memory import open_store
from tests.support.drafts import draft
from tests.support.time_and_chance import START_MS


def test_a_recall_counts_in_the_next_search(tmp_path: Path) -> None:
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
        after = memory.search(asked).hits

    assert [hit.doc_id for hit in after] == [before[1].doc_id, before[0].doc_id]
    assert any(why.startswith("recalled before") for why in after[0].why)
