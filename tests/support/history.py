"""Histories of any length: the bundled sample told again and again, and generated sessions."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count, islice
from pathlib import Path

from agentx.adapters.homes import Homes
from agentx.adapters.registry import ADAPTERS
from agentx.demo import sample
from agentx.kernel.capture import Draft
from agentx.kernel.clock import DAY_MS, Millis

PROJECT = Path("/home/dev/tidebook")
PERIOD_MS = 21 * DAY_MS  # the sample tells three weeks


@cache
def imported_sample() -> tuple[Draft, ...]:
    """Return the sample as its transcripts on disk tell it, by way of the adapters."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        for path, text in sample.transcript_files(PROJECT):
            target = home / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        homes = Homes(
            home=home,
            claude_code=home / ".claude",
            codex=home / ".codex",
            gemini=home / ".gemini",
            opencode_config=home / ".config" / "opencode",
            opencode_db=home / "opencode.db",
            copilot=home / ".copilot",
        )
        read = [
            draft
            for adapter in ADAPTERS.values()
            for transcript in adapter.discover(homes)
            for draft in adapter.read(transcript)
            if isinstance(draft, Draft)
        ]
    return tuple(sorted(read, key=lambda draft: draft.timestamp_ms))


def repeated_sample(size: int) -> Iterator[Draft]:
    """Yield so many events of the sample, each time three weeks earlier in other sessions."""

    def told(times: int) -> Iterator[Draft]:
        for draft in imported_sample():
            yield replace(
                draft,
                session_id=f"{draft.session_id}-{times}",
                timestamp_ms=Millis(draft.timestamp_ms - times * PERIOD_MS),
            )

    return islice((draft for times in count() for draft in told(times)), size)
