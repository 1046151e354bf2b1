"""Goal: of two who answer at once the second is told what stands, and that theirs does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.kernel.errors import IllegalTransition
from tests.support.clarifying import request, room


def test_who_answers_second_is_told_what_stands(tmp_path: Path) -> None:
    here = room(tmp_path)
    asked = here.ask(request(to=PERSON))
    here.clarifications.answer(asked.id, "NO, never", by=PERSON)
    with pytest.raises(IllegalTransition) as refused:
        here.clarifications.answer(asked.id, "YES", by=PERSON)
    assert "human answered: NO, never" in refused.value.message
    assert "yours is not kept" in refused.value.message
    assert f"agentx clarify resolve {asked.id} TEXT" in refused.value.hint
    # Who says the same has nothing to hear.
    with pytest.raises(IllegalTransition) as refused:
        here.clarifications.answer(asked.id, "NO,  never", by=PERSON)
    assert "yours is not kept" not in refused.value.message
