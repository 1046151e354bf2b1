"""Goal: whatever somebody wrote, it is words on the page, and nothing else.

Method: properties over any text; what a browser makes of the markup is read back.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentx.kernel.text import printable
from agentx.surfaces.page.asked import link_to
from agentx.surfaces.page.markup import Html, join, show, tag
from tests.support.browsing import read_html

_SLY = st.sampled_from(
    [
        "<script>x</script>",
        '"><svg onload=x>',
        "' onclick='x",
        "&lt;b&gt;",
        "</p>",
        "\u202eabc",
        "\0",
    ]
)
_WORDS = st.lists(st.one_of(st.text(max_size=30), _SLY), max_size=4).map("".join)


@given(_WORDS, _WORDS)
def test_words_are_words_in_text_and_in_attributes(inside: str, told: str) -> None:
    found = read_html(tag("p", inside, title=told, class_="x"))

    assert [name for name, _ in found.tags] == ["p"]
    assert found.tags[0][1] == {"title": printable(told), "class": "x"}
    assert "".join(found.words) == printable(inside)


@given(st.lists(_WORDS, max_size=4), _WORDS)
def test_parts_are_joined_each_as_it_is(parts: list[str], between: str) -> None:
    joined = join(*parts, between=between)

    assert joined == show(between).join(show(each) for each in parts)


def test_what_is_left_out_says_nothing() -> None:
    made = tag("input", None, hidden=True, value=None, disabled=False, maxlength=3)

    assert made == '<input hidden maxlength="3">'
    assert join(None, "a", [None, tag("b", "c")]) == "a<b>c</b>"
    assert isinstance(join("a"), Html)


@given(st.text(max_size=40), st.text(max_size=40))
def test_an_address_names_what_it_is_given_and_leaves_the_page_for_nowhere(
    name: str, query: str
) -> None:
    made = link_to("show", name, q=query)

    assert made.startswith("/show/")
    assert "//" not in made
    assert made.isascii()
