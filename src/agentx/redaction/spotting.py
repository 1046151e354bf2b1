"""Many needles looked for at once: by the words a text is made of, each of which is judged once.

A needle can only be in a text if its longest run of letters and digits is in one of the text's
words: at the end of it where the needle has a sign behind the run, at its beginning where it has
one before. Texts repeat their words, so what a word may hold is found out once and remembered; a
long text costs little more than splitting it. Who looks at many texts also remembers which words,
as they stand between blanks, hold nothing at all (`Harmless`): the rest of a text is short.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_START_BYTES = 3  # shorter runs are in too many words
_WORDS_MAX = 100_000
_WORD_BYTES_MAX = 40  # longer ones do not come again
_SPLIT = bytes([byte if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256)])

_SPLIT_LINES = _SPLIT[:10] + b"\n" + _SPLIT[11:]


def split_words(data: bytes) -> list[bytes]:
    """Return the runs of ASCII letters and digits."""
    return data.translate(_SPLIT).split()


def run_of(needle: bytes) -> bytes:
    """Return the longest run of letters and digits of a needle; nothing where none is long."""
    longest = max(split_words(needle), key=len, default=b"")
    return longest if len(longest) >= _START_BYTES else b""


class Needles:
    """Needles in small letters, each with a run that is long enough."""

    def __init__(self, needles: "Iterable[bytes]") -> None:
        self._by_start: dict[bytes, list[tuple[bytes, bytes]]] = {}
        for needle in needles:
            # Between blanks, as the word that is looked at: a sign of the needle ends its word.
            signed = needle.translate(_SPLIT)
            run = run_of(needle)
            at = signed.find(run)
            edged = signed[max(0, at - 1) : at + len(run) + 1]
            self._by_start.setdefault(run[:_START_BYTES], []).append((edged, needle))
        self._known: dict[bytes, tuple[bytes, ...]] = {}  # words that hold some
        self._harmless: set[bytes] = set()

    def spot(self, words: set[bytes]) -> set[bytes]:
        """Return the needles that may be in a text of these words; all others are not in it."""
        found: set[bytes] = set()
        for word in words - self._harmless:
            held = self._known.get(word)
            found.update(held if held is not None else self._judge(word))
        return found

    def list_holding(self, words: set[bytes]) -> set[bytes]:
        """Return the words that hold a needle, of a text that was spotted."""
        return {
            word for word in words - self._harmless if self._known.get(word) or self._judge(word)
        }

    def _judge(self, word: bytes) -> tuple[bytes, ...]:
        by_start = self._by_start
        between = b" %s " % word
        starts = {word[at : at + _START_BYTES] for at in range(len(word) - _START_BYTES + 1)}
        held = tuple(
            needle
            for start in starts.intersection(by_start)
            for edged, needle in by_start[start]
            if edged in between
        )
        if len(word) <= _WORD_BYTES_MAX:
            if len(self._harmless) + len(self._known) >= _WORDS_MAX:
                self._harmless.clear()
                self._known.clear()
            if held:
                self._known[word] = held
            else:
                self._harmless.add(word)
        return held


class Harmless:
    """Words between blanks that hold nothing that is looked for: most of what texts are made of."""

    _TEXTS_MIN = 50  # who looks at fewer has no use of what is remembered
    _WORDS_MAX = 150_000
    _WORD_BYTES_MAX = 80

    def __init__(self) -> None:
        self._left = self._TEXTS_MIN
        self._known: set[bytes] = set()

    def is_ready(self) -> bool:
        """Tell whether words are remembered by now; asked once for every text."""
        self._left -= self._left > 0
        return not self._left

    def drop(self, words: "Iterable[bytes]") -> set[bytes]:
        """Return the words that may hold something."""
        return set(words) - self._known

    def learn(
        self, words: set[bytes], *, held: set[bytes], gates: "Collection[bytes]", others: set[bytes]
    ) -> None:
        """Remember words but `others`, those that have one of `held` in them, and of `gates`."""
        if len(self._known) >= self._WORDS_MAX:
            self._known.clear()
        fresh = [word for word in words - others if len(word) <= self._WORD_BYTES_MAX]
        for gate in gates:
            fresh = [word for word in fresh if gate not in word.lower()]
        if held:
            spelled = b"\n".join(fresh).lower().translate(_SPLIT_LINES).split(b"\n")
            fresh = [
                word
                for word, inside in zip(fresh, spelled, strict=bool(fresh))
                if held.isdisjoint(inside.split())
            ]
        self._known.update(fresh)
