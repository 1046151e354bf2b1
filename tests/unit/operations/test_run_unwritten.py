"""Goal: what could not be written to the branch of runs counts as pushed for nobody.

Method: two clones of one bare remote, and a lock that a killed git left in one of them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.kernel.errors import UnavailableError
from agentx.project.project import Project
from agentx.runs.settings import BRANCH
from tests.support.two_people import FIRST, Two

ALONE = f"{FIRST} is claimed here only, until `agentx run sync`"


def leave_lock(project: Project) -> Path:
    """Leave a lock of git's on the branch of runs, as one does that was killed."""
    lock = project.root / ".git" / "refs" / "heads" / f"{BRANCH}.lock"
    lock.touch()
    return lock


@pytest.mark.promise("runs.claims")
def test_a_claim_that_is_not_on_the_branch_is_one_for_here_alone(both: Two) -> None:
    lock = leave_lock(both.one)

    said = both.start(both.one)

    assert [each for each in said if ALONE in each] == [
        f"what is new is not on the branch {BRANCH}; {ALONE}"
    ]
    assert len([each for each in said if f"remove {lock} if no git runs" in each]) == 1
    assert both.start(both.two) == ()  # the remote knows of nobody
    lock.unlink()
    told = both.sync(both.one).remarks
    assert "claimed it at the remote, which had not seen your claim" in told[0]
    assert both.sync(both.two).remarks == ()
    assert both.holder(both.one) == both.holder(both.two) == "bert"


def test_an_exchange_says_what_is_not_on_the_branch_and_how_to_mend_it(both: Two) -> None:
    lock = leave_lock(both.one)
    both.start(both.one)

    with pytest.raises(UnavailableError) as refused:
        both.sync(both.one)

    assert refused.value.message.startswith(f"what is new is not on the branch {BRANCH}: ")
    assert both.run_id in refused.value.message
    assert f"remove {lock} if no git runs" in refused.value.hint
    lock.unlink()
    assert both.sync(both.one).is_pushed
    both.sync(both.two)
    assert both.holder(both.two) == "anna"  # nobody else claimed it
