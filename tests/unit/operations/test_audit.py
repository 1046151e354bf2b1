"""Goal: what was read across projects can be looked up later, and what was asked cannot.

Method: a search through two small projects of one user, in process; the audit log is read back.
"""

from __future__ import annotations

from pathlib import Path

from agentx.daemon.door import open_other
from agentx.memory.found import SearchRequest
from agentx.operations.recall.everywhere import search_everywhere
from agentx.operations.upkeep.logs import audit
from agentx.project.audit import AuditAct, record_act
from tests.support.drafts import draft
from tests.support.remembering import project_in, remember


def test_a_search_through_all_projects_is_on_record_without_its_words(tmp_path: Path) -> None:
    here, there = project_in(tmp_path, "here"), project_in(tmp_path, "there")
    remember(here, [draft("the vault opens at nine")])
    remember(there, [draft("the vault opens at ten")])

    search_everywhere(here, open_other, SearchRequest(query="vault"))

    (row,) = audit(here, limit=10)
    assert row["event"] == "read-elsewhere"
    assert row["project"] == here.id
    assert "vault" not in str(row)
    assert here.data.audit.stat().st_mode & 0o777 == 0o600


def test_the_audit_log_is_of_all_projects_and_can_be_narrowed(tmp_path: Path) -> None:
    here, there = project_in(tmp_path, "here"), project_in(tmp_path, "there")
    record_act(here, AuditAct.TRUSTED, files=3)
    record_act(there, AuditAct.EXPORTED, path=Path("memory.export"))

    assert [row["project"] for row in audit(here, limit=10)] == [here.id, there.id]
    assert [row["event"] for row in audit(there, limit=10, event="exported")] == ["exported"]
