"""A commit, as the command that made it and its output tell it; and what one takes back."""

from __future__ import annotations

import re

from agentx.exchanges.tools import ToolStep
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_COMMITS = compile_late(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+commit\b")
_REVERTS = compile_late(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+revert\b(?P<given>[^&|;\n]*)")
_UNFINISHED = compile_late(r"--(?:abort|quit|skip|continue)\b")
_SAYS_REVERT = compile_late(r'^(?:\[[^\]\n]*\] |[0-9a-f]{7,40} )?Revert "(.+)"$', re.MULTILINE)
_REVISION = compile_late(r"(?:HEAD|@)(?:\^|~\d*)*\Z|[0-9a-f]{7,40}\Z")
_MADE = compile_late(r"^\[[^\]\n]*?\b([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)
_LOGGED = compile_late(r"^([0-9a-f]{7,40}) (\S.*)$", re.MULTILINE)
_BARE = compile_late(r"^([0-9a-f]{7,40})$", re.MULTILINE)
_HEREDOC = compile_late(r"<<-?\s*['\"]?(\w+)['\"]?\n(.*?)\n\s*\1\b", re.DOTALL)
_MESSAGE = compile_late(
    r"(?:-\w*m|--message)[ =]?\s*(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\")", re.DOTALL
)
_TRAILER = compile_late(
    r"^(?:(?:co-authored-by|signed-off-by|generated[- ]with|change-id)\b.*"
    r"|.*generated with \[?claude code.*|[\w-]*(?:checkpoint|session|trailer)[\w-]*: .*)$",
    re.IGNORECASE | re.MULTILINE,
)
_TRIED = compile_late(r"\bmktemp\b")
_BODY_CHARS_MAX = 600
_SHORT_CHARS_MAX = 12
# The next line of a paragraph that was broken to fit a width: it begins no item and no heading.
_BROKEN = compile_late(r"(?<=[^\n:])\n[ \t]*(?=[^\s*+#>\u2022-])(?!\d+[.)] )")


@frozen
class Commit:
    """What was recorded, and under which hash where that was told."""

    subject: str
    body: str
    hash: str
    event_ids: tuple[str, ...]
    at_ms: Millis

    @property
    def short(self) -> str:
        """The hash as git wrote it here; a whole one as people write it."""
        return self.hash if len(self.hash) <= _SHORT_CHARS_MAX else self.hash[:7]


def commit_of(step: ToolStep) -> Commit | None:
    """Return the commit that a step made; None when it made none."""
    command = step.command
    if not command or not _COMMITS.search(command) or step.has_failed or step.result is None:
        return None
    # What is tried in a place that was made for it is no commit of the project.
    if step.was_refused or "--dry-run" in command or _TRIED.search(command):
        return None
    subject, body = _message(command)
    made = _MADE.search(step.output) or _LOGGED.search(step.output)
    if made:
        subject = subject or made[2].strip()
    if not subject:
        return None
    return Commit(
        subject=subject[:200],
        body=body[:_BODY_CHARS_MAX],
        hash=find_hash(step),
        event_ids=step.event_ids,
        at_ms=step.result.at_ms,
    )


def find_hash(step: ToolStep) -> str:
    """Return the hash that a step which made a commit tells."""
    made = _MADE.search(step.output) or _LOGGED.search(step.output) or _BARE.search(step.output)
    return made[1] if made else ""


def find_reverted(step: ToolStep) -> tuple[str, ...]:
    """Return the commits that a step took back: by their subjects, else as they were named."""
    reverts = _REVERTS.search(step.command)
    if not reverts or _UNFINISHED.search(step.command):
        return ()
    if step.result is None or step.has_failed or step.was_refused:
        return ()
    named = [word for word in reverts["given"].split() if _REVISION.match(word)]
    said = _SAYS_REVERT.findall(step.output)[: max(1, len(named))]
    return tuple(said or named)


def _message(command: str) -> tuple[str, str]:
    document = _HEREDOC.search(command)
    if document:
        text = document[2]
    else:
        text = "\n\n".join(single or double for single, double in _MESSAGE.findall(command))
        text = text.replace('\\"', '"').replace("\\n", "\n")
    plain = _TRAILER.sub("", text).strip()
    subject, _, body = plain.partition("\n")
    whole = _BROKEN.sub(" ", body.strip())
    return subject.strip(), re.sub(r"\n{2,}", "\n", whole)
