"""What a commit or a person takes instead of something that has no name of its own.

    "Row level security instead of middleware and policies (commit 4444ddd)"
        "The user chose: middleware; ..."                      chosen was just that
        "the middleware for lists, policies for objects"       of all that was left
        "Check lists in the middleware (commit 3333ccc)"       in the same file

A plain word is no name: it takes down only what chose it and nothing else, what is of all that
is named, and what a commit did with it in a file that is changed now.
"""

from __future__ import annotations

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.model import Category
from agentx.observations.validity.given_up import INSTEAD_OF, is_said_by_user
from agentx.observations.validity.reading import ComparedMemory
from agentx.prose.keyphrases import terms

Terms = frozenset[str]

_LEADS = r"(?:(?:the|a|an|our|all|old|any|both|der|die|das|den|el|la|los|le|les|des|il|lo)\s+)*"
_WORD = r"(?:`[^`\n]{1,40}`|[^\W\d][\w-]*)"
_PART = (
    rf"{_LEADS}{_WORD}(?: (?!and |or |und |by |with |for |in |to |et |y |e |as |on ){_WORD}){{0,2}}"
)
_LEFT = compile_late(
    rf"(?i:\b{INSTEAD_OF}\s*(?P<left>{_PART}(?:(?:, | and | or | und | et | y | e ){_PART})*)"
    rf"|\b(?:replac(?:e|es|ed)|ersetz(?:e|t)|remplace|reemplaza|sostituisc\w+)\s+(?P<old>{_PART}"
    rf"(?:(?:, | and | und | et | y | e ){_PART})*)\s+(?:by|with|durch|par|por|con)\b)"
)
# "Mirrors: one share instead of three disks": of what, and what is taken.
_SWAPPED = compile_late(
    rf"(?i:(?P<of>[^:;\n]{{2,40}}?) ?: {_LEADS}(?P<taken>[^:,.;\n]{{2,40}}?)"
    rf" {INSTEAD_OF}\s*)"
)
# "Jobs in GoodJob, no Redis": a name is refused, not a quality ("no duplicates").
_REFUSED_NAME = r"(?:`[^`\n]{2,40}`|[A-Z][\w.+-]*\w)"
_REFUSED = compile_late(
    rf"(?<=\w)`?, (?:no|not|without|kein|keine|ohne|sans|sin|senza|sem|geen) (?:more )?"
    rf"(?P<left>{_REFUSED_NAME}(?:(?:,| and| or| und| et| y|,? no) {_REFUSED_NAME})*)"
    r"(?: any ?more| at all| needed| required)?(?=\s*(?:\(|[.;]|\Z))"
)
_JOINED = compile_late(r"(?i:, | and | or | und | et | y | e )")
_CHOSEN = compile_late(
    r"(?i:\bThe user (?:chose|answered): "
    r"(?:(?:yes|ok(?:ay)?|the|a|an|go with|use|take|let'?s|do)[, ]+)*"
    r"(?P<chosen>[^,.;:\n]{2,40}?)(?: then| it is| please)?(?=[,.;:\n]|\Z)"
    r"|\AThe user said: (?:ok(?:ay)?|yes|fine|alright|vale|gut|ja|bien|s\u00ed|oui|d'accord), "
    r"(?P<agreed>[\w.@+/`-]+)(?: then| it is| please)?(?=[,.;:\n]|\Z)"
    r"|\b(?:let'?s|lass uns|vamos con|allons pour) (?:do|use|take|try|go with|go for|have)? ?"
    r"(?:the |a |an )?(?P<lets>[^,.;:\n]{2,40}?)(?: then| instead| please)?(?=[,.;:\n]|\Z))"
)
# "use redis for the sessions", "pour l'export PDF prends wkhtmltopdf": a bare name, taken.
_USES = compile_late(
    r"(?i:(?<![\w-])(?:use|take|go with|prends?|prenez|utilise[rz]?|utilisons|nimm|nehmen(?: wir)?"
    r"|nutzen?|usar?|usamos|usiamo|usate|gebruik|pak) "
    r"(?!(?:the|a|an|our|it|this|that|le|la|les|un|une|el|los|las|una|uno|der|die|das|den|ein\w*|il"
    r"|lo|i|gli|o|os|as|um|uma|de|het|een|only|no|not|your|my|one|all|more|less)\b)"
    r"(?P<uses>`?[\w.@+-]*\w`?)(?=[\s,.;:)]|\Z))"
)
_DENIED = compile_late(
    r"(?i:\b(?:not?|never|cannot|\w+n'?t|ne|nicht|nie|kein\w*|jamais|nunca|n\u00e3o|non|niet)\b"
    r"[^.;:,\n]*\Z)"
)
_BY = r"(?:in|with|by|via|using|through|mit|per|durch|avec|par|con)"
_MEANS = compile_late(
    rf"(?i:\b{_BY} (?:an? |the |our |einer? )?(?P<means>[\w-]+(?: (?!{_BY}\b)[\w-]+)?))"
)
_COMMITTED = compile_late(r" \(commit |;|\n")
# What is taken, before what is refused for it.
_TAKEN = compile_late(
    r"(?i:(?:\b(?:use|take|with|in|mit|avec|con|com) )?`?[\w.@+-]+`?(?=`?, (?:no|not) ))"
)
# Of what: "Queue: X instead of Y", "Send mails with X instead of Y", "X for mails instead of Y".
_SWAP = compile_late(
    r"(?i:\A(?:(?P<of>[^:\n]{2,60}?)(?: ?:| (?:with|in|over|via|by|through|on|to|using|mit|auf"
    r"|\u00fcber|avec|dans|par|sur|con|en|sobre|com|su)) )?"
    rf"(?:(?!{INSTEAD_OF})[^:\n])*?"
    r"(?: (?:for|f\u00fcr|pour|para|per) (?:the |our )?(?P<scope>[^:\n]{2,60}?))?"
    rf" {INSTEAD_OF}\s*{_PART}(?P<after>[^\n]*)\Z)"
)
_NAME_FOR_NAME = compile_late(
    rf"(?P<taken>`?[\w.@+-]*\w`?) (?i:{INSTEAD_OF})\s*"
    r"(?P<left>`?[\w.@+-]*\w`?)(?=\s*(?:[.;,(]|\Z))"
)
_MARKED = compile_late(r"`|[a-z][A-Z]|[A-Z]{2}|\d|[_/]|\w\.\w")
_CHOSEN_WORDS_MAX = 3


