"""Draw what commands of the sample write at a terminal, as one light picture: an SVG of text.

What is drawn is what the installed commands wrote, colours and all, below the line that a person
types. Fonts are the reader's own: a picture that fetched one would ask elsewhere.
"""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from agentx.demo.stage import DemoStage

_WIDE = 92
_WAIT_S = 60
_THEME = TerminalTheme(
    (24, 27, 33),
    (216, 220, 228),
    [
        *((60, 65, 76), (240, 113, 120), (140, 200, 120), (229, 192, 110)),
        *((110, 170, 245), (198, 130, 226), (90, 190, 200), (216, 220, 228)),
    ],
    [
        *((110, 118, 132), (255, 139, 146), (165, 222, 146), (255, 214, 130)),
        *((140, 192, 255), (220, 160, 245), (120, 215, 225), (255, 255, 255)),
    ],
)
# As that of `rich`, without its fonts from elsewhere and without a window around it.
_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
<rect fill="#181b21" width="{width}" height="{height}" rx="8" />
<g transform="translate({terminal_x}, 16)" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def draw_terminal(stage: DemoStage, commands: Iterable[tuple[str, ...]], path: Path) -> None:
    """Write the picture of some commands of AgentX, one below the other."""
    screen = Console(record=True, width=_WIDE, file=io.StringIO(), force_terminal=True)
    for at, arguments in enumerate(commands):
        typed = Text("$ ", style="green").append(_join(arguments), style="bold")
        screen.print(Text("\n") + typed if at else typed)
        screen.print(Text.from_ansi(_run(stage, arguments).rstrip("\n")))
    drawn = screen.export_svg(theme=_THEME, code_format=_FORMAT, unique_id="agentx")
    path.write_text(drawn, encoding="utf-8")


def _join(arguments: tuple[str, ...]) -> str:
    """Return a command as a person types it."""
    words = (f'"{word}"' if " " in word else shlex.quote(word) for word in arguments)
    return " ".join(("agentx", *words))


def _run(stage: DemoStage, arguments: tuple[str, ...]) -> str:
    colours = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": str(_WIDE)}
    return subprocess.run(
        [sys.executable, "-m", "agentx.surfaces.cli.main", *arguments],
        cwd=stage.project,
        env={**stage.environment, "LANG": "C.UTF-8", **colours},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
        timeout=_WAIT_S,
    ).stdout
