"""Write `docs/summaries.md`: the sample told without a model and with one, side by side.

    python -m scripts.summaries_page            writes the page
    python -m scripts.summaries_page --check    leaves with 1 when the page is not what it would be

The page is what the product says: the sample is imported into a throw-away home, the table of
contents is read, and `agentx scheduler run summaries` hands the closed segments to a provider
on the loopback. What that provider answers was written by hand, in `summaries_page.json`, so
that the page is the same every time and costs nothing.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import unified_diff
from pathlib import Path
from typing import Any

from tests.support.house import House, import_sample
from tests.support.scripted_llm import Asked, ScriptedLlm, Step, says

from agentx.daemon.door import connect
from agentx.kernel.paths import StorePaths
from agentx.memory.port import Memory

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "summaries.md"
ANSWERS: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_suffix(".json").read_text(encoding="utf-8")
)
NOTHING = {"title": "", "bullets": [], "keywords": []}
RUNS_MAX = 5
LINES_MIN = 3  # of a segment, or the page leaves it out
Node = dict[str, Any]

INTRODUCTION = """\
# Summaries, without a model and with one

AgentX tells every segment of work in a title and a few lines. By default it chooses: each line is a
sentence that somebody said, picked because it carries a decision, a change, a problem or an
outcome. No model, no key, no network, and the same events always give the same lines. With a model
set (`llm.provider`), closed segments are told again by what the model picks, within a daily cap on
tokens and money.

Both are held to one law: **no line without proof**. A line is kept only if it can be gripped to the
exact words it came from, and `agentx expand` shows them. A model must bring its proof along, and
picks rather than writes: whole clauses that the agent said, whole sentences of a person, in their
words and their order, with every denial, condition and doubt that turns them. What cannot be
proven is dropped, and a summary of which nothing is left is not used. So a model that is wrong, or
down, or broke costs only quality.

