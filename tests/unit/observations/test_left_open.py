"""What a session left open is kept as such, in the words in which it was said."""

from __future__ import annotations

import pytest

from agentx.exchanges.turns import TurnKind
from agentx.observations.extract import extract
from tests.support.telling import Talk

LABEL = "Left open: "
WAITS = "Waits for the user: "


def _begin(reply: str) -> Talk:
    return (
        Talk()
        .user("Let the billing job read the new tariff table")
        .edit("billing/job.go", "a", "b")
        .agent(reply)
    )


def _list_left(talk: Talk) -> list[str]:
    left = [one for one in talk.kept() if one.startswith((LABEL, WAITS))]
    return [one.removeprefix(LABEL).removeprefix(WAITS) for one in left]


@pytest.mark.parametrize(
    "said",
    [
        "The change in billing/job.go is not committed yet: shall I commit it?",
        "Not done: the alert `tariff_stale`, and the runbook still names the old table.",
        "I have not pushed the branch.",
        "Tomorrow: raise the limit of the role and restart the pooler.",
        "I have not added a check for the other two files (`events.csv`, `refunds.csv`).",
        "The gauge stays at 3; I need the VPN credentials from you to test it.",
        "TODO for you: the Grafana plugin must be at 4.x.",
        "The staging database still needs to be migrated by hand.",
        "Die alte Tabelle muss noch von Hand geleert werden.",
        "\u6b8b\u3063\u3066\u3044\u308b\u4f5c\u696d:\u5e33\u7968\u306f\u307e\u3060\u5bfe\u5fdc\u3057\u3066\u3044\u307e\u305b\u3093\u3002",
        "The comment in `tariff.go` is wrong too, worth fixing separately.",
        "Discounts are not done yet.",
        "The archive of 2019 is not yet migrated.",
        "12 tariffs of the islands are missing.",
        "Three of the pages still lack a price.",
        "The preview stays empty; that needs a change in the renderer that I haven't made.",
        "I ran out of time; the build is broken on this branch.",
        "`test_rounding` still fails, I don't know why.",
        "The tariffs must be re-signed before the auditors come; not started.",
        "The index of quotes has to be rebuilt before the fair, not yet done.",
        "Nobody has read the numbers of March yet.",
        "I have not rerun the load test with two nodes; that needs a night.",
        "Die Rechnungen von 2019 hat noch niemand gepr\u00fcft.",
    ],
)
def test_what_a_reply_says_is_left_is_an_open_end(said: str) -> None:
    talk = _begin(f"The job reads `tariffs_v2` now. {said}")

    (left,) = _list_left(talk)
    assert left in (said, said.removeprefix("Not done: ").removeprefix("TODO for you: "))


@pytest.mark.parametrize(
    "said",
    [
        "Not done: the mail of the tariffs.",
        "Still to do: the mail of the tariffs.",
        "Left open: the mail of the tariffs.",
        "TODO: the mail of the tariffs.",
        "Not done yet: the mail of the tariffs.",
        "Follow-up: the mail of the tariffs.",
        "Offen: the mail of the tariffs.",
        "Pendiente: the mail of the tariffs.",
    ],
)
def test_that_something_is_open_is_said_once(said: str) -> None:
    (left,) = [one for one in _begin(f"It reads `tariffs_v2`. {said}").kept() if "mail" in one]

    assert left == "Left open: the mail of the tariffs."


