"""Goal: GitHub may be busy, broken, slow or gone: nothing is lost, nothing is posted twice.

Method: a server on loopback that behaves as the API is documented, with faults put before
it; the clock is the test's, so that no test waits.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from agentx.host.system import SystemClock
from agentx.host.waits import WaitBudget
from agentx.kernel.bus import Bus
from agentx.kernel.errors import InvalidValue, LimitError, NotFound, UnavailableError
from agentx.work.model import Edit, IssueState, NewIssue, Status
from agentx.work.service import Issues
from agentx.work.store.github.api import Account, GithubApi
from agentx.work.store.github.issues import GithubIssues, Post
from agentx.work.store.github.pages import DiskPages
from agentx.work.store.github.queue import SendQueue
from tests.support.github_server import REPOSITORY, TOKEN, Fault, GithubServer
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

ACTIVE = "clarification:active"


class Bench:
    """A server, and stores that come and go as processes do."""

    def __init__(self, server: GithubServer, folder: Path) -> None:
        self.server = server
        self.folder = folder
        self.clock = FakeClock()
        self.entropy = CountingEntropy()
        self._apis: list[GithubApi] = []

    def store(self, *, token: str = TOKEN, patience: WaitBudget | None = None) -> GithubIssues:
        """Return a store as a new process would have it."""
        api = GithubApi(
            Account(base_url=self.server.url, token=token),
            DiskPages(self.folder / "pages"),
            clock=self.clock,
            entropy=self.entropy,
            patience=patience,
        )
        self._apis.append(api)
        return GithubIssues(api, REPOSITORY, self.queue, clock=self.clock, entropy=self.entropy)

    @property
    def issues(self) -> Issues:
        """The verbs, over a new store."""
        return Issues(self.store(), self.clock, Bus())

    @property
    def queue(self) -> SendQueue:
        """What waits."""
        return SendQueue(self.folder / "queue.jsonl", self.clock, self.entropy)

    def close(self) -> None:
        """Let go of all."""
        for api in self._apis:
            api.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with GithubServer().serving() as server:
        made = Bench(server, tmp_path)
        yield made
        made.close()


def posts(*names: str) -> list[Post]:
    return [
        Post(
            mark=f"<!-- agentx:clarification:{name} -->",
            body=f"<!-- agentx:clarification:{name} -->\n{name}",
        )
        for name in names
    ]


# --- reading ----------------------------------------------------------------------------------


def test_all_pages_are_read_and_pull_requests_are_no_issues(bench: Bench) -> None:
    for number in range(1, 251):
        bench.server.answer("POST", "/repos/acme/shop/issues", {"title": f"n {number}"})
    bench.server.issues[3]["pull_request"] = {"url": "..."}

    assert [issue.number for issue in bench.issues.all()] == [n for n in range(1, 251) if n != 3]
    assert len(bench.server.methods("GET")) == 3
    with pytest.raises(NotFound, match="#3 is a pull request"):
        bench.issues.get(3)


def test_a_page_that_has_not_changed_is_asked_for_with_its_tag(bench: Bench) -> None:
    bench.issues.create(NewIssue(title="x"))
    first = bench.issues.all()
    again = bench.issues.all()

    assert first == again
    assert [status for method, _, status in bench.server.asked if method == "GET"] == [200, 304]


@pytest.mark.parametrize("links_unchanged", [True, False])
def test_a_full_page_that_has_not_changed_may_have_got_a_next_one(
    bench: Bench, *, links_unchanged: bool
) -> None:
    bench.server.links_unchanged = links_unchanged
    bench.issues.create(NewIssue(title="one"))
    for number in range(100):
        bench.server.say(1, "dana", f"word {number}")
    assert len(bench.store().hear(1)) == 100

    bench.server.say(1, "dana", "yes")
    assert [each.body for each in bench.store().hear(1)][99:] == ["word 99", "yes"]
    assert [bench.store().mirror(1, posts("a"), {}).posted for _ in range(3)] == [1, 0, 0]
    assert len(bench.server.comments[1]) == 102


def test_half_a_page_is_asked_for_again(bench: Bench) -> None:
    bench.issues.create(NewIssue(title="x"))
    bench.server.faults = [Fault(kind="half"), Fault(kind="half")]

    assert [issue.title for issue in bench.issues.all()] == ["x"]
    assert len(bench.server.methods("GET")) == 3


def test_the_next_page_is_not_followed_to_another_place(bench: Bench) -> None:
    for _ in range(101):
        bench.server.answer("POST", "/repos/acme/shop/issues", {"title": "x"})
    bench.server.elsewhere = "http://evil.example"

    with pytest.raises(UnavailableError, match="next page elsewhere"):
        bench.issues.all()


def test_offline_the_last_copy_answers(bench: Bench) -> None:
    bench.issues.create(NewIssue(title="seen"))
    bench.issues.all()
    bench.server.faults = [Fault(status=502)] * 20

    assert [issue.title for issue in bench.issues.all()] == ["seen"]
    with pytest.raises(UnavailableError, match="status 502"):
        bench.issues.all(with_closed=False)


def test_what_people_did_on_github_is_understood(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x", status=Status.READY)).number
    shape = bench.server.issues[number]
    shape |= {"state": "closed", "state_reason": "completed", "closed_at": shape["updated_at"]}

    assert bench.issues.get(number).status is Status.DONE
    shape |= {"state": "open", "labels": [{"name": "status:done"}, {"name": "status"}]}
    assert bench.issues.get(number).status is Status.BACKLOG
    shape |= {"labels": [{"name": "status:whatever"}], "body": None}
    assert (bench.issues.get(number).status, bench.issues.get(number).body) == (Status.BACKLOG, "")


# --- limits and faults ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "waits_s"),
    [
        (Fault(status=429, headers={"Retry-After": "7"}), 7),
        (Fault(status=403, headers={"Retry-After": "9"}), 9),
        (
            Fault(
                status=403,
                headers={
                    "X-RateLimit-Remaining": "0",
                    "X-RateLimit-Reset": str(START_MS // 1000 + 30),
                },
            ),
            30,
        ),
        (Fault(status=403, message="You have exceeded a secondary rate limit"), 60),
        (Fault(status=500), 0.25),
        (Fault(status=503, headers={"Retry-After": "3"}), 3),
    ],
)
def test_a_limit_is_waited_for_as_long_as_it_says(
    bench: Bench, fault: Fault, waits_s: float
) -> None:
    bench.issues.create(NewIssue(title="x"))
    began = bench.clock.now_ms()
    bench.server.faults = [fault]

    assert len(bench.issues.all()) == 1
    assert bench.clock.now_ms() - began >= waits_s * 1000
    assert bench.clock.now_ms() - began <= waits_s * 1000 + 1000


def test_a_limit_that_lasts_long_is_told_with_its_end(bench: Bench) -> None:
    headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(START_MS // 1000 + 3000)}
    bench.server.faults = [Fault(status=403, headers=headers)]

    with pytest.raises(UnavailableError, match="used up until 2026-03-02T10:50:00"):
        bench.issues.all()
    assert bench.clock.now_ms() == START_MS


@pytest.mark.parametrize(
    ("fault", "kind", "said"),
    [
        (Fault(status=403, message="Resource not accessible"), UnavailableError, "forbids GET"),
        (Fault(status=422, message="Validation Failed"), InvalidValue, "status 422"),
        (Fault(status=404, message="Not Found"), NotFound, "has no /repos/acme/shop/issues"),
        (Fault(status=301, message="Moved"), NotFound, "has moved"),
    ],
)
def test_a_refusal_is_not_repeated_and_says_the_mend(
    bench: Bench, fault: Fault, kind: type[Exception], said: str
) -> None:
    bench.server.faults = [fault]

    with pytest.raises(kind, match=said):
        bench.issues.all()
    assert len(bench.server.asked) == 1


def test_a_wrong_token_is_said_and_never_shown(bench: Bench) -> None:
    secret = "ghp_wrongwrongwrongwrong"
    with pytest.raises(UnavailableError, match="does not accept the token") as refused:
        bench.store(token=secret).all()

    assert secret not in f"{refused.value!r} {refused.value.hint}"
    assert "gh auth login" in refused.value.hint


def test_a_new_issue_whose_answer_was_lost_is_made_once(bench: Bench) -> None:
    bench.server.faults = [Fault(kind="lost", method="POST")]
    made = bench.issues.create(NewIssue(title="once"))

    assert (made.number, made.body) == (1, "")
    assert len(bench.server.issues) == 1


def test_a_comment_whose_answer_was_lost_is_posted_once(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x")).number
    bench.server.faults = [Fault(kind="lost", method="POST"), Fault(status=500, method="POST")]
    bench.issues.comment(number, "said")

    assert [each.body for each in bench.issues.get(number).comments] == ["said"]
    assert len(bench.server.comments[number]) == 1


# --- patience -----------------------------------------------------------------------------------


@pytest.fixture
def silent() -> Iterator[str]:
    """Give the address of one who takes what is said, and never answers."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as nobody:
        yield f"http://127.0.0.1:{nobody.getsockname()[1]}"


