"""A second installation of AgentX, of another version: its own files, its own hook."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import agentx

SOURCES = Path(agentx.__file__).parent


class Installation:
    """AgentX as it lies in a virtual environment of its own."""

    def __init__(self, root: Path, version: str) -> None:
        self.bin = root / "bin"
        packages = root / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
        packages.mkdir(parents=True)
        self.bin.mkdir()
        (root / "pyvenv.cfg").write_text(f"home = {Path(sys.base_prefix, 'bin')}\n")
        (self.bin / "python3").symlink_to(Path(sys.executable).resolve())
        shutil.copy2(SOURCES.parents[1] / "scripts" / "agentx-hook", self.bin)
        # With their times: so that what was compiled counts.
        shutil.copytree(SOURCES, packages / "agentx")
        (packages / "agentx" / "__init__.py").write_text(f'__version__ = "{version}"\n')
        # What AgentX needs is where we have it, be it from a list of such places.
        places = dict.fromkeys((sysconfig.get_path("purelib"), *sys.path[1:]))
        packages.joinpath("others.pth").write_text(
            "\n".join(each for each in places if each.endswith("site-packages"))
        )

    def hook(self, payload: dict[str, Any], *, cwd: Path, env: dict[str, str]) -> None:
        """Call its hook as an agent CLI would."""
        subprocess.run(
            [str(self.bin / "agentx-hook"), "--harness", "claude-code"],
            input=json.dumps(payload).encode(),
            cwd=cwd,
            env=env,
            capture_output=True,
            check=True,
            timeout=60,
        )
