"""A list of what was left open: its items, and what is told of it when some of them are done.

    "Open: renew the key, put MODE back, an alarm"    the key is renewed
    "Open: put MODE back, an alarm"

Items stand between semicolons, commas, "and", or numbers; what is in brackets or code is part of
its item. Where the rest does not stand without what was done, that is named beside it.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.extract.left.open_words import says_open
from agentx.prose.keyphrases import terms

_HEAD = compile_late(r"\A[^:;,.()`\n]{2,40}[:\uff1a]\s*")
_WHOLE = compile_late(r"\([^()]*\)|`[^`]*`|\"[^\"]*\"")
_BETWEEN = compile_late(
    r"[,\uff0c](?:\u4ee5\u53ca|\u8fd8\u6709|\u5e76\u4e14|\u7136\u540e|(?=[\u4e00-\u9fff]))"
    r"|(?:[.!](?=\s)|[;\n\u3001\uff1b]|,(?=\s))\s*(?:and |but |then |und |y |et |e )?(?:\d[.)]\s)?"
    r"|\s(?:and|but|then|und|y|et|e)\s|\s\d[.)]\s"
)
_FIRST = compile_late(r"\A\d[.)]\s")
# What it takes, or what was said of it, is part of the item before.
_BESIDE = compile_late(
    r"(?i:(?:that|it|this|which|they)(?: still)? (?:needs?|takes?|costs?|will|would)\b"
    r"|(?:i|we|it|they|this|that|he|she|ich|wir)\b)"
)
_SINCE = compile_late(r" \(since done: (?P<items>[^)]*)\)(?P<end>[.]?)\Z")
_BRACKETS = compile_late(r"\s*\([^()]*\)")
_STANDS_MIN = 2  # words of an item that says by itself what it is
_STANDS = compile_late(
    r"(?i:(?:an?|the|der|die|das|den|eine?n?|el|la|los|las|una?|le|les|une?) \w)"
)


@frozen
class OpenList:
    """What was left open: its heading, its items, and which of them were done before."""

    text: str  # without what was done since
    head: str
    items: tuple[str, ...]
    done: frozenset[str] = frozenset()

    @property
    def left(self) -> tuple[str, ...]:
        """The items that nothing was done about."""
        return tuple(each for each in self.items if _BRACKETS.sub("", each) not in self.done)


def read_open_list(text: str) -> OpenList:
    """Return what a text says is left, item by item; a text that is no list is one item."""
    since = _SINCE.search(text)
    told = frozenset(since["items"].split("; ")) if since else frozenset[str]()
    text = text[: since.start()] + since["end"] if since else text
    head = _HEAD.match(text)
    begin = head.end() if head else 0
    masked = _WHOLE.sub(lambda found: "x" * len(found[0]), text)
    first = _FIRST.match(masked[begin:])
    start = begin + (first.end() if first else 0)
    cuts = [(start, start)]
    for found in _BETWEEN.finditer(masked, start):
        own = text[found.end() :]
        # A single word after "and" shares its verb with the one before.
        before = text[cuts[-1][1] : found.start()]
        is_row = len(cuts) > 1 and len(terms(before)) < _STANDS_MIN
        joins = (
            not is_row
            and masked[found.start() : found.end()].strip() in ("and", "und")
            and (len(terms(_BETWEEN.split(own, maxsplit=1)[0])) < _STANDS_MIN)
        )
        if own.strip() and not joins and not _BESIDE.match(own):
            cuts.append(found.span())
    cuts.append((len(text), len(text)))
    items = [text[a[1] : b[0]].strip().rstrip(".") for a, b in pairwise(cuts)]
    return OpenList(
        text=text,
        head=text[:begin].strip(),
        items=tuple(each for each in items if each),
        done=told,
    )


def tell_rest(listed: OpenList, done: Collection[str]) -> str:
    """Return what is told of a list when some of its items are done; "" where nothing is left.

    The text itself where it cannot be told in parts.
    """
    left = [each for each in listed.left if each not in done]
    if not left:
        return ""
    first_stays = listed.items[0] in left
    # In a row of single words each says as much as the others.
    is_row = len(listed.items) > _STANDS_MIN and not any(
        len(terms(each)) >= _STANDS_MIN for each in listed.items
    )
    stands = (
        first_stays
        or is_row
        or all(len(terms(each)) >= _STANDS_MIN or _STANDS.match(each) for each in left)
    )
    # Without a heading it is a list only if nothing but its label says that it is open.
    if not listed.head and says_open(listed.text):
        return f"{'; '.join(left)}." if all(map(says_open, left)) else listed.text
    if stands:
        sign = "; " if ";" in _WHOLE.sub("", listed.text) else ", "
        end = "." if listed.text.endswith(".") else ""
        return f"{listed.head} {sign.join(left)}{end}".lstrip()
    gone = [_BRACKETS.sub("", each) for each in listed.items if each not in left]
    whole = listed.text.rstrip(".")
    return f"{whole} (since done: {'; '.join(gone)}){listed.text[len(whole) :]}"
