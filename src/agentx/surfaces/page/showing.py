"""The browser is started with the page, by whatever opens files on this machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import which

_OPENERS = ("xdg-open", "wslview")
_OPENER_OF_MACS = "/usr/bin/open"


def show_in_browser(page: Path) -> bool:
    """Open a file in the user's browser; tell whether there was something to open it with."""
    is_mac = sys.platform == "darwin"
    opener = _OPENER_OF_MACS if is_mac else next(filter(None, map(which, _OPENERS)), None)
    if opener is None:
        return False
    try:
        subprocess.Popen(
            (opener, str(page)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return False
    return True
