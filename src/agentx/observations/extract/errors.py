"""What went wrong, why, and what mended it.

    a command fails --> what the agent said about it --> what it changed --> the command passes

Two failures of one command with the same error are one. A slip that the agent made in its
own fresh lines and mended at once, without a word, is nobody's business. A cause that was
only explained, where no command failed, is told as well.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from agentx.exchanges import wording
from agentx.exchanges.commands import (
    find_errors,
    is_covered,
    is_routine,
    only_looks,
    plain,
)
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.failing.episodes import Episode, find_episodes
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.tools import Use, file_edits
from agentx.kernel.text import compile_late
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.session.names import list_paths
from agentx.observations.extract.settled.refuted import find_fallen
from agentx.observations.labels import CAUSE, FIXED_BY, PASSED
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import likeness
from agentx.prose.sentences import is_question, shorten, words
from agentx.prose.settling.rulings import drops_attempt

OPEN_FAILURE = "Not seen fixed in this session"
_SAME_ERROR = 0.7
_CAUSES_MAX = 3
_COMMAND_CHARS = 50
_ERROR_CHARS = 120
_LEAD_CHARS_MIN = 16
_ENVIRONMENT = compile_late(
    r"command not found|connection refused|permission denied|no such host|timed? ?out|certificate"
    r"|not installed|cannot find module|no module named|could not (?:connect|resolve)|out of memory"
    r"|requires? (?:rustc|node|python|go)\b|version|unsupported|port \d+|no space left"
    r"|EACCES|ECONN",
    re.IGNORECASE,
)
_CALLED_PROBLEM = compile_late(r"(?:the )?(?:problem|issue|bug|(?:root )?cause)\s*:", re.IGNORECASE)
# What leads to an explanation and is none.
_LED = compile_late(
    r"\A(?:(?:The Problem|Problem|Issue|Found (?:it|the \w+)|I see(?: the \w+)?|So)[.:!,]\s+)+"
)
_MENDING = compile_late(
    r"(?<![\w-])(?:install|sync|update|upgrade|add|up|start|migrate|clean|rm|chmod|set|pin)(?![\w-])"
)
# The form of a check that mends what it finds: `lint:fix`, `--fix`, `format --write`.
_MENDS_ALONE = compile_late(r"[:-](?:auto)?fix\b|\s(?:--write|-w)\b")
_RECORDS = compile_late(r"\bgit\b(?: -\w+ \S+)* (?:add|commit|push)\b")
_FORMATS = compile_late(
    r"\b(?:fmt|format|gofmt|prettier|black|formatter would|would (?:be )?reformat\w*"
    r"|code style issues|not (?:\w+ly )?formatted)\b",
    re.IGNORECASE,
)
_EXPLAINS_ALONE = cues.anywhere(
    r"""
    root cause | race condition | turn(?:s|ed) out | die ursache
    the (?:real |actual |underlying )?(?:issue|problem|bug|culprit|cause) (?:is|was)
    (?:fails?|failed|broke|breaks|hangs?|crash\w*) because | (?:is|was) caused by
    this is (?:a bug|because) | which (?:causes|caused|breaks|broke)
    (?:is|was|are|were) (?:lost|orphaned|never (?:set|called|closed|saved))
    """
)


def names_cause(text: str) -> bool:
    """Tell whether a text begins by calling what it says the problem or its cause."""
    return _CALLED_PROBLEM.match(text) is not None


def errors(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what went wrong and what became of it."""
    episodes = find_episodes(found, boot)
    explained: list[frozenset[str]] = []
    for episode in episodes:
        if not _is_slip(episode) and not _is_given_up(episode):
            explained += [terms(line.own) for line in episode.causes]
            yield _finding(episode, _find_giving_up(episode, found, boot))
    alone = [line for exchange in found for line in _explanations(exchange, boot)]
    fallen = find_fallen(found, boot) if alone else {}
    for line in alone:
        about = terms(line.text)
        has_fallen = line.own in fallen.get(line.turn.event_id, ())
        if not has_fallen and all(likeness(about, other) < _SAME_ERROR for other in explained):
            explained.append(about)
            yield _tell_cause(line)


