"""What runs taught, taken into long-term memory, judged and looked up again.

    open = lessons.candidates(offered)         # of what a run offers
    lessons.accept(offered, policy)            # or by key, by a person
    lessons.relevant(files, words, limit)      # for the next run

Law: promoting a run twice changes nothing the second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

from agentx.kernel.bus import Bus
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.roles import is_persons_name
from agentx.kernel.text import shows_something
from agentx.lessons.confidence import judge
from agentx.lessons.likeness import fingerprint
from agentx.lessons.model import (
    Confidence,
    Content,
    Lesson,
    LessonKind,
    LessonLearnt,
    LongTerm,
    LtmKind,
    Measure,
    Promoted,
    Taught,
)
from agentx.lessons.names import area_name, area_of, name_failing
from agentx.lessons.promotion import (
    LessonChange,
    Policy,
    accepts,
    is_taken_back,
    open_candidates,
    promote,
    reject,
)
from agentx.lessons.store.lesson_store import Knowledge, LessonStore
from agentx.prose.likeness import coverage

_WEIGHTS = {Confidence.HIGH: 3, Confidence.MEDIUM: 2, Confidence.LOW: 1}


class Lessons:
    """Long-term memory of one project."""

    def __init__(self, store: LessonStore, bus: Bus | None = None) -> None:
        self._store = store
        self._bus = bus if bus is not None else Bus()

    def read(self) -> Knowledge:
        """Return what is known."""
        return self._store.read()

    def begin(self) -> None:
        """Note that this checkout looked, be there nothing yet: what comes unsigned is a claim."""
        self._store.vouching.begin()

    def adopt(self) -> None:
        """Let every lesson here count whoever signed it: the user put them here."""
        self._store.vouching.adopt()

    def refresh(self) -> Knowledge:
        """Take in what people changed on the pages, and make the pages whole."""
        with self._store.editing() as desk:
            faults = tuple(desk.faults)
        return Knowledge(known=desk.known, faults=faults)

    def refresh_if_edited(self) -> bool:
        """Take in what people changed, if they changed anything; cheap when they did not."""
        if not self._store.is_edited():
            return False
        self.refresh()
        return True

    def candidates(self, offered: Iterable[Taught]) -> tuple[Taught, ...]:
        """Return what a run offers and nobody has decided on."""
        return open_candidates(self.read().known, offered)

    def accept(
        self,
        offered: Iterable[Taught],
        policy: Policy,
        *,
        actor: str,
        kinds: Iterable[LessonKind] = tuple(LessonKind),
        is_unasked: bool = False,
    ) -> Promoted:
        """Take in what a policy accepts of what a run offers; unasked not what was taken back."""
        listed = tuple(offered)
        chosen = [one for one in listed if one.kind in kinds and accepts(policy, one)]
        if not is_unasked:
            return self._promote(listed, chosen, actor)
        known = self.read().known
        chosen = [one for one in chosen if not is_taken_back(known, one)]
        # What is packed away says who did that, as ever.
        named = str(policy) if policy is Policy.PROVEN else ""
        return self._promote(listed, chosen, actor, by_policy=named)

    def accept_named(
        self, run: str, offered: Iterable[Taught], keys: Iterable[str], *, actor: str
    ) -> Promoted:
        """Take in what somebody chose, by key or by its number in the list.

        Raises: NotFound.
        """
        listed = tuple(offered)
        chosen = self.choose(run, listed, keys)
        return self._promote(listed, chosen, actor, by_person=is_persons_name(actor))

    def reject(
        self, run: str, offered: Iterable[Taught], keys: Iterable[str], *, actor: str
    ) -> int:
        """Lay candidates aside for good.

        Raises: NotFound.
        """
        chosen = self.choose(run, offered, keys)
        with self._store.editing() as desk:
            return desk.record(actor, [reject(one) for one in chosen])

    def choose(self, run: str, offered: Iterable[Taught], keys: Iterable[str]) -> list[Taught]:
        """Return what somebody names of what a run offers.

        Raises: NotFound.
        """
        listed = self.candidates(offered)
        chosen = []
        for key in keys:
            found = [one for one in listed if key in (one.key, one.key.partition("/")[2])]
            if not found and key.isdigit() and 1 <= int(key) <= len(listed):
                found = [listed[int(key) - 1]]
            if not found:
                raise NotFound(
                    f"{key}: the run offers no such lesson",
                    hint=f"`agentx ltm candidates --run {run}` lists what it offers",
                )
            chosen.append(found[0])
        return chosen

    def _promote(
        self,
        offered: tuple[Taught, ...],
        chosen: Iterable[Taught],
        actor: str,
        *,
        by_person: bool = False,
        by_policy: str = "",
    ) -> Promoted:
        with self._store.editing() as desk:
            before = set(desk.known.lessons)
            said = promote(desk.known, chosen, by_person=by_person, by_policy=by_policy)
            changes = list(said)
            desk.record(actor, changes)
            known = desk.known
        learnt = [lesson for uid, lesson in known.lessons.items() if uid not in before]
        for lesson in learnt:
            self._bus.tell(
                LessonLearnt(
                    lesson=lesson.id,
                    kind=str(lesson.kind),
                    run=next(iter(lesson.learned_from), ""),
                    actor=actor,
                )
            )
        return Promoted(
            learnt=tuple(lesson.id for lesson in learnt),
            confirmed=_name_changes(known, changes, LtmKind.CONFIRMED),
            contradicted=_name_changes(known, changes, LtmKind.CONTRADICTED),
            left=len(open_candidates(known, offered)),
        )

    def add(
        self, kind: LessonKind, content: Content, confidence: Confidence, *, run: str, actor: str
    ) -> Lesson:
        """Write a lesson down; one that is already known is confirmed.

        Raises: InvalidValue when it says nothing.
        """
        if not shows_something(content.text):
            raise InvalidValue("a lesson must say something", hint="give its text")
        with self._store.editing() as desk:
            offered = Taught(
                key=f"{run or 'by-hand'}/{fingerprint(content.text)[:80]}",
                run=run,
                kind=kind,
                content=content,
                confidence=confidence,
            )
            changes = [
                LessonChange(
                    kind=change.kind,
                    lesson=change.lesson,
                    run=run,
                    detail={**change.detail, "candidates": []},
                )
                for change in promote(desk.known, [offered])
            ]
            desk.record(actor, changes)
            known = desk.known
        uid = changes[0].lesson if changes else ""
        found = known.find(uid) if uid else None
        return found if found is not None else list(known.lessons.values())[-1]

    def confirm(self, lesson: str, *, run: str, actor: str, evidence: str = "") -> Lesson:
        """Say that a lesson held again."""
        detail: dict[str, object] = {"evidence": [evidence]} if evidence else {}
        return self._say(lesson, LtmKind.CONFIRMED, run, actor, detail)

    def contradict(self, lesson: str, *, run: str, actor: str, reason: str) -> Lesson:
        """Say that a lesson did not hold."""
        return self._say(lesson, LtmKind.CONTRADICTED, run, actor, {"reason": reason})

    def resolve(self, lesson: str, *, actor: str, reason: str = "") -> Lesson:
        """Say that a debt was paid."""
        return self._say(lesson, LtmKind.RESOLVED, "", actor, {"reason": reason})

    def retire(self, lesson: str, *, actor: str, reason: str = "") -> Lesson:
        """Say that a lesson holds no longer."""
        return self._say(lesson, LtmKind.RETIRED, "", actor, {"reason": reason})

    def _say(
        self, lesson: str, kind: LtmKind, run: str, actor: str, detail: dict[str, object]
    ) -> Lesson:
        with self._store.editing() as desk:
            found = desk.known.get(lesson)
            desk.record(actor, [LessonChange(kind=kind, lesson=found.uid, run=run, detail=detail)])
            return desk.known.lessons[found.uid]

    def measure(self, made: Measure, *, actor: str) -> None:
        """Note how a run went; once, unless it went on after that."""
        with self._store.editing() as desk:
            if desk.known.measures.get(made.run_id) != made:
                detail = asdict(made)
                run = detail.pop("run_id")
                desk.record(actor, [LessonChange(kind=LtmKind.MEASURED, run=run, detail=detail)])

    def relevant(
        self,
        files: Iterable[str] = (),
        words: str = "",
        limit: int = 20,
        checks: Iterable[str] = (),
    ) -> tuple[Lesson, ...]:
        """Return the active lessons that concern some files, words or checks, the surest first."""
        listed, named = tuple(files), frozenset(map(name_failing, checks))
        area = area_name(area_of(listed))
        wanted = set(fingerprint(words).split())
        scored = []
        for lesson in self.read().known.lessons.values():
            if not lesson.is_active or lesson.is_unverified:
                continue
            fits = _fit(lesson, listed, area, wanted)
            fits += 0.5 * (lesson.content.name in named)
            if fits or not (listed or wanted):
                scored.append((fits, _WEIGHTS[judge(lesson)], lesson.changed_ms, lesson))
        scored.sort(key=lambda each: each[:3], reverse=True)
        return tuple(lesson for *_, lesson in scored[:limit])


def _fit(lesson: Lesson, files: tuple[str, ...], area: str, wanted: set[str]) -> float:
    content = lesson.content
    shared = len(set(content.files) & set(files))
    near = bool(area) and (content.area == area or area.startswith(f"{content.area}-"))
    said = set(
        fingerprint(f"{content.name} {content.text} {content.context} {content.area}").split()
    )
    said_of_it = coverage(wanted, said)
    return 2.0 * min(shared, 2) + 1.5 * near + (said_of_it if said_of_it >= 0.2 else 0.0)


def _name_changes(known: LongTerm, changes: list[LessonChange], kind: LtmKind) -> tuple[str, ...]:
    uids = [change.lesson for change in changes if change.kind is kind]
    return tuple(lesson.id for uid in uids if (lesson := known.find(uid)) is not None)
