"""Goal: what a session ends with is told as open in any language, and what is not open is not.

Method: last replies, questions and last words of the user, beside some that look alike.
"""

from __future__ import annotations

import pytest

from agentx.observations.closing.doings import Doings
from agentx.observations.closing.done import find_rest
from agentx.observations.closing.said_again import says_again
from agentx.observations.extract.left.last_words import heads_left, read_awaited, says_left
from agentx.observations.extract.left.reports import ReportKind, read_reports
from agentx.observations.labels import LABELS, LEFT_OPEN, WAITS, strip_label
from agentx.observations.model import Category
from tests.support.observations import observation
from tests.support.telling import Talk

LEFT = [
    "I did not apply the plan to the second cluster.",
    "Written, not tested: there is no scanner here.",
    "The p99 gate still fails by 4 ms.",
    "The signing certificate has not come yet.",
    "The two boards have to be flashed again after the new bootloader.",
    "Der Regler ist nicht gemessen.",
    "Die Karte von Halle 3 fehlt noch.",
    "Wir warten auf das Ok von Frau Lind.",
    "Falta la pantalla de devoluciones.",
    "Todav\u00eda no hay pruebas del lector.",
    "Il reste deux pages \u00e0 relire.",
    "On attend la r\u00e9ponse de Nadia.",
    "Restano i test del lettore.",
    "Siamo in attesa del permesso.",
    "Faltam as legendas do v\u00eddeo.",
    "Estamos aguardando a resposta do fornecedor.",
    "De vertaling ontbreekt en moet nog naar Sanne.",
    "\u5370\u5237\u306f\u307e\u3060\u8a66\u3057\u3066\u3044\u307e\u305b\u3093",
    "\u55b6\u696d\u90e8\u306e\u627f\u8a8d\u5f85\u3061\u3067\u3059\u3002",
    "\u6253\u5370\u529f\u80fd\u8fd8\u6ca1\u6d4b\u8bd5\u3002",
    "\u8fd8\u9700\u8981\u7ed9\u62a5\u8868\u52a0\u7d22\u5f15\u3002",
    "\uc778\uc1c4\ub294 \uc544\uc9c1 \ud655\uc778 \ubabb \ud568",
    "\u041e\u0441\u0442\u0430\u043b\u0430\u0441\u044c \u043f\u0435\u0447\u0430\u0442\u044c",
]
NOT_LEFT = [
    "Nothing is left open.",
    "There are no open questions.",
    "A reader that has not yet begun is skipped.",
    "If it is not sent yet, the queue keeps it.",
    "The scanner is fast and its tests are in.",
    "Zeilen, die noch nicht gelesen sind, werden behalten.",
    "Es ist nichts mehr offen.",
    "No queda nada pendiente.",
    "Il ne reste rien.",
    "Non manca niente da fare.",
    "\u672a\u8aad\u306e\u884c\u306f\u6700\u521d\u306b\u8868\u793a\u3057\u307e\u3059\u3002",
    "\u6ca1\u6709\u9057\u7559\u7684\u95ee\u9898\u3002",
]


def test_a_last_reply_says_in_any_language_what_is_left() -> None:
    assert [one for one in LEFT if not says_left(one)] == []
    assert [one for one in NOT_LEFT if says_left(one)] == []


@pytest.mark.parametrize(
    "head",
    [
        "Still to do:",
        "## Next steps",
        "What is missing:",
        "Was noch fehlt:",
        "Queda pendiente:",
        "Reste \u00e0 faire :",
        "Da fare:",
        "Por fazer:",
        "Nog te doen:",
        "\u6b8b\u308a\u306e\u4f5c\u696d:",
        "\u5f85\u529e:",
        "\ub0a8\uc740 \uc791\uc5c5:",
    ],
)
def test_a_list_under_such_a_head_is_left(head: str) -> None:
    talk = Talk().user("Let the scanner read EAN-13").edit("scan.py", "a", "b")
    talk.agent(f"The scanner reads EAN-13.\n\n{head}\n- the label printer in hall 3\n- a unit test")

    assert heads_left(head)
    assert sorted(_left(talk)) == ["a unit test", "the label printer in hall 3"]


