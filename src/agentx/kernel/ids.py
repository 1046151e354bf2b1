"""Every id of the house: minted, built and parsed here and nowhere else.

A ULID is 48 bits of milliseconds and 80 bits of entropy in 26 characters of
Crockford's base 32, so ids sort by age as text. The time in an event's id is
the event's *own* time, not the time it reached us.
"""

from __future__ import annotations

import re
import unicodedata
from _blake2 import blake2b  # as hashlib has it, which loads OpenSSL first
from collections.abc import Callable, Iterable
from typing import NewType, Protocol, TypeVar

from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

Entropy = Callable[[int], bytes]  # n -> n random bytes

ClarificationId = NewType("ClarificationId", str)
EventId = NewType("EventId", str)
GripId = NewType("GripId", str)
NodeId = NewType("NodeId", str)
ProjectId = NewType("ProjectId", str)
RunId = NewType("RunId", str)


@frozen
class IssueMark:
    """Which issue is meant: its number may be another issue's once clones merge."""

    title: str = ""
    created: str = ""

    def is_another(self, other: IssueMark) -> bool:
        """Tell whether two marks are of two issues; one that says nothing may be of any."""
        return bool(self.created and other.created) and self.created != other.created


UNMARKED = IssueMark()


class _Named(Protocol):
    @property
    def id(self) -> str: ...


Named = TypeVar("Named", bound=_Named)

