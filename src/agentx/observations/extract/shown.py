"""What went wrong for the user: the errors in what was pasted into a prompt, and why.

The user did not say them, and they were not seen by the agent, but they are why the work began.
Why, the agent says in its replies. Nothing shows that it passed later: nobody ran it here.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.exchanges.commands import find_errors
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.failing.causes import find_causes
from agentx.exchanges.lines import Boot, Line
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose.sentences import shorten
from agentx.prose.titles import is_written_by_machine
from agentx.prose.whose.pasted import split_pasted

SHOWN = "The user was shown: "
_TOLD_CHARS = 105
_COMMAND_CHARS = 30
_TOLD_MAX = 2
_CAUSES_MAX = 2
_PASTED_CHARS = 12_000
# Whoever pastes a warning, and nothing worse, means the warning.
_WARNS = compile_late(r"(?i:\bwarning: |\bfailed to |\brejected\b)")
_RAN = compile_late(r"[ \t]*[\u276f\u279c\u25b6$%][ \t]+(\S.*)")


def find_shown(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield the errors that the user pasted, one finding a prompt."""
    for exchange in found:
        prompt = exchange.prompt
        if prompt is None or is_written_by_machine(prompt.text):
            continue
        pasted = split_pasted(without_recall(prompt.text))[1]
        told = find_errors(pasted) or _find_warnings(pasted)
        if not told:
            continue
        causes = _find_causes(told, exchange, boot)
        rows = told[: 1 if causes else _TOLD_MAX]
        content = SHOWN + "; ".join(shorten(line, _TOLD_CHARS) for line in rows)
        content = "\n".join((content, *(f"Cause: {line.text}" for line in causes)))
        ids = (prompt.event_id, *(line.turn.event_id for line in causes))
        yield Finding(
            category=Category.ERROR,
            content=content,
            summary=content.replace("\n", "; "),
            event_ids=tuple(dict.fromkeys(ids)),
            at_ms=prompt.at_ms,
        )


def _find_causes(told: list[str], exchange: Exchange, boot: Boot) -> list[Line]:
    """Return why it went wrong, as it is said first."""
    causes = (find_causes(told, "", None, reply, boot) for reply in exchange.replies)
    return next(filter(None, causes), [])[:_CAUSES_MAX]


def _find_warnings(pasted: str) -> list[str]:
    """Return the warnings in what was pasted, each with the command that was run before it."""
    found: dict[str, None] = {}
    ran = ""
    for line in pasted[:_PASTED_CHARS].split("\n"):
        command = _RAN.match(line)
        if command:
            ran = f"`{shorten(command[1].strip(), _COMMAND_CHARS)}`: "
        elif _WARNS.search(line):
            found[ran + " ".join(line.split())] = None
    return list(found)
