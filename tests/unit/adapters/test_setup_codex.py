"""Goal: Codex gets its hooks where its user keeps hooks, loses nothing, and tells us its trust.

Method: `hooks.json` and `config.toml` as people and Codex itself write them; the hashes of
trust are those that a real Codex 0.166 gave for the same entries.
"""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.adapters.codex import config_toml
from agentx.adapters.codex.setup import EVENTS, TRUST_STAYS, edits
from agentx.adapters.codex.trust import trust_state
from agentx.adapters.port import FileEdit, SetupScope
from agentx.adapters.settings.file import is_current
from agentx.adapters.settings.toml_file import sections, with_section, without_section
from agentx.kernel.errors import CorruptRecord, InvalidValue
from tests.support.setup_requests import homes_in, request_in, write

PATH = Path("/home/ada/.codex/config.toml")
HANDLER = {"type": "command", "command": "/data/bin/agentx-hook --harness codex", "timeout": 10}
SERVER = {"command": "/opt/bin/agentx", "args": ["mcp"]}
HOOKS = {"SessionStart": HANDLER, "Stop": HANDLER}

CONFIG = """\
# my Codex
model = "gpt-x"   # the good one

[mcp_servers.docs] # theirs
command = "docs"

[projects."/home/ada/a [b] \\"c\\""]
trust_level = "trusted"
"""

HOOKED = (
    CONFIG
    + """
[[hooks.Stop]]
matcher = "x"
[[hooks.Stop.hooks]]
type = "command"
command = "notify-send done"  # tell me

[hooks.state."/home/ada/.codex/config.toml:stop:0:0"]
trusted_hash = "sha256:00"
"""
)


def by_name(found: tuple[FileEdit, ...]) -> dict[str, FileEdit]:
    return {edit.path.name: edit for edit in found}


def settled(home: Path, **files: str) -> None:
    for name, text in files.items():
        path = home / ".codex" / name.replace("_", ".")
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())


# --- which file ----------------------------------------------------------------------------------


def test_hooks_go_into_hooks_json_and_the_server_into_config_toml(tmp_path: Path) -> None:
    settled(tmp_path, config_toml=CONFIG)

    found = by_name(edits(request_in(tmp_path, mcp=True)))

    hooks = json.loads(found["hooks.json"].after or "")["hooks"]
    assert list(hooks) == list(EVENTS)
    assert hooks["SessionEnd"][0]["hooks"][0]["timeout"] == 3
    config = found["config.toml"].after or ""
    assert config.startswith(CONFIG)
    assert tomllib.loads(config)["mcp_servers"] == {
        "docs": {"command": "docs"},
        "agentx": {
            "command": "/opt/agentx/bin/agentx",
            "args": ["mcp"],
            "startup_timeout_sec": 30,
        },
    }


def test_where_the_user_keeps_hooks_in_toml_ours_go_there_too(tmp_path: Path) -> None:
    settled(tmp_path, config_toml=HOOKED)

    found = by_name(edits(request_in(tmp_path)))

    assert found["hooks.json"].after is None
    hooks = tomllib.loads(found["config.toml"].after or "")["hooks"]
    assert hooks["Stop"][0]["hooks"][0]["command"] == "notify-send done"
    assert "agentx-hook" in hooks["Stop"][1]["hooks"][0]["command"]
    assert set(EVENTS) <= set(hooks)
    assert (found["config.toml"].after or "").startswith(HOOKED)


def test_what_codex_notes_of_trust_is_no_hook(tmp_path: Path) -> None:
    settled(tmp_path, config_toml='[hooks.state."/x/hooks.json:stop:0:0"]\nenabled = false\n')

    found = by_name(edits(request_in(tmp_path)))

    assert found["hooks.json"].after is not None
    assert found["config.toml"].after == found["config.toml"].before


def test_hooks_of_ours_stay_in_the_file_where_they_are(tmp_path: Path) -> None:
    write(edits(request_in(tmp_path)))
    settled(tmp_path, config_toml=HOOKED)

    assert is_current(edits(request_in(tmp_path)))


def test_hooks_in_both_files_are_left_in_the_first(tmp_path: Path) -> None:
    settled(tmp_path, config_toml=config_toml.put_in(HOOKED, PATH, hooks=HOOKS, server=None) or "")
    settled(tmp_path, hooks_json=json.dumps({"hooks": {"Stop": [{"hooks": [HANDLER]}]}}))

    found = by_name(edits(request_in(tmp_path)))

    assert found["config.toml"].after == HOOKED
    assert set(json.loads(found["hooks.json"].after or "")["hooks"]) == set(EVENTS)


