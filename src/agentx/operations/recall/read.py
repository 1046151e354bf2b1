"""The full text of chosen ids, within a budget of tokens.

In the order they were asked for: each takes what it needs of what is left. A text that is
too long for that is cut, and says where to go on; what finds no room is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agentx.kernel.errors import InputError, InvalidValue, NotFound
from agentx.kernel.text import printable, whole_head
from agentx.kernel.tokens import Budget, estimate, most
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import MCP_IDS_MAX
from agentx.operations.recall.document import Opened, open_document
from agentx.project.project import Project

# Less of a text than this is not worth its heading.
_PIECE_TOKENS_MIN = 40
# What it costs to say that a text is cut, and where it goes on.
_CUT_TOKENS = 40
_CHARS_PER_TOKEN_MAX = 16


@frozen
class TextPart:
    """A document, whole or from `offset` on; `next_offset` is where the rest begins."""

    document: Opened
    text: str
    offset: int
    next_offset: int | None = None


@frozen
class ReadReply:
    """What could be opened, what found no room, and what is not there."""

    pieces: tuple[TextPart, ...]
    left_out: tuple[str, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()  # id, why


def read(
    project: Project,
    memory: Memory,
    ids: Sequence[str],
    *,
    budget_tokens: int,
    offset: int = 0,
    heading: Callable[[Opened], str] = lambda _document: "",
) -> ReadReply:
    """Return the texts of ids; `offset` is where the first of them begins, in characters.

    `heading` is what will be written above each, and is paid for out of the budget.

    Raises: InvalidValue for no ids or too many, and for an offset beyond the text; NotFound when
        nothing of it is there.
    """
    if not 1 <= len(ids) <= MCP_IDS_MAX:
        raise InvalidValue(f"{len(ids)} ids cannot be opened", hint=f"give 1 to {MCP_IDS_MAX}")
    budget = Budget(budget_tokens)
    pieces: list[TextPart] = []
    left_out: list[str] = []
    missing: list[tuple[str, str]] = []
    for position, doc_id in enumerate(dict.fromkeys(ids)):
        try:
            document = open_document(project, memory, doc_id)
        except InputError as error:
            missing.append((doc_id, error.message))
            continue
        piece = _piece(document, offset if position == 0 else 0, budget, heading(document))
        if piece is None:
            left_out.append(doc_id)
        else:
            pieces.append(piece)
    if not pieces and not left_out:
        raise NotFound(
            "; ".join(why for _, why in missing),
            hint="ids stand in the answers of search, recall and toc; copy one whole",
        )
    return ReadReply(pieces=tuple(pieces), left_out=tuple(left_out), missing=tuple(missing))


def _piece(document: Opened, offset: int, budget: Budget, heading: str) -> TextPart | None:
    length = len(document.text)
    if not 0 <= offset <= length:
        raise InvalidValue(
            f"{document.doc_id} has {length} characters, none at {offset}",
            hint="leave the offset out, or take the one the last answer gave",
        )
    room = budget.left - estimate(heading) - _CUT_TOKENS
    # What is put in place of control characters is as long, and may cost more.
    begins = printable(document.text[offset : offset + max(room, 0) * _CHARS_PER_TOKEN_MAX])
    text = fitting(begins, room)
    if room <= 0 or (len(text) < length - offset and room < _PIECE_TOKENS_MIN):
        return None
    budget.take(budget.left - room + estimate(text))
    end = offset + len(text)
    return TextPart(
        document=document, text=text, offset=offset, next_offset=end if end < length else None
    )


def fitting(text: str, tokens_max: int) -> str:
    """Return as much of the beginning of a text as so many tokens hold."""
    if estimate(text) <= tokens_max:
        return text
    longest = most(len(text), lambda count: estimate(text[:count]) <= tokens_max)
    return whole_head(text, longest)
