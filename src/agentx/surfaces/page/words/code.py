"""Code with its comments, strings, numbers and key words in colour: one pass, any language.

Which language it is decides how comments begin and which words are its own; nothing else is
known of it. What is longer than anybody reads stays plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.surfaces.page.markup import Html, Inside, join, tag

CODE_CHARS_MAX = 20_000
_STRINGS = r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?"
_TRIPLE = r"\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)"
_TICKS = r"`(?:[^`\\]|\\.)*`?"
_NUMBERS = r"(?<![\w.])(?:0[xX][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?)(?!\w)"
_HASH = r"#[^\n]*"
_SLASHES = r"//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
_DASHES = r"--[^\n]*"
_MARKUP = r"<!--[\s\S]*?(?:-->|\Z)"
_SHELL_HASH = r"(?<![^\s;])#[^\n]*"

_PYTHON = (
    "and as assert async await break case class continue def del elif else except False finally"
    " for from global if import in is lambda match None nonlocal not or pass raise return self True"
    " try while with yield"
)
_SCRIPT = (
    "abstract any as async await bool boolean break case catch char class const continue debugger"
    " declare default delete do double else enum export extends false final finally float fn for"
    " from func function go if impl implements import in instanceof int interface let long match"
    " mod mut namespace new nil null number of package private protected public pub range return"
    " self static string struct super switch this throw throws trait true try type typeof undefined"
    " unsafe use var void where while yield defer chan map select"
)
_SHELL = (
    "if then else elif fi for while until do done case esac function in return export local set"
    " unset source alias cd echo exit sudo true false"
)
_QUERY = (
    "select from where insert into values update set delete create table index drop alter add"
    " column primary key foreign references not null unique default and or in is as on join left"
    " right inner outer group by order having limit offset union all distinct case when then else"
    " end begin commit rollback constraint check exists between like returning with"
)
_DATA = "true false null yes no on off"

# How comments and strings are written, and the words of the language.
_FAMILIES: dict[str, tuple[str, str, str]] = {
    "python": (_HASH, f"{_TRIPLE}|{_STRINGS}", _PYTHON),
    "shell": (_SHELL_HASH, _STRINGS, _SHELL),
    "data": (_SHELL_HASH, _STRINGS, _DATA),
    "query": (f"{_DASHES}|/\\*[\\s\\S]*?(?:\\*/|\\Z)", _STRINGS, _QUERY),
    "markup": (_MARKUP, _STRINGS, ""),
    "script": (_SLASHES, f"{_TICKS}|{_STRINGS}", _SCRIPT),
}
_NAMES = {
    "python": "python py python3 pyi ruby rb r elixir ex exs",
    "shell": "shell sh bash zsh fish console shellsession makefile make dockerfile docker",
    "data": "yaml yml toml ini cfg conf json jsonc env properties hcl tf nix gitignore",
    "query": "sql postgres postgresql mysql sqlite lua haskell hs",
    "markup": "html xml svg vue svelte",
    "script": (
        "js javascript jsx ts typescript tsx mjs cjs go rust rs java kotlin kt c h cc cpp hpp"
        " cs csharp swift scala php dart css scss less proto graphql groovy zig"
    ),
}
_FAMILY_OF = {name: family for family, names in _NAMES.items() for name in names.split()}
_ENDINGS = compile_late(r"[A-Za-z0-9_+-]{1,20}\Z")


def draw_code(text: str, language: str = "") -> Html:
    """Return code as lines that keep their form."""
    return tag("pre", tag("code", highlight(text, language)), tabindex="0")


def highlight(text: str, language: str = "") -> Html:
    """Return the words of some code, in colour where its language is known."""
    family = _FAMILY_OF.get(language.casefold(), "")
    if not family or len(text) > CODE_CHARS_MAX:
        return join(text)
    return join(*_split(text, _compile(family)))


def language_of(path: str) -> str:
    """Return what language the name of a file promises; empty for none."""
    name = path.replace("\\", "/").rpartition("/")[2].casefold()
    ending = name.rpartition(".")[2]
    return ending if ending in _FAMILY_OF and _ENDINGS.match(ending) else ""


def _split(text: str, pattern: re.Pattern[str]) -> Iterator[Inside]:
    end = 0
    for found in pattern.finditer(text):
        if found.start() > end:
            yield text[end : found.start()]
        yield tag("span", found.group(), class_=found.lastgroup)
        end = found.end()
    yield text[end:]


@lru_cache(maxsize=len(_FAMILIES))
def _compile(family: str) -> re.Pattern[str]:
    comments, strings, words = _FAMILIES[family]
    parts = [f"(?P<c>{comments})", f"(?P<s>{strings})", f"(?P<n>{_NUMBERS})"]
    if words:
        parts.append(rf"(?P<k>\b(?:{'|'.join(words.split())})\b)")
    return re.compile("|".join(parts), re.IGNORECASE if family == "query" else 0)
