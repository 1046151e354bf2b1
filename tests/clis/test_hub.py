"""An engineer run by one real agent CLI asks an architect run by another, through the hub.

Method: two scripted models, one for each. The engineer's tells it to run `agentx clarify ask`;
the hub runs the architect's CLI, whose model looks at the agents' statuses and answers. The answer
must come back in the engineer's next model request, and the thread must stand in the ledger.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.clis import drive
from tests.clis.scripted_model import ScriptedModel
from tests.clis.test_capture import _agentx

pytestmark = pytest.mark.clis

QUESTION = "Which database keeps the ledger?"
ANSWER = "PostgreSQL keeps the ledger, because transactions matter: see ADR-1."
FORM = f"STATUS: resolved\nANSWER: {ANSWER}\nEVIDENCE:\n- docs/adr/ADR-1.md\nREMAINING: none"


def _prepared(harness: str, where: drive.Place, model: ScriptedModel) -> dict[str, str]:
    """Settle how a CLI that the hub runs finds its model; return what its surroundings say."""
    _, extra = drive._PREPARE[harness](where, model, "", False)
    if harness == "codex":
        (where.home / ".codex" / "config.toml").write_text(
            'model = "scripted"\nmodel_provider = "local"\n'
            f'[model_providers.local]\nname = "local"\nbase_url = "{model.url}/v1"\n'
            'wire_api = "responses"\n',
            encoding="utf-8",
        )
    if harness == "gemini":
        drive.merge(
            where.home / ".gemini" / "settings.json", {"model": {"name": "gemini-2.5-flash"}}
        )
    return dict(extra)


@pytest.mark.parametrize(
    ("engineer", "architect"),
    [("claude-code", "codex"), ("gemini", "claude-code"), ("opencode", "codex")],
)
def test_an_engineer_asks_an_architect_through_the_hub(
    engineer: str, architect: str, tmp_path: Path
) -> None:
    where = drive.place(tmp_path / "place")
    (where.repo / ".agentx").mkdir()
    adr = where.repo / "docs" / "adr" / "ADR-1.md"
    adr.parent.mkdir(parents=True)
    adr.write_text("# ADR-1\nThe ledger needs transactions.\n", encoding="utf-8")
    _agentx(where, "issue", "create", "--title", "Ledger", "--label", "type:feature")
    seen = "cat .agentx/state/agent-status.json"
    ask = (
        "agentx clarify ask --issue 1 --from engineer --to architect --topic Storage "
        f"--question '{QUESTION}' --wait --runner {architect} 2>&1"
    )
    path = f"{drive.CLIS / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}"

    with (
        ScriptedModel(command=ask, reply="I go on with PostgreSQL.").serving() as asking,
        ScriptedModel(command=seen, reply=FORM).serving() as answering,
    ):
        inside = _prepared(architect, where, answering)
        arguments, extra = drive._PREPARE[engineer](where, asking, "Build the ledger.", False)
        found = drive.program(engineer)
        assert found is not None
        ran = where.run((found, *arguments), {**inside, **extra, "PATH": path})
        assert ran.code == 0, f"{ran.out[-2000:]} {ran.err[-2000:]}"
        to_engineer = " ".join(request.text for request in asking.asked)
        to_architect = " ".join(request.text for request in answering.asked)

    ledger = where.repo / ".agentx" / "state" / "clarifications" / "issue-1.json"
    [row] = json.loads(ledger.read_text(encoding="utf-8"))["clarifications"]
    assert [(entry["from"], entry["type"]) for entry in row["thread"]] == [
        ("engineer", "question"),
        ("architect", "answer"),
    ]
    assert row["status"] == "answered"
    assert ANSWER in row["thread"][1]["body"]
    # The architect was given the question and the artifact, and saw both statuses.
    assert QUESTION in to_architect
    assert "The ledger needs transactions." in to_architect
    assert "blocked-clarification" in to_architect
    assert "clarifying" in to_architect
    # The answer is in the engineer's next model request, as the stream ran on its terminal.
    assert "[Engineer -> Architect] Clarification needed" in to_engineer
    assert ANSWER in to_engineer
    statuses = json.loads((where.repo / ".agentx/state/agent-status.json").read_text("utf-8"))
    assert statuses["engineer"]["status"] == "working"
    assert statuses["architect"]["status"] == "idle"
