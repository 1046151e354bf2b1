"""Goal: a JSON settings file is edited without touching what is not ours.

Method: files as people write them, by hand and generated (comments, trailing commas, tabs,
one-line lists, Windows line ends), with our additions put in and taken out again.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.adapters.settings.additions import Additions, Shape, put_in, take_out
from agentx.adapters.settings.json_file import append_item, read_json, remove_item, replace_value
from agentx.kernel.errors import CorruptRecord, InvalidValue

PATH = Path("/home/ada/.claude/settings.json")
HANDLER = {"type": "command", "command": "/data/bin/agentx-hook --harness x", "timeout": 10}
OLDER = {"type": "command", "command": "/old/place/agentx-hook --harness x"}
THEIRS = {"type": "command", "command": "notify-send done"}
SERVER = {"command": "/opt/bin/agentx", "args": ["mcp"]}
ADDITIONS = Additions(hooks={"Start": HANDLER, "Stop": HANDLER}, server=SERVER)


def there_and_back(text: str, additions: Additions = ADDITIONS) -> str | None:
    return take_out(put_in(text, PATH, additions), PATH, additions)


# --- what people have ----------------------------------------------------------------------------

COMMENTED = """\
{
  // my model
  "model": "opus", // the big one
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "notify-send done" }] } // tell me
    ],
    /* nothing else yet */
  },
  "permissions": {"allow": ["Bash(git *)"]}
}
"""


def test_comments_order_and_one_line_lists_stay_as_they_were() -> None:
    after = put_in(COMMENTED, PATH, ADDITIONS)

    for line in COMMENTED.splitlines():
        assert line.replace(",", "") in after.replace(",", "")
    assert list(read_json(after, PATH).value) == ["model", "hooks", "permissions", "mcpServers"]
    assert take_out(after, PATH, ADDITIONS) == COMMENTED


def test_the_users_own_hooks_come_first() -> None:
    after = read_json(put_in(COMMENTED, PATH, ADDITIONS), PATH).value

    assert after["hooks"]["Stop"] == [{"hooks": [THEIRS]}, {"hooks": [HANDLER]}]


def test_the_indentation_of_the_file_is_used() -> None:
    tabs = '{\n\t"model": "x"\n}\n'

    after = put_in(tabs, PATH, ADDITIONS)

    assert '\n\t"hooks": {\n\t\t"Start": [\n\t\t\t{' in after
    assert "  " not in after


def test_windows_line_ends_and_a_byte_order_mark_stay() -> None:
    text = '\ufeff{\r\n    "model": "x"\r\n}'

    after = put_in(text, PATH, ADDITIONS)

    assert after.startswith("\ufeff{")
    assert after.count("\n") == after.count("\r\n")
    assert take_out(after, PATH, ADDITIONS) == text


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "{}\n",
        "{ }",
        "{\n}\n",
        "{\n\n}\n\n",
        '{"hooks": {}}',
        '{"hooks":{"Stop":[]},"mcpServers":{}}',
        '{"a":1}',
        '{"a": [1, 2,],}',
        '{"hooks": {"Stop": [{"hooks": [{"command": "x"}]}]}}',
        '{\n  "hooks": {\n    "Stop": [{\n      "hooks": []\n    }]\n  }\n}',
        "{ /* empty on purpose */ }",
        "{ // empty\n}",
        '// mine\n{"a": 1 /* one */ , /* two */ "b": 2 // last\n}\n// end\n',
        '{\n  "a": 1,   \n  "b": 2   \n\n\n}',
        '{"text": "\\" // no comment /* \\\\", "emoji": "\U0001f469\u200d\U0001f4bb \u05e9"}',
    ],
)
def test_taking_out_what_was_put_in_gives_the_text_back(text: str) -> None:
    assert put_in(text, PATH, ADDITIONS) != text
    assert there_and_back(text) == text


@pytest.mark.parametrize("text", [None, "", "\n", "  \r\n"])
def test_a_file_that_we_made_goes_away_again(text: str | None) -> None:
    made = put_in(text, PATH, ADDITIONS)

    assert made == json.dumps(json.loads(made), indent=2) + "\n"
    assert take_out(made, PATH, ADDITIONS) is None


def test_a_file_that_its_program_wrote_anew_is_left_by_us_all_the_same() -> None:
    written_anew = json.dumps(json.loads(put_in('{"a": 1}', PATH, ADDITIONS)), indent=4)

    assert json.loads(take_out(written_anew, PATH, ADDITIONS) or "") == {"a": 1}


def test_hooks_that_the_user_added_behind_ours_stay() -> None:
    text = put_in('{\n  "a": 1\n}\n', PATH, ADDITIONS)
    document = append_item(read_json(text, PATH), ("hooks", "Stop"), {"hooks": [THEIRS]})
    document = append_item(document, (), True, key="late")

    left = take_out(document.text, PATH, ADDITIONS)

    assert json.loads(left or "") == {
        "a": 1,
        "hooks": {"Stop": [{"hooks": [THEIRS]}]},
        "late": True,
    }


def test_a_comment_that_the_user_wrote_at_ours_is_never_lost() -> None:
    text = put_in('{"a": 1}', PATH, Additions(hooks={"Stop": HANDLER}))
    noted = text.replace('"hooks": {', '// by agentx\n"hooks": {', 1)

    left = take_out(noted, PATH, ADDITIONS)

    assert left is not None
    assert "// by agentx" in left
    assert read_json(left, PATH).value == {"a": 1}


# --- our own entries -----------------------------------------------------------------------------


def test_a_second_run_changes_nothing() -> None:
    once = put_in(COMMENTED, PATH, ADDITIONS)

    assert put_in(once, PATH, ADDITIONS) == once


def test_an_entry_of_an_older_version_is_updated_where_it_stands() -> None:
    group = {"matcher": "Bash", "hooks": [OLDER, THEIRS]}
    text = json.dumps({"hooks": {"Stop": [group, {"hooks": [THEIRS]}]}}, indent=2)

    hooks = json.loads(put_in(text, PATH, ADDITIONS))["hooks"]

    assert hooks["Stop"] == [
        {"matcher": "Bash", "hooks": [HANDLER, THEIRS]},
        {"hooks": [THEIRS]},
    ]


def test_entries_that_are_there_twice_or_no_longer_wanted_go() -> None:
    text = json.dumps(
        {
            "hooks": {
                "Gone": [{"hooks": [OLDER]}],
                "Stop": [{"hooks": [OLDER, OLDER]}, {"hooks": [OLDER]}],
            }
        },
        indent=2,
    )

    hooks = json.loads(put_in(text, PATH, ADDITIONS))["hooks"]

    assert hooks == {"Stop": [{"hooks": [HANDLER]}], "Start": [{"hooks": [HANDLER]}]}


@pytest.mark.parametrize(
    "command",
    [
        "/usr/bin/agentx-hook --harness x",
        "agentx-hook",
        "'/home/o'\"'\"'hara/my data/agentx-hook' --harness x",
    ],
)
def test_our_program_is_known_at_any_path(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})

    indented = json.dumps(json.loads(text), indent=2)
    assert take_out(indented, PATH, ADDITIONS) is None


@pytest.mark.parametrize(
    "command", ["my-agentx-hook", "echo agentx-hook", "/agentx-hook/run", "'open quote agentx-hook"]
)
def test_another_program_is_never_taken_for_ours(command: str) -> None:
    text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}})

    assert take_out(text, PATH, ADDITIONS) == text
    assert there_and_back(text) == text


def test_the_exec_form_with_an_unquoted_path_is_known() -> None:
    handler = {"command": "/home/a b/agentx-hook", "args": ["--harness", "x"]}
    text = json.dumps({"a": 1, "hooks": {"Stop": [{"hooks": [handler]}]}}, indent=2)

    assert json.loads(take_out(text, PATH, ADDITIONS) or "") == {"a": 1}


def test_what_the_user_set_on_the_server_is_kept() -> None:
    mine = {"command": "/old/agentx", "args": ["mcp"], "env": {"A": "1"}}
    text = json.dumps({"mcpServers": {"agentx": mine, "other": {"command": "x"}}}, indent=2)

    servers = json.loads(put_in(text, PATH, ADDITIONS))["mcpServers"]

    assert servers == {"agentx": {**SERVER, "env": {"A": "1"}}, "other": {"command": "x"}}


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "/usr/bin/other"},
        {"command": "npx", "args": ["-y", "agentx"]},
        {"command": "docker", "args": ["run", "--name", "agentx", "them/agentx", "serve"]},
        {"command": "agentx", "args": "mcp"},
        {"command": "agentx", "args": 1},
        {"url": "https://agentx.example/mcp"},
    ],
)
def test_a_server_of_the_same_name_that_is_not_ours_is_left_alone(entry: dict[str, Any]) -> None:
    text = json.dumps({"mcpServers": {"agentx": entry}})

    assert take_out(text, PATH, ADDITIONS) == text
    with pytest.raises(InvalidValue, match="does not start AgentX"):
        put_in(text, PATH, ADDITIONS)


def test_a_file_with_a_header_goes_when_only_the_header_is_left() -> None:
    additions = Additions(
        hooks={"stop": {"bash": "agentx-hook"}}, shape=Shape.FLAT, header={"version": 1}
    )
    made = put_in(None, PATH, additions)
    shared = put_in('{"version": 1, "hooks": {"stop": [{"bash": "ls"}]}}', PATH, additions)

    assert take_out(made, PATH, additions) is None
    assert json.loads(take_out(shared, PATH, additions) or "")["hooks"] == {
        "stop": [{"bash": "ls"}]
    }


# --- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3),
        ('{\n  "a": \n}', 3),
        ('{"a": "no end', 1),
        ('{"a": 1}\n{"b": 2}', 2),
        ("{\n\n  a: 1\n}", 3),
        ("[" * 5000, 1),
        ('{"a": 1', 1),
        ("{'a': 1}", 1),
        ('{"a": "line\nbreak"}', 1),
        ('{"a": 1 /* no end', 1),
        ("\x00\x01", 1),
        ("// only a comment\n", 2),
    ],
)
def test_a_file_that_does_not_parse_is_named_with_its_line(text: str, line: int) -> None:
    with pytest.raises(CorruptRecord, match=f"settings.json: line {line}: ") as caught:
        put_in(text, PATH, ADDITIONS)

    assert "nothing was changed" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[]", 1),
        ('{\n "hooks": []}', 2),
        ('{"hooks": {\n\n"Stop": "x"}}', 3),
        ('{"mcpServers": 1}', 1),
    ],
)
def test_something_else_in_our_place_is_refused_with_what_to_add(text: str, line: int) -> None:
    with pytest.raises(InvalidValue, match=f"line {line}: ") as caught:
        put_in(text, PATH, ADDITIONS)

    assert "agentx" in caught.value.hint


def test_what_is_too_long_to_write_by_hand_is_not_told() -> None:
    many = Additions(hooks={f"Event{number}": HANDLER for number in range(12)})

    with pytest.raises(InvalidValue, match="hooks is not an object") as caught:
        put_in('{"hooks": null}', PATH, many)

    assert caught.value.hint == "write {} in its place, then run the same command again"


def test_a_damaged_file_without_anything_of_ours_does_not_hinder_the_leaving() -> None:
    assert take_out("{ this is not JSON", PATH, ADDITIONS) == "{ this is not JSON"


# --- any file ------------------------------------------------------------------------------------

SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
GROUPS = st.lists(
    st.fixed_dictionaries(
        {"hooks": st.lists(st.sampled_from([THEIRS, {"type": "prompt"}]), max_size=2)},
        optional={"matcher": st.just("Bash|Edit")},
    )
    | SCALARS,
    max_size=3,
)
HOOKS = st.dictionaries(st.sampled_from(["Start", "Stop", "Other"]), GROUPS, max_size=3)
SERVERS = st.dictionaries(st.sampled_from(["other", "memory"]), VALUES, max_size=2)
TRIVIA = st.sampled_from(
    [
        "",
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\n\t\t",
        "  \n\n ",
        " /* \u2713 */ ",
        " // note\n",
        "/**/",
        "\r\n  ",
    ]
)


@st.composite
def settings_values(draw: st.DrawFn) -> dict[str, Any]:
    names = st.text(max_size=5).filter(lambda name: name not in ("hooks", "mcpServers"))
    value = dict(draw(st.dictionaries(names, VALUES, max_size=3)))
    extra = draw(st.fixed_dictionaries({}, optional={"hooks": HOOKS, "mcpServers": SERVERS}))
    keys = draw(st.permutations([*(value | extra)]))
    return {key: (value | extra)[key] for key in keys}


@st.composite
def settings_texts(draw: st.DrawFn) -> str:
    """Write a value down as nobody would: any white space and comments between any two signs."""

    def written(value: Any) -> str:
        match value:
            case dict():
                members = [
                    f"{json.dumps(key)}{draw(TRIVIA)}:{draw(TRIVIA)}{written(inner)}"
                    for key, inner in value.items()
                ]
                return enclosed("{", members, "}")
            case list():
                return enclosed("[", [written(inner) for inner in value], "]")
            case _:
                return json.dumps(value, ensure_ascii=draw(st.booleans()))

    def enclosed(opening: str, parts: list[str], closing: str) -> str:
        text = opening + draw(TRIVIA)
        for index, part in enumerate(parts):
            is_last = index == len(parts) - 1
            comma = draw(st.sampled_from(["", ","])) if is_last else ","
            text += part + draw(TRIVIA) + comma + draw(TRIVIA)
        return text + closing

    value = draw(settings_values())
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 2, 4, "\t"]))
        return json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))
    return draw(TRIVIA) + written(value) + draw(TRIVIA)


@settings(max_examples=100, deadline=None)
@given(settings_texts())
def test_any_settings_file_comes_back_byte_for_byte(text: str) -> None:
    after = put_in(text, PATH, ADDITIONS)

    assert put_in(after, PATH, ADDITIONS) == after
    assert take_out(after, PATH, ADDITIONS) == text


@settings(max_examples=100, deadline=None)
@given(settings_texts())
def test_any_settings_file_still_says_what_it_said(text: str) -> None:
    before = read_json(text, PATH).value
    after = read_json(put_in(text, PATH, ADDITIONS), PATH).value

    assert {key: after[key] for key in before if key not in ("hooks", "mcpServers")} == {
        key: value for key, value in before.items() if key not in ("hooks", "mcpServers")
    }
    for event, groups in before.get("hooks", {}).items():
        assert after["hooks"][event][: len(groups)] == groups
    for event in ("Start", "Stop"):
        assert after["hooks"][event][-1] == {"hooks": [HANDLER]}


@settings(max_examples=100, deadline=None)
@given(settings_texts(), st.data())
def test_removing_any_item_leaves_a_file_that_parses_and_every_comment(
    text: str, data: st.DataObject
) -> None:
    document = read_json(text, PATH)
    if not document.value:
        return
    key = data.draw(st.sampled_from(sorted(document.value)))
    item = next(item for item in reversed(document.root.items) if item.key == key)

    left = remove_item(document, (key,))

    assert (left.value if left else {}) == {k: v for k, v in document.value.items() if k != key}
    outside = [span for span in document.comments if not item.start <= span[0] < item.node.end]
    if left:
        assert len(left.comments) == len(outside)


def test_a_value_is_replaced_in_place() -> None:
    document = read_json('{"a": {"b": [1, 2]}, "c": 3}', PATH)

    assert replace_value(document, ("a", "b", 1), "two").text == '{"a": {"b": [1, "two"]}, "c": 3}'


def test_a_large_file_is_edited_in_reasonable_time() -> None:
    value = {"projects": {f"/p/{n}": {"history": ["x" * 200] * 20} for n in range(500)}}
    text = json.dumps(value, indent=2)

    assert len(text) > 2_000_000
    assert there_and_back(text, Additions(server=SERVER)) == text
