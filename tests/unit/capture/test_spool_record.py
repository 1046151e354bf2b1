"""Goal: whatever lies in the spool can be read, and what the hook writes is read as it was meant.

Method: the hook's own writer and the drain's reader are held against each other, and
Hypothesis gives the reader bytes of every sort.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.capture.spool_record import is_trial, parse
from agentx.kernel.paths import DataPaths, StorePaths
from agentx.kernel.places import data_root, encode_name, fallback_spool_roots, spool_root
from agentx.surfaces.hooks.spool import Caller, header, quote


@given(
    st.text(),
    st.integers(1, 2**45),
    st.text(),
    st.binary(),
    st.booleans(),
    st.sampled_from(["", "injected"]),
)
def test_what_the_hook_writes_is_what_the_drain_reads(
    cwd: str, at_ms: int, agent: str, payload: bytes, cut: bool, kind: str
) -> None:
    call = Caller("claude-code", at_ms, cwd, agent)
    call.branch = agent

    record = parse(header(call, len(payload), cut=cut, kind=kind) + payload)

    assert record.harness == "claude-code"
    assert record.received_ms == at_ms
    assert record.working_directory == cwd
    assert record.agent == agent
    assert record.branch == agent
    assert record.payload == payload
    assert record.cut is cut
    assert record.whole
    assert record.kind == (kind or "payload")


@given(st.text(st.characters()))
def test_a_text_quoted_by_hand_is_the_json_of_that_text(text: str) -> None:
    assert json.loads(quote(text)) == text


def test_a_directory_whose_name_is_no_text_survives() -> None:
    name = b"/srv/caf\xe9".decode("utf-8", "surrogateescape")

    record = parse(header(Caller("codex", 1, name, ""), 0, cut=False, kind=""))

    assert record.working_directory == name


@given(st.binary())
def test_any_bytes_are_a_record(raw: bytes) -> None:
    record = parse(raw, "not-a-time.evt")

    assert record.harness
    assert record.received_ms >= 0


@pytest.mark.parametrize(
    "raw",
    [b"", b"\n", b"no header", b"{}\n{}", b'{"v":2}\nx', b'{"v":true}\nx', b"[" * 9000 + b"\n"],
)
def test_a_file_without_a_header_is_kept_whole_with_its_time_from_its_name(raw: bytes) -> None:
    record = parse(raw, "1794701880330-12-abcdef.evt")

    assert record.harness == "unknown"
    assert record.received_ms == 1794701880330
    assert record.payload == raw
    assert not record.whole


def test_a_file_that_is_shorter_than_it_should_be_says_so() -> None:
    raw = header(Caller("codex", 5, "/", ""), 10, cut=False, kind="") + b"123"

    assert not parse(raw).whole
    assert parse(raw).payload == b"123"


@given(st.text())
def test_an_encoded_name_is_one_plain_file_name(name: str) -> None:
    text = encode_name(name.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape"))

    assert 0 < len(text) <= 200
    assert "/" not in text
    assert "\0" not in text
    assert not text.startswith(".")


@pytest.mark.parametrize(
    "environ",
    [
        {"XDG_DATA_HOME": "/data", "HOME": "/home/me"},
        {"XDG_DATA_HOME": "not/absolute", "HOME": "/home/me"},
        {"HOME": "/home/me"},
    ],
)
def test_the_hook_and_the_house_agree_where_things_are(environ: dict[str, str]) -> None:
    data = DataPaths(Path(data_root(environ)))
    directory = "/src/a b/.hidden/日本"

    assert Path(spool_root(environ), encode_name(directory)) == data.spool(directory).root
    assert str(data.root) in {"/data/agent-memory", "/home/me/.local/share/agent-memory"}
    name = f"{encode_name('main')}+{encode_name('')}+{encode_name('codex')}.txt"
    assert StorePaths(data.root).digest("codex", "main").name == name


def test_without_a_home_the_password_database_knows() -> None:
    assert data_root({}).startswith("/")
    assert data_root({}).endswith("/.local/share/agent-memory")


def test_the_fallback_is_looked_for_in_the_same_places_by_all() -> None:
    roots = fallback_spool_roots({"TMPDIR": "/run/user/7/"}, 7)

    # One that only the hook knows comes last: who drains may have another temporary folder.
    assert roots == (
        "/tmp/agentx-spool-7",
        "/var/tmp/agentx-spool-7",
        "/run/user/7/agentx-spool-7",
    )
    assert fallback_spool_roots({"TMPDIR": "tmp"}, 7) == roots[:2]
    assert fallback_spool_roots({"TMPDIR": "/tmp"}, 7) == roots[:2]
    assert fallback_spool_roots({"AGENTX_SPARE_SPOOL": "/spare/"}, 7) == ("/spare",)
    assert fallback_spool_roots({"AGENTX_SPARE_SPOOL": "spare"}, 7) == roots[:2]


@pytest.mark.parametrize(
    ("payload", "is_one"),
    [
        ({"session_id": "agentx-doctor-1", "prompt": "x"}, True),
        ({"sessionId": "agentx-doctor-1"}, True),
        ({"session_id": "s1", "prompt": '"session_id": "agentx-doctor-1"'}, False),
        ({"session_id": ["agentx-doctor-1"]}, False),
        ({"session_id": "agentx-doctor-1", "prompt": "x" * 40_000}, False),
    ],
)
def test_only_a_session_that_is_called_so_is_a_trial(
    payload: dict[str, object], is_one: bool
) -> None:
    call = Caller("codex", 1, "/src", "")
    said = json.dumps(payload).encode()

    assert is_trial(header(call, len(said), cut=False, kind="") + said) is is_one
    assert not is_trial(b"agentx-doctor-1")