@pytest.mark.parametrize("config", [None, CONFIG, HOOKED, CONFIG.rstrip("\n")])
@pytest.mark.parametrize("hooks", [None, '{"hooks": {"Stop": [{"hooks": []}]}}\n', "{}"])
def test_leaving_gives_both_files_back(
    tmp_path: Path, config: str | None, hooks: str | None
) -> None:
    settled(tmp_path, **{} if config is None else {"config_toml": config})
    settled(tmp_path, **{} if hooks is None else {"hooks_json": hooks})
    write(edits(request_in(tmp_path, mcp=True)))
    assert is_current(edits(request_in(tmp_path, mcp=True)))

    found = by_name(edits(request_in(tmp_path, uninstall=True)))

    assert found["config.toml"].after == config
    assert found["hooks.json"].after == hooks


def test_a_project_has_its_own_files(tmp_path: Path) -> None:
    found = edits(request_in(tmp_path, scope=SetupScope.PROJECT))

    assert {edit.path.parent for edit in found} == {tmp_path / "project" / ".codex"}


def test_the_user_is_told_to_trust_the_hooks_and_only_when_they_changed(tmp_path: Path) -> None:
    first = edits(request_in(tmp_path))
    write(first)

    assert any("/hooks" in note for edit in first for note in edit.notes)
    assert not [note for edit in edits(request_in(tmp_path)) for note in edit.notes]


def test_hooks_that_are_switched_off_are_told(tmp_path: Path) -> None:
    settled(tmp_path, config_toml="[features]\nhooks = false\n")

    assert any("false" in note for edit in edits(request_in(tmp_path)) for note in edit.notes)


# --- the text of config.toml ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        CONFIG,
        HOOKED,
        CONFIG.rstrip("\n"),
        HOOKED.replace("\n", "\r\n"),
        CONFIG + "\n\n# the end",
        "# only a comment",
        'a = """\n[mcp_servers.fake]\n"""\n',
        "list = [\n  [1],\n  [\n2]\n]\n",
        "[mcp_servers]\n",
    ],
)
def test_toml_comes_back_byte_for_byte(text: str) -> None:
    after = config_toml.put_in(text, PATH, hooks=HOOKS, server=SERVER)

    assert after is not None
    assert config_toml.put_in(after, PATH, hooks=HOOKS, server=SERVER) == after
    assert config_toml.take_out(after, PATH) == text


KEYS = st.sampled_from(["alpha", "beta", '"with space"', '"a.b"', "tools", "hooks.state.x"])
LINES = st.sampled_from(
    [
        'v1 = "x"',
        "v2 = [1,\n  2, # two\n]",
        "# note",
        "",
        'v3 = """\n[not.a.header]\n"""',
        "v4.k = 1",
    ]
)


@st.composite
def toml_texts(draw: st.DrawFn) -> str:
    names = draw(st.lists(KEYS, unique=True, max_size=4))
    parts = [draw(st.lists(LINES, unique=True, max_size=3))]
    parts += [[f"[{name}]", *draw(st.lists(LINES, unique=True, max_size=3))] for name in names]
    text = "\n".join(line for part in parts for line in part)
    return text + draw(st.sampled_from(["", "\n", "\n\n", "\n# end\n"]))


@settings(max_examples=100, deadline=None)
@given(toml_texts())
def test_any_toml_file_comes_back_byte_for_byte(text: str) -> None:
    if not text.strip():
        return
    after = config_toml.put_in(text, PATH, hooks=HOOKS, server=SERVER)

    assert after is not None
    assert after.startswith(text)
    assert config_toml.take_out(after, PATH) == text


def test_a_file_that_we_made_goes_away_again() -> None:
    made = config_toml.put_in(None, PATH, hooks=HOOKS, server=SERVER)

    assert made is not None
    assert config_toml.take_out(made, PATH) is None


def test_an_older_path_is_updated_in_place_and_comments_stay() -> None:
    text = config_toml.put_in(HOOKED, PATH, hooks=HOOKS, server=SERVER) or ""
    older = text.replace("/data/bin/agentx-hook", "/old/agentx-hook").replace(
        "timeout = 10", "timeout = 99 # mine", 1
    )
    older = older.replace("/opt/bin/agentx", "/old/agentx") + 'env = { A = "1" }\n'

    after = config_toml.put_in(older, PATH, hooks=HOOKS, server=SERVER) or ""

    data = tomllib.loads(after)
    assert [group["hooks"] for group in data["hooks"]["Stop"]][1:] == [[HANDLER]]
    assert data["hooks"]["SessionStart"] == [{"hooks": [HANDLER]}]
    assert data["mcp_servers"]["agentx"] == {**SERVER, "env": {"A": "1"}}
    assert "# tell me" in after
    assert "# the good one" in after


@pytest.mark.parametrize(
    "text",
    [
        "hooks = { Stop = [{ hooks = [] }], Start = [] }\n",
        "[hooks]\nStop = [{ hooks = [{ type = 'command', command = 'x' }] }]\n",
        "[hooks]\nStop = 1\n",
        "mcp_servers = {}\n",
        "mcp_servers = 3\n",
    ],
)
def test_toml_that_cannot_be_edited_safely_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(InvalidValue, match=r"config\.toml") as caught:
        config_toml.put_in(text, PATH, hooks=HOOKS, server=SERVER)

    assert "agentx" in caught.value.hint


