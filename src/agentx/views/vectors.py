"""The way to the vectors of a project, where they are installed.

Nothing heavy is imported before somebody asks for vectors and they are there: numpy alone
takes longer than most commands.

    extra `agentx[vectors]`     the libraries
    `agentx vectors install`    the weights, once for all projects

Without either, words alone are searched, and whoever asks why is told.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from agentx.conversation.store.feed import Feed
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, DataError, InvalidValue
from agentx.kernel.values import frozen
from agentx.project.config import loading_in_one_thread
from agentx.search.model import Capabilities, Embedding, VectorIndexState
from agentx.search.vectors.model_files import is_complete
from agentx.views.documents.contents import TocSource
from agentx.views.documents.rooms import Rooms
from agentx.views.port import Gone, View

if TYPE_CHECKING:
    from agentx.search.vectors.port import Encoder
    from agentx.views.vector_view import VectorView

_LIBRARIES = ("numpy", "tokenizers", "usearch")  # and onnxruntime, for models of its format
Stamp = tuple[tuple[str, int, int], ...]  # names, sizes and times of a model's files
EXTRA = "pip install 'agentx[vectors]'"
INSTALL = "agentx vectors install"


@frozen(kw_only=False)
class VectorsOff:
    """Why there are no vectors, and how to turn them on."""

    why: str
    hint: str


def missing_libraries() -> tuple[str, ...]:
    """Return the libraries of the extra that are not installed."""
    return _missing(tuple(sys.path))


@lru_cache(maxsize=1)
def _missing(path: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001  another path, other libraries
    return tuple(name for name in _LIBRARIES if find_spec(name) is None)


def why_off(model: Path) -> VectorsOff | None:
    """Say why vectors are off; None when they are on."""
    lacking = missing_libraries()
    if lacking:
        return VectorsOff(f"the extra is not installed ({', '.join(lacking)} missing)", EXTRA)
    if not is_complete(model):
        return VectorsOff("no model is installed", INSTALL)
    return None


def open_model(folder: Path) -> Encoder:
    """Open the model of a folder.

    Raises: NotFound, CorruptRecord.
    """
    try:
        return _open(folder, _stamp(folder))
    except DataError as error:
        raise type(error)(
            error.message, hint=error.hint or f"put it in place again: {INSTALL}"
        ) from error


@lru_cache(maxsize=1)
def _open(folder: Path, stamp: Stamp) -> Encoder:  # noqa: ARG001  another stamp, another model
    with loading_in_one_thread():
        from agentx.search.vectors.minilm import MiniLM  # noqa: PLC0415  see above

        return MiniLM(folder)


def _stamp(folder: Path) -> Stamp:
    """Return what changes when the model does; nothing where there is none."""
    try:
        files = [(path.name, path.stat()) for path in sorted(folder.iterdir())]
    except OSError:
        return ()
    return tuple((name, stat.st_size, stat.st_mtime_ns) for name, stat in files)


class Vectors(View):
    """The vectors of one project, on or off. Embedding is slow: it is done when it is asked for."""

    name = "vectors"

    def __init__(
        self,
        model: Path,
        feed: Feed,
        *,
        folder: Path,
        project: str,
        clock: Clock,
        rooms: Rooms,
    ) -> None:
        self._model = model
        self._feed = feed
        self._folder = folder
        self._project = project
        self._clock = clock
        self._rooms = rooms
        self._lock = RLock()
        self._view: VectorView | None = None
        self._stamp: Stamp = ()

    def off(self) -> VectorsOff | None:
        """Say why vectors are off; None when they are on."""
        return why_off(self._model)

    def view(self) -> VectorView | None:
        """Return the view, or None when vectors are off."""
        with self._lock:
            stamp = _stamp(self._model)
            if self._view is not None and stamp == self._stamp:
                return self._view
            self.close()
            if self.off() is not None:
                return None
            # First the encoder: it sees to it how numpy is loaded.
            encoder = open_model(self._model)
            from agentx.views.vector_view import VectorView  # noqa: PLC0415  see above

            self._stamp = stamp
            self._view = VectorView(
                self._feed,
                encoder,
                folder=self._folder,
                clock=self._clock,
                rooms=self._rooms.with_source(TocSource(self._feed, self._project)),
            )
            return self._view

    def require(self) -> VectorView:
        """Return the view.

        Raises: InvalidValue that says how to turn vectors on.
        """
        view = self.view()
        if view is None:
            off = self.off()
            why, hint = (off.why, off.hint) if off is not None else ("they cannot be opened", "")
            raise InvalidValue(
                f"vectors are off: {why}",
                hint=f"`{hint}` turns them on; --mode auto and bm25 work without",
            )
        return view

    def catch_up(self, told: HowFar = unheard) -> Embedding:
        """Embed all that is left."""
        return self.embed(told)

    def rebuild(self, told: HowFar = unheard) -> int:
        """Embed everything again; return how many documents there were.

        Raises: InvalidValue when vectors are off.
        """
        self.empty()
        return self.embed(told).documents

    def empty(self) -> None:
        """Take the index away, for `embed` to fill it again.

        Raises: InvalidValue when vectors are off.
        """
        self.require()
        self.drop()

    def embed(self, told: HowFar = unheard, *, slices: int = 0) -> Embedding:
        """Take so many slices, or all that are left; `told` may raise to leave off."""
        view = self.view()
        return Embedding() if view is None else view.embed(told, slices=slices)

    @contextmanager
    def forget(self, gone: Gone) -> Iterator[None]:  # noqa: ARG002  the log says what is gone
        """Let nothing of what was forgotten stay, whether vectors are on or off."""
        yield
        if not self._folder.exists():
            return
        try:
            view = self.view()
        except AgentXError:
            view = None
        if view is None:
            # Nobody can read it without its model.
            self.drop()
        else:
            view.purge()

    def drop(self) -> None:
        """Take the index away; it is made again from the log."""
        with self._lock:
            self.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def capabilities(self) -> Capabilities:
        """Say whether vectors are on."""
        off = self.off()
        if off is not None:
            return Capabilities(why_off=off.why, hint=off.hint)
        try:
            encoder = open_model(self._model)
        except AgentXError as error:
            return Capabilities(why_off=error.message, hint=INSTALL)
        return Capabilities(vectors=True, model=encoder.name, dimensions=encoder.dimensions)

    def status(self) -> VectorIndexState:
        """Say how the index stands."""
        return self.state() or VectorIndexState(ready=False)

    def state(self) -> VectorIndexState | None:
        """Say how the index stands; None when vectors are off."""
        try:
            view = self.view()
        except AgentXError:
            view = None
        return None if view is None else view.status()

    def close(self) -> None:
        """Let go of the index."""
        with self._lock:
            if self._view is not None:
                self._view.close()
                self._view = None