Below are {count} segments of the bundled sample, on the left as AgentX tells them by itself, on the
right as a model did. The model here is scripted: its answers were written by hand, so that this
page can be made again at any time (`python -m scripts.summaries_page`); nothing else is staged.
Under each table stand the words that prove its right column.
"""


class Author(ScriptedLlm):
    """A provider that knows the sessions of the sample and answers for some of them."""

    def next_step(self, asked: Asked) -> Step:
        """Answer with what was written for the session that is shown."""
        super().next_step(asked)
        shown = "".join(message["content"] for message in asked.body["messages"])
        for answer in ANSWERS.values():
            lines = [line for line in answer["bullets"] if _is_shown(line["quote"], shown)]
            if len(lines) >= LINES_MIN:
                bullets = [{**line, "event_ids": []} for line in lines]
                return says({**answer, "bullets": bullets})
        return says(NOTHING)


def _is_shown(quote: str, shown: str) -> bool:
    return json.dumps(quote, ensure_ascii=False)[1:-1] in shown


def main() -> int:
    """Write the page, or compare it."""
    with tempfile.TemporaryDirectory(prefix="agentx-page-") as folder:
        house = House(Path(folder))
        import_sample(house)
        page = make_page(house)
    if "--check" in sys.argv[1:]:
        kept = PAGE.read_text(encoding="utf-8")
        sys.stderr.writelines(unified_diff(kept.splitlines(True), page.splitlines(True)))
        return int(kept != page)
    PAGE.write_text(page, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def make_page(house: House) -> str:
    """Return the page, of a house into which the sample was imported; a model tells it anew."""
    plain = _nodes(house)
    with Author().serving() as author:
        _polish(house, author)
    better = _nodes(house)
    written = [node for node in better.values() if node["written_by"].startswith("openai/")]
    assert written, "nothing that the provider answers is believed: see summaries_page.json"
    parts = [INTRODUCTION.format(count=_in_words(len(written)))]
    with _served(house) as memory:
        parts += [_segment(memory, plain, node) for node in written]
    parts.append(_weeks(plain, better))
    return "\n".join(parts)


@contextmanager
def _served(house: House) -> Iterator[Memory]:
    """Let a daemon answer, so that not every question costs a process."""
    house.agentx("daemon", "start")
    try:
        status = house.json("status")
        remote = connect(StorePaths(Path(status["store"])), project=status["project_id"])
        assert remote is not None, "the daemon was just started"
        with remote:
            yield remote
    finally:
        house.agentx("daemon", "stop")


def _polish(house: House, author: ScriptedLlm) -> None:
    surroundings = {
        "AGENTX_LLM_PROVIDER": "openai",
        "AGENTX_LLM_MODEL": "scripted",
        "AGENTX_LLM_BASE_URL": author.url,
        "AGENTX_LLM_IMPORTED": "true",
    }
    for _ in range(RUNS_MAX):
        before = len(author.asked)
        house.agentx("scheduler", "run", "summaries", env=surroundings)
        if len(author.asked) == before:
            return


def _nodes(house: House) -> dict[str, Node]:
    def walked(nodes: list[Node]) -> Iterator[Node]:
        for node in nodes:
            yield node
            yield from walked(node["children"])

    years = house.json("toc", "--depth", "5")["nodes"]
    return {node["node_id"]: node for node in walked(years)}


# --- what the page says -----------------------------------------------------------------------


def _segment(memory: Memory, plain: dict[str, Node], better: Node) -> str:
    before = plain[better["node_id"]]
    day = plain[f"toc:day:{better['node_id'].split(':')[2]}"]["title"].partition(":")[0]
    proofs = [
        f"- {_line(bullet['text'])}\n" + "".join(_quoted(memory, bullet["grip_ids"]))
        for bullet in better["bullets"]
    ]
    return "\n".join(
        (
            f"## {day}: {better['title']}\n",
            f"{before['event_count']} events, {', '.join(before['harnesses'])}.\n",
            *_table(before, better),
            *_dropped(better),
            "<details><summary>The words that prove the right column</summary>\n",
            *proofs,
            "</details>\n",
        )
    )


def _table(plain: Node, better: Node) -> Iterator[str]:
    yield "| without a model | with a model |"
    yield "|---|---|"
    yield f"| **{_cell(plain['title'])}** | **{_cell(better['title'])}** |"
    left = [_cell(bullet["text"]) for bullet in plain["bullets"]]
    right = [_cell(bullet["text"]) for bullet in better["bullets"]]
    for row in range(max(len(left), len(right))):
        one = left[row] if row < len(left) else ""
        other = right[row] if row < len(right) else ""
        yield f"| {one} | {other} |"
    yield ""


def _dropped(better: Node) -> Iterator[str]:
    """Yield what the model said and AgentX did not believe."""
    kept = {bullet["text"] for bullet in better["bullets"]}
    for answer in ANSWERS.values():
        texts = {line["text"]: line["quote"] for line in answer["bullets"]}
        for text, quote in texts.items() if kept & texts.keys() else ():
            if text != quote and text not in kept:
                yield f"The model also wrote: *{text}* Nobody had said so, and it was dropped.\n"


def _quoted(memory: Memory, grip_ids: list[str]) -> Iterator[str]:
    for grip_id in grip_ids:
        found = memory.expand(grip_id, before=0, after=0)
        yield f"  > {_line(found.grip.excerpt)} ({found.excerpt_events[0].role})\n"


def _weeks(plain: dict[str, Node], better: dict[str, Node]) -> str:
    """Show what the weeks tell once some of their segments are told better."""
    parts = [
        "## The weeks\n",
        "A week is told by the weightiest lines of its days, each with the proof it came with.",
        "Where the model wrote a segment, the week tells its lines among the others.\n",
    ]
    for node_id, node in plain.items():
        if node["level"] == "week" and _tell(node) != _tell(better[node_id]):
            parts += [f"### {node['title'].partition(':')[0]}\n", *_table(node, better[node_id])]
    return "\n".join(parts)


def _tell(node: Node) -> tuple[str, ...]:
    return node["title"], *(bullet["text"] for bullet in node["bullets"])


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    """Return text as one line that Markdown does not take for markup of its own."""
    return " ".join(text.split()).replace("<", "&lt;").replace("**", "")


def _in_words(number: int) -> str:
    words = "no one two three four five six seven eight nine ten eleven twelve".split()
    return words[number] if number < len(words) else str(number)


if __name__ == "__main__":
    sys.exit(main())
