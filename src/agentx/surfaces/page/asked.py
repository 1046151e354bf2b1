"""What a browser asks, and what it is given: plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from urllib.parse import quote, urlencode

from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    DataError,
    InputError,
    LimitError,
    NameMoved,
    NotFound,
    UnavailableError,
)
from agentx.kernel.values import field, frozen
from agentx.surfaces.page.markup import NOTHING, Html

_PAGE_MAX = 10_000
_WRITTEN = ("text", "why")  # the fields in which somebody writes


def find_no_sender() -> str:
    """Say that no agent asks."""
    return ""


@frozen
class PageCall:
    """One request: where, with what behind the question mark, and what a form says."""

    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, str] = field(default_factory=dict)
    is_part: bool = False  # asked by the page's own script, which puts it in its place
    find_sender: Callable[[], str] = find_no_sender  # the agent that asks; nothing for a browser

    @property
    def written(self) -> str:
        """What a person wrote in the form."""
        return "\n".join(self.form[name] for name in _WRITTEN if self.form.get(name))

    def word(self, name: str) -> str:
        """Return a word of the query; empty where it is not said."""
        return self.query.get(name, "").strip()

    def number(self, name: str, default: int) -> int:
        """Return a number of the query, within reason; the default for what is none."""
        said = self.word(name)
        return min(int(said), _PAGE_MAX) if said.isascii() and said.isdigit() else default


@frozen
class WholePage:
    """A whole page."""

    title: str
    body: Html
    here: str = ""  # which place of the navigation it belongs to
    status: int = 200
    query: str = ""  # what stands in the field for searching


@frozen
class PagePart:
    """A piece of a page, which its script asked for."""

    body: Html = NOTHING


@frozen
class Away:
    """Go elsewhere on this page."""

    to: str


@frozen
class Download:
    """A file to keep."""

    name: str
    kind: str
    text: str


Answer = WholePage | PagePart | Away | Download


def find_status(error: AgentXError | None) -> int:
    """Return what HTTP calls what went wrong, by what the browser's person can do about it."""
    match error:
        case None:
            return 200
        case NotFound():
            return 404
        case NameMoved() | ConflictError():
            return 409
        case InputError() | LimitError():
            return 400
        case DataError() | UnavailableError():
            return 503
        case _:
            return 500


def link_to(*steps: str, **query: str | int | None) -> str:
    """Return an address on this page; what is empty is left out of the query."""
    path = "/" + "/".join(quote(each, safe=":@,-._~") for each in steps)
    told = {key.rstrip("_"): str(value) for key, value in query.items() if value not in ("", None)}
    return f"{path}?{urlencode(told)}" if told else path
