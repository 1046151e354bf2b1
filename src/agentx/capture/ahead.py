"""Transcripts, read ahead by another process while this one keeps what they hold.

Whatever becomes of that process, nothing is lost: a transcript that it did not read to its end
is read here, and identity keeps what came before from coming twice.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from threading import Condition, Thread
from types import TracebackType
from typing import Self

import msgspec

from agentx.adapters.port import Adapter, Damaged, Transcript
from agentx.capture.limits import AHEAD_BYTES_MAX, AHEAD_WORTH_BYTES
from agentx.capture.reader import Frame, Job
from agentx.host.beside import Beside
from agentx.kernel.capture import Draft
from agentx.kernel.clock import Millis


class ReadAhead:
    """What transcripts hold, in the order in which they were named."""

    def __init__(self, transcripts: Sequence[Transcript], now_ms: Millis) -> None:
        self._jobs = [Job.of(transcript, now_ms) for transcript in transcripts]
        self._process: Beside | None = None
        self._frames: deque[bytes] = deque()
        self._held_bytes = 0
        self._is_over = False
        self._changed = Condition()

    def __enter__(self) -> Self:
        # A process that is not worth its start is not started.
        if sum(job.size_bytes for job in self._jobs) >= AHEAD_WORTH_BYTES:
            with suppress(OSError):
                self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop()

    def read(self, adapter: Adapter, transcript: Transcript) -> Iterator[Draft | Damaged]:
        """Yield what the next transcript holds."""
        while self._process is not None:
            frame = self._next()
            if frame is None or frame.has_failed:
                if frame is None:
                    self._stop()
                break
            yield from frame.drafts
            for line in frame.damaged:
                yield Damaged(path=transcript.path, line=line.line, reason=line.reason)
            if frame.is_last:
                return
        yield from adapter.read(transcript)

    def _start(self) -> None:
        self._process = Beside("agentx.capture.reader")
        for work in (self._ask, self._listen):
            Thread(target=work, args=(self._process,), name="agentx-ahead", daemon=True).start()

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        process.end()

    def _ask(self, process: Beside) -> None:
        process.ask(map(msgspec.json.encode, self._jobs))

    def _listen(self, process: Beside) -> None:
        for data in process.answers():
            with self._changed:
                self._changed.wait_for(self._has_room)
                self._frames.append(data)
                self._held_bytes += len(data)
                self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()

    def _has_room(self) -> bool:
        return self._is_over or self._held_bytes < AHEAD_BYTES_MAX

    def _next(self) -> Frame | None:
        """Return the next frame; None when there will be none."""
        with self._changed:
            self._changed.wait_for(lambda: self._frames or self._is_over)
            if not self._frames:
                return None
            data = self._frames.popleft()
            self._held_bytes -= len(data)
            self._changed.notify_all()
        try:
            return msgspec.msgpack.decode(data, type=Frame)
        except msgspec.MsgspecError:
            return None
