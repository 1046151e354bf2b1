"""What is looked for: words and what narrows them, the same for who sees it and who shares it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from agentx.kernel.capture import Harness
from agentx.kernel.clock import point
from agentx.kernel.values import field, frozen
from agentx.memory.found import REMEMBERED, SearchReply, SearchRequest
from agentx.memory.port import Memory
from agentx.operations.recall.origins import mark_reply
from agentx.surfaces.page.desk import PageDesk

SEEN_MAX = 20
FILTERS = ("kind", "harness", "since", "agent", "issue")
KINDS = {
    "": "everything",
    "observation": "memories",
    "event": "what was said",
    "toc_node": "summaries",
    "clarification": "questions",
    "lesson": "lessons",
    "run_event": "runs",
}
HARNESSES = {"": "all agent CLIs", **{each.value: each.value for each in Harness}}
TIMES = {"": "any time", "1d": "a day", "7d": "a week", "30d": "a month"}


@frozen
class Sought:
    """Words, and by which filter they are narrowed to what."""

    words: str
    chosen: Mapping[str, str] = field(default_factory=dict)

    @property
    def narrowed(self) -> str:
        """What it is narrowed to, in words."""
        said = {**self.chosen}
        said["kind"] = KINDS.get(said.get("kind", ""), said.get("kind", ""))
        said["since"] = TIMES.get(said.get("since", ""), said.get("since", ""))
        return ", ".join(said[name] for name in FILTERS if self.chosen.get(name))


def read_sought(words: str, said: Mapping[str, str], before: str = "") -> Sought:
    """Return what somebody looks for; the filters stand under their names, behind a beginning."""
    chosen = {name: said.get(f"{before}{name}", "").strip() for name in FILTERS}
    return Sought(words=words, chosen=chosen)


def find(desk: PageDesk, memory: Memory, sought: Sought) -> tuple[SearchReply, bool]:
    """Return what is seen of what was found, and whether there is more.

    Raises: InvalidValue for a time or an issue that cannot be.
    """
    reply = mark_reply(desk.project, memory.search(_make_request(desk, sought)))
    is_cut = len(reply.hits) > SEEN_MAX
    return replace(reply, hits=reply.hits[:SEEN_MAX]), is_cut


def _make_request(desk: PageDesk, sought: Sought) -> SearchRequest:
    now_ms = desk.project.clock.now_ms()
    said = {name: sought.chosen.get(name, "") for name in FILTERS}
    since = said["since"]
    return SearchRequest(
        query=sought.words,
        kinds=(said["kind"],) if said["kind"] else REMEMBERED,
        agent=said["agent"],
        harness=said["harness"],
        issue=said["issue"].removeprefix("#"),
        since_ms=point(since, now_ms=now_ms, zone=desk.dates.zone) if since else None,
        now_ms=now_ms,
        limit=SEEN_MAX + 1,
        explain=True,
    )