@frozen
class _Left:
    """What a line leaves for another, and what it refuses by its name."""

    subject: str
    parts: list[Terms]
    refused: list[Terms]


def may_replace_plainly(text: str) -> bool:
    """Tell whether a text names what something is taken instead of, or what is refused for it."""
    return _LEFT.search(text) is not None or _REFUSED.search(text) is not None


def replaces_plainly(new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether all that the older one chose or did is named as left."""
    if new.of.at_ms <= old.of.at_ms or new.of.session_id == old.of.session_id != "":
        return False
    is_commit = new.of.category is Category.CODE_CHANGE and "(commit " in new.of.text
    if not (is_commit or is_said_by_user(new.of.text)):
        return False
    left = _read_left(new, is_commit=is_commit)
    is_fact = old.of.category is Category.KEY_FACT and is_said_by_user(old.of.text)
    if is_fact or old.of.category is Category.DECISION:
        return _leaves_choice(left, old)
    return old.of.category is Category.CODE_CHANGE and is_commit and _leaves_work(left, new, old)


def _leaves_choice(left: _Left, old: ComparedMemory) -> bool:
    """Tell whether all that somebody chose or ruled is left."""
    if _is_chosen(left.parts, old) or (len(left.parts) > 1 and _is_of_all(left.parts, old)):
        return True
    return _is_used(left.subject, [*left.parts, *left.refused], old)


def _leaves_work(left: _Left, new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether what a commit did was done by means of what is left."""
    if _swaps_again(left.parts, new, old):
        return True
    refused = [each for each in left.refused if _is_of(left.subject, each, old)]
    # Of a row it is not known, and asked again once it is opened.
    if old.of.is_row or not frozenset(new.of.files).isdisjoint(old.of.files):
        return _is_means([*left.parts, *refused], old)
    # A name is that wherever it stands; a plain word is not.
    names = [one for one in _list_left_names(left.subject) if _is_of(left.subject, one, old)]
    return _is_means([*names, *refused], old)


def _swaps_again(parts: list[Terms], new: ComparedMemory, old: ComparedMemory) -> bool:
    """Tell whether a commit leaves just what an older one took for the same thing."""
    now, then = (_SWAPPED.match(each.text) for each in (new, old))
    if now is None or then is None or terms(now["of"]) != terms(then["of"]):
        return False
    return terms(then["taken"]) in parts


def _read_left(new: ComparedMemory, *, is_commit: bool) -> _Left:
    subject = _COMMITTED.split(new.text, maxsplit=1)[0]
    refused = _list_refused(subject) if is_commit else []
    return _Left(subject=subject, parts=_list_left(subject), refused=refused)


def _list_left(subject: str) -> list[Terms]:
    """Return the words of each thing that something is taken instead of."""
    named = (match["left"] or match["old"] for match in _LEFT.finditer(subject))
    return [words for said in named for part in _JOINED.split(said) if (words := terms(part))]


def _list_left_names(subject: str) -> list[Terms]:
    """Return what is left by its name for another: "WeasyPrint instead of wkhtmltopdf"."""
    found = _NAME_FOR_NAME.search(subject)
    signs = (found["taken"], found["left"]) if found else ()
    return [terms(found["left"])] if found and any(map(_MARKED.search, signs)) else []


def _list_refused(subject: str) -> list[Terms]:
    """Return the names that a commit says it does without: ", no Redis"."""
    named = (match["left"] for match in _REFUSED.finditer(subject))
    return [words for said in named for part in _JOINED.split(said) if (words := terms(part))]


def _is_used(subject: str, parts: list[Terms], old: ComparedMemory) -> bool:
    """Tell whether the user took one of these by its name, for what it is left for now."""
    used = [
        terms(match["uses"])
        for match in _USES.finditer(old.text)
        if not _DENIED.search(old.text[: match.start()])
    ]
    return any(part in used and _is_of(subject, part, old) for part in parts)


def _is_of(subject: str, part: Terms, old: ComparedMemory) -> bool:
    """Tell whether what is said of something left is of what the older one took it for."""
    swapped = _SWAP.search(subject)
    if swapped and swapped["scope"] and not terms(swapped["scope"]) <= old.said:
        return False
    said = f"{swapped['of'] or ''} {swapped['after']}" if swapped else _TAKEN.sub(" ", subject)
    about = terms(said) - part
    return not about or not about.isdisjoint(old.said - part)


def _is_chosen(parts: list[Terms], old: ComparedMemory) -> bool:
    """Tell whether the older one chose one of these, and nothing else."""
    found = _CHOSEN.search(old.of.text)
    said = next(filter(None, found.groups()), "") if found else ""
    chosen = terms(said)
    if not chosen or len(chosen) > _CHOSEN_WORDS_MAX:
        return False
    return any(part <= chosen or chosen <= part for part in parts)


def _is_of_all(parts: list[Terms], old: ComparedMemory) -> bool:
    return is_said_by_user(old.of.text) and all(part <= old.said for part in parts)


def _is_means(parts: list[Terms], old: ComparedMemory) -> bool:
    """Tell whether a commit did something by means of one of these."""
    subject = _COMMITTED.split(old.text, maxsplit=1)[0]
    means = [terms(match["means"]) for match in _MEANS.finditer(subject)]
    return any(held and (held <= part or part <= held) for part in parts for held in means)
