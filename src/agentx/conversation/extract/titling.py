"""By what a segment is found again: the work, its area, its outcome.

Best is what was committed, for its author named it; then what was asked for, of the prompts
that ask for something that can be told by itself. A prompt that only steers ("has the patch
landed?", "push") names nothing. Where nobody asked for anything, it is the weightiest line,
else the files that were changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from agentx.conversation.extract.toolwork import (
    list_changed_files,
    list_named_changes,
    name_plans,
)
from agentx.conversation.model import Event
from agentx.conversation.toc_model import Segment
from agentx.kernel.capture import EventType, MachineWords
from agentx.kernel.text import compile_late
from agentx.prose import titles
from agentx.prose.cues import COUNTS_TESTS
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness
from agentx.prose.limits import TITLE_CHARS_MAX
from agentx.prose.sentences import is_question, shorten, words
from agentx.prose.tasks import names_task

_ALIKE = 0.5
_AREAS_MAX = 2
_AREA_CHARS_MAX = 40
_LINE_CHARS_MAX = 400
_TRUNKS = frozenset({"main", "master", "develop", "dev", "trunk", "HEAD", ""})
_OWNER = compile_late(r"\A(?:.*/)?(?:[A-Za-z]{1,5}-)?(?:\d+[-_])?")
_NAME = compile_late(r"[a-z][A-Z]|\w[._/ -]\w")
_BETWEEN = compile_late(r"[-_]+")
_HEADS_MAX = 3
_NOTICES = "Only notices of the agent CLI"
_ROOM_MIN = 32  # for less, a second part says nothing


def title_of(segment: Segment, best_line: str, keywords: Sequence[str]) -> str:
    """Return a title for a segment, of at most 80 characters."""
    changes = [name for event in segment.events for name in list_named_changes(event)]
    asked = titles.best_request(_task_prompts(segment.events))
    if not asked or is_question(asked):
        # "What about batching?" names less than the plan that was made of it.
        asked = next((each for event in segment.events for each in name_plans(event)), asked)
    files = _list_areas(segment.events)
    heads = _distinct([*map(titles.name_commit, changes), asked])
    if heads:
        named = filter(_NAME.search, keywords)  # a bare word may mean anything
        return _with_area(_join(heads), [*files[:1], *_branches(segment.events), *named])
    tells = words(best_line) > 2 and terms(best_line) and not COUNTS_TESTS.match(best_line)
    line = titles.phrase_title(best_line) if tells else ""
    if line:
        return line
    if files:
        return shorten("Edited " + ", ".join(files[:4]), TITLE_CHARS_MAX)
    before = titles.best_request(_task_prompts(segment.context))
    return before or _anything(segment.events)


def _anything(events: Iterable[Event]) -> str:
    """Name a segment in which nobody asked for anything and nothing was told."""
    spoken = [event for event in events if event.text.strip()]
    said = next((event for event in spoken if is_said(event)), None)
    if spoken and said is None:
        return _NOTICES
    if said is not None:
        line = said.text.strip()[:_LINE_CHARS_MAX].split("\n", 1)[0]
        return shorten(titles.phrase_title(line) or line, TITLE_CHARS_MAX)
    ended = all(event.event_type is EventType.SESSION_END for event in events)
    return "Session ended" if ended else "Session started"


def is_said(event: Event) -> bool:
    """Tell whether somebody said it, an agent that reports among them, and no agent CLI."""
    return event.machine in ("", MachineWords.REPORT)


def _task_prompts(events: Iterable[Event]) -> list[str]:
    return [
        event.text
        for event in events
        if event.event_type is EventType.USER_MESSAGE and names_task(event.text)
    ]


def _distinct(heads: list[str]) -> list[str]:
    """Return the phrases that say something beside those before them."""
    kept: list[str] = []
    for head in heads:
        about = terms(head)
        if about and all(likeness(about, terms(other)) < _ALIKE for other in kept):
            kept.append(head)
    return kept[:_HEADS_MAX]


def _join(heads: list[str]) -> str:
    """Join as many phrases as fit."""
    title = shorten(heads[0], TITLE_CHARS_MAX)
    for head in heads[1:]:
        room = TITLE_CHARS_MAX - len(title) - 2
        if room >= min(len(head), _ROOM_MIN):
            title = f"{title}; {shorten(head, room)}"
    return title


def _with_area(title: str, areas: Iterable[str]) -> str:
    """Add what was worked on most, where there is room and the title is silent of it."""
    if title.endswith(")"):
        return title
    added: list[str] = []
    room = TITLE_CHARS_MAX - len(title) - 3
    for area in areas:
        is_told = area.rsplit(".", 1)[0].lower() in " ".join((title, *added)).lower()
        if is_told or len(area) > min(room, _AREA_CHARS_MAX):
            continue
        added.append(area)
        room -= len(area) + 2
        if len(added) == _AREAS_MAX:
            break
    return f"{title} ({', '.join(added)})" if added else title


def _branches(events: Iterable[Event]) -> list[str]:
    """Return the topic of the branch that was worked on, unless it is everybody's."""
    names = dict.fromkeys(
        branch for event in events if isinstance(branch := event.metadata.get("git_branch"), str)
    )
    topics = (_OWNER.sub("", name[:_LINE_CHARS_MAX]) for name in names if name not in _TRUNKS)
    return [topic for name in topics if (topic := _BETWEEN.sub(" ", name).strip())]


def _list_areas(events: Iterable[Event]) -> list[str]:
    """Return the files that were changed, the most often changed first, tests last."""
    counts = Counter(name for event in events for name in list_changed_files(event))
    order = {name: at for at, name in enumerate(counts)}
    return sorted(counts, key=lambda name: ("test" in name, -counts[name], order[name]))
