"""Goal: how a person wants things is kept, however short it is said, and told as that.

Method: wishes as people put them in the middle of a session, and what is only like one.
"""

from __future__ import annotations

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.extract import extract
from agentx.observations.model import Category
from agentx.observations.validity.reading import Comparable
from agentx.observations.validity.supersede import find_superseded
from agentx.prose.settling.rulings import rules_for_good, rules_out
from agentx.prose.settling.verdict import settles
from agentx.prose.settling.wishes import bids_for_good, is_wish
from agentx.recall.section.kinds import Kind, kind_of
from tests.support.telling import Talk

DECISION = Category.DECISION
_WISHES = [
    "I like tabs, always tabs",
    "I hate ORMs",
    "I really dislike default exports",
    "we love small pull requests",
    "tabs > spaces. always",
    "composition > inheritance",
    "commit messages in english pls",
    "tests in vitest please",
    "Bitte immer auf Deutsch antworten",
    "\u4ee5\u540e\u7528\u4e2d\u6587\u56de\u7b54",
    "siempre usa comillas simples",
    "toujours des guillemets simples",
    "no emojis in commit messages",
    "dont touch vendor/",
    "stop explaining everything, just do it",
    "we're done with jest, vitest from here on",
    "one PR per ticket, always",
    "[Image #1] never show the sidebar on mobile, see the screenshot",
    "[Pasted text #2 +30 lines] never log that much",
]
_NONE = [
    "I like it",
    "I like that idea, go on",
    "I hate this bug",
    "I love the new button",
    "I like how it looks now",
    "rows > 40 are cut",
    "more tests please",
    "the buttons in blue please",
    "next steps please",
    "[Image #1]",
    "[Image #1] what is that?",
]


def _say(text: str) -> list[tuple[Kind, str]]:
    talk = Talk().user("look at src/mod01.py").shell("cat src/mod01.py", "x=1")
    talk.agent("It defines one constant.").user(text).agent("OK.")
    return [(kind_of(one.category, one.content), one.content) for one in extract(talk.turns)]


@pytest.mark.parametrize("text", _WISHES)
def test_a_wish_is_kept_and_told_as_what_the_user_wants(text: str) -> None:
    said = text.partition("] ")[2] or text

    assert (Kind.PREFERENCE, f"The user said: {said}") in _say(text)


@pytest.mark.parametrize(
    "text",
    [
        "never retry failed payments",
        "always fail closed when the auth service is down",
        "don't restart the broken worker, ever",
        "never delete volumes again without asking me, ever",
        "never page people for jobs that crashed at night",
        "Kommentare im Code immer auf Englisch",
        "die Vorlagen niemals anfassen",
        "push nie direkt auf main",
    ],
)
def test_a_rule_is_one_whatever_goes_wrong_in_it(text: str) -> None:
    for said in (text, f"it is on the other box. {text}"):
        told = [one for kind, one in _say(said) if kind is Kind.PREFERENCE]
        assert any(text in one for one in told), said


@pytest.mark.parametrize(
    "text",
    ["never works on my machine", "it never failed before the upgrade"],
)
def test_what_goes_wrong_every_time_is_no_rule(text: str) -> None:
    assert [one for kind, one in _say(text) if kind is Kind.PREFERENCE] == []


@pytest.mark.parametrize(
    "text",
    ["100/min is too low for the batch customers, make it 600", "2 s is short; set it to 5 s"],
)
def test_a_figure_that_is_set_anew_is_settled(text: str) -> None:
    assert (Kind.DECISION, f"The user said: {text}") in _say(text)


@pytest.mark.parametrize("text", _NONE)
def test_what_somebody_likes_of_the_work_at_hand_is_no_wish(text: str) -> None:
    assert [one for kind, one in _say(text) if kind is Kind.PREFERENCE] == []


@pytest.mark.parametrize(
    "text",
    [
        "Stop using axios.",
        "Don't touch the CSV path.",
        "Add the field as nullable, don't backfill it",
        "use bun, not npm",
    ],
)
def test_what_is_settled_of_one_thing_is_a_decision(text: str) -> None:
    assert [kind for kind, one in _say(text) if one.startswith("The user said")] == [Kind.DECISION]