FOR_PERSONS = [
    "The signing secret of the test shop is missing, please put it into the vault.",
    "The release waits for your approval.",
    "Pull request 41 waits for Ines.",
    "The migration needs your go-ahead.",
    "The token for the mail server is missing.",
    "Everything is in; please grant the bot write access to the repository.",
    "The two new tenants are waiting for a decision.",
    "Please renew the certificate of the gateway.",
    "The job is on hold until you are back.",
    "Das Zertifikat fehlt, bitte hinterleg es im Tresor.",
    "The API key of the weather service is still missing.",
]
STOPPED = [
    "Next: the backfill of 2024, I stopped at May.",
    "The refund page is still in apps/web.",
    "Next up: the other four reports.",
    "I got as far as the invoices of March.",
    "The exporter still uses the old table.",
    "The admin pages are only half migrated.",
    "We stopped after the third of five tenants.",
    "The nightly job still points to the old bucket.",
    "Next step: wire the alert into the pager.",
    "Two of the reports are still on the old server.",
    "I only got to chapter four of the guide.",
]
NO_OPEN_END = [
    "The worker waits for the lock.",
    "The reader is waiting for Postgres to be reached.",
    "A token that is missing gives 401.",
    "The dialog says please enter your name.",
    "Next.js renders it on the server.",
    "The next run reads the new table.",
    "I stopped the container and removed it.",
    "The row is still in the cache because nobody evicts it.",
    "Would you please send the file?",
    "If you want more, please add a flag.",
    "The key is missing in old configs, so the default is taken.",
    "It still uses 40 MB, since the cache is warm.",
    "We are at 92 % coverage.",
]


def test_what_waits_for_a_person_and_where_the_work_stopped_is_open_and_nothing_else() -> None:
    found = {
        said: _list_left(_begin(f"The job reads `tariffs_v2` now. {said}"))
        for said in (*FOR_PERSONS, *STOPPED, *NO_OPEN_END)
    }

    assert [said for said in (*FOR_PERSONS, *STOPPED) if found[said] != [said]] == []
    assert [said for said in NO_OPEN_END if found[said]] == []


def test_where_the_work_stopped_is_open_only_if_nothing_followed() -> None:
    for said in STOPPED:
        talk = _begin(f"The job reads `tariffs_v2` now. {said}")
        talk.user("and now the colours of the chart").edit("chart.js", "red", "blue").agent("Blue.")

        assert _list_left(talk) == [], said


def test_each_item_of_a_list_of_what_is_open_is_an_open_end() -> None:
    talk = _begin(
        "Open, as far as the tickets say:\n\n"
        "1. a quote should lapse after 14 days (never built)\n"
        "2. nobody hears of it when the nightly invoice run fails\n"
        "3. where the exchange rates are cached\n\nThe rest is in."
    )

    assert _list_left(talk) == [
        "a quote should lapse after 14 days (never built)",
        "nobody hears of it when the nightly invoice run fails",
        "where the exchange rates are cached",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "A worker may read rows that are not committed yet, because isolation is off.",
        "If you want, the old table could still be kept.",
        "Would you like me to add a test for `job.go`?",
        "The reader waits while 3 rows of a batch are missing.",
        "A tariff that is not done yet is skipped by the reader.",
        "The timer is not started when the page is hidden.",
        "Nobody has to sign it.",
        "A job that was not started is skipped by the reader.",
        "A quick worker looks for a row that does not exist yet.",
        "The old test fails on Windows, because it has no `fork`.",
    ],
)
def test_what_a_program_leaves_open_and_what_is_only_offered_is_no_open_end(said: str) -> None:
    assert _list_left(_begin(f"The job reads `tariffs_v2` now. {said}")) == []


def test_what_was_open_in_the_middle_and_done_before_the_end_is_not_open() -> None:
    talk = _begin("The job reads `tariffs_v2` now. Not committed yet: shall I commit it?")
    talk.user("yes").shell("git commit -qam 'Read tariffs_v2'", "[main 1234567] Read tariffs_v2")
    talk.agent("Committed.")

    assert _list_left(talk) == []
    assert not any("shall I" in one for one in talk.kept())


def test_a_question_at_the_very_end_that_nobody_answered_is_open() -> None:
    talk = _begin("Two ways are left. Should `rates` live in Redis or in the table that we have?")

    assert _list_left(talk) == ["Should `rates` live in Redis or in the table that we have?"]

    talk.user("in the table").agent("Moved there.")

    assert _list_left(talk) == []


