"""Whose words count in a repository: the user's own key, and those of writers the user trusts.

    <data folder>/trust/<mark>/writers.json    what this repository is called in signatures, which
                                               keys were trusted in this checkout, our own cards
    <data folder>/trust/<mark>/proved          which signatures were found good (`proved`)
    <data folder>/trust/repositories/          which keys are trusted in all of them (`known_keys`)
    .agentx/questions/writers/                 what writers say of themselves (`cards`)
    .agent-memory/aside/                       the same, as it came with runs (`brought`)

A repository is called by a number of chance, which its cards carry from clone to clone. What the
user's folder knows counts, not what a card says: words that were signed for another repository
are nobody's here. Other names are taken over where a person trusts the repository or a writer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.disk import look_at
from agentx.host.files.json_text import line_of, parse_json
from agentx.kernel.clock import Clock, from_iso, to_iso
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import Entropy, digest
from agentx.kernel.values import frozen
from agentx.kernel.vouching.signatures import Judge
from agentx.kernel.vouching.standing import Vouching
from agentx.project.trust.brought import BroughtCards
from agentx.project.trust.cards import CardFolder, WriterCard, by_age, read_card
from agentx.project.trust.ed25519 import fingerprint, sign
from agentx.project.trust.known_keys import Keys, KnownKeys, TrustedKey, read_keys, read_time
from agentx.project.trust.marker import make_marker, read_small
from agentx.project.trust.proved import Check, ProvedSignatures
from agentx.project.trust.siblings import list_sibling_marks
from agentx.project.trust.trust import Trust
from agentx.project.trust.writers import Hand

_RECORD_BYTES_MAX = 1024 * 1024
_NAME_BYTES = 16
_NAME_CHARS_MAX = 80
_RULES = "4"  # a higher number where the rules count otherwise: every view is made again


@frozen
class KeyringRecord:
    """What the user's folder knows of the writers of one repository."""

    repositories: tuple[str, ...] = ()  # its names in signatures; with the first we sign
    trusted: Keys
    # The repository was made a stranger's then: of keys that were trusted before, none counts here.
    revoked: str = ""
    cards: Mapping[str, WriterCard]  # of our own checkouts, as they were made


_EMPTY = KeyringRecord(trusted={}, cards={})