_PUSH = "And don't ever push, I push myself."


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize(
    ("other", "kind"),
    [
        ("Answer in short sentences please, I am on mobile.", Kind.PREFERENCE),
        ("I hate ORMs.", Kind.PREFERENCE),
        ("Use pnpm, not npm.", Kind.DECISION),
        ("Be brief.", Kind.PREFERENCE),
    ],
)
def test_what_is_ruled_in_one_message_is_taken_back_one_by_one(
    other: str, kind: Kind, is_first: bool
) -> None:
    talk = Talk() if is_first else Talk().user("fix it").edit("a.py", "b", "c").agent("Done.")
    kept = extract(talk.user(f"{other} {_PUSH}").agent("OK.").turns)
    later = "The user said: ok you can push from now on, I'm on holiday. still no force push"
    said = [one for one in kept if one.content.startswith("The user said")]
    compared = [
        Comparable(id=one.content, at_ms=one.at_ms, text=one.content, session_id="first")
        for one in said
    ]
    newer = Comparable(id="later", at_ms=Millis(said[-1].at_ms + 1), text=later, session_id="next")

    assert [old for old, _ in find_superseded([*compared, newer])] == [f"The user said: {_PUSH}"]
    assert kind_of(Category.DECISION, f"The user said: {other}") is kind
    assert f"The user said: {other}" in [one.content for one in said]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Pool size 10, and always name the queue in lower case.",
            ["Pool size 10", "always name the queue in lower case."],
        ),
        (
            "pool size 40 now that the server is big. and host-9 got a fan, you can use it again",
            [
                "host-9 got a fan, you can use it again",
                "pool size 40 now that the server is big.",
            ],
        ),
        ("kiln-2 works again, you can use it", ["kiln-2 works again, you can use it"]),
    ],
)
def test_of_several_rulings_in_a_message_each_counts(said: str, told: list[str]) -> None:
    talk = Talk().user("fix it").edit("a.py", "b", "c").agent("Done.").user(said).agent("OK.")

    assert sorted(each.content for each in talk.found(Category.DECISION)) == sorted(
        f"The user said: {each}" for each in told
    )


@pytest.mark.parametrize(
    "text",
    [
        "the export hangs again, batch size 128",
        "batch size 128 is too slow",
        "we got 128 rows with pool size 10 and it crashed",
        "if kiln-2 works again, you can use it",
        "kiln-2 is broken again",
        "it works again, thanks",
        "The parser has a bug, use it to test",
    ],
)
def test_a_report_rules_nothing(text: str) -> None:
    assert not rules_out(text)


def test_what_is_told_beside_a_ruling_is_told_without_it() -> None:
    table = "We keep the table of 2019 as is, because finance reads it every month in Excel."
    kept = Talk().user(f"{table} {_PUSH}").agent("OK.").kept()

    assert kept == [f"The user said: {_PUSH}", f"The user said: {table}"]


@pytest.mark.parametrize(
    "text", ["Respond with 404 when the id is unknown", "Answer with the cached row", "be careful"]
)
def test_what_a_program_answers_is_no_wish(text: str) -> None:
    assert not is_wish(text)


@pytest.mark.parametrize("rule", ["always keep the tail of the log", "Never drop the table."])
def test_a_rule_after_pages_of_the_same_word_is_all_that_is_kept_of_them(rule: str) -> None:
    kept = [each for each in _say("word " * 5_000 + f"\n\n{rule}") if "The user" in each[1][:8]]
    assert kept == [(Kind.PREFERENCE, f"The user said: {rule}")]


@pytest.mark.parametrize(
    ("text", "is_kept"),
    [
        ("tell me about the sync and its sleep in sync.py", False),
        ("please explain how `load_rates` reads the rates of the importer", False),
        ("ok, walk me through the release of the docs and of the site", False),
        ("describe errors in the API with a code and a text. Return 422 for them.", True),
    ],
)
def test_who_wants_something_explained_asks_for_no_change(text: str, is_kept: bool) -> None:
    said = [each for _, each in _say(text) if each.startswith("The user")]
    assert bool(said) is is_kept


_PROPOSED = "I recommend Valkey because the box has 40 GB. Kafka would need three of them."
_ALWAYS = "And always prefix keys with the tenant id."


