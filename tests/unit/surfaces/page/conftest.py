"""One page for all tests of a file: opening a store takes longer than asking it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from tests.support.browsing import Browser, browsing
from tests.support.drafts import draft
from tests.support.remembering import environment_in, remember, sample_project

SLY = (
    "<script>alert(1)</script><svg onload=alert(2)> [x](javascript:alert(3)) \"'><img src=x "
    "onerror=alert(4)> \u202egnp.exe \x1b[31mred\x00 </textarea></pre> <!-- --> ![p](http://x/y)"
)


@pytest.fixture(scope="package")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a project that remembers the sample, and what somebody sly said."""
    made = tmp_path_factory.mktemp("page")
    project = sample_project(made)
    at_ms = project.clock.now_ms() - 10_000
    sly = draft(SLY, session_id="sly", source_id="sly", timestamp_ms=Millis(at_ms))
    long = draft(
        "barnacle " * 120_000, session_id="long", source_id="l", timestamp_ms=Millis(at_ms)
    )
    remember(project, [sly, long])
    return made


@pytest.fixture(scope="module")
def browser(root: Path) -> Iterator[Browser]:
    """Return a person's browser on the page of that project."""
    with browsing(root / "shop", environment_in(root)) as found:
        yield found
