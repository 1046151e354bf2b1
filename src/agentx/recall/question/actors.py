"""Who a question asks about: the agent CLIs and the roles that it names as doing something.

    what did Codex change in the chart?        only what was said and done in Codex
    what did the architect decide?             only what the architect said
    how do we parse Codex transcripts?         nobody: Codex is what it is about

A name is an actor where the grammar makes it one. Where a question says nothing else, any name
in it is (`name_all`).
"""

from __future__ import annotations

import re

from agentx.kernel.capture import Harness
from agentx.kernel.places import ROLE_ALIASES
from agentx.kernel.roles import ROLES
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_HARNESSES = {
    r"claude(?:[ -]?code)?": Harness.CLAUDE_CODE,
    r"codex(?:[ -]cli)?": Harness.CODEX,
    r"gemini(?:[ -]cli)?": Harness.GEMINI,
    r"open[ -]?code": Harness.OPENCODE,
    r"(?:github )?copilot(?:[ -]cli)?": Harness.COPILOT,
}
_ROLES = {
    name.replace("-", "[ -]"): ROLE_ALIASES.get(name, name) for name in (*ROLES, *ROLE_ALIASES)
} | {"designer": "ux-designer"}
_NAME = "|".join(sorted((*_HARNESSES, *_ROLES), key=len, reverse=True))
_HARNESS = "|".join(_HARNESSES)
# What stands after a name that is only part of the name of a thing.
_THING = (
    r"(?:'s|\u2019s)?[\s/-]+(?:adapters?|agents?|api|app|apps|auth|been|cli|clis|command\w*|config\w*"
    r"|credentials?|docs?|events?|files?|folders?|format\w*|hook\w*|imports?|integration\w*"
    r"|keys?|logs?|logins?|models?|plugins?|prompts?|roles?|runners?|sessions?|settings?|support\w*"
    r"|tests?|tokens?|tools?|transcripts?|versions?)\b"
)
_DOES = (
    r"said|says|did|wrote|decided|chose|changed|fixed|built|made|found|broke|proposed|suggested"
    r"|recommended|refused|reviewed|committed|implemented|tried|concluded|worked|told|asked"
)
_ACTING = compile_late(
    rf"\b(?:did|has|had)\s+(?:the\s+)?(?P<subject>{_NAME})\b(?!{_THING})"
    rf"|\bby\s+(?:the\s+)?(?P<by>{_NAME})\b(?!{_THING})"
    rf"|\b(?:the\s+)?(?P<does>{_NAME})\s+(?:{_DOES})\b",
    re.IGNORECASE,
)
_NAMED = compile_late(
    rf"\b(?:(?:by|with|in|using|via|from|the|and|or|as)\s+)*"
    rf"(?:(?P<harness>{_HARNESS})|(?<=the )(?P<role>{_NAME})|(?<=did )(?P<did>{_NAME}))"
    r"(?:'s|\u2019s)?(?!\w)",
    re.IGNORECASE,
)


@frozen
class Actors:
    """Who is asked about; and the question without the words that said so."""

    rest: str
    harnesses: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.harnesses or self.roles)

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return (*self.harnesses, *self.roles)


def name_actors(question: str) -> Actors:
    """Return who is named as doing something in a question that may be about anything."""
    return _take_out(question, _ACTING, "does", "by", "subject")


def name_all(question: str) -> Actors:
    """Return whoever is named, in a question that asks for nothing else."""
    return _take_out(question, _NAMED, "harness", "role", "did")


def _take_out(question: str, pattern: re.Pattern[str], *groups: str) -> Actors:
    harnesses: dict[str, None] = {}
    roles: dict[str, None] = {}
    rest, at = "", 0
    for match in pattern.finditer(question):
        group = next(name for name in groups if match[name])
        begin, end = match.span(group)
        harness = _read(match[group], _HARNESSES)
        if harness:
            harnesses[harness] = None
        else:
            roles[_read(match[group], _ROLES)] = None
        begin = match.start() if pattern is _NAMED else begin
        rest += question[at:begin] + " "
        at = end
    return Actors(rest=rest + question[at:], harnesses=tuple(harnesses), roles=tuple(roles))


def _read(said: str, names: dict[str, Harness] | dict[str, str]) -> str:
    for pattern, name in names.items():
        if re.fullmatch(pattern, said, re.IGNORECASE):
            return str(name)
    return ""
