"""Whether a ruling of a person overrules an older one.

Both are about the same thing, and the newer one gives up what the older one was for, forbids what
it wanted, allows what it forbade, or gives another value.

Laws: a ruling on another thing overrules nothing. Each having a scope that the other has not, they
are two; and what is ruled for a part takes nothing back of the whole. What rules several things
stands while most of it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentx.prose.settling import stance_words as table
from agentx.prose.settling.stances import SUBJECT, Stance, StancePiece, Terms

_NOTHING: Terms = frozenset()
_HALVES = 2
_MOVED_TO = ("to", "onto", "auf", "vers", "sur", "a")
_TELLING_WORDS = 2  # of a sentence that rules something of its own


def overrules(new: Sequence[Stance], old: Sequence[Stance]) -> bool:
    """Tell whether one ruling overrules another, or at least half of what it rules."""
    ruling = [(mine, mine.named) for mine in new if not mine.adds]
    named = [theirs.named for theirs in old]
    # Those that share no word are of two things, whatever they rule.
    gone = [
        any(not words.isdisjoint(about) and _overrules(mine, theirs) for mine, words in ruling)
        for theirs, about in zip(old, named, strict=True)
    ]
    taken = {theirs.sentence for theirs, is_gone in zip(old, gone, strict=True) if is_gone}
    if not taken or 2 * len(taken) < len(_list_ruling(old) | taken):
        return False
    # Of several numbers that are set one by one, one is not all.
    setting = [is_gone for theirs, is_gone in zip(old, gone, strict=True) if theirs.measures]
    return len(setting) == 1 or all(setting)


def rules_several(stances: Iterable[Stance]) -> bool:
    """Tell whether a ruling is made of so many that one is no half of it."""
    return len(_list_ruling(stances)) > _HALVES


def _list_ruling(stances: Iterable[Stance]) -> set[int]:
    """Return the sentences that rule something of their own."""
    return {
        each.sentence for each in stances if len(each.named) + bool(each.kind) >= _TELLING_WORDS
    }


def _overrules(new: Stance, old: Stance) -> bool:
    # Asked of very many: one after the other is much faster than by a list of them.
    return (
        _gives_up(new, old)
        or _bans_kind(new, old)
        or _forbids(new, old)
        or _allows(new, old)
        or _takes_another(new, old)
        or _measures_anew(new, old)
    )


def is_of_other(new: Iterable[Stance], old: Iterable[Stance]) -> bool:
    """Tell whether what a ruling gives up is what another one was for, but for another thing."""
    olds = tuple(old)
    pairs = [
        (mine, theirs, thing)
        for mine in new
        for thing in mine.against
        for theirs in olds
        if not theirs.is_denied and any(thing.words <= each.words for each in theirs.pieces)
    ]
    return bool(pairs) and not any(_is_same_scope(*pair) for pair in pairs)


def _gives_up(new: Stance, old: Stance) -> bool:
    """Tell whether the newer one gives up what the older one was for."""
    if old.is_denied or new.is_denied:
        return False
    return any(_is_chosen(thing, old) and _is_same_scope(new, old, thing) for thing in new.against)


def _is_chosen(thing: StancePiece, old: Stance) -> bool:
    """Tell whether a ruling was for a thing: it has a name, or it is what was chosen."""
    for piece in old.pieces:
        if not thing.words <= piece.words or any(thing.words <= each.words for each in old.against):
            continue
        is_chosen = old.kind not in ("", "be") or piece.lead in table.VALUE_PREPOSITIONS
        is_whole = piece.count == thing.count and is_chosen
        if thing.is_named or thing.count > 1 or is_whole:
            return True
    return False


def _bans_kind(new: Stance, old: Stance) -> bool:
    """Tell whether the newer one wants nothing of a kind for what the older one moved to one.

    "move the mail queue to kafka topics"     "no kafka for queues"
    """
    if old.is_denied or new.is_denied or not new.pieces:
        return False
    placed = [each for each in old.pieces if each.lead in _MOVED_TO]
    rest = _join(each for each in old.pieces if each not in placed)
    if len(placed) != 1 or not _join(new.pieces) <= rest:
        return False
    return any(
        each.count == 1 and each.words < placed[0].words and placed[0].count == _HALVES
        for each in new.against
    )


def _is_same_scope(new: Stance, old: Stance, thing: StancePiece) -> bool:
    """Tell whether the newer one holds for what the older one held for, or for more."""
    held = [each for each in old.pieces if thing.words <= each.words]
    theirs = _join(each for each in old.pieces if each not in held)
    # What takes the place of the thing stands where it stood.
    roles = {each.lead for each in held} - table.SCOPE_PREPOSITIONS
    values = [each for each in new.pieces if _may_be_value(new, each) or each.lead in roles]
    scopes = [_join(new.pieces), *(_join_but(new.pieces, value) for value in values)]
    return any(scope <= theirs for scope in scopes)


def _may_be_value(one: Stance, piece: StancePiece) -> bool:
    if piece.lead in table.VALUE_PREPOSITIONS or piece.lead in ("", "="):
        return True
    return one.kind == table.PLACES and piece.lead in table.PLACE_PREPOSITIONS


def _forbids(new: Stance, old: Stance) -> bool:
    """Tell whether the newer one forbids what the older one wanted."""
    if not new.is_denied or old.is_denied:
        return False
    return _is_same_deed(new, old) and bool(new.words) and new.words <= old.words


def _allows(new: Stance, old: Stance) -> bool:
    """Tell whether the newer one wants or allows what the older one forbade."""
    if new.is_denied:
        return False
    return _lifts(new, old) if old.is_denied else _brings_back(new, old)


def _lifts(new: Stance, old: Stance) -> bool:
    """Tell whether the newer one wants the very deed that was forbidden, everywhere."""
    if not old.words or not new.words or not _is_same_deed(new, old):
        return False
    more = [each for each in new.pieces if not each.words <= old.words]
    if any(each.lead not in ("", "=", *table.VALUE_PREPOSITIONS) for each in more):
        return False  # an exception
    is_lifted = new.words <= old.words and (new.permits or new.changes)
    if is_lifted and new.verb == "use" != old.verb and not _is_whole_ban(new, old):
        return False
    return old.words <= new.words or is_lifted


def _is_whole_ban(new: Stance, old: Stance) -> bool:
    """Tell whether what may be used is all that a ban names, beside what must not be done to it."""
    more = old.words - new.words
    return not more or (not old.kind and len(more) == 1)  # the deed


def _brings_back(new: Stance, old: Stance) -> bool:
    """Tell whether the newer one chooses what the older one ruled out for the same thing."""
    if not (new.permits or new.changes or new.kind == table.CHOOSES):
        return False
    values = [each for each in old.pieces if _may_be_value(old, each)]
    scopes = [_join(old.pieces), *(_join_but(old.pieces, value) for value in values)]
    for thing in old.against:
        for held in new.pieces:
            if not thing.words <= held.words or held.count != thing.count:
                continue
            rest = _join_but(new.pieces, held)
            if rest in scopes or (new.permits and not rest):
                return True
    return False


def _is_same_deed(new: Stance, old: Stance) -> bool:
    return new.verb == old.verb or bool(new.kind == old.kind == table.CHOOSES) or new.permits


def _takes_another(new: Stance, old: Stance) -> bool:
    """Tell whether both choose something for the same thing, and not the same."""
    if new.is_denied or old.is_denied or new.kind != old.kind:
        return False
    if new.kind == table.GIVES and new.verb != old.verb:
        return False
    mine, theirs = _split_value(new), _split_value(old)
    if mine is None or theirs is None:
        return False
    value, about, subject = mine
    other, besides, theirs_too = theirs
    if not about or about != besides or value & other:
        return False
    if subject and theirs_too and subject != theirs_too:
        return False
    is_slot = bool(about & table.EXCLUSIVE) or new.kind == table.GIVES
    return is_slot or new.is_exclusive or bool(old.against) or _has_role(new, old)


def _has_role(new: Stance, old: Stance) -> bool:
    """Tell whether both say as what something is taken: there is one of it."""
    return all(
        any(each.lead in ("as", "als", "comme", "como") for each in one.pieces)
        for one in (new, old)
    )


def _split_value(one: Stance) -> tuple[Terms, Terms, Terms] | None:
    """Return the words of what was chosen, of what it was chosen for, and of who does it."""
    if one.kind in (table.CHOOSES, table.GIVES):
        values = [each for each in one.pieces if each.lead == ""]
    elif one.kind == table.PLACES:
        values = [each for each in one.pieces if each.lead in table.PLACE_PREPOSITIONS]
    elif one.kind == "be":
        values = [each for each in one.pieces if each.lead == "="]
    else:
        values = [each for each in one.pieces if each.lead in ("with", "mit", "avec", "con")]
    if not values:
        return None
    value = values[-1]
    doers = [each for each in one.pieces if each.lead == SUBJECT]
    if len(doers) == len(one.pieces) - 1:
        doers = []  # what it is about
    rest = _join(each for each in one.pieces if each is not value and each not in doers)
    return value.words, rest, _join(doers)


def _measures_anew(new: Stance, old: Stance) -> bool:
    """Tell whether both give a number for the same thing, in the same dimension."""
    if new.is_denied or old.is_denied or not new.measures or not old.measures:
        return False
    numbers = [frozenset(each.number for each in one.measures) for one in (new, old)]
    kinds = [sorted(each.dimension for each in one.measures) for one in (new, old)]
    if numbers[0] & numbers[1] or kinds[0] != kinds[1]:
        return False
    about = [_leave_numbers(one) for one in (new, old)]
    if all(each & table.FLOORS for each in about):
        about = [each - table.FLOORS for each in about]
    return bool(about[0]) and about[0] == about[1]


def _leave_numbers(one: Stance) -> Terms:
    """Return what is measured."""
    left = {each for each in one.words if not each[0].isdigit() and each not in table.NUMBER_WORDS}
    if any(each.dimension for each in one.measures):
        left = {each for each in left if each not in table.UNIT_TERMS}
    return frozenset(left)


def _join(pieces: Iterable[StancePiece]) -> Terms:
    return _NOTHING.union(*(each.words for each in pieces))


def _join_but(pieces: Iterable[StancePiece], one: StancePiece) -> Terms:
    return _join(each for each in pieces if each is not one)