# --- commands that failed -------------------------------------------------------------------


def _is_slip(episode: Episode) -> bool:
    """Tell whether an agent stumbled over its own last step and went on."""
    text = " ".join((*episode.errors, episode.failure.output[:4_000]))
    if _ENVIRONMENT.search(" ".join(episode.errors)):
        return False
    if episode.causes or _is_mended_by_tool(episode):
        return False
    # What says only that it failed, and what was tried once and given up, teaches nothing.
    if not find_errors(episode.failure.output) or not is_routine(episode.failure.command):
        return True
    own_lines = any(path.rsplit("/", 1)[-1] in text for path in episode.fresh)
    touched = {path for step in episode.fixes for path in (e.path for e in file_edits(step))}
    quick = episode.mended is not None and episode.between <= 6
    return (quick and (own_lines or bool(touched & episode.fresh))) or _is_formatting(episode)


def _is_given_up(episode: Episode) -> bool:
    """Tell whether it came of a trial that was thrown away, or was mended by one."""
    return episode.is_of_trial or (episode.was_for_nothing and not episode.fixes)


def _find_giving_up(episode: Episode, found: list[Exchange], boot: Boot) -> str:
    """Return the words with which the user left what had failed: then nobody has to mend it."""
    if episode.mended is not None:
        return ""
    later = (one.prompt for one in found if one.prompt is not None)
    said = (
        line.own
        for prompt in later
        if prompt.at_ms > episode.failure.call.at_ms
        for line in lines(prompt, boot)
    )
    return next((own for own in said if drops_attempt(own)), "")


def _is_mended_by_tool(episode: Episode) -> bool:
    """Tell whether the project has a command that mends what a check of it found."""
    mended = episode.mended
    return (
        mended is not None
        and plain(mended.command) != plain(episode.failure.command)
        and _MENDS_ALONE.search(plain(mended.command)) is not None
        and not any(step.use is Use.EDIT for step in episode.fixes)
    )


def _is_formatting(episode: Episode) -> bool:
    told = " ".join((plain(episode.failure.command), *episode.errors[:1]))
    return _FORMATS.search(told) is not None


def _finding(episode: Episode, given_up: str = "") -> Finding:
    failure = episode.failure
    causes = _best_causes(episode)
    # A line is short: why it failed is worth more of it than how.
    chars = (_COMMAND_CHARS, _ERROR_CHARS) if causes else (2 * _COMMAND_CHARS, 2 * _ERROR_CHARS)
    command = shorten(plain(failure.command), chars[0])
    code = failure.exit_code
    where = f" in {episode.folder}" if episode.folder else ""
    how = f"{where} (exit {code})" if code else where
    again = f", {episode.times} times" if episode.times > 1 else ""
    first = _fit_error(episode.errors[0], chars[1]) if episode.errors else "no reason was given"
    parts = [f"`{command}` failed{how}{again}: {first}"]
    parts += [f"{CAUSE}{_LED.sub('', line.text)}" for line in causes]
    fixed = _find_fix(episode)
    ran = _find_run_between(episode)
    if episode.mended is not None and not fixed:
        parts.append(f"{PASSED}after {ran}" if ran else f"{PASSED}when it was run again.")
    elif episode.mended is not None:
        parts.append(f"{FIXED_BY}{fixed}")
    elif given_up:
        parts.append(f"Given up: {shorten(given_up, _ERROR_CHARS)}")
    else:
        parts.append(f"{OPEN_FAILURE}." + (f" Tried: {fixed}" if fixed else ""))
    parts += episode.errors[1:]
    ids = [*failure.event_ids, *(line.turn.event_id for line in causes)]
    ids += [name for step in episode.fixes[-6:] for name in step.event_ids]
    ids += episode.mended.event_ids if episode.mended else ()
    lead = f"`{command}` fails{where}: {first}"
    if causes:
        lead = f"{_LED.sub('', causes[0].text)} (`{shorten(command, 60)}` failed)"
    files = [edit.path for edit in episode.changes]
    if episode.folder and not files:  # a runner names files from where it ran
        named = (path.removeprefix("./") for path in list_paths(" ".join(episode.errors)))
        files = [posixpath.normpath(f"{episode.folder}/{path}") for path in named]
    return Finding(
        category=Category.ERROR,
        content="\n".join(parts),
        summary=lead,
        event_ids=tuple(dict.fromkeys(ids)),
        at_ms=failure.call.at_ms,
        files=tuple(dict.fromkeys(files)),
        weight=60
        + 12 * bool(causes)
        + 6 * (episode.mended is None)
        + 3 * min(episode.times - 1, 3),
    )


