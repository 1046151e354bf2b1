"""Long-term memory as pages that people read and edit, and what a page says when read back.

    patterns/code-patterns.yaml  error-patterns.yaml  solution-patterns.yaml
    tech-debt/tech-debt-registry.yaml
    metrics/run-metrics.yaml
    learnings/area-learnings/<area>.yaml
    decisions/ADR-0001-<slug>.md

Law: reading a page that was just written gives the lessons it was written from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agentx.kernel.clock import to_iso
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import SAID_FOR_PERSON, UNVERIFIED
from agentx.lessons.confidence import judge
from agentx.lessons.fold import canonical, word
from agentx.lessons.model import (
    Confidence,
    Content,
    Lesson,
    LessonKind,
    LessonStatus,
    LongTerm,
    Measure,
    Priority,
    texts,
)
from agentx.lessons.names import EVERYWHERE, one_line, slug
from agentx.lessons.paths import LtmPaths

_PLACES = LtmPaths()
PATTERN_PAGES = {
    LessonKind.CODE: _PLACES.code_patterns,
    LessonKind.ERROR: _PLACES.error_patterns,
    LessonKind.SOLUTION: _PLACES.solution_patterns,
}

_DEBT_STATUS = {LessonStatus.ACTIVE: "OPEN", LessonStatus.RESOLVED: "RESOLVED"}

Document = dict[str, Any]


@frozen
class PageEntry:
    """A lesson as a page has it. One without a uid was added by a person."""

    uid: str
    kind: LessonKind
    content: Content
    confidence: Confidence | None
    status: LessonStatus


def documents(known: LongTerm) -> dict[Path, Document]:
    """Return the YAML pages by their place below `ltm/`; a page with nothing on it is not there."""
    made: dict[Path, Document] = {}
    for kind, path in PATTERN_PAGES.items():
        made[path] = {"patterns": [_pattern(lesson) for lesson in known.of_kind(kind)]}
    made[_PLACES.debt] = {"tech_debt": [_debt(lesson) for lesson in known.of_kind(LessonKind.DEBT)]}
    for lesson in known.of_kind(LessonKind.LEARNING):
        area = lesson.content.area
        page = made.setdefault(area_page(area), {"area": area, "learnings": []})
        page["learnings"].append(_learning(lesson))
    if known.measures:
        made[_PLACES.metrics] = _metrics(known)
    return {
        path: page
        for path, page in made.items()
        if any(isinstance(v, list) and v for v in page.values())
    }


def page_of(lesson: Lesson) -> Path:
    """Return the page a lesson stands on."""
    if lesson.kind is LessonKind.DECISION:
        return decision_path(lesson)
    if lesson.kind is LessonKind.LEARNING:
        return area_page(lesson.content.area)
    return PATTERN_PAGES.get(lesson.kind, _PLACES.debt)


def name_status(lesson: Lesson) -> str:
    """Return how a lesson stands, as it is shown."""
    is_claim = lesson.is_unverified and lesson.is_active
    return UNVERIFIED.upper() if is_claim else str(lesson.status)


def area_page(area: str) -> Path:
    """Return where the learnings of an area stand."""
    return _PLACES.learnings / f"{slug(area)}.yaml"


def entries(path: Path, page: Document) -> Iterator[PageEntry]:
    """Yield the lessons a YAML page has, those that say nothing too.

    Raises: ValueError saying which entry is none.
    """
    for kind, place in PATTERN_PAGES.items():
        if path == place:
            yield from (_entry(kind, one) for one in _rows(page, "patterns"))
    if path == _PLACES.debt:
        yield from (_entry(LessonKind.DEBT, one) for one in _rows(page, "tech_debt"))
    if path.parent == _PLACES.learnings:
        area = page.get("area") or EVERYWHERE
        for one in _rows(page, "learnings"):
            yield _entry(LessonKind.LEARNING, {"area": area, **one})


def _rows(page: Document, name: str) -> Iterator[Mapping[str, Any]]:
    rows = page.get(name) or []
    if not isinstance(rows, list):
        raise ValueError(f"`{name}` must be a list")  # noqa: TRY004  about a file, not a type
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise ValueError(f"entry {number} of `{name}` must have fields")  # noqa: TRY004  as above
        yield row


def _entry(kind: LessonKind, row: Mapping[str, Any]) -> PageEntry:
    location = row.get("location")
    place = location if isinstance(location, Mapping) else {}
    line = place.get("line", 0)
    file = place.get("file", "")
    content = Content(
        name=str(row.get("name") or ""),
        text=str(row.get("description") or row.get("learning") or ""),
        context=str(row.get("context") or ""),
        area=str(row.get("area") or ""),
        files=(str(file),) if file else texts(row.get("example_files") or ()),
        line=line if isinstance(line, int) else 0,
        priority=word(Priority, row.get("priority"), Priority.MEDIUM),
    )
    confidence = row.get("confidence")
    return PageEntry(
        uid=str(row.get("uid") or ""),
        kind=kind,
        content=canonical(kind, content),
        confidence=word(Confidence, confidence, Confidence.LOW) if confidence else None,
        status=_status(str(row.get("status") or "")),
    )


def _status(said: str) -> LessonStatus:
    return {
        "RESOLVED": LessonStatus.RESOLVED,
        "CLOSED": LessonStatus.RESOLVED,
        "RETIRED": LessonStatus.RETIRED,
        "DEPRECATED": LessonStatus.RETIRED,
        "SUPERSEDED": LessonStatus.RETIRED,
        "REJECTED": LessonStatus.RETIRED,
    }.get(said.strip().upper(), LessonStatus.ACTIVE)


def _pattern(lesson: Lesson) -> Document:
    content = lesson.content
    return {
        **_fill(
            id=lesson.id,
            name=content.name,
            context=content.context,
            area=content.area,
            description=content.text,
        ),
        **_tell_origin(lesson),
    }


def _debt(lesson: Lesson) -> Document:
    content = lesson.content
    location = _fill(file=content.files[0] if content.files else "", line=content.line)
    return _fill(
        id=lesson.id,
        description=content.text,
        context=content.context,
        area=content.area,
        location=location,
        priority=str(content.priority),
        created_at=to_iso(lesson.created_ms),
        source_run=lesson.learned_from[0] if lesson.learned_from else "",
        status=_DEBT_STATUS.get(lesson.status, str(lesson.status)),
        uid=lesson.uid,
    )


def _learning(lesson: Lesson) -> Document:
    content = lesson.content
    return {
        **_fill(id=lesson.id, learning=content.text, context=content.context),
        **_tell_origin(lesson),
    }


def _doubt(lesson: Lesson) -> str:
    """Return that nobody saw a person say it, in these words."""
    return SAID_FOR_PERSON if lesson.is_unconfirmed and not lesson.is_reworded else ""


def _tell_origin(lesson: Lesson) -> Document:
    """Return where a lesson comes from and how far it holds, as patterns and learnings say it."""
    return _fill(
        example_files=list(lesson.content.files),
        learned_from=list(lesson.learned_from),
        contradicted_by=list(lesson.contradicted_by),
        evidence=list(lesson.evidence),
        confidence=str(judge(lesson)),
        status=name_status(lesson) if lesson.is_unverified or not lesson.is_active else "",
        doubt=_doubt(lesson),
        uid=lesson.uid,
    )


def _metrics(known: LongTerm) -> Document:
    measures = sorted(known.measures.values(), key=lambda one: (one.completed_ms, one.run_id))
    return {"runs": [_measure(one) for one in measures], "summary": summary(measures)}


def _measure(one: Measure) -> Document:
    return {
        "run_id": one.run_id,
        "completed_at": to_iso(one.completed_ms),
        "duration_minutes": one.duration_minutes,
        "tasks_completed": one.tasks_completed,
        "tasks_failed": one.tasks_failed,
        "escalations": one.escalations,
        "files_changed": one.files_changed,
        "lines_added": one.lines_added,
        "lines_removed": one.lines_removed,
        "verification_status": one.verification_status,
        "outcome": one.outcome,
    }


def summary(measures: list[Measure]) -> Document:
    """Return what all runs come to."""
    count = len(measures)
    tasks = sum(one.tasks_completed + one.tasks_failed for one in measures)
    failed = sum(one.outcome == "FAILED" for one in measures)
    return {
        "total_runs": count,
        "successful_runs": count - failed,
        "failed_runs": failed,
        "average_duration_minutes": _mean(sum(one.duration_minutes for one in measures), count),
        "average_tasks_per_run": _mean(tasks, count),
    }


def _mean(total: int, count: int) -> int:
    return round(total / count) if count else 0


def _fill(**fields: object) -> Document:
    return {name: value for name, value in fields.items() if value not in ("", [], {}, 0)}


# --- decisions ------------------------------------------------------------------------------

_HEADING = compile_late(r"^## (.+?)\s*$", re.MULTILINE)
_TITLE = compile_late(r"^# (?:ADR-\d+: )?(.+?)\s*$", re.MULTILINE)
_UID = compile_late(r"^- Lesson: (\S+)$", re.MULTILINE)
_AREA = compile_late(r"^- Area: (.+)$", re.MULTILINE)
_CONFIDENCE = compile_late(r"^- Confidence: (\w+)$", re.MULTILINE)
_HASH = compile_late(r"^(\\*)#", re.MULTILINE)
_ESCAPED_HASH = compile_late(r"^\\(\\*)#", re.MULTILINE)


def decision_path(lesson: Lesson) -> Path:
    """Return where a decision stands."""
    return _PLACES.decisions / f"{lesson.id}-{slug(lesson.content.name)}.md"


def decision_text(lesson: Lesson) -> str:
    """Return a decision as a page."""
    content = lesson.content
    consequences = "\n".join(f"- {one}" for one in content.consequences) or "None recorded."
    source = [f"- Run: {run}" for run in lesson.learned_from]
    source.append(f"- Extracted: {to_iso(lesson.created_ms)}")
    source += [f"- Contradicted by: {run}" for run in lesson.contradicted_by]
    source += [f"- Evidence: {one_line(one)}" for one in lesson.evidence]
    if content.area:
        source.append(f"- Area: {content.area}")
    source += [f"- Confidence: {judge(lesson)}", f"- Lesson: {lesson.uid}"]
    status = {LessonStatus.ACTIVE: "Accepted"}.get(lesson.status, "Retired")
    if lesson.is_unverified and lesson.is_active:
        status = "Unverified"
    if doubt := _doubt(lesson):
        status = f"{status} ({doubt})"
    parts = (
        f"# {lesson.id}: {content.name}",
        f"## Status\n\n{status}",
        f"## Context\n\n{_guard(content.context) or 'Not recorded.'}",
        f"## Decision\n\n{_guard(content.text)}",
        f"## Consequences\n\n{consequences}",
        "## Source\n\n" + "\n".join(source),
    )
    return "\n\n".join(parts) + "\n"


def decision_entry(text: str) -> PageEntry:
    """Read a decision.

    Raises: ValueError when there is no title or nothing was decided.
    """
    title = _TITLE.search(text)
    sections: dict[str, str] = {}
    pieces = _HEADING.split(text)
    for name, body in zip(pieces[1::2], pieces[2::2], strict=True):
        sections[name.strip().lower()] = body.strip()
    decided = _unguard(sections.get("decision", ""))
    if title is None or not decided:
        raise ValueError("a decision needs a title (`# ADR-0001: ...`) and a `## Decision`")
    source = sections.get("source", "")
    context = _unguard(sections.get("context", ""))
    confidence = _CONFIDENCE.search(source)
    area = _AREA.search(source)
    uid = _UID.search(source)
    content = Content(
        name=title[1],
        text=decided,
        context="" if context == "Not recorded." else context,
        area=area[1] if area else "",
        consequences=tuple(
            line[2:].strip()
            for line in sections.get("consequences", "").splitlines()
            if line.startswith("- ")
        ),
    )
    return PageEntry(
        uid=uid[1] if uid else "",
        kind=LessonKind.DECISION,
        content=canonical(LessonKind.DECISION, content),
        confidence=word(Confidence, confidence[1], Confidence.LOW) if confidence else None,
        status=_status(sections.get("status", "")),
    )


def _guard(text: str) -> str:
    """Keep a line of ours from being read as a heading."""
    return _HASH.sub(r"\\\1#", text)


def _unguard(text: str) -> str:
    return _ESCAPED_HASH.sub(r"\1#", text)