WAITING = {
    "Should I also drop the old table, or keep it for a month?": "",
    "Should the tariffs of the islands be rounded up?": "",
    "Soll ich die alte Tabelle l\u00f6schen oder einen Monat behalten?": "",
    "\u00bfDebo borrar la tabla vieja o guardarla un mes?": "",
    "You need to add `RATES_KEY` to the secrets of production before this works.": "",
    "Du musst noch den Schl\u00fcssel `RATES_KEY` hinterlegen.": "",
    "The import of 2019 needs your approval.": "",
    "Two ways:\n\n1. a token of a person\n2. an app of the org\n\nWhich way do you want to go?": (
        "Which way do you want to go? (a token of a person / an app of the org)"
    ),
    "\n\n**Option 1: a token (quick)**\n\n1. Open it\n2. Make it\n\n**Option 2: an app**\n\n"
    "1. Register it\n2. Install it\n\nIt is safer. Which one do you want?": (
        "Which one do you want? (a token (quick) / an app)"
    ),
    "The column `vat` has 40 empty rows. Should I fill it?": (
        "The column `vat` has 40 empty rows. Should I fill it?"
    ),
}
ONLY_OFFERED = [
    "Want me to commit it?",
    "Would you like me to go on with the next one?",
    "Should I continue?",
    "Shall I run the tests?",
    "Anything else?",
    "Does that make sense?",
    "You need to pass `--force` to overwrite a file.",
    "You have to be an admin to see the page.",
]


def test_what_waits_for_the_user_says_so_and_an_offer_to_go_on_is_none() -> None:
    for said, told in WAITING.items():
        kept = [one for one in _begin(f"The job is in. {said}").kept() if one.startswith(WAITS)]
        assert kept == [WAITS + (told or said)], said
    for said in ONLY_OFFERED:
        assert _list_left(_begin(f"The job is in. {said}")) == [], said


def test_what_was_asked_last_is_not_open_once_the_user_spoke() -> None:
    for said in WAITING:
        if said.endswith("?"):
            talk = _begin(f"The job is in. {said}").user("the first one please").agent("Done.")
            assert _list_left(talk) == [], said


LEFT_IN_PLAIN_WORDS = [
    "I stubbed `send_mail()`; the real call comes when the contract is signed.",
    "The installer for Windows I skipped.",
    "I left the empty state of the page for later.",
    "Es fehlt noch der Test f\u00fcr leere Tarife.",
    "Il manque encore le test des tarifs vides.",
    "Manca ancora il test delle tariffe vuote.",
    "I have not run the end-to-end tests against staging.",
    "Blocked on the DNS change by ops.",
    "Waiting for legal to approve the new terms.",
    "`MODE=open` is a stopgap, it must go back to `strict` once the key is renewed.",
    "The profile expired, someone with the account of the shop has to renew it.",
]


def test_what_is_left_in_plain_words_is_open_without_what_stands_beside_it() -> None:
    for said in LEFT_IN_PLAIN_WORDS:
        kept = _begin(f"The tariffs are summed in `sum.go`. {said}").kept()
        assert [one for one in kept if said in one] == [LABEL + said], said


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (
            "### Issue 2: `sum.go` counts from one\n\nWrong. Worth fixing separately, it misleads.",
            "`sum.go` counts from one: Worth fixing separately, it misleads.",
        ),
        (
            "The comment in `sum.go` counts from one. That should be mended in a follow-up.",
            "The comment in `sum.go` counts from one. That should be mended in a follow-up.",
        ),
    ],
)
def test_a_judgement_is_told_with_what_it_is_of(reply: str, left: str) -> None:
    assert _list_left(_begin(reply)) == [left]


def test_a_question_that_was_put_and_interrupted_is_open() -> None:
    talk = _begin("One thing has to be decided.")
    talk.add(
        TurnKind.CALL,
        text="AskUserQuestion",
        tool="AskUserQuestion",
        call_id="q",
        arguments={"questions": [{"question": "Which tenants get the new tariff first?"}]},
    )

    assert _list_left(talk) == ["Which tenants get the new tariff first?"]


def test_what_is_uncommitted_is_of_the_files_that_were_edited() -> None:
    talk = _begin("The job reads `tariffs_v2` now. Not committed yet, I wait for your word.")

    (left,) = [one for one in extract(talk.turns) if one.content.startswith((LABEL, WAITS))]

    assert left.files == ("billing/job.go",)