@pytest.mark.parametrize("head", ["What changed:", "Files:", "Nothing is left to do:"])
def test_a_list_of_what_was_done_is_not_left(head: str) -> None:
    talk = Talk().user("Let the scanner read EAN-13").edit("scan.py", "a", "b")

    assert _left(talk.agent(f"It reads EAN-13.\n\n{head}\n- the label printer in hall 3")) == []


@pytest.mark.parametrize(
    "boxes",
    [
        "- [x] the label printer\n- [ ] the hand scanner",
        "- \u2705 the label printer\n- \u2b1c the hand scanner",
        "\u2705 the label printer\n\u274c the hand scanner",
    ],
)
def test_what_is_ticked_in_a_list_is_not_left(boxes: str) -> None:
    talk = (
        Talk().user("scan").edit("scan.py", "a", "b").agent(f"It reads EAN-13.\n\nTODO:\n{boxes}")
    )

    assert [one for one in _left(talk) if "printer" in one] == []
    assert any("hand scanner" in one for one in _left(talk))


ASKED = [
    "Option 1: a cache\n\nOption 2: an index\n\nWhich approach do you prefer? I can begin at once.",
    "Should it print the price too? That needs the tariff in the label, which it has not got.",
    "The scan is stored now. Faut-il aussi garder les anciennes images ?",
    "The scan is stored now. \u00bfDebo borrar tambi\u00e9n las im\u00e1genes viejas?",
    "The scan is stored now. Devo apagar as imagens antigas tamb\u00e9m?",
    "The scan is stored now. Moet ik de oude beelden ook wissen?",
    "The scan is stored now. \u53e4\u3044\u753b\u50cf\u3082\u524a\u9664\u3057\u307e\u3059\u304b?",
    "The scan is stored now. \u65e7\u56fe\u7247\u8981\u4e0d\u8981\u4e5f\u5220\u9664?",
    "Two ways: keep the images for a week, or drop them at once. Which one do you want?",
]
NOT_ASKED = [
    "How does it find the label? It reads the first four bytes.",
    "Should it print the price? No, the tariff is not in the label.",
    "The scan is stored now. Anything else?",
    "The scan is stored now. Procedo?",
]


def test_what_a_last_reply_asks_waits_for_the_user() -> None:
    for reply in ASKED:
        told = _say(reply).kept()
        assert any(one.startswith(WAITS) for one in told), (reply, told)
    for reply in NOT_ASKED:
        assert not any(one.startswith(WAITS) for one in _say(reply).kept()), reply


@pytest.mark.parametrize(
    "said",
    [
        "tomorrow we calibrate the belt scale with the new weights",
        "cool. ma\u00f1ana probamos la b\u00e1scula con las pesas nuevas",
        "blz, amanh\u00e3 a gente calibra a balan\u00e7a com os pesos novos",
        "morgen kalibrieren wir die Waage mit den neuen Gewichten",
        "demain on calibre la balance avec les nouveaux poids",
        "\u597d\u3002\u660e\u5929\u7528\u65b0\u781d\u7801\u6821\u51c6\u76ae\u5e26\u79e4",
    ],
)
def test_what_the_user_puts_off_till_tomorrow_is_left(said: str) -> None:
    talk = _say("The scan is stored now.").user(said).agent("Ok.")

    assert any(said[-8:] in one for one in _left(talk)), talk.kept()


def test_a_good_morning_puts_nothing_off() -> None:
    talk = _say("It is stored.").user("Morgen! Die Waage zeigt nichts an").agent("Ok.")

    assert _left(talk) == []


def test_whom_something_waits_for_is_read() -> None:
    assert read_awaited("The roll-out waits for Priya.") == "Priya."
    assert read_awaited("On attend la relecture de Nadia.") == "la relecture de Nadia."
    assert (
        read_awaited("\u55b6\u696d\u90e8\u306e\u627f\u8a8d\u5f85\u3061\u3067\u3059\u3002")
        == "\u55b6\u696d\u90e8\u306e\u627f\u8a8d"
    )
    assert read_awaited("The scan is stored.") == ""


