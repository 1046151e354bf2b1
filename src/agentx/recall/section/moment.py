"""The moment that things are told of, where the project's day begins."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, tzinfo

from agentx.kernel.clock import Millis, age
from agentx.kernel.values import frozen
from agentx.recall.section.render import RecallLine


@frozen
class Present:
    """The moment that ages are counted from, and where its day begins."""

    now_ms: Millis
    zone: tzinfo

    def line(
        self, *, group: str, text: str, doc_id: str, at_ms: int, source: str, tokens: int
    ) -> RecallLine:
        """Return one thing worth recalling, with its date and its age."""
        dated = self.dated(
            group=group, text=text, doc_id=doc_id, at_ms=at_ms, source=source, tokens=tokens
        )
        return replace(dated, age=age(at_ms, now_ms=self.now_ms))

    def dated(
        self, *, group: str, text: str, doc_id: str, at_ms: int, source: str, tokens: int
    ) -> RecallLine:
        """Return one thing with its date and time, for what is read later than it is written."""
        return RecallLine(
            group=group,
            text=text,
            doc_id=doc_id,
            when=self._written(at_ms, "%Y-%m-%d"),
            age=self._written(at_ms, "%H:%M"),
            source=source,
            tokens=tokens,
        )

    def _written(self, at_ms: int, pattern: str) -> str:
        return datetime.fromtimestamp(at_ms / 1000, tz=self.zone).strftime(pattern)
