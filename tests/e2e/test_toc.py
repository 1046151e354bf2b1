"""Goal: a person asks what was done when, and from every line comes to the words it is made of.

Method: the real hook, commands and daemon in a throw-away home.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agentx.daemon.door import connect
from agentx.kernel.paths import StorePaths
from agentx.memory.remote import RemoteMemory
from tests.support.history import repeated_sample
from tests.support.house import House, prompt

NOON_MS = 1_772_452_800_000  # 2026-03-02T12:00:00Z
JOBS = {"rollup-day", "rollup-week", "rollup-month", "rollup-year", "summaries"}
SEEN_WITHIN_S = 2.0


def until(true: Callable[[], bool], seconds: float = 60) -> float:
    began = time.monotonic()
    while not true():
        assert time.monotonic() < began + seconds, "waited in vain"
        time.sleep(0.02)
    return time.monotonic() - began


def daemon_of(house: House) -> RemoteMemory:
    """Speak to the running daemon: no command, so nothing is brought up to date by asking."""
    status = house.json("status")
    remote = connect(StorePaths(Path(status["store"])), project=status["project_id"])
    assert remote is not None
    return remote


def walked(nodes: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for node in nodes:
        yield node
        yield from walked(node["children"])


def without_versions(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_versions(item) for key, item in value.items() if key != "version"}
    return [without_versions(item) for item in value] if isinstance(value, list) else value


@pytest.mark.promise("toc.live")
def test_the_daemon_alone_takes_a_live_hook_into_the_table(house: House) -> None:
    house.agentx("daemon", "start")
    took = []
    with daemon_of(house) as daemon:

        def seen() -> int:
            return sum(year.event_count for year in daemon.toc_roots())

        for number in range(3):
            assert seen() == number
            house.hook(prompt(f"Please rename berth {number} to quay", prompt_id=f"p-{number}"))
            took.append(until(lambda wanted=number + 1: seen() == wanted))  # type: ignore[misc]  # a test's loop

    assert min(took) <= SEEN_WITHIN_S
    (segment,) = (
        node
        for node in walked(house.json("toc", "--depth", "5")["nodes"])
        if node["level"] == "segment"
    )
    assert segment["title"].startswith("Rename berth")
    assert segment["provisional"]


def test_the_tree_leads_from_the_year_to_the_words(sample_house: House) -> None:
    years = sample_house.json("toc", "--depth", "5")["nodes"]

    nodes = list(walked(years))
    assert [year["node_id"] for year in years] == ["toc:year:2026"]
    assert {node["level"] for node in nodes} == {"year", "month", "week", "day", "segment"}
    for node in nodes:
        assert {"node_id", "title", "bullets", "children", "keywords", "event_count"} <= set(node)
        assert node["title"]
        assert node["bullets"] or node["event_count"] < 3
        for bullet in node["bullets"]:
            assert bullet["text"]
            assert bullet["grip_ids"]
    week = sample_house.json("toc", "toc:week:2026:W11", "--depth", "0")
    assert (week["children"], week["child_count"] > 0) == ([], True)


def test_every_line_of_the_sample_is_proven_by_the_events_that_expand_shows(
    sample_house: House,
) -> None:
    sample_house.agentx("daemon", "start")
    texts = {event["event_id"]: event["text"] for event in sample_house.events()}
    years = sample_house.json("toc", "--depth", "5")["nodes"]
    grips = {
        grip for node in walked(years) for bullet in node["bullets"] for grip in bullet["grip_ids"]
    }
    assert len(grips) > 50

    with daemon_of(sample_house) as daemon:
        for grip_id in grips:
            found = daemon.expand(grip_id, before=2, after=2)
            (event,) = found.excerpt_events
            (span,) = found.grip.spans
            assert texts[event.event_id][span.start : span.end] == found.grip.excerpt
            around = [*found.events_before, event, *found.events_after]
            assert len(around) <= 5
            assert {one.session_id for one in around} == {event.session_id}
            assert around == sorted(around, key=lambda one: (one.timestamp_ms, one.event_id))


def test_expand_writes_the_form_that_programs_rely_on(sample_house: House) -> None:
    day = next(
        node
        for node in walked(sample_house.json("toc", "--depth", "4")["nodes"])
        if node["level"] == "day" and node["bullets"]
    )
    grip_id = day["bullets"][0]["grip_ids"][0]

    found = sample_house.json("expand", grip_id, "--before", "1", "--after", "2")

    assert set(found) == {"grip", "events_before", "excerpt_events", "events_after"}
    assert found["grip"]["grip_id"] == grip_id
    assert found["grip"]["excerpt"] in found["excerpt_events"][0]["text"]
    assert len(found["events_before"]) <= 1
    assert len(found["events_after"]) <= 2
    shown = sample_house.agentx("expand", grip_id).stdout
    assert found["grip"]["excerpt"].split()[0] in shown
    assert found["excerpt_events"][0]["event_id"] in shown


def test_a_person_reads_the_weeks_in_words(sample_house: House) -> None:
    tree = sample_house.agentx("toc").stdout
    assert "2026" in tree
    assert "March 2026" in tree
    assert "toc:week:2026:W10" in tree
    assert "claude-code" in tree
    assert "more: agentx toc toc:week:" in tree

    week = sample_house.agentx("toc", "toc:week:2026:W11").stdout
    assert any(word in week for word in ("decided", "changed", "problem", "outcome"))
    segment = next(
        node
        for node in walked(sample_house.json("toc", "--depth", "5")["nodes"])
        if node["level"] == "segment" and node["bullets"]
    )
    shown = sample_house.agentx("toc", segment["node_id"]).stdout
    assert segment["bullets"][0]["grip_ids"][0] in shown.replace("\n", "").replace(" ", "")


@pytest.mark.parametrize("with_daemon", [False, True])
def test_what_is_not_there_is_refused_in_the_same_words(house: House, with_daemon: bool) -> None:
    if with_daemon:
        house.agentx("daemon", "start")

    assert house.json("toc", "toc:day:1999-01-01", expect=2)["error"]["code"] == "not_found"
    assert house.json("toc", "nonsense", expect=2)["error"]["code"] == "invalid_value"
    absent = f"grip:{NOON_MS}:{'0' * 26}"
    assert house.json("expand", absent, expect=2)["error"]["code"] == "not_found"
    assert house.json("expand", "nonsense", expect=2)["error"]["code"] == "invalid_value"
    told = house.agentx("toc")
    assert (told.stdout + told.stderr).lower().count("nothing is remembered") == 1


def test_with_and_without_a_daemon_the_table_is_the_same(sample_house: House) -> None:
    alone = sample_house.json("toc", "--depth", "5")
    sample_house.agentx("daemon", "start")

    served = sample_house.json("toc", "--depth", "5")

    assert served == alone
    rebuilt = sample_house.json("toc", "--depth", "5", "--rebuild")
    assert without_versions(rebuilt) == without_versions(alone)


@pytest.mark.parametrize("with_daemon", [False, True])
def test_the_jobs_of_the_table_can_be_seen_and_run(house: House, with_daemon: bool) -> None:
    if with_daemon:
        house.agentx("daemon", "start")
    else:
        house.hook(prompt("Rename the berths", prompt_id="p-1"))
        house.agentx("sync")

    listed = {job["name"] for job in house.json("scheduler", "status")["jobs"]}
    assert listed >= JOBS
    for name in sorted(JOBS):
        ran = house.json("scheduler", "run", name)
        assert (ran["result"], ran["name"]) == ("ok", name)
    assert house.json("scheduler", "run", "summaries")["said"] == "segments written by a model: 0"


def test_forgetting_reaches_the_table_at_once(house: House) -> None:
    text = "We decided to keep the wombatine ledger in Postgres."
    house.hook(prompt(text, prompt_id="p-1"), env={"AGENTX_REPLAY_MS": str(NOON_MS)})
    house.agentx("daemon", "start")
    with daemon_of(house) as daemon:
        until(lambda: any("wombatine" in str(node) for node in daemon.toc_roots()))

        house.agentx("forget", "--session", "s-1")

        assert daemon.toc_roots() == ()
    house.agentx("daemon", "stop")
    store = Path(house.json("status")["store"])
    holding = [path for path in store.rglob("*") if path.is_file() and _has(path, b"wombatine")]
    assert holding == []


def _has(path: Path, needle: bytes) -> bool:
    return needle in path.read_bytes()


def test_a_daemon_killed_amid_building_is_followed_by_one_that_goes_on(house: House) -> None:
    part = 80
    size = 3 * part
    history = list(repeated_sample(size))
    kills = 0
    for number, wait_s in enumerate((0.05, 0.0, 0.2)):  # it builds meanwhile
        house.agentx("daemon", "start")
        pid = house.json("daemon", "status")["pid"]
        with daemon_of(house) as daemon:
            daemon.append(history[number * part : (number + 1) * part])
            time.sleep(wait_s)
            kills += not done(daemon, (number + 1) * part)
            os.kill(pid, signal.SIGKILL)
        until(lambda: house.json("daemon", "status")["state"] != "running")
    house.agentx("daemon", "start")

    with daemon_of(house) as daemon:
        until(lambda: done(daemon, size), seconds=60)
    grown = house.json("toc", "--depth", "5")
    rebuilt = house.json("toc", "--depth", "5", "--rebuild")
    assert kills > 0, "it was killed amid building"
    assert without_versions(grown) == without_versions(rebuilt)


def done(daemon: RemoteMemory, size: int) -> bool:
    return sum(year.event_count for year in daemon.toc_roots()) == size


@pytest.mark.parametrize(
    ("words", "nodes"),
    [
        (("2026-03-18",), ["toc:day:2026-03-18"]),
        (("2026-W11",), ["toc:week:2026:W11"]),
        (("2026-03",), ["toc:month:2026:03"]),
        (("march", "2026"), ["toc:month:2026:03"]),
        (("18", "march", "2026"), ["toc:day:2026-03-18"]),
    ],
)
def test_a_time_in_words_opens_its_part_of_the_table(
    sample_house: House, words: tuple[str, ...], nodes: list[str]
) -> None:
    found = sample_house.json("toc", *words)

    assert [node["node_id"] for node in found["nodes"]] == nodes
    assert found["nearest"] == []


def test_a_time_of_which_nothing_is_remembered_names_the_nearest(sample_house: House) -> None:
    found = sample_house.json("toc", "2026-03-14")
    shown = sample_house.agentx("toc", "2026-03-14").stdout

    assert found["nodes"] == []
    assert found["nearest"] == ["toc:day:2026-03-13", "toc:day:2026-03-16"]
    assert "Nothing is remembered of 2026-03-14" in shown
    assert "agentx toc 2026-03-13" in shown
    assert "agentx toc 2026-03-02" in sample_house.agentx("toc", "2026-02-01").stdout


def test_words_that_mean_no_time_are_met_with_examples(sample_house: House) -> None:
    refused = sample_house.agentx("toc", "blurb", expect=2)

    assert "is no time" in refused.stderr
    assert "last week" in refused.stderr


def test_no_line_of_the_table_is_told_twice_on_a_screen(sample_house: House) -> None:
    for arguments in ((), ("--depth", "5"), ("2026-03-18",), ("2026-03", "--depth", "3")):
        lines = sample_house.agentx("toc", *arguments).stdout.splitlines()
        told = [line.strip() for line in lines if "toc:" not in line and len(line) > 40]

        assert len(told) == len(set(told)), arguments
