"""JSON documents that people can read, edited under lock."""

from __future__ import annotations

from pathlib import Path

from agentx.host.documents.document import Document, DocumentFile, Fault, Format
from agentx.host.files import json_text
from agentx.host.files.atomic import PRIVATE_FILE
from agentx.kernel.clock import Clock


def json_file(
    path: Path,
    clock: Clock,
    *,
    owner: str = "agentx",
    mode: int = PRIVATE_FILE,
    conflict_hint: str = "",
) -> DocumentFile:
    """Return the JSON document at a path; `owner` is the name in its lock.

    `conflict_hint` says what to do where git could not merge it: it is then left as it is.
    """
    return DocumentFile(path, JSON, clock, owner=owner, mode=mode, conflict_hint=conflict_hint)


def _parse(raw: bytes) -> Document | Fault:
    try:
        value = json_text.parse_json(raw)
    except ValueError as error:
        return Fault(line=json_text.line_number(raw, error), reason=str(error))
    if not isinstance(value, dict):
        return Fault(line=1, reason="an object was expected")
    return value


JSON = Format(name="JSON", parse=_parse, dump=json_text.page_of)
