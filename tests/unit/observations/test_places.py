"""Goal: what failed in one folder of a repository is told with it, and mended only there.

Method: sessions told turn by turn, in a repository with packages.
"""

from __future__ import annotations

import pytest

from agentx.exchanges.places import find_folder, is_apart
from agentx.exchanges.tools import ToolStep, Use
from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.observations.closing.doings import Doings
from agentx.observations.closing.failures import find_mending, tell_mended
from agentx.observations.model import Category
from tests.support.telling import Talk

BROKEN = "src/v.ts(3,10): error TS2307: Cannot find module '@acme/shared'"


@pytest.mark.parametrize(
    ("directory", "arguments", "folder"),
    [
        ("/repo/packages/mobile", {"command": "pnpm build"}, "packages/mobile"),
        ("/repo", {"command": "cd packages/mobile && pnpm build"}, "packages/mobile"),
        ("/repo", {"command": "cd packages; cd 'mobile' && pnpm build"}, "packages/mobile"),
        ("/repo/packages/web", {"command": "cd ../mobile && pnpm build"}, "packages/mobile"),
        ("/repo/packages/web", {"command": "cd /repo && pnpm build"}, ""),
        ("/repo", {"command": "pnpm build", "workdir": "packages/mobile"}, "packages/mobile"),
        ("/repo", {"command": "pnpm build", "dir_path": "/repo/api"}, "api"),
        ("/repo", {"command": "pnpm build"}, ""),
        ("/repo", {"command": "cd /elsewhere && pnpm build"}, ""),
        ("/repo", {"command": "cd ../other && pnpm build"}, ""),
        ("/repo", {"command": 'cd "$(git rev-parse --show-toplevel)" && pnpm build'}, ""),
        ("/repo", {"command": "cd - && pnpm build"}, ""),
        ("/repo", {"command": "pnpm build", "workdir": 7}, ""),
        ("", {"command": "cd api && pnpm build"}, "api"),
    ],
)
def test_a_command_ran_in_the_folder_that_it_went_to(
    directory: str, arguments: dict[str, object], folder: str
) -> None:
    call = Turn(
        event_id="e",
        at_ms=Millis(1),
        kind=TurnKind.CALL,
        arguments=arguments,
        directory=directory,
        root="/repo" if directory else "",
    )

    assert find_folder(ToolStep(call=call, result=None, use=Use.SHELL)) == folder


def test_folders_beside_each_other_are_apart() -> None:
    assert is_apart("packages/mobile", "packages/web")
    assert is_apart("api", "apis")
    assert not is_apart("packages/mobile", "packages")
    assert not is_apart("packages", "packages/mobile")
    assert not is_apart("packages/mobile", "")
    assert not is_apart("", "")


def test_what_failed_in_a_folder_is_told_with_it_and_mended_only_there() -> None:
    talk = Talk().user("why is the mobile build red?")
    talk.shell("cd packages/mobile && pnpm build", BROKEN, 2)
    talk.shell("cd packages/web && pnpm build", "done")

    [failed] = talk.found(Category.ERROR)
    assert failed.content.startswith("`pnpm build` failed in packages/mobile (exit 2): ")
    assert "Not seen fixed" in failed.content
    assert failed.files == ("packages/mobile/src/v.ts",)

    talk.shell("cd packages/mobile && pnpm -F @acme/shared build && pnpm build", "done")
    [mended] = talk.found(Category.ERROR)
    assert "Fixed by: `pnpm -F @acme/shared build && pnpm build`" in mended.content


def test_a_later_session_mends_it_in_the_same_folder_or_from_the_root() -> None:
    talk = Talk().user("build it").shell("cd packages/mobile && pnpm build", BROKEN, 2)
    [failed] = talk.found(Category.ERROR)

    def is_mended(command: str) -> bool:
        later = Talk().user("again").shell(command, "done")
        return (
            find_mending(failed.content.split("\n")[0], Millis(1), Doings(later.turns).passed)
            is not None
        )

    assert not is_mended("cd packages/web && pnpm build")
    assert is_mended("cd packages/mobile && pnpm build")
    assert is_mended("pnpm build")


def test_what_was_run_with_it_in_one_line_mended_it() -> None:
    talk = Talk().user("build it").shell("pnpm build", BROKEN, 2)
    failed = talk.found(Category.ERROR)[0].content.split("\n")[0]
    later = Talk().user("again").shell("pnpm -F @acme/shared build && pnpm build", "done")
    by = find_mending(failed, Millis(1), Doings(later.turns).passed)

    assert by is not None
    assert tell_mended(failed, by).endswith("Fixed by: `pnpm -F @acme/shared build && pnpm build`")


def test_the_same_error_in_two_packages_did_not_happen_twice_in_one() -> None:
    talk = Talk().user("build both")
    talk.shell("cd packages/mobile && pnpm build", BROKEN, 2)
    talk.shell("cd packages/web && pnpm build", BROKEN, 2)

    assert "2 times" not in " ".join(one.content for one in talk.found(Category.ERROR))
