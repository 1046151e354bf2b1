"""Goal: a model is offered once, to who has an agent CLI, and is off unless a person says yes."""

from __future__ import annotations

from pathlib import Path

import pytest

from agentx.llm.settings import LlmSettings
from agentx.operations.setup.model_offer import ModelOffer, answer_offer, find_offer
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project


def project(root: Path, *programs: str, **variables: str) -> Project:
    folder, there = root / "bin", root / "work"
    for path in (folder, there):
        path.mkdir(exist_ok=True)
    for name in programs:
        (folder / name).write_text("#!/bin/sh\n", "utf-8")
        (folder / name).chmod(0o755)
    known = {"HOME": str(root / "home"), "PATH": str(folder), **variables}
    return open_project(there, read_environment(known))


def offered(found: Project) -> ModelOffer:
    offer = find_offer(found)
    assert offer is not None
    return offer


def test_who_has_no_agent_cli_is_asked_nothing(tmp_path: Path) -> None:
    assert find_offer(project(tmp_path, "vi")) is None


@pytest.mark.parametrize(
    ("programs", "provider"),
    [(("codex", "claude"), "claude-code"), (("codex",), "codex"), (("gemini",), "gemini-cli")],
)
def test_the_first_that_is_found_is_offered_with_what_it_costs(
    tmp_path: Path, programs: tuple[str, ...], provider: str
) -> None:
    offer = offered(project(tmp_path, *programs))

    assert offer.provider == provider
    assert "tokens of your plan for each" in offer.question
    assert "Past sessions are not sent" in offer.question


def test_a_yes_sets_it_for_the_user_and_a_no_is_not_asked_again(tmp_path: Path) -> None:
    found = project(tmp_path, "claude")
    assert answer_offer(found, offered(found), lambda _question: False) is False
    assert find_offer(project(tmp_path)) is None
    assert project(tmp_path).config.section(LlmSettings).provider == ""


def test_a_yes_is_the_users_own_setting(tmp_path: Path) -> None:
    found = project(tmp_path, "claude")
    assert answer_offer(found, offered(found), lambda _question: True) is True

    again = project(tmp_path)
    assert again.config.section(LlmSettings).provider == "claude-code"
    assert not (tmp_path / "work" / ".agentx").exists()
    assert find_offer(again) is None


def test_who_has_set_a_model_is_asked_nothing(tmp_path: Path) -> None:
    assert find_offer(project(tmp_path, "claude", AGENTX_LLM_PROVIDER="openai")) is None