@pytest.mark.parametrize(
    "said",
    [
        "ok do that tomorrow",
        "yes, let's do it next week",
        "fine, leave it for later",
        "ok we'll finish that on Monday",
    ],
)
def test_what_the_user_puts_off_is_open_in_the_words_of_who_proposed_it(said: str) -> None:
    talk = _begin("The job is in. I would give `rates` a table of its own.")
    talk.user(said).agent("Understood.")

    assert _list_left(talk) == [f"I would give `rates` a table of its own. The user said: {said}"]

    talk.user("do it now: give rates a table").edit("rates.sql", "", "create")
    talk.agent("`rates` has a table of its own.")
    assert _list_left(talk) == []


# What a reply says, what the user says to it, and how both are told.
PUT_OFF = [
    ("The new chart is still to be rolled out.", "tomorrow", "rolled out. The user said: tomorrow"),
    (
        "A limit would be a sensible rule, so it is worth a ticket.",
        "ticket it is, for june",
        "et. The",
    ),
    ("Dropping `old_rates` would free 3 GB. Shall I?", "not now, ask me on Friday", "3 GB. The"),
    ("I'd need to know whether a refund is taxed.", "have to ask Jo first. leave it for now", "Jo"),
    ("Before we go live somebody has to sign the key.", "I'll talk to ops", "sign the key. The"),
    ("A cache of `rates` would help.", "nice. will do it next sprint", "next sprint"),
    (
        "Ein Index auf `rates` w\u00fcrde helfen.",
        "nicht jetzt, morgen",
        "helfen. The user said: nicht",
    ),
    (
        "Un \u00edndice ser\u00eda lo mejor, podr\u00eda a\u00f1adirlo.",
        "ahora no",
        "The user said: ahora no",
    ),
    ("The chart is in.", "the old colours can go, but only next week", "The user said: the old"),
    (
        "The chart is in.",
        "Die alten Farben k\u00f6nnen weg, aber erst n\u00e4chste Woche",
        "Farben",
    ),
    (
        "The chart is in.",
        "the logo follows when Kim is back from the fair",
        "The user said: the logo",
    ),
    ("The chart is in.", "next time we do the map of the islands", "The user said: next time"),
    ("The chart is in.", "the French texts are old, Ana will do that by end of May", "French"),
]
NOT_PUT_OFF = [
    ("The chart is in.", "deploy only after the checks, never without asking me"),
    ("The chart is in.", "thanks, ask me anything"),
    ("The chart is in.", "I'll merge it tomorrow"),
    ("The chart is in.", "the job will run after the import"),
    ("The chart is in.", "good enough"),
]


def test_what_is_put_off_is_told_once_with_what_it_is_and_the_words_of_who_put_it_off() -> None:
    for reply, said, told in PUT_OFF:
        kept = _list_left(_begin(reply).user(said).agent("Alright."))
        assert len(kept) == 1, (reply, said, kept)
        assert told in kept[0], kept
    for reply, said in NOT_PUT_OFF:
        assert _list_left(_begin(reply).user(said).agent("Alright.")) == [], said


LAST_WORDS = [
    "A job that clears old rates doesn't exist yet.",
    "There is no page for the islands yet.",
    "The importer must be changed too before this is rolled out.",
    "Somebody has to move the old invoices.",
    "I couldn't test the print of invoices.",
    "Rates of 2019 are skipped for now.",
    "Two checks are disabled until the mock server speaks TLS.",
    "The chart works, but it's not deployed.",
    "You have to rotate the key of the bank in their portal.",
    "Please run `make seed` on staging.",
    "Tienes que crear la cuenta del banco.",
    "The page of terms still says otherwise in part 7.",
    "For the discount I need Ruth's okay.",
]
NO_LAST_WORDS = [
    "You need to pass `--force` to overwrite it.",
    "Please use the flag if you want more.",
    "The reader isn't started when the page is hidden.",
    "A cache that is not deployed answers with 404.",
]


def test_what_the_last_words_of_a_session_leave_is_open_whatever_short_words_follow() -> None:
    for said in LAST_WORDS:
        kept = _list_left(
            _begin(f"The job reads `tariffs_v2` now. {said}").user("ok").agent("Fine.")
        )
        assert [said in one for one in kept] == [True], (said, kept)
    for said in NO_LAST_WORDS:
        assert _list_left(_begin(f"The job reads `tariffs_v2` now. {said}")) == [], said


