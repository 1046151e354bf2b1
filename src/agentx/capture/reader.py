"""Reads transcripts in a process of its own: what takes longest of an import, beside the rest.

    whoever imports --a line a transcript--> here --frames of clean drafts--> whoever imports

It reads files and says what they hold, and writes nothing. It ends when nobody listens.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from agentx.adapters.port import Damaged, Transcript
from agentx.adapters.registry import ADAPTERS
from agentx.capture.limits import FRAME_CHARS_MAX
from agentx.conversation.cleaning import clean
from agentx.host.beside import answer_jobs
from agentx.kernel.capture import CleanDraft, Harness
from agentx.kernel.clock import Millis
from agentx.kernel.limits import APPEND_BATCH_EVENTS_MAX


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript to read."""

    harness: str
    path: str
    size_bytes: int
    modified_ms: int
    working_directory: str
    session_id: str
    now_ms: int  # of whoever imports: what is later cannot have been

    @classmethod
    def of(cls, transcript: Transcript, now_ms: Millis) -> Job:
        """Return the job to read a transcript."""
        return cls(
            harness=transcript.harness.value,
            path=str(transcript.path),
            size_bytes=transcript.size_bytes,
            modified_ms=transcript.modified_ms,
            working_directory=transcript.working_directory,
            session_id=transcript.session_id,
            now_ms=now_ms,
        )

    def transcript(self) -> Transcript:
        """Return the transcript."""
        return Transcript(
            harness=Harness(self.harness),
            path=Path(self.path),
            size_bytes=self.size_bytes,
            modified_ms=Millis(self.modified_ms),
            working_directory=self.working_directory,
            session_id=self.session_id,
        )


class DamagedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line that could not be read."""

    line: int
    reason: str


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """Some of what a transcript holds."""

    drafts: list[CleanDraft] = []
    damaged: list[DamagedLine] = []
    is_last: bool = False
    has_failed: bool = False  # whoever imports reads this one


def main() -> None:
    """Read what is asked for, until nobody asks any more."""
    answer_jobs(_answer)


def _answer(line: bytes) -> Iterator[bytes]:
    job = msgspec.json.decode(line, type=Job)
    try:
        for frame in read_frames(job):
            yield msgspec.msgpack.encode(frame)
    except Exception:  # noqa: BLE001  it is read again by who can say what is wrong
        yield msgspec.msgpack.encode(Frame(is_last=True, has_failed=True))


def read_frames(job: Job) -> Iterator[Frame]:
    """Yield what a transcript holds, clean, in frames of bounded size."""
    transcript, now_ms = job.transcript(), Millis(job.now_ms)
    drafts: list[CleanDraft] = []
    damaged: list[DamagedLine] = []
    size = 0
    for item in ADAPTERS[transcript.harness].read(transcript):
        if isinstance(item, Damaged):
            damaged.append(DamagedLine(line=item.line, reason=item.reason))
            continue
        drafts.append(clean(item, now_ms=now_ms))
        size += len(item.text)
        if size >= FRAME_CHARS_MAX or len(drafts) == APPEND_BATCH_EVENTS_MAX:
            yield Frame(drafts=drafts, damaged=damaged)
            drafts, damaged, size = [], [], 0
    yield Frame(drafts=drafts, damaged=damaged, is_last=True)


if __name__ == "__main__":
    main()
