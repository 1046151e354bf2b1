"""How far the token estimate is from a real tokenizer, and how fast it is.

The yardstick is the byte-pair tokenizer of 65,000 tokens that version 0.38 of the
PyPI package `anthropic` carries as `anthropic/tokenizer.json`; only that file and the
package `tokenizers` are needed:

    pip install --no-deps --target DIR anthropic==0.38.0
    AGENTX_TOKENIZER=DIR/anthropic/tokenizer.json python -m tests.bench --only tokens

Without it the error cannot be measured, and the row says so. The samples are the
sources of installed packages, the documents of this repository, and a few lines in
other scripts; none of them was used to fit the weights but the sources.
"""

from __future__ import annotations

import importlib.util
import os
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from agentx.kernel.tokens import estimate
from tests.bench.row import Row

_CHUNK_CHARS = 1500
_CHUNKS = {"small": 150, "full": 2000}
_SCRIPTS = (
    "我们决定把账本放在关系数据库里,因为事务比速度更重要。昨天的迁移失败了,原因是磁盘已满。",
    "台帳はリレーショナルデータベースに置くことにした。昨日の移行は失敗したが、原因はディスクの空き不足だった。",
    "장부는 관계형 데이터베이스에 두기로 했다. 어제 이전 작업은 디스크가 가득 차서 실패했다.",
    "Мы решили хранить журнал в реляционной базе. Вчерашний перенос не удался: диск был полон.",
    "قررنا حفظ السجل في قاعدة بيانات علائقية. فشل النقل أمس لأن القرص كان ممتلئا.",
    "החלטנו לשמור את היומן במסד נתונים. ההעברה אתמול נכשלה כי הדיסק היה מלא.",
    "हमने बही को डेटाबेस में रखने का निर्णय लिया। कल का स्थानांतरण असफल रहा।",
    "✅ tests green 🎉🚀 but the 🐛 in the parser is back 😕 see the log 👀🔥",
)


def run(size: str) -> list[Row]:
    """Measure error and speed of the estimate."""
    rows = [_speed()]
    found = _tokenizer_file()
    if found is None or importlib.util.find_spec("tokenizers") is None:
        return [*rows, Row("token estimate, error (needs AGENTX_TOKENIZER)", float("nan"), "%")]
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(found))
    errors: dict[str, list[float]] = {}
    for kind, text in _samples(_CHUNKS.get(size, _CHUNKS["small"])):
        tokens = len(tokenizer.encode(text).ids)
        errors.setdefault(kind, []).append(abs(estimate(text) - tokens) / tokens * 100)
    rows += [
        Row(f"token estimate, error on {kind}", fmean(values), "%")
        for kind, values in errors.items()
    ]
    every = fmean(fmean(values) for values in errors.values())
    return [*rows, Row("token estimate, mean absolute error", every, "%", at_most=12)]


def _speed() -> Row:
    text = Path(importlib.util.__file__).read_text(encoding="utf-8") * 50
    seconds = []
    for _ in range(5):
        began = time.process_time()
        estimate(text)
        seconds.append(time.process_time() - began)
    return Row("token estimate, speed", len(text) / 1e6 / min(seconds), "MB/s", at_least=20)


def _tokenizer_file() -> Path | None:
    named = os.environ.get("AGENTX_TOKENIZER", "")
    if named:
        return Path(named) if Path(named).is_file() else None
    package = importlib.util.find_spec("anthropic")
    if package is None or package.origin is None:
        return None
    beside = Path(package.origin).with_name("tokenizer.json")
    return beside if beside.is_file() else None


def _samples(chunks_max: int) -> Iterator[tuple[str, str]]:
    root = Path(__file__).resolve().parents[2]
    documents = [*root.glob("*.md"), *root.glob("docs/**/*.md"), root / "LICENSE"]
    sources = [
        path
        for package in ("pytest", "tomlkit", "mypy", "anyio")
        if (spec := importlib.util.find_spec(package)) is not None and spec.origin is not None
        for path in sorted(Path(spec.origin).parent.glob("*.py"))
    ]
    for kind, paths in (("prose", documents), ("code", sources)):
        yield from ((kind, chunk) for chunk in _chunks(paths, chunks_max))
    yield from (("other scripts and emoji", text) for text in _SCRIPTS)


def _chunks(paths: list[Path], chunks_max: int) -> Iterator[str]:
    count = 0
    for path in paths:
        text = path.read_text(encoding="utf-8", errors="replace")
        for at in range(0, min(len(text), 6 * _CHUNK_CHARS), _CHUNK_CHARS):
            chunk = text[at : at + _CHUNK_CHARS]
            if len(chunk.strip()) < 100:
                continue
            if count >= chunks_max:
                return
            count += 1
            yield chunk
