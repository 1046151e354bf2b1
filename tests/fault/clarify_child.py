"""A process that asks, answers and resolves on one ledger, for tests to race and to kill.

    python -m tests.fault.clarify_child FOLDER NAME OPERATIONS

Each operation that was acknowledged is printed as `ID STATUS` before the next begins.
"""

from __future__ import annotations

import sys
from pathlib import Path

from agentx.clarification.model import NewQuestion
from agentx.clarification.scope import Scope
from agentx.clarification.service import Clarifications
from agentx.clarification.store.ledgers import LedgerStore
from agentx.host.system import SystemClock
from agentx.kernel.bus import Bus
from agentx.kernel.paths import ProjectPaths
from tests.support.clarifying import PEN

SCOPE = Scope(can_clarify=("architect",))


def main(folder: str, name: str, operations: str) -> None:
    """Do so many operations, in threes."""
    clock = SystemClock()
    store = LedgerStore(ProjectPaths(Path(folder)), clock, PEN)
    room = Clarifications(store, clock=clock, bus=Bus())
    left = int(operations)
    number = 0
    while left > 0:
        number += 1
        request = NewQuestion(
            issue=42, asker="engineer", to="architect", topic=name, question=f"{name} {number}?"
        )
        state = room.ask(request, SCOPE)
        print(state.id, state.status, flush=True)
        for verb in (room.answer, room.resolve):
            left -= 1
            if left > 0:
                state = verb(state.id, f"{name} {number}")
                print(state.id, state.status, flush=True)
        left -= 1


if __name__ == "__main__":
    main(*sys.argv[1:])
