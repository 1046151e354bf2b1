"""Goal: whoever says `-` means what is piped in, wherever words are said to a question."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.wiring.clarifications import open_clarifications
from tests.support.players import Player


def test_a_question_and_what_is_said_to_it_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, monkeypatch)
    player.play()
    player.agentx("issue", "create", "--title", "Webhooks")
    about = "--issue 1 --from engineer --to architect --topic Retries"
    said = {
        f"clarify ask {about} --question -": "How often\ndo we retry?",
        "clarify answer CLR-1-001 - --from architect": "Five times.",
        "clarify ask --follow-up CLR-1-001 --from engineer --question -": "And then?",
        "clarify escalate CLR-1-001 - --from engineer": "Nobody knows.",
        "clarify resolve CLR-1-001 - --as-person": "Give up.",
    }
    for words, piped in said.items():
        code, told = player.agentx(*words.split(), piped=piped)
        assert code == 0, told
    thread = open_clarifications(player.project).find("CLR-1-001").thread
    assert all(text in entry.body for text, entry in zip(said.values(), thread, strict=True))
