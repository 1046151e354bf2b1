"""What tools did: the few lines of their output that tell an outcome.

Of a tool's output nearly everything is noise. What is kept is how it ended: a commit, a
count of tests that passed or failed, the error that stopped it. Nothing is assumed of the
metadata: agent CLIs shape it differently and change it without notice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from agentx.conversation.limits import SUMMARY_TOOL_HEAD_CHARS_MAX, SUMMARY_TOOL_TAIL_CHARS_MAX
from agentx.conversation.model import Event
from agentx.conversation.toc_model import BulletKind
from agentx.kernel.capture import EventType
from agentx.kernel.text import compile_late, compile_needing
from agentx.kernel.values import frozen
from agentx.prose.limits import BULLET_CHARS_MAX, EXCERPT_CHARS_MAX
from agentx.prose.sentences import shorten, show_excerpt, windows

# How agent CLIs hand on what a person said to a tool: instead of letting it run, or as an answer.
_SAID_INSTEAD = compile_late(r"\bthe user said:\s*", re.IGNORECASE)
_ANSWERED = compile_late(r"\"(?P<asked>[^\"\n]{4,400}\?)\"=\"(?P<answer>[^\"\n]{1,300})\"")
_COMMIT = compile_late(r"^\[[\w./ ()-]+ [0-9a-f]{7,40}\] \S.{3,}$", re.MULTILINE)
_PULL_TITLE = compile_late(r"--title[ =](['\"])(.{4,200}?)\1")
_TESTS = compile_late(
    r"^.*?\b(?:\d+ (?:tests? )?(?:passed|failed|passing|failing)\b|Tests?:\s+\d+|test result: \w+"
    r"|\d+ examples?, \d+ failures?|Ran \d+ tests?).*$",
    re.MULTILINE | re.IGNORECASE,
)
# Looked for first: most output counts no tests, and this is cheap.
_COUNTED = compile_needing(
    r"[Pp]ass(?:ed|ing)|[Ff]ail(?:ed|ing|ures)|Tests?:|test result|Ran \d",
    needs=("assed", "assing", "ailed", "ailing", "ailures", "Test", "test result", "Ran "),
)
_NONE_FAILED = compile_late(r"\b0 fail")
_FAILED = compile_needing(
    r"^[ \t]*(?:FAILED\b|FAIL:|--- FAIL|E {2,}\S|(?:[\w.]*(?:Error|Exception|Panic))(?:\[\w+\])?:"
    r"|error(?:\[\w+\]| TS\d+| CS\d+)?:|fatal:|panic:|npm ERR!|Caused by:).*\S.*$",
    re.MULTILINE,
    needs=(
        *("FAIL", "E  ", "Error", "Exception", "Panic", "error", "fatal:", "panic:"),
        *("npm ERR!", "Caused by:"),
    ),
)
_STATUS = ("exit_code", "exitCode", "exit_status", "status_code", "returncode", "return_code")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file")
_WRITERS = compile_late(r"edit|write|patch|create|replace|notebook|insert", re.IGNORECASE)
_DEPTH_MAX = 3
_HEAD = SUMMARY_TOOL_HEAD_CHARS_MAX
_PLAN_HEAD = 200
_EDGES = "=- \t\r"


@frozen(kw_only=False)
class TellingLine:
    """A line of a tool's output that tells something."""

    start: int
    end: int
    text: str
    kind: BulletKind
    weight: int


def findings(event: Event) -> Iterator[TellingLine]:
    """Yield what a tool's output tells: commits, test counts, and what stopped it."""
    text = event.text
    for begin, end in windows(text, SUMMARY_TOOL_HEAD_CHARS_MAX, SUMMARY_TOOL_TAIL_CHARS_MAX):
        if text.find("] ", begin, end) >= 0:
            for found in _COMMIT.finditer(text, begin, end):
                yield _finding(text, found, BulletKind.CHANGE, 72)
        if _COUNTED.search(text, begin, end):
            for found in _TESTS.finditer(text, begin, end):
                broken = "fail" in found[0].lower() and not _NONE_FAILED.search(found[0])
                kind, weight = (BulletKind.PROBLEM, 20) if broken else (BulletKind.OUTCOME, 22)
                yield _finding(text, found, kind, weight)
        for found in _FAILED.finditer(text, begin, end):
            yield _finding(text, found, BulletKind.PROBLEM, 18 if has_failed(event) else 10)


