"""Goal: one browser is let in, by its link, once; nobody else, however they ask.

Method: the guard judges headers as browsers, other pages and other programs send them.
"""

from __future__ import annotations

import pytest

from agentx.surfaces.page.guard import PageGuard

PORT = 4711
OWN = {"Host": f"127.0.0.1:{PORT}"}


def guard() -> PageGuard:
    made = iter(range(1, 100))
    return PageGuard(PORT, lambda count: bytes([next(made)]) * count)


def test_the_link_lets_one_in_and_no_second() -> None:
    one = guard()

    assert not one.take_link("0" * 64)
    assert one.take_link(one.link_token)
    assert not one.take_link(one.link_token)


def test_a_browser_is_known_by_its_cookie_beside_those_of_other_programs() -> None:
    one = guard()
    mine = one.cookie.partition(";")[0]
    name, _, value = mine.partition("=")

    assert one.is_known({"Cookie": f'x="a;b"; {mine}; \x07=1'})
    for other in ("", name, f"{name}=", f"{name}={value[:-1]}", f"x{mine}", mine.upper()):
        assert not one.is_known({"Cookie": other})
    assert "HttpOnly" in one.cookie
    assert "SameSite=Strict" in one.cookie


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {}),
        ("GET", {"Host": f"evil.example:{PORT}"}),  # a name that was turned to this machine
        ("GET", {"Host": "127.0.0.1"}),
        ("GET", {**OWN, "Origin": "http://evil.example"}),
        ("GET", {**OWN, "Origin": "null"}),
        ("GET", {**OWN, "Origin": f"http://127.0.0.1:{PORT + 1}"}),
        ("GET", {**OWN, "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}),
        ("GET", {**OWN, "Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"}),
        ("POST", OWN),  # it does not say from which page
        ("POST", {**OWN, "Origin": f"http://localhost:{PORT}"}),
        ("POST", {**OWN, "Origin": f"https://127.0.0.1:{PORT}"}),
        (
            "POST",
            {**OWN, "Origin": f"http://127.0.0.1:{PORT}", "Sec-Fetch-Site": "cross-site"},
        ),
    ],
)
def test_what_another_page_has_a_browser_ask_is_refused(
    method: str, headers: dict[str, str]
) -> None:
    assert guard().judge(method, headers) is not None


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_what_a_person_types_or_the_page_asks_is_answered(host: str) -> None:
    named = {"Host": f"{host}:{PORT}"}
    own = {**named, "Origin": f"http://{host}:{PORT}", "Sec-Fetch-Site": "same-origin"}

    assert guard().judge("GET", named) is None
    # A link in a mail leads here: the page is shown, to whom the strict cookie lets in.
    typed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert guard().judge("GET", {**named, **typed}) is None
    assert guard().judge("GET", own) is None
    assert guard().judge("POST", own) is None
