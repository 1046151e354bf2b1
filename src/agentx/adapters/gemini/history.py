"""One Gemini CLI session as its file tells it: the messages in order, each once.

A file of lines is a header, messages, and edits of both:

    {"sessionId", "startTime", ...}     a header; a second one means that the session went on
    {"id", "type", "content", ...}      a message; the same id again adds to it
    {"$set": {"messages": [...], ...}}  the list of messages as the model now sees it
    {"$rewindTo": id}                   the user took this message and all later ones back

A resumed session sets a list that lacks prompts and the results of tools. What was said
stays said: such a list adds and completes, it takes nothing away, and the first time that
a message had is the right one. Older files are one JSON object with a list of messages.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentx.adapters.limits import TRANSCRIPT_LINE_BYTES_MAX
from agentx.adapters.lines import json_lines
from agentx.adapters.port import Damaged
from agentx.adapters.shapes import child, objects, word

RESUMED = "resumed"

_EMPTY: tuple[object, ...] = (None, "", [], {})


@dataclass(slots=True)
class History:
    """A session's header, and its messages by id in the order they came.

    A session that went on has an item of type `RESUMED` where it did.
    """

    header: dict[str, Any] = field(default_factory=dict)
    messages: dict[str, dict[str, Any]] = field(default_factory=dict)
    strange: list[tuple[int, dict[str, Any]]] = field(default_factory=list)

    def take(self, number: int, line: dict[str, Any]) -> None:
        """Let one line of the file count."""
        if isinstance(line.get("$rewindTo"), str):
            self._rewind(line["$rewindTo"])
        elif "$set" in line:
            changes = child(line, "$set")
            self.header |= {key: value for key, value in changes.items() if key != "messages"}
            self._add(changes.get("messages"))
        elif word(line, "id") and word(line, "type"):
            self._add([line])
        elif word(line, "sessionId"):
            self._begin(line)
        else:
            self.strange.append((number, line))

    def _begin(self, header: dict[str, Any]) -> None:
        if self.header:
            at = word(header, "startTime")
            self.messages[f"{RESUMED}:{at}"] = {"type": RESUMED, "id": at, "timestamp": at}
        else:
            self.header = {key: value for key, value in header.items() if key != "messages"}
        self._add(header.get("messages"))

    def _add(self, messages: object) -> None:
        for message in objects(messages):
            name = word(message, "id")
            if not name:
                continue
            earlier = self.messages.get(name, {})
            news = {key: value for key, value in message.items() if value not in _EMPTY}
            # The time at which it was first said stays.
            if earlier:
                news.pop("timestamp", None)
            self.messages[name] = earlier | news

    def _rewind(self, name: str) -> None:
        names = list(self.messages)
        if name in names:
            for gone in names[names.index(name) :]:
                del self.messages[gone]


def history(path: Path) -> Iterator[Damaged | History]:
    """Yield what is damaged in a session's file, and at the end the session."""
    found = History()
    if path.suffix == ".json":
        yield from _whole(path, found)
    else:
        for line in json_lines(path):
            if isinstance(line, Damaged):
                yield line
            else:
                found.take(*line)
    yield found


def _whole(path: Path, found: History) -> Iterator[Damaged]:
    try:
        with path.open("rb") as stream:
            raw = stream.read(TRANSCRIPT_LINE_BYTES_MAX + 1)
        if len(raw) > TRANSCRIPT_LINE_BYTES_MAX:
            yield Damaged(
                path=path, line=1, reason=f"longer than {TRANSCRIPT_LINE_BYTES_MAX} bytes"
            )
            return
        record = json.loads(raw.decode("utf-8", "replace"))
    except (OSError, ValueError, RecursionError) as failure:
        yield Damaged(path=path, line=1, reason=f"cannot be read: {failure}")
        return
    if not isinstance(record, dict):
        yield Damaged(path=path, line=1, reason="not a JSON object")
        return
    found.take(1, record)
