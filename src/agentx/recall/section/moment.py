"""The moment that things are told of, where the project's day begins."""

from __future__ import annotations

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
        self,
        *,
        group: str,
        text: str,
        doc_id: str,
        at_ms: int,
        source: str,
        tokens: int,
        is_read_later: bool = False,
    ) -> RecallLine:
        """Return one thing with its date and age; what is read later, with its time instead."""
        at = datetime.fromtimestamp(at_ms / 1000, tz=self.zone)
        return RecallLine(
            group=group,
            text=text,
            doc_id=doc_id,
            when=at.strftime("%Y-%m-%d"),
            age=at.strftime("%H:%M") if is_read_later else age(at_ms, now_ms=self.now_ms),
            source=source,
            tokens=tokens,
        )
