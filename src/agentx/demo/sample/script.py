"""The sample as its authors wrote it: who asked what, what was run, what came back.

A script is neutral: it names no field of any agent CLI. One file is one session;
a person can read and edit it. A text is a string or a list of its lines. Times are
offsets from the session's start (`h:mm:ss`); a step comes `after` so many seconds
and has `took` so many, and both have a natural default (see `timeline`). A key that
is not known here is an error that names it, so a slip of the pen cannot hide.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from agentx.kernel.errors import CorruptRecord

Text = str | tuple[str, ...]

PROJECT = "{project}"  # stands for the folder of the demo's project, in any text of a script


def whole(text: Text) -> str:
    """Return a text that may have been written as lines."""
    return text if isinstance(text, str) else "\n".join(text)


class _Written(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Strict and unchangeable, like everything in a script."""


class _Step(_Written, frozen=True, kw_only=True, tag_field="do"):
    after: float | None = None  # seconds since the step before
    took: float | None = None  # seconds


class Say(_Step, frozen=True, kw_only=True, tag="say"):
    """What the agent says between two tool calls; only transcripts keep it."""

    text: Text


class Shell(_Step, frozen=True, kw_only=True, tag="shell"):
    """A command, with what it printed and how it ended."""

    command: Text
    why: str = ""
    output: Text = ""
    exit: int = 0


class Patch(_Step, frozen=True, kw_only=True, tag="edit"):
    """One change of one file: `hunk` holds its lines, each after a space, a minus or a plus."""

    path: str
    line: int
    hunk: tuple[str, ...]

    @property
    def old(self) -> str:
        """The lines as they were."""
        return "\n".join(line[1:] for line in self.hunk if not line.startswith("+"))

    @property
    def new(self) -> str:
        """The lines as they are now."""
        return "\n".join(line[1:] for line in self.hunk if not line.startswith("-"))


class Write(_Step, frozen=True, kw_only=True, tag="write"):
    """A new file."""

    path: str
    text: Text


class Read(_Step, frozen=True, kw_only=True, tag="read"):
    """A look into a file."""

    path: str
    text: Text
    line: int = 1
    of: int = 0  # lines in the whole file; 0 when it was read whole


class Search(_Step, frozen=True, kw_only=True, tag="search"):
    """A search in files, with the lines that matched."""

    pattern: str
    where: str = ""
    output: Text = ""


class Find(_Step, frozen=True, kw_only=True, tag="find"):
    """A search for files by name."""

    pattern: str
    files: tuple[str, ...] = ()


class PlanShown(_Step, frozen=True, kw_only=True, tag="plan"):
    """A plan laid before the person: approved, or sent back with words."""

    text: Text
    refused: str = ""


class Option(_Written, frozen=True, kw_only=True):
    """One answer a question offers."""

    label: str
    description: str


class Choice(_Step, frozen=True, kw_only=True, tag="ask"):
    """A question with options, and what the person chose."""

    header: str
    question: str
    options: tuple[Option, ...]
    answer: str


Action = Shell | Patch | Write | Read | Search | Find | PlanShown | Choice


class Delegate(_Step, frozen=True, kw_only=True, tag="delegate"):
    """A piece of work given to a sub-agent."""

    kind: str
    why: str
    prompt: Text
    steps: tuple[Say | Shell | Read | Search | Find, ...]
    reply: Text


class Compact(_Step, frozen=True, kw_only=True, tag="compact"):
    """The conversation replaced by a summary of itself."""

    trigger: str
    summary: Text
    tokens: int


WrittenStep = Say | Action | Delegate | Compact


class WrittenTurn(_Written, frozen=True, kw_only=True):
    """One prompt and all that it led to. Without a reply it was interrupted."""

    at: str
    prompt: Text
    mode: str = "default"
    steps: tuple[WrittenStep, ...] = ()
    reply: Text = ""


class MarkKind(StrEnum):
    """What a mark says of the story."""

    DECISION = "decision"
    REVERSAL = "reversal"
    CORRECTION = "correction"
    PREFERENCE = "preference"
    ERROR = "error"
    FLAKY = "flaky"
    INCIDENT = "incident"
    MEASURE = "measure"
    QUESTION = "question"
    REDACTED = "redacted"
    PRIVATE = "private"


class Mark(_Written, frozen=True, kw_only=True):
    """What a good memory would keep of a session: the key to the sample, for tests and demos."""

    kind: MarkKind
    topic: str
    text: str
    reverses: int = 0  # the session whose decision fell, for a reversal


class WrittenEnd(_Written, frozen=True, kw_only=True):
    """When and how a session ended."""

    at: str
    reason: str


class Script(_Written, frozen=True, kw_only=True):
    """One file."""

    title: str
    harness: str
    session_id: str
    person: str
    role: str
    branch: str
    directory: str
    start: str
    story: tuple[Mark, ...]
    planted: tuple[str, ...] = ()  # texts that must not survive capture
    turns: tuple[WrittenTurn, ...]
    end: WrittenEnd


def parse_script(name: str, raw: bytes) -> Script:
    """Read one script.

    Raises: CorruptRecord, with the place of the slip.
    """
    try:
        return msgspec.json.decode(raw, type=Script)
    except msgspec.DecodeError as slip:
        raise CorruptRecord(f"{name}: {slip}") from slip
