"""What a person says of one memory: keep, mend, pin, drop, bring back. Each is asked first."""

from __future__ import annotations

from collections.abc import Mapping

from agentx.daemon.door import prepare_next
from agentx.kernel.errors import AgentXError, NotFound
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.operations.memory.curate import (
    memory_drop,
    memory_edit,
    memory_keep,
    memory_pin,
    memory_undrop,
)
from agentx.operations.memory.read import Shown, memory_show
from agentx.operations.memory.shown import check_shown, sum_up_shown
from agentx.project.project import Project
from agentx.surfaces.page.asked import (
    Answer,
    Away,
    PageCall,
    WholePage,
    find_status,
    link_to,
)
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_form, draw_refused, draw_written

# What is asked, and what comes of it.
_VERBS = {
    "keep": ("Keep this memory?", "It counts as looked at: a review does not show it again."),
    "pin": ("Pin this memory?", "Every session is told it at its start; it never fades."),
    "unpin": ("Unpin this memory?", "It is weighed like all others again."),
    "edit": ("Say this memory better", "Your words take its place; where it is known from stays."),
    "drop": (
        "Drop this memory?",
        "Nobody is told it any more, and its like is not kept again. It can be brought back.",
    ),
    "undrop": ("Bring this memory back?", "It is told again, and its like is kept again."),
}


def list_verbs(shown: Shown) -> tuple[str, ...]:
    """Return what can be said of a memory as it is."""
    one = shown.observation
    if shown.archived:
        return ("undrop",) if shown.dropped else ()
    verbs = ("unpin" if one.pinned else "pin", "edit", "drop")
    return verbs if one.reviewed else ("keep", *verbs)


def draw_question(desk: PageDesk, asked: PageCall, name: str, verb: str) -> Answer:
    """Ask whether it is meant.

    Raises: NotFound, InvalidValue.
    """
    _find_verb(verb)
    return _draw(desk, asked, memory_show(desk.project, name), verb)


def do(desk: PageDesk, asked: PageCall, name: str, verb: str) -> Answer:
    """Do it as the command does, to what was shown; else it is asked anew, of what is there now.

    Raises: NotFound, InvalidValue; NotThePerson.
    """
    _find_verb(verb)
    with desk.deciding:
        shown = memory_show(desk.project, name)
        try:
            check_shown(shown, asked.form.get("shown", ""))
            _change(desk.project, name, verb, asked.form)
        except AgentXError as error:
            return _draw(desk, asked, shown, verb, error)
    prepare_next(desk.project)
    return Away(to=link_to("memory", "one", name))


def _change(project: Project, name: str, verb: str, said: Mapping[str, str]) -> None:
    match verb:
        case "keep":
            memory_keep(project, name)
        case "pin" | "unpin":
            memory_pin(project, name, pinned=verb == "pin")
        case "edit":
            memory_edit(project, name, said.get("text", ""))
        case "drop":
            memory_drop(project, name, why=said.get("why", ""))
        case _:
            memory_undrop(project, name)


def _find_verb(verb: str) -> tuple[str, str]:
    if verb not in _VERBS:
        raise NotFound(f"{verb}: a memory can be {', '.join(_VERBS)}")
    return _VERBS[verb]


def _draw(
    desk: PageDesk, asked: PageCall, shown: Shown, verb: str, error: AgentXError | None = None
) -> WholePage:
    """Return the question, with what somebody has written already; what is done is not asked."""
    said, refusal = asked.form, desk.find_refusal(asked)
    question, comes = _find_verb(verb)
    one = shown.observation
    address = link_to("memory", "one", one.id)
    if refusal:
        rest = tag("p", refusal, class_="against")
    elif verb in list_verbs(shown):
        form = draw_form(
            f"{address}/{verb}",
            desk.form_word,
            verb.capitalize(),
            _draw_field(verb, one.content, said),
            kind="danger" if verb == "drop" else "main",
            shown=sum_up_shown(shown),
        )
        rest = join(tag("p", comes), form, tag("a", "leave it", href=address))
    else:
        rest = join(
            tag("p", "That is done already, or it is no more to be done.", class_="quiet"),
            draw_written(asked.written),
            tag("a", "this memory as it is now", href=address),
        )
    body = tag(
        "section",
        draw_refused(error),
        tag("h1", question),
        tag("blockquote", one.content, class_="words"),
        rest,
        class_="card",
    )
    return WholePage(title=question, here="memory", body=body, status=find_status(error))


def _draw_field(verb: str, content: str, said: Mapping[str, str]) -> Html | None:
    if verb == "edit":
        text = said.get("text", content)
        field = tag("textarea", text, id="text", name="text", maxlength=OBSERVATION_CHARS_MAX)
        return tag("p", tag("label", "In your words", for_="text"), field)
    if verb == "drop":
        field = tag("input", id="why", name="why", value=said.get("why") or None, maxlength=300)
        return tag("p", tag("label", "What is wrong with it (for yourself) ", for_="why"), field)
    return None