@pytest.mark.parametrize(
    ("said", "ruled", "chosen"),
    [
        (f"yes, Valkey. {_ALWAYS}", _ALWAYS, "yes, Valkey"),
        ("Valkey then, and never log the payloads of a job", "never log the payloads of", "Valkey"),
        ("ok Kafka. One PR per ticket, always.", "One PR per ticket, always.", "ok Kafka"),
        ("Valkey is fine. no SELECT * in models, ever", "no SELECT * in models, ever", "Valkey is"),
        ("go with Valkey. From now on write an ADR first.", "From now on write an ADR", "Valkey"),
        ("Never touch `vendor/`. And go with Kafka here.", "Never touch `vendor/`.", "with Kafka"),
        ("Yes, Valkey. Bitte immer auf Deutsch antworten.", "Bitte immer auf Deutsch", "Valkey"),
        ("use Kafka instead. Tests in vitest, no exceptions.", "Tests in vitest, no exc", "Kafka"),
        ("no, keep the sheets. never ever force push", "never ever force push", "keep the sheets"),
        (
            "Kafka. And never commit to main, I review all of it.",
            "And never commit to main",
            "Kafka",
        ),
    ],
)
def test_a_rule_stays_when_the_choice_that_it_came_with_is_overturned(
    said: str, ruled: str, chosen: str
) -> None:
    talk = Talk().user("what do we queue with?").agent(_PROPOSED).user(said)
    kept = [each.content for each in talk.edit("a.py", "b", "c").agent("OK.").found(DECISION)]
    rules = [each for each in kept if each.startswith("The user said: ") and ruled in each]

    assert len(rules) == 1
    assert [each for each in kept if chosen in each and each not in rules]
    assert chosen not in rules[0]
    assert kind_of(DECISION, rules[0]) is Kind.PREFERENCE


@pytest.mark.parametrize(
    "said",
    [
        "Never deploy on Fridays. The one on call is alone then.",
        "The replica lags by day. Never run the report before six.",
        "Valkey. never store names in it",
        "use Valkey for now. never mind the cost",
        "it always fails on Mondays. use Kafka",
        "sort by date and never by id",
        "use ruff and never black",
        "Valkey, always was the plan",
        "Kafka for now, and never mind the rest of it please",
        "always use tabs",
    ],
)
def test_what_is_one_ruling_is_not_parted(said: str) -> None:
    talk = Talk().user("what do we queue with?").agent(_PROPOSED).user(said)
    kept = [each.content for each in talk.edit("a.py", "b", "c").agent("OK.").found(DECISION)]

    assert len(kept) == 1
    assert said.rstrip(".") in kept[0]


