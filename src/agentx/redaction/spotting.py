"""Many needles looked for at once: by the words a text is made of, each of which is judged once.

A needle can only be in a text if its longest run of letters and digits is in one of the text's
words: at the end of it where the needle has a sign behind the run, at its beginning where it has
one before. Texts repeat their words, so what a word may hold is found out once and remembered; a
long text costs little more than splitting it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_START_BYTES = 3  # shorter runs are in too many words
_WORDS_MAX = 100_000
_WORD_BYTES_MAX = 40  # longer ones do not come again
_SPLIT = bytes([byte if chr(byte).isalnum() and byte < 128 else 32 for byte in range(256)])


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
