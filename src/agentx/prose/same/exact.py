"""What must be the very same in two texts that say the same, and where it stands.

Words may be put otherwise. A figure, a sign, a path, a name of code, and what is written without
spaces may not: "5 MB" is not "5 Mb", "a > b" is not "b > a", and one letter of Chinese may deny the
rest. In doubt a piece is exact: what is asked once more costs less than a wrong answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agentx.kernel.text import compile_late, fold_text
from agentx.kernel.values import frozen
from agentx.prose.keyphrases import terms

_PLAIN = compile_late(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_BOLD = compile_late(r"(?<!\S)\*\*([^\s*](?:[^*]*[^\s*])?)\*\*(?=[\s.,;:!?)]|$)")
_ASKS = "?!\u061f\uff01\uff1f"
_ENDS = f"{_ASKS}.,;:\u2026\u060c\u061b\u3001\u3002\uff0c\uff1a\uff1b"
_OPENS = "\"'`\u2018\u201c\u201e\u00ab\u00bf\u00a1("
_CLOSES = "\"'`\u2019\u201d\u00bb)"
_DASHES = frozenset("\u2013\u2014\u2022")
_LEADS = frozenset("-*>#+")  # of a line in a list, or of one that is quoted
_UNSPACED = (
    ("\u0e00", "\u0eff"),
    ("\u1000", "\u109f"),
    ("\u1780", "\u17ff"),
    ("\u2e80", "\uabff"),
    ("\uf900", "\uffef"),
)
# Written in capitals these are names: "ship to US".
_LIKE_NAMES = frozenset(("IT", "US"))


@frozen(kw_only=False)
class Exact:
    """A piece of a text as it is written, and the words beside it that say something."""

    piece: str
    before: str
    after: str


@lru_cache(maxsize=256)  # one text is held against many
def list_exact(text: str) -> tuple[Exact, ...]:
    """Return the exact pieces of a text, in order."""
    pieces = fold_text(_BOLD.sub(r"\1", text)).split()
    if pieces and pieces[0] in _LEADS:
        del pieces[0]
    if pieces and not pieces[-1].strip(_ASKS):
        del pieces[-1]
    read = [("", False), *_read(pieces), ("", False)]
    return tuple(
        Exact(piece, before, after)
        for (before, _), (piece, is_exact), (after, _) in zip(
            read, read[1:], read[2:], strict=False
        )
        if is_exact
    )


def _read(pieces: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the pieces that say something, and whether each is exact."""
    was_figure = False
    for at, piece in enumerate(pieces):
        bare = piece.lstrip(_OPENS).rstrip(_CLOSES + _ENDS)
        is_name = bare in _LIKE_NAMES or (len(bare) == 1 and bare.isupper() and bare != "I" and at)
        if not _is_plain(bare) or is_name or (was_figure and terms(bare)):
            if piece not in _DASHES:
                yield _trim(piece), True
            was_figure = any(map(str.isdigit, piece))
        elif found := terms(bare):
            was_figure = False
            yield " ".join(sorted(found)), False


def _is_plain(word: str) -> bool:
    """Tell whether a piece is a word of a script that has spaces."""
    if _PLAIN.fullmatch(word) is None:
        return False
    return word.isascii() or not any(
        begin <= char <= end for char in word for begin, end in _UNSPACED
    )


def _trim(piece: str) -> str:
    """Return an exact piece without the end of its sentence, and without quotes around a name."""
    ended = piece.rstrip(_ENDS) or piece
    inner = ended[1:-1]
    is_quoted = len(ended) > 1 and ended[0] == ended[-1] and ended[0] in _OPENS
    return inner if is_quoted and any(map(str.isalnum, inner)) else ended