def _fit_error(text: str, chars: int) -> str:
    """Return an error in so many characters: what is wrong stands at its end as a rule."""
    end = text.rsplit(": ", 1)[-1]
    lead = text[: -len(end)].rstrip(": ")
    room = chars - len(end) - 2
    if len(text) <= chars or end == text or room < _LEAD_CHARS_MIN:
        return shorten(text, chars)
    return f"{shorten(lead, room)} {end}"


def _best_causes(episode: Episode) -> list[Line]:
    about = terms(" ".join(episode.errors))
    ranked = sorted(
        episode.causes,
        key=lambda line: (
            -(
                2 * len(terms(line.own) & about)
                + 3 * bool(cues.EXPLAINS.search(line.own))
                + min(len(code_names(line.own)), 3)
            )
        ),
    )
    chosen: list[Line] = []
    for line in ranked:
        if all(likeness(terms(line.text), terms(other.text)) < 0.6 for other in chosen):
            chosen.append(line)
    chosen = chosen[:_CAUSES_MAX]
    return sorted(chosen, key=lambda line: line.turn.at_ms)


def _find_fix(episode: Episode) -> str:
    edited = {edit.path: None for edit in episode.changes}
    ran: dict[str, None] = {}
    for step in episode.fixes:
        if step.use is Use.SHELL and not step.has_failed and _mends(step.command):
            ran[f"`{shorten(plain(step.command), 120)}`"] = None
    # Where a file was edited, another form of the check is not what mended it.
    mended = None if episode.is_covered or edited else episode.mended
    if mended is not None and plain(mended.command) != plain(episode.failure.command):
        ran[f"`{shorten(plain(mended.command), 160)}`"] = None
    parts = [*list(edited)[:6], *list(ran)[-3:]]
    return ", ".join(parts)


def _find_run_between(episode: Episode) -> str:
    """Return the last commands that did something before it passed: they may have mended it."""
    ran = {
        f"`{shorten(plain(step.command), 120)}`": None
        for step in episode.fixes
        if step.use is Use.SHELL
        and not step.has_failed
        and not only_looks(step.command)
        and not _RECORDS.search(plain(step.command))
        and not is_covered(episode.failure, step)
    }
    return ", ".join(list(ran)[-2:])


def _mends(command: str) -> bool:
    """Tell whether a command changed something; to record what was changed is not to mend it."""
    text = plain(command)
    return bool(_MENDING.search(text)) and not _RECORDS.search(text)


# --- causes that were explained -------------------------------------------------------------


def _explanations(exchange: Exchange, boot: Boot) -> Iterator[Line]:
    for reply in exchange.replies:
        for line in lines(reply, boot):
            own = line.own
            if words(own) < 8 or is_question(own) or own.endswith(":"):
                continue
            if cues.LEANS.match(line.text):
                continue
            if (
                cues.ANNOUNCES.match(own)
                or wording.POSSIBLE.search(own)
                or cues.COURTESY.match(own)
            ):
                continue
            explains = _EXPLAINS_ALONE.search(own) or names_cause(own)
            if explains and (code_names(own) or len(terms(own)) > 5):
                yield line


def _tell_cause(line: Line) -> Finding:
    return Finding(
        category=Category.ERROR,
        content=_LED.sub("", line.text),
        summary=_LED.sub("", line.text),
        event_ids=(line.turn.event_id,),
        at_ms=line.turn.at_ms,
        files=(),
        weight=58 + 4 * min(len(code_names(line.text)), 3),
    )