class Keyring:
    """The keys that count in one checkout."""

    def __init__(
        self,
        trust: Trust,
        hand: Hand,
        *,
        project_id: str,
        clock: Clock,
        entropy: Entropy,
        says: Callable[[], str] = lambda: "",
    ) -> None:
        self._trust = trust
        self._hand = hand
        self._project_id = project_id
        self._clock = clock
        self._entropy = entropy
        self._says = says
        self._mark = ""
        self._cards = CardFolder(trust.paths.question_writers)
        self._brought = BroughtCards(trust.paths.run_aside)
        self._known = KnownKeys(trust.folder.known_keys, clock)
        self._stored: tuple[object, KeyringRecord] = (None, _EMPTY)
        self._seen: tuple[object, KeyringRecord, str] = (None, _EMPTY, "")
        self._begun: KeyringRecord | None = None
        self._siblings: tuple[str, ...] | None = None
        self._proved = ProvedSignatures()

    # --- what the ledgers ask -----------------------------------------------------------------

    def stamp(self) -> str:
        """Return what changes when other words count than before."""
        record, stamp = self._look()
        others = self._list_siblings(record)
        return digest(stamp, *others).hex() if others else stamp

    def list_files(self) -> tuple[Path, ...]:
        """Return the files of the user that say whose words count here."""
        others = self._known.list_files(self._list_all_names())
        return (*((self._trust.folder.writers(self._mark),) if self._mark else ()), *others)

    def is_begun(self) -> bool:
        """Tell whether somebody signed here: the user, or a writer whose card lies here."""
        return bool(self._look()[0].repositories) or next(iter(self._cards), None) is not None

    def introduce(self, writer: str) -> None:
        """Lay the writer's card beside the events; what cannot be written is done without."""
        card = self._make_card(writer)
        if card is not None and self._cards.read(writer) != card:
            self._cards.lay(card)
        with suppress(AgentXError, OSError):
            self._share_keys()

    def go_with_runs(self) -> None:
        """Lay our card where it goes with runs, before they are exchanged; one that an earlier
        version made, too."""
        card = self._look()[0].cards.get(self._hand.find_writer())
        if card is not None:
            self._brought.lay(card)

    def sign(self, message: bytes) -> tuple[str, str]:
        """Return the name of the user's key and its signature; nothing where there is no key."""
        if not (self._name_repository() and self.own):
            return "", ""
        note, names = self._trust.folder.proof_note(self._mark), self._list_all_names()
        signature = self._proved.sign(note, self._hand.seed, self.own, names, message)
        return fingerprint(self.own), signature

    def judge(self, key: str, signature: str, message: bytes) -> Vouching:
        """Return how something stands that a key is said to have signed."""
        return self.judging()(key, signature, message)

    def judging(self) -> Judge:
        """Return what judges by what counts now: who asks of many words looks once."""
        record = self._look()[0]
        own = fingerprint(self.own) if self.own else ""
        note = self._trust.folder.proof_note(self._mark)

        @cache
        def find_check(key: str) -> Check | None:
            public, names = "", record.repositories
            if trusted := record.trusted.get(key):
                public, names = trusted.key, (*names, *trusted.repositories)
            elif own and key == own:
                public, names = self.own, (*names, *self._list_siblings(record))
            return self._proved.checking(note, public, names) if public else None

        def judge(key: str, signature: str, message: bytes) -> Vouching:
            if not signature:
                return Vouching.UNSIGNED
            check = find_check(key)
            if check is None:
                return Vouching.UNTRUSTED
            return Vouching.SIGNED if check(signature, message) else Vouching.FORGED

        return judge

    def choose_writer(self) -> str:
        """Return the name of this checkout's files; a key that was made since begins a new one."""
        writer = self._hand.writer
        card = self._look()[0].cards.get(writer)
        if card is None or not self.own or card.key == self.own:
            return writer
        return self._hand.begin_anew(writer)

    # --- what a person asks -------------------------------------------------------------------

    @property
    def own(self) -> str:
        """The user's own public key; nothing where there is none."""
        return self._hand.public

    def list_cards(self) -> tuple[WriterCard, ...]:
        """Return the cards that lie in the repository, whoever wrote them."""
        return tuple(self._cards)

    def list_brought(self) -> tuple[WriterCard, ...]:
        """Return the cards that came with runs, but for those of `list_refused`."""
        return self._sort_brought()[0]

    def list_refused(self) -> tuple[WriterCard, ...]:
        """Return the cards that came with runs and show another key than a known writer's."""
        return self._sort_brought()[1]

    def _sort_brought(self) -> tuple[tuple[WriterCard, ...], tuple[WriterCard, ...]]:
        record = self._look()[0]
        brought = tuple(self._brought.read(known=record.trusted))
        known = [card for card in self._cards if card.is_own]
        known += record.cards.values()
        known += (card for card in brought if card.fingerprint in record.trusted)
        keys: dict[str, set[str]] = {}
        for card in known:
            keys.setdefault(card.writer, set()).add(card.key)
        taken = tuple(card for card in brought if card.key in keys.get(card.writer, {card.key}))
        return taken, tuple(card for card in brought if card not in taken)

    def list_lost(self) -> tuple[WriterCard, ...]:
        """Return our own writers here whose key is gone, and whose words count no longer."""
        record = self._look()[0]
        return tuple(
            card
            for card in sorted(record.cards.values(), key=by_age)
            if card.key != self.own and card.fingerprint not in record.trusted
        )

    def list_trusted(self) -> Mapping[str, TrustedKey]:
        """Return the keys that the user trusts here, by fingerprint."""
        return self._look()[0].trusted

    def list_names(self) -> tuple[str, ...]:
        """Return what this repository is called in signatures that count here."""
        return self._look()[0].repositories

    def name_owner(self, known: str) -> str:
        """Return what the owner of a key that counts is called; nothing where no name is known."""
        record = self._look()[0]
        if known in record.trusted:
            return record.trusted[known].name
        if not (self.own and known == fingerprint(self.own)):
            return ""
        # As the card says: what git calls the user now may be of anybody's making.
        ours = sorted((card for card in record.cards.values() if card.key == self.own), key=by_age)
        return ours[0].name if ours else self._says()

    def trust_key(self, card: WriterCard) -> None:
        """Let the words count that a writer's key signs.

        Raises: UnavailableError, LockHeld.
        """
        known = self._look()[0].trusted.get(card.fingerprint)
        # Of cards that came with runs only the one that was chosen: others may be of elsewhere.
        names = {card.repository, *(() if known is None else known.repositories)}
        names |= {each.repository for each in self._cards if each.key == card.key and each.is_own}
        key = TrustedKey(
            key=card.key,
            name=card.name,
            at=self._choose_time(card.fingerprint),
            writer=card.writer,
            repositories=tuple(sorted(names)),
        )
        self._change(lambda it: replace(it, trusted={**it.trusted, card.fingerprint: key}))
        self._known.note(self._list_all_names(), {card.fingerprint: key})

    def withdraw(self, known: str) -> None:
        """Let the words of a key count no longer, in none of the user's checkouts.

        Raises: UnavailableError, LockHeld.
        """
        key = self._look()[0].trusted.get(known)
        if key is not None:
            gone = replace(key, at=self._choose_time(known), withdrawn=True)
            self._known.note(self._list_all_names(), {known: gone})
        self._change(
            lambda it: replace(it, trusted={n: key for n, key in it.trusted.items() if n != known})
        )

    def withdraw_all(self) -> None:
        """Let nobody's words count here but the user's own, under the names they signed with.

        Raises: UnavailableError, LockHeld.
        """
        if self._look()[0] == _EMPTY:
            return
        at = self._choose_time(*self._look()[0].trusted)

        def keep_own(it: KeyringRecord) -> KeyringRecord:
            ours = {card.repository for card in it.cards.values()}
            names = tuple(name for name in it.repositories if name in ours)
            return KeyringRecord(repositories=names, trusted={}, revoked=at, cards=it.cards)

        self._change(keep_own)

    def accept_names(self) -> None:
        """Take the repository's names over that its cards carry: a person trusts it.

        Raises: UnavailableError, LockHeld.
        """
        self._hand.make_key()
        self._share_keys()
        cards = sorted((card for card in self._cards if card.is_own), key=by_age)
        found = dict.fromkeys(card.repository for card in cards)
        if not set(found) <= set(self._look()[0].repositories) or self._begun is not None:
            self._change(
                lambda it: replace(
                    it, repositories=tuple({**dict.fromkeys(it.repositories), **found})
                )
            )

    # --- the user's folder ----------------------------------------------------------------------

    def _look(self) -> tuple[KeyringRecord, str]:
        """Return what counts here: as this checkout noted it, and as the user said elsewhere."""
        record = self._read_stored()
        known = self._known.list_keys(self._list_names_of(record), record.trusted)
        seen = (record, known)
        if self._seen[0] != seen:
            trusted = {
                name: key
                for name, key in sorted(known.items())
                if not (key.withdrawn or (record.revoked and key.at <= record.revoked))
            }
            now = replace(record, trusted=trusted)
            is_begun = bool(now.repositories or trusted or now.cards)
            self._seen = (seen, now, _stamp(now) if is_begun else "")
        return self._seen[1], self._seen[2]

    def _read_stored(self) -> KeyringRecord:
        if not self._mark:
            marker = self._trust.marker()
            self._mark = "" if marker is None else marker.mark
        path = self._trust.folder.writers(self._mark) if self._mark else None
        seen = None if path is None else look_at(path)
        if path is None or seen is None:
            return self._begin()
        if self._stored[0] != seen:
            record = _record_of(read_small(path, _RECORD_BYTES_MAX) or b"")
            if not record.repositories:
                record = replace(record, repositories=self._begin().repositories)
            self._stored = (seen, record)
        return self._stored[1]

    def _list_names_of(self, record: KeyringRecord) -> tuple[str, ...]:
        return (*record.repositories, *self._list_siblings(record))

    def _list_all_names(self) -> tuple[str, ...]:
        """Return what this repository is called here, and in the user's other clones."""
        return self._list_names_of(self._look()[0])

    def _choose_time(self, *known: str) -> str:
        """Return now, or the moment after all that was said of some keys: the last word counts."""
        record = self._read_stored()
        keys = self._known.list_keys(self._list_names_of(record), record.trusted)
        said = [record.revoked, *(keys[name].at for name in known if name in keys)]
        now = to_iso(self._clock.now_ms())
        return now if now > max(said) else to_iso(from_iso(max(said)) + 1)

    def _begin(self) -> KeyringRecord:
        """Return what is known where nothing is noted: a clone that lay here may have left a card.

        Words of that card's writer, which is this checkout's, count as they did.
        """
        if self._begun is None:
            writer = self._hand.find_writer()
            shown = self._find_shown(writer) if writer and self.own else None
            names = () if shown is None else (shown.repository,)
            self._begun = replace(_EMPTY, repositories=names)
        return self._begun

    def _list_siblings(self, record: KeyringRecord) -> tuple[str, ...]:
        """Return what the user's other clones call this repository; looked up once."""
        if self._siblings is None:
            marks = list_sibling_marks(self._trust, self._hand.list_checkouts())
            others = (read_small(self._trust.folder.writers(m), _RECORD_BYTES_MAX) for m in marks)
            cards = (card for raw in others for card in _record_of(raw or b"").cards.values())
            self._siblings = tuple(dict.fromkeys(card.repository for card in cards))
        return tuple(name for name in self._siblings if name not in record.repositories)

    def _name_repository(self) -> str:
        """Return what we call this repository in signatures; nothing where that cannot be kept."""
        known = self._look()[0].repositories
        if known:
            return known[0]
        made = self._entropy(_NAME_BYTES).hex()
        with suppress(AgentXError, OSError):
            self._change(lambda it: it if it.repositories else replace(it, repositories=(made,)))
        return next(iter(self._look()[0].repositories), "")

    def _make_card(self, writer: str) -> WriterCard | None:
        """Return our card; the same as ever, so that branches do not differ in it."""
        repository = self._name_repository()
        if not (self.own and repository):
            return None
        known = self._look()[0].cards.get(writer)
        if known is not None and (known.key, known.repository) == (self.own, repository):
            return known
        card = self._find_shown(writer)
        if card is None or card.repository != repository:
            card = WriterCard(
                writer=writer,
                key=self.own,
                repository=repository,
                name=self._says()[:_NAME_CHARS_MAX],
                since=to_iso(self._clock.now_ms()),
            )
            card = replace(card, sig=sign(self._hand.seed, card.message))
        with suppress(AgentXError, OSError):
            self._change(lambda it: replace(it, cards={**it.cards, writer: card}))
        return card

    def _change(self, change: Callable[[KeyringRecord], KeyringRecord]) -> None:
        # Few commands come here, and locks take long to load.
        from agentx.host.locks.lock import locked  # noqa: PLC0415  see above

        marker = make_marker(self._trust.marker_path, self._project_id, self._entropy)
        path = self._trust.folder.writers(marker.mark)
        with locked(path, owner="writers", clock=self._clock):
            raw = read_small(path, _RECORD_BYTES_MAX)
            record = _EMPTY if raw is None else _record_of(raw)
            if not record.repositories:
                record = replace(record, repositories=self._begin().repositories)
            record = change(record)
            said = {
                "repositories": list(record.repositories),
                "trusted": {name: asdict(key) for name, key in sorted(record.trusted.items())},
                **({"revoked": record.revoked} if record.revoked else {}),
                "cards": {name: asdict(card) for name, card in sorted(record.cards.items())},
            }
            replace_file(path, line_of(said) + b"\n")

    def _find_shown(self, writer: str) -> WriterCard | None:
        """Return the card that our own writer shows already: of a clone that lay here before."""
        card = self._cards.read(writer)
        return card if card is not None and card.key == self.own and card.is_own else None

    def _share_keys(self) -> None:
        """Let the user's other checkouts know whom this one alone has noted; an earlier AgentX
        told them nothing."""
        record = self._read_stored()
        if record.trusted:
            names = self._list_names_of(record)
            known = self._known.list_keys(names, {})
            new = {name: key for name, key in record.trusted.items() if name not in known}
            if new:
                self._known.note(names, new)


def _stamp(record: KeyringRecord) -> str:
    keys = (part for name, key in record.trusted.items() for part in (name, repr(key)))
    return digest(_RULES, *record.repositories, *keys).hex()


def _record_of(raw: bytes) -> KeyringRecord:
    try:
        said = parse_json(raw)
    except ValueError:
        return _EMPTY
    match said:
        case {"repositories": list(names), "trusted": dict(trusted), "cards": dict(cards)}:
            read = {name: read_card(card) for name, card in cards.items()}
            return KeyringRecord(
                repositories=tuple(map(str, names)),
                trusted=read_keys(trusted),
                revoked=read_time(said.get("revoked")),
                cards={name: card for name, card in read.items() if card is not None},
            )
        case _:
            return _EMPTY
