"""Goal: an approved plan is told by what is to be, and not at all once another replaced it."""

from __future__ import annotations

import pytest

from agentx.exchanges.turns import TurnKind
from agentx.observations.extract.settled.plans import word_plan
from agentx.observations.model import Category
from tests.support.telling import Talk

ROOM = 290


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (
            (
                "# Up\n\n## Context\nUploads block workers for 40 s.\n\n## Approach\n"
                "- `POST /uploads` returns a signed URL\n\n## Verification\nrun pytest twice\n\n"
                "## Out of scope\nVirus scanning of files"
            ),
            ["`POST /uploads` returns a signed URL"],
        ),
        (
            "# Up\n\n**Problem**: pages are slow.\n\n## Solution\nKeep rendered pages for 60 s.",
            ["Keep rendered pages for 60 s."],
        ),
        (
            (
                "# Up\n\n## 1. Background\n### Was\nCookies.\n\n## 2. Changes\n### a. API\n"
                "Tokens live 8 hours."
            ),
            ["Tokens live 8 hours."],
        ),
        (
            (
                "# Up\n\n## Context\nIt is hidden. We want it open by default.\n\n## Changes\n"
                "Add `isOpen` to the list."
            ),
            ["We want it open by default.", "Add `isOpen` to the list."],
        ),
        (
            (
                "# Up\n\n## Ausgangslage\nAlles liegt auf einer Kiste.\n\n## Vorgehen\n"
                "Postgres zieht auf db-2.\n\n## Pr\u00fcfung\ncurl gegen beide"
            ),
            ["Postgres zieht auf db-2."],
        ),
        (
            "# Up\n\n## Contexte\nTout est lent.\n\n## Approche\nLes pages restent en cache 60 s.",
            ["Les pages restent en cache 60 s."],
        ),
        (
            (
                "# Up\n\n## Current implementation\nBlue buttons.\n\n## Files\n"
                "| file | change |\n|---|---|\n| a.ts | green buttons |"
            ),
            [],
        ),
        (
            "# Up\n\n## Context\nThe list is slow, so it gets an index.",
            ["The list is slow, so it gets an index."],
        ),
    ],
)
def test_a_plan_is_told_by_what_is_to_be(plan: str, told: list[str]) -> None:
    assert word_plan(plan, "Up", ROOM)[1] == told


def _plan(talk: Talk, title: str, what: str, *, path: str = "/h/.claude/plans/tiger.md") -> Talk:
    plan = f"# {title}\n\n## Changes\n{what}"
    at = f"call-{len(talk.turns)}"
    talk.add(
        TurnKind.CALL,
        text="Write",
        tool="Write",
        call_id=at,
        arguments={"file_path": path, "content": plan},
    ).add(TurnKind.RESULT, text="File created", tool="Write", call_id=at)
    at = f"call-{len(talk.turns)}"
    return talk.add(
        TurnKind.CALL, text="plan", tool="ExitPlanMode", call_id=at, arguments={"plan": plan}
    ).add(TurnKind.RESULT, text="User has approved your plan.", tool="ExitPlanMode", call_id=at)


@pytest.mark.parametrize(
    ("what", "path", "is_replaced"),
    [
        ("`restoreLogs()` and `listSessions()` read `transcript_path`.", "tiger", True),
        ("`drawLogo()` paints the head of the page.", "tiger", False),
        ("`restoreLogs()` and `listSessions()` read `transcript_path`.", "lion", False),
    ],
)
def test_a_plan_written_over_by_one_on_the_same_code_is_not_told(
    what: str, path: str, is_replaced: bool
) -> None:
    talk = Talk().user("plan the restore of sessions")
    _plan(
        talk,
        "Hash of folders",
        "`restoreLogs()` and `listSessions()` name a folder by its hash.",
    )
    talk.agent("Built.").user("we store the path already, so just read it")
    _plan(talk, "Stored transcripts", what, path=f"/h/.claude/plans/{path}.md").agent("Built.")

    told = [
        one.content for one in talk.found(Category.DECISION) if "approved a plan" in one.content
    ]

    assert [("Hash" in each) for each in told] == ([False] if is_replaced else [True, False])
