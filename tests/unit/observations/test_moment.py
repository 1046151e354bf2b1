"""Goal: what is of the moment is not kept, and what only looks like it is."""

from __future__ import annotations

import pytest

from agentx.observations.extract import extract
from agentx.observations.extract.session.moment import cut_moment, tells_moment
from agentx.observations.model import Category
from tests.support.telling import Talk

OF_THE_MOMENT = [
    "Commit succeeded \u2014 pre-commit hook passed all checks (903 tests, lint, typecheck).",
    "The push went through.",
    "Commit: `3f78dc9`.",
    "All 312 tests pass.",
    "All unit and integration tests are green.",
    "The full test suite passes now.",
    "Tests pass.",
    "`main` fast-forwarded from `edd74935` to `93fc317e`; `fix/target` is deleted locally.",
    "The branch feature/kiosk is up to date with origin.",
    "The working tree is clean.",
    "I sent that correction to the worktree agent.",
    "I've dispatched a second review agent.",
    "The dispatched agent was instructed to make the smallest pass.",
    "Both reviewers are still running.",
    "Overall, this is a solid change.",
    "Good refactoring!",
    "The design looks excellent.",
    "Verification is done.",
]
MORE_THAN_THAT = [
    "Commit hooks run the linter on staged files.",
    "The push went through only after the tag was deleted on the remote.",
    "All 312 tests pass, but two of them because a fake binary is on the path.",
    "The full test suite passes only with `TZ=UTC`.",
    "All tests must pass before a merge.",
    "`main` is protected: a push needs a review.",
    "`main` is ahead of `next` until the release is cut.",
    "The cache is never invalidated.",
    "I sent the header twice because the proxy drops the first.",
    "The agent is given its token by the launcher, not by the file.",
    "The review agent reads `.agent/rules.md` first.",
    "Good catch: `close()` is never called.",
    "It is a good approach only for small tables.",
    "This is a clean build from source, which takes 20 minutes.",
    "Overall this is a solid update that brings the page in line with the code.",
    "Good refactoring from `setUpOne` to `setUpAll`.",
    "Tests use the staging database.",
    "The build is cached in `target/`.",
]


@pytest.mark.parametrize("sentence", OF_THE_MOMENT)
def test_what_is_of_the_moment_is_known(sentence: str) -> None:
    assert tells_moment(sentence)


@pytest.mark.parametrize("sentence", MORE_THAN_THAT)
def test_what_says_more_is_left_alone(sentence: str) -> None:
    assert not tells_moment(sentence)


def test_a_passage_loses_what_is_of_the_moment_at_its_ends() -> None:
    kept = "Top-level `traces/` stays for old readers."

    assert cut_moment(f"I sent that to the worktree agent. {kept} All tests pass.") == kept
    assert cut_moment(kept) == kept
    assert cut_moment("All tests pass. The working tree is clean.") == ""


def test_nothing_of_the_moment_is_kept_and_a_cause_is_never_a_change() -> None:
    talk = Talk().user("Why was 2.4.1 never on the registry?")
    talk.agent(
        "Root cause: `v2.4.1` is tagged, and the registry never got it. Tags pushed with the"
        " token of the job trigger no other workflow.\n\nI sent that to the release agent."
    )
    talk.user("Mend it.").edit(".ci/publish.yml", "on: tag", "on: workflow_call")
    talk.agent(
        "Root cause: `publish.yml` listened to tags. I changed it to be called by the release"
        " job, so the registry gets each version.\n\nAll 88 tests pass. The working tree is clean."
    )

    kept = [one for one in extract(talk.turns) if one.category is not Category.COMPACTION_SUMMARY]

    told = "\n".join(one.content for one in kept)
    assert "release agent" not in told
    assert "All 88 tests" not in told
    assert "working tree" not in told
    (cause,) = [one for one in kept if "v2.4.1" in one.content and "token" in one.content]
    assert cause.category is Category.ERROR
