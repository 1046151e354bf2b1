"""What a person says of one memory: keep, mend, pin, drop, bring back. Each is asked first."""

from __future__ import annotations

from agentx.daemon.door import prepare_next
from agentx.kernel.errors import NotFound
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.operations.memory.curate import (
    memory_drop,
    memory_edit,
    memory_keep,
    memory_pin,
    memory_undrop,
)
from agentx.operations.memory.read import memory_show
from agentx.surfaces.page.asked import Answer, Away, PageCall, WholePage, link_to
from agentx.surfaces.page.desk import PageDesk
from agentx.surfaces.page.markup import Html, join, tag
from agentx.surfaces.page.pieces import draw_form

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


def draw_question(desk: PageDesk, _asked: PageCall, name: str, verb: str) -> Answer:
    """Ask whether it is meant.

    Raises: NotFound, InvalidValue.
    """
    question, comes = _find_verb(verb)
    one = memory_show(desk.project, name).observation
    form = draw_form(
        link_to("memory", "one", one.id, verb),
        desk.form_word,
        verb.capitalize(),
        _draw_field(verb, one.content),
        kind="danger" if verb == "drop" else "main",
    )
    body = tag(
        "section",
        tag("h1", question),
        tag("blockquote", one.content, class_="words"),
        tag("p", comes),
        join(form, tag("a", "leave it", href=link_to("memory", "one", one.id))),
        class_="card",
    )
    return WholePage(title=question, here="memory", body=body)


def do(desk: PageDesk, asked: PageCall, name: str, verb: str) -> Answer:
    """Do it, as the command does.

    Raises: NotFound, InvalidValue, ConflictError, LockHeld; NotThePerson.
    """
    project = desk.project
    _find_verb(verb)
    match verb:
        case "keep":
            memory_keep(project, name)
        case "pin" | "unpin":
            memory_pin(project, name, pinned=verb == "pin")
        case "edit":
            memory_edit(project, name, asked.form.get("text", ""))
        case "drop":
            memory_drop(project, name, why=asked.form.get("why", ""))
        case _:
            memory_undrop(project, name)
    prepare_next(project)
    return Away(to=link_to("memory", "one", name))


def _find_verb(verb: str) -> tuple[str, str]:
    if verb not in _VERBS:
        raise NotFound(f"{verb}: a memory can be {', '.join(_VERBS)}")
    return _VERBS[verb]


def _draw_field(verb: str, content: str) -> Html | None:
    if verb == "edit":
        field = tag("textarea", content, id="text", name="text", maxlength=OBSERVATION_CHARS_MAX)
        return tag("p", tag("label", "In your words", for_="text"), field)
    if verb == "drop":
        field = tag("input", id="why", name="why", maxlength=300)
        return tag("p", tag("label", "What is wrong with it (for yourself) ", for_="why"), field)
    return None