def find_refusal(event: Event) -> int:
    """Return where the words begin that a person said instead of letting a tool run, or -1."""
    if "said:" not in event.text[:_HEAD]:
        return -1
    found = _SAID_INSTEAD.search(event.text, 0, _HEAD)
    return found.end() if found and has_failed(event) else -1


def find_answers(event: Event) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield where a question that was put to a person stands, and where the answer does."""
    if '"="' in event.text[:_HEAD]:
        for found in _ANSWERED.finditer(event.text, 0, _HEAD):
            yield found.span("asked"), found.span("answer")


def name_plans(event: Event) -> Iterator[str]:
    """Yield the headings of plans that were put to a person."""
    given = event.metadata.get("tool_input")
    plan = given.get("plan") if isinstance(given, Mapping) else None
    if event.event_type is EventType.TOOL_CALL and isinstance(plan, str) and plan.strip():
        yield plan.strip()[:_PLAN_HEAD].split("\n", 1)[0].lstrip("# ").strip()


def list_named_changes(event: Event) -> Iterator[str]:
    """Yield how the authors of changes named them: subjects of commits, titles of pull requests."""
    text = event.text
    if event.event_type is EventType.TOOL_CALL:
        if "pr create" in text:
            yield from (found[2] for found in _PULL_TITLE.finditer(text[:EXCERPT_CHARS_MAX]))
    elif event.event_type is EventType.TOOL_RESULT and "] " in text:
        for begin, end in windows(text, SUMMARY_TOOL_HEAD_CHARS_MAX, SUMMARY_TOOL_TAIL_CHARS_MAX):
            for found in _COMMIT.finditer(text, begin, end):
                yield found[0].partition("] ")[2].strip()


def has_changed(event: Event) -> bool:
    """Tell whether a tool wrote a file or a commit."""
    if event.event_type is EventType.TOOL_RESULT:
        return "] " in event.text and _COMMIT.search(event.text, 0, _HEAD) is not None
    return next(list_changed_files(event), None) is not None


def has_failed(event: Event) -> bool:
    """Tell whether a tool said that it failed."""
    return _failure(event.metadata, _DEPTH_MAX) or event.text.startswith("Exit code ")


def list_changed_files(event: Event) -> Iterator[str]:
    """Yield the files that a tool wrote, by their last name."""
    patched = event.metadata.get("files")
    if isinstance(patched, list | tuple):
        yield from (_last_name(path) for path in patched if isinstance(path, str) and path)
    tool = event.metadata.get("tool_name", "")
    given = event.metadata.get("tool_input")
    if isinstance(given, Mapping) and isinstance(tool, str) and _WRITERS.search(tool):
        paths = (given.get(name) for name in _PATHS)
        yield from (_last_name(path) for path in paths if isinstance(path, str) and path)


def _last_name(path: str) -> str:
    return path[-400:].replace("\\", "/").rstrip("/").rsplit("/", 1)[-1].rsplit(" ", 1)[-1]


def _failure(value: object, depth: int) -> bool:
    if not isinstance(value, Mapping) or depth == 0:
        return False
    if value.get("is_error") is True or value.get("isError") is True or value.get("error"):
        return True
    for name in _STATUS:
        status = value.get(name)
        if isinstance(status, int) and status != 0:
            return True
    return any(_failure(inner, depth - 1) for inner in value.values())


def _finding(text: str, found: re.Match[str], kind: BulletKind, weight: int) -> TellingLine:
    piece = found[0]
    start = found.start() + len(piece) - len(piece.lstrip(_EDGES))
    excerpt = text[start : min(found.end(), start + EXCERPT_CHARS_MAX)].rstrip(_EDGES)
    line = shorten(show_excerpt(excerpt), BULLET_CHARS_MAX)
    return TellingLine(start, start + len(excerpt), line, kind, weight)
