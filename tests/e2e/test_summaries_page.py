"""Goal: the page that shows summaries with and without a model shows what the product says.

Method: the script that writes the page writes it again, and nothing may differ.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_summaries_is_what_the_product_says_today() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.summaries_page", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=110,
    )

    assert done.returncode == 0, f"run `python -m scripts.summaries_page`\n{done.stderr}"
