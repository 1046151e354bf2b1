"""Which view answers which address.

A view is `module:function` below `places`, imported when it is first asked for: it is given the
desk, what is asked, and what the address names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from urllib.parse import unquote

from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.roles import PERSON_ROLE
from agentx.project.audit import AuditAct, record_act
from agentx.surfaces.page.asked import Answer, PageCall
from agentx.surfaces.page.desk import PageDesk

_VIEWS: tuple[tuple[str, str, str], ...] = (
    ("GET", "/", "home:draw_home"),
    ("GET", "/time", "said.time:draw_years"),
    ("GET", "/time/NAME", "said.time:draw_node"),
    ("GET", "/day/NAME", "said.time:draw_day"),
    ("GET", "/grip/NAME", "said.proof:draw_grip"),
    ("GET", "/event/NAME", "said.proof:draw_event"),
    ("GET", "/show/NAME", "said.proof:draw_document"),
    ("GET", "/why/NAME", "said.proof:draw_why"),
    ("GET", "/sessions", "said.sessions:draw_list"),
    ("GET", "/session/NAME", "said.session:draw_session"),
    ("GET", "/search", "said.search:draw_search"),
    ("GET", "/memory", "learnt.memory:draw_list"),
    ("GET", "/memory/map", "learnt.area:draw_map"),
    ("GET", "/memory/one/NAME", "learnt.memory:draw_one"),
    ("GET", "/memory/one/NAME/VERB", "learnt.curating:draw_question"),
    ("POST", "/memory/one/NAME/VERB", "learnt.curating:do"),
    ("GET", "/forget/session/NAME", "said.forgetting:draw_preview"),
    ("POST", "/forget/session/NAME", "said.forgetting:do"),
    ("GET", "/work", "work.overview:draw_work"),
    ("GET", "/question/NAME", "work.questions:draw_question"),
    ("POST", "/question/NAME", "work.questions:say"),
    ("GET", "/run/NAME", "work.runs:draw_run"),
    ("POST", "/run/NAME", "work.runs:say"),
    ("GET", "/lessons", "learnt.lessons:draw_lessons"),
    ("POST", "/lessons", "learnt.lessons:decide"),
    ("GET", "/told", "learnt.told:draw_told"),
    ("GET", "/share", "said.share:draw_question"),
    ("POST", "/share", "said.share:hand_out"),
)
_NAME_CHARS_MAX = 500

View = Callable[..., Answer]


def find_view(method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """Return where the view of an address lives, and what the address names."""
    for wanted, pattern, view in _VIEWS:
        names = _match(pattern, path) if wanted == method else None
        if names is not None:
            return view, names
    return None


def perform(desk: PageDesk, method: str, asked: PageCall) -> Answer:
    """Answer what is asked.

    Raises: NotFound for an address that is nobody's, and whatever the view raises.
    """
    found = find_view(method, asked.path)
    if found is None:
        raise NotFound("there is no such page", hint="the navigation has all there are")
    view, names = found
    if method == "POST":
        _check_person(desk, asked)
    module, _, name = view.partition(":")
    draw: View = getattr(import_module(f"{__package__}.places.{module}"), name)
    return draw(desk, asked, **names)


def _check_person(desk: PageDesk, asked: PageCall) -> None:
    """See that no agent changes anything: neither who opened the page nor what asks it now.

    Raises: InvalidValue; that an agent tried stands in the audit log.
    """
    why = desk.find_refusal(asked)
    if not why:
        return
    by = asked.find_sender() or desk.caller.said_name
    record_act(desk.project, AuditAct.REFUSED, page=asked.path, speaker=PERSON_ROLE, agent=by)
    raise InvalidValue(
        why,
        hint="a person opens it at a terminal, in a browser that no agent started: agentx view",
    )


def _match(pattern: str, path: str) -> dict[str, str] | None:
    wanted, given = pattern.split("/"), path.split("/")
    if len(wanted) != len(given):
        return None
    names = {}
    for want, have in zip(wanted, given, strict=True):
        if re.fullmatch("[A-Z]+", want):
            told = unquote(have, errors="replace")
            if not told or len(told) > _NAME_CHARS_MAX or "\x00" in told:
                return None
            names[want.lower()] = told
        elif want != have:
            return None
    return names
