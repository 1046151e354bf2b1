"""A call of a tool with its result: a command with how it ended, a file with what changed in it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from agentx.exchanges.rewrites import MarkedLine, Rewrite, list_rewrites
from agentx.exchanges.tools import Use, answers, plan_of, read_path
from agentx.kernel.text import cut, preview, show_name
from agentx.operations.recall.session.part import TakenStep
from agentx.surfaces.page.asked import link_to
from agentx.surfaces.page.markup import Html, Inside, join, tag
from agentx.surfaces.page.pieces import draw_chip
from agentx.surfaces.page.words.code import draw_code, highlight, language_of
from agentx.surfaces.page.words.diffs import count_changes, draw_diff, list_lines
from agentx.surfaces.page.words.drawing import Drawing

_COMMAND_CHARS_MAX = 4_000
_OUTPUT_CHARS_MAX = 4_000
_GIVEN_CHARS_MAX = 2_000
_HEAD_CHARS_MAX = 100
_OPEN_LINES_MAX = 24
_FILES_MAX = 20
_TODOS_MAX = 50
# By which of its arguments a call is known, the most telling first.
_TELLING = (
    "pattern",
    "description",
    "query",
    "url",
    "skill",
    "name",
    "prompt",
    "subject",
    "question",
)

FileLines = list[tuple[Rewrite, tuple[MarkedLine, ...]]]


def draw_step(item: TakenStep, drawing: Drawing) -> Html:
    """Return a step: folded behind what it was, open where it is short or went wrong."""
    step = item.step
    changes = [(each, list_lines(each)) for each in list_rewrites(step)[:_FILES_MAX]]
    is_short = bool(changes) and sum(len(lines) for _, lines in changes) <= _OPEN_LINES_MAX
    return join(
        tag(
            "details",
            tag("summary", *_draw_head(item, changes, drawing)),
            *_draw_inside(item, changes, drawing),
            open=is_short or item.is_wrong,
        ),
        _draw_commit(item, drawing) if item.commit is not None else None,
    )


def _draw_head(item: TakenStep, changes: FileLines, drawing: Drawing) -> Iterator[Inside]:
    named = preview(_name_step(item, changes, drawing)[: 4 * _HEAD_CHARS_MAX], _HEAD_CHARS_MAX)
    yield tag("strong", show_name(item.step.call.tool) or "tool")
    yield " "
    yield tag("code", named) if named else None
    if changes:
        counted = [count_changes(lines) for _, lines in changes]
        added, removed = sum(one for one, _ in counted), sum(two for _, two in counted)
        yield tag("span", f" +{added:,}", class_="good")
        yield tag("span", f" \u2212{removed:,}", class_="bad")
    yield " "
    yield from _draw_end(item)


def _draw_end(item: TakenStep) -> Iterator[Inside]:
    step = item.step
    if step.was_refused:
        yield draw_chip("refused by the user", "open")
    elif step.exit_code is not None and (step.exit_code or step.use is Use.SHELL):
        yield draw_chip(f"exit {step.exit_code}", "error" if step.exit_code else "")
    elif item.is_wrong:
        yield draw_chip("failed", "error")
    elif step.result is None:
        yield draw_chip("no result", "open")


def _name_step(item: TakenStep, changes: FileLines, drawing: Drawing) -> str:
    """Return in a line what a step is about."""
    step = item.step
    if step.command:
        return step.command
    if step.use is Use.PLAN:
        return plan_of(step).partition("\n")[0]
    path = read_path(step.call)
    paths = [path] if path else [each.path for each, _ in changes]
    named = ", ".join(map(drawing.name_file, paths))
    given = step.call.arguments
    looked_for = given.get("pattern") if isinstance(given, Mapping) else None
    if named:
        return f"{looked_for} in {named}" if isinstance(looked_for, str) else named
    if isinstance(given, Mapping):
        told = (given.get(name) for name in _TELLING)
        return next((each for each in told if isinstance(each, str) and each), "")
    return given if isinstance(given, str) else ""


def _draw_inside(item: TakenStep, changes: FileLines, drawing: Drawing) -> Iterator[Inside]:
    step = item.step
    if step.use is Use.PLAN and (plan := plan_of(step)):
        yield drawing.render(plan[:_GIVEN_CHARS_MAX])
    elif step.use is Use.QUESTION and (said := answers(step)):
        yield tag("dl", *(join(tag("dt", asked), tag("dd", told)) for asked, told in said))
    elif changes:
        for rewrite, lines in changes:
            yield _draw_change(rewrite, lines, drawing, is_named=len(changes) > 1)
    elif step.command:
        yield _draw_command(step.command)
    else:
        yield _draw_given(step.call.arguments, step.use, drawing)
    if step.output.strip() and (not changes or item.is_wrong):
        yield _draw_output(item, drawing)


def _draw_change(
    rewrite: Rewrite, lines: tuple[MarkedLine, ...], drawing: Drawing, *, is_named: bool
) -> Html:
    does = f" {rewrite.does}" if rewrite.does else ""
    name = tag("code", drawing.name_file(rewrite.path)) if is_named else None
    return join(tag("p", name, does, class_="file") if name or does else None, draw_diff(lines))


def _draw_command(command: str) -> Html:
    shown = cut(command, _COMMAND_CHARS_MAX)
    return tag("pre", tag("code", highlight(shown, "sh")), class_="command", tabindex="0")


def _draw_given(given: object, use: Use, drawing: Drawing) -> Html | None:
    if not given:
        return None
    if isinstance(given, str):
        return draw_code(cut(given, _GIVEN_CHARS_MAX))
    if isinstance(given, Mapping):
        prompt, todos = given.get("prompt"), given.get("todos")
        if use is Use.DELEGATE and isinstance(prompt, str):
            return drawing.render(prompt[:_GIVEN_CHARS_MAX])
        if isinstance(todos, list):
            return tag("ul", *map(_draw_todo, todos[:_TODOS_MAX]), class_="rows")
    told = json.dumps(given, indent=1, ensure_ascii=False, default=str)
    return draw_code(cut(told, _GIVEN_CHARS_MAX), "json")


def _draw_todo(todo: object) -> Html | None:
    said = todo.get("content") if isinstance(todo, Mapping) else None
    if not isinstance(said, str):
        return None
    done = isinstance(todo, Mapping) and todo.get("status") == "completed"
    return tag("li", "\u2611 " if done else "\u2610 ", preview(said, 2 * _HEAD_CHARS_MAX))


def _draw_output(item: TakenStep, drawing: Drawing) -> Html:
    output = item.step.output
    if item.step.use is Use.DELEGATE:
        return drawing.render(output[:_OUTPUT_CHARS_MAX])
    shown = cut(output.strip("\n"), _OUTPUT_CHARS_MAX)
    language = language_of(read_path(item.step.call)) if not item.is_wrong else ""
    kind = "output error" if item.is_wrong else "output"
    whole = None
    if len(shown) < len(output.strip("\n")) and drawing.links and item.result is not None:
        address = link_to("event", item.result.event_id)
        whole = tag("p", tag("a", f"all {len(output):,} characters", href=address), class_="quiet")
    return join(
        tag("pre", tag("code", highlight(shown, language)), class_=kind, tabindex="0"), whole
    )


def _draw_commit(item: TakenStep, drawing: Drawing) -> Html:
    commit = item.commit
    assert commit is not None, "only a commit is drawn as one"
    hash_ = commit.short
    told: Inside = None
    if hash_:
        is_link = drawing.links
        told = tag("a", hash_, href=link_to("search", q=hash_)) if is_link else tag("code", hash_)
    return tag("p", draw_chip("commit", "decision"), " ", told, " ", commit.subject, class_="made")
