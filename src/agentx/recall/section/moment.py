"""The moment that things are told of, where the project's day begins.

What is prepared to be printed later holds times instead of ages (`kernel.places`).
"""

from __future__ import annotations

from datetime import datetime, tzinfo

from agentx.kernel.clock import Millis, age
from agentx.kernel.places import stamp_time
from agentx.kernel.values import frozen
from agentx.recall.section.render import RecallLine


@frozen
class Present:
    """The moment that ages are counted from, and where its day begins."""

    now_ms: Millis
    zone: tzinfo
    is_prepared: bool = False  # for later: times stand where ages will

    def line(
        self,
        *,
        group: str,
        text: str,
        doc_id: str,
        at_ms: int,
        source: str,
        tokens: int,
        is_of_now: bool = False,
        score: float | None = None,
    ) -> RecallLine:
        """Return one thing with its date and age; what is so at this moment has none."""
        said = stamp_time(at_ms) if self.is_prepared else age(at_ms, now_ms=self.now_ms)
        at = datetime.fromtimestamp(at_ms / 1000, tz=self.zone)
        return RecallLine(
            group=group,
            text=text,
            doc_id=doc_id,
            when=at.strftime("%Y-%m-%d"),
            age="" if is_of_now else said,
            source=source,
            tokens=tokens,
            score=score if score is None else round(score, 3),
        )
