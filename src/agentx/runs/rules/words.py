"""What may be said in words: questions to a person, answers, pages of the run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.kernel.errors import IllegalTransition, InvalidValue, NameMoved, NotFound
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX
from agentx.kernel.roles import UNCONFIRMED
from agentx.runs.model import Happening, Run
from agentx.runs.rules.catalogue import name_checked


def _escalation_resolved(run: Run, said: Happening) -> tuple[Happening, ...]:
    name = str(said.detail["escalation"])
    found = run.escalations.get(name)
    if found is None:
        raise NotFound(
            f"{name}: no such escalation in {run.id}", hint="`agentx run show` lists the open ones"
        )
    stands = found.standing
    is_unseen = stands is not None and stands.is_unconfirmed
    confirms = is_unseen and said.detail.get("via") != UNCONFIRMED
    if not (found.open or found.contrary or found.contesting or confirms):
        hint = "a person says what holds at a terminal" if is_unseen else ""
        raise IllegalTransition(f"{name} was resolved already: {found.resolution}", hint=hint)
    _check_short(said, "resolution")
    shown = str(said.detail.get("about", ""))
    if shown and shown != found.digest:
        raise NameMoved(
            f"{name} was another question when you were shown it; it asks now: {found.question!r}",
            hint="`agentx clarify inbox` shows all of it; then answer again",
        )
    # What is said stands for what was seen then: the question, and what others had answered.
    saw = [each.event_id for each in (*found.answers, *found.contesting)]
    detail = {**said.detail, "about": found.digest, **({"saw": saw} if saw else {})}
    return (replace(said, detail=detail),)


def _escalation_raised(run: Run, said: Happening) -> tuple[Happening, ...]:
    del run
    _check_short(said, "question", "needed", "tried", "options")
    return (said,)


def _check_short(said: Happening, *names: str) -> None:
    """See that what a person reads is short enough to be read.

    Raises: InvalidValue.
    """
    for name in names:
        found = said.detail.get(name, "")
        for text in found if isinstance(found, list | tuple) else (found,):
            if len(str(text)) > CLARIFY_TEXT_CHARS_MAX:
                raise InvalidValue(
                    f"the {name} has {len(str(text)):,} characters, "
                    f"{CLARIFY_TEXT_CHARS_MAX:,} are allowed",
                    hint="say it shorter; `agentx run artifact` keeps a long page",
                )


def _artifact_written(run: Run, said: Happening) -> tuple[Happening, ...]:
    name = name_checked(str(said.detail["name"]), "an artifact")
    if name == "task-graph.yaml":
        raise InvalidValue(f"{name} is made from the tasks", hint="use `agentx run task add TITLE`")
    known = run.artifacts.get(name)
    # The same page written again is no news.
    return () if known is not None and known.text == said.detail["text"] else (said,)


WORD_RULES: dict[str, Callable[[Run, Happening], tuple[Happening, ...]]] = {
    "escalation-raised": _escalation_raised,
    "escalation-resolved": _escalation_resolved,
    "artifact-written": _artifact_written,
}
