"""Which memories speak of code that a later session saw is not there any more.

    kept: "`shortName()` builds the name of the file"            of naming.go
    later: naming.go is read whole, and nobody in that session says `shortName`

Law: a memory is only taken back by what was seen. The file was read whole, by somebody on no
other branch, later than the memory; what the memory is about is missing in it, and so is at least
half of what else it names; and no turn of that session, about whatever file, names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache

from agentx.exchanges.tools import ToolStep, Use, inside, read_path, use_of
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.prose.keyphrases import code_names

_LOOKED_AT_MAX = 500
_HEAD_CHARS = 60  # what a memory is about is named here
_READS = compile_late(r"(?i:read|view|open|cat)")
# What only a piece of a file is asked for with.
_PIECES = frozenset({"offset", "limit", "view_range", "start_line", "end_line", "line", "ranges"})
_SHOWS = compile_late(r"\s*cat (?:-n )?([\w./@+-]+)\s*\Z")
_CUT = compile_late(r"(?i:truncated|more lines|file too large|output too long)")
_CUT_LINES = 2_000
_WORD = compile_late(r"[A-Za-z_]\w{4,}")
_IDENTIFIER = compile_late(r"(?=\w*[a-z0-9][A-Z]|\w*[A-Za-z]_[A-Za-z])[A-Za-z_]\w{4,}\Z")


class Sight:
    """What a session saw of files that it read whole, and all that was said in it."""

    def __init__(self, texts: Mapping[str, tuple[Millis, str]], turns: Sequence[Turn]) -> None:
        self.texts = texts
        self._turns = turns

    @cached_property
    def words(self) -> frozenset[str]:
        """Every name in any turn, but for what memories told; read if it is asked for."""
        found: set[str] = set()
        for turn in self._turns:
            found.update(_WORD.findall(without_recall(turn.text)))
            found.update(_WORD.findall(str(turn.arguments)) if turn.arguments else ())
        return frozenset(found)


def look_at(turns: Sequence[Turn]) -> Sight:
    """Return what a session saw of files whole."""
    asked = {turn.call_id: turn for turn in turns if turn.kind is TurnKind.CALL and turn.call_id}
    texts: dict[str, tuple[Millis, str]] = {}
    for turn in turns:
        call = asked.get(turn.call_id) if turn.kind is TurnKind.RESULT else None
        if call is None or turn.failed or turn.exit_code:
            continue
        named = _find_read(call, turn)
        path = inside(named, call) if named else ""
        if path:
            texts[path] = (turn.at_ms, turn.text)
    return Sight(texts, turns)


def mark_gone(store: ObservationStore, kept: Sequence[Observation], sight: Sight) -> int:
    """Mark what a session saw is gone as replaced by what was kept of it; return how many."""
    if not kept or not sight.texts:
        return 0
    every = "\n".join(text for _, text in sight.texts.values())
    filters = SearchFilters(superseded=False, pinned=False, limit=_LOOKED_AT_MAX)
    rows = store.search_by_filters(filters)
    leads = {row.id: _find_lead(row.summary) for row in rows if _may_go(row.category)}
    missing = {lead for lead in {*leads.values()} if lead and lead not in every}
    ids = [each for each, lead in leads.items() if lead in missing]
    gone = [
        replace(one, superseded_by=_find_teller(kept, path))
        for one in store.get_by_ids(ids)
        if not one.superseded_by and one.session_id != kept[0].session_id
        if (path := _find_missing(one, kept[0].branch, sight))
    ]
    store.amend(gone)
    return len(gone)


def _find_read(call: Turn, result: Turn) -> str:
    """Return the file that a call read, if it came back whole."""
    given = call.arguments
    use = use_of(call)
    if use is Use.SHELL:
        shown = _SHOWS.match(ToolStep(call=call, result=result, use=use).command)
        return shown[1] if shown and _is_whole(result.text) else ""
    if not isinstance(given, Mapping) or use is not Use.OTHER or not _READS.search(call.tool):
        return ""
    told = result.response.get("file")
    if isinstance(told, Mapping) and isinstance(told.get("totalLines"), int):
        return read_path(call) if told.get("numLines") == told["totalLines"] else ""
    is_piece = any(given.get(name) is not None for name in _PIECES)
    return "" if is_piece or not _is_whole(result.text) else read_path(call)


def _is_whole(text: str) -> bool:
    """Tell whether nothing says that what came back was cut."""
    ends = text[:200] + text[-400:]
    return 0 < text.count("\n") < _CUT_LINES and not _CUT.search(ends)


def _may_go(category: Category) -> bool:
    """What was decided, and what broke, stays true of its time."""
    return category in (Category.CODE_CHANGE, Category.KEY_FACT)


# The same rows are looked at with every session that is captured.
@lru_cache(maxsize=1_500)
def _find_lead(text: str) -> str:
    """Return the name of the code that a text is about: the first one in it."""
    return next(_list_names(text[:_HEAD_CHARS]), "")


def _list_names(text: str) -> Iterator[str]:
    for name in code_names(text):
        own = name.rsplit(".", 1)[-1]
        if _IDENTIFIER.match(own):
            yield own


def _find_missing(one: Observation, branch: str, sight: Sight) -> str:
    """Return the file in which what a memory is about is missing."""
    if one.branch and branch and one.branch != branch:
        return ""
    for path in one.files:
        at_ms, text = sight.texts.get(path, (Millis(0), ""))
        if at_ms <= one.timestamp_ms:
            continue
        names = list(dict.fromkeys(_list_names(one.content)))
        missing = [name for name in names if name not in text]
        if not names or names[0] not in missing or 2 * len(missing) < len(names):
            continue
        if sight.words.isdisjoint(missing):
            return path
    return ""


def _find_teller(kept: Iterable[Observation], path: str) -> str:
    """Return the id of what tells how it is now: of the newest change of the file, if there is."""
    name = path.rsplit("/", 1)[-1]
    ranked = sorted(
        kept,
        key=lambda one: (
            path in one.files,
            name in one.content,
            one.category is Category.CODE_CHANGE,
            one.timestamp_ms,
            one.content,
        ),
    )
    return ranked[-1].id
