"""Damage done to the files of a house, one at a time: a byte flipped, half cut off, all gone.

The house is a golden set, which holds a file of every format. A *kind* is a pattern of paths
below the house; the files it names are told apart only by what they hold.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from tests.golden.layout import golden_sets, lay_out
from tests.golden.story import Town

DATA = "home/.local/share/agent-memory"
STORE = f"{DATA}/golden-shop"
LEDGER = f"{DATA}/golden-ledger"
SHOP = "work/shop"

# Every kind of file, by where its files lie.
KINDS: dict[str, str] = {
    "table": f"{STORE}/db/*.sst",
    "write-ahead log": f"{STORE}/db/*.log",
    "manifest of tables": f"{STORE}/db/MANIFEST-*",
    "name of the manifest": f"{STORE}/db/CURRENT",
    "options": f"{STORE}/db/OPTIONS-*",
    "identity": f"{STORE}/db/IDENTITY",
    "binding's options": f"{STORE}/db/rocksdict-config.json",
    "index generation": f"{STORE}/bm25-index/current",
    "index version": f"{STORE}/bm25-index/g-*/version.json",
    "index mark": f"{STORE}/bm25-index/g-*/mark.json",
    "index meta": f"{STORE}/bm25-index/g-*/*/meta.json",
    "index managed": f"{STORE}/bm25-index/g-*/*/.managed.json",
    "index terms": f"{STORE}/bm25-index/g-*/passages/*.term",
    "index postings": f"{STORE}/bm25-index/g-*/passages/*.idx",
    "index positions": f"{STORE}/bm25-index/g-*/passages/*.pos",
    "index norms": f"{STORE}/bm25-index/g-*/passages/*.fieldnorm",
    "index columns": f"{STORE}/bm25-index/g-*/passages/*.fast",
    "index texts": f"{STORE}/bm25-index/g-*/passages/*.store",
    "index deletions": f"{STORE}/bm25-index/g-*/passages/*.del",
    "digest": f"{STORE}/digests/*.txt",
    "notice": f"{STORE}/digests/*.notice",
    "digest stamp": f"{STORE}/digests/stamp",
    "recall counts": f"{STORE}/recalled/*.json",
    "jobs": f"{STORE}/scheduler.json",
    "spending": f"{STORE}/spending.json",
    "import cursors": f"{STORE}/import-cursors.json",
    "faults": f"{STORE}/faults.jsonl",
    "pages of GitHub": f"{STORE}/github/pages/*.json",
    "queue for GitHub": f"{STORE}/github/queue.jsonl",
    "notes of a run": f"{STORE}/runs/*.json",
    "words of observations": f"{STORE}/observation-words/*.db",
    "manifest of observations": f"{SHOP}/.agentx/memory/manifest.json",
    "observations": f"{SHOP}/.agentx/memory/issue-*.json",
    "archived observations": f"{SHOP}/.agentx/memory/archive/*.json",
    "journal of observations": f"{SHOP}/.agentx/memory/pending.jsonl",
    "observations in SQLite": "work/ledger/.agentx/memory/observations.db",
    "question events": f"{SHOP}/.agentx/questions/*/*.jsonl",
    "ledger": f"{SHOP}/.agentx/state/clarifications/issue-*.json",
    "agent status": f"{SHOP}/.agentx/state/agent-status.json",
    "issue": f"{SHOP}/.agentx/issues/*.json",
    "workflow": f"{SHOP}/.agentx/workflows/*.toml",
    "role": f"{SHOP}/.agentx/agents/*.md",
    "project settings": f"{SHOP}/.agentx/config.toml",
    "user settings": "home/.config/agentx/config.toml",
    "run events": f"{SHOP}/.agent-memory/runs/*/events/*/*.jsonl",
    "lane events": f"{SHOP}/.agent-memory/runs/*/lanes/*/events/*/*.jsonl",
    "run manifest": f"{SHOP}/.agent-memory/runs/*/manifest.yaml",
    "run page": f"{SHOP}/.agent-memory/runs/*/tasks/*/contract.yaml",
    "index of runs": f"{SHOP}/.agent-memory/index.yaml",
    "archived run": f"{SHOP}/.agent-memory/archive/*.tar.gz",
    "lesson events": f"{SHOP}/.agent-memory/ltm/events/*/*.jsonl",
    "lesson page": f"{SHOP}/.agent-memory/ltm/*/*.yaml",
    "record in the spool": f"{DATA}/spool/*/new/*.evt",
    "whose a spool is": f"{DATA}/spool/*/store",
    "directory of a spool": f"{DATA}/spool/*/directory",
}


def flip(path: Path) -> None:
    """Turn one byte in the middle over."""
    raw = bytearray(path.read_bytes())
    if raw:
        raw[len(raw) // 2] ^= 0xFF
    path.write_bytes(raw)


def truncate(path: Path) -> None:
    """Cut the second half off."""
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


def delete(path: Path) -> None:
    """Take the file away."""
    path.unlink()


DAMAGES: dict[str, Callable[[Path], None]] = {"flip": flip, "truncate": truncate, "delete": delete}


def prepare(root: Path) -> Town:
    """Lay out the newest golden set."""
    return lay_out(golden_sets()[-1], root, spooled=True)


def copy_of(town: Town, root: Path) -> Town:
    """Return the same house in the same place again, as it was: `town` was packed to `root`."""
    shutil.rmtree(town.root)
    shutil.copytree(root, town.root, symlinks=True)
    return town


def victims(root: Path, kind: str) -> list[Path]:
    """Return the files of a kind."""
    return sorted(path for path in root.glob(KINDS[kind]) if path.is_file())
