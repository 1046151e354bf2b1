"""Make the pictures of the documents from the sample: `make pictures`.

The sample is replayed into a throw-away home; what commands write there is drawn, and its page is
opened as a person would see it, for which Chromium is needed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from scripts.terminal import draw_terminal

from agentx.demo import sample
from agentx.demo.stage import DemoStage

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
_SHOTS = (
    ("day", "/day/2026-03-09", "light"),
    ("told", "/told?context=retries+of+webhooks", "dark"),
)
_TYPED = (
    ("search", "why postgres?", "--limit", "2"),
    ("recall", "--context", "retries of webhooks", "--budget", "300"),
)
_WIDE, _HIGH = 1180, 740
_ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")


def main() -> int:
    """Make all of them."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        print("pictures: no Chromium is installed", file=sys.stderr)
        return 1
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="agentx-pictures-") as folder:
        stage = DemoStage(Path(folder), sys.executable)
        stage.set_up(sample.sessions())
        stage.run("init", quiet=True)
        stage.run("sync", quiet=True)
        draw_terminal(stage, _TYPED, PICTURES / "terminal.svg")
        print("docs/pictures/terminal.svg")
        with subprocess.Popen(
            [sys.executable, "-m", "agentx.surfaces.page", "--no-open", str(stage.project)],
            cwd=stage.project,
            env=stage.environment,
            stdout=subprocess.PIPE,
            text=True,
        ) as page:
            assert page.stdout is not None
            link = next(line.strip() for line in page.stdout if "token=" in line)
            take_pictures(program, link)
            page.terminate()
    return 0


def take_pictures(program: str, link: str) -> None:
    """Take a picture of each place."""
    driver: Any = import_module("playwright.sync_api")
    base = link.partition("/enter")[0]
    with driver.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=list(_ARGUMENTS))
        seen = browser.new_page(viewport={"width": _WIDE, "height": _HIGH})
        seen.goto(link)
        seen.wait_for_url(f"{base}/")
        for name, path, theme in _SHOTS:
            seen.emulate_media(color_scheme=theme)
            seen.goto(f"{base}{path}")
            seen.screenshot(path=str(PICTURES / f"{name}.png"))
            print(f"docs/pictures/{name}.png")
        browser.close()


if __name__ == "__main__":
    sys.exit(main())
