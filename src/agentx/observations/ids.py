"""The id of an observation says whose it is, which issue it belongs to, and when it was made.

    obs-engineer-29-1709035200000-a1b2c3

So the file it lies in is known from its id alone. An agent's name may hold hyphens; the three
parts after it never do. Its two ends are enough to name it: `obs-a1b2c3`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from unicodedata import combining, normalize

from agentx.kernel.clock import Millis
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import Entropy
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_ID = compile_late(
    r"obs-(?P<agent>[a-z0-9]+(?:-[a-z0-9]+)*)-(?P<issue>0|[1-9][0-9]{0,8})"
    r"-(?P<at>[0-9]{1,15})-(?P<suffix>[a-z0-9]{6})"
)
ID_PREFIX = "obs-"
_SHORT_ID = compile_late(r"obs-[a-z0-9]{6}")
_NOT_NAME = compile_late(r"[^a-z0-9]+")
_ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyz"
_SUFFIX_CHARS = 6
_AGENT_CHARS_MAX = 40
_PARSED_MAX = 4_096


@frozen
class ParsedId:
    """The parts of an observation's id."""

    agent: str
    issue_number: int
    timestamp_ms: Millis


def agent_name(text: str) -> str:
    """Return an agent's name as it stands in ids: lower case, letters, digits and hyphens."""
    # Letters come apart from their accents, which are left out.
    plain = "".join(each for each in normalize("NFKD", text) if not combining(each))
    name = _NOT_NAME.sub("-", plain.lower()).strip("-")[:_AGENT_CHARS_MAX].strip("-")
    return name or "agent"


def issue_number(number: int) -> int:
    """Check an issue number: it becomes part of a file's name.

    Raises: InvalidValue.
    """
    if not 0 <= number <= ISSUE_NUMBER_MAX:
        raise InvalidValue(
            f"{number} is not an issue number", hint="use a positive number, or 0 for no issue"
        )
    return number


def observation_id(agent: str, issue: int, at_ms: int, entropy: Entropy) -> str:
    """Mint the id of a new observation."""
    number = int.from_bytes(entropy(8))
    suffix = ""
    for _ in range(_SUFFIX_CHARS):
        number, digit = divmod(number, len(_ALPHABET))
        suffix += _ALPHABET[digit]
    return f"obs-{agent_name(agent)}-{issue_number(issue)}-{at_ms}-{suffix}"


def shorten_id(name: str) -> str:
    """Return what an id is called in a line; what is no observation's stays as it is."""
    return f"{ID_PREFIX}{name.rpartition('-')[2]}" if name.startswith(ID_PREFIX) else name


def is_short_id(name: str) -> bool:
    """Tell whether an id is named by its ends alone."""
    return _SHORT_ID.fullmatch(name) is not None


@lru_cache(maxsize=_PARSED_MAX)  # who tells a session looks at the same hundreds again and again
def parse_observation_id(text: str) -> ParsedId:
    """Check an id and return its parts.

    Raises: InvalidValue.
    """
    match = _ID.fullmatch(text)
    if match is None:
        raise InvalidValue(
            f"{text[:80]!r} is not the id of an observation",
            hint="they look like obs-engineer-29-1709035200000-a1b2c3; see `agentx memory list`",
        )
    return ParsedId(
        agent=match["agent"],
        issue_number=int(match["issue"]),
        timestamp_ms=Millis(int(match["at"])),
    )


def group_by_issue(ids: Iterable[str]) -> dict[int, set[str]]:
    """Return ids by the issue they belong to.

    Raises: InvalidValue.
    """
    found: dict[int, set[str]] = {}
    for each in ids:
        found.setdefault(parse_observation_id(each).issue_number, set()).add(each)
    return found
