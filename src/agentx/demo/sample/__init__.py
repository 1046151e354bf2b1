"""The bundled sample that the demo plays: two people, three weeks, one small service.

`README.md` beside this file tells the story; `sessions/` holds the scripts. A script
is neutral, and is rendered in two ways that agree on every id: as the hook payloads
its agent CLI would have sent, and as the transcript it would have left in its home.
So a session can be captured live, imported, or both, and is stored once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path

from agentx.demo.sample import claude_code, codex, gemini
from agentx.demo.sample.likeness import Payload, Place
from agentx.demo.sample.script import parse_script
from agentx.demo.sample.timeline import SampleSession, time_script
from agentx.kernel.capture import Harness

_HOME = Path("/home/dev")
_RENDERINGS = {
    Harness.CLAUDE_CODE: claude_code,
    Harness.CODEX: codex,
    Harness.GEMINI: gemini,
}


@cache
def sessions() -> tuple[SampleSession, ...]:
    """Return the sessions of the sample, in the order they began.

    Raises: CorruptRecord when somebody edited a script and slipped.
    """
    folder = files(__name__) / "sessions"
    scripts = [each for each in folder.iterdir() if each.name.endswith(".json")]
    told = [
        time_script(name, parse_script(each.name, each.read_bytes()))
        for each in scripts
        for name in [each.name.removesuffix(".json")]
    ]
    return tuple(sorted(told, key=lambda session: session.start_ms))


def hook_calls(
    session: SampleSession, project_dir: Path, *, home: Path = _HOME
) -> Iterator[tuple[int, Payload]]:
    """Yield what the session's agent CLI would have sent to its hooks: time and payload.

    `home` is where `transcript_path` points to; the hooks themselves read nothing there.
    """
    place = Place(project=str(project_dir), home=str(home))
    for at_ms, payload in _RENDERINGS[session.harness].hook_calls(session, place):
        filled: Payload = place.fill(payload)
        yield at_ms, filled


def transcript_files(
    project_dir: Path, chosen: Iterable[SampleSession] | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the history that the chosen sessions (default: all) leave in a home: path and text.

    Each path comes once; write the texts in UTF-8.
    """
    place = Place(project=str(project_dir), home=str(_HOME))
    left: dict[str, str] = {}
    for session in sessions() if chosen is None else chosen:
        left.update(_RENDERINGS[session.harness].transcripts(session, place))
    yield from left.items()


def story() -> str:
    """Return the page that tells who, what and where to look."""
    return (files(__name__) / "README.md").read_text(encoding="utf-8")
