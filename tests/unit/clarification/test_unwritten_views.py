"""Goal: where a view cannot be written it is said what is true: what was said is kept.

Method: a disk that has room for the event and none for the view.
"""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from agentx.clarification.store import ledgers
from agentx.host.files.disk import refusal_of
from agentx.kernel.errors import UnavailableError
from tests.support.clarifying import room


def refuse(path: Path, *_: object, **__: object) -> None:
    raise refusal_of(path, OSError(errno.ENOSPC, "No space left on device"))


def test_an_answer_that_was_kept_is_not_told_as_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = room(tmp_path)
    asked = here.ask()
    with monkeypatch.context() as full:
        full.setattr(ledgers, "replace_file", refuse)
        with pytest.raises(UnavailableError) as refused:
            here.clarifications.answer(asked.id, "No, never")
        assert "nothing was changed" not in refused.value.message
        assert "what was said is kept" in refused.value.message
        assert "do not say it again" in refused.value.hint
        assert "try again" not in refused.value.hint
    assert here.clarifications.find(asked.id).answer == "No, never"

    here.clarifications.resolve(asked.id)
    with monkeypatch.context() as full:
        full.setattr(ledgers, "replace_file", refuse)
        with pytest.raises(UnavailableError) as refused:
            here.clarifications.forget(asked.id)
        assert "nothing was changed" not in refused.value.message
        assert "this file still has" in refused.value.message
    assert here.clarifications.ledger(42).clarifications == ()
