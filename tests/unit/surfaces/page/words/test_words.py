"""Goal: what agents and people wrote is shown as they meant it, and can do nothing else.

Method: examples; properties over any text; hostile texts with a bound on the time they may take.
"""

from __future__ import annotations

import time
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.exchanges.rewrites import LineMark, Rewrite
from agentx.surfaces.page.words.code import highlight, language_of
from agentx.surfaces.page.words.diffs import count_changes, draw_diff, list_changes, list_lines
from agentx.surfaces.page.words.markdown import draw_markdown

SECONDS_MAX = 3.0  # of processor time; each takes a tenth of that on an idle machine
EMPTY = frozenset({"br", "hr"})
OURS = frozenset(
    "div p h3 h4 h5 h6 ul ol li blockquote pre code strong em s a table thead tbody tr th td span"
    " br hr details summary".split()
)
TOLD = frozenset({"class", "href", "rel", "target", "start", "tabindex"})
SIGNS = st.text(
    st.sampled_from("`*_~[]()!<>#|-+.\\\n\t :/&'\"=x1ahtps\u202e\x00\u200b"), max_size=200
)


class WellFormed(HTMLParser):
    """Reads markup, and fails on what does not close or is not ours."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.words = ""
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in OURS
        assert {name for name, _ in attrs} <= TOLD
        self.links += [f"{value}" for name, value in attrs if name == "href"]
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_decl(self, decl: str) -> None:
        raise AssertionError(decl)


def read(markup: str) -> WellFormed:
    """Return what a browser reads of it."""
    reader = WellFormed()
    reader.feed(markup)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("# Plan", "<h3>Plan</h3>"),
        ("#### Deep", "<h3>Deep</h3>"),
        ("**a *b* c** and `x<y`", "<p><strong>a <em>b</em> c</strong> and <code>x&lt;y</code></p>"),
        ("snake_case_name 2 * 3 * 4", "<p>snake_case_name 2 * 3 * 4</p>"),
        ("**never closed", "<p>**never closed</p>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"),
        ("a  \nb", "<p>a<br>b</p>"),
        ("~~gone~~", "<p><s>gone</s></p>"),
        ("***", "<hr>"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        (
            "[x](https://a.b/c)",
            '<a href="https://a.b/c" rel="noreferrer noopener" target="_blank">x',
        ),
        (
            "![p](http://x/y)",
            '<a href="http://x/y" rel="noreferrer noopener" target="_blank">p</a>',
        ),
        ("[x](javascript:alert) \\*", "<p>x (javascript:alert) *</p>"),
        ("```py\nreturn 1\n```", '<pre tabindex="0"><code><span class="k">return</span> '),
        ("|a|b|\n|-|-|\n|1|`x` \\| y|", "<td><code>x</code> | y</td>"),
    ],
)
def test_markdown_is_shown_as_it_was_meant(written: str, shown: str) -> None:
    made = draw_markdown(written)

    assert shown in made
    read(made)


@given(SIGNS)
@settings(max_examples=150, deadline=None)
def test_whatever_is_written_becomes_our_markup_and_no_other(written: str) -> None:
    for made in (draw_markdown(written), draw_markdown(written, links=False)):
        found = read(made)
        assert all(each.startswith(("http://", "https://")) for each in found.links)
        assert "\x00" not in found.words
        assert "\u202e" not in found.words
    assert read(draw_markdown(written, links=False)).links == []
    for language in ("py", "sh", "js", "sql", "yaml", "html", ""):
        shown = written.replace("\x00", "\ufffd").replace("\u202e", "\ufffd").replace("\u200b", "")
        assert read(highlight(written, language)).words == shown


@pytest.mark.parametrize(
    "hostile",
    [
        *("[" * 60_000, "*a " * 20_000, "`" * 60_000, "[a](" * 15_000, "_a" * 30_000),
        ("> " * 40 + "\n") * 700,
        "".join(f"{' ' * (2 * depth)}- x\n" for depth in range(240)),
        "|a\n|-|\n" + "|a|b\n" * 10_000,
        "".join("`" * (size % 300 + 1) + " " for size in range(390)),
        "```\n" * 15_000,
        "- \n" * 20_000,
        "x" * 1_000_000,
        *("# " + " " * 59_000 + "x", "# " + "a # " * 14_000, "* " * 29_000 + "x"),
        *("|-" + "-" * 59_000 + "x\n" + "|-" * 29_000, "[a](http://b '" * 4_000),
    ],
    ids=lambda text: text[:12],
)
def test_hostile_markdown_takes_no_more_than_its_length(hostile: str) -> None:
    begun = time.process_time()

    made = draw_markdown(hostile)

    assert time.process_time() - begun < SECONDS_MAX
    assert made.count("<blockquote>") <= 10
    read(made)


def test_code_is_coloured_where_its_language_is_known() -> None:
    python = highlight('def f():  # <b>\n    return "a\\"b" + 0x1f', "py")

    assert '<span class="k">def</span>' in python
    assert '<span class="c"># &lt;b&gt;</span>' in python
    assert '<span class="s">&quot;a\\&quot;b&quot;</span>' in python
    assert '<span class="n">0x1f</span>' in python
    assert highlight("def f()", "unheard-of") == "def f()"
    assert highlight("def " * 10_000, "py") == "def " * 10_000
    assert language_of("/r/a.TSX") == "tsx"
    assert language_of("notes") == ""


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12)


@given(LINES, LINES)
@settings(max_examples=150, deadline=None)
def test_a_diff_holds_both_texts_and_moves_nothing(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)

    lines = list_changes(before, after)

    left = [line for mark, line in lines if mark is not LineMark.ADDED]
    came = [line for mark, line in lines if mark is not LineMark.REMOVED]
    assert left == (before.removesuffix("\n").split("\n") if before else [])
    assert came == (after.removesuffix("\n").split("\n") if after else [])
    if before == after:
        assert count_changes(lines) == (0, 0)


def test_a_diff_shows_what_is_near_and_folds_the_rest() -> None:
    before = "\n".join(f"line {number}" for number in range(40))

    near = list_lines(Rewrite(path="a", before=before, after=before.replace("line 20", "LINE")))

    assert count_changes(near) == (1, 1)
    assert [line for mark, line in near if mark is LineMark.PLACE] == [
        "17 lines as before",
        "16 lines as before",
    ]
    assert '<span class="cut">- line 20\n</span>' in draw_diff(near)


def test_a_diff_of_ten_thousand_lines_folds_and_of_long_ones_says_the_rest() -> None:
    before, after = ("\n".join(f"{word} {n % 7}" for n in range(10_000)) for word in ("old", "new"))
    begun = time.process_time()

    drawn = draw_diff(list_lines(Rewrite(path="a", before=before, after=after)))
    long = draw_diff(((LineMark.ADDED, "y" * 1_000_000),))

    assert time.process_time() - begun < SECONDS_MAX
    assert "<summary>19,940 more lines</summary>" in drawn
    assert "and 19,600 more" in drawn
    assert len(drawn) < 40_000
    assert "[999,000 more characters]" in long
    read(drawn + long)
