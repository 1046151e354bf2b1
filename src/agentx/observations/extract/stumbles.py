"""Commands that do not work here, each with the one that does.

A stumble is small, and the next session stumbles over the same stone: a tool that has no
such option, a wrapper that knows no such command. A check that failed is none: there the
command was right, and the code was not.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.exchanges.commands import only_looks, went_wrong
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.tools import ToolStep, Use
from agentx.kernel.text import compile_late
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.sentences import shorten

_SOON = 6  # steps within which the right command follows
_ALIKE = 0.5
_COMMANDS_CHARS = 210  # both, with what was wrong: the rest of a line is between them
_OUTPUT_CHARS = 4_000  # a program says at once that it does not understand
_LINE_CHARS = 300
_ERROR_CHARS = 90
_WORD = compile_late(r"[\w:./@]+[\w:./@-]*")
_PART = compile_late(r"[^\W\d_]+")
_JOINTS = compile_late(r"&&|\|\||[;|\n]")
_BESIDE = ("cd", "echo", "printf")  # what they are told says nothing of what is done
_PARTS_MIN, _PART_CHARS_MIN = 2, 4
# A program that was called in a way it does not know.
_MISCALLED = cues.anywhere(
    r"""(?:unrecogni[sz]ed|unknown|invalid|unexpected|illegal|unsupported|missing|extra|undefined)"""
    r""" (?:\w+ ){0,2}(?:sub-?command|command|option|flag|switch|argument|parameter|script|task)s?
    command not found | not found in PATH | is not recogni[sz]ed as | no such (?:option|command)
    did you mean | mutually exclusive | none of the others can be | no rule to make target
    (?:is )?not an? (?:\w+ )?(?:command|option|task|subcommand) | (?:script|task) not found
    requires? (?:an?|exactly|at least) (?:\w+ ){0,2}arguments? | flag provided but not defined
    No module named | has no (?:command|option|subcommand) | no matches found
    could not determine executable
    """
)
# Streams and pipes say nothing about what was run.
_STREAMS = compile_late(r"\s+(?:\d?>&\d|\d?>\s*/dev/null)|\s*\|\s*(?:tail|head)\b[^|]*")


def stumbles(found: list[Exchange]) -> Iterator[Finding]:
    """Yield the commands that failed and what was run in their place."""
    for exchange in found:
        steps = exchange.steps
        for index, step in enumerate(steps):
            if step.use is not Use.SHELL or not _may_have_failed(step):
                continue
            error = _find_miscall(step.output)
            if not error:
                continue
            worked = _find_worked(step, steps[index + 1 : index + 1 + _SOON])
            if worked is not None:
                yield _finding(step, error, worked)


def _may_have_failed(step: ToolStep) -> bool:
    """Tell whether a command was perhaps not understood: also one that only looks at things."""
    return step.has_failed or went_wrong(step)


def _find_miscall(output: str) -> str:
    """Return the line that says that a command was not understood."""
    lines = (" ".join(line.split()) for line in output[:_OUTPUT_CHARS].split("\n"))
    return next((line for line in lines if _MISCALLED.search(line[:_LINE_CHARS])), "")


def _find_worked(failed: ToolStep, later: list[ToolStep]) -> ToolStep | None:
    wanted = _words(failed.command)
    for step in later:
        if step.use is not Use.SHELL or step.result is None or went_wrong(step):
            continue
        if only_looks(step.command) and not only_looks(failed.command):
            continue
        mine = _words(step.command)
        if _bare(step.command) == _bare(failed.command):
            return None  # the same command: something else was mended
        if len(wanted & mine) >= max(1.0, _ALIKE * min(len(wanted), len(mine))):
            return step
        if len(_parts(failed.command) & _parts(step.command)) >= _PARTS_MIN:
            return step
    return None


def _finding(failed: ToolStep, error: str, worked: ToolStep) -> Finding:
    why = shorten(error, _ERROR_CHARS)
    did_not, did = _show(failed), _show(worked)
    room = _COMMANDS_CHARS - len(why)
    first = shorten(did_not, max(room // 2, room - len(did)))
    content = f"`{first}` failed: {why}; `{shorten(did, room - len(first))}` worked"
    return Finding(
        category=Category.ERROR,
        content=content,
        summary=content,
        event_ids=(*failed.event_ids, *worked.event_ids),
        at_ms=failed.call.at_ms,
    )


def _show(step: ToolStep) -> str:
    """Return a command in short, with paths as the project has them."""
    where = step.call.directory.rstrip("/")
    command = step.command.replace(where + "/", "") if where else step.command
    return _bare(command)


def _bare(command: str) -> str:
    return " ".join(_STREAMS.sub("", command).split())


def _parts(command: str) -> set[str]:
    """Return what a command is about, whichever program is told: `deploy-prod`, `deploy prod`.

    A folder is what many commands are about.
    """
    told = [each.split() for each in _JOINTS.split(_bare(command))]
    words = [word for each in told if each and each[0] not in _BESIDE for word in each[1:]]
    parts = _PART.findall(" ".join(word for word in words if "/" not in word))
    return {part for part in parts if len(part) >= _PART_CHARS_MIN}


def _words(command: str) -> set[str]:
    return {word for word in _WORD.findall(_bare(command)) if len(word) > 1}
