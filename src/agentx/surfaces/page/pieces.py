"""What several pages show alike: times, sessions, lines with their proof, forms that change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agentx.conversation.model import Session
from agentx.conversation.toc_model import Bullet, BulletKind
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import preview, show_name
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.asked import link_to
from agentx.surfaces.page.markup import Html, Inside, join, tag

TITLE_CHARS_MAX = 160
NAME_CHARS_MAX = 60
# How old something may be to be called so; the style gives each a colour.
_AGES = ((1, "fresh"), (7, "week"), (30, "month"))
_KIND_WORDS = {
    BulletKind.DECISION: "decided",
    BulletKind.CHANGE: "changed",
    BulletKind.PROBLEM: "problem",
    BulletKind.OUTCOME: "outcome",
    BulletKind.ANSWER: "answer",
    BulletKind.QUESTION: "asked",
    BulletKind.REQUEST: "wanted",
    BulletKind.FACT: "fact",
    BulletKind.OPEN: "open",
}


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def name_age(at_ms: int, now_ms: int) -> str:
    """Return how old something is, in a word that the style knows."""
    days = (now_ms - at_ms) / DAY_MS
    return next((word for most, word in _AGES if days < most), "old")


def draw_time(at_ms: int | None, dates: Dates, *, clock: bool = True) -> Html:
    """Return a time in words, with its freshness as a colour."""
    if at_ms is None:
        return tag("span", "-", class_="quiet")
    said = dates.say(at_ms) if clock else dates.say_day(at_ms)
    return tag("span", said, class_=f"when {name_age(at_ms, dates.now_ms)}")


def draw_harness(name: str) -> Html:
    """Return the name of an agent CLI, in its colour."""
    known = name if name.replace("-", "").isalnum() and name.isascii() else "other"
    return tag("span", show_name(name) or "-", class_=f"harness {known}")


def draw_chip(words: str, kind: str = "") -> Html:
    """Return a short word that says what something is."""
    return tag("span", words, class_=f"chip {kind}".strip())


def draw_session_row(session: Session, dates: Dates) -> Html:
    """Return one session as a line that leads to it."""
    is_live = session.is_live(dates.now_ms)
    title = preview(session.title, TITLE_CHARS_MAX) or "(no words)"
    return tag(
        "li",
        draw_time(session.last_ms, dates),
        " ",
        draw_harness(session.harness),
        " ",
        draw_chip("runs now", "live") if is_live else None,
        draw_chip(show_name(session.agent)) if session.agent else None,
        " ",
        tag("a", title, href=link_to("session", session.session_id)),
        " ",
        tag(
            "span",
            join(
                preview(show_name(session.branch), NAME_CHARS_MAX) or None,
                count(session.prompts, "prompt"),
                count(session.events, "event"),
                between=" \u00b7 ",
            ),
            class_="quiet",
        ),
        class_="row",
    )


def draw_sessions(sessions: Iterable[Session], dates: Dates) -> Html:
    """Return sessions as a list."""
    return tag("ul", *(draw_session_row(each, dates) for each in sessions), class_="rows")


def draw_bullets(bullets: Iterable[Bullet], dates: Dates, *, days: bool = False) -> Html:
    """Return lines of a summary, each of which opens to the words that prove it."""
    return tag("ul", *(_draw_bullet(each, dates, days=days) for each in bullets), class_="lines")


def _draw_bullet(bullet: Bullet, dates: Dates, *, days: bool) -> Html:
    kind = bullet.kind.value
    when = draw_time(bullet.timestamp_ms, dates) if days else None
    return tag(
        "li",
        draw_chip(_KIND_WORDS.get(bullet.kind, kind), kind),
        " ",
        tag("span", bullet.text, class_="words"),
        " ",
        when,
        draw_proofs(bullet.grip_ids),
    )


def draw_proofs(grip_ids: Iterable[str]) -> Html | None:
    """Return what opens, in its place, to the words that prove a line; a link without a script."""
    found = tuple(grip_ids)
    if not found:
        return None
    return join(*(_draw_proof(each, at, len(found)) for at, each in enumerate(found, 1)))


def _draw_proof(grip_id: str, at: int, of: int) -> Html:
    address = link_to("grip", grip_id)
    name = "proof" if of == 1 else f"proof {at}"
    return tag(
        "details",
        tag("summary", name),
        tag("div", tag("a", "open it", href=address), data_part=address),
        class_="proof",
    )


def draw_form(
    address: str, word: str, button: str, *inside: Inside, kind: str = "", **hidden: str
) -> Html:
    """Return a form that changes something: with the word that only this page knows."""
    return tag(
        "form",
        tag("input", type="hidden", name="form_word", value=word),
        *(tag("input", type="hidden", name=name, value=told) for name, told in hidden.items()),
        *inside,
        tag("button", button, class_=kind or None),
        method="post",
        action=address,
        class_="act",
    )


def draw_refused(error: AgentXError | None) -> Html | None:
    """Return why what a person sent was not done, above what they are shown now."""
    if error is None:
        return None
    hint = tag("p", error.hint, class_="quiet") if error.hint else None
    return join(tag("p", f"Not done: {error.message}", class_="failure", role="alert"), hint)


def draw_written(text: str) -> Html | None:
    """Return what somebody wrote, where there is no field that would hold it."""
    if not text:
        return None
    return join(tag("p", "What you wrote:"), tag("blockquote", text, class_="words"))


def draw_facts(facts: Mapping[str, Inside]) -> Html:
    """Return names with what they are; what is empty is left out."""
    rows = (
        (tag("dt", name), tag("dd", *told) if not isinstance(told, str) else tag("dd", told))
        for name, told in facts.items()
        if told
    )
    return tag("dl", *rows, class_="facts")


def draw_nothing(words: str) -> Html:
    """Return that there is nothing, and what would bring something."""
    return tag("p", words, class_="nothing")
