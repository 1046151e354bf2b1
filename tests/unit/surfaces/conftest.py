"""What tests of surfaces share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.contesting import Team
from tests.support.kept import KeptFolder


@pytest.fixture(scope="session")
def kept_team(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[Team]:
    def furnish(place: Path) -> Team:
        with pytest.MonkeyPatch.context() as patch:
            team = Team(place, patch)
            team.begin()
        return team

    return KeptFolder(tmp_path_factory.mktemp("team"), furnish)


@pytest.fixture
def begun(kept_team: KeptFolder[Team], monkeypatch: pytest.MonkeyPatch) -> Team:
    """Give a team with one question to a person, that both have and nobody answered."""
    team = kept_team.lend()
    team.ana.patch = team.bob.patch = monkeypatch
    return team