def test_a_damaged_file_is_named_with_its_line(tmp_path: Path) -> None:
    settled(tmp_path, config_toml='model = "x"\n[broken\n')

    with pytest.raises(CorruptRecord, match=r"config\.toml: .*line 2"):
        edits(request_in(tmp_path))


def test_sections_are_found_where_they_stand() -> None:
    text = "a = 1\n[b]\nc = 2\n# of d\n[[d.e]]\n\nf = 3\n"

    first, second = sections(text)

    assert (first.keys, first.repeated, text[first.start : first.end]) == (
        ("b",),
        False,
        "[b]\nc = 2\n",
    )
    assert (second.keys, second.repeated) == (("d", "e"), True)
    assert without_section(text, first) == "a = 1\n# of d\n[[d.e]]\n\nf = 3\n"
    assert with_section("a = 1", "[x]") == "a = 1\n\n[x]"


# --- trust ---------------------------------------------------------------------------------------

PROGRAM = "/home/ada/my data/bin/agentx-hook"
# What Codex 0.166 computes for these two entries.
STOP_HASH = "sha256:e17cda4dd97bee1cafc82306e5c2f549f6ab15485c3456c045d1eb20786179bd"
SESSION_END_HASH = "sha256:ce01c71ef213cb3b09415c3e4af212d971b95e90deacd2544e2392defc6faa50"


def trusting(home: Path, hashes: dict[str, str]) -> None:
    states = [
        f'[hooks.state."{home}/.codex/hooks.json:{label}:0:0"]\ntrusted_hash = "{value}"\n'
        for label, value in hashes.items()
    ]
    settled(home, config_toml="\n".join(states))


def two_hooks(home: Path) -> None:
    line = f"'{PROGRAM}' --harness codex"
    handlers = {
        "Stop": {"type": "command", "command": line, "timeout": 10},
        "SessionEnd": {"type": "command", "command": line, "timeout": 3},
    }
    settled(
        home,
        hooks_json=json.dumps({"hooks": {e: [{"hooks": [h]}] for e, h in handlers.items()}}),
    )


def test_hooks_are_trusted_when_codex_noted_their_hashes(tmp_path: Path) -> None:
    two_hooks(tmp_path)
    trusting(tmp_path, {"stop": STOP_HASH, "session_end": SESSION_END_HASH})

    assert trust_state(homes_in(tmp_path), (PROGRAM,)) == "trusted"


def test_one_hook_without_trust_or_changed_since_is_enough_to_warn(tmp_path: Path) -> None:
    two_hooks(tmp_path)
    homes = homes_in(tmp_path)

    trusting(tmp_path, {"stop": STOP_HASH})
    assert trust_state(homes, (PROGRAM,)) == "untrusted"

    trusting(tmp_path, {"stop": STOP_HASH, "session_end": "sha256:00"})
    assert trust_state(homes, (PROGRAM,)) == "untrusted"


def test_a_hook_that_the_user_disabled_does_not_run(tmp_path: Path) -> None:
    two_hooks(tmp_path)
    trusting(tmp_path, {"stop": STOP_HASH, "session_end": SESSION_END_HASH})
    config = tmp_path / ".codex" / "config.toml"
    config.write_text(config.read_text() + "enabled = false\n")

    assert trust_state(homes_in(tmp_path), (PROGRAM,)) == "untrusted"


@pytest.mark.parametrize(
    "config", ["", "[hooks]\nstate = 3\n", '[hooks.state]\n"odd key" = 1\n"a:b:c:d" = {}\n']
)
def test_trust_that_is_written_in_another_way_is_no_trust_and_no_error(
    tmp_path: Path, config: str
) -> None:
    two_hooks(tmp_path)
    settled(tmp_path, config_toml=config)

    assert trust_state(homes_in(tmp_path), (PROGRAM,)) == "untrusted"


def test_nothing_installed_is_said_so(tmp_path: Path) -> None:
    assert trust_state(homes_in(tmp_path), (PROGRAM,)) == "not installed"
    two_hooks(tmp_path)
    assert trust_state(homes_in(tmp_path), ("/another/agentx-hook",)) == "not installed"


def test_taking_the_hooks_out_says_that_codex_keeps_its_note_of_trust(tmp_path: Path) -> None:
    write(edits(request_in(tmp_path)))
    config = homes_in(tmp_path).codex / "config.toml"
    hooks = homes_in(tmp_path).codex / "hooks.json"

    assert by_name(edits(request_in(tmp_path, uninstall=True)))["config.toml"].notes == ()
    state = f'\n[hooks.state."{hooks}:stop:0:0"]\ntrusted_hash = "sha256:00"\n'
    config.write_text(state, encoding="utf-8")
    edit = by_name(edits(request_in(tmp_path, uninstall=True)))["config.toml"]

    assert edit.notes == (TRUST_STAYS,)
    assert state.strip() in (edit.after or "")
