"""Who writes questions in a repository, and whose words are believed where they claim a person.

A person trusts a writer's key, or withdraws that; an agent cannot. What counts from then on is
shown by every ledger at once, and stands in the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from itertools import islice

from agentx.host.files.plain import list_folder
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.text import fold_text, preview
from agentx.kernel.values import frozen
from agentx.project.audit import AuditAct, record_act
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.project.trust.cards import WriterCard
from agentx.project.trust.keyring import Keyring
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.section import renew_notices
from agentx.wiring.trust.keys import open_keyring
from agentx.wiring.trust.persons_word import require_person

_CARDS_AT = ".agentx/questions/writers/"
_TOLD_MAX = 3


@frozen
class WriterView:
    """A writer of questions, as a person is shown it."""

    writer: str
    fingerprint: str = ""  # of its key; nothing where it shows none that is its own
    name: str = ""  # that it gives itself
    since: str = ""
    own: bool = False
    was_own: bool = False  # with a key that was lost or replaced
    trusted: bool = False
    trusted_at: str = ""
    is_brought: bool = False  # its card came with runs alone
    refused: tuple[str, ...] = ()  # other keys that are shown under its name with runs


def list_writers(project: Project) -> tuple[WriterView, ...]:
    """Return who writes questions here: the user first, then by age."""
    keyring = open_keyring(project)
    # A card of our own that is gone from the repository is known here.
    lost = {card.writer: card for card in keyring.list_lost()}
    cards = lost | {card.writer: card for card in keyring.list_cards() if card.is_own}
    brought = [card for card in keyring.list_brought() if card.writer not in cards]
    shown = {card.fingerprint for card in (*cards.values(), *brought)}
    absent = tuple(_list_absent(keyring, shown))
    with_key = {card.writer for card in brought} | {view.writer for view in absent}
    names = sorted({*cards, *(_list_names(project) - with_key)})
    views = [replace(_view(keyring, name, cards.get(name)), was_own=name in lost) for name in names]
    views += (replace(_view(keyring, card.writer, card), is_brought=True) for card in brought)
    views += absent
    refused = keyring.list_refused()
    for at, each in enumerate(views):
        others = tuple(card.fingerprint for card in refused if card.writer == each.writer)
        views[at] = replace(each, refused=others)
    return tuple(sorted(views, key=lambda each: (not each.own, each.since or "~", each.writer)))


def say_lost_key(project: Project) -> str:
    """Return that the key is gone with which the user signed here, and what to do; or nothing."""
    lost = open_keyring(project).list_lost() if project.trust.has_data else ()
    if not lost:
        return ""
    names = ", ".join(card.writer for card in lost[:3])
    return (
        f"your key of before is gone: what you decided here as {names} is not believed any more; "
        f"believe it again: agentx trust --writer {lost[0].writer}"
    )


def trust_writer(project: Project, wanted: str, *, caller: WhoCalls) -> WriterView:
    """Believe a writer's key where its words claim a person.

    Raises: NotFound, InvalidValue for one without a key, NotThePerson for an agent.
    """
    found = _find(project, wanted, caller)
    keyring = open_keyring(project)
    shown = (*keyring.list_cards(), *keyring.list_lost(), *keyring.list_brought())
    known = (found.writer, found.fingerprint)
    cards = [card for card in shown if (card.writer, card.fingerprint) == known and card.is_own]
    if found.own:
        raise InvalidValue(f"{found.writer} is yours", hint="your own words count anyway")
    if not cards:
        raise InvalidValue(
            f"{found.writer} shows no key of its own: what it wrote cannot be told from a forgery",
            hint="a role's words count all the same; what a person decided, decide again",
        )
    _change(project, lambda: keyring.trust_key(cards[0]))
    record_act(project, AuditAct.TRUSTED, writer=found.writer, key=found.fingerprint)
    return _find(project, found.writer, caller)


def tell_refused(project: Project) -> tuple[str, ...]:
    """Return which writers somebody shows another key of with runs than is known here."""
    names = dict.fromkeys(card.writer for card in open_keyring(project).list_refused())
    return tuple(
        f"somebody shows another key as {name} than is known here; it is not taken: "
        "`agentx trust --show`"
        for name in islice(names, _TOLD_MAX)
    )


def withdraw_writer(project: Project, wanted: str, *, caller: WhoCalls) -> WriterView:
    """Believe a writer's key no longer.

    Raises: as `trust_writer`.
    """
    found = _find(project, wanted, caller)
    if found.own or not found.trusted:
        said = "is yours" if found.own else "is not trusted"
        raise InvalidValue(f"{found.writer} {said}", hint="`agentx trust --show` lists the writers")
    _change(project, lambda: open_keyring(project).withdraw(found.fingerprint))
    record_act(project, AuditAct.REVOKED, writer=found.writer, key=found.fingerprint)
    return replace(found, trusted=False, trusted_at="")


def accept_repository(project: Project) -> None:
    """Take signatures for this repository's own that its writers made: a person trusts it.

    Raises: UnavailableError, LockHeld.
    """
    keyring = open_keyring(project)
    if keyring.list_cards():
        _change(project, keyring.accept_names)


def _change(project: Project, change: Callable[[], None]) -> None:
    """Change whose words count, and let every ledger say so, and memory."""
    ledgers = open_clarifications(project)
    ledgers.take_in()
    change()
    ledgers.renew()
    follow_ledgers(project)
    renew_notices(project)


def _find(project: Project, wanted: str, caller: WhoCalls) -> WriterView:
    show = "agentx trust --show"
    require_person(project, "whose words count", hint=show, caller=caller, writer=wanted)
    return find_writer(project, wanted)


def find_writer(project: Project, wanted: str) -> WriterView:
    """Return the writer that is meant: by its id, its fingerprint, or the name it gives itself.

    Raises: NotFound; InvalidValue where several call themselves so: a name proves nothing.
    """
    writers = list_writers(project)
    key = wanted.lower().replace(" ", "")
    found = [each for each in writers if each.writer == wanted]
    found = found or [each for each in writers if len(key) > 7 and each.fingerprint.startswith(key)]
    if len({each.fingerprint for each in found}) > 1:
        which = ", or ".join(f"agentx trust --writer {each.fingerprint}" for each in found[:8])
        raise InvalidValue(f"{len(found)} keys are shown as {wanted[:40]!r}", hint=which)
    if found:
        return found[0]
    name = fold_text(wanted)
    called = [each for each in writers if each.name and fold_text(each.name) == name]
    if len({each.fingerprint or each.writer for each in called}) > 1:  # one key is one user
        others = (each.writer for each in called if not each.own)
        which = ", or ".join(f"agentx trust --writer {each}" for each in islice(others, 8))
        own = ", ".join(each.writer for each in called if each.own)
        hint = f"{which}; yours is {own}, and counts anyway" if own else which
        raise InvalidValue(f"{len(called)} writers call themselves {wanted[:40]!r}", hint=hint)
    if not called:
        known = ", ".join(map(_name, writers[:8])) or "there is none yet"
        raise NotFound(
            f"nobody shows a key here as {wanted[:40]!r}",
            hint=f"writers: {known}; who is not among them says `agentx run sync`, then you; or "
            f"commits and pushes their card ({_CARDS_AT}), then pull it",
        )
    return called[0]


def _name(each: WriterView) -> str:
    return f"{each.writer} ({preview(fold_text(each.name), 40)})" if each.name else each.writer


def _view(keyring: Keyring, writer: str, card: WriterCard | None) -> WriterView:
    if card is None:
        return WriterView(writer=writer)
    trusted = keyring.list_trusted().get(card.fingerprint)
    is_own = card.key == keyring.own
    return WriterView(
        writer=writer,
        fingerprint=card.fingerprint,
        name=card.name,
        since=card.since,
        own=is_own,
        trusted=is_own or trusted is not None,
        trusted_at="" if trusted is None else trusted.at,
    )


def _list_absent(keyring: Keyring, shown: Container[str]) -> Iterator[WriterView]:
    """Yield who is trusted here and has no card in this checkout, as on a branch that is older."""
    for known, key in keyring.list_trusted().items():
        if known not in shown and not key.withdrawn:
            yield WriterView(
                writer=key.writer or known[:8],
                fingerprint=known,
                name=key.name,
                trusted=True,
                trusted_at=key.at,
            )


def _list_names(project: Project) -> set[str]:
    """Return the writers by the names of their files."""
    questions = project.paths.questions
    try:
        issues = [name for name in list_folder(questions).folders if name.isdigit()]
        files = [name for issue in issues for name in list_folder(questions / issue).files]
    except OSError:
        return set()
    stems = (name.removesuffix(".jsonl") for name in files if name.endswith(".jsonl"))
    return {stem.partition("-")[0] for stem in stems}
