"""Goal: what the page says is kept of one session, and told of it, is what the product does.

Method: the page's own session is imported, and the page's table and section are held against what
`agentx memory` and `agentx recall` say. "..." on the page stands for words that it leaves out,
and so are lines that the table of contents adds.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.house import House

ROOT = Path(__file__).resolve().parents[2]
SESSION = "tests/fixtures/extraction/codex-telemetry-index.jsonl"
ROW = re.compile(r"^\| ([\w-]+)(, marked as replaced)?: \*(.+?)\* \| .+ \|$", re.MULTILINE)
BESIDE = re.compile(r" \[[^\[\]]*\]\Z")  # who, when, which: other on every machine and day


def read_part() -> str:
    """Return the part of the page that tells of the session."""
    page = (ROOT / "docs/observations.md").read_text("utf-8")
    assert SESSION in page
    return page.split("## One session", 1)[1].split("\n## ", 1)[0]


def take_in(house: House) -> None:
    """Lay the session where Codex would, as one of this project, and import it."""
    raw = (ROOT / SESSION).read_text("utf-8")
    meta = json.loads(raw.splitlines()[0])["payload"]
    name = f"rollout-2026-06-02T15-10-00-{meta['id']}.jsonl"
    path = house.home / ".codex/sessions/2026/06/02" / name
    path.parent.mkdir(parents=True)
    path.write_text(raw.replace(meta["cwd"], str(house.project)), encoding="utf-8")
    house.agentx("import")
    house.agentx("sync")


def matches(said: str, text: str) -> bool:
    """Tell whether a text is what the page says, which may leave words out."""
    pattern = ".*".join(map(re.escape, said.split("...")))
    return re.fullmatch(pattern, " ".join(text.split())) is not None


def test_what_the_page_says_is_kept_and_told_of_a_session_is_what_is(house: House) -> None:
    take_in(house)
    part = read_part()

    rows = re.findall(
        r"^\| ([\w-]+)(, marked as replaced)?: \*(.+?)\* \| .+ \|$", part, re.MULTILINE
    )
    listed = house.json("memory", "list")["observations"]
    kept = [house.json("memory", "show", one["id"])["observation"] for one in listed]
    kept = [one for one in kept if one["category"] != "compaction-summary"]
    left = list(kept)
    for category, replaced, said in rows:
        found = [
            one
            for one in left
            if one["category"] == category
            and bool(one["superseded_by"]) == bool(replaced)
            and matches(said, one["content"])
        ]
        assert found, f"the page lists what is not kept: {said}"
        left.remove(found[0])
    assert [one["content"] for one in left] == [], "kept, and not on the page"

    section = part.split("```")[1].strip().splitlines()
    told = house.agentx("recall", "--budget", "600").stdout.splitlines()
    told = [line for line in told if line.startswith("### ") or ", obs-" in line]
    assert len(told) == len(section), told
    for said, line in zip(section, told, strict=True):
        assert matches(BESIDE.sub("", said), BESIDE.sub("", line)), line


def test_the_sample_tells_of_retries_the_design_that_stands_first(sample_house: House) -> None:
    for budget in ("500", "1500", "9000"):
        told = sample_house.json("recall", "--context", "retries of webhooks", "--budget", budget)[
            "lines"
        ]

        first = told[0]["text"]
        assert first.startswith("The user approved a plan: Retry policy")
        assert all(word in first for word in ("full jitter", "24 h", "Retry-After", "15 min"))
