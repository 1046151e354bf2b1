"""Goal: what the environment says of homes, versions and wishes is read as it is meant."""

from __future__ import annotations

import os
import pwd

import pytest

from agentx import __version__
from agentx.kernel.places import data_root, home_folder, is_no, is_older


@pytest.mark.parametrize("said", [{}, {"HOME": ""}, {"HOME": "mine"}, {"HOME": "."}])
def test_a_home_that_depends_on_where_one_is_is_no_home(said: dict[str, str]) -> None:
    own = pwd.getpwuid(os.getuid()).pw_dir
    assert home_folder(said) == own
    assert data_root(said) == os.path.join(own, ".local/share/agent-memory")  # noqa: PTH118  as the hook


def test_who_has_no_home_at_all_has_one_where_nothing_can_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_000)
    assert home_folder({}) == os.devnull


def test_versions_are_compared_as_numbers() -> None:
    assert is_older("0.9.2", "0.10.0")
    assert not is_older("0.10.0", "0.9.2")
    assert not is_older(__version__, __version__)
    assert is_older("0.9rc1", "0.9.1")
    assert not is_older("0.9.0rc1", "0.9.0")
    assert not is_older("0.9.0", "0.9.0rc1")


@pytest.mark.parametrize("odd", ["of tomorrow", "", ".", "-1", "9" * 5_000])
def test_a_version_that_cannot_be_read_comes_before_none(odd: str) -> None:
    assert not is_older(odd, __version__)
    assert not is_older(__version__, "")


def test_a_variable_may_say_no_in_several_ways() -> None:
    assert all(map(is_no, ("", "0", "false", "No", " off ")))
    assert not any(map(is_no, ("1", "true", "yes", "github")))
