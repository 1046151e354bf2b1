"""Count leaks by kind and shape, and plain lines that were touched.

    python -m tests.bench.secrets --rules RULES.toml [--trees FOLDER_OR_FILE ...] [--verbose]

A kind *names itself* when its rule finds the secret in bare prose; otherwise it needs a word
beside it. A secret leaks when a part of it that other secrets of its kind do not share is still
there. `--trees` are sources and lock files that hold no secrets: each line touched is counted.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from agentx.redaction.redact import redact, redact_value, suspicious
from agentx.surfaces.hooks.cleaning import clean
from tests.bench.secrets.generator import Kind, Sample, read_kinds, samples
from tests.bench.secrets.shapes import AS_MATCHED, NEEDS_NO_NAME, SHAPES

_SEED = 12
_SAMPLES = 6
_WINDOW_CHARS = 12
_FILE_BYTES_MAX = 2_000_000
_SHOWN_MAX = 12
_LEAKS_MAX = 0
_TOUCHED_IN_1000_MAX = 1.0


def main() -> int:
    """Print both tables; fail when a kind that names itself leaks, or too much is touched."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    arguments.add_argument("--rules", type=Path)
    arguments.add_argument("--trees", type=Path, nargs="*", default=[])
    arguments.add_argument("--samples", type=int, default=_SAMPLES)
    arguments.add_argument("--seed", type=int, default=_SEED)
    arguments.add_argument("--verbose", action="store_true")
    options = arguments.parse_args()
    failed = False
    if options.rules:
        failed = _count_leaks(options)
    for tree in options.trees:
        failed = _count_touched(tree, options.verbose) or failed
    return int(failed)


def _count_leaks(options: argparse.Namespace) -> bool:
    chance = random.Random(options.seed)
    leaks: dict[bool, dict[str, set[str]]] = {True: defaultdict(set), False: defaultdict(set)}
    kinds: Counter[bool] = Counter()
    for kind in read_kinds(options.rules):
        made = list(samples(kind, chance, options.samples))
        if not made:
            print(f"  no sample of {kind.name}", file=sys.stderr)
            continue
        names_itself = all(_finds_bare(kind, sample) for sample in made)
        kinds[names_itself] += 1
        for shape, sample, left in _leaking(kind, made, names_itself):
            leaks[names_itself][shape].add(kind.name)
            if options.verbose:
                print(f"{kind.name}\t{shape}\t{sample.secret[:70]!r}\t{left[:160]!r}")
    for names_itself, title in ((True, "name themselves"), (False, "need a word beside them")):
        print(f"\n{kinds[names_itself]} kinds that {title}:")
        for shape in (*SHAPES, AS_MATCHED):
            if not names_itself and shape in NEEDS_NO_NAME:
                continue
            found = sorted(leaks[names_itself][shape])
            print(f"  {shape:16} {len(found):4}  {' '.join(found[:_SHOWN_MAX])}")
    return sum(map(len, leaks[True].values())) > _LEAKS_MAX


def _finds_bare(kind: Kind, sample: Sample) -> bool:
    match = kind.pattern.search(f"a {sample.secret} b")
    return match is not None and sample.secret in match[0]


def _leaking(
    kind: Kind, made: list[Sample], names_itself: bool
) -> Iterator[tuple[str, Sample, str]]:
    for number, sample in enumerate(made):
        others = "\n".join(other.secret for other in made[:number] + made[number + 1 :])
        for shape in (*SHAPES, AS_MATCHED):
            if not names_itself and shape in NEEDS_NO_NAME:
                continue
            build = SHAPES.get(shape)
            value = build(kind.vendor, sample.secret) if build else sample.whole
            by_value = redact(value) if isinstance(value, str) else json.dumps(redact_value(value))
            for left in (by_value, *_take_by_hook(value)):
                if _is_left(sample.secret, left, others, shape):
                    yield shape, sample, left


def _take_by_hook(value: object) -> Iterator[str]:
    """Yield what a hook would spool of a value, however its agent CLI writes JSON."""
    for as_ascii, separators in ((True, None), (False, (",", ":"))):
        raw = json.dumps({"a": value}, ensure_ascii=as_ascii, separators=separators).encode()
        yield (clean(raw)[0] if suspicious(raw) else raw).decode()


def _is_left(secret: str, left: str, others: str, shape: str) -> bool:
    if shape.startswith(("base64", "hex")):
        return "[REDACTED:" not in left
    for line in secret.split("\n"):
        size = min(_WINDOW_CHARS, len(line))
        if size < 6:
            continue
        windows = {line[at : at + size] for at in range(len(line) - size + 1)}
        if any(window in left and window not in others for window in windows):
            return True
    return False


def _count_touched(tree: Path, verbose: bool) -> bool:
    lines = touched = 0
    for path in sorted(tree.rglob("*")) if tree.is_dir() else [tree]:
        if not path.is_file() or path.stat().st_size > _FILE_BYTES_MAX:
            continue
        try:
            before = path.read_text(encoding="utf-8").split("\n")
        except (UnicodeDecodeError, OSError):
            continue
        lines += len(before)
        after = set(redact("\n".join(before)).split("\n"))
        changed = [line for line in before if line not in after]
        touched += len(changed)
        for line in changed if verbose else ():
            print(f"{path}\t{line.strip()[:150]}\t-> {redact(line).strip()[:120]}")
    per_thousand = 1000 * touched / max(1, lines)
    print(f"{tree}: {touched} of {lines:,} lines touched, {per_thousand:.3f} in 1,000")
    return per_thousand >= _TOUCHED_IN_1000_MAX


if __name__ == "__main__":
    sys.exit(main())
