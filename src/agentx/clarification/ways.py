"""How something was said: by whom nobody saw, in a file, on GitHub, out of memory."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping

from agentx.kernel.text import fold_text, split_words
from agentx.kernel.vouching import standing

# How something was said that stood in the ledger's file, and what that is where it claims a person.
FILE = "file"
UNVERIFIED = standing.UNVERIFIED
# Why nobody can tell who said something: no signature, one of a stranger's, one that is not true.
UNSIGNED = str(standing.Vouching.UNSIGNED)
UNTRUSTED = str(standing.Vouching.UNTRUSTED)
FORGED = str(standing.Vouching.FORGED)
# Whose name is none, and looks like a person's.
DISGUISED = "disguised"
UNVERIFIED_WAYS = frozenset({FILE, UNSIGNED, UNTRUSTED, FORGED})
# How something was said that a person wrote on the page: with the account and the comment.
GITHUB = "github/"
# How something was said there that was not taken, as what it was said to had been decided before.
MISSED = "missed/"
WAY_MISSED = "missed"  # the field that names the comment
# The same, where only a writer who is not trusted says that it was said there.
BROUGHT = "brought/"
# How something was said that memory knew already: with where it stands there.
MEMORY = "memory/"
# What a person is offered to say who lets a question go.
LET_GO = "go on with what is known"
_POLITE = ("thank you", "thanks", "please")
_AROUND = " .,!;:\"'`\u2018\u2019\u201c\u201d"


def lets_go(body: str, asked: Callable[[], str]) -> bool:
    """Tell whether who is asked a question only lets it go, without a word or in those offered."""
    return not body.strip() or (says_let_go(body) and may_let_go(asked()))


def says_let_go(body: str) -> bool:
    """Tell whether words are those that are offered for letting go, quoted or with thanks."""
    said = fold_text(body).casefold().strip(_AROUND)
    polite = next((each for each in _POLITE if said.endswith(f" {each}")), "")
    return said.removesuffix(polite).rstrip(_AROUND) == LET_GO


def may_let_go(asked: str) -> bool:
    """Tell whether a question can be let go in those words: where it has them they answer it.

    Also where they are set off by marks, or its topic has them.
    """
    plain = unicodedata.normalize("NFKC", asked).casefold().replace("_", " ")
    return f" {LET_GO} " not in f" {' '.join(split_words(plain))} "


def name_memory_way(grip: str) -> str:
    """Return how something was said that was taken from memory."""
    return f"{MEMORY}{grip}"


def name_github_way(account: str, comment: int) -> str:
    """Return how something was said that is a comment on GitHub."""
    return f"{GITHUB}{account}/{comment}"


def name_missed_way(via: str) -> str:
    """Return how something was said on GitHub that was not taken."""
    return f"{MISSED}{via}"


def name_brought_way(missed: str) -> str:
    """Return how something was missed by what a writer says who is not trusted."""
    return f"{BROUGHT}{name_comment(missed)}"


def name_comment(via: str) -> str:
    """Return a way without whether it was taken, and who says so."""
    return via.removeprefix(MISSED).removeprefix(BROUGHT)


def is_missed(via: str) -> bool:
    """Tell whether something was said on GitHub and not taken, whoever says so."""
    return via.startswith((MISSED, BROUGHT))


def is_brought(via: str) -> bool:
    """Tell whether only a writer who is not trusted says that something was said on GitHub."""
    return via.startswith(BROUGHT)


def write_way(via: str) -> dict[str, str]:
    """Return how a way is written; who does not know what was missed takes it for a claim."""
    return (
        {"via": UNTRUSTED, WAY_MISSED: via.removeprefix(MISSED)} if is_missed(via) else {"via": via}
    )


def read_missed(said: Mapping[str, object]) -> str:
    """Return the way of what was said on GitHub and not taken; nothing for anything else."""
    found = said.get(WAY_MISSED)
    if not (isinstance(found, str) and found):
        return ""
    return found if is_brought(found) else name_missed_way(found)


def is_unverified_way(via: str) -> bool:
    """Tell whether what is said in the name of a person that way counts for nobody's word."""
    return via in UNVERIFIED_WAYS or is_missed(via)


def is_from_memory(via: str) -> bool:
    """Tell whether something was taken from memory."""
    return via.startswith(MEMORY)


def is_of_elsewhere(via: str) -> bool:
    """Tell whether something is said to have been said on GitHub, or taken from memory."""
    return via.startswith(GITHUB) or is_missed(via) or is_from_memory(via)