@pytest.mark.parametrize(
    ("said", "about"),
    [
        ("skip the linter", {"linter"}),
        ("lo del correo d\u00e9jalo", {"correo"}),
        ("le menu on laisse tomber", {"menu"}),
        ("den Kalender lassen wir weg", {"kalender"}),
        ("\u5370\u5237\u306f\u4e0d\u8981\u3067\u3059", {"\u5370\u5237"}),
        ("\u6253\u5370\u5148\u4e0d\u505a", {"\u6253\u5370"}),
    ],
)
def test_what_is_not_wanted_may_be_named(said: str, about: set[str]) -> None:
    assert (ReportKind.WAIVED, about) in [(one.kind, set(one.about)) for one in read_reports(said)]


CLOSED = [
    # left, then the user, the agent, and what is left of it
    ("the load test of the queue in CI", "and the load test", "The queue has one in CI.", ""),
    ("an export for the tax office", "and the menu", "The menu is in.", None),
    ("March, April and June", "go on", "March and April are in.", "June"),
    ("The label printer waits for Nadia.", "nadia signed it, go on", "It prints.", ""),
    ("The label printer waits for Nadia.", "nadia has not answered yet", "Ok.", None),
    ("On attend la relecture de Nadia.", "Nadia a relu, publie", "Publi\u00e9.", ""),
    ("the menu for the old scanner", "skip the menu, go on with the belt", "The belt runs.", ""),
    ("`test_tare` still fails.", "go on", "All green.", ""),
]
ANSWERED = [
    (
        "Soll ich das Intervall auf 500 ms setzen oder den Sender abschalten?",
        "500 ms, nicht aus",
        "",
    ),
    ("Should the belt run at 2 m/s or stay at 1 m/s?", "fix the label first", None),
]


def test_what_a_later_session_does_or_says_closes_it() -> None:
    for label, rows in ((LEFT_OPEN, [(a, b, c, d) for a, b, c, d in CLOSED]),):
        for left, asked, said, rest in rows:
            talk = Talk().user(asked).edit("src/scan.py", "a", "b").shell("pytest", "9 passed")
            _assert_rest(label + left, talk.agent(said), rest)
    for left, asked, rest in ANSWERED:
        talk = Talk().user(asked).edit("src/scan.py", "a", "b").agent("Done.")
        _assert_rest(WAITS + left, talk, rest)


@pytest.mark.parametrize(
    ("first", "last", "falls"),
    [
        (
            "Open question: where do the images of hall 3 live with a second server?",
            "where the images of hall 3 live once there is a second server (9 May)",
            True,
        ),
        (
            "Open question, noted in decision 9: with a second server, where do the images live?",
            "where images of a hall live with a second server (9 May)",
            True,
        ),
        ("the images of hall 31 have to be moved", "the images of hall 32 have to be moved", False),
        ("the belt scale has to be calibrated", "the label printer has to be calibrated", False),
        ("renew the certificate; move the images", "renew the certificate of the belt", False),
    ],
)
def test_what_a_later_session_leaves_open_again_is_told_once(
    first: str, last: str, falls: bool
) -> None:
    old = observation(LEFT_OPEN + first, category=Category.KEY_FACT)
    new = observation(LEFT_OPEN + last, category=Category.KEY_FACT)

    assert says_again(old, new) is falls


def _assert_rest(text: str, talk: Talk, rest: str | None) -> None:
    one = observation(text, category=Category.KEY_FACT, at_ms=1_772_000_000_000)
    told = strip_label(find_rest(one, Doings(talk.turns).deeds))
    assert told == (strip_label(text) if rest is None else rest), (text, told)


def _say(reply: str) -> Talk:
    return Talk().user("Let the scanner store what it reads").edit("scan.py", "a", "b").agent(reply)


def _left(talk: Talk) -> list[str]:
    return [strip_label(one) for one in talk.kept() if one.startswith(LABELS)]
