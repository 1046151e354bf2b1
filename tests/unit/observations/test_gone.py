"""Goal: what a later session saw is gone is not told any more, and nothing else is lost by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time

import pytest

from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.kernel.text import RECALL_CLOSE, RECALL_NOTICE, RECALL_OPEN
from agentx.observations.model import Category, Marking, Observation
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.validity.gone import look_at, mark_gone
from tests.support.time_and_chance import CountingEntropy, FakeClock

BEGUN_MS = 1_772_445_600_000
PATH = "src/naming.go"
KEPT = "`shortName()` builds the name of the file out of `startTime` and the id"
FILE = "package naming\n\nfunc longName(id string) string {\n\treturn nameLength(id)\n}\n"


def observed(number: int, text: str = KEPT, **changes: object) -> Observation:
    fields: dict[str, object] = {
        "id": f"obs-engineer-1-{BEGUN_MS + number}-{number:0>6}",
        "agent": "engineer",
        "issue_number": 1,
        "category": Category.KEY_FACT,
        "content": text,
        "summary": text[:120],
        "tokens": 4,
        "timestamp_ms": Millis(BEGUN_MS + number),
        "session_id": f"s-{number}",
        "files": (PATH,),
        **changes,
    }
    return Observation(**fields)  # type: ignore[arg-type]  # the fields of an observation


def reading(
    text: str = FILE,
    *,
    tool: str = "Read",
    at_ms: int = BEGUN_MS + 50,
    said: str = "",
    response: dict[str, object] | None = None,
    **given: object,
) -> list[Turn]:
    arguments = {"file_path": f"/repo/{PATH}", **given}
    return [
        Turn(event_id="e0", at_ms=Millis(at_ms), kind=TurnKind.PROMPT, text=f"rename it {said}"),
        Turn(
            event_id="e1",
            at_ms=Millis(at_ms),
            kind=TurnKind.CALL,
            tool=tool,
            call_id="c",
            arguments=arguments,
            directory="/repo",
        ),
        Turn(
            event_id="e2",
            at_ms=Millis(at_ms),
            kind=TurnKind.RESULT,
            tool=tool,
            call_id="c",
            text=text,
            response=response or {},
        ),
    ]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JsonObservationStore]:
    made = JsonObservationStore(
        tmp_path / "memory",
        clock=FakeClock(),
        entropy=CountingEntropy(),
        view_folder=tmp_path / "words",
    )
    yield made
    made.close()


def saw(store: JsonObservationStore, old: Observation, turns: list[Turn], **new: object) -> str:
    """Return by what a memory was replaced when a session had read a file."""
    now = observed(90, "Renamed the builder of names in `naming.go`", **new)
    store.store([old, now])
    mark_gone(store, [now], look_at(turns))
    (found,) = store.get_by_ids([old.id])
    return found.superseded_by


def test_code_that_a_later_session_saw_is_gone_is_told_no_more(store: JsonObservationStore) -> None:
    assert saw(store, observed(1), reading()) == observed(90).id


@pytest.mark.parametrize("tool", ["read_file", "view", "ReadFile"])
def test_a_file_is_read_whole_by_whichever_agent_cli(
    store: JsonObservationStore, tool: str
) -> None:
    assert saw(store, observed(1), reading(tool=tool))


@pytest.mark.parametrize(
    ("command", "is_whole"),
    [(f"cat {PATH}", True), (f"cat -n {PATH}", True), (f"sed -n 1,40p {PATH}", False)],
)
def test_a_shell_that_shows_a_file_reads_it(
    store: JsonObservationStore, command: str, *, is_whole: bool
) -> None:
    turns = reading(tool="Bash", command=command)

    assert bool(saw(store, observed(1), turns)) is is_whole


def test_what_tells_of_the_file_now_is_what_replaced_it(store: JsonObservationStore) -> None:
    change = observed(91, "Rename the builder", category=Category.CODE_CHANGE)
    other = observed(92, "The tests take a minute", files=())
    store.store([observed(1), change, other])

    assert mark_gone(store, [change, other], look_at(reading())) == 1
    (found,) = store.get_by_ids([observed(1).id])
    assert found.superseded_by == change.id


@pytest.mark.parametrize(
    "turns",
    [
        pytest.param(reading(FILE + "func shortName() {}\n"), id="it is there"),
        pytest.param(reading(offset=40, limit=20), id="only a piece was read"),
        pytest.param(
            reading(response={"file": {"numLines": 5, "totalLines": 900}}), id="a piece, it says"
        ),
        pytest.param(reading(FILE + "\n[truncated]"), id="what came back was cut"),
        pytest.param(reading(FILE + "x\n" * 2_000), id="as long as what is shown at most"),
        pytest.param(reading(said="and shortName moved to names.go"), id="it was moved"),
        pytest.param(reading(at_ms=BEGUN_MS), id="read before it was written"),
        pytest.param(reading(tool="Grep"), id="it was only searched"),
        pytest.param(reading(""), id="nothing came back"),
        pytest.param([], id="nothing was read"),
    ],
)
def test_what_was_not_seen_to_be_gone_stands(
    store: JsonObservationStore, turns: list[Turn]
) -> None:
    assert saw(store, observed(1), turns) == ""


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"files": ("src/other.go",)}, id="of another file"),
        pytest.param({"files": ()}, id="of no file"),
        pytest.param({"category": Category.DECISION}, id="a decision"),
        pytest.param({"category": Category.ERROR}, id="what broke"),
        pytest.param({"branch": "feature/x"}, id="learnt on another branch"),
        pytest.param({"session_id": "s-90"}, id="of the same session"),
        pytest.param({"text": "The tests of `naming.go` need a clock"}, id="names no code"),
        pytest.param(
            {"text": "`shortName()` calls `longName()` and `nameLength()`"},
            id="most of what it names is there",
        ),
        pytest.param(
            {"text": "Whoever wants a name has to ask for it, and for nothing else: `shortName()`"},
            id="it is about something else",
        ),
    ],
)
def test_what_is_not_about_what_is_gone_stands(
    store: JsonObservationStore, changes: dict[str, object]
) -> None:
    old = observed(1, **changes)  # type: ignore[arg-type]  # the fields of an observation

    assert saw(store, old, reading(), branch="main") == ""


def test_what_a_person_pinned_is_left_alone(store: JsonObservationStore) -> None:
    store.store([observed(1), observed(90)])
    store.mark([Marking(id=observed(1).id, pinned=True)])

    assert mark_gone(store, [observed(90)], look_at(reading())) == 0


def test_that_a_memory_was_told_to_the_session_does_not_keep_it(
    store: JsonObservationStore,
) -> None:
    told = f"{RECALL_OPEN}\n{RECALL_NOTICE}\n- {KEPT}\n{RECALL_CLOSE}"

    assert saw(store, observed(1), reading(said=told))


def test_many_memories_and_a_long_session_take_no_time(store: JsonObservationStore) -> None:
    many = [observed(n, f"`shortName{n}()` and `otherName{n}()` are one") for n in range(1, 400)]
    store.store([*many, observed(990)])
    turns = reading(at_ms=BEGUN_MS + 5_000)
    noise = "word someName another_name " * 400
    turns += [
        Turn(event_id=f"x{n}", at_ms=Millis(BEGUN_MS), kind=TurnKind.REPLY, text=noise)
        for n in range(200)
    ]
    begun = process_time()

    assert mark_gone(store, [observed(990)], look_at(turns)) == 399
    assert process_time() - begun < 5
