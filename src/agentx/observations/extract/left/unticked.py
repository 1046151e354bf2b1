"""What is not ticked off on a list: the agent's own, or one of boxes in its last reply.

    a list of tasks of which some are done, and the last ones are not
    "- [x] changelog"  "- [ ] bump the version"

A list on which nothing was ever ticked off says nothing: its agent did not keep it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import shorten, show_excerpt

ON_THE_LIST = "on the agent's list of tasks"
_OPEN = frozenset({"pending", "in_progress", "in-progress", "todo", "not_started", "open"})
_TICKED = frozenset({"completed", "done", "complete", "finished"})
_TEXTS = ("content", "step", "description", "title", "task", "text")
_BOX = compile_late(
    r"(?m:^[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:(?<=[ \t])\[(?P<tick>[ xX])\]"
    r"|(?P<done>[\u2705\u2611\u2713\u2714]\ufe0f?)"
    r"|[\u2b1c\u2610\u274c\u23f3\U0001f6a7]\ufe0f?)[ \t]+(?P<item>.+)$)"
)
_ITEMS_MAX = 20
_DONE = 0.6
_TASK_CHARS = 80
_BRIEF_CHARS = 40


def list_unticked(found: Sequence[Exchange]) -> Iterator[tuple[Turn, str]]:
    """Yield what is not ticked off on the last list of tasks that an agent kept."""
    last: tuple[Turn, list[tuple[str, str]]] | None = None
    task = ""
    after: list[str] = []
    for exchange in found:
        for step in exchange.steps:
            items = _read_items(step.call.arguments)
            if items and step.result is not None and not step.has_failed:
                last, after = (step.call, items), []
                task = exchange.prompt.text if exchange.prompt is not None else ""
            elif commit := commit_of(step):
                after.append(f"{commit.subject}\n{commit.body}")
        after += [reply.text for reply in exchange.replies if last and reply.at_ms > last[0].at_ms]
    if last is None or not any(status in _TICKED for _, status in last[1]):
        return
    told = terms("\n".join(after))
    for text, status in last[1][-_ITEMS_MAX:]:
        if status in _OPEN and coverage(terms(text), told) < _DONE:
            yield last[0], name_task(text, task)


def name_task(item: str, task: str) -> str:
    """Return an item of a list with the task that the list is for."""
    asked = shorten(" ".join(task.split()), _TASK_CHARS).rstrip(" ?!.")
    return f"{item} ({ON_THE_LIST}{' for: ' if asked else ''}{asked})"


def tell_boxes(items: Sequence[str], task: str) -> str:
    """Return the items of a list of boxes behind what it is for, where that is brief."""
    asked = " ".join(task.split()).rstrip(" ?!.")
    return f"{asked}: {'; '.join(items)}" if 0 < len(asked) <= _BRIEF_CHARS else "; ".join(items)


def read_boxes(text: str) -> tuple[list[str], list[str]]:
    """Return the items of a list of boxes: those that are not ticked, and those that are.

    None of a list that nobody ticked anything on, or all of.
    """
    left, done = _split_boxes(text)
    return (left[:_ITEMS_MAX], done) if left and done else ([], [])


def list_ticked(text: str) -> frozenset[str]:
    """Return the items of lists of boxes that are ticked, and of one with both kinds all: what of
    them is left is told as such a list.
    """
    left, done = _split_boxes(text)
    return frozenset((*left, *done)) if done else frozenset()


def _split_boxes(text: str) -> tuple[list[str], list[str]]:
    """Return the items of lists of boxes that are not ticked, and those that are."""
    left: list[str] = []
    done: list[str] = []
    for match in _BOX.finditer(text):
        is_ticked = match["done"] is not None or match["tick"] in ("x", "X")
        (done if is_ticked else left).append(show_excerpt(match["item"]))
    return left, done


def _read_items(arguments: object) -> list[tuple[str, str]]:
    """Return the tasks that a call writes down, each with how far it is."""
    if not isinstance(arguments, Mapping):
        return []
    for listed in arguments.values():
        rows = (
            [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
        )
        items = [
            (text.strip(), str(row.get("status")).lower())
            for row in rows
            if "status" in row
            for text in [next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), "")]
            if text.strip()
        ]
        if items:
            return items
    return []