_FOR_GOOD = [
    "remember for good: count failures before touching anything",
    "And remember for good: count failures first",
    "note for the future: the CI needs Java 17",
    "keep in mind from now on that the API is paged",
    "lesson: measure before you tune",
    "Lesson learned: back up the volume before a resize",
    "for next time: ask before you delete branches",
    "please remember this for next time: no rebase on shared branches",
    "rule of thumb: one migration per release",
    "merke dir: vor dem Deploy immer die Warteschlange leeren",
    (
        "\u0623\u062c\u0628 \u062f\u0627\u0626\u0645\u0627 \u0628\u0627\u0644\u0639\u0631"
        "\u0628\u064a\u0629 \u0641\u064a \u0627\u0644\u0648\u062b\u0627\u0626\u0642"
    ),
    (
        "\u0644\u0627 \u062a\u062d\u0630\u0641 \u062c\u062f\u0648\u0644 \u0627\u0644\u0645"
        "\u0633\u062a\u062e\u062f\u0645\u064a\u0646 \u0623\u0628\u062f\u0627"
    ),
    (
        "\u05ea\u05de\u05d9\u05d3 \u05ea\u05db\u05ea\u05d5\u05d1 \u05d1\u05d3\u05d9\u05e7"
        "\u05d5\u05ea \u05dc\u05e4\u05e0\u05d9 \u05d4\u05e7\u05d5\u05d3"
    ),
    (
        "\u05dc\u05e2\u05d5\u05dc\u05dd \u05d0\u05dc \u05ea\u05de\u05d7\u05e7 \u05d0\u05ea "
        "\u05d4\u05d8\u05d1\u05dc\u05d4 users"
    ),
    (
        "\u0412\u0441\u0435\u0433\u0434\u0430 \u043f\u0438\u0448\u0438 \u0442\u0435\u0441"
        "\u0442\u044b \u043d\u0430 \u0440\u0443\u0441\u0441\u043a\u043e\u043c"
    ),
    (
        "\u041d\u0438\u043a\u043e\u0433\u0434\u0430 \u043d\u0435 \u043f\u0443\u0448\u044c "
        "\u0432 main"
    ),
    "\u5e38\u306b\u65e5\u672c\u8a9e\u3067\u7b54\u3048\u3066\u304f\u3060\u3055\u3044",
    "\u6c38\u8fdc\u4e0d\u8981\u5220\u9664 users \u8868",
    "\u4ece\u73b0\u5728\u8d77\u7528\u4e2d\u6587\u56de\u7b54",
    "K\u00fcnftig bitte nur kleine Commits",
    "Rispondi sempre in italiano",
    "Her zaman T\u00fcrk\u00e7e cevap ver",
    "asla main dal\u0131na push yapma",
]
_NOT_FOR_GOOD = [
    "do you remember for which reason we left Redis?",
    "remember to push the branch",
    "keep in mind that the API is slow",
    "note for reviewers: the diff is large",
    "lessons table: add a column",
    "remember when we used Redis",
    "for the record, I ran it twice",
    "note: the tests are slow today",
    "the lesson plan is on page 3",
    "lesson: how do I do that?",
    (
        "\u0627\u0644\u0627\u062e\u062a\u0628\u0627\u0631 \u064a\u0641\u0634\u0644 \u062f"
        "\u0627\u0626\u0645\u0627 \u0647\u0646\u0627"
    ),
    (
        "\u05d4\u05d1\u05d3\u05d9\u05e7\u05d4 \u05ea\u05de\u05d9\u05d3 \u05e0\u05db\u05e9"
        "\u05dc\u05ea \u05db\u05d0\u05df"
    ),
    (
        "\u0442\u0435\u0441\u0442 \u0432\u0441\u0435\u0433\u0434\u0430 \u043f\u0430\u0434"
        "\u0430\u0435\u0442 \u043d\u043e\u0447\u044c\u044e"
    ),
    "\u6d4b\u8bd5\u603b\u662f\u5931\u8d25",
    "\u30c6\u30b9\u30c8\u306f\u5e38\u306b\u5931\u6557\u3057\u307e\u3059",
    "il test fallisce sempre qui",
]


def test_what_is_to_be_remembered_for_good_is_a_rule_in_any_language() -> None:
    lost = [each for each in _FOR_GOOD if not rules_for_good(each)]
    unwanted = [
        each
        for each in _FOR_GOOD
        if kind_of(DECISION, f"The user said: {each}") is not Kind.PREFERENCE
    ]

    assert (lost, unwanted) == ([], [])
    assert [each for each in _NOT_FOR_GOOD if is_wish(each) or rules_out(each)] == []


def test_a_rule_that_came_with_an_errand_is_kept_by_itself() -> None:
    rule = "And remember for good: count failures before touching anything."
    talk = Talk().user("why is it flaky?").agent("Two workers share a port.")
    talk.user(f"Close #26. {rule}").edit("a.py", "b", "c").agent("Closed.")

    assert f"The user said: {rule}" in [one.content for one in talk.found(DECISION)]


def test_what_the_agent_did_of_it_takes_no_rule_of_a_message() -> None:
    rule = "always set the seed to 9 in configs."
    talk = Talk().user("fix it").edit("a.py", "b", "c").agent("Done.")
    talk.user(
        f"good. we keep bf16 for all from now on. Batch size 64, and {rule} never use h-3"
    ).edit("a.y", "b", "c")
    kept = [
        one.content for one in talk.agent("Set seed 9 and batch size 64 in `a.y`.").found(DECISION)
    ]

    assert any(rule in each for each in kept)
    assert any("Batch size 64" in each for each in kept)