def test_all_that_is_asked_of_one_who_never_answers_is_waited_for_together(
    bench: Bench, silent: str
) -> None:
    clock = SystemClock()
    patience = WaitBudget(clock, limit_ms=80, once_ms=40)
    began = clock.now_ms()
    for _ in range(4):  # as a command does: a store in each place
        api = GithubApi(
            Account(base_url=silent, token=TOKEN),
            DiskPages(bench.folder / "none"),
            clock=clock,
            entropy=bench.entropy,
            patience=patience,
        )
        store = GithubIssues(api, REPOSITORY, bench.queue, clock=clock, entropy=bench.entropy)
        with pytest.raises(UnavailableError, match="did not answer in time"):
            store.mirror(1, posts("x"), {})
        api.close()
    assert clock.now_ms() - began < 1500
    assert patience.left_ms == 0


def test_a_limit_longer_than_the_patience_is_not_waited_for(bench: Bench) -> None:
    patience = WaitBudget(bench.clock, limit_ms=4000, once_ms=2000)
    bench.server.faults = [Fault(status=429, headers={"Retry-After": "7"})]
    store = bench.store(patience=patience)
    for _ in range(3):
        with pytest.raises(UnavailableError, match="asks to be left alone"):
            store.all()
    assert (bench.clock.now_ms(), len(bench.server.asked)) == (START_MS, 1)

    bench.clock.sleep_ms(60_000)  # who lives on asks again
    assert store.all() == ()


