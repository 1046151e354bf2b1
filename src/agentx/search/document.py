"""What can be found, what may be asked for, and what comes back.

A `Document` is one thing somebody may want to find: an event, a node of the table
of contents, a grip, an observation, a lesson. The owner gives it an id; putting the
same id again replaces it. Documents of a session that follow each other also form a
`Chapter`, so that a text is found by what was said around it.
"""

from __future__ import annotations

from enum import IntFlag

from agentx.kernel.values import frozen


class Trait(IntFlag):
    """What a text is like, as far as ranking cares. The numbers are on disk."""

    USER = 1  # a person speaks
    ASSISTANT = 2  # an agent speaks
    TOOL = 4  # a tool's output
    QUESTION = 8  # ends by asking
    SHORT = 16  # a turn of a talk, not a treatise
    DATED = 32  # names a point in time
    SUPERSEDED = 64  # something newer replaced it
    DRAWN = 128  # made of other documents, which can be found themselves
    ACT = 256  # something that was done: the call of a tool


@frozen
class Document:
    """One thing that can be found. `speaker` is who says it, where the role does not tell.

    `part` is what its owner takes out again as a whole: a file, say; `kind` is what kind of thing
    of its type it is. `drawn_from` are the ids
    of documents it was made of, `superseded_by` is that of the one that holds now, if known.
    """

    doc_type: str
    doc_id: str
    text: str
    timestamp_ms: int
    keywords: tuple[str, ...] = ()
    project: str = ""
    session: str = ""
    agent: str = ""
    harness: str = ""
    role: str = ""
    speaker: str = ""
    issue: str = ""
    is_act: bool = False
    superseded: bool = False
    superseded_by: str = ""
    drawn_from: tuple[str, ...] = ()
    part: str = ""
    kind: str = ""


@frozen
class Chapter:
    """Documents of one session that follow each other, in order.

    The id is the owner's. A chapter grows by being put again; `scales.chapters` cuts a
    session into chapters, and so may any other rule that keeps them short.
    """

    chapter_id: str
    session: str
    documents: tuple[Document, ...]


@frozen
class Filters:
    """What a hit must be. An empty field asks for nothing; the time is from, up to but not at."""

    doc_types: tuple[str, ...] = ()
    projects: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    harnesses: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    issues: tuple[str, ...] = ()
    since_ms: int | None = None
    until_ms: int | None = None


@frozen
class Hit:
    """A document that was found: a pointer, and the passage that matched."""

    doc_id: str
    doc_type: str
    score: float
    timestamp_ms: int
    project: str
    session: str
    agent: str
    harness: str
    role: str
    issue: str
    passage: str  # the part of the text that matched best
    start: int  # where the passage begins in the text, in characters


@frozen
class IndexStatus:
    """What an index holds."""

    documents: int  # passages, windows and chapters, as the engine counts them
    passages: int
    bytes_on_disk: int
    generation: str
