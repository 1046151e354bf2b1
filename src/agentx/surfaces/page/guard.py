"""Who may come in: the browser that was given the link, and nobody else.

    the link       a token of the terminal, good once: it becomes a cookie that no script can read
    every request  is for this server by its own name (a name that somebody else's DNS turned to
                   this machine is another), carries the cookie, and comes from this page itself
    what changes   says from which page it comes, and names what only this page was told

A page elsewhere can have a browser ask this server; what it asks has another origin, no cookie
(it is strict) and, where a form is sent, not the word that every form here carries.
"""

from __future__ import annotations

from collections.abc import Mapping
from hmac import compare_digest
from threading import Lock

from agentx.kernel.ids import Entropy
from agentx.kernel.values import frozen

_SECRET_BYTES = 32
_COOKIE_CHARS_MAX = 8_192
SAFE_METHODS = frozenset({"GET", "HEAD"})
# What a browser says of where a request comes from: this page, or what a person typed.
_OWN_SITES = frozenset({"same-origin", "none"})


@frozen
class Refused:
    """Why a request is not answered."""

    status: int
    says: str
    mend: str = ""


class PageGuard:
    """Decides for one server."""

    def __init__(self, port: int, entropy: Entropy) -> None:
        self._hosts = frozenset({f"127.0.0.1:{port}", f"localhost:{port}"})
        self._cookie_name = f"agentx-page-{port}"
        self._link = entropy(_SECRET_BYTES).hex()
        self._cookie = entropy(_SECRET_BYTES).hex()
        self.form_word = entropy(_SECRET_BYTES).hex()
        self._is_used = False
        self._one_at_a_time = Lock()

    @property
    def link_token(self) -> str:
        """What opens the door once."""
        return self._link

    @property
    def cookie(self) -> str:
        """The header by which a browser is known from now on."""
        return f"{self._cookie_name}={self._cookie}; Path=/; HttpOnly; SameSite=Strict"

    def take_link(self, token: str) -> bool:
        """Tell whether a token opens the door; it does once."""
        with self._one_at_a_time:
            fits = not self._is_used and compare_digest(token.encode(), self._link.encode())
            self._is_used = self._is_used or fits
            return fits

    def judge(self, method: str, headers: Mapping[str, str]) -> Refused | None:
        """Return why a request is not for this server, or None."""
        host = headers.get("Host", "")
        if host not in self._hosts:
            return Refused(status=421, says="this server is not called so")
        origin = headers.get("Origin", "")
        own = {f"http://{each}" for each in self._hosts}
        if origin and origin not in own:
            return Refused(status=403, says="another page asked for this")
        if headers.get("Sec-Fetch-Site", "none") not in _OWN_SITES and (
            method not in SAFE_METHODS or headers.get("Sec-Fetch-Mode") != "navigate"
        ):
            return Refused(status=403, says="another site asked for this")
        if method not in SAFE_METHODS and origin != f"http://{host}":
            return Refused(status=403, says="it is not said which page this comes from")
        return None

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Tell whether a request comes from the browser that was let in."""
        # Other programs of this machine set cookies too: theirs may look like anything.
        for each in headers.get("Cookie", "")[:_COOKIE_CHARS_MAX].split(";"):
            name, _, value = each.strip().partition("=")
            if name == self._cookie_name and compare_digest(value.encode(), self._cookie.encode()):
                return True
        return False

    def is_own_form(self, word: str) -> bool:
        """Tell whether a form was made by this page."""
        return compare_digest(word.encode(), self.form_word.encode())
