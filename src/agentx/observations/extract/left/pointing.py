"""What a reply says is left by pointing at the list above it, or behind what it says is done.

    1. build  2. publish  3. announce ...  "Done: 1. Left open: 2 and 3."    publish; announce
    "Fatto: range a 12. Da fare: la mappa."                                  la mappa

Law: a number that the list does not have points at nothing, and all stays as it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentx.exchanges.lines import Line
from agentx.kernel.text import compile_late

_ITEM = compile_late(r"(?m:^[ \t>]*(?P<number>\d{1,2})[.)][ \t]+(?P<item>\S.*?)[ \t]*$)")
_NUMBERS = r"(?:#|no\. |nr\. |n\. )?\d{1,2}(?:\s?[-\u2013]\s?\d{1,2})?"
_AND = r"(?:, (?:and |und |y |et |e )?| and | und | y | et | e | & ?|, ?|\u3001)"
_LEFT = (
    r"(?:still |noch )?(?:left open|left|open|offen|to[ -]?do|to be done|remaining|remains"
    r"|not (?:yet )?done|missing|noch zu tun|es fehlt|falta[n]?|queda[n]?(?: pendientes?)?"
    r"|pendientes?|reste(?: \u00e0 faire)?|da fare|resta(?:no)?|por fazer)"
)
_POINTS = compile_late(
    rf"(?i:(?:\A|[.;,] )(?P<head>{_LEFT}) ?(?:: |are |is |sind |son )"
    rf"(?:(?:items?|steps?|points?|punkte?|schritte?) )?"
    rf"(?P<numbers>{_NUMBERS}(?:{_AND}{_NUMBERS})*)[.!]?\Z)"
)
_DONE_FIRST = compile_late(
    r"(?i:\A(?:done|finished|erledigt|fertig|hecho|listo|fait|fatto|feito|gedaan) ?: "
    rf"[^;:\n]{{1,160}}[.;] (?={_LEFT} ?: ))"
)
_RANGE = compile_late(r"(\d+)(?:\s?[-\u2013]\s?(\d+))?")


def name_pointed(said: tuple[Line, ...], above: Sequence[str] = ()) -> tuple[Line, ...]:
    """Return lines of a reply, each that only points at what is left with the words of that.

    `above`: the replies before it, of which the last that has a list may be meant.
    """
    return tuple(_name(line, above) for line in said)


def _name(line: Line, above: Sequence[str]) -> Line:
    own = line.own
    found = _POINTS.search(own)
    if found is not None:
        texts = (line.turn.text, *reversed(above))
        listed = next((text for text in texts if _ITEM.search(text)), "")
        items = {each["number"]: each["item"] for each in _ITEM.finditer(listed)}
        named = [items.get(number, "") for number in _list_numbers(found["numbers"])]
        if named and all(named):
            what = "; ".join(each.rstrip(".;") for each in named)
            return replace(line, own=f"{found['head']}: {what}.")
    rest = _DONE_FIRST.sub("", own)
    return replace(line, own=rest) if rest != own else line


def _list_numbers(text: str) -> list[str]:
    found: list[str] = []
    for first, last in _RANGE.findall(text):
        found += [str(each) for each in range(int(first), int(last or first) + 1)]
    return found