@pytest.mark.parametrize(
    ("said", "rule", "rest"),
    [
        (
            "add the index. before any commit please always run make check",
            "before any commit please always run make check",
            "",
        ),
        (
            "then we move mail from Redis to Postgres. and always run its tests on a real db",
            "and always run its tests on a real db",
            "then we move mail from Redis to Postgres.",
        ),
    ],
)
def test_a_rule_for_an_occasion_or_after_a_move_stands_by_itself(
    said: str, rule: str, rest: str
) -> None:
    talk = Talk().user("why does it fail?").agent("Our Redis has no streams.").user(said)
    talk.edit("mailer.py", "a", "b").agent("Done.")
    told = {one: kind_of(one.category, one.content) for one in extract(talk.turns)}
    kinds = {one.content.removeprefix("The user said: "): kind for one, kind in told.items()}

    assert kinds[rule] is Kind.PREFERENCE
    assert not rest or kinds[rest] is Kind.DECISION


def test_an_occasion_rules_nothing_by_itself() -> None:
    assert rules_for_good("after each merge please always run the smoke tests")
    assert rules_for_good("in the tests always use the fake clock")
    assert not rules_for_good("before any commit it always fails")
    assert not rules_for_good("on the staging host the job always crashes")


def test_what_failed_in_an_attempt_that_the_user_left_is_not_open() -> None:
    talk = Talk().user("try bun for the api").shell("bun test", "error: no sqlite\n 1 fail", 1)
    talk.agent("The api cannot run under Bun 1.3, `node:sqlite` fails.")
    talk.user("ok then we stay on node 22 for the api. drop this branch").agent("Dropped.")
    (failed,) = [one.content for one in extract(talk.turns) if one.category is Category.ERROR]

    assert "Given up: ok then we stay on node 22 for the api." in failed
    assert kind_of(Category.ERROR, failed) is Kind.ERROR


def test_a_rule_of_another_language_is_what_the_user_wants_and_a_fault_is_no_rule() -> None:
    for rule in (
        "Gut. Wichtig: apply f\u00fchrst du nie selbst aus, das mache immer ich.",
        "ne pousse jamais sur main",
        "nichts ausrollen, bis ich es sage",
    ):
        told = f"The user said: {rule}"
        assert kind_of(Category.DECISION, told) is Kind.PREFERENCE, rule
    for fault in (
        "the login test always fails on CI",
        "the deploy job always times out on mondays",
        "der Test schl\u00e4gt auf CI immer fehl",
    ):
        talk = Talk().user("look at the build").edit("a.ts", "a", "b").agent("It is in `a.ts`.")
        talk.user(fault).agent("I see.")
        assert not talk.found(Category.DECISION), fault


# Orders of every time, known by their form, in several languages; and what looks alike.
BIDS = (
    "Kindly refrain from adding emojis to commit messages.",
    "On no account should the public API change.",
    "we don't do default exports here",
    "I'd rather you didn't squash my commits.",
    "House style: dates are ISO, money in minor units.",
    "tests go next to the code, not in a tests folder",
    "Ne touche pas au dossier vendor, c'est g\xe9n\xe9r\xe9.",
    "Geen nieuwe dependencies zonder overleg.",
    "Mai fare push su main, solo pull request.",
    "ask me before you touch anything under infra/",
    "please check with me before you change the schema",
    "stay away from the legacy folder",
    "keine neuen Pakete ohne Absprache",
    "N'\xe9dite jamais les fichiers g\xe9n\xe9r\xe9s",
    "n\xe3o uses bibliotecas externas",
    "no toques la carpeta vendor",
    "Non modificare i file generati",
    "hands off prod",
    "pas de nouvelle d\xe9pendance sans accord",
    "frag mich bevor du etwas an der CI \xe4nderst",
    "em caso algum mudes o schema",
)
NO_BIDS = (
    "ask me tomorrow",
    "no rows without a date are shown?",
    "ne marche pas chez moi",
    "don't change anything yet",
    "no luck without the cache",
    "il ne marche pas",
    "non \xe8 possibile",
    "no puedes usar la api",
    "n\xe3o tens acesso",
    "no errors without the flag today",
    "stay on node 22 for now",
    "the tests are slow",
    "ask Tom about it",
    "keep away from it for now",
    "users go home, not in the evening",
    "I must dash to a funeral.",
)


def test_an_order_of_every_time_is_known_by_its_form() -> None:
    assert [text for text in BIDS if not (bids_for_good(text) and rules_out(text))] == []
    assert [text for text in NO_BIDS if bids_for_good(text)] == []
    assert not settles("I must dash to a funeral.")
    assert settles("The export must be done by six.")
