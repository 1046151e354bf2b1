"""What runs taught: what is known, and what they propose, to be taken in or laid aside."""

from __future__ import annotations

from collections.abc import Iterable

from agentx.kernel.errors import InvalidValue, StaleVersion
from agentx.kernel.ids import digest
from agentx.lessons.model import LessonKind, LessonRow
from agentx.operations.lessons.candidates import CandidateRow, accept, list_candidates, reject
from agentx.operations.lessons.known import list_lessons
from agentx.surfaces.page.asked import Answer, Away, PageCall, WholePage
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_chip, draw_form, draw_nothing


def draw_lessons(desk: PageDesk, asked: PageCall) -> Answer:
    """Return what is proposed, then what is known."""
    offered = list_candidates(desk.project) if desk.project.has_runs else ()
    word = "" if offered and desk.find_refusal(asked) else desk.form_word
    known = list_lessons(desk.project, tuple(LessonKind))
    body = join(
        tag("h1", "Lessons"),
        tag(
            "section",
            tag("h2", "Proposed"),
            tag("ul", *(_draw_candidate(each, word) for each in offered), class_="rows")
            if offered
            else draw_nothing("No run proposes anything."),
            class_="card",
        ),
        *(tag("p", each, class_="failure") for each in known.faults),
        tag(
            "section",
            tag("h2", "Known"),
            tag("ul", *_draw_known(known.lessons), class_="rows")
            if known.lessons
            else draw_nothing("Nothing was taken in yet."),
            class_="card",
        ),
    )
    return WholePage(title="Lessons", here="memory", body=body)


def decide(desk: PageDesk, asked: PageCall) -> Answer:
    """Take one in, or lay it aside, as it was shown.

    Raises: NotFound, InvalidValue; NotThePerson; StaleVersion where it is another by now.
    """
    run_id, key, said = (asked.form.get(name, "") for name in ("run", "key", "said"))
    if said not in ("accept", "reject") or not key:
        raise InvalidValue("it is not said what becomes of which lesson")
    offered = list_candidates(desk.project, run_id)
    row = next((each for each in offered if each.key == key), None)
    if row is None:
        raise StaleVersion(f"{key} waits for no word any more", hint="the list has those that do")
    if _sum_up(row) != asked.form.get("shown", ""):
        raise StaleVersion(f"{key} says otherwise than you were shown", hint="look at it again")
    if said == "accept":
        accept(desk.project, run_id, (key,), everything=False)
    else:
        reject(desk.project, run_id, (key,))
    return Away(to="/lessons")


def _sum_up(row: CandidateRow) -> str:
    """Return by what it is known that somebody was shown just this."""
    return digest(row.kind, row.text, row.against, row.known_as).hex()


def _draw_candidate(row: CandidateRow, word: str) -> Html:
    """Return a lesson with what becomes of it, where there is a word for its forms."""
    acts = None
    if word:
        given = {"run": row.run_id, "key": row.key, "shown": _sum_up(row)}
        acts = join(
            draw_form("/lessons", word, "Take in", kind="main", said="accept", **given),
            draw_form("/lessons", word, "Lay aside", said="reject", **given),
        )
    return tag(
        "li",
        draw_chip(row.kind),
        draw_chip("proven") if row.is_proven else None,
        " ",
        tag("span", row.text, class_="words"),
        tag("em", row.against, class_="against") if row.against else None,
        tag("p", f"known already as {row.known_as}") if row.known_as else None,
        tag("p", f"run {row.run_id}, {row.confidence.lower()}", class_="quiet"),
        tag("ul", *(tag("li", each) for each in row.evidence), class_="quiet"),
        acts,
    )


def _draw_known(rows: Iterable[LessonRow]) -> Iterable[Html]:
    for row in rows:
        yield tag(
            "li",
            draw_chip(row.id),
            draw_chip(row.confidence.lower()),
            draw_chip(row.status.lower()) if row.status else None,
            " ",
            tag("span", row.text, class_="words"),
            tag("em", row.against, class_="against") if row.against else None,
            tag("p", ", ".join(filter(None, (row.area, *row.files))), class_="quiet"),
        )