ULID_RANDOM_BYTES = 10
SHORT_ID_CHARS_MIN = 8

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
# Python reads base 32 with the digits 0-9a-v; Crockford's alphabet leaves some letters out.
_TO_PYTHON = str.maketrans(_ALPHABET, "0123456789abcdefghijklmnopqrstuv")
_PAIRS = tuple(a + b for a in _ALPHABET for b in _ALPHABET)
_ULID_TIME_MAX = (1 << 48) - 1
_ULID_TIME_CHARS = 10
_ULID = compile_late(r"[0-7][0-9A-HJKMNP-TV-Z]{25}")
_CLARIFICATION_ID = compile_late(r"CLR-(0|[1-9][0-9]{0,17})-([0-9]{3}|[1-9][0-9]{3,8})", re.ASCII)
_ESCALATION_ID = compile_late(r"ESC-[0-9A-Za-z]{1,12}", re.ASCII)
_WRITER = compile_late(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_PROJECT_ID = compile_late(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_RUN_ID = compile_late(r"\d{8}-\d{4}-[a-z0-9]+(?:-[a-z0-9]+)*-[a-z0-9]{4}")
_RUN_SLUG_CHARS_MAX = 30


def mint(now_ms: int, entropy: Entropy) -> str:
    """Return a new ULID that sorts by `now_ms`."""
    return ulid(now_ms, entropy(ULID_RANDOM_BYTES))


def ulid(at_ms: int, randomness: bytes) -> str:
    """Build a ULID out of its two parts.

    Raises: InvalidValue when the time does not fit 48 bits.
    """
    if not 0 <= at_ms <= _ULID_TIME_MAX:
        raise InvalidValue(f"{at_ms} is outside the time an id can hold")
    assert len(randomness) == ULID_RANDOM_BYTES, "a ULID holds 80 bits of entropy"
    # Written out, and in parts of at most 48 bits: ids are minted by the thousand.
    two, high, low = _PAIRS, int.from_bytes(randomness[:5]), int.from_bytes(randomness[5:])
    return (
        f"{two[at_ms >> 40]}{two[at_ms >> 30 & 1023]}{two[at_ms >> 20 & 1023]}"
        f"{two[at_ms >> 10 & 1023]}{two[at_ms & 1023]}"
        f"{two[high >> 30]}{two[high >> 20 & 1023]}{two[high >> 10 & 1023]}{two[high & 1023]}"
        f"{two[low >> 30]}{two[low >> 20 & 1023]}{two[low >> 10 & 1023]}{two[low & 1023]}"
    )


def is_ulid(text: str) -> bool:
    """Tell whether the text is a ULID."""
    return _ULID.fullmatch(text) is not None


def ulid_raw(at_ms: int, randomness: bytes) -> bytes:
    """Return the 16 bytes of the ULID with these parts."""
    return at_ms.to_bytes(6) + randomness


def ulid_bytes(text: str) -> bytes:
    """Return the 16 bytes of a ULID.

    Raises: InvalidValue.
    """
    _check_ulid(text)
    return raw_ulid(text)


def _check_ulid(text: str) -> None:
    if not is_ulid(text):
        raise InvalidValue(
            f"{text[:40]!r} is not an id", hint="ids are 26 characters, such as in `agentx events`"
        )


def raw_ulid(known: str) -> bytes:
    """Return the 16 bytes of what is known to be a ULID."""
    return int(known.translate(_TO_PYTHON), 32).to_bytes(16)


def ulid_ms(text: str) -> Millis:
    """Return the time inside a ULID.

    Raises: InvalidValue.
    """
    _check_ulid(text)
    return Millis(int(text[:_ULID_TIME_CHARS].translate(_TO_PYTHON), 32))


def digest(*parts: str, size: int = 16) -> bytes:
    """Hash parts so that no two different lists of parts give the same bytes."""
    return hash_text(spell(*parts), size=size)


def spell(*parts: str) -> str:
    """Join parts so that they can be told apart again; two such texts joined spell both lists."""
    # Each part's length stands before it, so that "ab", "c" and "a", "bc" differ.
    return "".join([f"{len(part)}:{part}" for part in parts])


def hash_text(text: str, *, size: int = 16) -> bytes:
    """Hash a text, whatever half characters it holds."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def project_id(text: str) -> ProjectId:
    """Check a project id: it becomes the name of a folder.

    Raises: InvalidValue.
    """
    if _PROJECT_ID.fullmatch(text) is None or ".." in text:
        raise InvalidValue(
            f"project id {text[:60]!r} cannot be a folder name",
            hint="use letters, digits, '.', '_' and '-', at most 128, a letter or digit first",
        )
    return ProjectId(text)


def grip_id(at_ms: int, randomness: bytes) -> GripId:
    """Build the id of a grip from the time of its evidence and what tells it apart."""
    return GripId(f"grip:{at_ms:013}:{ulid(at_ms, randomness)}")


def parse_grip_id(text: str) -> tuple[GripId, Millis]:
    """Check a grip's id; return it with the time of its evidence.

    Raises: InvalidValue.
    """
    kind, _, rest = text.partition(":")
    at, _, unique = rest.partition(":")
    if kind != "grip" or not (at.isascii() and at.isdigit()) or not is_ulid(unique):
        raise InvalidValue(
            f"{text[:60]!r} is not a grip",
            hint="grips look like grip:1768471200000:01KF...; see them in `agentx toc NODE_ID`",
        )
    return GripId(text), Millis(int(at))


def clarification_id(issue: int, number: int) -> ClarificationId:
    """Build the id of an issue's clarification: `CLR-7-001`, which grows a digit past 999."""
    return ClarificationId(f"CLR-{issue}-{number:03d}")


def parse_clarification_id(text: str) -> tuple[ClarificationId, int, int]:
    """Check a clarification's id; return it with its issue and its number there.

    Raises: InvalidValue.
    """
    found = _CLARIFICATION_ID.fullmatch(text.strip())
    if found is None and _ESCALATION_ID.fullmatch(text.strip()):
        raise InvalidValue(
            f"{text.strip()} is a question of a run, and no clarification",
            hint=f"the user answers it in a terminal: agentx run escalate --resolve {text.strip()} "
            '"ANSWER"',
        )
    if found is None:
        raise InvalidValue(
            f"{text[:60]!r} is not a clarification",
            hint="they look like CLR-42-001; `agentx clarify` lists the active ones",
        )
    return ClarificationId(found[0]), int(found[1]), int(found[2])


def parse_clarification_name(text: str) -> tuple[str, int]:
    """Check what a clarification is called: its id, or one it had with its writer; with its issue.

    Raises: InvalidValue.
    """
    wanted, at, writer = text.strip().partition("@")
    known, issue, _ = parse_clarification_id(wanted)
    if at and _WRITER.fullmatch(writer) is None:
        raise InvalidValue(f"{writer[:60]!r} is no writer", hint="such as CLR-42-001@a1b2c3")
    return f"{known}{at}{writer}", issue


def run_id(title: str, at_ms: int, entropy: Entropy) -> RunId:
    """Name a run after its time, its title and four characters of chance."""
    stamp = to_iso(at_ms)
    when = stamp[:10].replace("-", "") + "-" + stamp[11:16].replace(":", "")
    chance = "".join(_ALPHABET[byte % 32] for byte in entropy(4)).lower()
    return RunId(f"{when}-{shorten(title, _RUN_SLUG_CHARS_MAX) or 'run'}-{chance}")


def shorten(text: str, chars_max: int) -> str:
    """Return the plain letters and digits of a text as a part of a name, the rest as `-`."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:chars_max].strip("-")


def is_run_id(text: str) -> bool:
    """Tell whether a text may be the id of a run."""
    return len(text) <= 80 and _RUN_ID.fullmatch(text) is not None


def shorten_run(run_id: str) -> str:
    """Return the end of a run's id, by which commands know it too."""
    return run_id.rsplit("-", 1)[-1]


def parse_run_id(text: str) -> RunId:
    """Check a run's id: it becomes a folder and a part of branch names.

    Raises: InvalidValue.
    """
    if not is_run_id(text):
        raise InvalidValue(
            f"{text[:60]!r} is not a run",
            hint="runs look like 20260115-1430-add-email-validation-a1b2; see `agentx run list`",
        )
    return RunId(text)


def each_once(events: Iterable[Named]) -> list[Named]:
    """Return events of several files, each id once, whatever the order they came in."""
    found: dict[str, Named] = {}
    for event in events:
        known = found.setdefault(event.id, event)
        # One id with two contents is somebody's edit: the choice must not hang on the order.
        if known is not event and repr(event) < repr(known):
            found[event.id] = event
    return list(found.values())


def shorten_ids(wanted: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """Return for each id as much of its beginning as no other that is known begins with.

    Never less than `SHORT_ID_CHARS_MIN`: what is short today is not another's tomorrow.
    """
    ordered = sorted({*known, *(chosen := set(wanted))})
    short: dict[str, str] = {}
    for at, one in enumerate(ordered):
        if one not in chosen:
            continue
        beside = (*ordered[max(at - 1, 0) : at], *ordered[at + 1 : at + 2])
        chars = max((_count_alike(one, other) for other in beside), default=0) + 1
        chars = max(chars, SHORT_ID_CHARS_MIN)
        # A mark between two parts is nothing to end with.
        chars += chars < len(one) and not one[chars - 1].isalnum()
        short[one] = one[:chars]
    return short


def _count_alike(one: str, other: str) -> int:
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))
