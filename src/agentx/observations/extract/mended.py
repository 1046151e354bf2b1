"""What was found wrong and mended in the same session: told as what it was, with what mended it.

    agent  "`Queue.push` enqueues the item twice when `retry` is set, because ..."
    edits  src/queue.ts

Said in the present, it would be false from the edit on.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, is_claim
from agentx.exchanges.tools import FileChange, Use, file_edits
from agentx.kernel.text import compile_late
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names
from agentx.prose.passages import PASSAGE_CHARS_MAX
from agentx.prose.salience import Occasion, Speech
from agentx.prose.sentences import shorten

_CHARS_MAX = PASSAGE_CHARS_MAX - 40
_TOLD_BY_AGENT = (Occasion.STEP, Occasion.CLOSING, Occasion.REPORT)
_FOUND_WRONG = (Category.KEY_FACT, Category.ERROR)
_IS_DONE = cues.anywhere("now | i (?:fixed|added|changed|made|moved|removed|replaced) | i'?ve")
# What is said of another project is not mended in this one.
_OF_OTHERS = cues.anywhere(
    r"""
    i (?:checked|looked (?:at|into)|compared|read) [^.]{0,80}?\b(?:they|theirs?)
    upstream(?:'s)? | (?:an)?other (?:repo|project)\w*
    """
)
_CODE = compile_late(r"`[^`\n]*`")
_WORD = compile_late(r"[a-z][\w-]+")
# How a reply begins that tells what is the matter.
_FINDS = cues.at_the_start(
    r"""
    found | root cause | there it is | that explains | this explains | here(?:'s| is) (?:the|what)
    the (?:culprit|reason|cause|bug|problem) | i found | reproduced | gefunden
    """
)
_REMOVES = compile_late(r"\bgit rm((?:\s+(?:-\S+|[\w.@/-]+))+)")
_NEAR, _FAR = 2, 4  # exchanges in which it may be mended
_NAME_CHARS_MIN = 4
# What is wrong, and why.
_WRONG = cues.anywhere(
    r"""
    because | since | due to | silently | twice | never | wrong(?:ly)? | bugs? | fails? | missing
    (?:doesn'?t|does not|don'?t|isn'?t|is not|cannot|can'?t|no) | root cause | causes? | leaks?
    hangs? | crash(?:es)? | throws? | breaks? | ignores? | races? | too (?:early|late|many|long)
    """
)
# "It isn't terrible" finds nothing wrong.
_NOT_BAD = compile_late(
    r"(?i:\b(?:isn't|aren't|wasn't|(?:is|are|was) not|not|no)\s+"
    r"(?:(?:an?|the|that|so|too|really|actually|even|such)\s+)*"
    r"(?:terrible|bad|awful|horrible|wrong|broken|worse|harmful|dangerous|bugs?|problems?|issues?"
    r"|big deal|crash(?:es)?|leaks?|races?)\b)"
)


def tell_mended(
    finding: Finding, said: Speech, begins: str, later: Sequence[Exchange], boot: Boot
) -> Finding:
    """Return what an agent found, with where it was mended if it was by what followed.

    `begins` is what the whole reply begins with, `later` the exchange itself and those after it.
    """
    text = said.text
    if said.source not in _TOLD_BY_AGENT or finding.category not in _FOUND_WRONG:
        return finding
    plain = _CODE.sub(" ", text)
    if is_claim(text) or _IS_DONE.search(plain) or _OF_OTHERS.search(plain):
        return finding
    if _WRONG.search(_NOT_BAD.sub(" ", plain)):
        told = _find_mending(finding, text, later[:_FAR], boot) or _find_removal(
            finding, text, later
        )
    elif _FINDS.match(begins):
        told = _find_own_mending(finding, text, later[:_NEAR], boot)
    else:
        return finding
    if not told:
        return finding
    content = f"{shorten(text, _CHARS_MAX)} ({told})"
    return replace(finding, category=Category.ERROR, content=content, summary=content)


def _find_mending(finding: Finding, text: str, later: Sequence[Exchange], boot: Boot) -> str:
    """Return where what a text names was edited; long after it, only where it was taken out."""
    named_code = code_names(text)
    names = [name.rsplit(".", 1)[-1] for name in named_code]
    # A plain word in code ("`acme`") may stand anywhere: it counts where it was taken out.
    telling = [
        name
        for whole, name in zip(named_code, names, strict=True)
        if not whole.islower() or not whole.isalpha()
    ]
    modules = {name.split(".")[-2] for name in named_code[:1] if "." in name}
    quoted = [one.strip("`").lower() for one in _CODE.findall(text) if len(one) > _NAME_CHARS_MIN]
    for number, exchange in enumerate(later):
        for edit in _list_edits(finding, exchange, boot):
            removed, added = "\n".join(edit.removed), "\n".join(edit.added)
            is_mended = any(_has(removed, name) and not _has(added, name) for name in names)
            if number < _NEAR and not is_mended:
                name = edit.path.rsplit("/", 1)[-1]
                is_own = name.partition(".")[0] in modules
                named = _has(text, name) or (
                    is_own and any(one in removed.lower() for one in quoted)
                )
                is_mended = named or any(_has(removed, name) for name in telling)
            if is_mended:
                return f"since mended in {edit.path}"
    return ""


def _has(text: str, name: str) -> bool:
    """Tell whether a text has a name, and not only another one that ends or begins with it."""
    at = text.find(name)
    while at >= 0:
        around = text[at - 1 : at] + text[at + len(name) : at + len(name) + 1]
        if not any(char.isalnum() or char in "_-" for char in around):
            return True
        at = text.find(name, at + 1)
    return False


def _find_own_mending(finding: Finding, text: str, later: Sequence[Exchange], boot: Boot) -> str:
    """Return where the very piece of code was edited that a text is about: `module.name`."""
    names = code_names(text)
    module = names[0].rsplit(".", 1)[0].rsplit(".", 1)[-1] if names and "." in names[0] else ""
    for edit in (each for one in later for each in _list_edits(finding, one, boot)):
        stem = edit.path.rsplit("/", 1)[-1].partition(".")[0]
        removed = "\n".join(edit.removed)
        if module == stem and any(name.rsplit(".", 1)[-1] in removed for name in names):
            return f"since mended in {edit.path}"
    return ""


def _find_removal(finding: Finding, text: str, later: Sequence[Exchange]) -> str:
    """Return what was removed from the project of what a text names."""
    words = frozenset(_WORD.findall(text.lower()))
    for step in (step for each in later[:_NEAR] for step in each.steps):
        if step.call.at_ms < finding.at_ms or step.has_failed or step.use is not Use.SHELL:
            continue
        for match in _REMOVES.finditer(step.command):
            for path in match[1].split():
                name = path.rstrip("/").rsplit("/", 1)[-1].partition(".")[0].lower()
                if len(name) >= _NAME_CHARS_MIN and name in words:
                    return f"since removed: {path.rstrip('/')}"
    return ""


def _list_edits(finding: Finding, exchange: Exchange, boot: Boot) -> Iterator[FileChange]:
    for step in exchange.steps:
        if step.call.at_ms >= finding.at_ms and not boot.undone.took_back(step):
            yield from file_edits(step)