def test_an_answer_that_only_trickles_is_given_up(bench: Bench) -> None:
    bench.server.answer("POST", "/repos/acme/shop/issues", {"title": "x"})
    bench.server.faults = [Fault(kind="trickle")] * 9
    clock = SystemClock()
    began = clock.now_ms()
    api = GithubApi(
        Account(base_url=bench.server.url, token=TOKEN),
        DiskPages(bench.folder / "none"),
        clock=clock,
        entropy=bench.entropy,
        patience=WaitBudget(clock, limit_ms=120, once_ms=60),
    )
    with pytest.raises(UnavailableError, match="did not answer in time"):
        api.get(f"/repos/{REPOSITORY}/issues")
    assert clock.now_ms() - began < 1500
    api.close()


# --- offline ----------------------------------------------------------------------------------


@pytest.mark.promise("github.catches-up")
def test_what_was_said_offline_is_seen_here_at_once_and_there_later(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x", labels=("type:bug",))).number
    bench.issues.get(number)
    bench.server.faults = [Fault(status=503)] * 200
    bench.issues.edit(number, Edit(status=Status.READY, add_labels=("needs:ux",)))
    bench.issues.comment(number, "offline \U0001f600")
    bench.issues.edit(number, Edit(status=Status.IN_PROGRESS))
    seen = bench.issues.get(number)

    assert (seen.status, seen.labels) == (Status.IN_PROGRESS, ("type:bug", "needs:ux"))
    assert [each.body for each in seen.comments] == ["offline \U0001f600"]
    assert bench.server.comments == {}
    assert len(bench.queue.waiting()) == 4

    bench.server.faults = []
    sent = bench.store().catch_up()

    assert (sent.sent, sent.waiting, sent.refused) == (4, 0, ())
    there = bench.issues.get(number)
    assert (there.status, there.labels) == (Status.IN_PROGRESS, ("type:bug", "needs:ux"))
    assert [each.body for each in there.comments] == ["offline \U0001f600"]
    assert not (bench.folder / "queue.jsonl").exists()


def test_what_is_refused_for_good_does_not_hold_up_the_rest(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x")).number
    bench.queue.add(404, "comment", {"mark": "<!-- m -->", "body": "lost"})
    bench.queue.add(number, "comment", {"mark": "<!-- n -->", "body": "kept <!-- n -->"})
    sent = bench.store().catch_up()

    assert (sent.sent, sent.waiting, len(sent.refused)) == (2, 0, 1)
    assert "#404" in sent.refused[0]
    assert len(bench.server.comments[number]) == 1


def test_a_token_that_sees_nothing_any_more_drops_nothing(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x")).number
    bench.queue.add(number, "comment", {"mark": "<!-- n -->", "body": "kept <!-- n -->"})
    bench.server.hidden = True
    hidden = bench.store().catch_up()
    expired = bench.store(token="ghp_expired").catch_up()

    assert [(each.sent, each.waiting, each.refused) for each in (hidden, expired)] == [
        (0, 1, ())
    ] * 2
    bench.server.hidden = False
    assert bench.store().catch_up().sent == 1
    assert len(bench.server.comments[number]) == 1


def test_a_process_killed_after_posting_does_not_post_again(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x")).number
    mark = "<!-- agentx:comment:1 -->"
    # It was posted; the line that says so was never written, and the next one was cut short.
    bench.queue.add(number, "comment", {"mark": mark, "body": f"said\n\n{mark}"})
    bench.server.answer(
        "POST", f"/repos/acme/shop/issues/{number}/comments", {"body": f"said\n\n{mark}"}
    )
    with (bench.folder / "queue.jsonl").open("ab") as file:
        file.write(b'{"id": "half')

    assert bench.store().catch_up().waiting == 0
    assert len(bench.server.comments[number]) == 1


def test_one_process_sends_at_a_time(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x")).number
    bench.queue.add(number, "comment", {"mark": "<!-- n -->", "body": "<!-- n -->"})
    with bench.queue.sending() as mine:
        assert mine
        assert bench.store().catch_up().sent == 0

    assert bench.store().catch_up().sent == 1


def test_a_queue_that_only_grows_is_said(bench: Bench) -> None:
    small = SendQueue(bench.folder / "queue.jsonl", bench.clock, bench.entropy, entries_max=2)
    for _ in range(2):
        small.add(1, "comment", {})

    with pytest.raises(LimitError, match="2 changes wait"):
        small.add(1, "comment", {})


# --- the mirror -------------------------------------------------------------------------------


@pytest.mark.promise("github.mirror-once")
def test_every_round_is_posted_once_however_often_it_is_synced(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x", labels=("type:bug",))).number
    thread = posts("CLR-1-001:0", "CLR-1-001:1")
    new = [bench.store().mirror(number, thread, {ACTIVE: True}).posted for _ in range(3)]
    more = bench.store().mirror(number, [*thread, *posts("CLR-1-001:2")], {ACTIVE: True}).posted

    assert (new, more) == ([2, 0, 0], 1)
    said = [each["body"].splitlines()[-1] for each in bench.server.comments[number]]
    assert said == ["CLR-1-001:0", "CLR-1-001:1", "CLR-1-001:2"]


def test_labels_are_kept_true_and_others_are_left_alone(bench: Bench) -> None:
    number = bench.issues.create(NewIssue(title="x", labels=("mine",))).number
    stale = "clarification:stale"
    bench.store().mirror(number, (), {ACTIVE: True, stale: True})
    both = bench.issues.get(number).labels
    bench.store().mirror(number, (), {ACTIVE: True, stale: False})
    one = bench.issues.get(number).labels
    bench.store().mirror(number, (), {ACTIVE: False, stale: False})

    assert (both, one) == (("mine", ACTIVE, stale), ("mine", ACTIVE))
    last = bench.issues.get(number)
    assert (last.labels, last.state) == (("mine",), IssueState.OPEN)
    asked = len(bench.server.methods("DELETE"))
    bench.store().mirror(number, (), {ACTIVE: False, stale: False})
    assert len(bench.server.methods("DELETE")) == asked


def test_marks_are_hidden_from_people(bench: Bench) -> None:
    made = bench.issues.create(NewIssue(title="x", body="text"))
    bench.issues.comment(made.number, "said")

    assert "<!-- agentx:issue:" in bench.server.issues[made.number]["body"]
    assert "agentx" not in json.dumps(bench.issues.get(made.number).body)
    assert [each.body for each in bench.issues.get(made.number).comments] == ["said"]


# --- labels -----------------------------------------------------------------------------------


def labels_of(bench: Bench, number: int = 1) -> set[str]:
    return {each["name"] for each in bench.server.issues[number]["labels"]}


@pytest.mark.promise("github.others-labels")
def test_a_change_leaves_alone_the_labels_that_others_set_meanwhile(bench: Bench) -> None:
    bench.issues.create(NewIssue(title="x", labels=("type:bug", "mine")))
    bench.issues.get(1)
    bench.server.faults = [Fault(status=503)] * 60
    store = bench.store()
    moved = Issues(store, bench.clock, Bus()).edit(
        1, Edit(status=Status.READY, add_labels=("needs:ux",), remove_labels=("mine",), title="y")
    )
    seen = Issues(bench.store(), bench.clock, Bus()).get(1)
    assert (moved.status, seen.status, seen.title) == (Status.READY, Status.READY, "y")
    assert set(seen.labels) == {"type:bug", "needs:ux"}

    # Offline here; over there people go on: one more label, one less, and a status of their own.
    bench.server.faults = []
    path = "/repos/acme/shop/issues/1/labels"
    bench.server.answer("POST", path, {"labels": ["good first issue", "status:in-review"]})
    bench.server.answer("DELETE", f"{path}/type%3Abug", {})
    assert bench.store().catch_up().waiting == 0

    assert labels_of(bench) == {"good first issue", "needs:ux", "status:ready"}
    assert bench.issues.get(1).status is Status.READY
    assert bench.server.issues[1]["title"] == "y"
