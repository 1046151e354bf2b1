"""Goal: a pager is the one the user named, and none where nobody could turn a page."""

from __future__ import annotations

import pytest

from agentx.surfaces.cli.pager import find_pager

SCREEN = {"TERM": "xterm"}


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({}, ["less"]),
        ({"PAGER": "more -s"}, ["more", "-s"]),
        ({"PAGER": "more", "AGENTX_PAGER": "most"}, ["most"]),
        ({"PAGER": "more", "AGENTX_PAGER": ""}, []),
        ({"AGENTX_PAGER": "cat"}, []),
        ({"PAGER": "'less"}, []),
        ({"LESS": "-X"}, ["less", "-R"]),
        ({"LESS": "-X", "PAGER": "/usr/bin/less -i"}, ["/usr/bin/less", "-i", "-R"]),
        ({"TERM": "dumb"}, []),
    ],
)
def test_the_pager_is_the_one_that_was_named(variables: dict[str, str], words: list[str]) -> None:
    assert find_pager({**SCREEN, **variables}) == words


def test_where_no_terminal_has_a_name_nothing_is_paged() -> None:
    assert find_pager({}) == []