def test_boxes_that_are_not_ticked_are_one_open_end_and_the_ticked_ones_are_none() -> None:
    boxes = "- [x] the notes\n- [ ] raise the version in `setup.cfg`\n- [ ] push the tag\n"
    talk = Talk().user("release 2.1?").agent(f"Not quite:\n\n{boxes}").user("later").agent("Ok.")

    (left,) = _list_left(talk)
    assert left == (
        "release 2.1: raise the version in `setup.cfg`; push the tag The user said: later"
    )
    assert not any("the notes" in one for one in talk.kept())

    plain = Talk().user("release 2.1?").agent(f"Not quite:\n\n{boxes.replace('x', ' ')}")
    assert _list_left(plain) == []


def test_what_is_said_again_in_other_words_is_open_once_as_it_was_said_last() -> None:
    talk = _begin("`LIMIT` is 600 now. Not rolled out yet.").user("make it 420")
    talk.edit("billing/job.go", "600", "420").agent("It is 420. Roll-out is still to be done.")

    assert _list_left(talk) == ["Roll-out is still to be done."]


def test_what_the_user_leaves_for_later_is_open() -> None:
    talk = _begin("The job reads `tariffs_v2` now.")
    talk.user("leave the importer for after the 2.7 upgrade. commit what works").agent("Done.")

    assert _list_left(talk) == ["The user said: leave the importer for after the 2.7 upgrade."]


@pytest.mark.parametrize(
    "said", ["when do we do that, tomorrow?", "do it the way tomorrow.io does", "skip the tests"]
)
def test_what_only_sounds_like_it_is_not_put_off(said: str) -> None:
    talk = _begin("The job is in. I would give `rates` a table of its own.").user(said)

    assert _list_left(talk.agent("Understood.")) == []


def _tick(talk: Talk, **items: str) -> Talk:
    rows = [{"content": text.replace("_", " "), "status": how} for text, how in items.items()]
    call = f"todo-{len(talk.turns)}"
    talk.add(TurnKind.CALL, tool="TodoWrite", call_id=call, arguments={"todos": rows})
    return talk.add(TurnKind.RESULT, tool="TodoWrite", call_id=call, text="Todos were modified")


def test_what_is_not_ticked_off_on_the_list_of_the_agent_is_open() -> None:
    talk = _begin("I will write down what is to do.")
    _tick(talk, Read_the_tariffs="completed", Shard_the_invoices="pending")

    (left,) = _list_left(talk.agent("The tariffs are read."))
    assert left.startswith("Shard the invoices (on the agent's list of tasks for: Let the billing")

    talk.user("go on").edit("invoices.go", "a", "b").agent("The invoices are in shards: shard 1-8.")
    assert _list_left(talk) == []


def test_a_list_that_nobody_kept_says_nothing() -> None:
    talk = _begin("I will write down what is to do.")
    _tick(talk, Read_the_tariffs="pending", Shard_the_invoices="pending")

    assert _list_left(talk.agent("The tariffs are read.")) == []


@pytest.mark.parametrize(
    "said",
    [
        "The first check still fails; I couldn't find out why and left it.",
        "`test_zone` still fails.",
    ],
)
def test_that_something_still_fails_is_not_told_beside_the_failure_itself(said: str) -> None:
    printed = "FAILED tests/a.py::test_zone - KeyError: 'zone'\n1 failed"
    talk = Talk().user("raise the version").shell("make check", printed, 1).agent(said)

    assert _list_left(talk) == []
    assert sum("fail" in one for one in talk.kept()) == 1


def test_what_is_left_is_told_as_open_in_the_middle_of_a_session_too() -> None:
    left = "\u6b8b\u308a:\u7ba1\u7406\u753b\u9762\u306f\u53e4\u3044\u307e\u307e\u3067\u3059\u3002"
    talk = Talk().user("fix the fee").edit("fee.py", "a", "b").agent(f"9d8e7f6. {left}")
    kept = talk.user("one voucher an order").edit("order.py", "a", "b").agent("Done.").kept()

    assert [each for each in kept if left in each and each.startswith("Left open: ")]
