"""Lines of questions that this checkout saw, held in the user's folder: git takes files back.

    <store>/held/questions/<issue>/<writer>.jsonl

Git brings a file back to an earlier state, or takes it away: by `git checkout .`, a revert, an
older commit. What was said was said all the same. So every line that somebody vouches for is held
here once it was seen, and counts beside the files, until it is forgotten. So is a person's word of
a writer who is not trusted: it contests what stands, also on a branch without it. Lines of another
repository that lies in the same place are nobody's here: their signatures do not count in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import chain
from pathlib import Path

from agentx.clarification.store.question_events import QuestionEvent, QuestionEventKind
from agentx.clarification.store.shortening import is_shortened
from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import list_folder
from agentx.host.locks.lock import locked
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen

_Known = dict[tuple[str, str], list[QuestionEvent]]  # by file and id


@frozen(kw_only=False)
class HeldLines:
    """What is held of one issue's questions, and who tells how each line stands."""

    folder: Path
    judge: Callable[[QuestionEvent], QuestionEvent]

    def list_files(self) -> list[Path]:
        """Return the files of lines that are held; none where they cannot be looked at."""
        with suppress(OSError, AgentXError):
            names = list_folder(self.folder).files
            return [self.folder / name for name in names if name.endswith(".jsonl")]
        return []

    @contextmanager
    def holding(self, clock: Clock, wait_ms: int) -> Iterator[None]:
        """Let nobody else write what is held.

        Raises: LockHeld, UnavailableError.
        """
        make_private_directory(self.folder)
        with locked(self.folder / "lines", owner="agentx", clock=clock, wait_ms=wait_ms):
            yield

    def list_missing(
        self, held: Iterable[QuestionEvent], there: Iterable[QuestionEvent]
    ) -> tuple[QuestionEvent, ...]:
        """Return what is held and counts, and is not among the lines that are there.

        What its writer shortened since is there. What contests does so in a question that was
        opened there: a row that was taken tells itself what else was said.
        """
        known: _Known = {}
        for event in there:
            known.setdefault((event.writer, event.id), []).append(event)
        gone = [
            self.judge(event)
            for event in held
            if not self._is_there(event, known.get((event.writer, event.id), ()))
        ]
        missing = [event for event in gone if event.is_signed]
        seen = [*chain.from_iterable(known.values()), *missing]
        taken = {each.question for each in seen if each.kind is QuestionEventKind.TAKEN}
        asked = {each.question for each in seen} - taken
        missing += (each for each in gone if each.question in asked and each.may_contest)
        return tuple(missing)

    def _is_there(self, event: QuestionEvent, alike: Iterable[QuestionEvent]) -> bool:
        return any(
            each == event or (is_shortened(each) and self.judge(each).is_signed) for each in alike
        )


def list_issue_folders(folder: Path | None) -> tuple[int, ...]:
    """Return the issues of which a folder of lines, held or in the repository, has something."""
    found: list[int] = []
    if folder is not None:
        with suppress(OSError, AgentXError):
            found += (int(name) for name in list_folder(folder).folders if name.isdecimal())
    return tuple(found)
