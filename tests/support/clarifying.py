"""Clarifications for tests: one value, a room on disk, and a project with a clock in hand."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from agentx.clarification.facts import Answered, Asked, Fact
from agentx.clarification.model import Clarification, NewQuestion
from agentx.clarification.protocol import apply_fact
from agentx.clarification.scope import Scope
from agentx.clarification.service import Clarifications
from agentx.clarification.store.book import Pen
from agentx.clarification.store.ledgers import LedgerStore
from agentx.kernel.bus import Bus
from agentx.kernel.clock import MINUTE_MS, Millis
from agentx.kernel.ids import clarification_id
from agentx.kernel.paths import ProjectPaths
from agentx.kernel.vouching.signatures import Judge
from agentx.kernel.vouching.standing import Vouching
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.trust.ed25519 import find_public, fingerprint, is_signed_by, sign
from tests.support.time_and_chance import START_MS, FakeClock
from tests.support.trusting import trusted

LONG_AGO = "2026-01-01T00:00:00.000Z"
# A workflow in which both may ask, and so wait for each other.
CIRCLE = """
name = "feature"
description = "Everybody may ask."
[[steps]]
id = "architecture"
title = "Decide"
agent = "architect"
can_clarify = ["engineer"]
[[steps]]
id = "implement"
title = "Build"
agent = "engineer"
can_clarify = ["architect"]
"""

SCOPE = Scope(can_clarify=("architect", "product-manager"))


class KeyOfTests:
    """A key that everybody in a test has: what it signs counts."""

    def __init__(
        self, seed: bytes = bytes(32), trusts: Iterable[bytes] = (), *, is_begun: bool = False
    ) -> None:
        self._seed = seed
        self._is_begun = is_begun
        self._known = {fingerprint(find_public(each)): each for each in (seed, *trusts)}

    def stamp(self) -> str:
        return ",".join(sorted(self._known))

    def is_begun(self) -> bool:
        return self._is_begun

    def introduce(self, writer: str) -> None:
        del writer

    def sign(self, message: bytes) -> tuple[str, str]:
        return fingerprint(find_public(self._seed)), sign(self._seed, message)

    def judge(self, key: str, signature: str, message: bytes) -> Vouching:
        if key not in self._known:
            return Vouching.UNTRUSTED if signature else Vouching.UNSIGNED
        is_theirs = is_signed_by(find_public(self._known[key]), signature, message)
        return Vouching.SIGNED if is_theirs else Vouching.FORGED

    def judging(self) -> Judge:
        return self.judge


KEYS = KeyOfTests()
PEN = Pen(writer=lambda: "a1b2c3", secret=lambda: b"a secret of tests", signatures=KEYS)
AGENTS = frozenset({"engineer", "architect", "product-manager", "reviewer", "tester"})


def clarification(
    number: int = 1,
    *,
    issue: int = 42,
    asker: str = "engineer",
    to: str = "architect",
    topic: str = "Session storage",
    question: str = "JWT or server sessions?",
    blocking: bool = True,
    rounds_max: int = 5,
    at_ms: int = START_MS,
) -> Clarification:
    """Return a clarification whose first question is pending."""
    state = Clarification(
        id=clarification_id(issue, number),
        issue=issue,
        asker=asker,
        to=to,
        topic=topic,
        blocking=blocking,
        rounds_max=rounds_max,
        created_ms=Millis(at_ms),
        stale_after_ms=Millis(at_ms + 30 * MINUTE_MS),
    )
    return apply_fact(state, Asked(at_ms=Millis(at_ms), by=asker, body=question))


def after(state: Clarification, *facts: Fact) -> Clarification:
    """Return a clarification after facts that the protocol allows."""
    for fact in facts:
        state = apply_fact(state, fact)
    return state


def answered(state: Clarification, body: str = "JWT.", at_ms: int = START_MS) -> Clarification:
    """Return a clarification after an answer."""
    return apply_fact(state, Answered(at_ms=Millis(at_ms), by=state.to, body=body))


def request(
    *,
    issue: int = 42,
    asker: str = "engineer",
    to: str = "architect",
    topic: str = "Session storage",
    question: str = "JWT or server sessions?",
    blocking: bool = True,
) -> NewQuestion:
    """Return a request."""
    return NewQuestion(
        issue=issue, asker=asker, to=to, topic=topic, question=question, blocking=blocking
    )


@dataclass(slots=True)
class Room:
    """The ledgers of a folder, and everything the bus was told."""

    paths: ProjectPaths
    clock: FakeClock
    store: LedgerStore
    clarifications: Clarifications
    told: list[object] = field(default_factory=list)

    def ask(self, wanted: NewQuestion | None = None, scope: Scope = SCOPE) -> Clarification:
        """Put a question."""
        return self.clarifications.ask(wanted or request(), scope)


def room(root: Path) -> Room:
    """Open a room in a folder."""
    clock, bus = FakeClock(), Bus()
    paths = ProjectPaths(root)
    store = LedgerStore(paths, clock, PEN)
    made = Room(
        paths=paths,
        clock=clock,
        store=store,
        clarifications=Clarifications(store, clock=clock, bus=bus),
    )
    bus.listen(object, made.told.append)
    return made


def project_at(root: Path, clock: FakeClock | None = None) -> Project:
    """Open a project in a folder of its own, with a clock in the hands of the test."""
    folder = root / "shop"
    (folder / ".agentx").mkdir(parents=True, exist_ok=True)
    environment = read_environment({"HOME": str(root / "home"), "PATH": "/nowhere"})
    return trusted(replace(open_project(folder, environment), clock=clock or FakeClock()))


def ids(states: Iterable[Clarification]) -> tuple[str, ...]:
    """Return the ids of clarifications."""
    return tuple(state.id for state in states)


def let_go(project: Project) -> None:
    """Hold nothing of a checkout's questions: as in one in which they were never seen."""
    shutil.rmtree(project.held_questions, ignore_errors=True)
