"""Goal: what decides whose words are a person's is said by no agent, and a refusal is on record."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.host.ancestry import Ancestor
from agentx.kernel.errors import InvalidValue
from agentx.operations.capture.exclude import exclude_from_capture
from agentx.operations.memory.curate import memory_drop, memory_edit, memory_keep, memory_pin
from agentx.operations.memory.write import (
    NewObservation,
    memory_add,
    memory_compact,
    memory_remove,
)
from agentx.operations.setup.leaving.uninstall import LeaveRequest, uninstall
from agentx.operations.setup.settings import SettingPlace, set_setting, unset_setting
from agentx.operations.setup.trust import give_trust, look_at_trust
from agentx.operations.upkeep.carry import restore
from agentx.operations.upkeep.people import require_person_to_pause
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles import caller
from agentx.wiring.observations import open_observations
from tests.support.players import Player

CLAUDE = Ancestor(name="claude", arguments=("claude",), variables={})
PERSONS = {
    "github.notify": "mallory",
    "github.base_url": "http://127.0.0.1:9",
    "github.repository": "mallory/fork",
    "github.token_env": "MALLORY",
    "work.mode": "github",
    "notify.command": "/tmp/x",
    "memory.enabled": "false",
    "memory.maxTokens": "0",
    "memory.backend": "sqlite",
    "agents.role": "engineer",
    "project.id": "other",
    "storage.mode": "unified",
    "backup.keep_days": "0",
    "daemon.auto": "false",
    "agents.runner": "codex",
    "search.all_projects": "true",
    "llm.provider": "openai",
    "llm.base_url": "http://127.0.0.1:9",
    "llm.api_key_env": "MALLORY",
}


def project(root: Path, **variables: str) -> Project:
    (root / "work").mkdir(exist_ok=True)
    known = {"HOME": str(root / "home"), "PATH": "/usr/bin:/bin", **variables}
    return open_project(root / "work", read_environment(known))


def list_acts(here: Project, key: str) -> Iterator[Callable[[], object]]:
    """Yield every way to set or unset one."""
    environment, folder = here.environment, here.directory
    for place in SettingPlace:
        yield partial(set_setting, environment, folder, key, PERSONS[key], place)
        yield partial(unset_setting, environment, folder, key, place)


@pytest.mark.promise("clarify.signed")
@pytest.mark.parametrize("how", ["role", "below"])
def test_no_agent_says_who_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    above = [CLAUDE] if how == "below" else []
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(above))
    here = project(tmp_path, **({"AGENTX_AGENT": "engineer"} if how == "role" else {}))
    for key in PERSONS:
        for act in list_acts(here, key):
            with pytest.raises(NotThePerson, match="only a person"):
                act()
    with pytest.raises(NotThePerson, match="only a person"):
        give_trust(here, look_at_trust(here)[1])
    with pytest.raises(
        NotThePerson, match="only a person can say that the job questions runs no more"
    ):
        require_person_to_pause(here, "questions")

    after = project(tmp_path)
    assert {after.config.rows[key].source for key in PERSONS} == {"default"}
    assert not after.trust.has_data
    audit = here.data.audit.read_text("utf-8")
    assert audit.count("speaker-refused") == len(PERSONS) * len(SettingPlace) * 2 + 2
    assert "github.notify" in audit
    assert "mallory" not in audit
    # What says nothing about people an agent may set as before.
    set_setting(here.environment, here.directory, "daemon.idle_minutes", "9", SettingPlace.USER)


def test_a_person_or_a_script_without_a_role_says_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    here = project(tmp_path)
    for key in PERSONS:
        for act in list_acts(here, key):
            act()
    assert give_trust(here, look_at_trust(here)[1]).data_trusted
    require_person_to_pause(here, "questions")
    assert "speaker-refused" not in here.data.audit.read_text("utf-8")


@pytest.mark.parametrize(
    "name",
    ["human", "Human", "HUMAN.", "-human-", "hum\u0430n", "human\u200b", "\uff48uman", "a person"],
)
def test_no_agent_remembers_something_as_a_person(tmp_path: Path, name: str) -> None:
    here = project(tmp_path)

    with pytest.raises(NotThePerson, match="only a person can say this as human"):
        memory_add(here, NewObservation(text="Buy it.", agent=name, by_mcp=True))

    assert '"speaker-refused"' in here.data.audit.read_text("utf-8")
    kept = memory_add(here, NewObservation(text="Buy it.", agent="engineer", by_mcp=True))
    assert kept.agent == "engineer"


def test_no_agent_rewords_drops_or_removes_what_a_person_had_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path)
    acts: tuple[Callable[[str], object], ...] = (
        lambda name: memory_pin(here, name, pinned=False),
        lambda name: memory_keep(here, name),
        lambda name: memory_edit(here, name, "Buy it."),
        lambda name: memory_drop(here, name),
        lambda name: memory_remove(here, name),
    )
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    kept = [
        memory_add(here, NewObservation(text=f"Never buy it: {at}", agent="human")).id
        for at, _ in enumerate(acts)
    ]
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter([CLAUDE]))
    for name, act in zip(kept, acts, strict=True):
        with pytest.raises(NotThePerson, match="which a person said"):
            act(name)
    own = memory_add(here, NewObservation(text="Sell it.", agent="engineer")).id
    assert memory_edit(here, own, "Sell it all.").content == "Sell it all."
    assert here.data.audit.read_text("utf-8").count('"speaker-refused"') == len(acts)

    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    for name, act in zip(kept, acts, strict=True):
        act(name)


def test_what_an_earlier_version_merged_of_a_person_and_agents_is_the_persons_and_comes_apart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path)
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    said = memory_add(here, NewObservation(text="cut: never cut it [CLR-1-001]", agent="human"))
    noted = memory_add(here, NewObservation(text="cut: yes, cut it", agent="engineer"))
    with closing(open_observations(here)) as room:
        merged = replace(noted, id=f"{noted.id[:-6]}zzzzzz", sources=(said.id, noted.id))
        room.store.put_away((said.id, noted.id))
        room.store.store((merged,))
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter([CLAUDE]))
    for act in (memory_drop, memory_remove, memory_keep):
        with pytest.raises(NotThePerson, match="which a person said"):
            act(here, merged.id)

    assert memory_compact(here).archived == 0
    with closing(open_observations(here)) as room:
        assert {one.id for one in room.store.everything()} == {said.id, noted.id}


def test_no_agent_says_what_is_never_captured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path)
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter([CLAUDE]))
    for remove in (False, True):
        with pytest.raises(NotThePerson, match="what is never captured"):
            exclude_from_capture(here, ".", remove=remove)
    assert exclude_from_capture(here, "", remove=False).excluded == ()
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    assert exclude_from_capture(here, ".", remove=False).added


def test_no_agent_puts_another_memory_in_the_place_of_one_nor_removes_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = project(tmp_path)
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    kept = memory_add(here, NewObservation(text="Never buy it.", agent="human")).id
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter([CLAUDE]))

    with pytest.raises(NotThePerson, match="this memory is replaced"):
        restore(here, tmp_path / "none.tar")
    leaving = LeaveRequest(remove_memory=True)
    with pytest.raises(NotThePerson, match="the memory is removed"):
        uninstall(here.environment, here.directory, lambda _store: False, leaving)

    looks = LeaveRequest(remove_memory=True, dry_run=True)
    assert uninstall(here.environment, here.directory, lambda _store: False, looks).dry_run
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    assert memory_edit(here, kept, "Never.").content == "Never."


@pytest.mark.parametrize("name", ["agent-x", "Agent X"])
def test_nobody_remembers_as_the_hub(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    here = project(tmp_path, AGENTX_AGENT=name)
    for agent in ("", name):
        draft = NewObservation(text=f"The cache is warm {agent}.", agent=agent, by_mcp=True)
        assert memory_add(here, draft).agent == "agent"


@pytest.mark.promise("setup.persons-leave")
@pytest.mark.parametrize("how", ["role", "below"])
def test_no_agent_takes_agentx_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    above = [CLAUDE] if how == "below" else []
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(above))
    variables = {"AGENTX_AGENT": "engineer"} if how == "role" else {}
    here = project(tmp_path, **variables)

    def leave(*, dry_run: bool = False) -> bool:
        wanted = LeaveRequest(dry_run=dry_run)
        return uninstall(here.environment, here.directory, lambda _store: False, wanted).dry_run

    with pytest.raises(NotThePerson, match="only a person can say that AgentX is taken out"):
        leave()
    assert here.data.audit.read_text("utf-8").count('"about":"uninstall"') == 1
    assert leave(dry_run=True)
    # Nor where a setting is wrong, which keeps no person from leaving.
    monkeypatch.setitem(here.environment.variables, "AGENTX_STORAGE_MODE", "nowhere")
    with pytest.raises(NotThePerson, match="only a person can say that AgentX is taken out"):
        leave()
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))
    here = project(tmp_path)
    assert not leave()


@pytest.mark.promise("setup.persons-leave")
@pytest.mark.parametrize("words", ["setup claude-code --uninstall", "daemon uninstall"])
def test_no_agent_takes_a_part_of_agentx_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    player = Player(tmp_path, monkeypatch)
    player.play()
    assert player.agentx("setup", "claude-code", "--yes")[0] in (0, 2)
    player.play("engineer", below="engineer")
    code, said = player.agentx(*words.split())
    assert (code, "only a person can say" in " ".join(said.split())) == (2, True), said
    assert "speaker-refused" in player.project.data.audit.read_text("utf-8")
    player.play()
    assert "only a person" not in player.agentx(*words.split())[1]


def test_a_memory_that_nobody_sees_is_none(tmp_path: Path) -> None:
    here = project(tmp_path)
    draft = NewObservation(text="Prices are in cents.", agent="engineer")
    known = memory_add(here, draft).id

    for unseen in ("\u200b\u2060", "\x1b[31m"):
        with pytest.raises(InvalidValue, match="nothing to remember"):
            memory_edit(here, known, unseen)
        with pytest.raises(InvalidValue, match="nothing to remember"):
            memory_add(here, replace(draft, text=unseen))
